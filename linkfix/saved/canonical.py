"""The URL that a page states for itself: `link rel=canonical` and `og:url`. No specification makes either a base.

BASE elements are read as well: of an archived page they tell which archive it is in.
"""

from __future__ import annotations

from typing import NamedTuple

from linkfix.document.document import Document
from linkfix.model import Envelope, Row

__all__ = ["StatedUrl", "stated_urls"]

#: Neither element has another row of the vocabulary with this role.
_ROLE = "document"
_ROWS = (
    Row("link", "href", "url", _ROLE, "rel=canonical"),
    Row("meta", "content", "url", _ROLE, "property=og:url"),
)
#: The elements in the order in which they count.
_NAMES = {"link": "link rel=canonical", "meta": "og:url", "base": "BASE"}
_RANKS = {name: rank for rank, name in enumerate(_NAMES.values())}


class StatedUrl(NamedTuple):
    """A URL that a page states for itself."""

    url: str
    place: str
    """The kind of element: "link rel=canonical", "og:url" or "BASE"."""
    position: str
    """Line and column, in words."""
    start: int
    """Where the URL begins, in bytes."""

    @property
    def where(self) -> str:
        """Where it is stated, in words."""
        return f"{self.place}, {self.position}"


def stated_urls(data: bytes, media_type: str, *, bases: bool = False) -> list[StatedUrl]:
    """The URLs that a page states for itself, the link element's first. `bases`: and its BASE elements, last."""
    if not bases and b"canonical" not in data and b"og:url" not in data:
        return []
    document = Document(data, envelope=Envelope(media_type=media_type), rows=_ROWS)
    stated = [
        StatedUrl(link.reference.strip(), _NAMES[link.element], f"line {link.line}, column {link.column}", link.start)
        for link in document.links
        if (link.role == _ROLE and link.element in _NAMES) or (bases and link.role == "base")
    ]
    return sorted(stated, key=lambda one: _RANKS[one.place])
