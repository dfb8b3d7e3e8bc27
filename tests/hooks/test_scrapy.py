"""The hook of Scrapy, response by response; whole crawls are in test_scrapy_crawl."""

from __future__ import annotations

import copy
import logging
import pickle
import urllib.request
from pathlib import Path

import parsel
import pytest
import scrapy.linkextractors
import scrapy.utils.response
from itemloaders.processors import MapCompose
from scrapy import Request
from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, TextResponse
from scrapy.http import Response as AnyResponse
from scrapy.loader import ItemLoader
from scrapy.settings import BaseSettings
from scrapy.utils.response import get_base_url, open_in_browser
from scrapy.utils.test import get_crawler
from support.scraped_site import PAGES, targets

import linkfix.hooks.response
from linkfix import InvalidOption, Options, Row
from linkfix.hooks.scrapy import LinkExtractor, LinkfixAddon, LinkfixMiddleware, absolutize, settings_of

SITE = "http://site.example"
ADDONS = {"linkfix.hooks.scrapy.LinkfixAddon": 540}
URL = f"{SITE}/dir/page"
#: Pages whose BASE Scrapy misses, or in which it finds one that does not exist.
LATE = b"<!--" + b"-" * 5000 + b"--><base href='/late/'><a href=leaf>l</a><a href=#top>t</a>"
DECOYS = [
    b"<template><base href='/wrong/'></template>",
    b"<textarea><base href='/wrong/'></textarea>",
    b"<title><base href='/wrong/'></title>",
]


class OwnResponse(HtmlResponse):
    """A response of the class of somebody's own download handler."""

    attributes = (*HtmlResponse.attributes, "rendered")

    def __init__(self, *args, rendered=False, **kwargs):
        super().__init__(*args, **kwargs)
        self.rendered = rendered


def html(body, url=URL, *, kind=HtmlResponse, **fields):
    return kind(url, body=body, headers={"Content-Type": "text/html"} | fields.pop("headers", {}), **fields)


def through(response, *, meta=None, middleware=None):
    """A response once it went through the middleware."""
    request = Request(response.url or URL, meta=meta)
    return (middleware or LinkfixMiddleware()).process_response(request, response)


def of_site(path):
    entry = PAGES[path]
    kind = HtmlResponse if entry.type_ != "text/plain" else TextResponse
    return kind(SITE + path, body=entry.body, headers=[("Content-Type", entry.type_)] if entry.type_ else None)


def urls(links):
    return [link.url for link in links]


def crawler_of(**settings):
    return get_crawler(settings_dict={"ADDONS": ADDONS, **settings})


# The middleware


@pytest.mark.parametrize("path", [path for path, entry in PAGES.items() if entry.html and path != "/huge/page"])
def test_a_page_has_its_targets(path):
    response = through(of_site(path))
    assert targets(response.linkfix.links) == PAGES[path].absolute_targets(SITE)
    again = linkfix.links(response.body, response.url, charset=response.linkfix.encoding)
    assert targets(again) == PAGES[path].absolute_targets(SITE)
    assert {link.reference for link in again if link.role != "base" and ":" not in link.reference} <= {"#top"}


@pytest.mark.parametrize("path", [path for path, entry in PAGES.items() if not entry.html])
def test_responses_that_are_no_pages_keep_their_body(path):
    response = of_site(path)
    after = through(response)
    assert after.body is response.body
    assert after.headers == response.headers
    assert after.flags == []
    if isinstance(response, HtmlResponse):
        assert after.linkfix.left_alone == "not-html"
        assert after.urljoin("x") == response.urljoin("x")
    else:
        assert after is response


def test_html_for_scrapy_with_another_type():
    before = HtmlResponse(URL, body=b"<a href=leaf>", headers={"Content-Type": "application/vnd.wap.xhtml+xml"})
    after = through(before)
    assert (after.body, after.headers, after.flags) == (before.body, before.headers, [])
    assert (after.linkfix.links, after.linkfix.base, after.linkfix.left_alone) == ([], None, "")


def test_html_for_scrapy_without_a_type():
    assert b"http://site.example/dir/leaf" in through(HtmlResponse(URL, body=b"x <a href=leaf>")).body


