"""URLs of pages in a web archive, PREFIX/TIMESTAMP[MODIFIER]/URL: of the Wayback Machine, OpenWayback, pywb and others.

An archive rewrites a page's canonical link, `og:url` and BASE to such URLs, as it does all links. They are what is left
of the page's own URL where the archive's scripts state its host alone, or were removed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from linkfix.document.document import Document
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope, Link, Row
from linkfix.saved.markers import attribute_text

# The URL that a page states for itself: `link rel=canonical` and `og:url`. No specification makes either a base.
#
# BASE elements are read as well: of an archived page they tell which archive it is in.


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


_CAPTURE = lazy_pattern(
    r"(?P<prefix>(?:(?:https?:)?//[^/?#]+)?/(?:[^?#]*?/)?)(?P<timestamp>\d{4,14})(?:[a-z]{2}_)?/(?P<url>https?:/.+)",
    re.IGNORECASE | re.DOTALL,
)

_LONGEST = 8192

#: The digits of a whole timestamp.
_WHOLE = 14


class Capture(NamedTuple):
    """A page in an archive."""

    prefix: str
    """What stands before the timestamp; ends with a slash. It may lack the scheme, or the scheme and the host."""
    timestamp: str
    """When it was captured: YYYYMMDDhhmmss, or the beginning of that."""
    url: str
    """The page's URL outside the archive."""


def capture_of(url: str) -> Capture | None:
    """The page of an archive that a URL names; None for any other URL.

    >>> capture_of("https://arquivo.pt/wayback/20150101000000mp_/http://h.example/a?b")
    Capture(prefix='https://arquivo.pt/wayback/', timestamp='20150101000000', url='http://h.example/a?b')
    >>> capture_of("https://h.example/2015/http.html")
    """
    match = _CAPTURE.fullmatch(url) if len(url) <= _LONGEST else None
    return Capture(match["prefix"], match["timestamp"], match["url"]) if match else None


def origin_of(url: str) -> str:
    """The scheme and the host of a page in an archive, with the slash after them; "" for any other URL."""
    capture = capture_of(url)
    scheme, slashes, rest = capture.prefix.partition("//") if capture else ("", "", "")
    return f"{scheme}//{rest.partition('/')[0]}/" if scheme and slashes else ""


def complete_capture(guess: str, stated: Iterable[StatedUrl]) -> StatedUrl | None:
    """The URL of a page in an archive of which a mark gives the host alone: that of the page's first statement about
    itself that the archive rewrote and that has this host.
    """
    known = capture_of(guess)
    if known is None:
        return None
    for one in stated:
        capture = capture_of(one.url)
        host = host_of(capture.url) if capture else None
        if capture and host and host == host_of(known.url):
            return one._replace(url=f"{known.prefix}{known.timestamp}/{capture.url}")
    return None


def captured(stated: Iterable[StatedUrl]) -> StatedUrl | None:
    """The first statement of a page about itself that an archive rewrote."""
    for one in stated:
        capture = capture_of(one.url)
        if capture is not None and len(capture.timestamp) == _WHOLE and "//" in capture.prefix:
            prefix = f"https:{capture.prefix}" if capture.prefix.startswith("//") else capture.prefix
            return one._replace(url=f"{prefix}{capture.timestamp}/{capture.url}")
    return None


def host_of(url: str) -> str | None:
    """The host of a URL; None where it has none or is none."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


# A guess at the URL of a page in a web archive, from the links in it that the archive rewrote.
#
# All of them have the time at which the page was captured. One that goes to a fragment which the page has is most
# likely a link to the page itself; without any, the host that most links go to is most likely its own.


#: The attributes whose values fragments name.
_NAME = lazy_pattern(
    rb"""[\t\n\f\r "'](?:id|name)[\t\n\f\r ]{0,9}=[\t\n\f\r ]{0,9}"""
    rb"""(?:"([^"]{1,256})"|'([^']{1,256})'|([^\t\n\f\r "'>]{1,256}))""",
    re.IGNORECASE,
)

#: How much of a page is searched for links, in bytes.
_LOOKED_AT = 1 << 20

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
