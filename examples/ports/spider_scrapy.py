"""A spider of Scrapy: the links of a response. The add-on of docs/scrapers/scrapy.md does it for all responses."""

from scrapy.http import HtmlResponse

import linkfix
from linkfix.hooks.generic import from_headers


def before(response: HtmlResponse) -> list[str]:
    return [response.urljoin(href) for href in response.css("a::attr(href)").getall()]


def after(response: HtmlResponse) -> list[str]:
    page = from_headers(response.url, response.headers.to_unicode_dict(), response.body)
    return linkfix.hyperlinks(page.body, response.url)
