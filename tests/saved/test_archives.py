"""Pages of web archives: their own URL in the archive, or no more than a guess that is named as one."""

from __future__ import annotations

import json

import pytest
from support.growth import processor_limit
from support.running import run

from linkfix import Document, Envelope, Layer
from linkfix.files import FileTree
from linkfix.saved import Retrieval

ARCHIVE = "https://web.archive.org/web/20180707155901"
#: The Wayback Machine's form from 2016 to 2018: without a slash after "web", with the host alone.
SCRIPT = (
    '<script type="text/javascript" src="/static/js/ait-client-rewrite.js" charset="utf-8"></script>\n'
    '<script type="text/javascript">\n'
    "WB_wombat_Init('https://web.archive.org/web', '20180707155901', 'h.example:80');\n"
    "</script>\n<script type=\"text/javascript\">\n__wbhack.init('https://web.archive.org/web');\n</script>\n"
)
END = (
    "<!--\n     FILE ARCHIVED ON 15:59:01 Jul 07, 2018 AND RETRIEVED FROM THE\n     INTERNET ARCHIVE ON 21:11:30.\n-->"
)


def page(head="", body='<a href="x">x</a>'):
    return f"<!DOCTYPE html>\n<html><head>{SCRIPT}{head}</head><body>{body}</body></html>\n{END}"


def read(text, tree=None, **options):
    """The document of a page, and the codes of the problems of its URL's sources."""
    data = text.encode()
    envelope, problems = Retrieval(**options).envelope(tree, "page.html", data, "text/html")
    return Document(data, envelope=envelope), [problem.code for problem in problems]


# Scripts that state the host alone

REWRITTEN = [
    (f'<link rel="canonical" href="{ARCHIVE}/https://h.example/d/p">', "link rel=canonical"),
    (f'<link href="{ARCHIVE}/https://H.EXAMPLE/d/p" rel="canonical" />', "link rel=canonical"),
    ('<link rel="canonical" href="/web/20180707155901/https://h.example/d/p">', "link rel=canonical"),
    ('<link rel="canonical" href="//web.archive.org/web/20180101000000/https://h.example/d/p">', "link rel=canonical"),
    (f'<meta property="og:url" content="{ARCHIVE}/https://h.example:443/d/p">', "og:url"),
    (f'<base href="{ARCHIVE}/https://h.example/d/">', "BASE"),
    ('<base href="/web/20180707155901/https://h.example/d/">', "BASE"),
    (
        (
            f'<link rel="canonical" href="{ARCHIVE}/https://other.example/d/p">'
            f'<meta property="og:url" content="{ARCHIVE}/https://h.example/d/p">'
        ),
        "og:url",
    ),
]


@pytest.mark.parametrize(("head", "place"), REWRITTEN)
def test_rewritten_links_complete_the_url(head, place):
    document, problems = read(page(head))
    base = document.base
    target = document.links[-1].target
    assert target.lower().replace(":443", "") == f"{ARCHIVE}/https://h.example/d/x"
    stated = base.where if base.layer is Layer.RETRIEVAL else base.rejected[0].where
    assert stated.startswith(f"the Wayback Machine's mark in line 4, column 1, and {place}, line ")
    assert problems == []


NOT_ITS_OWN = [
    "",
    f'<link rel="canonical" href="{ARCHIVE}/https://other.example/d/p">',
    f'<!-- <link rel="canonical" href="{ARCHIVE}/https://h.example/d/p"> -->',
    f'<link rel="alternate" href="{ARCHIVE}/https://h.example/d/p">',
    '<link rel="canonical" href="/d/p">',
    '<link rel="canonical" href="https://h.example/d/p"><meta property="og:url" content="https://h.example/d/p">',
    f'<link rel="canonical" href="{ARCHIVE}/http://[h.example/d/p">',
]


TRACES = [
    END,
    "<!-- BEGIN WAYBACK TOOLBAR INSERT -->",
    '<script>archive_analytics.values.server_name="wwwb-app13.us.archive.org";</script>',
    '<script>__wm.init("https://web.archive.org/web");</script>',
    "<script>__wbhack.init('https://web.archive.org/web');</script>",
    "<!-- WB Insert -->",
]


