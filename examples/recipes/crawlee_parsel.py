"""Crawlee's ParselCrawler: it follows links as browsers do, and `context.selector` has absolute links.

Run it: `python examples/recipes/crawlee_parsel.py URL`.
"""

import asyncio
import sys

from crawlee.crawlers import ParselCrawler, ParselCrawlingContext

from linkfix.hooks.generic import from_headers
from linkfix.hooks.parsel import absolutize

crawler = ParselCrawler(configure_logging=False, max_requests_per_crawl=50)


@crawler.router.default_handler
async def handle(context: ParselCrawlingContext) -> None:
    """In the place of `context.enqueue_links()`."""
    url, response = context.request.loaded_url, context.http_response
    page = from_headers(url, response.headers, await response.read())
    absolutize(context.selector, url, charset=page.encoding)
    links = [link.target for link in page.links if link.element == "a" and link.target]
    await context.add_requests([url for url in links if url.startswith("http")], strategy="same-hostname")

    print(url, *context.selector.css("a::attr(href)").getall(), sep="\n  ")


asyncio.run(crawler.run(sys.argv[1:]))
