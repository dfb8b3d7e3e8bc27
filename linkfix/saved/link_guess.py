"""A guess at the URL of a page in a web archive, from the links in it that the archive rewrote.

All of them have the time at which the page was captured. One that goes to a fragment which the page has is most likely
a link to the page itself; without any, the host that most links go to is most likely its own.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple
from urllib.parse import unquote

from linkfix.document.document import Document
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope, Link
from linkfix.saved.captures import Capture, capture_of, host_of
from linkfix.saved.mark import attribute_text

__all__ = ["LinkGuess", "guess_from_links"]

#: The attributes whose values fragments name.
_NAME = lazy_pattern(
    rb"""[\t\n\f\r "'](?:id|name)[\t\n\f\r ]{0,9}=[\t\n\f\r ]{0,9}"""
    rb"""(?:"([^"]{1,256})"|'([^']{1,256})'|([^\t\n\f\r "'>]{1,256}))""",
    re.IGNORECASE,
)
#: How much of a page is searched for links, in bytes.
_LOOKED_AT = 1 << 20
#: The digits of a whole timestamp.
_WHOLE = 14
_ORIGIN = lazy_pattern(r"https?://[^/?#]+")


class LinkGuess(NamedTuple):
    """A guess, and what it is made from."""

    url: str
    reason: str
    """What lets guess it, with the position, in words."""
    start: int
    """Where the first of the links is, in bytes."""
    is_page: bool
    """Whether it is a guess at the page; otherwise only at its host."""


class _Rewritten(NamedTuple):
    capture: Capture
    link: Link


def guess_from_links(data: bytes, known: Capture | None = None) -> LinkGuess | None:
    """What the links let guess; None where no archive rewrote any.

    `known`: the page in the archive, of which the host is right.
    """
    links = Document(data[:_LOOKED_AT], envelope=Envelope(media_type="text/html")).links
    rewritten = [
        _Rewritten(capture, link)
        for link in links
        if (capture := capture_of(link.reference.strip())) is not None and len(capture.timestamp) == _WHOLE
    ]
    prefixes = Counter(one.capture.prefix for one in rewritten if one.capture.prefix.startswith(("http:", "https:")))
    if known is None and not prefixes:
        return None
    prefix = known.prefix if known else prefixes.most_common(1)[0][0]
    times = Counter(one.capture.timestamp for one in rewritten)
    time = known.timestamp if known else times.most_common(1)[0][0]
    host = host_of(known.url) if known else None
    own = [one for one in rewritten if one.capture.timestamp == time and host in {None, host_of(one.capture.url)}]
    return _page(data, own, f"{prefix}{time}/") or _host(own, f"{prefix}{time}/")


def _page(data: bytes, own: list[_Rewritten], before: str) -> LinkGuess | None:
    """The page to which most links go that name one of this page's fragments."""
    references = [(*one.capture.url.partition("#")[::2], one.link) for one in own]
    spellings = {fragment: {fragment, unquote(fragment)} for _, fragment, _ in references if fragment}
    if not spellings:
        return None
    wanted = frozenset[str]().union(*spellings.values())
    names = wanted.intersection(attribute_text(match[match.lastindex or 0]) for match in _NAME.finditer(data))
    pages: dict[str, list[Link]] = {}
    for page, fragment, link in references:
        if fragment and not names.isdisjoint(spellings[fragment]):
            pages.setdefault(page, []).append(link)
    if not pages:
        return None
    page, links = max(pages.items(), key=lambda item: len(item[1]))  # of equal ones the first
    reason = f"links that an archive rewrote go to fragments of this page, {_first(links[0])}"
    return LinkGuess(before + page, reason, links[0].start, is_page=True)


def _host(own: list[_Rewritten], before: str) -> LinkGuess | None:
    """The root of the host to which most references go that had none; without such, of most hyperlinks or references.

    Of what the page wrote with a host, archives write the whole URL; of what it wrote without, a path of their own.
    """
    relative = [one for one in own if "//" not in one.capture.prefix]
    counted = relative or [one for one in own if one.link.element in {"a", "area"}] or own
    origins = [(match[0], one.link) for one in counted if (match := _ORIGIN.match(one.capture.url)) is not None]
    if not origins:
        return None
    origin = Counter(one for one, _ in origins).most_common(1)[0][0]
    first = next(link for one, link in origins if one == origin)
    reason = f"most links that an archive rewrote go to this host, {_first(first)}"
    return LinkGuess(f"{before}{origin}/", reason, first.start, is_page=False)


def _first(link: Link) -> str:
    return f"the first in line {link.line}, column {link.column}"