def test_headers_fit_the_new_body():
    sent = {
        "Content-Length": "17",
        "Content-MD5": "x",
        "Set-Cookie": ["a=1", "b=2"],
        "Transfer-Encoding": "chunked",
        "X-Name": "é".encode("latin-1"),
    }
    response = through(html(b"<a href=leaf>l</a>", headers=sent))
    assert response.headers.getlist("Content-Length") == [str(len(response.body)).encode()]
    assert response.headers.getlist("Set-Cookie") == [b"a=1", b"b=2"]
    assert response.headers["X-Name"] == b"\xe9"
    assert "Content-MD5" not in response.headers
    assert "Transfer-Encoding" not in response.headers
    assert response.flags == ["linkfix"]


def test_an_unchanged_page_keeps_its_body_and_headers():
    before = html(b"<a href='http://a.example/'>a</a>", headers={"Content-Length": "17"}, flags=["cached"], status=203)
    after = through(before)
    assert after.body is before.body
    assert (after.headers, after.flags, after.status) == (before.headers, ["cached"], 203)
    assert after.linkfix.rewritten == 0


def test_a_coded_body_is_skipped(caplog):
    response = through(html(b"<a href=leaf>", headers={"Content-Encoding": "compress"}))
    assert response.linkfix.left_alone == "response-coded"
    assert "[response-coded]" in caplog.text
    assert through(html(b"<a href=leaf>", headers={"Content-Encoding": "identity"})).linkfix.rewritten == 1


def test_a_request_can_exclude_its_page():
    response = html(b"<a href=leaf>")
    assert through(response, meta={"linkfix": False}) is response
    assert through(response, meta={"linkfix": True}).flags == ["linkfix"]


def test_redirects_are_in_the_history():
    response = through(html(b"<p>"), meta={"redirect_urls": [f"{SITE}/1", f"{SITE}/2"]})
    assert [candidate.reference for candidate in response.linkfix.base.rejected] == [f"{SITE}/1", f"{SITE}/2"]


@pytest.mark.parametrize("encoding", ["cp1251", "windows-1251"])
def test_an_encoding_that_was_given_comes_first(encoding):
    body = "<meta charset=utf-8><a href='?q=поиск'>".encode("cp1251")
    response = through(html(body, encoding=encoding, headers={"Content-Type": "text/html; charset=utf-8"}))
    assert response.linkfix.links[0].target == f"{URL}?q=%EF%EE%E8%F1%EA"
    assert response.encoding == encoding


@pytest.mark.parametrize("encoding", ["cp932", "cp949", "big5hkscs", "euc_jp", "mac-roman", "iso2022_jp"])
def test_encodings_by_pythons_names(encoding):
    response = through(html(b"<a href=leaf>", encoding=encoding))
    assert response.linkfix.problems == ()


def test_an_encoding_that_scrapy_guessed_is_kept():
    response = through(html("<a href=leaf>поиск".encode()))
    assert response.linkfix.encoding == "windows-1252"
    assert response.encoding == "utf-8"


def test_the_second_middleware_leaves_the_response_alone(caplog, monkeypatch):
    monkeypatch.setattr(linkfix.hooks.response, "_warned", set())
    caplog.set_level(logging.DEBUG)
    first = through(html(b"<a href=leaf>"))
    assert through(first) is first
    assert through(first) is first
    assert [record.levelno for record in caplog.records if "hook-twice" in record.message] == [
        logging.WARNING,
        logging.DEBUG,
    ]


def test_a_response_without_a_url_passes():
    response = through(html(b"<a href=leaf>l</a><a href='http://a.example/'>a</a>", ""))
    assert [problem.code for problem in response.linkfix.problems] == ["response-url", "no-base"]
    assert response.urljoin("x") == "x"
    assert urls(LinkExtractor().extract_links(response)) == ["http://a.example/"]


# Joining


@pytest.mark.parametrize("body", DECOYS)
def test_a_decoy_is_no_base(body):
    response = through(html(body))
    assert response.urljoin("x") == f"{SITE}/dir/x"
    assert [request.url for request in response.follow_all(["x"])] == [f"{SITE}/dir/x"]
    assert response.follow("x").url == f"{SITE}/dir/x"


