"""Checks of a caller's arguments that need no document."""

from __future__ import annotations

from linkfix.constraints import check, check_fields
from linkfix.document.base import require_absolute
from linkfix.document.decide import resolver_of
from linkfix.encodings.encoding import lookup
from linkfix.errors import InvalidOption
from linkfix.html.vocabulary import row_index
from linkfix.model import DOCUMENT_KINDS, DocumentKind, Envelope, Options
from linkfix.resolvers import Resolver

#: The last validated options, to skip validating them again: a program uses the same options for many documents.
_right = [Options()]


def check_types(envelope: Envelope, options: Options) -> None:
    """Raise InvalidOption for an invalid value of an option or of the envelope."""
    if options is not _right[0]:
        check("options", options)
        check_fields(options)
        _right[0] = options
    for name, value in (
        ("url", envelope.url),
        ("charset", envelope.charset),
        ("charset", envelope.identified_charset),
        ("media_type", envelope.media_type),
        ("default_base", envelope.default),
        ("content_security_policy", envelope.content_security_policy),
    ):
        if value is not None and not isinstance(value, str):
            check(name, value)


def document_kind(media_type: str | None) -> DocumentKind:
    """The kind of document of a media type; None means text/html. Raises InvalidOption for any other media type."""
    kind = DOCUMENT_KINDS.get((media_type or "text/html").lower())
    if kind is None:
        message = f"media type {media_type!r}: linkfix reads {', '.join(DOCUMENT_KINDS)}"
        raise InvalidOption(message)
    return kind


def require_absolute_urls(envelope: Envelope, resolver: Resolver) -> None:
    """Raise InvalidBase for a URL of a caller's envelope that cannot be a base."""
    for url in (envelope.url, envelope.default):
        if url is not None:
            require_absolute(url, resolver)


def validate(envelope: Envelope, options: Options) -> None:
    """Raise the errors that `Document` raises for a caller's arguments, without a document."""
    check_types(envelope, options)
    row_index(options)
    require_absolute_urls(envelope, resolver_of(options))
    document_kind(envelope.media_type)
    for label in (envelope.charset, envelope.identified_charset):
        if label is not None:
            lookup(label)
