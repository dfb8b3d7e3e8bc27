"""The reports of an audit, and the registry of their formats. The module of a format is imported when it is used."""

from __future__ import annotations

import importlib
from typing import NamedTuple, Protocol, TextIO, cast

from linkfix.auditing.model import Audit

__all__ = ["REPORTERS", "Reporter", "reporter"]


class ReportFormat(NamedTuple):
    """A format of reports."""

    module: str
    summary: str
    """One line for a list of formats."""
    writer: str = "write"
    """The name of the module's function: see `Reporter`."""


class Reporter(Protocol):
    """A function that writes a report."""

    def __call__(self, audit: Audit, out: TextIO) -> None:
        """Write the whole report to a text stream."""


REPORTERS = {
    "text": ReportFormat("linkfix.auditing.reporters.text", "for people: grouped by cause, as file:line:column"),
    "json": ReportFormat("linkfix.auditing.reporters.records", "one JSON document", "write_json"),
    "jsonl": ReportFormat("linkfix.auditing.reporters.records", "JSON lines, one finding per line", "write_json_lines"),
    "sarif": ReportFormat("linkfix.auditing.reporters.sarif", "SARIF 2.1.0, for code scanning"),
    "junit": ReportFormat("linkfix.auditing.reporters.junit", "JUnit XML, for CI servers"),
    "github": ReportFormat("linkfix.auditing.reporters.github", "annotations of GitHub Actions"),
    "csv": ReportFormat(
        "linkfix.auditing.reporters.records", "comma-separated values, one finding per row", "write_csv"
    ),
    "markdown": ReportFormat("linkfix.auditing.reporters.markdown", "Markdown, for a comment or a job summary"),
    "html": ReportFormat("linkfix.auditing.reporters.html", "one self-contained HTML file"),
}


def reporter(name: str) -> Reporter:
    """The reporter for a key of `REPORTERS`."""
    form = REPORTERS[name]
    return cast("Reporter", getattr(importlib.import_module(form.module), form.writer))