def test_a_late_base_holds_for_everything():
    response = through(html(LATE))
    assert response.urljoin("x") == f"{SITE}/late/x"
    assert response.css("a::attr(href)").getall() == [f"{SITE}/late/leaf", f"{SITE}/late/#top"]
    assert urls(scrapy.linkextractors.LinkExtractor().extract_links(response)) == [
        f"{SITE}/late/leaf",
        f"{SITE}/late/#top",
    ]
    assert response.follow(response.css("a")[0]).url == f"{SITE}/late/leaf"
    assert get_base_url(response) == f"{SITE}/late/"


def test_a_local_reference_that_stays_is_joined():
    response = through(html(b"<a href=#top>t</a>" + DECOYS[0]))
    assert response.css("a::attr(href)").getall() == ["#top"]
    assert urls(scrapy.linkextractors.LinkExtractor().extract_links(response)) == [f"{URL}#top"]


def test_queries_are_joined_in_the_pages_encoding():
    response = through(html(b"<meta charset=windows-1251>"))
    assert response.urljoin("?q=поиск") == f"{URL}?q=%EF%EE%E8%F1%EA"
    assert response.urljoin(" \\x/%2e%2e/y ") == f"{SITE}/y"
    assert response.urljoin("http://[") == "http://["


def test_requests_from_utf_16_are_written_in_utf_8():
    page = html("\ufeff<a href='?q=é'>1</a>".encode("utf-16-le"))
    response = through(page)
    assert response.follow("?q=é").url == f"{URL}?q=%C3%A9"
    assert response.follow("x", headers={"A": "b"}).headers == {b"A": [b"b"]}
    assert [request.url for request in response.follow_all(css="a")] == [f"{URL}?q=%C3%A9"]
    assert response.follow("x", encoding="cp1251").encoding == "cp1251"
    assert through(html(b"", encoding="cp1251")).follow("x").encoding == "cp1251"


def test_follow_all_skips_references_without_a_request():
    response = through(html(b"<a href='http://['>1</a><a href=mailto:a@b.example>2</a><a>3</a><a href=leaf>4</a>"))
    wanted = [f"{SITE}/dir/leaf"]
    assert [request.url for request in response.follow_all(css="a")] == wanted
    assert [request.url for request in response.follow_all(xpath="//a/@href")] == wanted
    assert [request.url for request in response.follow_all(response.css("a"), priority=3)] == wanted
    assert [request.url for request in response.follow_all(response.css("a::attr(href)").getall())] == wanted
    assert [request.url for request in response.follow_all([])] == []
    with pytest.raises(ValueError, match="exactly one"):
        response.follow_all(["x"], css="a")
    with pytest.raises(ValueError, match="exactly one"):
        response.follow_all()


def test_a_base_that_is_no_url_does_not_raise():
    """Scrapy's `response.css` does, and its middleware for refreshes, on the page as it was sent."""
    body = b"<base href='http://['><meta http-equiv=refresh content='0; url=next'><a href=leaf>l</a>"
    if hasattr(scrapy.selector.unified, "get_base_url"):  # selectors have the page's base since 2.12
        with pytest.raises(ValueError, match="IPv6"):
            html(body).css("a")
    response = through(html(body))
    assert response.css("a::attr(href)").get() == f"{SITE}/dir/leaf"
    assert scrapy.utils.response.get_meta_refresh(response) == (0.0, f"{SITE}/dir/next")


def test_bases_in_another_attribute_of_scrapy(monkeypatch):
    monkeypatch.delattr(scrapy.utils.response, "_baseurl_cache")
    assert through(html(LATE)).urljoin("x") == f"{SITE}/late/x"


# The response after conversion


def test_replace_keeps_it_working():
    response = through(html(LATE))
    for new in (response.replace(status=404), response.copy(), copy.copy(response), response.replace(body=b"<p>")):
        assert new.linkfix is response.linkfix
        assert new.urljoin("x") == f"{SITE}/late/x"
        assert get_base_url(new) == f"{SITE}/late/"
        assert type(new) is type(response)
    assert type(response.replace(cls=HtmlResponse)) is HtmlResponse


