"""JUnit XML for CI servers: a test suite for each file with findings, and a failure for each error or warning.

Notes are listed in the suite's output. All files without errors and warnings share one test case, which passes. A file
that could not be read is a test case with `<skipped>`. An audit that checked no reference is one with `<error>`, since
CI servers show an empty report as a success.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple, TextIO

from linkfix.auditing.model import Audit, Finding, FindingLevel
from linkfix.auditing.reporters.common import (
    checked_nothing,
    hint_text,
    location,
    message_with_reference,
    source_text,
    verdict,
)
from linkfix.display import clip, pluralize, visible, visible_line, visible_path

#: Characters that `visible` keeps and XML 1.0 §2.2 forbids.
_FORBIDDEN = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. The encoding of the stream has to be UTF-8."""
    suites = list(_suites(audit))
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    sums = _counts(
        sum(suite.tests for suite in suites),
        sum(suite.failures for suite in suites),
        sum(suite.errors for suite in suites),
        sum(suite.skipped for suite in suites),
    )
    out.write(f'<testsuites name="linkfix audit" {sums} time="{audit.seconds:.3f}">\n')
    for suite in suites:
        counts = _counts(suite.tests, suite.failures, suite.errors, suite.skipped)
        out.write(f'<testsuite name="{_xml(suite.name)}" {counts} time="0">\n')
        out.writelines(suite.cases)
        if suite.notes:
            out.write("<system-out>" + "\n".join(suite.notes) + "</system-out>\n")
        out.write("</testsuite>\n")
    out.write("</testsuites>\n")


class _Suite(NamedTuple):
    """A test suite."""

    name: str
    cases: list[str]
    """XML elements."""
    notes: list[str]
    """Escaped text."""
    failures: int = 0
    errors: int = 0
    skipped: int = 0

    @property
    def tests(self) -> int:
        return len(self.cases)


def _counts(tests: int, failures: int, errors: int, skipped: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'


def _suites(audit: Audit) -> Iterator[_Suite]:
    pages = 0
    for path, group in groupby(audit.findings, key=lambda finding: finding.path):
        pages += 1
        yield _page(audit, path, list(group))
    rest = audit.coverage.pages - pages
    if checked_nothing(audit):
        error = f'<error type="nothing-checked" message="{_xml(verdict(audit))}"/>'
        yield _Suite("all files", [_case("linkfix", "something was checked", error)], [], errors=1)
    elif rest > 0:
        yield _Suite("other files", [_case("linkfix", f"{pluralize(rest, 'file')} without findings")], [])
    unread = [
        _case(path, "readable", f'<skipped message="{_xml(clip(why))}"/>')
        for path, why in audit.coverage.unread.items()
    ]
    if unread:
        yield _Suite("unread files", unread, [], skipped=len(unread))


def _page(audit: Audit, path: str, findings: list[Finding]) -> _Suite:
    failures = [finding for finding in findings if finding.level is not FindingLevel.NOTE]
    cases = [
        _case(
            path,
            f"{finding.code} {finding.name} at {finding.line}:{finding.column}",
            f'<failure type="{finding.level.value}" message="{_xml(message_with_reference(finding))}">'
            f"{_details(audit, finding)}</failure>",
        )
        for finding in failures
    ]
    notes = [_details(audit, finding) for finding in findings if finding.level is FindingLevel.NOTE]
    return _Suite(path, cases or [_case(path, "no errors or warnings")], notes, failures=len(failures))


def _case(owner: str, name: str, inner: str = "") -> str:
    return f'<testcase classname="{_xml(owner)}" name="{_xml(name)}" time="0">{inner}</testcase>\n'


def _details(audit: Audit, finding: Finding) -> str:
    """The finding in the format of compilers, its source line and its hint, as XML text."""
    place = f"{visible_path(location(audit, finding))}:{finding.line}:{finding.column}"
    lines = [f"{place}: {finding.level.value} {finding.code} {message_with_reference(finding)}"]
    if finding.excerpt:
        lines.append(f"    {visible_line(finding.excerpt)}")
    if finding.source:
        lines.append(f"    {source_text(finding)}")
    if finding.hint:
        lines.append(f"    {hint_text(finding.hint)}")
    return "\n".join(map(_xml, lines))


def _xml(text: str) -> str:
    """Escape text for an element or an attribute, on one line."""
    return html.escape(visible(text).translate(_FORBIDDEN))
