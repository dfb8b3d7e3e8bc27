"""A url() in CSS is written so that CSS reads no URL.

White space, quotes or "(" inside an unquoted url() make it a *bad URL* (CSS Syntax 3 §4.3.14), and the declaration is
dropped. Quotes around the URL allow all of them.

Fails::

    <p style="background: url(my picture.png)">text</p>

Passes::

    <p style="background: url('picture.png')">text</p>
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.pages import problem_issues
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF504"
LEVEL = Level.WARNING

_ENDS = {"css-bad-url": b")\n\r;}"}
_HINT = Hint("put the URL in quotes, and percent-encode spaces")


def check_page(page: Page) -> Iterator[Issue]:
    """Report what stands in place of a URL and is none."""
    return (issue._replace(hint=_HINT) for issue in problem_issues(page, _ENDS))
