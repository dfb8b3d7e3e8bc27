"""Short ways for small documents and for BASE: their results are those of the long ways; what they keep is bounded."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkfix
from linkfix.document import base as bases
from linkfix.document import decide
from linkfix.document.document import Document
from linkfix.model import Base, Envelope, Layer, Options
from linkfix.resolvers import RESOLVERS

URL = "https://example.com/d/page.html"

#: Values of href: settled or not, with white space, placeholders, references to characters, and none.
HREFS = (
    "https://cdn.example.com/x/",
    "https://cdn.example.com/x",
    "https://cdn.example.com/x/?q=/y#f",
    "HTTPS://CDN.example.com/x/",
    " https://cdn.example.com/x/ ",
    "https://cdn.example.com/x/../y/",
    "https://cdn.example.com:443/x/",
    "https://cdn.example.com/{{x}}/",
    "https://xn--zckzah.example/",
    "https://cdn.example.com/ä/",
    "https://cdn.example.com/?a&amp;b",
    "/x/",
    "x",
    "?x",
    "#x",
    "",
    "data:,x",
    "mailto:x@example.com",
    "http:x",
    "https://[",
)


@pytest.mark.parametrize("spec", RESOLVERS)
@pytest.mark.parametrize("href", HREFS)
def test_a_remembered_href_gives_the_base_of_one_that_is_not(href, spec, monkeypatch):
    resolver = RESOLVERS[spec]
    hrefs = [bases.href_base(href, fallback, resolver) for fallback in (URL, None) for _ in range(2)]
    monkeypatch.setattr(bases, "_is_settled", lambda _url: False)
    monkeypatch.setattr(bases, "_REMEMBERED_LENGTH", -1)
    assert hrefs == [bases.href_base(href, fallback, resolver) for fallback in (URL, None) for _ in range(2)]


def test_long_urls_are_not_remembered():
    long = "https://cdn.example.com/" + "x" * bases._REMEMBERED_LENGTH
    for remembered in (bases._is_short_settled, bases._short_href_base):
        remembered.cache_clear()
    resolver = RESOLVERS["whatwg"]
    assert bases.href_base(long, URL, resolver) == (long, "")
    assert bases.href_base("x y", long, resolver) == ("https://cdn.example.com/x%20y", "")
    assert bases.as_base(long, resolver) == long
    assert bases._is_short_settled.cache_info().currsize == 1  # "x y"
    assert bases._short_href_base.cache_info().currsize == 0


@pytest.mark.parametrize("spec", RESOLVERS)
@pytest.mark.parametrize("url", [None, "", "http:", "thismessage:/x", "https://x", "data:text/plain,x", *HREFS])
def test_whether_a_base_can_go_is_known_without_resolving(url, spec, monkeypatch):
    def asked():
        base = Base(url, Layer.RETRIEVAL, "retrieval URL")
        return decide.Decider(Options(spec=spec), base, Envelope()).base_can_go

    short = asked()
    monkeypatch.setattr(decide, "_is_settled", lambda _reference, _base: False)
    assert short is asked()


@pytest.mark.parametrize("page", ["", "x", "<p>x</p>", "<title><a href=x></title>", '<meta charset="what">'])
def test_links_and_problems_of_a_document_without_records_are_those_of_the_long_way(page):
    document = Document(page.encode(), url=URL)
    assert document.links == document.link_columns().links() == []
    assert document.problems == document.convert().problems == Document(page.encode(), url=URL).problems
    assert linkfix.absolutize(page.encode(), URL) == document.convert().data
    assert linkfix.links(page, URL) == []


@pytest.mark.parametrize("size", [0, 1, (1 << 16) + 21, (1 << 16) + 22, (1 << 16) + 23, 200_000])
@pytest.mark.parametrize("byte", [b"", b"\5", b"PK\5\6", b"PK\5\6" + b"x" * ((1 << 16) + 18)])
def test_a_zip_archive_is_found_at_the_end_of_a_page_of_any_size(size, byte):
    data = b"x" * size + byte
    document = Document(data, charset="utf-8")
    is_archive = b"PK\5\6" in data[max(0, len(data) - (1 << 16) - 22) :]
    assert document.source.fault == ("self-extracting" if is_archive else "")


MODES = ("keep", "insert", "drop-href", "empty", "remove", "ignore")

PAGES = [
    f"<head>{before}<base href={quote}{href}{quote}>{after}</head><a href=y>z</a>"
    for (before, after), quote, href in product(
        [
            ("", ""),
            ("<link rel=icon href=i>", '<base href="/other/">'),
            ("<base target=_top>", "<base href>"),
            ("<template>", "</template>"),
            ('<meta http-equiv=content-security-policy content="base-uri https://example.com">', ""),
        ],
        ['"'],
        HREFS,
    )
]


@pytest.mark.parametrize("mode", MODES)
def test_a_base_that_stays_is_the_one_that_would_not_be_edited(mode, monkeypatch):
    made = [Document(page.encode(), url=URL, charset="utf-8", base_element=mode).convert() for page in PAGES]
    monkeypatch.setattr("linkfix.document.decide.Decider.leaves_base", lambda _self, _href: False)
    assert made == [Document(page.encode(), url=URL, charset="utf-8", base_element=mode).convert() for page in PAGES]


@pytest.mark.parametrize("spec", RESOLVERS)
def test_the_link_of_a_base_element_is_the_one_of_its_record(spec):
    for page in PAGES:
        document = Document(page.encode(), url=URL, charset="utf-8", spec=spec)
        links = [link for link in document.links if link.role == "base"]
        long = [
            occurrence.link for number in document._outline.bases for occurrence in document._occurrences((number,))
        ]
        assert links == long
        assert document.problems == Document(page.encode(), url=URL, charset="utf-8", spec=spec).convert().problems


@given(st.sampled_from(["", "x", "<p>x</p>", "<base>", "<!-- <a href=x> -->", "<title><a href=x></title>"]), st.text())
def test_a_document_without_records_stays(page, text):
    data = (page + text.replace("<", "")).encode("utf-8", "replace")
    made = Document(data, url=URL).convert()
    assert made.data is data
    assert (made.links, made.rewritten) == (0, 0)
    assert made.base == linkfix.base_url(data, URL)


def test_the_text_of_a_value_is_that_of_its_long_way():
    values = ["x", "x&amp;y", "x&y", "\0", "ä", " x ", "a\r\nb", ""]
    document = Document("".join(f'<a href="{value}">' for value in values).encode(), charset="utf-8")
    records = [document._record(number) for number in range(len(values))]
    texts = [document._finder.text(record) for record in records]
    assert texts == [document._finder.value(record).text for record in records]
    assert texts[:4] == ["x", "x&y", "x&y", "\ufffd"]
