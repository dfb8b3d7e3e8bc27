"""Each example is on a page of docs/, and gives the targets that browsers go to, where other tools give others."""

from __future__ import annotations

import ast
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
#: Statements, without imports, that an idiom may take.
SHORT = 4
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


#: The blocks of README and of the pages about scrapers, without the recipes, which hooks/test_recipes.py runs.
BLOCKS = [
    block
    for page in (CHECKOUT / "README.md", *SCRAPERS)
    for block in blocks(page, "python")
    if (page in SCRAPERS or examples_with(block)) and all(path.parent == EXAMPLES for path in examples_with(block))
]


def run(example, *arguments):
    return run_script(EXAMPLES / f"{example}.py", *arguments)


def run_script(script, *arguments):
    command = [script, *arguments]
    if "playwright" in script.read_text("utf-8"):
        command = ["-c", WITH_CHROMIUM, require_chromium(), *command]
    done = subprocess.run(
        [sys.executable, "-W", "error", *command], capture_output=True, env=ENVIRONMENT, timeout=60, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def test_every_block_is_a_part_of_one_example():
    assert {block: len(examples_with(block)) for block in BLOCKS} == dict.fromkeys(BLOCKS, 1)


def test_every_example_is_on_one_page():
    pages = {
        path: {block.page for block in BLOCKS if path in examples_with(block)} - {"README.md"}
        for path in EXAMPLES.glob("*.py")
    }
    assert all(len(found) == 1 for found in pages.values())


def test_an_idiom_is_short():
    statements = {
        block: [one for one in ast.parse(block.text).body if not isinstance(one, ast.Import | ast.ImportFrom)]
        for block in BLOCKS
    }
    assert [block for block, found in statements.items() if len(found) > SHORT] == []


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


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_that_is_copied_runs_and_prints(site, tmp_path, block):
    """A reader copies the block into a file, and runs it as the page says."""
    [example] = [path.stem for path in examples_with(block)]
    script = tmp_path / "page.py"
    script.write_text(block.text, "utf-8")
    if example == "urljoin":
        assert run_script(script, "https://example.com/a/b", "../x", "///y").split() == [
            "https://example.com/x",
            "https://y/",
        ]
        return
    framework, path, _ = SHOWN[example]
    needed(framework)
    printed = set(re.findall(r"""[^\s"'<>]+""", run_script(script, site.url + path)))
    assert printed >= set(PAGES[REDIRECTED if path == START else path].absolute_targets(site.url))


def test_urljoin_joins_as_browsers_do():
    assert run("urljoin", "http://example.com/a/b", "///x", "http://[", "\\x").splitlines() == [
        "http://x/",
        "http://[",
        "http://example.com/x",
    ]
