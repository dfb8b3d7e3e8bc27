from __future__ import annotations

import csv
import io
import json

import pytest
from support.running import run

from linkfix import Link
from linkfix.display import visible
from linkfix.files import atomic

PAGE = (
    b'<base href="/b/">\n<a href="x?a&amp;b">x</a>\n'
    b'<p style="background: url(\'y z.png\')"><img src="http://[" alt=""><a href="z\x1b[31m\xe2\x80\xae">'
)
EXPECTED = [
    ("base", "href", "/b/", "https://example.com/b/", 1),
    ("a", "href", "x?a&b", "https://example.com/b/x?a&b", 2),
    ("p", "style", "y z.png", "https://example.com/b/y%20z.png", 3),
    ("img", "src", "http://[", None, 3),
    ("a", "href", "z\x1b[31m\u202e", "https://example.com/b/z%1B[31m%E2%80%AE", 3),
]


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "page.html"
    path.write_bytes(PAGE)
    return path


def links(form):
    return run("links", "page.html", "--url", "https://example.com/", "--charset", "utf-8", "--format", form)


@pytest.mark.usefixtures("page")
def test_text_is_a_line_a_link():
    result = links("text")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1] == "page.html:2:10 a[href] x?a&b -> https://example.com/b/x?a&b"
    assert lines[3].startswith("page.html:3:")
    assert lines[3].endswith(" img[src] http://[ -> (none) [unresolvable]")
    assert lines[4].endswith(" a[href] z\\x1b[31m\\u202e -> https://example.com/b/z%1B[31m%E2%80%AE")
    assert len(lines) == 5


def test_an_empty_reference_is_the_same_document_under_rfc_2396(page):
    page.write_bytes(b"<a href=''><a href='#s'>")
    result = run("links", "page.html", "--url", "https://example.com/", "--spec", "rfc2396")
    assert result.stdout.splitlines() == [
        "page.html:1:10 a[href]  -> (same document)",
        "page.html:1:21 a[href] #s -> #s",
    ]


@pytest.mark.usefixtures("page")
def test_a_problem_of_a_link_is_printed_once():
    result = links("text")
    assert (result.stdout + result.stderr).count("unresolvable") == 1


def test_a_problem_of_the_document_is_printed(page):
    page.write_bytes(b'<base href="javascript:x"><a href="http://h/">')
    result = links("text")
    assert "[base-unusable]" in result.stderr


def rows(form, text):
    if form == "json":
        return json.loads(text)
    if form == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
@pytest.mark.usefixtures("page")
def test_machine_formats_hold_every_field(form):
    found = rows(form, links(form).stdout)
    expected = [(*row[:2], visible(row[2]), *row[3:]) for row in EXPECTED] if form == "csv" else EXPECTED
    assert all(set(row) == {"path", *Link._fields} for row in found)
    assert [
        (row["element"], row["attribute"], row["reference"], row["target"] or None, int(row["line"])) for row in found
    ] == expected
    assert {row["path"] for row in found} == {"page.html"}
    spans = [PAGE[int(row["start"]) : int(row["end"])] for row in found]
    assert spans[:4] == [b"/b/", b"x?a&amp;b", b"y z.png", b"http://["]


@pytest.mark.parametrize(("form", "expected"), [("json", "[]\n"), ("jsonl", ""), ("text", "")])
def test_no_links(page, form, expected):
    page.write_bytes(b"<p>")
    assert links(form).stdout == expected


def test_a_tree_and_a_style_sheet(page):
    (page.parent / "a.css").write_bytes(b"@import 'b.css';")
    result = run("links", ".", "--root-url", "https://example.com/s", "--include", "*.css")
    assert result.stdout == "./a.css:1:10 css b.css -> https://example.com/s/b.css\n"


def test_standard_input():
    result = run("links", "-", "--url", "http://h/", stdin=b"<a href=x>")
    assert result.stdout == "(standard input):1:9 a[href] x -> http://h/x\n"


@pytest.mark.parametrize(("arguments", "code"), [((), 0), (("--strict",), 1)])
@pytest.mark.usefixtures("page")
def test_strict_is_exit_code_1(arguments, code):
    assert run("links", "page.html", "--url", "http://h/", *arguments).exit_code == code


def test_unreadable_files_are_named_and_the_others_listed(page):
    (page.parent / "out.html").symlink_to("/etc/hostname")
    (page.parent / "z.html").write_bytes(b"<a href=http://h/>")
    result = run("links", ".", "--max-size", "20", "--strict")
    assert "./out.html: symbolic link out of the folder" in result.stderr
    assert "./page.html: larger than 20 bytes" in result.stderr
    assert result.stdout == "./z.html:1:9 a[href] http://h/ -> http://h/\n"
    assert result.exit_code == 1


