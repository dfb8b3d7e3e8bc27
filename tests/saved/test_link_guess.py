"""The page's URL, guessed from the links that an archive rewrote."""

from __future__ import annotations

import pytest
from support.growth import processor_limit
from support.running import run

from linkfix import Document
from linkfix.files import FileTree
from linkfix.saved import Retrieval

ARCHIVE = "https://web.archive.org/web/20180707155901"
#: The Wayback Machine's script of 2018, which states only the host.
SCRIPT = "<script>\nWB_wombat_Init('https://web.archive.org/web', '20180707155901', 'h.example:80');\n</script>"
END = (
    "<!--\n     FILE ARCHIVED ON 15:59:01 Jul 07, 2018 AND RETRIEVED FROM THE\n     INTERNET ARCHIVE ON 21:11:30.\n-->"
)


def read(text, tree=None, **options):
    """The document of a page, and the codes of the problems of its URL's sources."""
    data = text.encode()
    envelope, problems = Retrieval(**options).envelope(tree, "page.html", data, "text/html")
    return Document(data, envelope=envelope), [problem.code for problem in problems]


ONLY_A_GUESS = "a guess, used only with --trust-canonical"
HOST = "a guess: most links that an archive rewrote go to this host, the first in line 1, column "
FRAGMENT = "a guess: links that an archive rewrote go to fragments of this page, the first in line 1, column "

#: The body of a page with traces of an archive alone -> the URL, and the beginning of its evidence.
GUESSES = [
    (f'<a href="{ARCHIVE}/https://h.example/a">', f"{ARCHIVE}/https://h.example/", HOST + "22"),
    (
        (
            f'<a href="{ARCHIVE}/https://o.example/"><a href="{ARCHIVE}/https://h.example/a">'
            f'<a href="{ARCHIVE}/https://h.example/b">'
        ),
        f"{ARCHIVE}/https://h.example/",
        HOST,
    ),
    (  # images are often on another host
        (
            f'<img src="{ARCHIVE}im_/https://cdn.example/1"><img src="{ARCHIVE}im_/https://cdn.example/2">'
            f'<a href="{ARCHIVE}/https://h.example/b">'
        ),
        f"{ARCHIVE}/https://h.example/",
        HOST,
    ),
    (  # references that the page wrote without a host
        (
            f'<a href="{ARCHIVE}/https://o.example/a"><a href="{ARCHIVE}/https://o.example/b">'
            '<img src="/web/20180707155901im_/https://h.example/1">'
        ),
        f"{ARCHIVE}/https://h.example/",
        HOST,
    ),
    (f'<img src="{ARCHIVE}im_/http://h.example:81/1">', f"{ARCHIVE}/http://h.example:81/", HOST),
    (  # the toolbar goes to other times
        (
            '<a href="https://web.archive.org/web/20170101000000/https://o.example/">'
            f'<a href="{ARCHIVE}/https://h.example/a"><a href="{ARCHIVE}/https://h.example/a">'
        ),
        f"{ARCHIVE}/https://h.example/",
        HOST,
    ),
    (  # one link tells which archive it is
        (
            '<a href="/wayback/20150101000000/http://h.example/a"><a href="/wayback/20150101000000/http://h.example/b">'
            '<a href="https://arquivo.pt/wayback/20150101000000/http://o.example/">'
        ),
        "https://arquivo.pt/wayback/20150101000000/http://h.example/",
        HOST,
    ),
    (
        f'<a href="{ARCHIVE}/https://h.example/d/p#s1"><h2 id="s1">',
        f"{ARCHIVE}/https://h.example/d/p",
        FRAGMENT + "22",
    ),
    (
        f"<a href='{ARCHIVE}/https://h.example/d/p?a&amp;b#%C3%A9'><a name=é>",
        f"{ARCHIVE}/https://h.example/d/p?a&b",
        FRAGMENT,
    ),
    (
        (
            f'<a href="{ARCHIVE}/https://h.example/other#top"><a href="{ARCHIVE}/https://h.example/d/p#top">'
            f'<a href="{ARCHIVE}/https://h.example/d/p#s"><h1 id=top><h2 id=s>'
        ),
        f"{ARCHIVE}/https://h.example/d/p",
        FRAGMENT,
    ),
    (f'<a href="{ARCHIVE}/http://[h#s"><h2 id="s">', f"{ARCHIVE}/http://[h", FRAGMENT),
    (  # it has no such fragment
        f'<a href="{ARCHIVE}/https://h.example/d/p#s1"><h2 id="s2">',
        f"{ARCHIVE}/https://h.example/",
        HOST,
    ),
]


@pytest.mark.parametrize(("body", "url", "where"), GUESSES)
def test_rewritten_links_imply_the_url(body, url, where):
    text = f'<html><body>{body}<a href="x">{END}'
    document, problems = read(text)
    (lost,) = document.base.rejected
    assert (document.base.url, lost.reference, lost.reason) == (None, url, ONLY_A_GUESS)
    assert lost.where.startswith(where)
    assert document.links[-1].problem == "no-base"
    assert problems == []
    trusted = read(text, trust_canonical=True)[0].base
    assert (trusted.url, trusted.where) == (url, lost.where)


