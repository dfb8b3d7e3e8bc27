"""The link extractor, compared with Scrapy's."""

from __future__ import annotations

import inspect
from functools import partial

import pytest
import scrapy.http
import scrapy.linkextractors
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.link import Link
from scrapy.spiders import CrawlSpider, Rule
from support.growth import assert_linear
from support.scraped_site import PAGES

from linkfix import InvalidOption, Row
from linkfix.hooks.scrapy import LinkExtractor, LinkfixMiddleware

URL = "http://site.example/dir/page"
DIR = "http://site.example/dir/"

PAGE = b"""<!DOCTYPE html><title>t</title>
<a href="one.html">One <b>bold</b></a> <a href=" two?a=1&amp;b=2#f " rel="x nofollow">Two</a>
<map><area href="three.html" alt=x></map><a href="one.html">again</a><a href="file.pdf">file</a><a name=x>none</a>
<div id=main><a class=c href="http://other.example/four">Four</a><a href="mailto:a@b.example">mail</a></div>
<p><a href="">empty</a><a href="#top">top</a><img src=picture.jpg><link href=feed><a href="javascript:go('five')">5</a>
"""
MIXED = b"""<!DOCTYPE html><base href=/b/ target=_top><meta http-equiv=refresh content="9; url='refreshed'">
<link rel=next href=next><img src=1.png srcset="2.png 2x, 3.png 3x" data-src=lazy.png alt="no link"><a href=leaf>l</a>
<a ping="ping1 ping2" href="http://[">bad</a><form action=form></form>
<p style="background:url(4.png)" data-url=own>t</p>
<style>p{background:url(5.png)}</style><svg><a xlink:href=drawn>s</a><use href=#local></use></svg>
<meta property=og:image content=6.png><blockquote cite=cited></blockquote><a href="{{ template }}">t</a>
<iframe srcdoc="<a href=inner>i</a>"></iframe><object codebase=/c/ classid=7></object>"""


def html(body, url=URL, **fields):
    return HtmlResponse(url, body=body, encoding="utf-8", **fields)


def through(response):
    return LinkfixMiddleware().process_response(Request(response.url), response)


def found(body, *, looked_at=False, **arguments):
    """The URLs that an extractor finds, without the site's scheme and host."""
    response = through(html(body)) if looked_at else html(body)
    return [link.url.removeprefix("http://site.example") for link in LinkExtractor(**arguments).extract_links(response)]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"allow": r"\.html"},
        {"deny": ["one", "three"]},
        {"allow_domains": "other.example"},
        {"deny_domains": ["other.example"]},
        {"deny_extensions": ()},
        {"deny_extensions": "html"},
        {"restrict_css": "#main"},
        {"restrict_xpaths": ["//div", "//map"]},
        {"restrict_xpaths": ["//div", "//body"]},
        {"restrict_text": "One"},
        {"unique": False},
        {"canonicalize": True},
        {"tags": "a"},
        {"tags": "*"},
        {"tags": "*", "attrs": ("href", "src"), "deny_extensions": ()},
        {"tags": "*", "deny_tags": "a"},
        {"tags": ["img", "link"], "attrs": ["src", "href"], "deny_extensions": ()},
        {"tags": ["a", "area"], "deny_tags": "area"},
        {"attrs": ["href", "src"], "deny_attrs": ["href"]},
        {"process_value": lambda value: value.replace("one", "uno") if "two" not in value else None},
    ],
)
@pytest.mark.parametrize("looked_at", [False, True])
def test_it_finds_the_same_as_scrapys_extractor(arguments, looked_at):
    known = inspect.signature(scrapy.linkextractors.LinkExtractor).parameters.keys()
    if not {*arguments, *(["deny_tags"] if arguments.get("tags") == "*" else [])} <= known:
        pytest.skip('Scrapy has these arguments, and "*", since 2.17')
    response = through(html(PAGE)) if looked_at else html(PAGE)
    ours = LinkExtractor(**arguments).extract_links(response)
    assert ours == scrapy.linkextractors.LinkExtractor(**arguments).extract_links(response)
    assert ours or arguments.get("deny_attrs")


@pytest.mark.parametrize("nothing", [None, (), []])
@pytest.mark.parametrize("name", ["tags", "attrs"])
@pytest.mark.parametrize("roles", [(), "hyperlink"])
def test_empty_tags_and_attributes_select_nothing(nothing, name, roles):
    assert scrapy.linkextractors.LinkExtractor(**{name: nothing}).extract_links(html(PAGE)) == []
    assert LinkExtractor(**{name: nothing}, roles=roles).extract_links(html(PAGE)) == []


def test_defaults_are_scrapys():
    theirs = inspect.signature(scrapy.linkextractors.LinkExtractor).parameters
    ours = inspect.signature(LinkExtractor).parameters
    assert {name: ours[name].default for name in theirs} == {name: one.default for name, one in theirs.items()}
    assert list(ours)[: len(theirs)] == list(theirs)


