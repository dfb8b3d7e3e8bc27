"""How an audit is told: a file a format, and the registry of them. A reporter is imported when it is used.

Each module has `write(audit, out)`: it writes all of the report to a text stream, and nothing else anywhere.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple, Protocol, TextIO, cast

from linkfix.audit.model import Audit

__all__ = ["REPORTERS", "Reporter", "reporter"]


class Row(NamedTuple):
    """A format: its module, and the sentence that lists it."""

    module: str
    summary: str


class Reporter(Protocol):
    """What a reporter's module has."""

    def write(self, audit: Audit, out: TextIO) -> None:
        """Write the report."""


REPORTERS = {
    "text": Row("linkfix.audit.reporters.text", "for people: causes first, then file:line:column"),
    "json": Row("linkfix.audit.reporters.json", "one JSON document"),
    "jsonl": Row("linkfix.audit.reporters.jsonl", "JSON, a line a finding"),
    "sarif": Row("linkfix.audit.reporters.sarif", "SARIF 2.1.0, for code scanning"),
    "junit": Row("linkfix.audit.reporters.junit", "JUnit XML, for CI servers"),
    "github": Row("linkfix.audit.reporters.github", "annotations of GitHub Actions"),
    "csv": Row("linkfix.audit.reporters.csv", "comma-separated values, a row a finding"),
    "markdown": Row("linkfix.audit.reporters.markdown", "Markdown, for a comment or a job's summary"),
    "html": Row("linkfix.audit.reporters.html", "one HTML file that needs nothing else"),
}


def reporter(name: str) -> Reporter:
    """The reporter of that name, a key of `REPORTERS`."""
    return cast("Reporter", importlib.import_module(REPORTERS[name].module))
