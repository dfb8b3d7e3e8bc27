"""JSON lines, in ASCII: one record per line, `type` first: audit, finding, cause, folder, and at the end summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from linkfix.audit.model import Audit
from linkfix.audit.reporters import records
from linkfix.display import json_text

__all__ = ["write"]


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. A report without a summary is truncated. docs/audit-report.schema.json describes the records.

    The findings of a cause are `index` values of finding records.
    """
    out.writelines(json_text(record) + "\n" for record in _records(audit))


def _records(audit: Audit) -> Iterator[dict[str, Any]]:
    yield {"type": "audit"} | records.header(audit) | {"rules": list(records.rules(audit))}
    for index, finding in enumerate(records.findings(audit)):
        yield {"type": "finding", "index": index} | finding
    for cause in records.causes(audit):
        yield {"type": "cause"} | cause
    for folder in records.folders(audit):
        yield {"type": "folder"} | folder
    yield {"type": "summary"} | records.summary(audit)