NO_GUESSES = [
    f'<a href="{ARCHIVE}/https://h.example/a">',
    f'{END}<a href="/web/20180707155901/https://h.example/a">',
    f'{END}<!-- <a href="{ARCHIVE}/https://h.example/a"> --><p title=\'<a href="{ARCHIVE}/https://h.example/a">\'>',
    f"{END}<script>s = '<a href=\"{ARCHIVE}/https://h.example/a\">'</script>",
    f'{END}<a href="https://web.archive.org/web/2018/https://h.example/a">',
    f'{END}<a href="https://h.example/20180707155901/a">',
]


@pytest.mark.parametrize("text", NO_GUESSES)
def test_nothing_to_guess_from(text):
    base = read(f'<html>{text}<a href="x">', trust_canonical=True)[0].base
    assert (base.url, base.rejected) == (None, ())


def test_links_far_from_the_top_are_ignored():
    """Their number has no limit."""
    text = f'<html>{END}<a href="{ARCHIVE}/http://h.example/"><p>{" " * (1 << 20)}'
    late = f'<a href="{ARCHIVE}/http://o.example/a"><a href="{ARCHIVE}/http://o.example/b">'
    assert read(text + late, trust_canonical=True)[0].base.url == f"{ARCHIVE}/http://h.example/"


def test_a_guess_from_links_comes_after_every_other_source(tmp_path):
    text = f'<html><body><a href="{ARCHIVE}/https://h.example/d/p#s"><h2 id="s"><a href="x">{END}'
    tree = FileTree(str(tmp_path.resolve()), "https://tree.example/")
    assert read(text, tree, trust_canonical=True)[0].base.url == "https://tree.example/page.html"
    stated = text.replace("<body>", '<link rel="canonical" href="https://h.example/d/p">')
    assert read(stated, trust_canonical=True)[0].base.url == "https://h.example/d/p"
    rewritten = text.replace("<body>", f'<link rel="canonical" href="{ARCHIVE}/https://h.example/c">')
    assert read(rewritten)[0].base.url == f"{ARCHIVE}/https://h.example/c"


def test_links_to_fragments_complete_the_host_that_the_script_states():
    body = (
        f'<a href="{ARCHIVE}/https://other.example/p#s"><a href="{ARCHIVE}/https://other.example/p#t">'
        '<a href="/web/20180707155901/https://h.example/d/p#s"><h2 id="s"><h2 id="t"><a href="x">'
    )
    text = f"<html><head>{SCRIPT}</head><body>{body}"
    document, problems = read(text)
    (lost,) = document.base.rejected
    assert (document.base.url, problems, lost.reason) == (None, [], ONLY_A_GUESS)
    assert lost.reference == f"{ARCHIVE}/https://h.example/d/p"
    assert lost.where.startswith("a guess: the Wayback Machine's mark in line 2, column 1 states only the host; links ")
    assert read(text, trust_canonical=True)[0].links[-1].target == f"{ARCHIVE}/https://h.example/d/x"


def test_a_bookmark_in_archive_today_alone_is_a_guess():
    url = "https://archive.today/20180707155901/https://h.example/p"
    text = f'<html><head><link rel="bookmark" href="{url}"></head><a href="x">'
    document, problems = read(text)
    (lost,) = document.base.rejected
    assert (document.base.url, problems) == (None, [])
    assert lost.where == "a guess: archive.today's mark in line 1, column 13 is not confirmed by a canonical link"
    assert read(text, trust_canonical=True)[0].base.url == url
    own = text.replace("<head>", '<head><link rel="canonical" href="https://archive.is/YWPHo">')
    assert read(own)[0].base.url == url


def test_base_names_a_guess(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(f'<html><body><a href="{ARCHIVE}/https://h.example/d/p#s"><h2 id="s"><a href="x">{END}')
    shown = run("base", path).stdout
    stated = f"document's URL   {ARCHIVE}/https://h.example/d/p  ({FRAGMENT}22)"
    assert "page.html: no base URL\n" in shown
    assert f"{stated}  not used: {ONLY_A_GUESS}" in shown
    assert f"{stated}  used" in run("base", path, "--trust-canonical").stdout
    run("absolutize", path, "--in-place")
    assert '<a href="x">' in path.read_text()
    run("absolutize", path, "--in-place", "--trust-canonical")
    assert f'<a href="{ARCHIVE}/https://h.example/d/x">' in path.read_text()


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    [
        f'<a href="{ARCHIVE}/https://h.example/p#a" id=a>',
        f'<a href="{ARCHIVE}/https://h.example/p#',
        " id='",
        ' id="',
        " name=x",
        END,
        "<script>archive_analytics</script>",
        "<p>archive_analytics",
    ],
)
def test_hostile_links_and_traces_take_linear_time(unit):
    start = f'<html><a href="{ARCHIVE}/https://h.example/p#a" id=a>'
    data = (start + unit * (2_000_000 // len(unit)) + END).encode()
    with processor_limit(5):
        Retrieval(trust_canonical=True).envelope(None, "x", data, "text/html")
