"""The scheme of the reference was given up.

IANA's registry has it as historical (RFC 4395 §4) or obsolete, or no browser follows links with it any more.

Fails::

    <a href="wais://elsewhere.example/x">historical</a>

Fails::

    <a href="gopher://elsewhere.example/">not followed any more</a>

Passes::

    <a href="ftp://elsewhere.example/">still in use</a>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.references import ReadingKind, reading
from linkfix.audit.rule import Issue, Seen
from linkfix.audit.schemes import given_up

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF404"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report a scheme that no program is likely to know any more."""
    read = reading(seen)
    if read.kind is not ReadingKind.GIVEN_UP:
        return None
    return Issue(f"its scheme {given_up(read.scheme)}", cause=f"{read.scheme}:")