def test_every_element_that_is_named_with_an_attribute():
    page = "<a href=a>1</a><span href=b>2</span><svg><a href=d>3</a></svg><p class=e id=f>4</p>"
    assert found(page, tags="*") == ["/dir/a", "/dir/b", "/dir/d"]
    assert found(page, roles="hyperlink") == ["/dir/a", "/dir/d"]
    assert found(page, tags="*", roles="hyperlink", attrs="href") == ["/dir/a", "/dir/b", "/dir/d"]


def test_positions_are_scrapys():
    ours = LinkExtractor(r"o", (), ["site.example"], (), ("//a",), "a", "href", True, False)
    scrapys = scrapy.linkextractors.LinkExtractor(r"o", (), ["site.example"], (), ("//a",), "a", "href", True, False)
    assert ours.extract_links(html(PAGE)) == scrapys.extract_links(html(PAGE))


def test_a_link_has_its_text_and_its_nofollow():
    first, second, *_ = LinkExtractor().extract_links(html(PAGE))
    assert first == Link(f"{DIR}one.html", "One bold")
    assert second == Link(f"{DIR}two?a=1&b=2#f", "Two", nofollow=True)


def test_matches_is_scrapys():
    extractor = LinkExtractor(allow=r"/x", deny_domains="other.example")
    assert extractor.matches("http://site.example/x")
    assert not extractor.matches("http://site.example/y")
    assert not extractor.matches("http://other.example/x")


ALL = (
    *("/b/refreshed", "/b/next", "/b/1.png", "/b/2.png", "/b/3.png", "/b/leaf", "/b/ping1", "/b/ping2", "/b/form"),
    *("/b/4.png", "/b/5.png", "/b/drawn", "/dir/page#local", "/b/cited", "/b/inner", "/c/7"),
)


@pytest.mark.parametrize("looked_at", [False, True])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["/b/leaf"]),
        ({"tags": "*", "attrs": "*", "deny_extensions": ()}, ALL),
        ({"tags": "img", "attrs": ["src", "srcset"], "deny_extensions": ()}, ["/b/1.png", "/b/2.png", "/b/3.png"]),
        ({"tags": "meta", "attrs": "content"}, ["/b/refreshed"]),
        ({"tags": "meta", "attrs": "content", "social": True, "deny_extensions": ()}, ["/b/refreshed", "/b/6.png"]),
        ({"roles": "hyperlink"}, ["/b/refreshed", "/b/leaf", "/b/ping1", "/b/ping2", "/b/drawn", "/b/inner"]),
        ({"roles": "hyperlink", "deny_attrs": "ping", "deny_tags": "meta"}, ["/b/leaf", "/b/drawn", "/b/inner"]),
        ({"roles": ["form", "metadata"]}, ["/b/form", "/b/cited"]),
        ({"roles": "resource", "tags": "img"}, ["/b/1.png", "/b/2.png", "/b/3.png"]),
        ({"roles": "resource", "tags": "img", "deny_extensions": "png"}, []),
        ({"roles": "resource", "tags": "img", "attrs": "data-src", "lazy": True}, ["/b/lazy.png"]),
        ({"tags": "p", "attrs": "data-url"}, ["/b/own"]),
        ({"tags": "*", "attrs": "data-url"}, ["/b/own"]),
        ({"roles": "resource", "attrs": "data-url"}, ["/b/own"]),
        ({"tags": "p", "attrs": "x-y", "rows": (Row("p", "data-url", "url", "form"),)}, []),
        ({"tags": ["a", "iframe"]}, ["/b/leaf", "/b/inner"]),
        ({"restrict_css": "svg", "tags": "*", "attrs": "*"}, ["/b/drawn", "/dir/page#local"]),
        ({"restrict_xpaths": "//svg/*", "tags": "*", "attrs": "xlink:href"}, ["/b/drawn"]),
        ({"restrict_xpaths": ["//a/@href", "//a/text()"]}, []),
    ],
)
def test_every_kind_of_link(arguments, expected, looked_at):
    assert found(MIXED, looked_at=looked_at, **arguments) == list(expected)


def test_a_value_that_was_processed_is_joined_by_the_base():
    body = b"<!--" + b"-" * 5000 + b"--><base href=/late/><a href=\"javascript:go('../x y')\">x</a>"
    extractor = LinkExtractor(process_value=lambda value: value.split("'")[1])
    assert [link.url for link in extractor.extract_links(html(body))] == ["http://site.example/x%20y"]
    unusable = LinkExtractor(process_value=lambda _: "http://[")
    assert unusable.extract_links(html(body)) == []


def test_the_base_is_the_pages_own():
    for decoy in (b"<template><base href=/wrong/></template>", b"<textarea><base href=/wrong/></textarea>"):
        assert found(decoy + b"<a href=leaf>l</a>") == ["/dir/leaf"]
    assert found(b"<!--" + b"-" * 5000 + b"--><base href=/late/><a href=leaf>l</a>") == ["/late/leaf"]


