"""A crawl in a process of its own, since a reactor runs once: `spiders.py URL NAME=SETTING…` prints its finds."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

import linkfix.hooks.scrapy

#: Extensions that listen for somebody; the first is Scrapy's since 2.19.
QUIET = ["scrapy.extensions.remote_control.RemoteControl"] if find_spec("scrapy.extensions.remote_control") else []


class Everything(Spider):
    """Follows the links that Scrapy's extractor finds, and with `every` also linkfix's.

    `statuses`: URL -> the status of each page that either extractor found. `by_scrapy`: URLs that Scrapy's found.
    """

    name = "everything"
    allowed_domains = ("127.0.0.1",)
    handle_httpstatus_list = (404,)
    scrapys = LinkExtractor(
        tags=("a", "area", "link", "img", "iframe", "form"), attrs=("href", "src", "action"), deny_extensions=()
    )
    linkfixes = linkfix.hooks.scrapy.LinkExtractor(roles=("hyperlink", "resource", "form"))

    def __init__(self, url, *, every):
        super().__init__(start_urls=[f"{url}/"])
        self.every = every
        self.statuses = {}
        self.by_scrapy = set()

    def parse(self, response):
        self.statuses[response.url] = response.status
        links = self.scrapys.extract_links(response)
        self.by_scrapy.update(link.url for link in links)
        yield from response.follow_all(links)
        if self.every:
            yield from response.follow_all(self.linkfixes.extract_links(response))


def main(url, *settings):
    """Crawl, and print the finds as JSON."""
    given = dict(setting.split("=", 1) for setting in settings)
    process = CrawlerProcess(
        {
            "EXTENSIONS": dict.fromkeys(QUIET),
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "RETRY_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "LOG_LEVEL": "INFO",
            "DOWNLOAD_WARNSIZE": 0,
            "ADDONS": {"linkfix.hooks.scrapy.LinkfixAddon": 540},
            **given,
        }
    )
    crawler = process.create_crawler(Everything)
    process.crawl(crawler, url=url, every=given.get("LINKFIX_ENABLED") != "false")
    process.start()
    if process.bootstrap_failed:
        sys.exit(1)
    spider = crawler.spider
    stats = {name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, (int, str))}
    print(json.dumps({"statuses": spider.statuses, "by_scrapy": sorted(spider.by_scrapy), "stats": stats}))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
