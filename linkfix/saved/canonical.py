"""The URL that a page states for itself: `link rel=canonical` and `og:url`. No specification makes either a base."""

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
_NAMES = {"link": "link rel=canonical", "meta": "og:url"}


class StatedUrl(NamedTuple):
    """A URL that a page states for itself."""

    url: str
    where: str
    """Where it does, in words."""
    start: int
    """Where the URL begins, in bytes."""


def stated_urls(data: bytes, media_type: str) -> list[StatedUrl]:
    """The URLs that a page states for itself, the link element's first."""
    if b"canonical" not in data and b"og:url" not in data:
        return []
    document = Document(data, envelope=Envelope(media_type=media_type), rows=_ROWS)
    stated = [
        StatedUrl(link.reference.strip(), f"{_NAMES[link.element]}, line {link.line}, column {link.column}", link.start)
        for link in document.links
        if link.role == _ROLE and link.element in _NAMES
    ]
    return sorted(stated, key=lambda one: one.where.startswith("og"))
