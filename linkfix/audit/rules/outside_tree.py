"""The reference begins with "/" and leads past the folder that the tree is served at.

The tree is one folder of its host (`--base-url https://host/docs/`), and "/x" is not in it. Where a file of that name
is in the tree, the reference was probably made for a site at the root of a host.

Fails, in a tree at https://site.example/sub/::

    <a href="/index.html">the tree's index.html is at /sub/index.html</a>

Passes, in a tree at https://site.example/sub/::

    <a href="/sub/index.html">there</a> <a href="/elsewhere/">nothing is known of that</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.near import reference_to
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.site import PlaceKind

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF108"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report a root-relative reference that would be right if the tree were at its host's root."""
    place, site = seen.place, seen.page.site
    if place.kind is not PlaceKind.OUTSIDE or not seen.link.reference.startswith("/"):
        return None
    name = site.name_at_root(place.name)
    if name is None:
        return None
    hint = Hint(f"{name} is in the tree", reference_to(seen, name))
    return Issue(f"it leads past {site.prefix}, the folder that the tree is served at", hint, cause=site.prefix)
