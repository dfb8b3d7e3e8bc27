"""Crawl4AI: a page as Markdown, without a browser, with links resolved as in browsers.

Run it: `python examples/recipes/crawl4ai_markdown.py URL`.
"""

import asyncio
import sys

import requests
from crawl4ai import AsyncWebCrawler
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)


async def main() -> None:
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        result = await crawler.arun(f"raw:{page.text}")
    print(result.markdown)


asyncio.run(main())
