"""An engine's view of a document's links: the answer that conversions are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from support.browser.engine import Engine, Response
from support.browser.fetches import own, settle

__all__ = ["Element", "Observation", "Reference", "observe"]

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

#: Links that engines fetch late, or once for many pages, or for pages of the same origin alone.
SOMETIMES = """(() => {
    const probe = document.createElementNS("http://www.w3.org/1999/xhtml", "a");
    const uses = [...document.querySelectorAll("use")].map((use) => {
        probe.setAttribute("href", use.href?.baseVal ?? "");
        return probe.href;
    });
    const links = "link[rel~=icon i], link[rel~=apple-touch-icon i], link[rel~=manifest i]";
    const urls = [...document.querySelectorAll(links)].map((link) => link.href);
    return [...uses, ...urls, ...[...document.querySelectorAll("track")].map((track) => track.src)];
})()"""


class Reference(NamedTuple):
    """One reference: the attribute (or `css`, `@import`, a place in an import map), the value, the URL resolved."""

    attribute: str
    value: str
    url: str


class Element(NamedTuple):
    """An element in tree order. `name` has a prefix outside HTML; `#template`, `#shadow-root`, `#srcdoc` are trees."""

    depth: int
    name: str
    attributes: tuple[str, ...]
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """A document as an engine has it: its base URL, its encoding, all its elements, and the URLs that it asked for."""

    base_uri: str
    character_set: str
    elements: tuple[Element, ...]
    fetched: frozenset[str]

    def shape(self) -> list[tuple[int, str, tuple[str, ...]]]:
        """Return the element tree without its references."""
        return [element[:3] for element in self.elements]

    def references(self) -> list[tuple[str, Reference]]:
        """Return every reference with its element's name, in tree order."""
        return [(element.name, reference) for element in self.elements for reference in element.references]


def observe(
    engine: Engine,
    data: bytes,
    url: str,
    content_type: str,
    others: Mapping[str, Response] | None = None,
    *,
    settled: bool = True,
) -> Observation:
    """Open `data` at `url`, served as `content_type`; requests for other URLs are answered from `others`.

    `settled`: wait until it asks for nothing more, which takes longer than its load event.
    """
    with engine.open(url, {**(others or {}), url: Response(data, content_type)}) as tab:
        if settled:
            settle(tab)
        fetched = frozenset(own(tab))  # before the script, which has the engine resolve URLs that it would not fetch
        base_uri, character_set, elements = tab.evaluate(SCRIPT)
        fetched -= {url.partition("#")[0] for url in tab.evaluate(SOMETIMES)}
    return Observation(
        base_uri,
        character_set,
        tuple(
            Element(depth, name, tuple(attributes), tuple(Reference(*reference) for reference in references))
            for depth, name, attributes, references in elements
        ),
        fetched,
    )
