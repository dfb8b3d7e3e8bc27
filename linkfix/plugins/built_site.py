"""The audit of a site that a generator has just built, with the sources of its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from linkfix.auditing.api import audit
from linkfix.auditing.model import AuditFields, Finding, FindingLevel
from linkfix.display import clip, visible
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.urls import hide_passwords

#: A function from a source and a finding in the page that is made from it to the line of the source, from 1; None if
#: the line cannot be told.
LineOf = Callable[[str, Finding], int | None]

#: The maximum size of a source, in bytes.
_LARGEST = 1 << 24


class SourceFinding(NamedTuple):
    """A finding, at its place in a source."""

    finding: Finding
    message: str
    """The message, with the code, the reference and the place in the built page. It has no control characters."""
    source: str
    """The source of the page, as a key of the caller's table; "" if the page has none."""
    line: int | None
    """The line in the source, from 1; None if it cannot be told."""

    @property
    def is_warning(self) -> bool:
        """Whether the finding is a warning or an error, and no note."""
        return self.finding.level is not FindingLevel.NOTE


def built_findings(
    folder: str, root_url: str | None, sources: Mapping[str, str], line_of: LineOf, options: AuditFields
) -> Iterator[SourceFinding]:
    """Yield the findings of a built site, in the order of its pages.

    `folder`: the folder of the built pages. `root_url`: the URL that it will be served at; None if it is not known.
    `sources`: the name of a page in the folder -> its source. `options`: see `linkfix.audit`.
    """
    for finding in audit(folder, root_url=root_url, **options).findings:
        source = sources.get(finding.path, "")
        line = line_of(source, finding) if source else None
        yield SourceFinding(finding, _message(finding), source, line)


def _message(finding: Finding) -> str:
    reference = f": {clip(hide_passwords(finding.reference))}" if finding.reference else ""
    place = f"{visible(finding.path)}:{finding.line}:{finding.column}" if finding.path else "the whole site"
    hint = f"; {visible(finding.hint.text)}" if finding.hint is not None else ""
    return f"{finding.code} {clip(finding.message)}{reference} ({place}{hint})"


def line_with(text: str, reference: str) -> int | None:
    """The first line of a text that contains a reference, from 1; None for no such line."""
    at = text.find(reference) if reference else -1
    return None if at < 0 else text.count("\n", 0, at) + 1


def read_source(path: str) -> str:
    """The text of a source; "" if it cannot be read, or is very large."""
    try:
        return atomic.read(FilePath(path, str(Path(path).parent)), limit=_LARGEST).data.decode("utf-8", "replace")
    except OSError:
        return ""
