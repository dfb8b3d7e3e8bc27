"""The plain references to a base: see `linkfix.document.plain`."""

from __future__ import annotations

import re
from functools import lru_cache

from linkfix.document.plain import PlainReferences
from linkfix.html.charrefs import escape_attribute

__all__ = ["plain_references"]

#: The prefixes of a base take as much memory as the square of its folders: one in more has no plain references.
_MOST_FOLDERS = 100
#: A quotation mark can stand in a host (URL standard §3.1), and nowhere else; the slow way knows which one to escape.
_SPLIT = re.compile(r"(https?:)(//[^/?#\"]+)(/[^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)


@lru_cache(maxsize=1024)
def plain_references(base: str, *, fragments: bool, escaped: bool) -> PlainReferences | None:
    """The plain references to a base that the URL standard has serialized; None where it is not http or https."""
    match = _SPLIT.fullmatch(base)
    if match is None or not base.isascii() or match[3].count("/") > _MOST_FOLDERS:
        return None
    scheme, host, path, query = match.groups("")
    if escaped and ("&" in base or "'" in base):
        host, path, query = (escape_attribute(part, 39) for part in (host, path, query))
    return PlainReferences(scheme.encode(), (scheme + host).encode(), path.encode(), query.encode(), fragments, escaped)
