"""The plain references to a base: see `linkfix.document.plain`."""

from __future__ import annotations

import re
from functools import lru_cache

from linkfix.document.plain import AFTER_BASE, PlainReferences
from linkfix.html.charrefs import escape_attribute

__all__ = ["plain_references"]

#: The prefixes of a base take as much memory as the square of its folders: one in more has no plain references.
_MOST_FOLDERS = 100
#: A quotation mark can stand in a host (URL standard §3.1), and nowhere else; the slow way knows which one to escape.
_SPLIT = re.compile(r"(https?:)(//[^/?#\"]+)(/[^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)


@lru_cache(maxsize=1024)
def plain_references(base: str, fragments: bool) -> tuple[PlainReferences, PlainReferences] | None:  # noqa: FBT001 - a cache takes longer for keywords
    """The plain references to a base that the URL standard has serialized: as raw attribute values, and as text.

    `fragments`: as in `PlainReferences`. None where the base is not http or https.
    """
    match = _SPLIT.fullmatch(base)
    if match is None or not base.isascii() or match[3].count("/") > _MOST_FOLDERS:
        return None
    scheme, host, path, query = match.groups("")
    texts = escaped = _texts(scheme, host, path, query)
    if "&" in base or "'" in base:
        escaped = _texts(scheme, *(escape_attribute(part, 39) for part in (host, path, query)))
    return PlainReferences(escaped, fragments, True), PlainReferences(texts, fragments, False)  # noqa: FBT003 - as above


def _texts(scheme: str, host: str, path: str, query: str) -> list[bytes]:
    """The texts of `PlainReferences`, by number. `scheme`: "https:". `host`: "//host"."""
    root = scheme + host
    texts = [scheme.encode(), root.encode(), (root + path).encode(), (root + path + query).encode(), *AFTER_BASE]
    while path:
        path = path[: path.rindex("/")]
        texts.append(f"{root}{path}/".encode())
    return texts
