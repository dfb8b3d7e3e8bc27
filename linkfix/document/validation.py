"""What a caller can get wrong about a document, found without one."""

from __future__ import annotations

from linkfix.document.base import require_absolute
from linkfix.document.decide import resolver_of
from linkfix.encodings.labels import lookup
from linkfix.errors import InvalidOption
from linkfix.html.vocabulary import row_index
from linkfix.model import DOCUMENT_KINDS, DocumentKind, Envelope, Options
from linkfix.resolvers import Resolver

__all__ = ["document_kind", "require_absolute_urls", "validate"]


def document_kind(media_type: str | None) -> DocumentKind:
    """Whose rules hold for a media type; None means text/html. Raises InvalidOption for one that cannot be read."""
    kind = DOCUMENT_KINDS.get((media_type or "text/html").lower())
    if kind is None:
        message = f"media type {media_type!r}: linkfix reads {', '.join(DOCUMENT_KINDS)}"
        raise InvalidOption(message)
    return kind


def require_absolute_urls(envelope: Envelope, resolver: Resolver) -> None:
    """Raise InvalidBase for a URL of a caller's envelope that no reference can be relative to."""
    for url in (envelope.url, envelope.default):
        if url is not None:
            require_absolute(url, resolver)


def validate(envelope: Envelope, options: Options) -> None:
    """Raise what `Document` raises for what a caller gave, without a document."""
    row_index(options)
    require_absolute_urls(envelope, resolver_of(options))
    document_kind(envelope.media_type)
    if envelope.charset is not None:
        lookup(envelope.charset)
