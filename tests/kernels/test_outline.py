from __future__ import annotations

import pytest
from support.growth import processor_limit
from support.sizes import sized

from linkfix import Row
from linkfix.html import index_rows
from linkfix.kernels.outline import Outline, Record

META = [
    Row("meta", "content", "refresh", "hyperlink", "http-equiv=refresh"),
    Row("meta", "content", "url", "metadata", "property=og:url og:image"),
    Row("meta", "content", "url", "metadata", "name=twitter:url"),
    Row("meta", "content", "url", "resource", "itemprop"),
]
ROWS = [
    Row("a", "href", "url", "hyperlink"),
    Row("img", "src", "url", "resource"),
    Row("base", "href", "url", "base"),
    Row("style", "", "css", "resource"),
    Row("script", "", "importmap", "resource", "type=importmap"),
    Row("title", "", "css", "metadata"),
    Row("*", "style", "css", "resource"),
    Row("*", "data-a", "url", "resource", "b"),
    Row("*", "data-a", "srcset", "resource", "c=d"),
    Row("p", "data-a", "refresh", "resource"),
    Row("style", "", "css", "resource", namespace="svg"),
    Row("a", "href", "local-url", "hyperlink", namespace="svg"),
    *META,
]


def outline(data, rows=ROWS):
    return Outline(index_rows(rows), data, 0)


def records(data, rows=ROWS):
    found = outline(data, rows)
    return [found.record(number) for number in range(found.count)]


def values(data, rows=ROWS):
    """(element, attribute, syntax, raw value) of every record."""
    return [
        (record.row.element, record.row.attribute, record.row.syntax, data[record.start : record.end])
        for record in records(data, rows)
    ]


def test_a_record():
    data = b"<p><A Href='x'>"
    assert records(data) == [Record(ROWS[0], 12, 13, 3, 39)]
    assert outline(b"").count == 0


@pytest.mark.parametrize(
    ("data", "quote"), [(b'<a href="x">', 34), (b"<a href='x'>", 39), (b"<a href=x>", 0), (b"<a href>", 1)]
)
def test_the_quote(data, quote):
    assert records(data)[0].quote == quote


def test_only_text_after_the_start_is_read():
    assert Outline(index_rows(ROWS), b"<a href=x><a href=y>", 10).count == 1


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # §13.2.5.33: the first of duplicates wins, whatever its case
        (b"<a href=x HREF=y>", [("a", "href", "url", b"x")]),
        (b"<a href href=y>", [("a", "href", "url", b"")]),
        (b"<a x=1 href=y>", [("a", "href", "url", b"y")]),
        # attributes come in the order of the tag
        (b"<a style=x href=y>", [("*", "style", "css", b"x"), ("a", "href", "url", b"y")]),
        # §13.2.6.4.7: image is img, but SVG has an image of its own
        (b"<IMAGE src=x>", [("img", "src", "url", b"x")]),
        (b"<svg><image src=x>", []),
        # end tags have no attributes, tags that the data end in do not exist
        (b"</a href=x>", []),
        (b"<a href=x", []),
        # the rows of an element count; rows of "*" only if the element has none
        (b"<b data-a=x b>", [("*", "data-a", "url", b"x")]),
        (b"<b data-a=x c=d>", [("*", "data-a", "srcset", b"x")]),
        (b"<b data-a=x b c=d>", [("*", "data-a", "url", b"x")]),
        (b"<b data-a=x c=e>", []),
        (b"<unknown data-a=x b>", [("*", "data-a", "url", b"x")]),
        (b"<p data-a=x b>", [("p", "data-a", "refresh", b"x")]),
        # rows are a namespace's
        (b"<svg><a href=x>", [("a", "href", "local-url", b"x")]),
        (b"<svg><b style=x>", [("*", "style", "css", b"x")]),
        (b"<svg><g style=x>", []),
    ],
)
def test_rows_of_places(data, expected):
    assert values(data) == expected


