"""Links from columns of numbers equal the links that `rewrite` makes one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import edge_values
from support.documents import URL, documents
from support.each import for_each
from support.growth import assert_linear
from support.link_tables import expected_rows, table_rows
from support.paths import FIXTURES
from support.sizes import examples, sized
from support.vectors import CORPUS

import linkfix
from fuzz.pieces import document as fuzzed_document
from linkfix import Document, Link, Row
from linkfix.auditing.page_document import PageDocument

MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
    ".txt": "text/plain",
}
PAGES = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in MEDIA_TYPES] + CORPUS


def slow_links(document: Document[Any]) -> list[Link]:
    links: list[Link] = []
    document.rewrite(links.append)
    return links


def assert_equal(html: bytes | str, **fields: Any) -> list[Link]:
    """The links of a document, which are equal both ways, and so are its problems."""
    quick, slow = Document(html, **fields), Document(html, **fields)
    links = quick.links
    assert links == slow_links(slow)
    assert all(type(link) is Link for link in links)
    assert all(hash(link) == hash(tuple(link)) for link in links)
    assert quick.problems == slow.problems == Document(html, **fields).problems
    table = Document(html, **fields)
    assert table_rows(table) == expected_rows(links)
    assert table.problems == slow.problems
    if isinstance(html, bytes):
        page = PageDocument(html, **fields)
        for number in range(page._count()):
            link = page._plain_link(number)
            assert link is None or [link] == page._links_of(number)
    return links


@pytest.mark.parametrize(
    ("html", "is_plain"),
    [
        ("<a href=x/y.html#z>", True),
        ("<a href='https://host.example/x?y'>", True),
        ("<a data-x href=../../../x>", True),
        ("<a href='x&amp;y'>", False),
        ("<a href=' x'>", False),
        ("<a href='{{x}}'>", False),
        ("<img src=é>", False),
        ("<img srcset='x 2x'>", False),
        ("<script type=importmap>{}</script>", False),
        ("<applet code=x codebase=y>", False),
        ("<img src=x><base href=/y/>", False),
    ],
)
def test_links_made_from_their_bytes(html: str, is_plain: bool) -> None:
    document = PageDocument(html.encode(), url=URL)
    assert (document._plain_link(0) is not None) is is_plain


@for_each(PAGES)
def test_pages(path):
    data = path.read_bytes()
    fields = {"url": "https://example.com/a/b.html?c&d#e", "media_type": MEDIA_TYPES[path.suffix]}
    assert_equal(data, **fields)
    assert_equal(data.decode("utf-8", "replace"), **fields)


# Generated documents

_UNSPACED = (
    "x x/y.html x?a=1&amp;b=2 x?a=1&b=2 x?a=1&copy=2 x?a&copy &#x2e;./x x&amp x&amp;amp;y # #f #é ? ?q / /x //h //h/"
    " //H/x ///x ./ ./x ./#f ../x ../../../../x .. ... .x x/../y x/./y x/%2e%2E/y %41 a:b ./a:b 1:2 http://h http://h/"
    " http://h/x HTTP://H/ http://h/?a&amp;b http://h/?a&b http:x https://h:443/ https://h:80/x http://[ http://1.2/"
    " https://xn--a/ https://h/x#a#b https://h/é https://h/../x https://h/&lt; https://h?x http:\\\\h mailto:a@b?c&d"
    " javascript:; data:,x tel:1 about:blank x-y:z file:///C|/x file:///c/d file://h/ MAILTO:a x:y:/z"
    " mailto:<a>?b=<c>#d mailto:a&lt;b javascript:'x'?'y' ws://h whatsapp://h?a https://h#&lt; //h#&amp;lt;"
    " //h#&amp;&lt; x\0y \0 {{x}} <%x%> ${x} é 日本/x?é \U0001f600 x\ufffdy a&nbsp;b"
)
REFERENCES = [
    *_UNSPACED.split(),
    *("https://h/a b", "https://h?'#a b", "mailto:a b", "file:///a b", "x?<&lt;&quot;", "<x> 'y'", "//h?&lt;"),
    *("", " ", " #f", "#a b", "x y", "http://h/a b", "https://example.com/x ", " https://example.com/x", "\tx\n"),
    *("\r\nx\r\n", "x\r\ny", "\r", "\x0b", "x" * 1100, "&NewLine;http:", "HTTP:", "Mailto:x", "hTtps://h"),
]
TEXTS = [
    *("\n", "\r", "\r\n", "\n\n\r", " ", "text", "é", "日本\n", "\U0001f600", "\0", "\u2028", "<!-- <a href=x> -->"),
    *("<base href=/d/e?f&amp;g>", "<base href='//h/é/'>", "<base href='http://['>", "<template>", "</template>"),
    *("<svg>", "</svg>", "<math>", "</math>", "<style>a{b:url(x)}</style>", "<style>a{b:c}</style>", "<p style='a:b'>"),
    *("<p style='a:url(é)'>", "<script src=x></script>", "<img srcset='a 1x, é 2x'>", "<p style='a:url(\n'>"),
    "<iframe srcdoc='<a href=x>é<a href=&quot;é&quot;>\n<base href=z>'>",
    "<meta http-equiv=refresh content='0;url=x'>",
    *("<p style='a:url(#x);b:url(x)'>", "<style>a{b:url(data:,&amp;<x>);c:url(#x);d:url()}</style>"),
    *("<p style='a:url(//h?&amp;);b:url(x y)'>", "<img srcset='//h,//[ 1x'>"),
    "<style>a{b:url(\"x y\");c:url('a\0b')}</style>",
]
TAGS = [
    *("a href", "img src", "A HREF", "image src", "q cite", "svg><use href", "use href", "svg><a xlink:href"),
    *("mi href", "p itemscope itemid", "é itemscope itemid", "P\0 itemscope itemid", "i data-src", "a class=a ping"),
    *("form action", "object codebase=c data", "object classid", "a id=b name", "svg><image href=w xlink:href"),
]


@st.composite
def tags(draw: st.DrawFn) -> str:
    """Attributes whose URLs are just plain, or just not."""
    value = draw(st.sampled_from(REFERENCES))
    quote = draw(st.sampled_from(["'", '"', ""]))
    if not quote:
        value = "".join(value.split()).replace(">", "")
    equals = draw(st.sampled_from(["=", "=\r\n", ""] if not value and not quote else ["=", " =\n"]))
    end = draw(st.sampled_from([">", " href=y>", "\r\n>"]))
    return f"<{draw(st.sampled_from(TAGS))}{equals}{quote}{value}{quote}{end}"


pages = st.lists(tags() | st.sampled_from(TEXTS), max_size=12).map("".join)
ENCODINGS = ["utf-8", "windows-1252", "windows-1251", "shift_jis", "gb18030", "big5", "utf-16le", "iso-2022-jp"]
BASES = ["https://example.com/a/b/c.html?d&e#f", "http://h/x&y/'z", "http://h", "https://example.com/é", "file:///a/b"]
FIELDS: list[dict[str, Any]] = [
    {},
    {"anchors": True, "lazy": True},
    {"spec": "rfc3986"},
    {"spec": "rfc1808", "same_scheme": "relative"},
    {"fragments": "absolutize"},
    {"normalize": True, "base_element": "remove"},
    {"keep": lambda target: "x" in target},
    {"rows": (Row("*", "class", "url", "resource"), Row("script", "", "url", "resource"))},
    {"media_type": "application/xhtml+xml"},
    {"default_base": "https://default.test/y/z"},
]


@settings(max_examples=examples(2000))
@given(pages, st.sampled_from(ENCODINGS), st.sampled_from(BASES), st.sampled_from(FIELDS))
def test_bytes(html: str, encoding: str, url: str, fields: dict[str, Any]) -> None:
    data = html.encode(encoding, "xmlcharrefreplace")
    assert_equal(data, url=url, charset=encoding, **fields)


@settings(max_examples=examples(1000))
@given(pages, st.sampled_from(ENCODINGS), st.binary(max_size=4), st.integers(0, 200))
def test_bytes_that_are_not_valid(html: str, encoding: str, bad: bytes, place: int) -> None:
    data = html.encode(encoding, "xmlcharrefreplace")
    assert_equal(data[:place] + bad + data[place:], url=URL, charset=encoding)


@settings(max_examples=examples(1000))
@given(pages | documents, st.sampled_from(["", "\ud800", "é", "\ufeff"]), st.sampled_from(FIELDS))
def test_text(html: str, before: str, fields: dict[str, Any]) -> None:
    for link in assert_equal(before + html, url=URL, **fields):
        if not set(link.reference) & set("&\\\0") and link.syntax == "url":
            written = (before + html)[link.start : link.end]
            assert link.reference == written or "&" in written or "\0" in written


@settings(max_examples=examples(300))
@given(pages)
def test_without_a_base(html: str) -> None:
    assert_equal(html)
    assert_equal(b"\xef\xbb\xbf" + html.encode())


@settings(max_examples=examples(500))
@given(st.integers())
def test_documents_of_the_fuzzer(seed: int) -> None:
    html = fuzzed_document(Random(seed))  # noqa: S311
    assert_equal(html, url=URL)
    assert_equal(html.encode("utf-8", "surrogatepass"), url=URL)


def test_the_savers_function_maps_references():
    saver = linkfix.Saver("a test", map_reference=lambda reference, _base: f"https://saved.test/{reference}")
    envelope = linkfix.Envelope(url=URL, saver=saver)
    links = assert_equal(b"<a href=x><a href=x><a href=http://h/>", envelope=envelope)
    assert [link.target for link in links] == ["https://saved.test/x", "https://saved.test/x", "http://h/"]


def test_a_problem_is_noted_at_any_position():
    document = Document(b"<a href='http://['>\n<a href='http://['>", url=URL)
    assert [link.problem for link in document.links] == ["unresolvable", "unresolvable"]
    assert [(problem.start, problem.line) for problem in document.problems] == [(9, 1), (29, 2)]


def test_a_link_that_is_remembered_has_its_own_place():
    links = assert_equal("é<a href=' x y'>\n<img src=' x y'><a  href=' x y'>", url="http://h/")
    assert [(link.element, link.start, link.line, link.column, link.tag_start) for link in links] == [
        ("a", 11, 1, 12, 1),
        ("img", 28, 2, 12, 17),
        ("a", 44, 2, 28, 33),
    ]
    assert {(link.reference, link.target) for link in links} == {("x y", "http://h/x%20y")}


@pytest.mark.parametrize("base", edge_values.BASES[:-1])
@pytest.mark.parametrize("quote", ['"', ""])
def test_targets_of_edges_are_the_resolvers(base: str, quote: str) -> None:
    html = edge_values.document_of(edge_values.FIXED_VALUES, quote)
    for link in linkfix.links(html, url=base):
        if link.target is not None and not link.reference.startswith("data:") and link.reference:
            assert link.target == linkfix.resolve(base, link.reference).target


TARGETS = {
    "https://h.test": "https://h.test/",
    "//h.test?a&amp;b c": "https://h.test/?a&b%20c",
    "mailto:a<b>@c?d&amp;e": "mailto:a<b>@c?d&e",
    "javascript:void(0)": "javascript:void(0)",
    "file:///usr/share/doc/x.html": "file:///usr/share/doc/x.html",
    "x y.html?'&lt;'": "https://example.com/x%20y.html?%27%3C%27",
    "für/x?ä&amp;b#ö": "https://example.com/f%C3%BCr/x?%C3%A4&b#%C3%B6",
    "https://h.test/w&uuml;rt?q=%20&quot;x&quot;": "https://h.test/w%C3%BCrt?q=%20%22x%22",
    "mailto:?subject=a b&amp;body=é": "mailto:?subject=a%20b&body=%C3%A9",
    "&#109;ailto:x&#64;y": "mailto:x@y",
    "JavaScript:alert('é a')": "javascript:alert('%C3%A9 a')",
    "Mailto:a b?c d": "mailto:a b?c%20d",
    "/search/%20?f": "https://example.com/search/%20?f",
}


@pytest.mark.parametrize(("value", "target"), TARGETS.items())
def test_targets_decided_without_a_link_object(value: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class is decided in numbers or in place: the slow ways are not asked."""
    monkeypatch.setattr(Document, "_links_of", None)
    monkeypatch.setattr(Document, "_decided_link", None)
    html = f'<a href="{value}"><a href="{value}">\n<img src="{value}">'
    links = linkfix.links(html, url="https://example.com/")
    assert [link.target for link in links] == [target] * 3
    assert [(link.line, html[link.start : link.end]) for link in links] == [(1, value), (1, value), (2, value)]


