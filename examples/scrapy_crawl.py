"""Scrapy: a spider that follows the links of a page, and prints the URL of each page.

Run it: `python examples/scrapy_crawl.py URL`.
"""

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess


class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {"ADDONS": {"linkfix.hooks.scrapy.LinkfixAddon": 540}}  # or in settings.py, for all spiders

    def parse(self, response: Any, **_: Any) -> Iterator[Any]:
        yield from response.follow_all(css="a::attr(href)")
        print(response.url)


process = CrawlerProcess({"DEPTH_LIMIT": 1, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False})
process.crawl(Pages, start_urls=sys.argv[1:])
process.start()
