"""BASE with an href stands there again, and is ignored.

Only the first BASE element that has an href counts (HTML §4.2.3), even where its href is no usable URL. A further one
is often the template's, and the page's own comes too late; lxml and others let the last one win, so that they see
other targets than browsers.

Fails::

    <base href="https://host.example/docs/"><base href="https://host.example/">

Passes::

    <base href="https://host.example/docs/"><base target="_blank">
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.pages import base_tags, line_of
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF203"
LEVEL = Level.WARNING

_HINT = Hint("keep the one that is meant, as the first element of the head")


def check_page(page: Page) -> Iterator[Issue]:
    """Report every BASE with an href but the first."""
    tags = [tag for tag in base_tags(page.document) if tag.counts]
    for tag in tags[1:]:
        line = line_of(page.document, tags[0].start)
        yield Issue(f"this BASE is ignored: only the first counts, in line {line}", _HINT, tag.href, tag.href_span)
