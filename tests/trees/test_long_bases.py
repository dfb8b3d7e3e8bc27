"""A long base is in the target of each link of a tree, too: the limit is that of documents."""

from __future__ import annotations

import lxml.etree
import pytest
from bs4 import BeautifulSoup
from scrapy.http import HtmlResponse
from selectolax.lexbor import LexborHTMLParser
from support.growth import assert_linear
from support.memory import peak
from support.tree_parsers import absolutize, document, every_parser, page, soup_by, written

from linkfix import Document, Envelope
from linkfix.hooks.scrapy import LinkExtractor

URL = "http://h/a/b"
LONG = "http://h/" + "x" * 100_000 + "/"
BASE = f"<base href='{LONG}'>"
#: Many references, each kind with the number of links beside that of the base.
MANY = {
    "plain": "<a href=y></a>" * 1000,
    "not ASCII": "<a href=é></a>" * 1000,
    "empty": "<a href=''></a>" * 1000,
    "local": "<style>a{b:url(#x)}</style>" * 1000,
    "srcset": "<img srcset='" + "a, " * 1000 + "'>",
    "css": "<p style='" + "b:url(a);" * 1000 + "'>",
    "srcdocs": "<iframe srcdoc='<a href=x>'></iframe>" * 1000,
    "a srcdoc": "<iframe srcdoc='" + "<a href=x></a>" * 1000 + "'></iframe>",
}


@pytest.fixture
def small(monkeypatch):
    for module in ("linkfix.document.document", "linkfix.trees.conversion"):
        monkeypatch.setattr(f"{module}.BASES", 1 << 20)


@every_parser
@pytest.mark.parametrize("kind", MANY)
@pytest.mark.usefixtures("small")
def test_references_are_unchanged(parse, kind):
    source = page(MANY[kind], BASE)
    tree = parse(source)
    before = written(tree)
    found = absolutize(tree, URL)
    links = [link for link in found.links if link.role != "base"]
    assert len(links) == 1000
    assert {(link.target, link.base, link.problem) for link in links} == {(None, None, "links-too-large")}
    assert {problem.code for problem in found.problems} == {"links-too-large"}
    assert (written(tree), found.rewritten, found.base.url) == (before, 0, LONG)
    of_bytes = Document(source.encode(), url=URL).links
    assert {link.problem for link in of_bytes if link.role != "base"} == {"links-too-large"}


@every_parser
@pytest.mark.usefixtures("small")
def test_few_references_and_absolute_ones_are_resolved(parse):
    found = absolutize(parse(page("<a href=y></a>", BASE)), URL)
    assert found.links[-1].target == LONG + "y"
    found = absolutize(parse(page(MANY["plain"] + "<a href='http://o/'></a><a href='mailto:a@b'></a>", BASE)), URL)
    assert [(link.target, link.problem) for link in found.links[-2:]] == [("http://o/", None), ("mailto:a@b", None)]


@pytest.mark.usefixtures("small")
def test_the_url_of_the_document_counts_too():
    assert absolutize(document(page(MANY["plain"])), LONG).links[-1].problem == "links-too-large"
    found = absolutize(document(page(MANY["local"], "<base href=http://h/>")), LONG)
    assert found.links[-1].problem == "links-too-large"


@pytest.mark.usefixtures("small")
def test_bases_of_elements_count_too():
    codebase = f"<applet codebase='{LONG}' archive='" + "a," * 1000 + "'></applet>"
    assert absolutize(document(page(codebase)), URL).links[-1].problem == "links-too-large"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' xml:base='{LONG}'>" + "<a href='y'/>" * 1000 + "</svg>"
    assert absolutize(lxml.etree.fromstring(svg), URL, spec="rfc3986").links[-1].problem == "links-too-large"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("xpaths", [(), ("//a",)])
def test_scrapys_links_count_too(xpaths):
    many, few = (
        HtmlResponse(URL, body="".join(f"<a href=y{number}></a>" for number in range(count)).encode())
        for count in (1000, 3)
    )
    for response, count in ((many, 0), (few, 3)):
        with_base = response.replace(body=BASE.encode() + response.body)
        assert len(LinkExtractor(restrict_xpaths=xpaths).extract_links(with_base)) == count


@pytest.mark.slow
@every_parser
def test_memory(parse):
    links = "".join(f"<a href=y{number}></a>" for number in range(9000))
    tree = parse(page(links, f"<base href='http://h/{'x' * 200_000}/'>"))
    before = peak()
    absolutize(tree, URL)
    assert peak() - before < 64 << 10


@pytest.mark.growth
@pytest.mark.parametrize("spec", ["whatwg", "rfc3986", "rfc2396", "rfc1808", "fielding1994"])
@pytest.mark.parametrize("value", ["./", "a/../", "%2e/"])
def test_a_base_around_many_references_is_resolved_once(value, spec):
    def source(size):
        own = value * size
        return f"<svg xmlns='http://www.w3.org/2000/svg' xml:base='{own}'>" + "<a href='y'/>" * size + "</svg>"

    def bytes_of(size):
        data = source(size).encode()
        envelope = Envelope(URL, media_type="image/svg+xml")
        return lambda: Document(data, envelope=envelope, spec=spec).convert()

    def tree_of(size):
        tree = lxml.etree.fromstring(source(size), lxml.etree.XMLParser(huge_tree=True))
        return lambda: absolutize(tree, URL, spec=spec)

    assert_linear(bytes_of, 500)
    assert_linear(tree_of, 500)


@pytest.mark.growth
@pytest.mark.parametrize("before", ["", "http-equiv='content-security-policy' content='x' "])
def test_an_element_with_many_attributes_takes_linear_time(before):
    def prepare(size):
        names = " ".join(f"a{number}='b'" for number in range(size))
        tree = lxml.etree.fromstring(f"<html xmlns='http://www.w3.org/1999/xhtml'><meta {before}{names}/></html>")
        return lambda: absolutize(tree, URL)

    assert_linear(prepare, 5_000)


def test_a_base_element_replaces_a_long_base():
    own = "<svg xmlns='http://www.w3.org/2000/svg' xml:base='http://o/d/'>" + "<a href='y'/>" * 10 + "</svg>"
    envelope = Envelope("http://h/" + "x" * (1 << 24), media_type="image/svg+xml")
    assert Document(own.encode(), envelope=envelope, spec="rfc3986").links[-1].target == "http://o/d/y"


@pytest.mark.growth
@pytest.mark.parametrize("parser", [soup_by("html.parser"), LexborHTMLParser], ids=["bs4", "selectolax"])
@pytest.mark.parametrize(
    ("around", "inside"),
    [
        ("<noscript>", "<meta http-equiv='content-security-policy' content='base-uri x'>"),
        ("<noscript>", "<base href=x>"),
        ("<div>", "<base href=x>"),
    ],
)
def test_deep_base_elements_take_linear_time(parser, around, inside):
    def whole(size):
        tree = parser("<p>x</p>" + around * size + inside * size)
        return lambda: absolutize(tree, URL)

    def part(size):
        tree = parser("<p>x</p>" + around * size + inside * size)
        top = tree.p if isinstance(tree, BeautifulSoup) else tree.css_first("p")
        return lambda: absolutize(top, URL)

    assert_linear(whole, 200)
    assert_linear(part, 200)
