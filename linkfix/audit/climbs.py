"""References that climb above the root: RFC 2396 §5.2 step 6g."""

from __future__ import annotations

import re
from typing import NamedTuple

from linkfix.audit.references import is_path, special_scheme
from linkfix.model import Link
from linkfix.resolvers.components import split
from linkfix.urls import strip_url

__all__ = ["Climb", "climb"]

_PATH = re.compile(r"[^?#]*")
#: URL standard §3.1, "double-dot URL path segment".
_UP = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})
_HERE = frozenset({".", "%2e"})


class Climb(NamedTuple):
    """How many folders too far a reference climbs, and the same without what browsers drop."""

    excess: int
    kept: str


def climb(link: Link) -> Climb | None:
    """The climb of a reference; None where its ".." all have a folder to leave."""
    if link.base is None or link.problem not in {None, "excess-dots"} or not is_path(link):
        return None
    text = strip_url(link.reference)
    path = _PATH.match(text)
    if path is None or ("." not in path[0] and "%" not in path[0]):
        return None
    written = path[0].replace("\\", "/") if special_scheme(link) else path[0]
    depth = 0 if written.startswith("/") else split(link.base).path.count("/") - 1
    kept, excess = _without_excess(written, depth)
    return Climb(excess, (kept or "./") + text[path.end() :]) if excess else None


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
