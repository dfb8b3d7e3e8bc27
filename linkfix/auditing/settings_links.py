"""The paths in files of settings, as links at their places: the targets of `_redirects`, the pages in `nav`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.redirects import Redirects
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS


def redirect_links(document: PageDocument, redirects: Redirects) -> Iterator[Link]:
    """The targets of redirects, as links at their places. Addresses of functions at Netlify are none."""
    data = document.source.data
    starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
    for target, number in redirects.targets:
        if target.startswith("/.netlify/"):
            continue
        raw = target.encode("utf-8", "replace")
        line_end = starts[number + 1] if number + 1 < len(starts) else len(data)
        start = data.find(raw, starts[number] + 1, line_end)  # the rule begins with its source
        start, end = (start, start + len(raw)) if start >= 0 else (starts[number], starts[number])
        yield link_at(document, target, start, end)


def link_at(document: PageDocument, reference: str, start: int, end: int) -> Link:
    """A path in a file of settings, as a link at its place."""
    base = document.envelope.url or ""
    url = RESOLVERS["whatwg"].resolve(base, reference).target
    line, column = document.positions.of(start)
    return Link("", "", "url", "hyperlink", reference, url, base, start, end, line, column, None, -1)
