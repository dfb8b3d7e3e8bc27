"""The recipes of docs/scrapers: each tool's targets by itself, which shows when a tool was mended, and its targets with
the recipe.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import bs4
import pytest
from support.browser.engines import require_chromium
from support.documentation import SCRAPERS, blocks, examples_with
from support.extras import needed
from support.paths import CHECKOUT
from support.running import ENVIRONMENT
from support.scraped_site import PAGES

import linkfix

RECIPES = CHECKOUT / "examples" / "recipes"
#: Those of tables and of templates are in other pages: tests/arrow/test_recipes.py, tests/document/test_fragments.py.
SHOWN = {path for path in RECIPES.glob("*.py") if not path.stem.startswith(("tables_", "filter_"))}
#: Runs a script with the Chromium that is installed, in the place of Playwright's own.
WITH_CHROMIUM = """
import runpy, sys
from functools import partialmethod
from playwright.async_api import BrowserType
BrowserType.launch = partialmethod(BrowserType.launch, executable_path=sys.argv.pop(1), args=["--no-sandbox"])
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""
#: Prints Crawlee's own finds on each page: URLs, or the exception.
CRAWLEE_ALONE = """
import asyncio, json, sys
from crawlee import Request
from crawlee.crawlers import BeautifulSoupCrawler, ParselCrawler

async def found(crawler, urls):
    found = {}

    @crawler.router.default_handler
    async def handle(context):
        try:
            links = [request.url for request in await context.extract_links(strategy="all")]
        except ValueError as error:
            links = [repr(error)]
        found[context.request.loaded_url] = links

    # A queue remembers what it has seen, and there is one for both crawlers.
    await crawler.run([Request.from_url(url, unique_key=f"{type(crawler).__name__} {url}") for url in urls])
    return found

async def main():
    crawlers = [kind(configure_logging=False, max_request_retries=0) for kind in (BeautifulSoupCrawler, ParselCrawler)]
    print(json.dumps([await found(crawler, sys.argv[1:]) for crawler in crawlers]))

asyncio.run(main())
"""


def run(*arguments, cwd):
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        capture_output=True,
        cwd=cwd,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def words(text):
    return set(re.findall(r"""[^\s"'<>()\[\]]+""", text))


def test_every_block_of_the_pages_is_a_part_of_a_script():
    owners = {block: examples_with(block) for page in SCRAPERS for block in blocks(page, "python")}
    assert all(owners.values())
    assert {path for paths in owners.values() for path in paths} >= SHOWN


@pytest.mark.slow
def test_crawlee_alone(site, tmp_path):
    needed("crawlee")
    paths = ["/plain/dir/page", "/windows-1251/meta", "/base-svg/page"]
    for found in json.loads(run("-c", CRAWLEE_ALONE, *(site.url + path for path in paths), cwd=tmp_path)):
        assert [found[site.url + path] for path in paths] == [
            ["ValueError('Invalid IPv6 URL')"],  # one bad link costs all links of the page
            [f"{site.url}/windows-1251/meta?q=%D0%BF%D0%BE%D0%B8%D1%81%D0%BA"],
            [f"{site.url}/wrong/leaf"],
        ]


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["crawlee_soup", "crawlee_parsel"])
def test_crawlee(site, tmp_path, recipe):
    """It requests the same URLs as browsers, and prints absolute links."""
    needed("crawlee")
    paths = ["/plain/dir/page", "/windows-1251/meta", "/base-svg/page"]
    before = len(site.seen)
    printed = words(run(RECIPES / f"{recipe}.py", *(site.url + path for path in paths), cwd=tmp_path))
    targets = {target.partition("#")[0] for path in paths for target in PAGES[path].targets if target}
    own = {target for target in targets if target.startswith("/")}
    # Its client does not send an empty query.
    assert set(site.seen[before:]) == {*paths, *(target.removesuffix("?") for target in own)}
    assert printed >= {site.url + target for target in own}


def extracted(trafilatura, markup, url, **options):
    html = f"<!DOCTYPE html><html><head><title>t</title></head><body>{markup}</body></html>"
    return words(trafilatura.extract(html, url=url, include_links=True, include_images=True, **options))


def test_trafilatura_alone():
    trafilatura = needed("trafilatura")
    url = "http://h/dir/page"
    assert "http://h/leaf" in extracted(trafilatura, "<p>text <a href=leaf>link</a></p>", url)
    assert "http://h?q=1" in extracted(trafilatura, "<p>text <a href='?q=1'>link</a></p>", url)
    assert "http://other/x" in extracted(trafilatura, "<p>text <a href='//other/x'>link</a></p>", "https://h/")
    based = "<base href=/base/><p>text <a href=leaf>link</a> <img src=i.png></p>"
    assert {"http://h/leaf", "http://h/dir/i.png"} <= extracted(trafilatura, based, url)
    assert "http://h/x" in extracted(trafilatura, "<p>text <a href='http://h/x?'>link</a></p>", url)
    copied = "<p>text <a href='http://h/x?a&amp;copy=1'>link</a></p>"
    assert "http://h/x?a©=1" in extracted(trafilatura, copied, None)
    assert "http://h/x?a&amp;copy=1" in extracted(trafilatura, copied, None, output_format="html")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/plain/dir/page", "/base-late/page"])
