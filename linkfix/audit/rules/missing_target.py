"""The reference leads to no file of the tree.

A server would answer it with 404. Near misses are looked for: a compressed file of that name, a name that is
percent-encoded twice, a name in the same folder that differs by a letter or two.

Fails::

    <a href="gone.html">gone</a>

Passes::

    <a href="other.html">there</a>

Passes::

    <a href="https://elsewhere.example/gone.html">another site is not looked at</a>
"""

from __future__ import annotations

import re

from linkfix.audit.climbs import climb
from linkfix.audit.model import Hint, Level
from linkfix.audit.near import near_file, reference_to
from linkfix.audit.references import CLAIMED, reading
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.site import PlaceKind
from linkfix.display import counted

__all__ = ["CODE", "LEVEL", "check_link"]

_SLASHES = re.compile(r"//+")

CODE = "LF101"
LEVEL = Level.ERROR


def check_link(seen: Seen) -> Issue | None:
    """Report a target that the tree does not hold."""
    place = seen.place
    if place.kind is not PlaceKind.MISSING or reading(seen).kind in CLAIMED:
        return None
    site = seen.page.site
    merged = _SLASHES.sub("/", place.name)
    if merged != place.name and site.has(merged):
        hint = Hint(f"{merged} is there", reference_to(seen, merged))
        return Issue("servers that do not merge slashes find no such file", hint, level=Level.WARNING)
    folder = site.missing_folder(place.name)
    above = climb(seen.link)
    more = f', and its ".." climb {counted(above.excess, "folder")} above the root' if above else ""
    if folder and folder not in site.numbers:
        return Issue(f"the folder {folder}/ is not in the tree{more}", near_file(seen), cause=f"{folder}/")
    return Issue(f"there is no such file in the tree{more}", near_file(seen), cause=place.name)
