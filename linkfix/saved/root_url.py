"""The URL of a tree's root folder, as `--base-url` states it."""

from __future__ import annotations

from linkfix.errors import InvalidBase
from linkfix.files.folder import INDEX_NAMES
from linkfix.resolvers import RESOLVERS


def root_url(url: str) -> str:
    """Normalize the absolute URL of a tree's root. The result ends with a slash. The URL of an index file becomes the
    URL of its folder.

    Raises `InvalidBase` if it is not the URL of a folder.

    >>> root_url("HTTPS://example.com/docs"), root_url("https://example.com/docs/index.html")
    ('https://example.com/docs/', 'https://example.com/docs/')
    """
    whatwg = RESOLVERS["whatwg"]
    folder = url if url.endswith("/") or url.rpartition("/")[2] in INDEX_NAMES else url + "/"
    target = whatwg.resolve(folder, "./").target if whatwg.is_absolute(url) else None
    if target is None or "?" in url or "#" in url:
        message = f"{url!r} is not the absolute URL of a folder: give one such as 'https://example.com/docs/'"
        raise InvalidBase(message)
    return target
