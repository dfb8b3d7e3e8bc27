"""Comma-separated values (RFC 4180): a header, and one row per finding. Lines end in CRLF: open files with newline="".

`linkfix.display` documents the treatment of formulas and control characters.
"""

from __future__ import annotations

from itertools import chain
from typing import TextIO

from linkfix.audit.model import Audit, Finding
from linkfix.audit.reporters.common import target
from linkfix.display import write_rows

COLUMNS = (
    *("path", "line", "column", "end_line", "end_column", "start", "end", "level", "code", "name", "message"),
    *("element", "attribute", "reference", "target", "cause", "hint", "hint_reference", "hint_certain"),
    *("excerpt", "fingerprint"),
)


def write(audit: Audit, out: TextIO) -> None:
    """Write the report."""
    write_rows(out, chain([COLUMNS], (_row(audit, finding) for finding in audit.findings)), line_end="\r\n")


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