def test_another_url_is_another_base():
    response = through(html(b"<a href=leaf>"))
    assert response.replace(url="http://b.example/x/").urljoin("y") == "http://b.example/x/y"
    assert response.replace(url="nonsense").urljoin("y") == f"{SITE}/dir/y"
    assert through(html(LATE)).replace(url="http://b.example/x/").urljoin("y") == "http://b.example/late/y"
    left_alone = through(of_site("/png/page"))
    assert left_alone.replace(url=URL).urljoin("y") == f"{SITE}/dir/y"


def test_the_class_of_a_response_is_kept():
    response = through(html(b"<a href=leaf>", kind=OwnResponse, rendered=True))
    assert isinstance(response, OwnResponse)
    assert response.rendered
    assert type(response) is type(through(html(b"", kind=OwnResponse)))
    if hasattr(HtmlResponse, "to_dict"):  # since 2.19
        assert response.to_dict()["_class"].endswith(".OwnResponse")


@pytest.mark.parametrize(
    "again",
    [
        lambda response: pickle.loads(pickle.dumps(response)),  # noqa: S301
        copy.deepcopy,
        pytest.param(
            lambda response: scrapy.utils.response.response_from_dict(response.to_dict()),
            marks=pytest.mark.skipif(
                not hasattr(scrapy.utils.response, "response_from_dict"), reason="Scrapy has it since 2.19"
            ),
        ),
    ],
)
def test_a_stored_response_needs_no_linkfix(again):
    response = through(html(b"<base href=/b/><a href=leaf>"))
    assert response.selector
    stored = again(response)
    assert type(stored) is HtmlResponse
    assert (stored.body, stored.url, stored.flags) == (response.body, URL, ["linkfix"])
    assert through(stored).body == response.body


def test_an_unprocessed_response_of_that_class():
    kind = type(through(html(b"")))
    assert kind(URL, body=LATE).urljoin("x") == f"{SITE}/dir/x"


def as_opened(response):
    """The file that Scrapy writes for a browser."""
    opened = []
    open_in_browser(response, _openfunc=opened.append)
    written = Path(urllib.request.url2pathname(opened[0].removeprefix("file://")))
    data = written.read_bytes()
    written.unlink()
    return data


def test_a_page_in_a_browser_has_its_base():
    if not as_opened(html(b"<p>")).startswith(b"<base "):
        pytest.skip("this Scrapy adds a base only to a head (before 2.13)")
    assert as_opened(through(html(LATE))).startswith(b'<base href="http://site.example/late/">')


# Settings