@pytest.mark.parametrize(
    ("data", "syntax"),
    [
        (b"<meta http-equiv=refresh content=x>", "refresh"),
        (b"<meta content=x http-equiv=REFRESH>", "refresh"),
        # §2.3.3: a keyword of an enumerated attribute has no white space around it; a script's type may (§4.12.1.1)
        (b"<meta http-equiv=' refresh\n' content=x>", None),
        (b"<meta http-equiv=&#114;efresh content=x>", "refresh"),
        (b"<meta http-equiv='REFR&#69;SH' content=x>", "refresh"),
        (b"<meta http-equiv='&Tab;REFR&#69;SH' content=x>", None),
        (b"<meta http-equiv=x http-equiv=refresh content=x>", None),
        (b"<meta http-equiv=refreshed content=x>", None),
        (b"<meta http-equiv='re fresh' content=x>", None),
        (b"<meta http-equiv=&amp;refresh content=x>", None),
        (b"<meta http-equiv='' content=x>", None),
        (b"<meta http-equiv content=x>", None),
        (b"<meta content=x>", None),
        (b"<meta property=og:url content=x>", "url"),
        (b"<meta property=og:image content=x>", "url"),
        (b"<meta property='og:url og:image' content=x>", None),
        (b"<meta itemprop content=x>", "url"),
        (b"<meta itemprop=y content=x>", "url"),
        # one place has one row: the first whose guard holds
        (b"<meta name=twitter:url property=og:url content=x>", "url"),
        (b"<meta itemprop property=og:url http-equiv=refresh content=x>", "refresh"),
        (b"<meta itemprop property=og:url http-equiv=&#114;efresh content=x>", "refresh"),
        (b"<meta itemprop property=x http-equiv=a&amp;b content=x>", "url"),
    ],
)
def test_guards(data, syntax):
    assert [record.row.syntax for record in records(data)] == ([syntax] if syntax else [])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<style>a<b</style>", [("style", "", "css", b"a<b")]),
        (b"<style></style>", [("style", "", "css", b"")]),
        (b"<style>a", [("style", "", "css", b"a")]),
        (b"<style/>a</style>", [("style", "", "css", b"a")]),
        (b"<title><a href=x></title>", [("title", "", "css", b"<a href=x>")]),
        (b"<script type=importmap>{<!--</script>", [("script", "", "importmap", b"{<!--")]),
        (b"<script>a</script>", []),
        # foreign text goes to the next tag; comments and CDATA sections are part of it
        (b"<svg><style>a</style>", [("style", "", "css", b"a")]),
        (
            b"<svg><style>a<![CDATA[<b>]]><!--<c>--><!d>e</style>f",
            [("style", "", "css", b"a<![CDATA[<b>]]><!--<c>--><!d>e")],
        ),
        (b"<svg><style>a<a href=x>b</style>", [("style", "", "css", b"a"), ("a", "href", "local-url", b"x")]),
        (b"<svg><style/>a</style>", []),
        (b"<svg><style>a", [("style", "", "css", b"a")]),
        (b"<svg><style>a<![CDATA[<b>", [("style", "", "css", b"a<![CDATA[<b>")]),
        (b"<svg><style>a<", [("style", "", "css", b"a<")]),
    ],
)
def test_text(data, expected):
    assert values(data) == expected


def test_facts_of_a_record_about_a_text():
    html, foreign = records(b"<style>a</style><svg><style>b</style>")
    assert (html.text, html.foreign) == (True, False)
    assert (foreign.text, foreign.foreign) == (True, True)
    inside, outside = records(b"<template><style>a</style></template><style>b</style>")
    assert (inside.in_template, outside.in_template) == (True, False)


def test_bases():
    data = b"<a href=x><base><base href=y><svg><base href=z></svg><template><base href=w></template><base href=v>"
    found = outline(data)
    bases = [found.record(number) for number in found.bases]
    assert [data[base.start : base.end] for base in bases] == [b"y", b"w", b"v"]
    assert [base.in_template for base in bases] == [False, True, False]


@pytest.mark.parametrize(
    ("data", "head", "html", "doctype"),
    [
        (b"<!DOCTYPE html><html a><head b><p>", 31, 23, 15),
        (b"<p>", 0, 0, 0),
        (b"<head><head a>", 6, 0, 0),
        (b"<html><html a>", 0, 6, 0),
        # tags after which no base can stand
        (b"<template><html><head></template>", 0, 0, 0),
        (b"<title><head></title>", 0, 0, 0),
        (b"<svg><head/>", 12, 0, 0),
        (b"<svg><html></svg>", 0, 0, 0),
        (b"<p><!DOCTYPE html>", 0, 0, 0),
        (b"<!--a--></b><!DOCTYPE html><p>", 0, 0, 27),
        (b"<!DOCTYPE html", 0, 0, 0),
        (b"<head", 0, 0, 0),
    ],
)
def test_positions_for_a_base(data, head, html, doctype):
    found = outline(data)
    assert (found.head_end, found.html_end, found.doctype_end) == (head, html, doctype)


def test_the_cells_grow():
    found = records(b"<a href=x><a style=y>" * 1000)
    assert len(found) == 2000
    assert [record.tag_start for record in found[-2:]] == [999 * 21, 999 * 21 + 10]


@pytest.mark.growth
@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"<a " + b"b=c " * sized(1_000_000) + b"href=x>", 1),
        (b"<a " + b"href=x " * sized(1_000_000) + b">", 1),
        (b"<a " + b"".join(b"b%d " % number for number in range(sized(300_000))) + b"href=x>", 1),
        (b"<" + b"b" * sized(3_000_000) + b" style=x>", 1),
        (b"<svg>" + b"<style>" * sized(200_000), sized(200_000)),
        (b"<svg><style>" + b"<!--" * sized(1_000_000), 1),
        (b"<svg>" + b"<![CDATA[" * sized(1_000_000), 0),
        (b"<script>" + b"<!--<script>" * sized(500_000), 0),
        (b"<meta http-equiv='" + b"&amp;" * sized(500_000) + b"' content=x>", 0),
        (b"<a href=x" * sized(500_000) + b">", 1),
        (b"<!--" * sized(1_000_000), 0),
        (b"<title>" * sized(500_000), 1),
        (b"</title" * sized(500_000), 0),
        (b"<a href='" * sized(500_000), 0),
    ],
    ids=lambda value: value[:20].decode() if isinstance(value, bytes) else "",
)
def test_hostile_data_take_linear_time(data, count):
    with processor_limit(20):
        assert outline(data).count == count


def test_many_rows():
    """The vocabulary of a caller with many rows of his own is entered in time, and all of its rows count."""
    rows = [Row(f"e{number}", f"a{number}", "url", "resource") for number in range(300)]
    data = b"".join(b"<e%d a%d=x>" % (number, number) for number in range(300))
    assert [record.row for record in records(data, rows)] == rows
