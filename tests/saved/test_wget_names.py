"""Names of wget 1.21 and wget2 1.99, as they were seen: `wget -r -E -K -k` of a site whose pages have no suffix."""

from __future__ import annotations

import pytest
from support.running import run

#: http://www.example.com:8766/ links to d/redir, which redirects, and to d/page; each links to /x and /.
SITE = {
    "index.html": b'<a href="d/redir.html">r</a><a href="d/page.html">p</a>',
    "index.html.orig": b"<a href=d/redir>r</a><a href=d/page>p</a>",
    "x.html": b'<a href="index.html">h</a>',
    "x.orig": b"<a href=/>h</a>",
    "d/redir.html": b'<a href="../x.html">x</a><a href="../index.html">h</a>',
    "d/redir.orig": b"<a href=../x>x</a><a href=/>h</a>",
    "d/page.html": b'<a href="../x.html">x</a><a href="redir.html#f">r</a>',
    "d/page.orig": b"<a href=../x>x</a><a href=redir#f>r</a>",
}


@pytest.fixture
def mirror(tmp_path):
    def make(host="www.example.com:8766", site=SITE):
        for name, data in site.items():
            path = tmp_path / "in" / host / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return tmp_path / "in"

    return make


@pytest.mark.parametrize("layout", ["wget", "auto"])
def test_the_original_tells_the_url_of_a_page(mirror, tmp_path, layout):
    folder = mirror()
    assert run("absolutize", folder, "--layout", layout, "-o", tmp_path / "out").exit_code == 0
    made = {name: (tmp_path / "out/www.example.com:8766" / name).read_bytes() for name in SITE}
    at = b"http://www.example.com:8766"
    assert made["index.html"] == b'<a href="%s/d/redir">r</a><a href="%s/d/page">p</a>' % (at, at)
    assert made["d/redir.html"] == b'<a href="%s/x">x</a><a href="%s/">h</a>' % (at, at)
    assert made["d/page.html"] == b'<a href="%s/x">x</a><a href="%s/d/redir#f">r</a>' % (at, at)
    assert {name for name in SITE if name.endswith(".orig") and made[name] != SITE[name]} == set()


@pytest.mark.parametrize(
    ("names", "url"),
    [
        (["a.html"], "/a.html"),
        (["a.html", "a.orig"], "/a"),
        (["a.html", "a.html.orig"], "/a.html"),
        (["a.html", "a.orig", "a.html.orig"], "/a.html"),
        (["a.HTML", "A.orig"], "/a"),
        ([".html", ".orig"], "/.html"),
    ],
)
def test_which_file_is_the_original(mirror, names, url):
    folder = mirror("www.example.com", dict.fromkeys(names, b"<p>"))
    shown = run("base", folder / "www.example.com" / names[0], "--layout", "wget").stdout
    assert f"http://www.example.com{url}\n" in shown.replace("  ", "\n")


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ("http://www.example.com:8766/", "http://www.example.com:8766/d/"),
        ("https://u:p@www.example.com:8766/", "https://www.example.com:8766/d/"),
        ("http://other.example:8766/", "http://www.example.com/d/"),
    ],
)
def test_wget2_leaves_out_the_port(mirror, root, expected):
    folder = mirror("www.example.com", {"d/index.html": b"<a href=y>y</a>"})
    made = run("absolutize", folder / "www.example.com", "--root-url", root, "--layout", "wget", "--diff")
    assert f"+<a href={expected}y>" in made.stdout
