"""The absolute URLs that an engine makes of the references in a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import ada_url
from support.absolute_urls import UrlCase, Urls
from support.browser.engine import Engine
from support.browser.framed import PAGE, Case, outcomes
from support.browser.observe import Element, observe

__all__ = ["answers"]

#: A refresh is asked for by waiting for it; other places by looking at the loaded document.
REFRESH = "meta[content]"


def answers(engine: Engine, cases: Sequence[UrlCase]) -> Iterator[Urls]:
    """The engine's answer to each case."""
    refreshes = [case for case in cases if case.places == [REFRESH]]
    framed = outcomes(engine, [Case(case.data.decode("ascii"), scripts=True) for case in refreshes])
    went = {case.name: outcome.url for case, outcome in zip(refreshes, framed, strict=True)}
    for case in cases:
        if case.name in went:
            assert case.url == PAGE
            yield {REFRESH: [url for url in (went[case.name],) if url != PAGE]}
        else:
            yield _looked_up(engine, case)


def _looked_up(engine: Engine, case: UrlCase) -> Urls:
    charset = f"; charset={case.charset}" if case.charset else ""
    found: Urls = {place: [] for place in case.places}
    observation = observe(engine, case.data, case.url, case.media_type + charset, settled=False)
    for element in observation.elements:
        for place, url in _references(element, observation.fetched):
            if place in found and ada_url.check_url(url):  # attributes that do not parse are reflected as they are
                found[place].append(url)
    return found


def _references(element: Element, fetched: frozenset[str]) -> Iterator[tuple[str, str]]:
    name = element.name.removeprefix("svg:")
    chosen = {url for attribute, _, url in element.references if attribute == "currentSrc"}
    candidates = {url for attribute, _, url in element.references if attribute in {"src", "srcset"}}
    assert chosen <= candidates or name != "img" or "srcset" not in element.attributes, element
    for attribute, value, url in element.references:
        if (name, attribute) == ("img", "src"):  # before BASE, it is fetched from elsewhere than its property says
            yield "img[src]", next((one for one in fetched if one.endswith(f"/{value}")), url)
        elif name in {"style", "script"} and attribute not in {"style", "src"}:
            yield name, url
        elif attribute == "href" and "href" not in element.attributes:
            yield f"{name}[xlink:href]", url
        else:
            yield f"{name}[{attribute}]", url
