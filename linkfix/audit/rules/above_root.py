"""The reference climbs above the root of its base.

It has more ".." than there are folders to leave. Browsers drop those in excess (URL standard §4.4, path state), RFC
2396 §5.2 step 6g lets a program keep them or report an error. Most often the page was moved, or is served from another
folder than it was made for.

Fails::

    <a href="../../other.html">two folders up from the first</a>

Passes::

    <a href="../docs/other.html">one</a>
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import cleaned, is_path, same_target, special_scheme
from linkfix.audit.rule import Issue, PlaceKind, Seen
from linkfix.resolvers.components import split
from linkfix.text import counted

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF313"
LEVEL = Level.WARNING

_PATH = re.compile(r"[^?#]*")
#: URL standard §3.1, "double-dot URL path segment".
_UP = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})
_HERE = frozenset({".", "%2e"})


def check_link(seen: Seen) -> Issue | None:
    """Report ".." segments that have no folder left to leave."""
    link = seen.link
    if link.base is None or link.problem not in {None, "excess-dots"} or not is_path(link):
        return None
    text = cleaned(link.reference)
    path = _PATH.match(text)
    if path is None or ("." not in path[0] and "%" not in path[0]):
        return None
    written = path[0].replace("\\", "/") if special_scheme(link) else path[0]
    depth = 0 if written.startswith("/") else split(link.base).path.count("/") - 1
    kept, excess = _without_excess(written, depth)
    if not excess:
        return None
    reference = (kept or "./") + text[path.end() :]
    hint = None
    if same_target(seen, reference):
        there = seen.place.kind is PlaceKind.FILE
        # A tree whose place on its host is not known may lie deeper.
        certain = there and seen.page.site.known
        hint = Hint("leave out what browsers drop" if there else "browsers read it so", reference, certain)
    return Issue(f'its ".." climb {counted(excess, "folder")} above the root: browsers stay there', hint)


def _without_excess(path: str, depth: int) -> tuple[str, int]:
    """A path without the ".." that have nothing left to leave, and how many there are; it starts `depth` deep."""
    kept: list[str] = []
    excess = 0
    for segment in path.split("/"):
        form = segment.lower()
        if form in _UP and depth <= 0:
            excess += 1
            continue
        kept.append(segment)
        if form in _UP:
            depth -= 1
        elif form not in _HERE and (segment or len(kept) > 1):
            depth += 1
    return "/".join(kept), excess
