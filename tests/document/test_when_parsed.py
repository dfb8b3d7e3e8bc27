"""A reference before BASE has the base at the time when it is parsed: at once, or when it is used (HTML §2.4.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import for_each
from support.growth import assert_linear
from support.sizes import examples, sized

import linkfix
import linkfix.hooks.lxml
from linkfix import Document, Row
from linkfix.html import GROUPS, ROWS
from linkfix.html.vocabulary import AT_ONCE, is_parsed_at_once

URL = "https://h.test/d/p.html"
OWN, LATE = "https://h.test/d/", "https://h.test/b/"
BASE = '<base href="/b/">'
OPTIONS: dict[str, Any] = {group: True for group in GROUPS if group != "anchors"}

#: One reference, x, in each syntax.
VALUES = {
    "importmap": '{"imports":{"a":"./x"}}',
    "speculationrules": '{"prefetch":[{"urls":["x"]}]}',
    "json-ld": '{"@id":"x"}',
    "css": "a{b:url(x)}",
    "refresh": "5;url=x",
    "srcdoc": "<a href=x>",
}
FETCHED = ("stylesheet", "alternate STYLESHEET", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch")
NOT_FETCHED = ("icon", "shortcut icon", "apple-touch-icon", "manifest", "canonical", "alternate", "next", "")


def tag(row: Row, **more: str) -> str:
    """An element with the reference x in the row's place."""
    name, _, words = row.guard.partition("=")
    attributes = {**more, **({name: words.split(" ")[0]} if name else {})}
    value = VALUES.get(row.syntax, "x")
    if row.attribute:
        attributes[row.attribute] = value.removeprefix("a{").removesuffix("}") if row.syntax == "css" else value
    written = "".join(f" {key}='{text}'" for key, text in attributes.items())
    element = row.element if row.element != "*" else "q-q" if row.namespace == "html" else "g"
    text = value if not row.attribute else ""
    around = {"html": "", "svg": "svg", "mathml": "math"}[row.namespace]
    markup = f"<{element}{written}>{text}</{element}>"
    return f"<{around}>{markup}</{around}>" if around else markup


def targets(html: str, **fields: Any) -> list[str | None]:
    """The targets of a document's links, which its conversion and its tree have too."""
    document = Document(html, url=URL, **OPTIONS, **fields)
    links = [link for link in document.links if link.role != "base"]
    found: list[Any] = []
    document.rewrite(found.append)
    assert [link for link in found if link.role != "base"] == links
    converted = Document(document.convert().data, url="https://elsewhere.test/", **OPTIONS, **fields)
    assert [link.target for link in converted.links if link.role != "base"] == [link.target for link in links]
    return [link.target for link in links]


def tree_targets(html: str) -> list[str | None]:
    tree = lxml.html.document_fromstring(html)
    links = linkfix.hooks.lxml.absolutize(tree, URL, **OPTIONS).links
    return [link.target for link in links if link.role != "base"]


@for_each(
    (row for row in (*ROWS, *GROUPS["lazy"], *GROUPS["social"], *GROUPS["json_ld"]) if row.role != "base"),
    label=lambda row: f"{row.namespace} {row.element} {row.attribute} {row.guard}".rstrip(),
)
def test_each_row_states_the_time_of_parsing(row: Row) -> None:
    html = tag(row, codebase="") if row.role == "code" else tag(row)
    before = OWN if row.parsed == AT_ONCE else LATE
    assert targets(html + BASE)[-1] == f"{before}x"
    assert targets(BASE + html)[-1] == f"{LATE}x"
    if row.element not in {"html", "head", "body", "frame", "image"} and row.namespace == "html":
        assert tree_targets(html + BASE)[-1:] in ([f"{before}x"], [])


