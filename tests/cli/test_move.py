"""`linkfix move`: links of a site that moves."""

from __future__ import annotations

import re

import pytest
from support.running import run

FROM_TO = ("--from", "https://old.example/docs/", "--to", "https://new.example/")
ROOT = ("--root-url", "https://old.example/docs/")


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    files = {
        "index.html": '<link rel=canonical href="https://old.example/docs/"><meta property=og:image '
        'content="/docs/i.png"><a href="/docs/a.html">a</a><a href="../b">b</a><a href=a.html>a</a>'
        '<img data-src="//old.example/docs/i.png">',
        "sub/a.css": "a { background: url(/docs/i.png) } b { background: url(../i.png) }",
        "sitemap.xml": '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>'
        "<loc>https://old.example/docs/a.html</loc></url></urlset>",
        "robots.txt": "User-agent: *\nSitemap: https://old.example/docs/sitemap.xml\n",
        "app.webmanifest": '{"start_url": "https://old.example/docs/?app"}',
        "README.md": "[a](https://old.example/docs/a.html) [b](a.html)\n",
        "app.js": 'fetch("https://old.example/docs/api")',
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def read(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_every_kind_of_file_moves(site, tmp_path):
    result = run("move", site, *ROOT, *FROM_TO, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert read(tmp_path / "out") == {
        "index.html": '<link rel=canonical href="https://new.example/"><meta property=og:image content="/i.png">'
        '<a href="/a.html">a</a><a href="https://old.example/b">b</a><a href=a.html>a</a>'
        '<img data-src="//new.example/i.png">',
        "sub/a.css": "a { background: url(/i.png) } b { background: url(../i.png) }",
        "sitemap.xml": '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>'
        "<loc>https://new.example/a.html</loc></url></urlset>",
        "robots.txt": "User-agent: *\nSitemap: https://new.example/sitemap.xml\n",
        "app.webmanifest": '{"start_url": "https://new.example/?app"}',
        "README.md": "[a](https://new.example/a.html) [b](a.html)\n",
        "app.js": 'fetch("https://old.example/docs/api")',
    }


def test_in_place_and_undone(site):
    before = read(site)
    assert " moved, " in run("move", site, *ROOT, *FROM_TO, "--in-place").stderr
    assert read(site) != before
    assert run("undo", site).exit_code == 0
    assert read(site) == before


def test_without_the_url_of_the_folder_only_absolute_links_move(site, tmp_path):
    result = run("move", site, *FROM_TO, "-o", tmp_path / "out")
    made = (tmp_path / "out" / "index.html").read_text()
    assert '<link rel=canonical href="https://new.example/">' in made
    assert '<a href="/docs/a.html">' in made
    assert "[no-base]" in result.stderr
    assert "--root-url" in result.stderr


def test_old_urls_that_stay_are_reported(tmp_path):
    page = tmp_path / "p.html"
    page.write_text(
        '<a href="https://old.example/docs/">x</a>\n<a href="http://old.example/docs/">y</a>\n'
        '<script>u = "https:\\/\\/old.example\\/docs\\/x"</script> old.example/docs2 a@old.example\n'
    )
    result = run("move", page, *FROM_TO)
    assert places(result, "old-url-left") == ["2:17", "3:24"]
    assert run("move", page, *FROM_TO, "--strict", "-o", tmp_path / "q.html").exit_code == 1


def places(result, code):
    """The lines and columns of the problems with a code."""
    return re.findall(rf"^[^ ]+?:(\d+:\d+): [^\n]* \[{code}\]$", result.stderr, re.MULTILINE)


def test_many_old_urls_are_named_on_request(tmp_path):
    page = tmp_path / "p.html"
    text = "<!-- https://old.example/docs/é https://old.example/docs/ -->\n" * 3
    page.write_text("<meta charset=utf-8>\n" + text, encoding="utf-8")
    assert places(run("move", page, *FROM_TO, "-v"), "old-url-left") == [
        f"{line}:{column}" for line in (2, 3, 4) for column in (14, 41)
    ]
    short = run("move", page, *FROM_TO).stderr
    assert "p.html:2:14: " in short
    assert ", and 5 more like it, the last in line 4 [old-url-left]" in short
    assert ": 6 old-url-left" in short


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ('<meta http-equiv=Content-Security-Policy content="img-src https://old.example">', ["1:67"]),
        ('<meta content="img-src old.example" http-equiv=content-security-policy>', ["1:24"]),
        ('<meta content="img-src old.example new.example" http-equiv=content-security-policy>', []),
        ('<meta http-equiv=content-security-policy content="img-src *.old.example">', []),
        ('<meta name=description content="img-src https://old.example">', []),
    ],
)
def test_a_policy_with_the_old_host_is_reported(tmp_path, policy, expected):
    page = tmp_path / "p.html"
    page.write_text(policy)
    assert places(run("move", page, *FROM_TO), "old-url-in-policy") == expected
    same_host = ("--from", "https://old.example/docs/", "--to", "https://old.example/manual/")
    assert " 0 problems" in run("move", page, *same_host).stderr


def test_a_new_url_in_the_old_folder_is_no_old_url(tmp_path):
    page = tmp_path / "p.html"
    page.write_text('<a href="https://o.example/docs/x">x</a>')
    result = run("move", page, "--from", "https://o.example/docs/", "--to", "https://o.example/docs/v2/")
    assert result.stdout == '<a href="https://o.example/docs/v2/x">x</a>'
    assert " 0 problems" in result.stderr


def test_a_table_of_moves(tmp_path):
    page, table = tmp_path / "p.html", tmp_path / "moves.csv"
    page.write_text('<a href="https://o.example/a/1"><a href="https://o.example/a/b/2"><a href="https://p.example/">')
    table.write_text(
        "to,note,from\nhttps://n.example/a/,x,https://o.example/a/\n\nhttps://n.example/ab/,,https://o.example/a/b/\n"
    )
    result = run("move", page, "--moves", table, "--from", "https://p.example/", "--to", "https://q.example/")
    assert result.stdout == (
        '<a href="https://n.example/a/1"><a href="https://n.example/ab/2"><a href="https://q.example/">'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", r"moves\.csv:1: the columns from and to are missing"),
        ("from,to,From\na,b,c\n", r"moves\.csv:1: the columns from and to are there more than once: name each once"),
        ("from,to,to\na,b,c\n", r"moves\.csv:1: the columns from and to are there more than once"),
        ("from,to\nhttps://o.example/\n", r"moves\.csv:2: the row has too few cells"),
        ("from,to\nhttps://o.example/,docs/\n", r"moves\.csv:2: 'docs/' cannot move"),
        ('from,to\n\n"', r"moves\.csv:3: not CSV"),
        (b"from,to\n\xff", r"moves\.csv:2: not UTF-8"),
        ("from,to\nmailto:a@o.example,https://n.example/\n", r"moves\.csv:2: 'mailto:a@o\.example' cannot move"),
        (
            "from,to\nhttps://o.example/~a,https://n.example/\n\nhttps://o.example/%7Ea/,https://m.example/\n",
            r"csv:4: https://o\.example/%7Ea moves to https://m\.example, and in \S+moves\.csv:2 to \S+: give one",
        ),
        ("from,to\n", r"moves\.csv has no move"),
    ],
)
def test_wrong_tables(tmp_path, text, message):
    page, table = tmp_path / "p.html", tmp_path / "moves.csv"
    page.write_text("")
    table.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run("move", page, "--moves", table)
    assert result.exit_code == 2
    assert re.search(message, result.stderr), result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no URL moves: give --from URL and --to URL, or --moves FILE"),
        (("--from", "https://o.example/"), "--from and --to belong together"),
        (("--from", "o.example", "--to", "https://n.example/"), "'o.example' cannot move"),
        (("--from", "https://u:secret@o.example/", "--to", "https://n.example/"), "cannot move"),
    ],
)
def test_wrong_moves(tmp_path, arguments, message):
    page = tmp_path / "p.html"
    page.write_text("")
    for path in (page, tmp_path):  # a folder without --output is another mistake, which comes later
        result = run("move", path, *arguments)
        assert result.exit_code == 2
        assert message in result.stderr
    assert "secret" not in result.stderr
