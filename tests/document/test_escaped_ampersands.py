"""`escape_ampersands`: readers that take a bare "&region" for "®ion" get the targets that browsers get."""

from __future__ import annotations

from html.entities import html5
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.edge_values import BASES, FIXED_VALUES, document_of, values
from support.sizes import examples

from linkfix import Document, Row, absolutize, links, rewrite
from linkfix.document import decide

URL = "https://h.test/d/p?q=1&region=2"
#: The names of character references that need no semicolon: html.parser ends them anywhere.
NAMES = sorted(name for name in html5 if not name.endswith(";"))


class Reader(HTMLParser):
    """The values of attributes as html.parser reads them."""

    def __init__(self):
        super().__init__()
        self.values = []

    def handle_starttag(self, _tag, attrs):
        self.values += [value for _, value in attrs]


def read(html):
    reader = Reader()
    reader.feed(html)
    return reader.values


@pytest.mark.parametrize("quote", ['"', "'", ""])
def test_html_parser_reads_every_name_correctly(quote):
    page = "".join(f"<a href={quote}s?a=1&{name}ion=2&{name}=3{quote}>" for name in NAMES)
    expected = [f"https://h.test/d/s?a=1&{name}ion=2&{name}=3" for name in NAMES]
    written = absolutize(page, URL, escape_ampersands=True)
    assert read(written) == expected
    assert [link.reference for link in links(written)] == expected
    assert "&region" in absolutize(page, URL)  # bare as it was found, unless it is asked for


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href='?a&region'>", "<a href='https://h.test/d/p?a&amp;region'>"),
        ("<a href='?a&amp;b&region'>", "<a href='https://h.test/d/p?a&amp;b&amp;region'>"),
        ("<a href='?a&lt;&region'>", "<a href='https://h.test/d/p?a%3C&amp;region'>"),
        ("<a href='?é&region'>", "<a href='https://h.test/d/p?%C3%A9&amp;region'>"),
        ("<a href=x&region/../y&>", "<a href=https://h.test/d/y&amp;>"),
        ("<a href='#x&region'>", "<a href='#x&region'>"),
        ("<a href='https://i.test/?a&region'>", "<a href='https://i.test/?a&region'>"),
        (
            "<img srcset='?a&region 1x, https://i.test/?b&region 2x'>",
            "<img srcset='https://h.test/d/p?a&amp;region 1x, https://i.test/?b&region 2x'>",
        ),
        ("<p style='a:url(?a&region)'>", "<p style='a:url(https://h.test/d/p?a&amp;region)'>"),
        (
            "<meta http-equiv=refresh content='0;url=?a&region'>",
            "<meta http-equiv=refresh content='0;url=https://h.test/d/p?a&amp;region'>",
        ),
        ("<base href='?a&region'>", "<base href='https://h.test/d/p?a&amp;region'>"),
        (
            "<iframe srcdoc='<a href=?a&region>'>",
            "<iframe srcdoc='<a href=https://h.test/d/p?a&amp;amp;region>'>",
        ),
        # where "&" begins no character reference, it stays
        ("<style>a{b:url(?a&region)}</style>", "<style>a{b:url(https://h.test/d/p?a&region)}</style>"),
        (
            '<script type=speculationrules>{"prefetch":[{"urls":["?a&region"]}]}</script>',
            '<script type=speculationrules>{"prefetch":[{"urls":["https://h.test/d/p?a&region"]}]}</script>',
        ),
        ("<svg><image href='?a&region'/></svg>", "<svg><image href='https://h.test/d/p?a&amp;region'/></svg>"),
    ],
)
def test_ampersands_are_escaped(html, expected):
    assert absolutize(html, URL, escape_ampersands=True) == expected
    assert absolutize(html.encode(), URL, charset="utf-8", escape_ampersands=True) == expected.encode()
    assert absolutize(expected, URL, escape_ampersands=True) == expected


def test_fragments_of_a_page_with_a_query():
    html = "<a href='#a&region'>"
    expected = "<a href='https://h.test/d/p?q=1&amp;region=2#a&amp;region'>"
    assert absolutize(html, URL, escape_ampersands=True, fragments="absolutize") == expected


def test_an_absolute_link_that_is_rewritten_in_normal_form():
    html = "<a href='HTTP://i.test?a&region'>"
    assert absolutize(html, URL, escape_ampersands=True, normalize=True) == "<a href='http://i.test/?a&amp;region'>"


def test_ampersands_of_callers_are_escaped():
    options = {"escape_ampersands": True, "rows": (Row("*", "data-u", "url", "hyperlink"),)}
    html = "<a href='?a&b' data-u='?a&b'>"
    expected = "<a href='/?x&amp;region' data-u='/?x&amp;region'>"
    assert rewrite(html, lambda _: "/?x&region", url=URL, **options) == expected


@settings(deadline=None, max_examples=examples(300))
@given(st.lists(values, max_size=8), st.sampled_from(BASES), st.sampled_from(["", "'", '"']))
def test_the_quick_way_and_the_resolvers_write_the_same_bytes(found, base, quote):
    _assert_same_bytes(document_of(found, quote), base)


@pytest.mark.parametrize("base", BASES)
def test_the_quick_way_and_the_resolvers_write_the_same_bytes_at_edges(base):
    _assert_same_bytes(document_of(FIXED_VALUES), base)


def _assert_same_bytes(html, base):
    data = html.encode("utf-8", "surrogatepass")
    document = Document(data, url=base, charset="utf-8", escape_ampersands=True)
    quick = document.absolutize()
    assert [link.target for link in document.links if link.target] == [
        link.target for link in Document(data, url=base, charset="utf-8").links if link.target
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide.Decider, "plain", lambda *_, **__: (None, None))
        slow = Document(data, url=base, charset="utf-8", escape_ampersands=True).absolutize()
    # The prefix that the quick way writes suits both quotation marks, and it leaves a backtick of the page as it is.
    ways = (way.replace(b"&#39;", b"'").replace(b"&#96;", b"`").splitlines() for way in (quick, slow))
    for one, other in zip(*ways, strict=True):
        assert one == other
