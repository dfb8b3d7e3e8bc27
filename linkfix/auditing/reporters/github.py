"""Annotations of GitHub Actions: workflow commands on standard output, which the runner reads.

The first findings of all causes come first, the worst causes before the others. GitHub keeps ten annotations of each
level and step, and shows the rest only in the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from linkfix.auditing.findings import name_in
from linkfix.auditing.model import Audit, Finding, FindingLevel
from linkfix.auditing.reporters.common import (
    checked_nothing,
    hint_text,
    is_whole_file,
    location,
    message_with_reference,
    prefix,
    source_path,
    verdict,
    workspace,
)
from linkfix.display import pluralize, visible

#: The number of annotations of one level that GitHub shows for a step.
_SHOWN = 10

_COMMANDS = {FindingLevel.ERROR: "error", FindingLevel.WARNING: "warning", FindingLevel.NOTE: "notice"}

#: The runner's own escapes (actions/toolkit, `escapeData` and `escapeProperty`).
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. Paths are relative to the checkout, whatever the step's working directory is."""
    root = prefix(audit, workspace())
    if checked_nothing(audit):
        out.write(f"::error title=linkfix audit::{_data(verdict(audit))}\n")
    for finding, others in _by_severity(audit):
        path = location(audit, finding) if root is None else name_in(root, finding.path)
        out.write(_command(finding, path, others) + "\n")
    hides = any(audit.count(level) > _SHOWN for level in FindingLevel)
    limit = f"; GitHub shows {_SHOWN} annotations of each level per step; the others are in this log" if hides else ""
    out.write(f"linkfix audit: {verdict(audit)}{limit}\n")


def _by_severity(audit: Audit) -> Iterator[tuple[Finding, int]]:
    """Yield the first finding of each cause with the number of its other findings; then those, with 0."""
    for cause in audit.causes:
        yield audit.findings[cause.findings[0]], len(cause.findings) - 1
    for cause in audit.causes:
        for number in cause.findings[1:]:
            yield audit.findings[number], 0


def _command(finding: Finding, path: str, others: int) -> str:
    properties: dict[str, str | int] = {"file": path}
    if finding.source:  # the built page is not in the checkout
        properties["file"] = source_path(finding.source.path)
        properties |= {"line": finding.source.line} if finding.source.line else {}
    elif not is_whole_file(finding):
        properties |= {"line": finding.line, "endLine": finding.end_line}
        if finding.line == finding.end_line:  # GitHub rejects columns for a place of several lines
            properties |= {"col": finding.column, "endColumn": finding.end_column}
    properties["title"] = f"{finding.code} {finding.name}"
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    lines = [message_with_reference(finding)]
    if finding.source:
        place = "" if is_whole_file(finding) else f":{finding.line}:{finding.column}"
        lines.append(f"in the page {visible(path)}{place}")
    if finding.hint:
        lines.append(hint_text(finding.hint))
    if others:
        lines.append(f"{pluralize(others, 'more reference')} with the same cause")
    return f"::{_COMMANDS[finding.level]} {listed}::{_data(chr(10).join(lines))}"


def _data(text: str) -> str:
    return text.translate(_DATA)


def _property(text: str) -> str:
    return visible(text).translate(_PROPERTY)
