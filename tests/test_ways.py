"""Every way into linkfix gives the URLs of browsers, but where its parser makes another tree: `bench/ways.py`."""

from __future__ import annotations

import platform
import re
import runpy

import pytest
from support.extras import needed
from support.paths import CHECKOUT

PAGE = (CHECKOUT / "docs" / "browsers.md").read_text("utf-8")
ROWS = {found[1]: found[0] for found in re.finditer(r"^\| (.+?) \| \d+ of \d+ \|$", PAGE, re.MULTILINE)}
#: Every way has these otherwise, by design: tests/test_comparison.py.
KNOWN = ["srcset/invalid-descriptor", "elements/applet"]
#: Parsers -> cases that they read otherwise, or cannot read.
BY_PARSER = {
    "html5lib": ["url/nul-and-c0"],
    "BeautifulSoup (html.parser)": [
        "base/duplicate-attribute",
        "markup/no-semicolon",
        "markup/comments",
        "markup/script-escaped",
        "markup/duplicate-attributes",
        "markup/unclosed-quote",
    ],
}


@pytest.fixture(scope="module")
def bench():
    return runpy.run_path(str(CHECKOUT / "bench" / "ways.py"))


@pytest.fixture(scope="module")
def proxy(bench):
    with bench["serving"]() as url:
        yield url


def test_the_page_has_a_row_for_each_way(bench):
    assert list(ROWS) == list(bench["WAYS"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_a_way_is_as_browsers_are(bench, proxy, name):
    way = bench["WAYS"][name]
    needed(way.library)
    wrong = bench["wrong"](way, proxy)
    assert len(bench["counted"](way)) >= 75
    if name == "BeautifulSoup (html.parser)" and platform.python_version_tuple()[:2] != ("3", "11"):
        assert set(wrong) <= {*BY_PARSER[name], *KNOWN}  # later versions of html.parser read more as browsers do
        return
    assert wrong == [*BY_PARSER.get(name, []), *([] if name == "`hyperlinks`" else KNOWN)]
    assert bench["row"](name, wrong) == ROWS[name]
