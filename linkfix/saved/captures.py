"""URLs of pages in a web archive, PREFIX/TIMESTAMP[MODIFIER]/URL: of the Wayback Machine, OpenWayback, pywb and others.

An archive rewrites a page's canonical link, `og:url` and BASE to such URLs, as it does all links. They are what is left
of the page's own URL where the archive's scripts state its host alone, or were removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from linkfix.lazy import lazy_pattern
from linkfix.saved.canonical import StatedUrl

__all__ = ["Capture", "capture_of", "captured", "complete_capture", "host_of", "origin_of"]

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
