from __future__ import annotations

import pytest

from linkfix import InvalidOption
from linkfix.files import FileTree
from linkfix.saved import UrlMap


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


def test_the_same_twice_is_no_contradiction(tmp_path):
    assert len(load(tmp_path, "a,https://h/\na,https://h/\n").rows) == 1


def test_an_empty_map(tmp_path):
    assert load(tmp_path, "").rows == {}
