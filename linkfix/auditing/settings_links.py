"""The paths in files of settings, as links at their places: the targets of a host's rules, the pages in `nav`.

And the faults of a host's files, as issues at their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from linkfix.auditing.hosts.rules import HostFault, HostFile
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rule import Issue
from linkfix.display import pluralize
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS

#: The largest number of faults of a file that are reported, and the largest number of bytes of each that are shown.
_FAULTS, _SHOWN = 20, 200


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
    """The parts of a host's file that are not valid: the first ones at their places, and the number of the others."""
    own = [one for one in faults if one.place.file == file.name]
    ends = [found.start() for found in re.finditer(rb"\r?\n|\Z", file.data)]
    starts = [0, *(found.end() for found in re.finditer(rb"\n", file.data))]
    if len(own) > _FAULTS:
        message = f"{pluralize(len(own) - _FAULTS, 'more part')} of the file, from here on, not valid"
        own[_FAULTS:] = [HostFault(own[_FAULTS].place, message, "correct the parts before these first")]
    for place, message, hint in own:
        start = max(place.at, starts[place.line - 1])
        end = min(max(ends[place.line - 1], start), start + _SHOWN)
        yield Issue(message, Hint(hint), file.name, (start, end), FindingLevel.WARNING)
