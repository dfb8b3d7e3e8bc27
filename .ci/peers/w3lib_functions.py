"""`get_base_url` and `get_meta_refresh` of w3lib, made of linkfix's public names."""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Collection

import linkfix

__all__ = ["get_base_url", "get_meta_refresh"]

#: The time in the text before a refresh's URL, which linkfix does not give.
_TIME = re.compile(r"([0-9.]+)[^0-9.]*\Z")
_NOSCRIPT = "noscript"


def _document(
    text: bytes | str, url: str, encoding: str, scripting: linkfix.Scripting
) -> linkfix.Document[bytes] | linkfix.Document[str]:
    if isinstance(text, str):
        return linkfix.Document(text, url=url or None, scripting=scripting)
    label = codecs.lookup(encoding).name.replace("iso2022_", "iso-2022-")
    return linkfix.Document(text, url=url or None, scripting=scripting, charset=label)


def get_base_url(text: bytes | str, baseurl: bytes | str = "", encoding: str = "utf-8") -> str:
    """The document's base URL; the given `baseurl` if the base is the same without a BASE element."""
    url = baseurl.decode() if isinstance(baseurl, bytes) else baseurl
    base = _document(text, url, encoding, "on").base
    return url if base.url == base.fallback else base.url or ""


def get_meta_refresh(
    text: bytes | str,
    baseurl: str = "",
    encoding: str = "utf-8",
    ignore_tags: Collection[str] = ("script", _NOSCRIPT),
) -> tuple[None, None] | tuple[float, str | None]:
    """The time and the target of the first refresh. Of the elements to ignore, linkfix has an option for `noscript`."""
    document = _document(text, baseurl, encoding, "on" if _NOSCRIPT in ignore_tags else "off")
    for link in document.links:
        if link.syntax == "refresh":
            before = text[link.tag_start : link.start]
            time = _TIME.search(html.unescape(before if isinstance(before, str) else before.decode("latin-1")))
            return float(time[1] if time else 0), link.target
    return None, None
