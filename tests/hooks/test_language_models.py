"""The table of docs/scrapers/language-models.md is what `bench/language_models.py` prints: links that tools keep.

LINKFIX_REQUIRE_TOOLS=1: all of the tools have to be installed.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys

import pytest
from support.extras import missing, needed
from support.paths import CHECKOUT
from support.running import ENVIRONMENT
from support.scraped_site import ARTICLE, PAGES

import linkfix
from linkfix.hooks.generic import from_response

COMMAND = CHECKOUT / "bench" / "language_models.py"
PAGE = (CHECKOUT / "docs" / "scrapers" / "language-models.md").read_text("utf-8")
#: Tool -> its line, as the page has it.
ROWS = {found[1]: found[0] for found in re.finditer(r"^\| (.+?) \| \d of 6 \| \d of 6 \|$", PAGE, re.MULTILINE)}


@pytest.fixture(scope="module")
def bench():
    needed("requests")
    return runpy.run_path(str(COMMAND))


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The lines that the command prints."""
    needed("requests")
    home = {"CRAWL4_AI_BASE_DIRECTORY": str(tmp_path_factory.mktemp("crawl4ai"))}
    command = [sys.executable, COMMAND]
    return subprocess.run(
        command, capture_output=True, check=True, env=ENVIRONMENT | home, timeout=300, encoding="utf-8"
    ).stdout.splitlines()


def test_the_page_has_a_row_a_recipe_and_a_heading_for_each_tool(bench):
    assert list(ROWS) == list(bench["TOOLS"])
    headings = set(re.findall(r"^## (\S+)", PAGE, re.MULTILINE))
    for name, tool in bench["TOOLS"].items():
        assert f"(`{tool.recipe}.py`)" in PAGE
        assert name.partition(" ")[0] in headings


def test_with_linkfix_all_links_are_kept():
    assert all(row.endswith("| 6 of 6 |") for row in ROWS.values())
    assert "| 6 of 6 | 6 of 6 |" not in "".join(ROWS.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_the_command_prints_the_row(bench, printed, name):
    absent = printed[-1].removeprefix("left out, not installed: ").split(", ")
    if name in absent and not os.environ.get("LINKFIX_REQUIRE_TOOLS"):
        pytest.skip(missing(bench["TOOLS"][name].module))
    assert ROWS[name] in printed


def test_a_text_loses_the_pages_encoding(site):
    """The first rule of the page."""
    requests = needed("requests")
    url = site.url + ARTICLE
    wanted = PAGES[ARTICLE].absolute_targets(site.url)
    response = requests.get(url, timeout=60)
    from_text = [link.target for link in linkfix.links(response.text, url=url) if link.element == "a"]
    assert [target for target in wanted if target not in from_text] == [f"{site.url}/library/?q=%EC%E0%F1%EB%EE"]
    assert [link.target for link in from_response(response).links if link.element == "a"] == wanted


def test_markitdown_writes_white_space_around_a_link():
    """Shows when it was mended, or when linkfix leaves none."""
    markitdown = needed("markitdown")
    page = linkfix.absolutize(b"<p><a href='x '>x</a>", url="http://h/")
    assert page == b"<p><a href='http://h/x '>x</a>"
    stream = markitdown.StreamInfo(mimetype="text/html", charset="utf-8")
    found = markitdown.MarkItDown().convert_stream(io.BytesIO(page), stream_info=stream).markdown
    assert found == "[x](http://h/x%20)"
