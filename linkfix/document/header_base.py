"""The base URL of the links in a message's header (RFC 1808 §3.1, RFC 2110 §4.2, RFC 2557 §4.2).

It is the one that the body of the message has, too: what the header states, and then what encloses the message, as the
specification orders them. Content-Location itself cannot go by it: a relative one is resolved against the other fields
of the header, or else against what encloses the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from linkfix.document.base import fallback_base
from linkfix.document.references import Finder
from linkfix.html.header_fields import BASE_FIELDS
from linkfix.html.record import Record
from linkfix.model import Base, BaseSource, Envelope, StatedBase
from linkfix.resolvers import Resolver
from linkfix.urls import SCHEME

__all__ = ["HIERARCHICAL", "header_base", "stated_urls"]

#: A hierarchical URL, which can be a base: "cid:", "about:" and "data:" URLs only name an entity.
HIERARCHICAL = re.compile(rf"{SCHEME}:/")


def _stated(source: BaseSource, url: str | None) -> tuple[StatedBase, ...]:
    """The base that a field of the header states, if it is one."""
    if url is None or not HIERARCHICAL.match(url):
        return ()
    return (StatedBase(source, url, f"{source} of the header"),)


def stated_urls(records: Iterable[Record], finder: Finder) -> dict[str, str]:
    """The first reference of each field of a header that can give it a base, by the field's name in lower case."""
    stated: dict[str, str] = {}
    for record in records:
        if record.row.element in BASE_FIELDS:
            for reference in finder.references(record):
                stated.setdefault(record.row.element, reference.found.reference)
    return stated


def header_base(stated: Mapping[str, str], envelope: Envelope, resolver: Resolver) -> Base:
    """The base of the links in a header, and as its `fallback` that of Content-Location and the like.

    `stated`: the references in its fields, by name in lower case. `envelope`: that of the header.
    """
    fields: tuple[StatedBase, ...] = ()
    for source in (BaseSource.CONTENT_BASE, BaseSource.BASE_FIELD):
        fields += _stated(source, stated.get(source.lower()))
    fallback = fallback_base(Envelope(stated=fields, parent=envelope), resolver)
    location = stated.get("content-location")
    target = None if location is None else resolver.resolve(fallback.url, location).target
    fields += _stated(BaseSource.CONTENT_LOCATION, target)
    return replace(fallback_base(Envelope(stated=fields, parent=envelope), resolver), fallback=fallback.url)