def test_every_field_has_a_setting():
    given = {
        "LINKFIX_ENABLED": "true",
        "LINKFIX_MAX_SIZE": "1000",
        "LINKFIX_MEDIA_TYPES": "text/html,image/svg+xml",
        "LINKFIX_DEFAULT_BASE": "http://d.example/",
        "LINKFIX_SPEC": "rfc2396",
        "LINKFIX_EXCESS_DOTS": "drop",
        "LINKFIX_SAME_SCHEME": "relative",
        "LINKFIX_FRAGMENTS": "absolutize",
        "LINKFIX_NORMALIZE": "1",
        "LINKFIX_BASE_ELEMENT": "remove",
        "LINKFIX_SCRIPTING": "on",
        "LINKFIX_LAZY": "true",
        "LINKFIX_SOCIAL": True,
        "LINKFIX_JSON_LD": "True",
        "LINKFIX_ROWS": [("x-a", "to", "url", "hyperlink")],
        "LINKFIX_KEEP": "operator.truth",
        "LINKFIX_SRCDOC_DEPTH": 2,
        "LINKFIX_PLAIN_TEXT": "1",
        "LINKFIX_HEADER_FIELDS": "1",
        "LINKFIX_ESCAPE_AMPERSANDS": "1",
        "LINKFIX_FEED_BASE": "item",
        "LINKFIX_TEMPLATES": "1",
        "LINKFIX_OBJECT_PARAMS": "1",
        "LINKFIX_CONDITIONAL_COMMENTS": "1",
        "LINKFIX_PLACEHOLDERS": "*|*|*,%%*%%",
        "LINKFIXTURE": "none of them",
    }
    made = settings_of(BaseSettings(given))
    assert (made.max_size, made.media_types, made.default_base) == (
        1000,
        {"text/html", "image/svg+xml"},
        "http://d.example/",
    )
    assert made.options == Options(
        spec="rfc2396",
        excess_dots="drop",
        same_scheme="relative",
        fragments="absolutize",
        normalize=True,
        base_element="remove",
        scripting="on",
        lazy=True,
        social=True,
        json_ld=True,
        plain_text=True,
        header_fields=True,
        escape_ampersands=True,
        feed_base="item",
        templates=True,
        object_params=True,
        conditional_comments=True,
        placeholders=("*|*|*", "%%*%%"),
        rows=(Row("x-a", "to", "url", "hyperlink"),),
        keep=made.options.keep,
        srcdoc_depth=2,
    )
    assert made.options.keep("x")
    fields = {name.removeprefix("LINKFIX_").lower() for name in given if name.startswith("LINKFIX_")}
    known = linkfix.hooks.response.SettingFields.__annotations__.keys()
    assert fields - {"enabled"} == known - {"anchors", "locate", "move"}
    assert settings_of(BaseSettings()) == linkfix.hooks.response.Settings()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LINKFIX_MAX_SIZE", "much", "invalid literal"),
        ("LINKFIX_MAX_SIZE", "-1", "LINKFIX_MAX_SIZE='-1': expected a whole number of bytes, 0 or more"),
        ("LINKFIX_SRCDOC_DEPTH", -1, "LINKFIX_SRCDOC_DEPTH=-1: expected a whole number, 0 or more"),
        ("LINKFIX_LAZY", "no", "boolean"),
        ("LINKFIX_KEEP", "os.sep", "LINKFIX_KEEP='os.sep': expected a function of a URL"),
        ("LINKFIX_MEDIA_TYPES", "image/png", "linkfix reads text/html"),
        ("LINKFIX_DEFAULT_BASE", "/x", "cannot be a base URL"),
        ("LINKFIX_SPEC", "rfc9999", "choose one of"),
        ("LINKFIX_EXCESS_DOTS", "drop", "excess_dots"),
        ("LINKFIX_FRAGMENTS", "drop", "'keep' or 'absolutize'"),
        ("LINKFIX_FRAGMENTS", [], "LINKFIX_FRAGMENTS"),
        ("LINKFIX_LAZY", "maybe", "boolean"),
        ("LINKFIX_ROWS", [("a", "b", "c", "d")], "syntax 'c'"),
        ("LINKFIX_ROWS", ["a"], "Row"),
        ("LINKFIX_KEEP", "no.such.thing", "No module"),
        ("LINKFIX_KEEP", "operator.nothing", "nothing"),
        ("LINKFIX_LAYZ", True, "unknown setting LINKFIX_LAYZ: use one of LINKFIX_ENABLED"),
        ("LINKFIX_ENABLED", "perhaps", "boolean"),
    ],
)
def test_a_wrong_setting_is_named(name, value, said):
    with pytest.raises(InvalidOption, match=name) as error:
        LinkfixMiddleware.from_crawler(get_crawler(settings_dict={name: value}))
    assert said in str(error.value)


def test_the_addon_installs_the_middleware_in_the_right_position():
    crawler = crawler_of()
    methods = DownloaderMiddlewareManager.from_crawler(crawler).methods["process_response"]
    order = [type(method.__self__).__name__ for method in methods]
    place = order.index("LinkfixMiddleware")
    assert order[place - 1 : place + 2] == ["HttpCompressionMiddleware", "LinkfixMiddleware", "MetaRefreshMiddleware"]
    assert "RedirectMiddleware" in order[:place]


def test_the_middleware_is_installed_once():
    by_hand = {"linkfix.hooks.scrapy.LinkfixMiddleware": 100}
    assert crawler_of(DOWNLOADER_MIDDLEWARES=by_hand).settings.getdict("DOWNLOADER_MIDDLEWARES") == by_hand


def test_it_can_be_off():
    crawler = crawler_of(LINKFIX_ENABLED=False)
    assert LinkfixMiddleware not in crawler.settings.getdict("DOWNLOADER_MIDDLEWARES")
    with pytest.raises(NotConfigured, match="LINKFIX_ENABLED"):
        LinkfixAddon().update_settings(crawler.settings)
    with pytest.raises(NotConfigured, match="LINKFIX_ENABLED"):
        LinkfixMiddleware.from_crawler(crawler)


