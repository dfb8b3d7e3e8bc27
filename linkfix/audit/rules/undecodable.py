"""The reference has bytes that are not valid in the page's encoding.

Browsers read U+FFFD for each, so that the target is another one than was meant. Most often the page is in another
encoding than it says.

Fails::

    <meta charset="iso-8859-7"><a href="mark®.html">a byte that ISO-8859-7 has not</a>

Passes::

    <meta charset="utf-8"><a href="mark®.html">bytes of UTF-8</a>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF314"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report U+FFFD that is not in the document but was read."""
    if seen.link.problem != "undecodable":
        return None
    encoding = seen.page.document.encoding.name
    return Issue(f"it has bytes that are not valid in {encoding}, the page's encoding: browsers read U+FFFD for them")
