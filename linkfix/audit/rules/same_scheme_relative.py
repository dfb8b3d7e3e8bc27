"""The reference names the base's scheme and no host.

Browsers read `https:page.html` as relative where the base is https too, for backwards compatibility; RFC 3986 §5.2.2
takes it for an absolute URL without a host. With another base's scheme it is `missing-slashes`.

Fails::

    <a href="https:other.html">relative for browsers alone</a>

Passes::

    <a href="other.html">relative for all</a>

Passes::

    <a href="http:other.html">another scheme than the base's</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading, same_target, slashless
from linkfix.audit.rule import Issue, PlaceKind, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF302"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report `https:g` on an https base."""
    found = slashless(seen.link)
    if found is None or not found.same_scheme or reading(seen).kind is not ReadingKind.SCHEME:
        return None
    rest = found.rest or "#"
    if seen.place.kind in {PlaceKind.MISSING, PlaceKind.OUTSIDE} and found.is_host:
        hint = Hint("write the slashes, where a host is meant", found.scheme + "://" + rest.lstrip("/\\"))
    else:
        certain = seen.place.kind is PlaceKind.FILE and same_target(seen, rest)
        hint = Hint("leave the scheme out", rest, certain)
    return Issue(f"browsers read it as relative, RFC 3986 as an absolute {found.scheme}: URL without a host", hint)
