"""The pages of fixtures/site, with the URL that each has there and the type that it is served as."""

from __future__ import annotations

from typing import NamedTuple

from support.paths import FIXTURES

__all__ = ["FIXTURES", "ROOT", "SITE", "SitePage", "site_pages"]

SITE = FIXTURES / "site"

#: The URL at which fixtures/make.py serves it.
ROOT = "http://127.0.0.1:8765/"

#: Suffix -> media type of the documents; style sheets, scripts and media are not among them.
MEDIA_TYPES = {".html": "text/html", ".svg": "image/svg+xml", ".xhtml": "application/xhtml+xml"}


class SitePage(NamedTuple):
    """A document: its name relative to fixtures/site, URL, media type and bytes."""

    name: str
    url: str
    media_type: str
    data: bytes


def site_pages(*suffixes: str) -> list[SitePage]:
    """Return the documents with one of `suffixes`, or all, in the order of their names."""
    return [
        SitePage(name, ROOT + name, MEDIA_TYPES[path.suffix], path.read_bytes())
        for path in sorted(SITE.rglob("*"))
        if path.suffix in (suffixes or MEDIA_TYPES)
        for name in [path.relative_to(SITE).as_posix()]
    ]
