"""BASE has an href that cannot be a base URL, and is ignored.

A `data:` or `javascript:` URL, what is no URL, and a placeholder that a template left behind give no base: references
are then resolved against the page's own URL, and no later BASE takes the place of this one (HTML §4.2.3, "set the
frozen base URL").

Fails::

    <base href="data:text/html,"><a href="other.html">other</a>

Fails::

    <base href="http://[">

Passes::

    <base href="https://host.example/docs/">
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.page_facts import base_tags
from linkfix.audit.rule import Issue, Page
from linkfix.model import Layer

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF205"
LEVEL = Level.ERROR

_HINT = Hint("write an http or https URL, or remove BASE")


def check_page(page: Page) -> Iterator[Issue]:
    """Report the first BASE with an href, where it gives no base."""
    base = page.document.document_base
    if base.layer is Layer.EMBEDDED:
        return
    reasons = {candidate.start: candidate.reason for candidate in base.rejected}
    first = next((tag for tag in base_tags(page.document) if tag.inside not in {"svg", "mathml", "template"}), None)
    if first is not None:
        yield Issue(f"this BASE is ignored: {reasons[first.start]}", _HINT, first.href, first.href_span)
