"""LF704: files that nothing in the tree refers to."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, write

from linkfix.auditing import AuditOptions, audit, audit_sites, unused

PAGE = '<link rel=stylesheet href="style.css">'


def unused_in(tmp_path, files, **fields):
    found = audited(tmp_path, files, select=("LF704",), **fields)
    return [one.path for one in found.findings]


def test_it_is_opt_in(tmp_path):
    assert audited(tmp_path, {"index.html": "", "a.png": ""}).findings == ()


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("a.png", {"index.html": "<img src=a.png>"}),
        ("a.png", {"index.html": '<img srcset="b.png 1x, a.png 2x">'}),
        ("a.png", {"index.html": "<template><img src=a.png></template>"}),
        ("a.png", {"index.html": "<meta property=og:image content=https://site.example/a.png>"}),
        ("a.png", {"index.html": '<div data-lazy="a.png">'}),
        ("a.png", {"index.html": "<noscript><img src=a.png></noscript>"}),
        ("a.png", {"index.html": PAGE, "style.css": "p { background: url(a.png) }"}),
        ("b.css", {"index.html": PAGE, "style.css": '@import "b.css";'}),
        ("a.svg", {"index.html": "<style>@font-face { src: url(a.svg) format('svg') }</style>"}),
        ("a.png", {"index.html": "<script src=x.js></script>", "x.js": 'const a = "/a.png"'}),
        ("a.png", {"index.html": "<script>load('a.png')</script>"}),
        ("b.js", {"index.html": "<script type=module src=x.js></script>", "x.js": 'import "./b.js"'}),
        ("a.png", {"x.json": '{"image": "img\\/a.png"}'}),
        ("img/a.png", {"x.json": '["img\\/a.png"]'}),
        ("a.png", {"site.webmanifest": '{"icons": [{"src": "a.png"}]}'}),
        ("a.mp3", {"feed.xml": '<rss version="2.0"><channel><item><enclosure url="a.mp3"/></item></channel></rss>'}),
        ("a.pdf", {"sitemap.xml": "<urlset><url><loc>https://site.example/a.pdf</loc></url></urlset>"}),
        ("a.pdf", {"_redirects": "/old.pdf /a.pdf 301"}),
        ("a b.pdf", {"index.html": '<a href="a%20b.pdf">x</a>'}),
        ("a b.pdf", {"x.json": '{"file": "a%20b.pdf"}'}),
        ("größe.pdf", {"x.js": 'open("größe.pdf")'}),
        ("größe.pdf", {"x.js": 'open("gr%C3%B6%C3%9Fe.pdf")'}),
        ("Logo.PNG", {"index.html": "<img src=logo.png>"}),
        ("files/a.zip", {"index.html": '<a href="files/">all files</a>'}),
        ("img/1.png", {"index.html": "<script src=x.js></script>", "x.js": 'const p = "img/" + n + ".png"'}),
        ("img/1.png", {"x.js": "const p = `img/${n}.png`"}),
        ("js/about.a1b2c3d4.js", {"x.js": '({1: "about"})[e] + "." + ({1: "a1b2c3d4"})[e] + ".js"'}),
        ("a.js", {"index.html": "<script>navigator.serviceWorker.register('/a.js')</script>"}),
    ],
)
def test_what_is_used(tmp_path, name, files):
    assert name not in unused_in(tmp_path, {name: "", **files})


@pytest.mark.parametrize(
    "name",
    """
    index.html a/index.html page.html 404.html robots.txt sitemap.xml sitemap-2.xml.gz favicon.ico ads.txt llms.txt
    CNAME apple-touch-icon-precomposed.png .well-known/security.txt .nojekyll _redirects _headers netlify.toml
    vercel.json firebase.json .htaccess a/.htaccess web.config sw.js service-worker.js objects.inv feed.xml LICENSE
    fonts/LICENSE.txt fonts/OFL.txt README.md docs/a.md node_modules/a/b.js 0123456789abcdef0123456789abcdef.txt
    """.split(),
)
def test_what_needs_no_reference(tmp_path, name):
    content = '<rss version="2.0"></rss>' if name == "feed.xml" else ""
    assert unused_in(tmp_path, {name: content}) == []


@pytest.mark.parametrize("name", ["a.png", "a/robots.txt", "old.css", "x.js", "a/b.json", "CNAME/x.bin", "a.svg"])
def test_what_is_unused(tmp_path, name):
    assert unused_in(tmp_path, {"index.html": "<p>nothing</p>", name: ""}) == [name]


def test_a_file_does_not_use_itself(tmp_path):
    assert unused_in(tmp_path, {"x.js": "// x.js, by me"}) == ["x.js"]


def test_a_common_name_in_a_page_counts_in_its_folder(tmp_path):
    files = {"index.html": PAGE, "style.css": "", "old/style.css": "", "new/style.css": ""}
    files["a.html"] = "<template><link rel=stylesheet href=new/style.css></template>"
    assert unused_in(tmp_path, files) == ["old/style.css"]


def test_a_common_name_in_a_page_counts_in_the_folder_of_the_page(tmp_path):
    html = "<template><img src=thumb.png></template>"
    files = {f"{folder}index.html": html for folder in ("", "a/", "a/b/")}
    files |= {f"{folder}thumb.png": "" for folder in ("", "a/", "a/b/", "c/")}
    assert unused_in(tmp_path, files) == ["c/thumb.png"]


def test_a_common_name_in_a_script_counts_anywhere(tmp_path):
    files = {"index.html": PAGE + "<script src=x.js></script>", "style.css": "", "old/style.css": ""}
    assert unused_in(tmp_path, files | {"x.js": 'folder + "style.css"'}) == []


@pytest.mark.parametrize("suffix", [".map", ".gz", ".br"])
def test_files_beside_another(tmp_path, suffix):
    files = {"index.html": PAGE, "style.css": "", f"style.css{suffix}": "", "old.css": "", f"old.css{suffix}": ""}
    assert unused_in(tmp_path, files) == ["old.css", f"old.css{suffix}"]


def test_sizes_and_groups(tmp_path):
    files = {"index.html": "", "old/a.bin": b"x" * 1500, "old/b/c.bin": b"x" * 500, "a.bin": b"xy", "d/e.bin": b""}
    files["d/index.html"] = ""
    found = audited(tmp_path, files, select=("LF704",))
    assert {one.path: one.message.partition("(")[2] for one in found.findings} == {
        "a.bin": "2 bytes)",
        "d/e.bin": "0 bytes)",
        "old/a.bin": "1,500 bytes)",
        "old/b/c.bin": "500 bytes)",
    }
    assert {cause.text for cause in found.causes} == {"a.bin", "d/e.bin", "old/: 2 files, 2.0 kB"}


def test_patterns_choose_files(tmp_path):
    files = {"index.html": "", "a.bin": "", "b/c.bin": ""}
    assert unused_in(tmp_path, files, exclude=("b/",)) == ["a.bin"]
    assert unused_in(tmp_path, files, include=("b/",)) == ["b/c.bin"]


def test_a_page_that_is_not_checked_uses_files(tmp_path):
    files = {"index.html": "", "b/page.html": "<img src=../a.png>", "a.png": ""}
    assert unused_in(tmp_path, files, exclude=("b/",)) == []


@pytest.mark.parametrize("before", [1 << 20, (1 << 20) - 4, (1 << 20) - 9, 3 << 20])
def test_a_large_file_is_read_in_blocks(tmp_path, before):
    files = {"x.js": " " * before + '"large.png"', "large.png": "", "other.png": ""}
    assert unused_in(tmp_path, files) == ["other.png", "x.js"]


def test_binary_files_are_not_searched(tmp_path):
    assert unused_in(tmp_path, {"x.bin": b"\0a.png", "a.png": ""}) == ["a.png", "x.bin"]


def test_no_file_is_read_if_nothing_is_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(unused, "open_file", pytest.fail)
    assert unused_in(tmp_path, {"index.html": PAGE, "style.css": ""}) == []


def test_several_folders(tmp_path):
    roots = [write(tmp_path / name, {"index.html": "", f"{name}.bin": ""}) for name in ("one", "two")]
    found = audit_sites(roots, AuditOptions(select=("LF704",)))
    assert [one.path for one in found.findings] == ["one/one.bin", "two/two.bin"]


def test_an_orphan_is_another_rule(tmp_path):
    found = audit(write(tmp_path, {"index.html": "", "a.html": ""}), AuditOptions(select=("LF110", "LF704")))
    assert [(one.code, one.path) for one in found.findings] == [("LF110", "a.html")]