@pytest.mark.parametrize("trace", TRACES)
def test_other_traces_of_an_archive(trace):
    canonical = f'<link rel="canonical" href="{ARCHIVE}/https://h.example/d/p"><a href="x">x</a>'
    assert read(f"<html>{canonical}{trace}")[0].links[-1].target == f"{ARCHIVE}/https://h.example/d/x"
    assert read(f"<html>{canonical}")[0].links[-1].target is None
    assert read(f"<html>{canonical}", trust_canonical=True)[0].links[-1].target == f"{ARCHIVE}/https://h.example/d/x"


TRACES_ELSEWHERE = [
    "<p>FILE ARCHIVED ON 15:59:01",
    f"<script>var s = `{END}`;</script>",
    f"<p title='{END}'>",
    f"<textarea>{END}</textarea>",
    "<!-- Our FILE ARCHIVED ON -->",
    '<pre>__wm.init("https://web.archive.org/web");</pre>',
    '<!-- <script>__wm.init("https://web.archive.org/web");</script> -->',
    "<p>_WBWombatInit",
]


@pytest.mark.parametrize("trace", TRACES_ELSEWHERE)
def test_traces_are_used_only_in_their_places(trace):
    text = f'<html><link rel="canonical" href="{ARCHIVE}/https://h.example/d/p"><a href="x">x</a>{trace}'
    document, problems = read(text)
    assert (document.base.url, document.base.rejected, problems) == (None, (), [])


@pytest.mark.parametrize("head", NOT_ITS_OWN)
def test_a_guess_is_used_only_with_the_option(head):
    document, problems = read(page(head))
    assert (document.base.url, problems) == (None, [])
    (lost,) = document.base.rejected
    assert lost == (
        Layer.RETRIEVAL,
        f"{ARCHIVE}/http://h.example:80/",
        "a guess: the Wayback Machine's mark in line 4, column 1 states only the host",
        "a guess, used only with --trust-canonical",
        lost.start,
    )
    assert document.links[-1].problem == "no-base"


def test_a_used_guess_is_named_a_guess():
    document, problems = read(page(), trust_canonical=True)
    assert (document.base.url, document.base.layer) == (f"{ARCHIVE}/http://h.example:80/", Layer.RETRIEVAL)
    assert document.base.where.startswith("a guess: ")
    assert problems == []
    elsewhere = page('<link rel="canonical" href="https://other.example/d/p">')
    assert read(elsewhere, trust_canonical=True)[0].base.url == "https://other.example/d/p"


def test_a_guess_comes_after_every_source_but_the_tree(tmp_path):
    tree = FileTree(str(tmp_path.resolve()), "https://tree.example/")
    assert read(page(), tree)[0].base.url == "https://tree.example/page.html"
    document, problems = read(page(), tree, trust_canonical=True)
    assert (document.base.url, problems) == (f"{ARCHIVE}/http://h.example:80/", [])
    document, problems = read(page(), url="https://given.example/", trust_canonical=True)
    assert (document.base.url, problems) == ("https://given.example/", [])


BODY = (
    '<a href="/web/20180707155901/http://h.example/a">a</a><img src="/logo.png"><img src="//c.example/b"><a href="x">'
)


def test_links_that_the_archive_rewrote_need_no_guess(tmp_path):
    rewritten, root = f"{ARCHIVE}/http://h.example/a", "https://web.archive.org/logo.png"
    assert [(link.target, link.problem) for link in read(page(body=BODY))[0].links[-4:]] == [
        (rewritten, None),
        (root, None),
        ("https://c.example/b", None),
        (None, "no-base"),
    ]
    tree = FileTree(str(tmp_path.resolve()), "https://tree.example/d/")
    assert [link.target for link in read(page(body=BODY), tree)[0].links[-4:]] == [
        rewritten,
        "https://tree.example/logo.png",
        "https://c.example/b",
        "https://tree.example/d/x",
    ]


# Without any script of the archive

