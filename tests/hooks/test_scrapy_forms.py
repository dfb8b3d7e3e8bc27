"""Forms without an action go to the page, as in browsers, whatever BASE says."""

from __future__ import annotations

import warnings

import pytest
from form2request import form2request
from scrapy import FormRequest, Request
from scrapy.exceptions import ScrapyDeprecationWarning
from scrapy.http import HtmlResponse

from linkfix.hooks.scrapy import LinkfixMiddleware

URL = "http://h.example/dir/page?q=1"
BASE = "<base href='https://other.example/b/'>"


def processed(html, url=URL):
    response = HtmlResponse(url, body=html.encode(), headers={"Content-Type": "text/html; charset=utf-8"})
    return LinkfixMiddleware().process_response(Request(url), response)


def targets(response):
    """The URLs to which FormRequest and form2request send the first form."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScrapyDeprecationWarning)
        old = FormRequest.from_response(response, method="POST").url
    return {old, form2request(response.css("form"), method="POST").url}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("<form>", URL),
        ("<form action=''>", URL),
        ("<form action=' \n'>", URL),
        ("<form action='send'>", "https://other.example/b/send"),
        ("<form action='https://third.example/'>", "https://third.example/"),
    ],
)
def test_targets_of_forms(form, expected):
    assert targets(processed(f"{BASE}{form}<input name=a value=b></form>")) == {expected}


def test_targets_of_forms_with_the_pages_own_base():
    response = processed("<form><input name=a></form>")
    assert targets(response) == {URL}
    assert response.css("form::attr(action)").get() is None


def test_without_the_hook_they_go_to_the_base():
    response = HtmlResponse(URL, body=f"{BASE}<form></form>".encode(), encoding="utf-8")
    assert targets(response) == {"https://other.example/b/"}


def test_buttons_with_an_empty_formaction():
    response = processed(f"{BASE}<form action=send><button formaction=''>b</button></form>")
    assert (
        form2request(response.css("form"), click=response.css("button")[0].root).url.partition("?")[0]
        == (URL.partition("?")[0])
    )


def test_the_body_keeps_its_forms():
    response = processed(f"{BASE}<form></form><form action=''></form><a href=x>")
    assert response.css("form::attr(action)").getall() == [URL, URL]
    assert b"<form></form><form action=''></form><a href=https://other.example/b/x>" in response.body
    assert response.selector is response.selector
    assert response.replace(body=response.body).css("form::attr(action)").getall() == [URL, URL]
