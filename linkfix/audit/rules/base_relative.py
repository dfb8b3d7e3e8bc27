"""BASE has an href that is itself relative.

What it means depends on the URL that the page was retrieved from, so that a copy on another host or in another folder
has another base. HTML allows it (§4.2.3); RFC 1808 §10 and RFC 2396 §5.1.1 ask for an absolute URL, and tools that
follow them ignore this BASE.

Fails::

    <base href="/docs/"><a href="other.html">other</a>

Passes::

    <base href="https://host.example/docs/"><a href="other.html">other</a>
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.pages import deciding_base
from linkfix.audit.rule import Issue, Page
from linkfix.document.decide import is_absolute_reference

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF202"
LEVEL = Level.NOTE

_HINT = Hint("write the URL that it is to mean in full, with scheme and host")


def check_page(page: Page) -> Iterator[Issue]:
    """Report the BASE that decides, where it is relative."""
    tag = deciding_base(page.document)
    if tag is not None and not is_absolute_reference(tag.href):
        message = "BASE is relative: what it means changes with the page's own URL, and old readers ignore it"
        yield Issue(message, _HINT, tag.href, tag.href_span)
