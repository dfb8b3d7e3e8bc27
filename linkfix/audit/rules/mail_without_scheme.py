"""The hyperlink is a mail address without "mailto:" before it.

Browsers read it as the name of a file beside the page. Only names that are not in the tree are reported.

Fails::

    <a href="someone@example.com">write</a>

Passes::

    <a href="mailto:someone@example.com">write</a>

Passes::

    <a href="img@2x.png">a file</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF309"
LEVEL = Level.ERROR


def check_link(seen: Seen) -> Issue | None:
    """Report a mail address that is read as a path."""
    read = reading(seen)
    if read.kind is not ReadingKind.MAIL:
        return None
    return Issue(
        "a mail address without mailto: is read as a file, which is not in the tree",
        Hint("write mailto: before it", read.mended, "?" not in seen.link.reference),
    )
