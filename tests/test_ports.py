"""docs/comparison.md has the table that `bench/ports.py` prints: patterns before and after, beside browsers."""

from __future__ import annotations

import platform
import re
import runpy

import pytest
from support.extras import needed
from support.paths import CHECKOUT

PAGE = (CHECKOUT / "docs" / "comparison.md").read_text("utf-8")
FILES = sorted((CHECKOUT / "examples" / "ports").glob("*.py"))
#: Patterns that use html.parser, which differs between versions of Python.
BY_PYTHON = {"scraper_soup", "generator_feed"}
#: With linkfix, the cases of tests/test_comparison.py.
KNOWN = ["srcset/invalid-descriptor", "elements/applet"]
#: The documents that count for the patterns, in the order of the table.
COUNTED = {
    **dict.fromkeys(("scraper_soup", "scraper_parsel", "spider_scrapy"), 89),
    "scraper_lxml": 137,
    **dict.fromkeys(("mailer", "feed_regex", "filter_regex", "generator_feed"), 68),
}


@pytest.fixture(scope="module")
def bench():
    for library in ("requests", "scrapy", "parsel"):
        needed(library)
    return runpy.run_path(str(CHECKOUT / "bench" / "ports.py"))


def shown(name):
    """A row of the page: right before, right after, of how many, lines before, lines after."""
    found = re.search(
        rf"^\| .* \| (\d+) of (\d+) \| (\d+) of \2 \| (\d+) \| (\d+) \| `{name}\.py` \|$", PAGE, re.MULTILINE
    )
    before, of, after, *lines = map(int, found.groups())
    return before, after, of, lines


def test_the_page_has_each_port_in_order(bench):
    assert re.findall(r"\| `(\w+)\.py` \|$", PAGE, re.MULTILINE) == list(bench["PORTS"]) == list(COUNTED)
    assert sorted(bench["PORTS"]) == [path.stem for path in FILES]


@pytest.mark.parametrize("name", COUNTED)
def test_with_linkfix_a_port_is_as_browsers_are(bench, name):
    before, after = bench["measured"](name)
    seen, with_linkfix, of, lines = shown(name)
    assert of == COUNTED[name]
    assert after.wrong == ([] if of == 89 else KNOWN)  # the pages of 89 have neither
    assert with_linkfix == of - len(after.wrong)
    assert [before.lines, after.lines] == lines
    if name not in BY_PYTHON or f"Python {platform.python_version()}," in PAGE:
        assert seen == of - len(before.wrong)
    assert len(before.wrong) > len(after.wrong)


def test_the_command_prints_the_rows_and_cases(bench, capsys):
    bench["main"](["--cases", "feed_regex"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] in PAGE.splitlines()
    assert len([line for line in lines if line.startswith("| ")]) == 1 + len(COUNTED)
    assert lines[-1] == f"feed_regex, after: {', '.join(KNOWN)}"