def test_queries_are_in_the_pages_encoding():
    for path in ("/windows-1251/header", "/windows-1251/meta", "/shift_jis/page", "/utf-16/page"):
        page = PAGES[path]
        response = HtmlResponse(f"http://site.example{path}", body=page.body, headers={"Content-Type": page.type_})
        wanted = page.absolute_targets("http://site.example")
        assert [link.url for link in LinkExtractor().extract_links(response)] == wanted
        assert [link.url for link in LinkExtractor().extract_links(through(response))] == wanted


def test_a_base_that_is_no_url_does_not_raise():
    body = b"<base href='http://['><a href=leaf>l</a><a href='http://['>b</a>"
    assert found(body) == found(body, looked_at=True) == ["/dir/leaf"]
    with pytest.raises(ValueError, match="IPv6"):
        scrapy.linkextractors.LinkExtractor().extract_links(html(body))


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (Response(URL, body=b"<a href=x>"), []),
        (TextResponse(URL, body=b""), []),
        (getattr(scrapy.http, "JsonResponse", TextResponse)(URL, body=b'{"a": "<a href=x>"}'), []),
        (TextResponse(URL, body=b"<a href=x>"), [f"{DIR}x"]),
        (
            XmlResponse(URL, body=b"<r><a href='x'/><x:a xmlns:x='http://www.w3.org/1999/xhtml' href='y'/></r>"),
            ["x", "y"],
        ),
        (html(b"<a href=x>", ""), []),
    ],
)
def test_other_responses(response, expected):
    found = [link.url for link in LinkExtractor().extract_links(response)]
    assert found == [url if url.startswith("http") else f"{DIR}{url}" for url in expected]


@pytest.mark.parametrize(
    "arguments", [{"roles": "base"}, {"roles": ["hyperlink", "image"]}, {"rows": (Row("a", "b", "c", "d"),)}]
)
def test_invalid_options_are_refused(arguments):
    with pytest.raises(InvalidOption):
        LinkExtractor(**arguments)


def test_options_that_there_are_not():
    with pytest.raises(TypeError, match="role"):
        LinkExtractor(role="hyperlink")


def test_in_a_rule():
    class Site(CrawlSpider):
        name = "site"
        rules = (Rule(LinkExtractor(roles="hyperlink", restrict_text="One|Two|^$")),)

    requests = list(Site()._requests_to_follow(through(html(PAGE))))
    assert [request.url for request in requests] == [f"{DIR}one.html", f"{DIR}two?a=1&b=2#f", f"{DIR}three.html"]
    assert requests[0].meta["link_text"] == "One bold"


def test_the_tree_is_unchanged():
    response = html(MIXED)
    before = response.selector.get()
    assert len(LinkExtractor(tags="*", attrs="*").extract_links(response)) > 5
    assert response.selector.get() == before


@pytest.mark.growth
def test_time_grows_with_the_page():
    def prepare(count):
        response = html(b"<div><p class=x>t</p><a href=x>" * count)
        response.selector  # noqa: B018 - parsed
        return partial(LinkExtractor(tags="*", attrs="*").extract_links, response)

    assert_linear(prepare, 1_000, factor=10)


@given(
    body=st.lists(
        st.sampled_from(
            (
                *("<a href=", "<base href=", "<svg>", "</svg>", "<template>", "<iframe srcdoc=", "'", '"', ">", " "),
                *("http://[", "http://a[b@h/", "//", "\\", "x", "?é", "#", "{{", "data:", "srcset=", "ftp://[::1]:9/x"),
                *("<meta http-equiv=refresh content='0; url=", "<style>@import ", "&#0;", "\0", "\ufffd", "<math>"),
            )
        ),
        max_size=25,
    ).map("".join)
)
def test_nothing_raises(body):
    response = html(body.encode())
    for page in (response, through(response)):
        for link in LinkExtractor(tags="*", attrs="*", deny_extensions=()).extract_links(page):
            assert link.url.startswith(("http:", "https:", "ftp:", "file:"))
        for request in through(response).follow_all(css="a"):
            assert ":" in request.url


LATE = (
    b"<link rel=stylesheet href=s><link rel=canonical href=c><img src=i><a href=a>a</a><p style='b:url(u)'>p</p>"
    b'<base href="/b/"><img src=j><a href=k>k</a>'
)


@pytest.mark.parametrize("processed", [False, True])
@pytest.mark.parametrize("restricted", [False, True])
def test_references_parsed_before_base_keep_the_pages_own_url(processed, restricted):
    response = HtmlResponse("http://a.example/d/p", body=b"<body><div>%b</div>" % LATE)
    if processed:
        response = LinkfixMiddleware().process_response(Request(response.url), response)
    extractor = LinkExtractor(
        roles=("hyperlink", "resource"), restrict_xpaths=("//p", "//img", "//a", "//link") if restricted else ()
    )
    found = {link.url.removeprefix("http://a.example") for link in extractor.extract_links(response)}
    assert found == {"/d/s", "/b/c", "/d/i", "/b/a", "/d/u", "/b/j", "/b/k"}