@pytest.mark.usefixtures("page")
def test_system_errors_exit_with_2(monkeypatch):
    def refuse(path, **_):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(atomic, "read", refuse)
    result = run("links", "page.html")
    assert result.stderr == "page.html: Permission denied\n"
    assert result.exit_code == 2


def test_standard_input_beyond_the_limit():
    result = run("links", "-", "--max-size", "5", stdin=b"<a href=x>")
    assert result.stderr == "(standard input): larger than 5 bytes\n"
    assert result.exit_code == 0


@pytest.mark.parametrize("option", [["--url", "x"], ["--charset", "x"], ["--spec", "rfc3986", "--excess-dots", "keep"]])
@pytest.mark.usefixtures("page")
def test_wrong_options_print_one_message(option):
    result = run("links", "page.html", *option)
    assert result.exit_code == 2
    assert result.stderr.count("Error: ") == 1
    assert result.stdout == ""


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    files = {
        "app.js": b"import './a.js'; import 'b'\n//# sourceMappingURL=app.js.map",
        "manifest.json": b'{"start_url": "."}',
        "robots.txt": b"Sitemap: s.xml",
        "index.html": (
            b'<script type=importmap>{"imports":{"b":"/b.js"}}</script><script type=module>import \'b\'</script>'
        ),
    }
    for name, data in files.items():
        (tmp_path / "site" / name).write_bytes(data)
    return tmp_path / "site"


@pytest.mark.usefixtures("scripts")
def test_scripts_manifests_and_robots_are_listed():
    assert run("links", "site", "--root-url", "https://h/").stdout.splitlines() == [
        "site/app.js:1:9 javascript ./a.js -> https://h/a.js",
        "site/app.js:1:26 javascript b -> (none)",
        "site/app.js:2:22 source-map app.js.map -> https://h/app.js.map",
        "site/index.html:1:41 script /b.js -> https://h/b.js",
        "site/index.html:1:86 script b -> https://h/b.js",
        "site/manifest.json:1:16 webmanifest . -> https://h/",
        "site/robots.txt:1:10 robots s.xml -> https://h/s.xml",
    ]
    assert len(run("links", "site/app.js", "--url", "https://h/").stdout.splitlines()) == 3


def test_a_conversion_writes_manifests_and_robots_and_copies_scripts(scripts):
    done = run("absolutize", "site", "--root-url", "https://h/", "--output", "out")
    out = scripts.parent / "out"
    assert done.exit_code == 0
    assert (out / "app.js").read_bytes() == (scripts / "app.js").read_bytes()
    assert (out / "manifest.json").read_bytes() == b'{"start_url": "https://h/"}'
    assert (out / "robots.txt").read_bytes() == b"Sitemap: https://h/s.xml"
    page = (out / "index.html").read_bytes()
    assert page == (scripts / "index.html").read_bytes().replace(b'"/b.js"', b'"https://h/b.js"')
    assert "4 files" in done.stderr
    single = run("absolutize", "site/app.js", "--url", "https://h/")
    assert single.stdout.encode() == (scripts / "app.js").read_bytes()
    assert "3 links, 0 made absolute" in single.stderr


def test_json_feeds_are_documents_and_other_json_is_copied(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    feed = b'{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"p/","content_html":"<a href=\'x\'>"}]}'
    other = b'{"version":"1.1","items":[{"url":"p/"}]}'
    (tmp_path / "site").mkdir()
    for name, data in {"feed.json": feed, "other.json": other}.items():
        (tmp_path / "site" / name).write_bytes(data)
    assert run("links", "site", "--root-url", "https://h/", "--feed-base", "item").stdout.splitlines() == [
        "site/feed.json:1:64 items.url p/ -> https://h/p/",
        "site/feed.json:1:93 a[href] x -> https://h/p/x",
    ]
    assert run("absolutize", "site", "--root-url", "https://h/", "--output", "out").exit_code == 0
    made = feed.replace(b"p/", b"https://h/p/").replace(b"'x'", b"'https://h/x'")
    assert (tmp_path / "out" / "feed.json").read_bytes() == made
    assert (tmp_path / "out" / "other.json").read_bytes() == other
    assert run("absolutize", "-", "--url", "https://h/", stdin=feed).stdout.encode() == made
    assert run("absolutize", "site/feed.json", "--url", "https://h/", "--output", "new.json").exit_code == 0
    assert (tmp_path / "new.json").read_bytes() == made
    left = run("absolutize", "site/other.json", "--url", "https://h/")
    assert left.stdout.encode() == other
    assert "application/json" in left.stderr
    assert "[media-type]" in left.stderr
