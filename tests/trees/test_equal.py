"""Trees against bytes: for every document of the fixtures, each parser's tree has the same links as the bytes.

differences.tsv lists each difference of a parser, with its cause. An unlisted difference fails, and so does a listed
one that no longer occurs.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import lxml.etree
import lxml.html
import parsel
import pytest
from bs4 import BeautifulSoup
from selectolax.lexbor import LexborHTMLParser
from support.fixtures_site import FIXTURES, MEDIA_TYPES

import linkfix
from linkfix import absolutize_tree

pytestmark = pytest.mark.filterwarnings("ignore:It looks like you're")  # one document is XHTML served as HTML

ROOT = "https://example.com/"
LISTED = Path(__file__).with_name("differences.tsv")


def soup_by(builder):
    return lambda text: BeautifulSoup(text, builder)


def lxml_html(text):
    return lxml.html.document_fromstring(text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def lxml_xml(text):
    return lxml.etree.fromstring(text.encode(), lxml.etree.XMLParser(encoding="utf-8")).getroottree()


HTML_PARSERS = {
    "lxml.html": lxml_html,
    "bs4 html.parser": soup_by("html.parser"),
    "bs4 lxml": soup_by("lxml"),
    "bs4 html5lib": soup_by("html5lib"),
    "parsel html": lambda text: parsel.Selector(text, type="html"),
    "selectolax": LexborHTMLParser,
}
XML_PARSERS = {
    "lxml.etree": lxml_xml,
    "bs4 lxml-xml": soup_by("lxml-xml"),
    "parsel xml": lambda text: parsel.Selector(text, type="xml"),
}
PARSERS = HTML_PARSERS | XML_PARSERS
every_parser = pytest.mark.parametrize("parser", PARSERS)

#: Causes that newer versions of Python's html.parser do not have: a sample, and the links in the versions that have it.
OF_PYTHON = {
    "charrefs": ('<a href="?a&copy=b">', "?a©=b"),
    "comments": ('<!----!><a href="x"><!---->', None),
    "scripts": ('<script><!--<script></script><a href="x"></script>', "x"),
}


class Page(NamedTuple):
    """A document: its name relative to the fixtures, its text, and the links of its bytes."""

    name: str
    url: str
    text: str
    charset: str
    links: Counter
    converted: frozenset


@cache
def pages(xml):
    found = []
    for path in sorted(path for folder in ("site", "saved") for path in (FIXTURES / folder).rglob("*")):
        media_type = MEDIA_TYPES.get(path.suffix)
        if media_type is None or (media_type != "text/html") != xml:
            continue
        name = path.relative_to(FIXTURES).as_posix()
        url = ROOT + quote(name)
        document = linkfix.Document(path.read_bytes(), url=url, media_type=media_type)
        encoding = document.encoding
        converted = linkfix.links(document.absolutize(), url, media_type=media_type)
        found.append(
            Page(
                name,
                url,
                encoding.decode(document.source.html[encoding.bom :]),
                encoding.name,
                facts(document.links),
                frozenset((link.element, link.attribute, link.reference) for link in converted),
            )
        )
    return found


def facts(links):
    return Counter((link.element, link.attribute, str(link.target)) for link in links)


def occurs(cause):
    if cause not in OF_PYTHON:
        return True
    sample, href = OF_PYTHON[cause]
    link = BeautifulSoup(sample, "html.parser").a
    return (link and link["href"]) == href


def listing():
    lines = LISTED.read_text("utf-8").splitlines()
    causes = [line[2:].partition(": ")[0] for line in lines if line.startswith("# ")]
    return causes, [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


def listed(parser):
    return sorted(row[1:6] for row in listing()[1] if row[0] == parser and occurs(row[6]))


@pytest.mark.slow
@every_parser
def test_links_equal_the_links_of_the_bytes(parser):
    found = []
    for page in pages(parser in XML_PARSERS):
        conversion = absolutized(PARSERS[parser](page.text), page)
        links = facts(conversion)
        for side, difference in (("missing", page.links - links), ("extra", links - page.links)):
            found += ((page.name, *fact, side) for fact in difference.elements())
    assert sorted(found) == listed(parser)


@pytest.mark.slow
@every_parser
def test_the_tree_has_the_targets_afterwards(parser):
    """A tree that is read again has the same targets, and each is the written text, or the text that the bytes keep."""
    for page in pages(parser in XML_PARSERS):
        tree = PARSERS[parser](page.text)
        first = absolutized(tree, page)
        again = absolutized(tree, page)
        assert facts(again) == facts(first), page.name
        others = [
            link
            for link in again
            if link.reference != link.target
            and (link.element, link.attribute, link.reference) not in page.converted
            and not differs(parser, page, link)
        ]
        assert others == [], page.name


def differs(parser, page, link):
    return (page.name, link.element, link.attribute, str(link.target), "extra") in listed(parser)


def absolutized(tree, page):
    return absolutize_tree(tree, page.url, charset=page.charset)


@pytest.mark.slow
def test_there_are_documents():
    assert len(pages(xml=False)) > 100
    assert len(pages(xml=True)) >= 4
    assert sum(page.links.total() for page in pages(xml=False)) > 1000


def test_each_difference_has_a_cause_that_is_explained():
    causes, rows = listing()
    assert {row[0] for row in rows} <= PARSERS.keys()
    assert {row[6] for row in rows} == set(causes)
    assert OF_PYTHON.keys() <= set(causes)
    assert rows == sorted(rows)