@pytest.mark.parametrize("rel", [*FETCHED, *NOT_FETCHED])
def test_a_link_with_a_type_that_is_fetched_at_once_is_parsed_at_once(rel: str) -> None:
    html = f'<link rel="{rel}" href=x><link href=x rel="{rel}">{BASE}<link rel="{rel}" href=x>'
    before = f"{OWN if rel in FETCHED else LATE}x"
    assert targets(html) == tree_targets(html) == [before, before, f"{LATE}x"]


def test_a_callers_row_can_state_the_time_of_parsing() -> None:
    at_once = Row("p", "data-own", "url", "resource", parsed=AT_ONCE)
    where = Row("i", "data-own", "url", "resource", parsed="data-now=yes maybe")
    html = f"<p data-own=x><i data-own=x></i><i data-own=x data-now='no YES'></i>{BASE}"
    expected = [f"{OWN}x", f"{LATE}x", f"{OWN}x"]
    assert targets(html, rows=(at_once, where)) == expected
    tree = lxml.html.document_fromstring(html)
    links = linkfix.hooks.lxml.absolutize(tree, URL, rows=(at_once, where)).links
    assert [link.target for link in links if link.role != "base"] == expected
    with pytest.raises(linkfix.InvalidOption, match="parsed 'now'"):
        Document("", rows=(Row("p", "x", "url", "resource", parsed="now"),)).convert()


def test_xml_stylesheets_come_before_any_base() -> None:
    xml = (
        '<?xml-stylesheet href="x"?><html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="icon" href="x"/>'
        '<base href="/b/"/><link rel="icon" href="x"/></head></html>'
    )
    links = linkfix.links(xml, URL, media_type="application/xhtml+xml")
    assert [link.target for link in links if link.role != "base"] == [f"{OWN}x", f"{LATE}x", f"{LATE}x"]


def test_xml_bases_are_resolved_against_the_base_so_far() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" xml:base="s/"><image href="x"/><a href="x"/></svg>'
    html = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{svg}<base href="/b/"/>{svg}</body></html>'
    links = [
        link for link in linkfix.links(html, URL, media_type="application/xhtml+xml") if link.element in {"image", "a"}
    ]
    assert [link.target for link in links] == [f"{OWN}s/x", f"{LATE}s/x", f"{LATE}s/x", f"{LATE}s/x"]


def test_without_a_fallback_there_is_no_base_before_base() -> None:
    document = Document('<img src=x><a href=x></a><base href="https://b.test/"><img src=x>')
    assert document.absolutize() == (
        '<img src=x><a href=https://b.test/x></a><base href="https://b.test/"><img src=https://b.test/x>'
    )
    assert [problem.code for problem in document.problems] == ["no-base"]


def test_a_base_that_cannot_be_used_changes_nothing() -> None:
    assert targets('<img src=x><base href="data:,"><img src=y>') == [f"{OWN}x", f"{OWN}y"]


def test_the_commented_base_of_the_original_is_used_from_its_position() -> None:
    saver = linkfix.Saver("Saver", bases=(linkfix.Candidate(linkfix.Layer.EMBEDDED, "/b/", "line 1", "", 12),))
    envelope = linkfix.Envelope(URL, saver=saver)
    html = '<img src=x> <!--<base href="/b/">--><img src=x>'
    assert [link.target for link in linkfix.links(html, envelope=envelope)] == [f"{OWN}x", f"{LATE}x"]


# BASE inserted instead of rewriting


@pytest.mark.parametrize(
    "html",
    [
        f"<img src=x><a href=x></a><link rel=icon href=x>{BASE}<img src=x>",
        '<html style="a:url(x)"><head profile=x><body><img src=x>',
        '<html manifest=x><img src=x><base href="data:,"><img src=x>',
        f'<iframe srcdoc="<img src=x>"></iframe>{BASE}<iframe srcdoc="<img src=x>"></iframe>',
        "<meta http-equiv=refresh content='5;url=x'><base href=https://b.test/><img src=x>",
    ],
)
def test_an_inserted_base_comes_too_late_for_some(html: str) -> None:
    document = Document(html, url=URL)
    conversion = Document(html, url=URL, base_element="insert").convert()
    moved = Document(conversion.data, url="https://elsewhere.test/y/")
    wanted = [link.target for link in document.links if link.role != "base"]
    assert [link.target for link in moved.links if link.role != "base"] == wanted
    assert conversion.links == len(document.links)


