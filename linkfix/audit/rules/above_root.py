"""The reference climbs above the root of its base.

It has more ".." than there are folders to leave. Browsers drop those in excess (URL standard §4.4, path state), RFC
2396 §5.2 step 6g lets a program keep them or report an error. Most often the page was moved, or is served from another
folder than it was made for.

Fails::

    <a href="../../index.html">two folders up from the first</a>

Passes::

    <a href="../docs/other.html">one</a>
"""

from __future__ import annotations

from linkfix.audit.climbs import climb
from linkfix.audit.model import Hint, Level
from linkfix.audit.references import same_target
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.site import PlaceKind
from linkfix.display import counted

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF313"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report ".." that have no folder left to leave; `missing-target` says it of targets that are not there."""
    if seen.place.kind is PlaceKind.MISSING:
        return None
    found = climb(seen.link)
    if found is None:
        return None
    hint = None
    if same_target(seen, found.kept):
        there = seen.place.kind is PlaceKind.FILE
        # A tree whose place on its host is not known may lie deeper.
        certain = there and seen.page.site.known
        hint = Hint("leave out what browsers drop" if there else "browsers read it so", found.kept, certain)
    return Issue(f'its ".." climb {counted(found.excess, "folder")} above the root: browsers stay there', hint)
