"""The target lies behind a symbolic link that leads out of the tree, to nothing, or in a circle.

Such a link works on one machine: whoever copies or publishes the tree does not get what it leads to.

Fails::

    <a href="outside.html">a symbolic link to a file that is not in the tree</a>

Passes::

    <a href="linked.html">a symbolic link within the tree</a>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.site import PlaceKind

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF107"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report a target behind a symbolic link that is not followed."""
    place = seen.place
    if place.kind is not PlaceKind.LEAVES:
        return None
    reason = seen.page.site.dangling.get(place.near, "redirects lead in a circle")
    level = Level.WARNING if "out of the tree" in reason else Level.ERROR
    return Issue(f"{place.near or place.name}: {reason}", cause=place.near or place.name, level=level)
