"""Comma-separated values (RFC 4180): a header, and one row per finding. Lines end in CRLF: open files with newline="".

A cell that a spreadsheet would take for a formula begins with an apostrophe (OWASP, "CSV injection"). Programs remove
it, or read JSON.
"""

from __future__ import annotations

import csv
from typing import TextIO

from linkfix.audit.model import Audit, Finding
from linkfix.audit.reporters.common import target, without_surrogates

__all__ = ["COLUMNS", "write"]

COLUMNS = (
    *("path", "line", "column", "end_line", "end_column", "start", "end", "level", "code", "name", "message"),
    *("element", "attribute", "reference", "target", "cause", "hint", "hint_reference", "hint_certain"),
    *("excerpt", "fingerprint"),
)

#: First characters of a formula: those that OWASP lists, and their full-width forms.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def write(audit: Audit, out: TextIO) -> None:
    """Write the report."""
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    rows.writerows([_cell(value) for value in _row(audit, finding)] for finding in audit.findings)


def _row(audit: Audit, finding: Finding) -> tuple[str | int | None, ...]:
    hint = finding.hint
    return (
        finding.path,
        finding.line,
        finding.column,
        finding.end_line,
        finding.end_column,
        finding.start,
        finding.end,
        finding.level.value,
        finding.code,
        finding.name,
        finding.message,
        finding.element,
        finding.attribute,
        finding.reference,
        target(audit, finding),
        finding.cause,
        hint.text if hint else None,
        hint.reference if hint else None,
        ("yes" if hint.certain else "no") if hint else None,
        finding.excerpt,
        finding.fingerprint,
    )


def _cell(value: str | int | None) -> str | int | None:
    """A number as it is; text without surrogates, and never a formula."""
    if not isinstance(value, str):
        return value
    text = without_surrogates(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
