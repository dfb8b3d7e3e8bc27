"""The folder is there and has no index page.

A server lists its content, or answers with 403 or 404.

Fails::

    <a href="empty/">a folder with no index.html</a>

Passes::

    <a href="folder/">a folder with one</a> <a href="folder">a server adds the slash</a>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.site import PlaceKind

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF106"
LEVEL = Level.ERROR


def check_link(seen: Seen) -> Issue | None:
    """Report a folder that a server has no page for."""
    if seen.place.kind is not PlaceKind.NO_INDEX:
        return None
    return Issue("the folder has no index page", cause=f"{seen.place.name}/")
