"""The base of documents with NOSCRIPT, with and without scripts in Chromium."""

from __future__ import annotations

from random import Random
from typing import Literal

import pytest
from support.browser.chromium import Chromium, Response
from support.noscript import DOCUMENTS, PIECES

import linkfix

pytestmark = pytest.mark.browser

URL = "http://a.test/d/p.html"
ORIGIN = "http://a.test"
SCRIPTING: tuple[Literal["off", "on"], ...] = ("off", "on")


def base_of(browser: Chromium, html: str, scripting: str) -> object:
    with browser.open(URL, {URL: Response(html.encode(), "text/html")}, scripts=scripting == "on") as page:
        return page.evaluate("document.baseURI")


@pytest.mark.parametrize("html", DOCUMENTS)
def test_documents(browser: Chromium, html: str) -> None:
    for scripting, path in zip(SCRIPTING, DOCUMENTS[html], strict=True):
        assert base_of(browser, html, scripting) == (ORIGIN + path if path else URL), scripting


@pytest.mark.parametrize("seed", range(40))
def test_documents_by_chance(browser: Chromium, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - examples
    parts = ["".join(random.choices(PIECES, k=random.randint(0, 5))) for _ in range(4)]
    html = "{}<noscript>{}</noscript>{}<base href=/c/>{}".format(*parts)
    for scripting in SCRIPTING:
        base = linkfix.Document(html, url=URL, scripting=scripting).base.url
        assert base == base_of(browser, html, scripting), (scripting, html)
