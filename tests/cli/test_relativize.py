"""`linkfix relativize`: the inverse of `linkfix absolutize`."""

from __future__ import annotations

import pytest
from support.fixtures_site import FIXTURES
from support.running import run

ROOT = ("--root-url", "https://h.example/")


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def read(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def site(tmp_path):
    pages = {
        "index.html": '<a href="https://h.example/docs/">d</a><a href="/docs/a.html?q#f">a</a><a href="gone">g</a>'
        '<link rel=canonical href="https://h.example/"><img src="/img/a%20b.png?v=2">',
        "docs/index.html": '<base href="https://h.example/"><a href="docs/a.html">a</a><a href="#f">f</a>'
        '<a href="">h</a>',
        "docs/a.html": '<a href="http://h.example/">h</a><a href="#x">x</a><a href="index.html">i</a>'
        '<a href="/docs/">d</a><style>b { background: url(https://h.example/img/a%20b.png) }</style><a href="https://o.example/">o</a>',
        "img/a b.png": "",
        "site.css": '@import "https://h.example/docs/b.css"; a { cursor: url(/img/a%20b.png) }',
        "docs/b.css": "",
        "slash.html": '<a href="/docs">d</a><a href="/docs?q#f">d</a>',
        "feed.rss": "<rss><channel><link>https://h.example/docs/</link></channel></rss>",
    }
    return write(tmp_path / "site", pages)


def test_links_to_files_become_relative_and_others_absolute(site, tmp_path):
    result = run("relativize", site, *ROOT, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    made = read(tmp_path / "out")
    assert made["index.html"] == (
        '<a href="docs/index.html">d</a><a href="docs/a.html?q#f">a</a><a href="https://h.example/gone">g</a>'
        '<link rel=canonical href="https://h.example/"><img src="img/a%20b.png?v=2">'
    )
    assert made["docs/index.html"] == (
        '<base><a href="a.html">a</a><a href="../index.html#f">f</a><a href="../index.html">h</a>'
    )
    assert made["docs/a.html"] == (
        '<a href="../index.html">h</a><a href="#x">x</a><a href="index.html">i</a><a href="index.html">d</a>'
        '<style>b { background: url(../img/a%20b.png) }</style><a href="https://o.example/">o</a>'
    )
    assert made["site.css"] == '@import "docs/b.css"; a { cursor: url(img/a%20b.png) }'
    assert made["slash.html"] == '<a href="docs/index.html">d</a><a href="docs/index.html?q#f">d</a>'
    assert made["feed.rss"] == read(site)["feed.rss"]


def test_names_of_index_files_are_left_on_request(site, tmp_path):
    run("relativize", site, *ROOT, "--no-index-names", "-o", tmp_path / "out")
    made = read(tmp_path / "out")
    assert '<a href="docs/">d</a>' in made["index.html"]
    assert made["slash.html"] == '<a href="docs/">d</a><a href="docs/?q#f">d</a>'
    assert made["docs/a.html"].startswith(
        '<a href="../">h</a><a href="#x">x</a><a href="index.html">i</a><a href="./">d</a>'
    )


def test_other_links_stay_on_request(site, tmp_path):
    run("relativize", site, *ROOT, "--others", "keep", "-o", tmp_path / "out")
    assert '<a href="gone">g</a>' in (tmp_path / "out" / "index.html").read_text()
    base = '<base href="https://h.example/x/"><a href="gone">'
    page = write(tmp_path / "b", {"page.html": base}) / "page.html"
    assert run("relativize", page, *ROOT, "--others", "keep").stdout == '<base><a href="https://h.example/x/gone">'


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_in_place_twice_and_undone(site, jobs):
    before = read(site)
    first = run("relativize", site, *ROOT, "--in-place", "--jobs", jobs)
    assert first.exit_code == 0
    after = read(site)
    assert after != before
    assert ", 0 rewritten," in run("relativize", site, *ROOT, "--in-place", "--jobs", jobs).stderr
    assert read(site) == after
    assert run("undo", site).exit_code == 0
    assert read(site) == before


def test_the_targets_are_those_of_the_absolute_site(site, tmp_path):
    run(
        "absolutize",
        site,
        *ROOT,
        "--base-element",
        "drop-href",
        "--fragments",
        "absolutize",
        "-o",
        tmp_path / "absolute",
    )
    run("relativize", tmp_path / "absolute", *ROOT, "-o", tmp_path / "relative")
    options = ("--base-element", "drop-href", "--fragments", "absolutize")
    run("absolutize", tmp_path / "relative", *ROOT, *options, "-o", tmp_path / "again")
    again, absolute = read(tmp_path / "again"), read(tmp_path / "absolute")
    del again["slash.html"], absolute["slash.html"]  # the URL of a folder gets its slash
    assert again["site.css"] == absolute["site.css"]
    indexes = {name: text.replace("/index.html", "/") for name, text in again.items()}
    assert indexes == {
        name: text.replace("/index.html", "/").replace("http://h", "https://h") for name, text in absolute.items()
    }


def test_several_hosts_in_one_folder(tmp_path):
    mirror = write(
        tmp_path / "mirror",
        {
            "a.example/index.html": '<a href="https://b.example/p.html">b</a><a href="https://c.example/">c</a>',
            "b.example/p.html": '<a href="http://a.example/">a</a><img src="https://a.example/i.png?x=1">'
            '<a href="http://a.example/?q">q</a>',
            "a.example/i.png?x=1": "",
        },
    )
    result = run("relativize", mirror, "--layout", "wget", "--in-place", "--no-journal")
    assert result.exit_code == 0, result.output
    made = read(mirror)
    assert made["a.example/index.html"] == '<a href="../b.example/p.html">b</a><a href="https://c.example/">c</a>'
    assert made["b.example/p.html"] == (
        '<a href="../a.example/index.html">a</a><img src="../a.example/i.png%3Fx=1"><a href="http://a.example/?q">q</a>'
    )


def test_a_map_of_urls(tmp_path):
    pages = {"one.html": '<a href="https://h.example/2?x">2</a>', "d/two.html": '<a href="https://h.example/1">1</a>'}
    write(tmp_path / "s", pages)
    table = tmp_path / "urls.csv"
    table.write_text("path,url\none.html,https://h.example/1\nd/two.html,https://h.example/2?x\n")
    run("relativize", tmp_path / "s", "--url-map", table, "-o", tmp_path / "out")
    made = read(tmp_path / "out")
    assert made == {"one.html": '<a href="d/two.html">2</a>', "d/two.html": '<a href="../one.html">1</a>'}


def test_the_mark_of_a_saver_tells_the_url(tmp_path):
    mark = "<!-- saved from url=(0024)https://h.example/a.html -->"
    write(tmp_path / "s", {"x.html": f"{mark}<p>", "y.html": f"{mark.replace('a.html', 'b.html')}<a href=a.html#f>"})
    run("relativize", tmp_path / "s", "-o", tmp_path / "out")
    assert read(tmp_path / "out")["y.html"].endswith("<a href=x.html#f>")


def test_a_single_page_has_relative_urls(tmp_path):
    page = (
        write(tmp_path, {"page.html": '<a href="https://h.example/x/?q">x</a><a href="//o.example/">o</a>'})
        / "page.html"
    )
    expected = '<a href="../x/?q">x</a><a href="https://o.example/">o</a>'
    assert run("relativize", page, "--url", "https://h.example/a/b").stdout == expected
    assert run("relativize", "-", "--url", "https://h.example/a/b", stdin=page.read_bytes()).stdout == expected


def test_a_single_file_of_a_folder(site):
    made = run("relativize", site / "docs" / "a.html", "--root-url", "https://h.example/docs/").stdout
    assert made.startswith('<a href="http://h.example/">h</a><a href="#x">x</a><a href="index.html">i</a>')


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("b%2C.png", "b%2C.png"),
        ("%62,.png?q#f", "%62,.png?q#f"),
        ("./b,.png", "./b,.png"),
        ("../docs/b,.png", "b,.png"),  # a way through other folders becomes short
        ("\u00e9.png", "\u00e9.png"),
        ("%c3%a9.png", "%c3%a9.png"),
        ("x/../b%2c.png?a b", "x/../b%2c.png?a b"),
        ("..", "../index.html"),
        ("../../docs/b%2C.png", "b,.png"),  # as a path, it leads out of the folder
        ("..%2Fdocs/b,.png", "https://h.example/docs/..%2Fdocs/b,.png"),
        ("/docs/b%2C.png", "b,.png"),
        ("..\\docs\\b%2C.png", "b,.png"),
        ("//h.example/docs/b%2C.png", "b,.png"),
        ("sub%2Fc.png", "sub/c.png"),
    ],
)
def test_a_relative_link_to_the_file_stays(tmp_path, reference, expected):
    page = '<meta charset=utf-8><a href="{}">'
    files = {"index.html": "", "docs/b,.png": "", "docs/\u00e9.png": "", "docs/sub/c.png": ""}
    write(tmp_path / "s", {**files, "docs/p.html": page.format(reference)})
    run("relativize", tmp_path / "s", *ROOT, "-o", tmp_path / "out")
    assert (tmp_path / "out" / "docs" / "p.html").read_text(encoding="utf-8") == page.format(expected)


