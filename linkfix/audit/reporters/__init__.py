"""The reports of an audit: one module per format, and the registry of formats. A module is imported when it is used.

Each module has a function `write(audit, out)` that writes the whole report to a text stream, and nothing else.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple, Protocol, TextIO, cast

from linkfix.audit.model import Audit

__all__ = ["REPORTERS", "Reporter", "reporter"]


class ReportFormat(NamedTuple):
    """A format of reports."""

    module: str
    summary: str
    """One line for a list of formats."""


class Reporter(Protocol):
    """The interface of a reporter module."""

    def write(self, audit: Audit, out: TextIO) -> None:
        """Write the report."""


REPORTERS = {
    "text": ReportFormat("linkfix.audit.reporters.text", "for people: grouped by cause, as file:line:column"),
    "json": ReportFormat("linkfix.audit.reporters.json", "one JSON document"),
    "jsonl": ReportFormat("linkfix.audit.reporters.jsonl", "JSON lines, one finding per line"),
    "sarif": ReportFormat("linkfix.audit.reporters.sarif", "SARIF 2.1.0, for code scanning"),
    "junit": ReportFormat("linkfix.audit.reporters.junit", "JUnit XML, for CI servers"),
    "github": ReportFormat("linkfix.audit.reporters.github", "annotations of GitHub Actions"),
    "csv": ReportFormat("linkfix.audit.reporters.csv", "comma-separated values, one finding per row"),
    "markdown": ReportFormat("linkfix.audit.reporters.markdown", "Markdown, for a comment or a job summary"),
    "html": ReportFormat("linkfix.audit.reporters.html", "one self-contained HTML file"),
}


def reporter(name: str) -> Reporter:
    """The reporter for a key of `REPORTERS`."""
    return cast("Reporter", importlib.import_module(REPORTERS[name].module))
