"""base-uri and framesets affect BASE in Chromium as in linkfix."""

from __future__ import annotations

import html

import pytest
from support.browser.chromium import Chromium, Response

from linkfix import Document

pytestmark = pytest.mark.browser

URL = "http://site.test/dir/page.html"
HREFS = (
    "http://base.test/b/",
    "/b/",
    "https://site.test/",
    "http://site.test:8080/",
    "mailto:a@b",
    "http://192.0.2.1/",
)
POLICIES = (
    "base-uri 'none'",
    "base-uri 'self'",
    "base-uri *",
    "base-uri http:",
    "base-uri base.test",
    "base-uri *.test:*",
    "base-uri http://base.test/b",
    "base-uri base.test/b/ 192.0.2.1",
    "base-uri http://site.test:80",
    "base-uri",
    "default-src 'none'",
    "base-uri base.test; base-uri 'none'",
)
FRAMES = (
    "<frameset>{}<frame></frameset>",
    "<frameset></frameset>{}",
    "<frameset><svg>{}</svg>{}",
    "<frameset><title>{}</title>",
    "{}<frameset></frameset>",
    "<p>{}<frameset></frameset>",
    "<p>\0{}<frameset></frameset>",
    "x{}<frameset></frameset>",
    "<p>{}<input type=hidden><frameset></frameset>",
    "<p>{}<input><frameset></frameset>",
    "<head></head>{}<template></template><frameset></frameset>",
    "<body>{}<frameset></frameset>",
)


def base_uri(browser: Chromium, source: str, policy: str | None = None) -> object:
    fields = (("Content-Security-Policy", policy),) if policy else ()
    page = Response(source.encode(), "text/html; charset=utf-8", fields)
    with browser.open(URL, {URL: page}) as opened:
        return opened.evaluate("document.baseURI")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("is_meta", [False, True])
def test_policies(browser: Chromium, policy: str, *, is_meta: bool) -> None:
    for href in HREFS:
        source = f'<base href="{href}">'
        if is_meta:
            source = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">{source}'
        field = None if is_meta else policy
        expected = Document(source, url=URL, content_security_policy=field).base.url or "mailto:a@b"
        assert base_uri(browser, source, field) == expected, href


@pytest.mark.parametrize("source", FRAMES)
def test_framesets(browser: Chromium, source: str) -> None:
    source = source.replace("{}", "<base href=/b/>")
    assert base_uri(browser, source) == Document(source, url=URL).base.url


def test_two_header_fields_are_two_policies(browser: Chromium) -> None:
    assert base_uri(browser, "<base href=/b/>", "base-uri 'self', base-uri 'none'") == URL
    assert base_uri(browser, "<base href=/b/>", "base-uri 'self', img-src *") == "http://site.test/b/"
