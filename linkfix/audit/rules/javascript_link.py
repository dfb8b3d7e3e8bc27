"""The hyperlink is a script.

It leads nowhere where scripts do not run: in saved pages, in mail, for programs, when opened in another tab. A button
is for that. With slashes after the scheme it is `needless-slashes`.

Fails::

    <a href="javascript:void(0)">menu</a>

Passes::

    <a href="other.html">menu</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF402"
LEVEL = Level.NOTE


def check_link(seen: Seen) -> Issue | None:
    """Report javascript: as the scheme of a hyperlink, however it is written."""
    read = reading(seen)
    if seen.link.role != "hyperlink" or read.kind is not ReadingKind.SCHEME or read.scheme != "javascript":
        return None
    if not seen.link.reference.lstrip().lower().startswith("javascript:"):
        return Issue("it is a script, and white space that browsers remove hides that", level=Level.WARNING)
    return Issue("it is a script, and leads nowhere where scripts do not run", Hint("use a button"), "javascript:")