def test_settings_work_and_statistics_count():
    crawler = crawler_of(LINKFIX_FRAGMENTS="absolutize", LINKFIX_MAX_SIZE=100)
    middleware = LinkfixMiddleware.from_crawler(crawler)
    page = html(b"<a href=#x>1</a><a href='http://['>2</a><a href=y>3</a>")
    assert through(page, middleware=middleware).css("a::attr(href)").get() == f"{URL}#x"
    through(html(b" " * 101), middleware=middleware)
    through(TextResponse(URL, body=b"<a href=x>"), middleware=middleware)
    counted = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith("linkfix/")}
    assert counted == {
        "linkfix/responses": 2,
        "linkfix/rewritten": 2,
        "linkfix/problems/unresolvable": 1,
        "linkfix/left_alone/too-large": 1,
        "linkfix/problems/too-large": 1,
    }


# The item loader's processor


class Loader(ItemLoader):
    default_item_class = dict
    url_in = absolutize
    image_in = MapCompose(str.strip, absolutize)


@pytest.mark.parametrize("looked_at", [False, True])
def test_a_loaders_urls_are_absolute(looked_at):
    page = html(b"<!--" + b"-" * 5000 + b"--><meta charset=cp1251><base href=/late/>")
    loader = Loader(response=through(page) if looked_at else page)
    loader.add_value("url", ["leaf", "http://[", "", None, 7, "?q=и", "mailto:a@b.example"])
    loader.add_value("url", "one")
    loader.add_value("image", [" a.png ", "http://b.example/"])
    late = f"{SITE}/late/"
    assert loader.load_item() == {
        "url": [f"{late}leaf", "http://[", "", None, 7, f"{late}?q=%E8", "mailto:a@b.example", f"{late}one"],
        "image": [f"{late}a.png", "http://b.example/"],
    }


def test_a_loader_without_a_response_keeps_its_values():
    loader = Loader(selector=parsel.Selector("<p>"))
    loader.add_value("url", ["leaf"])
    assert loader.load_item() == {"url": ["leaf"]}
    assert absolutize("leaf") == "leaf"
    assert absolutize("leaf", {"response": AnyResponse(URL)}) == "leaf"


def test_the_processor_takes_one_value_or_several():
    context = {"response": html(b"")}
    leaf = f"{SITE}/dir/leaf"
    assert absolutize("leaf", context) == leaf
    for several in (["leaf"], ("leaf",), iter(["leaf"]), {"leaf"}):
        assert absolutize(several, context) == [leaf]
    assert absolutize({"a": "leaf"}, context) == {"a": "leaf"}
    assert absolutize(None, context) is None


def test_a_page_is_read_once_for_all_values(monkeypatch):
    context = {"response": html(LATE)}
    absolutize("leaf", context)
    monkeypatch.setattr("linkfix.hooks.scrapy_response.absolutize", lambda _: pytest.fail("read again"))
    assert absolutize("leaf", context) == f"{SITE}/late/leaf"


NOSCRIPT = b'<head><noscript><base href="/b/"></noscript></head><a href="x">x</a>'


@pytest.mark.parametrize(
    ("meta", "flags", "given", "target"),
    [
        ({}, [], {}, "http://a.example/b/x"),
        ({}, [], {"LINKFIX_SCRIPTING": "on"}, "http://a.example/d/x"),
        ({"playwright": True}, [], {}, "http://a.example/d/x"),
        ({}, ["playwright"], {}, "http://a.example/d/x"),
        ({"playwright": True}, [], {"LINKFIX_SCRIPTING": "off"}, "http://a.example/b/x"),
        (
            {"playwright": True, "playwright_context_kwargs": {"java_script_enabled": False}},
            ["playwright"],
            {},
            "http://a.example/b/x",
        ),
    ],
)
def test_scripts_are_on_if_a_browser_rendered_the_page(meta, flags, given, target):
    request = Request("http://a.example/d/p", meta=meta)
    response = HtmlResponse(request.url, body=NOSCRIPT, flags=flags, request=request)
    fixed = LinkfixMiddleware(settings_of(BaseSettings(given))).process_response(request, response)
    assert fixed.css("a::attr(href)").get() == target
    if not given:
        assert absolutize("x", {"response": response}) == target
