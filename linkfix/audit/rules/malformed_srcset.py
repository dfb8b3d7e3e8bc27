"""An image candidate of a srcset has descriptors that make browsers drop it.

A candidate is a URL and one width (`480w`) or density (`2x`); a space inside the URL, a unit that is none, `0w` or both
at once make all of the candidate void (HTML §4.8.4.2.1, "parse a srcset attribute").

Fails::

    <img srcset="picture.png 2q, picture.png 2x" src="picture.png" alt="">

Passes::

    <img srcset="picture.png 1x, picture.png 2x" src="picture.png" alt="">
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Level
from linkfix.audit.pages import problem_issues
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF501"
LEVEL = Level.ERROR

_ENDS = {"srcset-descriptor": b"\t\n\f\r ,\"'>"}


def check_page(page: Page) -> Iterator[Issue]:
    """Report candidates that do not count."""
    return problem_issues(page, _ENDS)
