"""Each example is on a page of docs/, and gives the targets that browsers go to, where other tools give others."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from support.browser.engines import require_chromium
from support.documentation import SCRAPERS, blocks, examples_with
from support.extras import needed
from support.paths import CHECKOUT
from support.running import ENVIRONMENT
from support.scraped_site import PAGES, REDIRECTED, START, serving

EXAMPLES = CHECKOUT / "examples"
#: Lines of code that an idiom may take.
SHORT = 5
#: An example -> its framework, a page of the site, and a wrong target: other tools' result for a reference there.
SHOWN = {
    "scrapy_crawl": ("scrapy", "/base-late/page", "/base-late/leaf"),
    "requests_session": ("requests", START, "/redirect/leaf"),
    "httpx_client": ("httpx", "/windows-1251/meta", "/windows-1251/meta?q=%D0%BF%D0%BE%D0%B8%D1%81%D0%BA"),
    "aiohttp_session": ("aiohttp", "/base-title/page", "/wrong/leaf"),
    "lxml_tree": ("lxml", "/base-first/page", "/second/leaf"),
    "beautifulsoup_tree": ("bs4", "/shift_jis/page", "/shift_jis/page?q=%E6%A4%9C%E7%B4%A2"),
    "parsel_selector": ("parsel", "/base-after/page", "/base-after/leaf"),
    "selectolax_tree": ("selectolax", "/base-template/real", "/wrong/leaf"),
    "any_client": ("urllib", "/base-attribute/page", "/wrong/leaf"),
    "playwright_page": ("playwright", "/base-entity/page", "/a&amp;b/leaf"),
}
#: Runs a script with the Chromium that is installed, in the place of Playwright's own.
WITH_CHROMIUM = """
import runpy, sys
from functools import partialmethod
from playwright.sync_api import BrowserType
BrowserType.launch = partialmethod(BrowserType.launch, executable_path=sys.argv.pop(1))
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(scope="module")
def site():
    with serving() as running:
        yield running


#: The blocks of the pages about scrapers, without the recipes, which hooks/test_recipes.py runs.
BLOCKS = [
    block
    for page in SCRAPERS
    for block in blocks(page, "python")
    if all(path.parent == EXAMPLES for path in examples_with(block))
]


def run(example, *arguments):
    command = [EXAMPLES / f"{example}.py", *arguments]
    if example.startswith("playwright"):
        command = ["-c", WITH_CHROMIUM, require_chromium(), *command]
    done = subprocess.run(
        [sys.executable, "-W", "error", *command], capture_output=True, env=ENVIRONMENT, timeout=60, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def test_every_block_is_a_part_of_one_example():
    assert {block: len(examples_with(block)) for block in BLOCKS} == dict.fromkeys(BLOCKS, 1)


def test_every_example_is_on_one_page():
    pages = {path: {block.page for block in BLOCKS if path in examples_with(block)} for path in EXAMPLES.glob("*.py")}
    assert all(len(found) == 1 for found in pages.values())


def test_an_idiom_is_short():
    assert [block for block in BLOCKS if len(list(filter(None, block.text.splitlines()))) > SHORT] == []


def test_every_example_is_run_here():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*SHOWN, "urljoin"}


@pytest.mark.slow
@pytest.mark.parametrize("example", SHOWN)
def test_targets_equal_the_targets_of_browsers(site, example):
    framework, path, wrong = SHOWN[example]
    needed(framework)
    found = set(re.findall(r"""[^\s"'<>]+""", run(example, site.url + path)))
    assert found >= set(PAGES[REDIRECTED if path == START else path].absolute_targets(site.url))
    assert site.url + wrong not in found


def test_urljoin_joins_as_browsers_do():
    assert run("urljoin", "http://example.com/a/b", "///x", "http://[", "\\x").splitlines() == [
        "http://x/",
        "http://[",
        "http://example.com/x",
    ]
