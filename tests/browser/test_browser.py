"""A converted page, moved anywhere, means the same to each engine as the original at its own URL."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

import pytest
from support.browser.engine import Engine
from support.browser.engines import ENGINES
from support.browser.observe import Observation, Reference, observe
from support.fixtures_site import SitePage, site_pages

import linkfix
from linkfix import BaseElementMode

pytestmark = pytest.mark.browser

ELSEWHERE = "http://unrelated.test/elsewhere/x.html"

#: Kept as they are by design, though browsers take them for paths.
PLACEHOLDER = re.compile(r"\{\{|\{%|<%|\$\{")

IN_ITS_ENCODING = "queries in a style element are in the document's encoding; CSS Values 4 has the URL parser use UTF-8"

#: The background of a body before BASE. Some engines have not fetched it yet when they see BASE in the same piece.
LATE_BACKGROUND = "?second-body"
#: A page whose encoding Firefox guesses: it fetches at once, and again after its guess.
BEFORE_THE_GUESS = "%EF%BF%BD"

#: Cases in which an engine deviates from the standard and linkfix does not: an equal result is a failure too.
KNOWN_DIFFERENCES = {
    ("chromium", "base/unparsable.html"): "a base that does not parse leaves none; HTML §4.2.3 says the fallback",
    ("webkit", "base/unparsable.html"): "as in Chromium",
    ("webkit", "base/unusable.html"): "a data: URL is a base; HTML §4.2.3 says the fallback",
    **{
        ("chromium", f"encoding/{name}.html"): IN_ITS_ENCODING
        for name in ("euc-kr", "iso-2022-jp", "shift_jis", "undeclared", "windows-1251")
    },
}


def parameters(pages: list[SitePage], *words: str, engines: Iterable[str] = ENGINES) -> list[object]:
    """Return a parameter for each engine and page, or each of these with each of `words`; known differences marked."""
    endings: list[tuple[str, ...]] = [(word,) for word in words] or [()]
    return [
        pytest.param(
            engine,
            page,
            *ending,
            id="-".join([engine, page.name, *ending]),
            marks=[pytest.mark.xfail(reason=reason)] if (reason := KNOWN_DIFFERENCES.get((engine, page.name))) else [],
        )
        for engine in engines
        for page in pages
        for ending in endings
    ]


PAGES = site_pages()
#: Not in UTF-8: with an inserted BASE, nothing in their style sheets changes.
IN_OTHERS = [page for page in PAGES if KNOWN_DIFFERENCES.get(("chromium", page.name)) == IN_ITS_ENCODING]
PAGES_WITH_BASE = [page for page in PAGES if b"<base" in page.data.lower()]


@functools.cache
def observe_original(engine: Engine, page: SitePage) -> Observation:
    return observe(engine, page.data, page.url, page.media_type)


@functools.cache
def observe_moved(engine: Engine, page: SitePage, data: bytes) -> Observation:
    return observe(engine, data, ELSEWHERE, page.media_type)


def converted(page: SitePage, base_element: BaseElementMode = "keep") -> bytes:
    return linkfix.absolutize(page.data, url=page.url, media_type=page.media_type, base_element=base_element)


def is_same_document(value: str) -> bool:
    return value.strip("\t\n\f\r ")[:1] in ("", "#")


def own_part(url: str, document_url: str) -> str | None:
    """Return the part of a self-reference after the document's URL: nothing, or a fragment."""
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
        if not means_the_same(page, before, after) and not before.url.endswith(LATE_BACKGROUND)
    ]


def asked_for(observation: Observation, url: str) -> set[str]:
    """Return the URLs that are fetched besides the page, without those that mean another URL elsewhere by design."""
    kept = {reference.url for _, reference in observation.references() if PLACEHOLDER.search(reference.value)}
    fetched = observation.fetched - {url} - kept
    return {one for one in fetched if not one.endswith(LATE_BACKGROUND) and BEFORE_THE_GUESS not in one}


def without_bases(observation: Observation) -> list[tuple[int, str, tuple[str, ...]]]:
    return [element for element in observation.shape() if element[1] != "base"]


@pytest.mark.parametrize(("engine", "page"), parameters(PAGES), indirect=["engine"])
def test_a_converted_page_means_the_same_anywhere(engine: Engine, page: SitePage) -> None:
    original, moved = observe_original(engine, page), observe_moved(engine, page, converted(page))
    assert moved.character_set == original.character_set
    assert moved.shape() == original.shape()
    assert differences(page, original, moved) == []
    assert moved.base_uri == original.base_uri or (original.base_uri, moved.base_uri) == (page.url, ELSEWHERE)
    assert asked_for(moved, ELSEWHERE) == asked_for(original, page.url)


# In one engine: test_engines.py covers the other engines' bases.
@pytest.mark.parametrize(
    ("engine", "page", "base_element"),
    [
        *parameters(PAGES_WITH_BASE, "drop-href", "empty", "remove", engines=["chromium"]),
        *parameters([page for page in PAGES if page not in IN_OTHERS], "insert", engines=["chromium"]),
        *(pytest.param("chromium", page, "insert", id=f"chromium-{page.name}-insert") for page in IN_OTHERS),
    ],
    indirect=["engine"],
)
def test_a_moved_page_is_equal_with_every_base_element_mode(
    engine: Engine, page: SitePage, base_element: BaseElementMode
) -> None:
    original, moved = observe_original(engine, page), observe_moved(engine, page, converted(page, base_element))
    assert moved.character_set == original.character_set
    assert without_bases(moved) == without_bases(original)
    assert differences(page, original, moved) == []


@pytest.mark.parametrize("name", ["index.html", "docs/guide/intro.html", "elements/images.html"])
def test_an_unconverted_page_does_not(engine: Engine, name: str) -> None:
    [page] = [page for page in PAGES if page.name == name]
    original, moved = observe_original(engine, page), observe_moved(engine, page, page.data)
    relative = [
        reference
        for _, reference in original.references()
        if reference.attribute != "currentSrc" and not re.match(r"[a-z]+:|//|#|$", reference.value)
    ]
    assert len(differences(page, original, moved)) >= len(relative) > 10
    assert asked_for(moved, ELSEWHERE) != asked_for(original, page.url)
