"""The file's name differs in upper and lower case.

It works where file names are not case-sensitive, on Windows and macOS, and is missing on most servers.

Fails::

    <a href="upper.html">the file is Upper.html</a>

Passes::

    <a href="Upper.html">as it is written</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.near import same_but_case
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.site import PlaceKind

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF105"
LEVEL = Level.ERROR


def check_link(seen: Seen) -> Issue | None:
    """Report a target that is there but for case."""
    place = seen.place
    if place.kind is not PlaceKind.CASE:
        return None
    reference = same_but_case(seen)
    hint = Hint(f"{place.near} is there", reference, certain=reference is not None)
    return Issue("the file's name differs in upper and lower case", hint, cause=f"{place.name} for {place.near}")