def test_links_before_base_have_their_bases_and_need_no_link_object(monkeypatch: pytest.MonkeyPatch) -> None:
    html = b"<link rel=stylesheet href=a><link rel=icon href=b><a href='/c^'><base href='/d/ '><img src=e>"
    expected = [
        ("https://h.test/p/a", "https://h.test/p/"),
        ("https://h.test/d/b", "https://h.test/d/"),
        ("https://h.test/c%5E", "https://h.test/d/"),
        ("https://h.test/d/", "https://h.test/p/"),
        ("https://h.test/d/e", "https://h.test/d/"),
    ]
    assert_equal(html, url="https://h.test/p/")
    monkeypatch.setattr(Document, "_links_of", None)
    monkeypatch.setattr(Document, "_decided_link", None)
    assert [(link.target, link.base) for link in linkfix.links(html, url="https://h.test/p/")] == expected


@pytest.mark.parametrize(
    "html",
    [
        b"<style>a{b:url(#x);c:url();d:url(y)}</style>",
        b"<style>a{b:url(data:image/png;base64,AAAA);c:url('http://[');d:url(\"x y\")}</style>",
        b"<p style='a:url(#x&amp;y);b:url(//H?&amp;)'>",
        b"<img srcset='//H 1x, http://[ 2x, x'>",
        b"<meta http-equiv=refresh content='0;url=//H'>",
    ],
)
def test_a_url_that_is_not_plain_does_not_slow_others(html: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_equal(html, url="https://example.com/")
    monkeypatch.setattr(Document, "_links_of", None)
    linkfix.links(html, url="https://example.com/")


# Time and memory grow with the document

PIECES = {
    "plain": b"<a href=x>",
    "lines": b"\r\n<a href=x>\r",
    "one line": "é<a href=x>".encode(),
    "remembered": b"<a href='x y'>",
    "fragments": b"<svg><use href='#x'>",
    "any element": b"<p itemscope itemid=x>",
    "problems": b"<a href='http://['>",
}


@pytest.mark.growth
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
@pytest.mark.parametrize("charset", ["utf-8", None], ids=["bytes", "str"])
def test_twice_the_links_are_twice_the_work(piece: bytes, charset: str | None) -> None:
    def prepare(count: int) -> Callable[[], object]:
        html = piece * count
        return partial(linkfix.links, html if charset else html.decode(), url=URL, charset=charset)

    assert_linear(prepare, sized(2_000))


@pytest.mark.growth
def test_different_references_are_as_much_work_each():
    def prepare(count: int) -> Callable[[], object]:
        return partial(linkfix.links, b"".join(b"<a href='x y%d'>" % number for number in range(count)), url=URL)

    assert_linear(prepare, sized(1_000))
