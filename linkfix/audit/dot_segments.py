"""References with more ".." than there are folders to leave (RFC 2396 §5.2 step 6g; URL standard §4.4, path state)."""

from __future__ import annotations

from typing import NamedTuple

from linkfix.audit.references import is_relative_path, special_scheme
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.resolvers.components import split
from linkfix.urls import strip_url

__all__ = ["ExcessDots", "excess_dots"]

_PATH = lazy_pattern(r"[^?#]*")
#: URL standard §3.1, "double-dot URL path segment" and "single-dot URL path segment".
_DOUBLE_DOT = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})
_SINGLE_DOT = frozenset({".", "%2e"})


class ExcessDots(NamedTuple):
    """Double-dot segments above the root."""

    number: int
    without: str
    """The reference without the segments that browsers drop."""


def excess_dots(link: Link) -> ExcessDots | None:
    """The excess double-dot segments of a reference; None where it has none."""
    text = strip_url(link.reference)
    if ".." not in text and "%" not in text:
        return None
    if link.base is None or link.problem not in {None, "excess-dots"} or not is_relative_path(link):
        return None
    path = _PATH.match(text)
    if path is None:
        return None
    written = path[0].replace("\\", "/") if special_scheme(link) else path[0]
    depth = 0 if written.startswith("/") else split(link.base).path.count("/") - 1
    kept, count = _without_excess(written, depth)
    return ExcessDots(count, (kept or "./") + text[path.end() :]) if count else None


def _without_excess(path: str, depth: int) -> tuple[str, int]:
    """A path without its excess double-dot segments, and how many it has; `depth`: of the folder that it starts in."""
    kept: list[str] = []
    count = 0
    for segment in path.split("/"):
        form = segment.lower()
        if form in _DOUBLE_DOT and depth <= 0:
            count += 1
            continue
        kept.append(segment)
        if form in _DOUBLE_DOT:
            depth -= 1
        elif form not in _SINGLE_DOT and (segment or len(kept) > 1):
            depth += 1
    return "/".join(kept), count
