"""With scripts on, the content of NOSCRIPT is text: BASE there does not count, and links there are still rewritten."""

from __future__ import annotations

from typing import Any

import bs4
import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from support.growth import assert_linear
from support.noscript import BASE, DOCUMENTS, PIECES
from support.sizes import examples, sized

import linkfix
import linkfix.hooks.bs4
import linkfix.hooks.lxml
import linkfix.hooks.selectolax
from linkfix import Document, Options
from linkfix.html import row_index
from linkfix.kernels.outline import Outline

URL = "https://h.test/d/p.html"
OWN, OTHER = URL, "https://h.test/b/"


@pytest.mark.parametrize("html", DOCUMENTS)
def test_the_base(html: str) -> None:
    off, on = (f"https://h.test{path}" if path else OWN for path in DOCUMENTS[html])
    html += "<a href=x>"
    assert Document(html, url=URL).base.url == Document(html, url=URL, scripting="off").base.url == off
    assert Document(html, url=URL, scripting="on").base.url == on
    assert Document(html, url=URL, scripting="on", base_element="insert").convert().base.url == on


def test_reasons_for_ignored_base_elements() -> None:
    base = Document(f"<noscript>{BASE}</noscript>", url=URL, scripting="on").base
    [candidate] = base.rejected
    assert candidate.reason == "in noscript, which is text if scripts run"
    assert candidate.start == len("<noscript>")


@pytest.mark.parametrize("mode", ["keep", "drop-href", "empty", "remove"])
def test_its_links_are_rewritten_and_its_base_stays(mode: Any) -> None:
    html = f'<noscript>{BASE}<meta http-equiv=refresh content="0;url=r"></noscript><p><noscript><img src=x></noscript>'
    conversion = Document(html, url=URL, scripting="on", base_element=mode).convert()
    assert conversion.data == (
        f'<noscript>{BASE}<meta http-equiv=refresh content="0;url=https://h.test/d/r"></noscript>'
        "<p><noscript><img src=https://h.test/d/x></noscript>"
    )
    assert (conversion.links, conversion.rewritten, conversion.problems) == (3, 2, ())


def test_its_links_go_by_the_bases_before_them() -> None:
    html = f"<noscript><img src=x></noscript>{BASE}<noscript><img src=x></noscript>"
    links = linkfix.links(html, URL, scripting="on")
    assert [link.target for link in links if link.role != "base"] == ["https://h.test/d/x", "https://h.test/b/x"]


def test_xml_knows_no_scripting_flag() -> None:
    xml = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><noscript>{BASE[:-1]}/></noscript></head></html>'
    xml = xml.replace("href=/b/", 'href="/b/"')
    assert Document(xml, url=URL, media_type="application/xhtml+xml", scripting="on").base.url == OTHER


@pytest.mark.parametrize(
    ("hook", "parse"),
    [
        (linkfix.hooks.lxml, lxml.html.document_fromstring),
        (linkfix.hooks.bs4, lambda html: bs4.BeautifulSoup(html, "html.parser")),
        (linkfix.hooks.selectolax, LexborHTMLParser),
    ],
)
def test_trees(hook: Any, parse: Any) -> None:
    html = f"<body><noscript>{BASE}<div><a href=x>x</a></div></noscript><a href=y>y</a>"
    for scripting, base in (("on", OWN), ("off", OTHER), (None, OTHER)):
        conversion = hook.absolutize(parse(html), URL, scripting=scripting)
        assert conversion.base.url == base
        folder = base.rpartition("/")[0]
        assert [link.target for link in conversion.links if link.role != "base"] == [f"{folder}/x", f"{folder}/y"]


def test_scripting_is_an_option() -> None:
    with pytest.raises(linkfix.InvalidOption, match="scripting"):
        Document("", scripting="yes").convert()  # type: ignore[arg-type]


# The content of a noscript changes nothing outside it

texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def records(html: str) -> list[tuple[Any, ...]]:
    """The records outside noscript; positions are relative to the document without the content of noscript."""
    data = html.encode()
    outline = Outline(row_index(Options()), data, 0, True)
    found = [outline.record(number) for number in range(outline.count)]
    return [(record.row, data[record.start : record.end]) for record in found if not record.in_noscript]


@settings(max_examples=examples(1000))
@given(texts, texts, texts)
def test_its_content_changes_nothing_outside(before: str, inside: str, after: str) -> None:
    head, tail = f"{before}<noscript>", f"</noscript>{after}"
    if is_text(before):
        assert records(head + inside + tail) == records(head + tail)


def is_text(before: str) -> bool:
    """Whether a noscript's start tag after `before` is one, and HTML's, so that its content is text."""
    data = f"{before}<noscript><a href=probe></noscript>".encode()
    outline = Outline(row_index(Options()), data, 0, True)
    return any(outline.record(number).in_noscript for number in range(outline.count))


@settings(max_examples=examples(500))
@given(texts, texts, texts, st.sampled_from(["keep", "insert", "remove"]))
def test_converting_twice_is_converting_once(before: str, inside: str, after: str, mode: Any) -> None:
    html = f"{before}<noscript>{inside}</noscript>{after}"
    once = Document(html, url=URL, scripting="on", base_element=mode).convert()
    again = Document(once.data, url=URL, scripting="on", base_element=mode)
    assert again.convert().data == once.data
    assert Document(html, url=URL, scripting="on").links == slow_links(Document(html, url=URL, scripting="on"))


def slow_links(document: Document[str]) -> list[linkfix.Link]:
    links: list[linkfix.Link] = []
    document.rewrite(links.append)
    return links


@pytest.mark.growth
@pytest.mark.parametrize("piece", ["<noscript>", "<noscript><a href=x></noscript>", "<p><noscript><svg></noscript>"])
def test_many_take_linear_time(piece: str) -> None:
    assert_linear(
        lambda size: lambda: linkfix.absolutize((piece * size).encode(), url=URL, scripting="on"), sized(1000)
    )
