"""`archived_links`: whether the links of a page from a web archive lead to its copies, or to the original sites."""

from __future__ import annotations

import pytest
from support.each import for_each
from support.running import run

from linkfix import Document, InvalidOption, Options
from linkfix.files import FileTree
from linkfix.saved import Retrieval
from linkfix.saved.captures import ArchiveCopy

COPY = "https://web.archive.org/web/20150101000000"
WOMBAT = f'<script>__wm.wombat("http://h.example/d/p.html","20150101000000","{COPY[:24]}","web","/_static/");</script>'
TODAY = (
    '<link rel="canonical" href="https://archive.ph/AbCdE"/>'
    '<link rel="bookmark" href="https://archive.ph/20150101000000/http://h.example/d/p.html"/>'
)
#: Reference in a page of the archive -> its target at the original sites.
TARGETS = {
    f"{COPY}/https://other.example/x?u=http://z/": "https://other.example/x?u=http://z/",
    f"{COPY}im_/http:/h.example/one-slash.png": "http://h.example/one-slash.png",
    "/web/20150101000000js_/http://h.example/a.js": "http://h.example/a.js",
    "//web.archive.org/web/2015/http://h.example/b": "http://h.example/b",
    "q.html": "http://h.example/d/q.html",
    "/_static/banner.css": "https://web.archive.org/_static/banner.css",
    "https://h.example/2015/http://x/": "https://h.example/2015/http://x/",
    "https://ordinary.example/": "https://ordinary.example/",
    "data:,x": "data:,x",
    "#top": "http://h.example/d/p.html#top",
}


def document(text, *, tree=None, name="p.html", **arguments):
    data = text.encode()
    found, _ = Retrieval(**arguments).envelope(tree, name, data, "text/html")
    return Document(data, envelope=found)


def targets(page):
    return [link.target for link in page.links]


def anchors(references):
    return "".join(f'<a href="{one}">' for one in references)


@for_each(TARGETS)
def test_links_lead_to_the_original_sites(reference):
    page = document(WOMBAT + anchors([reference]), archived_links="original")
    assert page.base.url == "http://h.example/d/p.html"
    assert targets(page) == [TARGETS[reference]]


def test_links_lead_to_the_archive_by_default():
    page = document(WOMBAT + anchors(TARGETS))
    assert page.base.url == f"{COPY}/http://h.example/d/p.html"
    assert targets(page)[:5] == [
        f"{COPY}/https://other.example/x?u=http://z/",
        f"{COPY}im_/http:/h.example/one-slash.png",
        f"{COPY}js_/http://h.example/a.js",
        "https://web.archive.org/web/2015/http://h.example/b",
        f"{COPY}/http://h.example/d/q.html",
    ]


def test_only_the_bytes_of_the_links_change():
    text = f"{WOMBAT}<IMG src={COPY}im_/http://h.example/1.png srcset='{COPY}/http://h.example/2.png 2x'><style>a{{b:url({COPY}cs_/http://h.example/3)}}</style>"
    made = document(text, archived_links="original").convert()
    assert made.data.decode() == WOMBAT + (
        "<IMG src=http://h.example/1.png srcset='http://h.example/2.png 2x'><style>a{b:url(http://h.example/3)}</style>"
    )
    assert made.rewritten == 3


def test_a_base_element_that_the_archive_rewrote():
    page = document(f'{WOMBAT}<base href="{COPY}/http://h.example/e/">{anchors(["r"])}', archived_links="original")
    assert targets(page)[1:] == ["http://h.example/e/r"]


@pytest.mark.parametrize("href", [f"{COPY}/http://h.example/e/", "/web/20150101000000/http://h.example/e/"])
def test_references_to_the_document_follow_that_base(href):
    text = '{}<base href="{}"><a href="{}f">x</a><a href="">e</a>'
    page = document(text.format(WOMBAT, href, "#"), archived_links="original")
    assert (page.base.url, targets(page)) == (
        "http://h.example/e/",
        ["http://h.example/e/", "http://h.example/e/#f", "http://h.example/e/"],
    )
    expected = text.format(WOMBAT, "http://h.example/e/", "http://h.example/e/#")
    assert page.convert().data.decode() == expected