@pytest.mark.parametrize("link", ["q?a=%C3%A9.html", "q%3Fa=%C3%A9.html", "/q?a=%C3%A9.html"])
def test_a_question_mark_in_a_name_is_read_in_both_ways(tmp_path, link):
    write(tmp_path / "s", {"q?a=\u00e9.html": "", "p.html": f'<a href="{link}"><a href="q?b"><a href="q">'})
    run("relativize", tmp_path / "s", *ROOT, "-o", tmp_path / "out")
    assert (tmp_path / "out" / "p.html").read_text() == (
        '<a href="q%3Fa=%C3%A9.html"><a href="https://h.example/q?b"><a href="https://h.example/q">'
    )
    audit = run("audit", tmp_path / "s", "--root-url", "https://h.example/").stdout
    assert audit.count(" error LF101 ") == 2, audit  # "q?b" and "q" are broken, and the link to the file is not


def test_the_base_element_decides_what_a_relative_link_leads_to(tmp_path):
    page = '<base href="{}"><a href="p%2C.html"><a href="docs/p%2C.html">'
    write(tmp_path / "s", {"docs/a.html": page.format("/"), "docs/p,.html": ""})
    made = run("relativize", tmp_path / "s", *ROOT, "-o", tmp_path / "out")
    assert made.exit_code == 0
    assert (tmp_path / "out" / "docs" / "a.html").read_text() == (
        '<base><a href="https://h.example/p%2C.html"><a href="p,.html">'
    )


