"""The reference is a host without "https://" before it.

People read `www.example.com/x` as a URL; browsers read it as the name of a file beside the page (RFC 2396 Appendix F).
Only names that are not in the tree are reported. With a port it is `colon-in-first-segment`.

Fails::

    <a href="www.example.com/x">no scheme</a>

Passes::

    <a href="https://www.example.com/x">a scheme</a>

Passes::

    <a href="other.html">a file</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF308"
LEVEL = Level.ERROR


def check_link(seen: Seen) -> Issue | None:
    """Report a host that is read as a path."""
    read = reading(seen)
    if read.kind is not ReadingKind.ABBREVIATED:
        return None
    return Issue(
        "a host without a scheme is read as a file, which is not in the tree",
        Hint("write the scheme", read.mended),
    )