# The fast ways and the slow one

_PLACES = [
    *("<a href={0}>x</a>", "<img src='{0}'>", "<p style='b:url({0})'>", "<style>a{{b:url({0})}}</style>"),
    *("<link rel=icon href={0}>", "<link rel=stylesheet href={0}>", "<img srcset='{0} 1x, {0} 2x'>"),
    *(
        "<form action={0}></form>",
        "<meta http-equiv=refresh content='5;url={0}'>",
        "<video src={0} poster={0}></video>",
    ),
    *("<svg><use href={0}></use><a href={0}></a></svg>", "<iframe srcdoc='<img src={0}>'></iframe>"),
    "<object codebase=c/ classid={0} data={0}></object>",
]
_REFERENCES = ["x", "../y?a=1&amp;b", "/z", "//o.test/q", "#f", "", "é", "http://[", "https://o.test/", "a:b", "{{x}}"]
_REFERENCES += [
    "x^y?'&lt;",
    "x|y",
    "https:x",
    "HTTPS://o.test",
    "https://é.test/",
    "/../z",
    "/z?é",
    "//",
    "/",
    "' /z'",
    "data:,x",
    "/z#f",
]
tags = st.builds(str.format, st.sampled_from(_PLACES), st.sampled_from(_REFERENCES))
bases = st.sampled_from(
    [
        *("", BASE, "<base href='https://o.test/c/?d'>", "<base href=./>", "<base href=/>", "<template>"),
        *("<base href='ftp://o.test/'>", "<base href=' /b c/?'>", "<base href='//O.test'><base href=x>"),
        *("<base href='http://['><base href='data:,'>", "<base href=''>", "<base href='/{{x}}/'>", "<base href=/é/#é>"),
    ]
)


@settings(max_examples=examples(300))
@given(
    st.lists(tags, max_size=8),
    bases,
    st.lists(tags, max_size=8),
    st.sampled_from([URL, None]),
    st.sampled_from(["keep", "drop-href", "empty", "remove"]),
)
def test_the_ways_agree(before: list[str], base: str, after: list[str], url: str | None, mode: Any) -> None:
    html = "".join((*before, base, *after))
    quick = Document(html, url=url, base_element=mode)
    slow = Document(html, url=url, base_element=mode)
    slow.decider.__dict__["plain"] = lambda *_, **__: (None, None)
    assert quick.convert() == slow.convert()
    links: list[Any] = []
    slow.rewrite(links.append)
    assert quick.links == links
    assert quick.problems == slow.problems
    again = Document(quick.convert().data, url=url, base_element=mode)
    assert again.convert().data == again.source.html


@pytest.mark.growth
def test_a_base_at_the_end_takes_linear_time() -> None:
    one = "<link rel=icon href=x><img src='y'><a href=z>"

    def prepare(size: int) -> Callable[[], object]:
        html = (one * size + BASE).encode()
        return lambda: (linkfix.absolutize(html, url=URL), linkfix.links(html, url=URL))

    assert_linear(prepare, sized(1000))


def test_every_condition_is_written_as_words() -> None:
    conditions = {row.parsed for row in ROWS} - {"", AT_ONCE}
    assert all(one.partition("=")[2].split() for one in conditions)
    row = next(row for row in ROWS if row.parsed in conditions)
    assert is_parsed_at_once(row, {"rel": "x\fSTYLESHEET"}.get)
    assert not is_parsed_at_once(row, {"rel": "stylesheets"}.get)
