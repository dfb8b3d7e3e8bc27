"""The paths in files of settings, as links at their places: the targets of a host's rules, the pages in `nav`."""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.auditing.hosts.rules import HostFile
from linkfix.auditing.page_document import PageDocument
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS


def rule_targets(document: PageDocument, file: HostFile) -> Iterator[Link]:
    """The targets of a host's rules, as links at their places."""
    for target, start, end in file.targets:
        yield link_at(document, target, start, end)


def link_at(document: PageDocument, reference: str, start: int, end: int) -> Link:
    """A path in a file of settings, as a link at its place."""
    base = document.envelope.url or ""
    url = RESOLVERS["whatwg"].resolve(base, reference).target
    line, column = document.positions.of(start)
    return Link("", "", "url", "hyperlink", reference, url, base, start, end, line, column, None, -1)
