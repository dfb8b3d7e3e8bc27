"""What the page says of its encoding is not what readers take it for.

The label is none that browsers know, or its meta comes after the first 1,024 bytes, where some readers look no further:
they read other letters, and where those stand in the query of a reference, another target (HTML §13.2.3.2).

Fails::

    <meta charset="utf-88"><a href="other.html">other</a>

Passes::

    <meta charset="utf-8"><a href="other.html">other</a>
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.pages import problem_issues
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF902"
LEVEL = Level.WARNING

_ENDS = {"charset-unknown": b"\"'>; \t\n\f\r", "charset-late": b"\"'>; \t\n\f\r"}
_HINT = Hint('write <meta charset="utf-8">, or the label that is true, at the beginning of the head')


def check_page(page: Page) -> Iterator[Issue]:
    """Report labels that are none, and labels that come late."""
    return (issue._replace(hint=_HINT) for issue in problem_issues(page, _ENDS))