def test_files_without_a_known_url_are_a_mistake(tmp_path):
    write(tmp_path / "s", {"a.html": "<a href=b.html>"})
    result = run("relativize", tmp_path / "s", "--dry-run")
    assert result.exit_code == 2
    assert "give --root-url URL, --url-map FILE or --layout" in result.stderr


def test_archives_stay_as_they_are(tmp_path):
    archive = FIXTURES / "saved" / "chromium" / "foreign.mhtml"
    write(tmp_path / "s", {"a.html": "", "b.mhtml": archive.read_bytes()})
    result = run("relativize", tmp_path / "s", *ROOT, "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert (tmp_path / "out" / "b.mhtml").read_bytes() == archive.read_bytes()
    assert "archives and messages: 1 file stays as it is\n" in result.stderr
    (tmp_path / "s" / "a.html").replace(tmp_path / "s" / "c.mht")
    (tmp_path / "s" / "c.mht").write_bytes(archive.read_bytes())
    for preview in ("--dry-run", "--diff"):
        lines = run("relativize", tmp_path / "s", *ROOT, preview).stderr.splitlines()
        assert lines[:2] == [
            "there is no file here that linkfix converts: pages, style sheets and feeds (.html, .css, .svg, .rss, ...)",
            "archives and messages: 2 files stay as they are",
        ]
    assert "archives and messages: " not in run("absolutize", tmp_path / "s", *ROOT, "--dry-run").stderr


MAIL = b'MIME-Version: 1.0\nContent-Type: text/html\n\n<a href="https://h.example/p/x">x</a>\n'
HTTP = b'HTTP/1.1 200 OK\nContent-Type: text/html\n\n<a href="https://h.example/p/x">x</a>\n'


@pytest.mark.parametrize(("name", "content"), [("e.eml", MAIL), ("mail", MAIL), ("p.http", HTTP)])
@pytest.mark.parametrize(
    "output", [[], ["-o", "-"], ["-o", "new.eml"], ["-o", "out/"], ["-i"], ["--diff"], ["--dry-run"]]
)
@pytest.mark.parametrize(
    "command",
    [
        ["relativize"],
        ["relativize", "--url", "https://h.example/p/"],
        ["move", "--from", "https://h.example/", "--to", "https://n.example/"],
        ["move", "--from", "https://h.example/", "--to", "https://n.example/", "--url", "https://h.example/p/"],
    ],
)
def test_a_single_archive_or_message_is_refused(tmp_path, monkeypatch, name, content, output, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    made = run(*command, name, *output)
    assert (made.exit_code, made.stdout) == (2, "")
    said = f"{name} is an archive or a message, and 'linkfix {command[0]}' rewrites none: give a page or a folder"
    assert said in made.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("output", [[], ["-o", "-"], ["-o", "new.eml"]])
@pytest.mark.parametrize(
    "command", [["relativize"], ["move", "--from", "https://h.example/", "--to", "https://n.example/"]]
)
def test_an_archive_or_message_from_standard_input_is_refused(tmp_path, monkeypatch, output, command):
    monkeypatch.chdir(tmp_path)
    made = run(*command, "-", "--url", "https://h.example/p/", *output, stdin=MAIL)
    assert (made.exit_code, made.stdout) == (2, "")
    assert f"(standard input) is an archive or a message, and 'linkfix {command[0]}' rewrites none" in made.stderr
    assert list(tmp_path.iterdir()) == []
    given = run(*command, "-", "--url", "https://h.example/p/", "--media-type", "text/html", *output, stdin=MAIL)
    assert given.exit_code == 0


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("a:b.html", "./a:b.html"),
        ("a#b.html", "a%23b.html"),
        ("a?b.html", "a%3Fb.html"),
        ("50%.html", "50%25.html"),
        ("ü.html", "%C3%BC.html"),
        ("javascript:alert(1).html", "./javascript:alert(1).html"),
        ('a"b&amp.html', "a%22b&amp;amp.html"),
    ],
)
def test_names_of_files_are_escaped(tmp_path, name, reference):
    write(tmp_path / "s", {name: ""})
    table = tmp_path / "urls.csv"
    quoted = name.replace('"', '""')
    table.write_text(f'path,url\n"{quoted}",https://h.example/x\np.html,https://h.example/p\n', encoding="utf-8")
    write(tmp_path / "s", {"p.html": '<a href="https://h.example/x">'})
    made = run("relativize", tmp_path / "s" / "p.html", "--url-map", table)
    assert made.stdout == f'<a href="{reference}">', made.stderr


def test_no_link_leads_out_of_the_folder(tmp_path):
    references = ("https://h.example/../secret.html", "/%2e%2e/secret.html", "https://h.example/..%2Fsecret.html")
    html = "".join(f'<a href="{one}">' for one in references)
    write(tmp_path, {"secret.html": "", "s/p.html": html})
    made = run("relativize", tmp_path / "s" / "p.html", *ROOT).stdout
    assert "secret.html" in made
    assert 'href="..' not in made
