"""A converted page, moved anywhere, means to Chromium what the original means at its own URL."""

from __future__ import annotations

import functools
import re

import pytest
from support.browser.chromium import Chromium
from support.browser.observe import Observation, Reference, observe
from support.fixtures_site import SitePage, site_pages

import linkfix

pytestmark = pytest.mark.browser

ELSEWHERE = "http://unrelated.test/elsewhere/x.html"

#: Kept as they are by design, though browsers take them for paths.
PLACEHOLDER = re.compile(r"\{\{|\{%|<%|\$\{")

#: Where Chromium does not do what the standard says, and linkfix does: an equal result is a failure too.
KNOWN_DIFFERENCES = {
    "base/unparsable.html": "a base that does not parse leaves Chromium without any; HTML §4.2.3 says the fallback",
}


def parameters(pages: list[SitePage], *words: str) -> list[object]:
    """Return a parameter for each page, or for each page with each of `words`; the known differences marked."""
    endings: list[tuple[str, ...]] = [(word,) for word in words] or [()]
    return [
        pytest.param(
            page,
            *ending,
            id="-".join([page.name, *ending]),
            marks=[pytest.mark.xfail(reason=KNOWN_DIFFERENCES[page.name])] if page.name in KNOWN_DIFFERENCES else [],
        )
        for page in pages
        for ending in endings
    ]


PAGES = site_pages()
PAGES_WITH_BASE = [page for page in PAGES if b"<base" in page.data.lower()]


@functools.cache
def observe_original(browser: Chromium, page: SitePage) -> Observation:
    return observe(browser, page.data, page.url, page.media_type)


def observe_moved(browser: Chromium, page: SitePage, data: bytes) -> Observation:
    return observe(browser, data, ELSEWHERE, page.media_type)


def is_same_document(value: str) -> bool:
    return value.strip("\t\n\f\r ")[:1] in ("", "#")


def own_part(url: str, document_url: str) -> str | None:
    """Return what follows the document's URL in a reference to itself: nothing, or a fragment."""
    rest = url.removeprefix(document_url)
    return rest if url.startswith(document_url) and rest[:1] in ("", "#") else None


def means_the_same(page: SitePage, original: Reference, moved: Reference) -> bool:
    if original.url == moved.url:
        return True
    if PLACEHOLDER.search(original.value):
        return original.value == moved.value
    own = own_part(original.url, page.url)
    return is_same_document(original.value) and own is not None and own == own_part(moved.url, ELSEWHERE)


def differences(page: SitePage, original: Observation, moved: Observation) -> list[str]:
    return [
        f"{element} {before.attribute}={before.value!r}: {before.url} became {after.url} by {after.value!r}"
        for (element, before), (_, after) in zip(original.references(), moved.references(), strict=True)
        if not means_the_same(page, before, after)
    ]


def without_bases(observation: Observation) -> list[tuple[int, str, tuple[str, ...]]]:
    return [element for element in observation.shape() if element[1] != "base"]


@pytest.mark.parametrize("page", parameters(PAGES))
def test_a_converted_page_means_the_same_anywhere(browser: Chromium, page: SitePage) -> None:
    original = observe_original(browser, page)
    moved = observe_moved(browser, page, linkfix.absolutize(page.data, url=page.url, media_type=page.media_type))
    assert moved.character_set == original.character_set
    assert moved.shape() == original.shape()
    assert differences(page, original, moved) == []
    assert moved.base_uri == original.base_uri or (original.base_uri, moved.base_uri) == (page.url, ELSEWHERE)


@pytest.mark.parametrize(
    ("page", "base_element"), [*parameters(PAGES_WITH_BASE, "drop-href", "remove"), *parameters(PAGES, "insert")]
)
def test_whatever_becomes_of_its_base_elements(browser: Chromium, page: SitePage, base_element: str) -> None:
    data = linkfix.absolutize(page.data, url=page.url, media_type=page.media_type, base_element=base_element)
    original, moved = observe_original(browser, page), observe_moved(browser, page, data)
    assert moved.character_set == original.character_set
    assert without_bases(moved) == without_bases(original)
    assert differences(page, original, moved) == []


@pytest.mark.parametrize("name", ["index.html", "docs/guide/intro.html", "elements/images.html"])
def test_an_unconverted_page_does_not(browser: Chromium, name: str) -> None:
    [page] = [page for page in PAGES if page.name == name]
    original, moved = observe_original(browser, page), observe_moved(browser, page, page.data)
    relative = [
        reference
        for _, reference in original.references()
        if reference.attribute != "currentSrc" and not re.match(r"[a-z]+:|//|#|$", reference.value)
    ]
    assert len(differences(page, original, moved)) >= len(relative) > 10
