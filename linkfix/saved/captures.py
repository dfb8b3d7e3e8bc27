"""URLs of pages in a web archive, PREFIX/TIMESTAMP[MODIFIER]/URL, as in the Wayback Machine, OpenWayback and pywb.

An archive rewrites all links to such URLs, including a page's canonical link, `og:url` and BASE. These three are the
only source of the page's own URL if the archive's scripts state only the host, or were removed.
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
# BASE elements are also read, because the BASE of an archived page identifies the archive.


#: The role of both elements' rows. No other row of the vocabulary for these elements has this role.
_ROLE = "document"

_ROWS = (
    Row("link", "href", "url", _ROLE, "rel=canonical"),
    Row("meta", "content", "url", _ROLE, "property=og:url"),
)

#: The names of the elements in messages, in order of precedence.
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
    """The byte offset of the URL."""

    @property
    def where(self) -> str:
        """The kind and the position of the element, in words."""
        return f"{self.place}, {self.position}"


def stated_urls(data: bytes, media_type: str, *, bases: bool = False) -> list[StatedUrl]:
    """Return the URLs that a page states for itself, first those of link elements.

    `bases`: whether to include BASE elements, at the end.
    """
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

#: The number of digits of a whole timestamp.
_WHOLE = 14


class Capture(NamedTuple):
    """A page in an archive."""

    prefix: str
    """The text before the timestamp. It ends with a slash, and may lack the scheme, or the scheme and the host."""
    timestamp: str
    """The time of the capture: YYYYMMDDhhmmss, or a prefix of that form."""
    url: str
    """The page's URL outside the archive."""


def capture_of(url: str) -> Capture | None:
    """Return the page of an archive that a URL names; None for any other URL.

    >>> capture_of("https://arquivo.pt/wayback/20150101000000mp_/http://h.example/a?b")
    Capture(prefix='https://arquivo.pt/wayback/', timestamp='20150101000000', url='http://h.example/a?b')
    >>> capture_of("https://h.example/2015/http.html")
    """
    match = _CAPTURE.fullmatch(url) if len(url) <= _LONGEST else None
    return Capture(match["prefix"], match["timestamp"], match["url"]) if match else None


def origin_of(url: str) -> str:
    """Return the scheme and the host of an archive from the URL of a page in it, with the slash after them.

    The result is "" for any other URL.
    """
    capture = capture_of(url)
    scheme, slashes, rest = capture.prefix.partition("//") if capture else ("", "", "")
    return f"{scheme}//{rest.partition('/')[0]}/" if scheme and slashes else ""


def complete_capture(guess: str, stated: Iterable[StatedUrl]) -> StatedUrl | None:
    """Complete the URL of a page in an archive whose mark gives only the host of the page.

    The result is the first statement of the page about itself that the archive rewrote and that has this host; None if
    no statement does. Its prefix and its timestamp are those of the mark.

    `guess`: the URL from the mark.
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
    """Return the first statement of a page about itself that an archive rewrote; None if no archive rewrote any."""
    for one in stated:
        capture = capture_of(one.url)
        if capture is not None and len(capture.timestamp) == _WHOLE and "//" in capture.prefix:
            prefix = f"https:{capture.prefix}" if capture.prefix.startswith("//") else capture.prefix
            return one._replace(url=f"{prefix}{capture.timestamp}/{capture.url}")
    return None


def host_of(url: str) -> str | None:
    """Return the host of a URL; None if the URL has no host or is invalid."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


# A guess of the URL of a page in a web archive, from the links in the page that the archive rewrote.
#
# All these links contain the time of the page's capture. A link to a fragment that exists in the page is most likely a
# link to the page itself. If no such link exists, the host of most links is most likely the page's own host.


#: The id and name attributes, whose values fragments refer to.
_NAME = lazy_pattern(
    rb"""[\t\n\f\r "'](?:id|name)[\t\n\f\r ]{0,9}=[\t\n\f\r ]{0,9}"""
    rb"""(?:"([^"]{1,256})"|'([^']{1,256})'|([^\t\n\f\r "'>]{1,256}))""",
    re.IGNORECASE,
)

#: The number of bytes of a page that are searched for links.
_LOOKED_AT = 1 << 20

_ORIGIN = lazy_pattern(r"https?://[^/?#]+")


class LinkGuess(NamedTuple):
    """A guess of a page's URL, and its evidence."""

    url: str
    reason: str
    """The reason for the guess, with the position, in words."""
    start: int
    """The byte offset of the first link that supports the guess."""
    is_page: bool
    """Whether `url` is a guess of the page's URL. If not, it is only a guess of the page's host."""


class _Rewritten(NamedTuple):
    capture: Capture
    link: Link


def guess_from_links(data: bytes, known: Capture | None = None) -> LinkGuess | None:
    """Return the guess that the links imply; None if no archive rewrote any link.

    `known`: the page in the archive as a mark states it, with the right host; None if no mark does. If `known` is
    given, only links to that host count.
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
    """Return the URL that most links with a fragment of this page go to; None if no link has such a fragment."""
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
    page, links = max(pages.items(), key=lambda item: len(item[1]))  # the first, if several have the maximum
    reason = f"links that an archive rewrote go to fragments of this page, {_first(links[0])}"
    return LinkGuess(before + page, reason, links[0].start, is_page=True)


def _host(own: list[_Rewritten], before: str) -> LinkGuess | None:
    """Return the root of the host that most references go to; None if no reference has a host.

    References that the page wrote without a host are counted, else hyperlinks, else all references. Archives rewrite a
    reference with a host to a whole URL, and a reference without a host to a path on the archive's host.
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
