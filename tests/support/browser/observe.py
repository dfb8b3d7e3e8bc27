"""What Chromium makes of a document's links: the browser's answer that conversions are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from support.browser.chromium import Chromium, Response

__all__ = ["Element", "Observation", "Reference", "observe"]

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


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
    """A document as the browser has it: its base URL, its encoding and all its elements."""

    base_uri: str
    character_set: str
    elements: tuple[Element, ...]

    def shape(self) -> list[tuple[int, str, tuple[str, ...]]]:
        """Return the element tree without its references."""
        return [element[:3] for element in self.elements]

    def references(self) -> list[tuple[str, Reference]]:
        """Return every reference with its element's name, in tree order."""
        return [(element.name, reference) for element in self.elements for reference in element.references]


def observe(
    browser: Chromium, data: bytes, url: str, content_type: str, others: Mapping[str, Response] | None = None
) -> Observation:
    """Open `data` at `url`, served as `content_type`; requests for other URLs are answered from `others`."""
    with browser.open(url, {**(others or {}), url: Response(data, content_type)}) as page:
        base_uri, character_set, elements = page.evaluate(SCRIPT)
    return Observation(
        base_uri,
        character_set,
        tuple(
            Element(depth, name, tuple(attributes), tuple(Reference(*reference) for reference in references))
            for depth, name, attributes, references in elements
        ),
    )
