"""Crawls of the whole site with the add-on and without, each by a Scrapy of its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from urllib.parse import unquote

import pytest
from support.paths import TESTS
from support.running import ENVIRONMENT
from support.scraped_site import LEAVES, PAGES, REDIRECTED

pytestmark = pytest.mark.slow

_SPIDERS = TESTS / "support" / "spiders.py"

#: URL that a crawl without the add-on misses -> reason.
MISSED = {
    "/a&b/leaf": "get_base_url does not decode character references",
    "/base-attribute/leaf": "it reads a BASE in the value of an attribute",
    "/base-svg/leaf": "it reads a base element of SVG as BASE",
    "/base-template/leaf": "it reads a BASE in a template",
    "/base-textarea/leaf": "it reads a BASE in the text of a textarea",
    "/base-title/leaf": "it reads a BASE in the text of a title",
    "/late/leaf": "it reads 4,096 characters",
    "/real/leaf": "it reads the BASE in a template, and not the real one",
    "/plain/back": "urljoin keeps a backslash",
    "/plain/dots": "urljoin keeps %2e%2e",
    "/plain/dir/a//b": "urljoin drops an empty segment",
    "/utf-16/page?q=%C3%A9": "requests from a page in UTF-16 are written in UTF-16",
    "/windows-1251/header?%88=%26%2326085%3B": "what is not in the page's encoding is written in UTF-8",
    "/more/refreshed": "a refresh is no attribute that holds one URL",
    "/more/2.png": "nor is srcset",
    "/more/3.png": "nor is srcset",
    "/more/4.png": "nor is style",
}
#: URLs in pages with absolute links that only linkfix's extractor finds, not Scrapy's own.
BEYOND_SCRAPY = {
    "/more/refreshed",
    "/more/2.png",
    "/more/3.png",
    "/more/4.png",
    "/utf-16/page?q=%C3%A9",  # it writes URLs that are absolute already in UTF-16
}
#: URL that Scrapy's extractor finds although the site does not have it -> reason.
STRAYS = {
    "/png/leaf": "a picture is read as HTML",
    "/text/leaf": "a text is read as HTML",
    '/json//"leaf/"': "JSON is read as HTML",
    '/"leaf/"': "linkfix reads that page as HTML: it is not there",
    "/utf-16/page?q\0=\0%\0C\x003\0%\0A\x009\0": "a URL in UTF-16",
}


def paths(urls, site):
    """URLs in the site's spelling: Scrapy writes `?` without a query and backslashes in its own way."""
    found = (url.removeprefix(site.url).partition("#")[0].removesuffix("?") for url in urls)
    return {path.replace("%5C", "\\") for path in found if not path.startswith(("http:", "https:", "mailto:"))}


def start(site, *settings):
    command = [sys.executable, str(_SPIDERS), site.url, *settings]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    with process:
        found, log = process.communicate()
    return json.loads(found) if found else None, log


@pytest.fixture(scope="module")
def crawls(site):
    """The finds and the logs of the crawls with and without the add-on."""
    return [finish(process) for process in (start(site), start(site, "LINKFIX_ENABLED=false"))]


@pytest.fixture(scope="module")
def with_addon(crawls):
    return crawls[0]


@pytest.fixture(scope="module")
def without(crawls):
    return crawls[1]


def there(found, site):
    return paths((url for url, status in found["statuses"].items() if status == 200), site)


def absent(found, site):
    return {unquote(path) for path in paths((url for url, status in found["statuses"].items() if status == 404), site)}


def test_with_the_addon_every_page_is_found(with_addon, site):
    found, _ = with_addon
    assert there(found, site) == PAGES.keys() | LEAVES
    assert absent(found, site) == STRAYS.keys()


def test_a_crawl_with_the_addon_has_no_errors(with_addon):
    found, log = with_addon
    assert "Traceback" not in log
    assert found["stats"]["finish_reason"] == "finished"
    assert "log_count/ERROR" not in found["stats"]
    assert found["stats"]["linkfix/left_alone/not-html"] == 2
    assert found["stats"]["linkfix/problems/unresolvable"] == 1
    assert found["stats"]["linkfix/rewritten"] > 80


def test_scrapys_extractor_finds_the_links(with_addon, site):
    found, _ = with_addon
    unlinked = {"/", REDIRECTED}
    assert (PAGES.keys() | LEAVES) - paths(found["by_scrapy"], site) == unlinked | BEYOND_SCRAPY


def test_links_missed_without_the_addon(without, site):
    found, _ = without
    assert (PAGES.keys() | LEAVES) - there(found, site) == MISSED.keys()
    assert "/wrong/leaf" in absent(found, site)


def test_a_wrong_setting_stops_the_crawl_before_it_starts(site):
    before = len(site.seen)
    found, log = finish(start(site, "LINKFIX_SPEC=rfc9999"))
    assert found is None
    last = log.rstrip().splitlines()[-1]
    assert last.startswith("linkfix.errors.InvalidOption: LINKFIX_SPEC='rfc9999': unknown spec")
    assert len(site.seen) == before
