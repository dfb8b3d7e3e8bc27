"""robots.txt: syntax "robots" (RFC 9309; `Sitemap` lines by https://www.sitemaps.org/protocol.html#submit_robots).

The paths of `Allow` and `Disallow` lines are patterns to compare URLs with, not references.
"""

from __future__ import annotations

from urllib.parse import quote

from linkfix.lazy import lazy_pattern

from .found import Found

#: RFC 9309 §2.2: a line's name in any case, white space around the colon; the value ends at "#" or at the line's end.
_SITEMAP = lazy_pattern(r"(?:\A|(?<=[\r\n]))[ \t]*+[Ss][Ii][Tt][Ee][Mm][Aa][Pp][ \t]*+:[ \t]*+([^#\r\n]*+)")
_UNSAFE = lazy_pattern(r"[#\r\n\ud800-\udfff]|\s++\Z")


def _escape(url: str) -> str:
    """The URL, with characters escaped that would end it in a `Sitemap` line."""
    return _UNSAFE.sub(lambda character: quote(character[0], errors="replace"), url)


def find(text: str) -> list[Found]:
    """Find the URLs of the `Sitemap` lines."""
    found = []
    for line in _SITEMAP.finditer(text):
        url = line[1].rstrip()
        if url:
            found.append(Found(line.start(1), line.start(1) + len(url), url, _escape))
    return found