def test_trafilatura(site, tmp_path, path):
    needed("trafilatura")
    needed("requests")
    found = words(run(RECIPES / "trafilatura_text.py", site.url + path, cwd=tmp_path))
    targets = {target for target in PAGES[path].absolute_targets(site.url) if target and not target.endswith("#top")}
    assert found >= targets


def test_readability_alone():
    readability = needed("readability")
    url = "http://h/dir/page"
    links = "<p><a href=leaf>link</a><img src=i.png srcset='j.png 2x'></p>"
    assert (
        'href="http://h/second/leaf"'
        in readability.Document(f"<base href=/first/><base href=/second/>{links}", url=url).summary()
    )
    assert 'srcset="j.png 2x"' in readability.Document(links, url=url).summary()
    query = "<p><a href='?q=поиск'>link</a></p>"
    in_utf_8 = "?q=%D0%BF%D0%BE%D0%B8%D1%81%D0%BA"
    assert in_utf_8 in readability.Document(f"<meta charset=cp1251>{query}".encode("cp1251"), url=url).summary()
    with pytest.raises(readability.readability.Unparseable, match="Invalid IPv6 URL"):
        readability.Document("<base href=/b/><p><a href='http://['>link</a></p>", url=url).summary()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/base-first/page", "/windows-1251/meta"])
def test_readability(site, tmp_path, path):
    needed("readability")
    needed("requests")
    found = words(run(RECIPES / "readability_summary.py", site.url + path, cwd=tmp_path))
    assert found >= set(PAGES[path].absolute_targets(site.url))


QUERY = "<p><a href='?a=1&region=2'>link</a></p>"
MEANT = "http://h/dir/page?a=1&region=2"


def html_parser_is_wrong():
    """Whether this Python's html.parser takes "&region" for "®ion"."""
    return bs4.BeautifulSoup(QUERY, "html.parser").a["href"] != "?a=1&region=2"


def test_html_parser_alone():
    if html_parser_is_wrong():
        assert bs4.BeautifulSoup(linkfix.absolutize(QUERY, "http://h/dir/page"), "html.parser").a["href"] != MEANT


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/plain/dir/page", "/windows-1251/meta", "/base-late/page"])
def test_html_parser(site, tmp_path, path):
    found = words(run(RECIPES / "html_parser_soup.py", site.url + path, cwd=tmp_path))
    targets = PAGES[path].absolute_targets(site.url)
    assert found >= {target for target in targets if target and not target.endswith("#top")}


def test_markdownify_alone():
    markdownify = needed("markdownify").markdownify
    assert "](leaf)" in markdownify("<p><a href=leaf>link</a></p>")
    rewritten = linkfix.absolutize(QUERY, "http://h/dir/page")
    assert (MEANT in markdownify(rewritten)) != html_parser_is_wrong()
    assert MEANT in markdownify(linkfix.absolutize(QUERY, "http://h/dir/page", escape_ampersands=True))


def test_html2text_alone():
    html2text = needed("html2text")
    reader = html2text.HTML2Text(bodywidth=0)
    assert "](leaf)" in reader.handle("<p><a href=leaf>link</a></p>")
    rewritten = linkfix.absolutize(QUERY, "http://h/dir/page")
    assert (MEANT in reader.handle(rewritten)) != html_parser_is_wrong()
    assert MEANT in reader.handle(linkfix.absolutize(QUERY, "http://h/dir/page", escape_ampersands=True))


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/plain/dir/page", "/base-first/page", "/windows-1251/meta"])
def test_markdownify(site, tmp_path, path):
    needed("markdownify")
    needed("requests")
    found = words(run(RECIPES / "markdownify_page.py", site.url + path, cwd=tmp_path))
    targets = PAGES[path].absolute_targets(site.url)
    assert found >= {target for target in targets if target and not target.endswith("#top")}


@pytest.mark.browser
def test_playwright(site, tmp_path):
    needed("playwright")
    printed = run(
        "-c", WITH_CHROMIUM, require_chromium(), RECIPES / "playwright_frames.py", f"{site.url}/more/page", cwd=tmp_path
    )
    lines = printed.splitlines()
    assert lines[0] == f"{site.url}/more/page"
    assert [line.strip() for line in lines[1:-1]] == PAGES["/more/page"].absolute_targets(site.url)
    assert lines[-1] == f"{site.url}/more/frame"
