"""Chromium's base for elements before a late BASE; a converted page loads the same URLs."""

from __future__ import annotations

import base64
import time

import pytest
from support.browser.chromium import Chromium, Page, Response

import linkfix

pytestmark = pytest.mark.browser

URL = "http://a.test/d/p.html"
ELSEWHERE = "http://c.test/e/p.html"
OWN, LATE = "http://a.test/d/x", "http://b.test/o/x"
BASE = '<base href="http://b.test/o/">'
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
#: Time to wait for further requests, in seconds.
PATIENCE = 0.2

#: Loaded at once, against the base that there is; Firefox and WebKit do the same.
AT_ONCE = {
    "img": "<img src=x>",
    "img srcset": "<img srcset='x 1x'>",
    "picture": "<picture><source srcset=x><img></picture>",
    "iframe": "<iframe src=x></iframe>",
    "lazy iframe": "<iframe src=x loading=lazy></iframe>",
    "stylesheet": "<link rel=stylesheet href=x>",
    "preload": "<link rel=preload as=image href=x>",
    "preload imagesrcset": "<link rel=preload as=image imagesrcset='x 1x'>",
    "prefetch": "<link rel=prefetch href=x>",
    "style": "<style>p{background:url(x)}</style><p>p</p>",
    "style for what follows": f"<style>u{{background:url(x)}}</style>{BASE}<u>u</u>",
    "import": "<style>@import 'x';</style>",
    "font": "<style>@font-face{font-family:f;src:url(x)}p{font-family:f}</style><p>p</p>",
    "style attribute": "<p style='background:url(x)'>p</p>",
    "svg image": "<svg><image href=x width=5 height=5 /></svg>",
    "feImage": "<svg><filter id=f><feImage href=x /></filter><rect filter='url(#f)' width=5 height=5 /></svg>",
    "srcdoc": "<iframe srcdoc='<img src=x>'></iframe>",
}
#: Scripts run.
SCRIPTS = {
    "script": "<script src=x></script>",
    "async script": "<script async src=x></script>",
    "deferred script": "<script defer src=x></script>",
    "module": "<script type=module src=x></script>",
    "svg script": "<svg><script href=x></script></svg>",
    "modulepreload": "<link rel=modulepreload href=x>",
    "import map": '<script type=importmap>{"imports":{"m":"./x"}}</script><script type=module>import "m"</script>',
}
#: Loaded against the base that there is when the browser comes to it, in all three engines: as a rule the late one if
#: a page comes in one piece, the page's own URL if the parser waits for more, or stops to let other tasks run, as it
#: does on a loaded machine. By the standard, it is parsed at once.
SOON = {
    "embed": "<embed src=x>",
    "object": "<object data=x></object>",
    "video": "<video src=x></video>",
    "video source": "<video><source src=x></video>",
    "audio": "<audio src=x preload=auto></audio>",
    "poster": "<video poster=x></video>",
    "input": "<input type=image src=x>",
    "lazy img": "<img src=x loading=lazy width=5 height=5>",
    "body": "<body background=x>",
    "cell": "<table><tr><td background=x>y</table>",
    "mask": "<svg><rect mask='url(x#y)' width=5 height=5 /></svg>",
}


def requested(browser: Chromium, html: str, url: str, *expected: str, scripts: bool = False) -> set[str]:
    """The URLs that a page loads, its own and the site's icon left out; one of `expected` is among them."""
    responses = {
        url: Response(html.encode(), "text/html; charset=utf-8"),
        OWN: Response(PNG, "image/png"),
        LATE: Response(PNG, "image/png"),
    }
    with browser.open(url, responses, scripts=scripts) as page:
        page.wait(lambda: any(request.url.partition("#")[0] in expected for request in page.requests))
        settle(page)
        return {request.url.partition("#")[0] for request in page.requests[1:] if "favicon" not in request.url}


def settle(page: Page) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        page.evaluate("0")
        time.sleep(0.02)


def converted(html: str) -> str:
    return linkfix.absolutize(html, url=URL)


def is_loaded(browser: Chromium, before: str, expected: str, *, scripts: bool = False) -> None:
    html = f"<!DOCTYPE html>{before}{BASE}"
    found = requested(browser, html, URL, expected, scripts=scripts)
    moved = requested(browser, converted(html), ELSEWHERE, expected, scripts=scripts)
    assert not any(url.startswith("http://c.test/") for url in moved)
    if found == {expected}:  # its preload scanner can be quicker than its parser, and take another base
        assert moved == found


@pytest.mark.parametrize("name", AT_ONCE)
def test_at_once(browser: Chromium, name: str) -> None:
    is_loaded(browser, AT_ONCE[name], OWN)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_at_once(browser: Chromium, name: str) -> None:
    is_loaded(browser, SCRIPTS[name], OWN, scripts=True)


@pytest.mark.parametrize("name", SOON)
def test_soon(browser: Chromium, name: str) -> None:
    html = f"<!DOCTYPE html>{SOON[name]}{BASE}"
    found = requested(browser, html, URL, OWN, LATE)
    assert found
    assert found <= {OWN, LATE}
    assert requested(browser, converted(html), ELSEWHERE, OWN) == {OWN}


def test_an_icon_is_loaded_when_it_is_shown(browser: Chromium) -> None:
    is_loaded(browser, "<link rel=icon href=x>", LATE)


@pytest.mark.parametrize("mode", ["keep", "drop-href", "empty", "remove", "insert"])
def test_requests_are_equal_with_every_base_element_mode(browser: Chromium, mode: str) -> None:
    html = f"<!DOCTYPE html><img src=x><p style='background:url(x)'>p</p>{BASE}<img src=z>"
    found = requested(browser, html, URL, OWN)
    assert found == {OWN, "http://b.test/o/z"}
    moved = linkfix.absolutize(html, url=URL, base_element=mode)  # type: ignore[arg-type]
    assert requested(browser, moved, ELSEWHERE, OWN) == found


def test_a_drawing_that_is_used(browser: Chromium) -> None:
    """It would not be loaded from another origin."""
    html = f"<svg><use href='x#y'/></svg>{BASE}"
    assert requested(browser, html, URL, OWN) == {OWN}
    assert linkfix.links(html, URL)[0].target == f"{OWN}#y"


def test_a_style_sheet_of_xml_comes_before_base(browser: Chromium) -> None:
    xml = (
        '<?xml-stylesheet href="x"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
        '<base href="http://b.test/o/"/></head><body/></html>'
    )
    with browser.open(URL, {URL: Response(xml.encode(), "application/xhtml+xml")}) as page:
        assert OWN in [request.url for request in page.requests]
    assert linkfix.links(xml, URL, media_type="application/xhtml+xml")[0].target == OWN
