"""A scraper with requests and parsel: the links of a page."""

from urllib.parse import urljoin

import requests
from parsel import Selector

import linkfix
from linkfix.hooks.generic import from_response


def before(response: requests.Response) -> list[str]:
    selector = Selector(text=response.text)
    base = urljoin(response.url, selector.css("base::attr(href)").get(""))
    return [urljoin(base, href) for href in selector.css("a::attr(href)").getall()]


def after(response: requests.Response) -> list[str]:
    return linkfix.hyperlinks(from_response(response).body, response.url)
