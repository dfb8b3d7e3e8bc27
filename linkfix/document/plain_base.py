"""The plain references to a base: see `linkfix.kernels.plain`."""

from __future__ import annotations

import re
from functools import lru_cache

from linkfix.html.values import escape_attribute
from linkfix.kernels.plain import AFTER_BASE, PlainReferences

#: The maximum number of folders in a base with plain references. The memory for its prefixes grows with the square of
#: that number.
_MOST_FOLDERS = 100
#: A quotation mark can occur in a host (URL standard §3.1), and nowhere else. The resolver's path knows which one to
#: escape.
_FOLDER = re.compile(r"(https?:)//[^/?#\"]+(?=/)")
#: The number of bases whose texts are kept, for the documents in work. More would only fill the processor's caches.
_KEPT = 16


@lru_cache(maxsize=_KEPT)
def plain_references(  # a cache takes longer for keywords
    base: str,
    fragments: bool,
    escapes: bool = False,
) -> tuple[PlainReferences, PlainReferences] | None:
    """The plain references to a base in the URL standard's serialization: as raw attribute values, and as text.

    `fragments`, `escapes`: as in `PlainReferences`. Returns None if the base is not http or https.
    """
    document = base.partition("#")[0]
    page = document.partition("?")[0]
    beginnings = _beginnings(page[: page.rfind("/") + 1])
    if beginnings is None or not base.isascii():
        return None
    scheme, root, folders = beginnings
    starts = [scheme, root, page.encode(), document.encode()]
    texts = escaped = [*starts, *AFTER_BASE, *folders]
    if "&" in base or "'" in base:
        escaped = [*map(_escaped, starts), *AFTER_BASE, *map(_escaped, folders)]
    return PlainReferences(escaped, fragments, True, escapes), PlainReferences(texts, fragments, False, False)


def _escaped(text: bytes) -> bytes:
    return escape_attribute(text.decode(), 39).encode()


@lru_cache(maxsize=_KEPT)
def _beginnings(folder: str) -> tuple[bytes, bytes, list[bytes]] | None:
    """The prefixes of the URLs in a folder, which many documents share: "https:", "https://host", and the folders from
    this folder up to the root.
    """
    match = _FOLDER.match(folder)
    if match is None or not folder.isascii() or folder.count("/", match.end()) > _MOST_FOLDERS:
        return None
    folders = []
    while len(folder) > match.end():
        folders.append(folder.encode())
        folder = folder[: folder.rindex("/", 0, -1) + 1]
    return match[1].encode(), match[0].encode(), folders
