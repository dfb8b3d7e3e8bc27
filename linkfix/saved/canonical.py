"""What a page says of its own URL: `link rel=canonical` and `og:url`. No specification makes either a base."""

from __future__ import annotations

from typing import NamedTuple

from linkfix.document.document import Document
from linkfix.model import Envelope, Row

__all__ = ["StatedUrl", "stated_urls"]

#: Neither element has another row with this role.
_ROLE = "document"
_ROWS = (
    Row("link", "href", "url", _ROLE, "rel=canonical"),
    Row("meta", "content", "url", _ROLE, "property=og:url"),
)
_NAMES = {"link": "link rel=canonical", "meta": "og:url"}


class StatedUrl(NamedTuple):
    """A URL that a page says it has, where in words, and the byte at which it begins."""

    url: str
    where: str
    start: int


def stated_urls(data: bytes, media_type: str) -> list[StatedUrl]:
    """The canonical URLs of a page, the link element's first."""
    if b"canonical" not in data and b"og:url" not in data:
        return []
    document = Document(data, envelope=Envelope(media_type=media_type), rows=_ROWS)
    said = [
        StatedUrl(link.reference.strip(), f"{_NAMES[link.element]}, line {link.line}, column {link.column}", link.start)
        for link in document.links
        if link.role == _ROLE and link.element in _NAMES
    ]
    return sorted(said, key=lambda one: one.where.startswith("og"))
