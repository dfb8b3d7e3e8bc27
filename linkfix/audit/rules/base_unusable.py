"""BASE has an href that cannot be a base URL.

A `data:` or `javascript:` URL, what is no URL, and a placeholder that a template left behind give no base: references
are then resolved against the page's own URL, and no later BASE takes the place of this one (HTML §4.2.3, "set the
frozen base URL"). Another URL without a hierarchy, such as `mailto:` or `about:blank`, is taken, and then every
relative reference fails.

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
from linkfix.audit.pages import base_tags, deciding_base
from linkfix.audit.rule import Issue, Page
from linkfix.model import Layer
from linkfix.resolvers import resolve

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF205"
LEVEL = Level.ERROR

_HINT = Hint("write an http or https URL, or remove BASE")


def check_page(page: Page) -> Iterator[Issue]:
    """Report the first BASE with an href, where it gives no base or one that nothing can be relative to."""
    base = page.document.document_base
    if base.layer is Layer.EMBEDDED:
        tag = deciding_base(page.document)
        if tag is not None and resolve(base.url, "x").target is None:
            message = "this BASE makes all relative references fail: none can be relative to such a URL"
            yield Issue(message, _HINT, tag.href, tag.href_span)
        return
    reasons = {candidate.start: candidate.reason for candidate in base.rejected}
    first = next((tag for tag in base_tags(page.document) if tag.inside not in {"svg", "mathml", "template"}), None)
    if first is not None:
        yield Issue(f"this BASE is ignored: {reasons[first.start]}", _HINT, first.href, first.href_span)
