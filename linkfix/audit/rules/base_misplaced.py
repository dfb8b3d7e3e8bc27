"""A tag looks like BASE and is in a place where it is none, or not always.

In SVG, in MathML and in a `template` it is no BASE element. In `noscript` it is one only where scripts are off, so that
the page has two bases. In the body it counts in browsers, and readers that look at the head alone miss it: a note. One
in a comment is nobody's mistake, and not reported.

Fails::

    <svg><base href="https://host.example/docs/"></base></svg>

Fails::

    <noscript><base href="https://host.example/docs/"></noscript>

Passes::

    <head><base href="https://host.example/docs/"></head>

Passes::

    <!-- <base href="https://host.example/docs/"> -->
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.pages import base_tags
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF206"
LEVEL = Level.WARNING

_HINT = Hint("move BASE to the beginning of the head")
_MESSAGES = {
    "svg": "this is no BASE element: it stands in SVG",
    "mathml": "this is no BASE element: it stands in MathML",
    "template": "this is no BASE element: it stands in a template",
    "noscript": "this BASE counts only where scripts are off: it stands in noscript",
    "body": "this BASE stands in the body, where readers of the head alone do not see it",
}


def check_page(page: Page) -> Iterator[Issue]:
    """Report what looks like a BASE in the wrong place; of several in the body only the one that counts."""
    for tag in base_tags(page.document):
        if tag.inside == "body" and tag.start != page.document.document_base.start:
            continue
        if tag.inside:
            level = Level.NOTE if tag.inside == "body" else None
            yield Issue(_MESSAGES[tag.inside], _HINT, tag.href, (tag.start, tag.end), level)
