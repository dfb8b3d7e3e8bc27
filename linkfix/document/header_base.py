"""The base URL of the links in a message's header: RFC 1808 §3.1, RFC 2110 §4.2, RFC 2557 §4.2.

The header's own Content-Base comes first, then its Content-Location, then `Base`, then what encloses the message. It is
the base that the message's body has, too. Content-Location itself cannot go by it: a relative one is resolved against
Content-Base, or else against what encloses it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from linkfix.dataclass import replace
from linkfix.document.base import fallback_base
from linkfix.model import Base, Envelope
from linkfix.resolvers import Resolver
from linkfix.urls import SCHEME

__all__ = ["header_base"]

#: A hierarchical URL, which can be a base: "cid:", "about:" and "data:" URLs only name an entity.
_HIERARCHICAL = re.compile(rf"{SCHEME}:/")


def _enclosed(url: str | None, name: str, around: Envelope) -> Envelope:
    """An envelope with a base that a field of the header states; `around` where it states none."""
    if url is None or not _HIERARCHICAL.match(url):
        return around
    return Envelope(base=url, where=f"{name} of the header", parent=around)


def header_base(stated: Mapping[str, str], envelope: Envelope, resolver: Resolver) -> Base:
    """The base of the links in a header, and as its `fallback` that of Content-Location and the like.

    `stated`: the references in its fields, by name in lower case. `envelope`: that of the header.
    """
    around = _enclosed(stated.get("base"), "Base", envelope)
    fallback = fallback_base(_enclosed(stated.get("content-base"), "Content-Base", around), resolver)
    location = stated.get("content-location")
    target = None if location is None else resolver.resolve(fallback.url, location).target
    inner = _enclosed(target, "Content-Location", around)
    base = fallback_base(_enclosed(stated.get("content-base"), "Content-Base", inner), resolver)
    return replace(base, fallback=fallback.url)
