"""The URL that a folder of pages stands for."""

from __future__ import annotations

from linkfix.errors import InvalidBase
from linkfix.files.folder import INDEX_NAMES
from linkfix.resolvers import RESOLVERS

__all__ = ["root_url"]


def root_url(url: str) -> str:
    """The URL of a tree's root, as a folder: with a final slash. Raises `InvalidBase` for what names no folder."""
    whatwg = RESOLVERS["whatwg"]
    folder = url if url.endswith("/") or url.rpartition("/")[2] in INDEX_NAMES else url + "/"
    target = whatwg.resolve(folder, "./").target if whatwg.is_absolute(url) else None
    if target is None or "?" in url or "#" in url:
        message = f"{url!r} is not the absolute URL of a folder: give one such as 'https://example.com/docs/'"
        raise InvalidBase(message)
    return target
