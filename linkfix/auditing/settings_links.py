"""The paths in files of settings, as links at their places: the targets of a host's rules, the pages in `nav`.

And the faults of a host's files, as issues at their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from linkfix.auditing.hosts.rules import HostFault, HostFile
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rule import Issue
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS

#: The largest number of faults of a file that are reported.
_FAULTS = 20


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


def fault_issues(file: HostFile, faults: Iterable[HostFault]) -> Iterator[Issue]:
    """The parts of a host's file that are not valid, the first ones, at their lines."""
    lines = file.data.split(b"\n")
    for place, message, hint in islice((one for one in faults if one.place.file == file.name), _FAULTS):
        start = sum(len(line) + 1 for line in lines[: place.line - 1])
        end = start + len(lines[place.line - 1].rstrip(b"\r"))
        yield Issue(message, Hint(hint), file.name, (start, end), FindingLevel.WARNING)