#: A link of each archive -> the URL of the page in it.
CAPTURES = {
    "https://web.archive.org/web/20180707155901/https://h.example/p": "",
    "//web.archive.org/web/20180707155901/https://h.example/p": "https://web.archive.org/web/20180707155901/https://h.example/p",
    "https://arquivo.pt/noFrame/replay/20150101000000mp_/http://h.example/p?q=/r": (
        "https://arquivo.pt/noFrame/replay/20150101000000/http://h.example/p?q=/r"
    ),
    "https://www.webarchive.org.uk/wayback/archive/20200101000000/http://h.example/": "",
    "https://webarchive.loc.gov/all/20180101000000/http://h.example:80/p": "",
    "https://swap.stanford.edu/was/20230101000000mp_/http://h.example/p": (
        "https://swap.stanford.edu/was/20230101000000/http://h.example/p"
    ),
    "https://wayback.archive-it.org/1234/20190101000000id_/https://h.example/p": (
        "https://wayback.archive-it.org/1234/20190101000000/https://h.example/p"
    ),
}


@pytest.mark.parametrize(("stated", "url"), CAPTURES.items())
def test_a_canonical_link_into_an_archive(stated, url):
    text = f'<html><head><!-- End Wayback Rewrite JS Include --><link rel="canonical" href="{stated}"><a href="x">x</a>'
    document, problems = read(text)
    assert (document.base.url, problems) == (url or stated, [])
    assert document.base.where == "link rel=canonical, line 1, column 80, which an archive rewrote"


@pytest.mark.parametrize(
    "url",
    [
        "https://h.example/20180707155901/p",
        "https://h.example/web/2018/https://h.example/p",
        "/web/20180707155901/https://h.example/p",
        "https://h.example/?u=/20180707155901/https://h.example/p",
        "https://web.archive.org/web/20180707155901/ftp://h.example/p",
    ],
)
def test_other_canonical_links_do_not_count(url):
    assert read(f'<html>{END}<link rel="canonical" href="{url}"><a href="x">x</a>')[0].base.url is None


def test_a_site_that_was_restored_from_an_archive_has_its_own_url(tmp_path):
    tree = FileTree(str(tmp_path.resolve()), "https://tree.example/")
    text = f'<html>{END}<link rel="canonical" href="{ARCHIVE}/https://h.example/p"><a href="x">'
    document, problems = read(text, tree)
    assert document.base.url == "https://tree.example/page.html"
    assert problems == []


def test_a_page_of_an_archive_that_a_browser_saved():
    """The archive redirected to another scheme of the URL: the two marks are of one page."""
    url = f"{ARCHIVE}/https://h.example/us"
    text = (
        f"<!DOCTYPE html>\n<!-- saved from url=({len(url):04d}){url} -->\n<html><head><script>__wm.wombat("
        '"http://h.example/us","20180707155901","https://web.archive.org/","web","/_static/");</script><a href="x">'
    )
    document, problems = read(text)
    assert (document.base.url, problems) == (url, [])
    assert document.base.rejected[0].reason == "the browser's mark in line 2, column 1 comes first"


# Commands


def test_base_distinguishes_a_guess_from_a_url(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page())
    shown = run("base", path).stdout
    assert "page.html: no base URL\n" in shown
    guess = "(a guess: the Wayback Machine's mark in line 4, column 1 states only the host)"
    assert (
        f"document's URL   {ARCHIVE}/http://h.example:80/  {guess}  not used: a guess, used only with --trust-canonical"
        in shown
    )
    assert f"{guess}  used" in run("base", path, "--trust-canonical").stdout
    row = json.loads(run("base", path, "--format", "json").stdout)
    assert [layer["used"] for layer in row["layers"] if layer["layer"] == "retrieval"] == [False]


def test_no_link_is_made_by_a_guess(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(body=BODY))
    result = run("absolutize", path, "--in-place")
    assert result.stderr.count("[no-base]") == 1
    assert '<a href="x">' in path.read_text()
    assert f'<a href="{ARCHIVE}/http://h.example/a">' in path.read_text()


# Hostile pages


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit", ["/20180707155901/https:", "https://h/a/20180707155901/", "/" * 9 + "20180707155901/http:/"]
)
def test_hostile_canonical_links_take_linear_time(unit):
    data = f'<html><link rel="canonical" href="{unit * (2_000_000 // len(unit))}"><a href="x">'.encode()
    with processor_limit(5):
        Retrieval().envelope(None, "x", data, "text/html")
        Document(data, envelope=Envelope())
