from __future__ import annotations

import json
import time

import pytest

from linkfix import InvalidOption
from linkfix.files import FileTree
from linkfix.saved import UrlMap
from linkfix.saved.url_map import BlankRow, blank_map


def load(tmp_path, text, name="urls.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return UrlMap.load(str(path))


GOOD = [
    "path,url\na.html,https://h/a\nsub/b.html,https://h/b?c\n",
    "a.html,https://h/a\r\n\r\nsub/b.html,https://h/b?c",
    "\ufeffURL,Path,note\nhttps://h/a,a.html,x\nhttps://h/b?c,./sub/b.html,\n",
    '"a.html","https://h/a"\n"sub/b.html", https://h/b?c\n',
    '{"path": "a.html", "url": "https://h/a", "title": "A"}\n\n{"url": "https://h/b?c", "path": "sub//b.html"}\n',
]


@pytest.mark.parametrize("text", GOOD)
def test_accepted_formats(tmp_path, text):
    found = load(tmp_path, text)
    tree = FileTree(str(tmp_path.resolve()))
    assert found.find(tree, "a.html")[0] == "https://h/a"
    assert found.find(tree, "sub/b.html")[0] == "https://h/b?c"
    assert found.find(tree, "b.html") is None


def test_errors_have_a_position(tmp_path):
    found = load(tmp_path, 'path,url,note\na.html,https://h/a,"two\nlines"\nb.html,https://h/b,\n')
    tree = FileTree(str(tmp_path.resolve()))
    assert found.find(tree, "a.html") == ("https://h/a", f"{tmp_path}/urls.csv:2")
    assert found.find(tree, "b.html") == ("https://h/b", f"{tmp_path}/urls.csv:4")


def test_paths_are_of_the_map_or_of_the_tree_or_absolute(tmp_path):
    root = tmp_path.resolve() / "tree"
    tree = FileTree(str(root))
    assert load(tmp_path, "tree/a.html,https://h/a").find(tree, "a.html")[0] == "https://h/a"
    assert load(tmp_path, "a.html,https://h/a").find(tree, "a.html")[0] == "https://h/a"
    assert load(tmp_path, f"{root}/a.html,https://h/a").find(tree, "a.html")[0] == "https://h/a"
    assert load(tmp_path, "a.html,https://h/a").find(None, "a.html")[0] == "https://h/a"
    assert load(tmp_path, "a.html,https://h/a").find(None, "") is None


BAD = [
    ("a.html\n", "1: a path and a URL are missing: name the columns in the first line, path,url"),
    ("a.html,https://h/a,more\n", "1: a path and a URL are missing: name the columns in the first line, path,url"),
    ("path,url\na.html\n", "2: a path and a URL are missing: name the columns in the first line, path,url"),
    ("path,url\n,https://h/a\n", "2: the path is empty: give the path of the file"),
    ("a,/a\n", "1: '/a' cannot be the URL of a page: give a URL such as https://host/path"),
    ("a,javascript:0\n", "1: 'javascript:0' cannot be the URL of a page: give a URL such as https://host/path"),
    ("a,http://[\n", "1: 'http://[' cannot be the URL of a page: give a URL such as https://host/path"),
    ("a,https://h/\nb,https://h/\n./a,https://i/\n", "3: ./a has another URL in line 1: keep one of the two"),
    ('a,"https://h/', "1: not CSV: unexpected end of data"),
    (b"a,https://h/\n\xff,https://h/\n", "2: not UTF-8: save the file in that encoding"),
    ('{"path": "a"\n', "1: not JSON: write one object per line"),
    ('{"path": "a", "url": "https://h/"}\n[]\n', '2: the strings "path" and "url" are missing'),
    ('{"path": "a", "url": null}', '1: the strings "path" and "url" are missing'),
    ('{"path": "a", "url": "https://h/"}\n' + "[" * 100_000, "2: not JSON: write one object per line"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_errors_have_file_and_line(tmp_path, text, message):
    with pytest.raises(InvalidOption) as error:
        load(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path}/urls.csv:{message}")


HEADERS = {
    "file,url": "the first line has 'file', but no column 'path'",
    "Path,address,title": "the first line has 'address', 'title', but no column 'url'",
    "name,link": "the first line has 'name', 'link', but no column 'path' or 'url'",
    "path;url": "the columns are not separated by commas",
}


@pytest.mark.parametrize("header", HEADERS)
def test_a_wrong_header_is_named(tmp_path, header):
    with pytest.raises(InvalidOption) as error:
        load(tmp_path, f"{header}\na.html,https://h/a\n")
    assert str(error.value).startswith(f"{tmp_path}/urls.csv:1: {HEADERS[header]}: ")


def test_a_file_may_have_the_name_of_a_column(tmp_path):
    assert load(tmp_path, "url,https://h/a\n").rows == {"url": ("https://h/a", 1)}


def test_rows_without_a_file(tmp_path):
    tree = FileTree(str(tmp_path.resolve() / "tree"))
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    for name in ("tree/a.html", "tree/sub/b.html", "c.maff"):
        (tmp_path / name).write_bytes(b"")
    rows = ["x.html", "a.html", "tree/sub/b.html", str(tmp_path / "tree" / "a.html"), "b.html", f"{tmp_path}/c.maff!p"]
    found = load(
        tmp_path,
        "".join(f"{row},https://h/{row}\n" for row in rows if row[0] != "/")
        + "".join(f"{row},https://h/abs\n" for row in rows if row[0] == "/"),
    )
    assert found.unmatched([tree]) == [("x.html", 1), ("b.html", 4)]


def test_a_path_with_many_marks_of_parts_takes_no_time(tmp_path):
    rows = "".join(json.dumps({"path": f"{number}{'a!' * 200_000}", "url": "https://h/"}) + "\n" for number in range(5))
    found = load(tmp_path, rows)
    started = time.process_time()
    assert len(found.unmatched([])) == 5
    assert time.process_time() - started < 1


def test_a_table_to_fill_in_is_a_url_map(tmp_path):
    rows = [BlankRow("=a\x1b.html", "", "https://h/", "a place", "layout", 3), BlankRow("b.html", "", "", "", "", 1)]
    table = blank_map(rows)
    assert table.splitlines()[0] == b"path,url,suggestion,source,option,links"
    assert load(tmp_path, table).rows == {}
    filled = table.replace(b".html,,", b".html,https://i/,")
    found = load(tmp_path, filled)
    assert found.find(FileTree(str(tmp_path.resolve())), "=a\x1b.html") == ("https://i/", f"{tmp_path}/urls.csv:2")


def test_the_same_twice_is_no_contradiction(tmp_path):
    assert len(load(tmp_path, "a,https://h/\na,https://h/\n").rows) == 1


def test_an_empty_map(tmp_path):
    assert load(tmp_path, "").rows == {}
