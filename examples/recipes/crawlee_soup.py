"""Crawlee's BeautifulSoupCrawler: it follows links as browsers do, and `context.soup` has absolute links.

Run it: `python examples/recipes/crawlee_soup.py URL`.
"""

import asyncio
import sys

from crawlee.crawlers import BeautifulSoupCrawler, BeautifulSoupCrawlingContext

from linkfix.hooks.bs4 import absolutize
from linkfix.hooks.generic import from_headers

crawler = BeautifulSoupCrawler(configure_logging=False, max_requests_per_crawl=50)


@crawler.router.default_handler
async def handle(context: BeautifulSoupCrawlingContext) -> None:
    """In the place of `context.enqueue_links()`."""
    url, response = context.request.loaded_url, context.http_response
    page = from_headers(url, response.headers, await response.read())
    absolutize(context.soup, url, charset=page.encoding)
    links = [link.target for link in page.links if link.element == "a" and link.target]
    await context.add_requests([url for url in links if url.startswith("http")], strategy="same-hostname")

    print(url, *[a["href"] for a in context.soup.select("a[href]")], sep="\n  ")


asyncio.run(crawler.run(sys.argv[1:]))
