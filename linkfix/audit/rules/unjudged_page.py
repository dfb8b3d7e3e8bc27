"""The page, or a part of it, could not be read, so that its references were not judged.

Its encoding is one that browsers do not read, or it has bytes that are not valid in it; it is XML that is not
well-formed, and browsers show an error in place of what follows; it is no text; it is larger than --max-size; or srcdoc
documents stand too deep inside each other.

Fails::

    <meta charset="iso-2022-kr"><a href="other.html">other</a>

Passes::

    <meta charset="utf-8"><a href="other.html">other</a>
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Level
from linkfix.audit.pages import problem_issues
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF901"
LEVEL = Level.ERROR

_ENDS = {
    "encoding-unsupported": b"",
    "encoding-round-trip": b"",
    "xml-not-well-formed": b"\n\r",
    "binary": b"",
    "too-large": b"",
    "srcdoc-depth": b"",
}


def check_page(page: Page) -> Iterator[Issue]:
    """Report what hides references from the audit."""
    return (issue._replace(cause=page.name) for issue in problem_issues(page, _ENDS))