@pytest.mark.parametrize("mode", ["drop-href", "remove"])
def test_a_base_element_of_the_archive_can_go(mode):
    text = f'{WOMBAT}<base href="{COPY}/http://h.example/e/"><a href="">e</a>'
    envelope = document(text, archived_links="original").envelope
    made = Document(text.encode(), envelope=envelope, options=Options(base_element=mode)).convert().data.decode()
    assert made.endswith('<a href="http://h.example/e/">e</a>')
    assert COPY not in made.removeprefix(WOMBAT)


#: A page of an archive -> a link of the page to a copy in another archive, which stays.
CITATIONS = {
    TODAY: f"{COPY}/http://h.example/",
    WOMBAT: "https://archive.ph/20150101000000/http://h.example/",
}


@for_each(CITATIONS)
def test_links_to_copies_in_another_archive_stay(page):
    cited = CITATIONS[page]
    assert targets(document(page + anchors([cited]), archived_links="original"))[-1] == cited


def test_the_hosts_of_one_archive_are_one():
    text = TODAY + anchors(["https://archive.today/20150101000000/http://i.example/"])
    assert targets(document(text, archived_links="original"))[-1] == "http://i.example/"


def test_archive_today():
    text = TODAY + anchors(["https://archive.ph/o/AbCdE/https://other.example/"])
    assert targets(document(text, archived_links="original"))[-1] == "https://other.example/"
    assert targets(document(text))[-1] == "https://archive.ph/o/AbCdE/https://other.example/"


@pytest.mark.parametrize(
    ("url", "target"), [(f"{COPY}/http://h.example/d/", "http://h.example/d/x"), ("https://i/", "https://i/x")]
)
def test_the_callers_url_comes_first(url, target):
    page = document(WOMBAT + anchors(["x", f"{COPY}/http://j/"]), url=url, archived_links="original")
    assert targets(page) == [target, "http://j/"]


def test_a_page_that_a_browser_saved_from_the_archive_keeps_its_own_files(tmp_path):
    (tmp_path / "p_files").mkdir()
    (tmp_path / "p_files" / "a.png").write_bytes(b"")
    text = f"<!-- saved from url=({len(COPY) + 26:04}){COPY}/http://h.example/d/p.html -->" + anchors(
        ["./p_files/a.png", f"{COPY}/http://i/"]
    )
    found = Retrieval(archived_links="original").envelope(
        FileTree(str(tmp_path)), "p.html", text.encode(), "text/html"
    )[0]
    page = Document(text.encode(), envelope=found)
    assert (page.envelope.url, page.envelope.saver.archive) == ("http://h.example/d/p.html", "the Wayback Machine")
    assert targets(page) == [None, "http://i/"]


@pytest.mark.parametrize(("mode", "count"), [("archive", 1), ("original", 0)])
def test_the_url_of_the_original_page_contradicts_only_the_url_of_its_copy(mode, count):
    retrieval = Retrieval(url="http://h.example/d/p.html", archived_links=mode)
    assert len(retrieval.envelope(None, "p.html", WOMBAT.encode(), "text/html")[1]) == count


def test_other_pages_are_not_concerned():
    text = anchors([f"{COPY}/http://h.example/"])
    for url in ("https://h.example/", "https://h.example/2015/http://x/"):
        page = document(text, url=url, archived_links="original")
        assert (page.envelope.saver.archive, targets(page)) == ("", [f"{COPY}/http://h.example/"])


def test_a_wrong_value_is_refused():
    with pytest.raises(InvalidOption, match="archived_links='both': expected 'archive' or 'original'"):
        Retrieval(archived_links="both")


def test_a_copy_is_an_absolute_url():
    assert ArchiveCopy.of("/web/2015/http://h/") is None
    assert ArchiveCopy.of("https://web.archive.org/web/2015/" + "x" * 10_000) is None


def test_the_option_of_the_commands(tmp_path):
    (tmp_path / "p.html").write_text(WOMBAT + anchors(["q"]))
    said = run("links", tmp_path / "p.html", "--archived-links", "original").stdout
    assert said.endswith(" a[href] q -> http://h.example/d/q\n")
    result = run("absolutize", tmp_path / "p.html", "--archived-links", "original")
    assert result.stdout == WOMBAT + anchors(["http://h.example/d/q"])
