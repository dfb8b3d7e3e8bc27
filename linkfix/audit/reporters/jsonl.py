"""JSON lines, in ASCII: one record per line, `type` first: audit, finding, cause, folder, and at the end summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from linkfix.audit.model import Audit
from linkfix.audit.reporters import records
from linkfix.display import json_text


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. docs/audit-report.schema.json describes the records.

    A report without a summary record is truncated. The findings of a cause are `index` values of finding records.
    """
    out.writelines(line + "\n" for line in _lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    yield json_text({"type": "audit"} | records.header(audit) | {"rules": list(records.rules(audit))})
    for index, members in enumerate(records.findings(audit)):
        yield f'{{"type": "finding", "index": {index}, {members}}}'
    for cause in records.causes(audit):
        yield json_text({"type": "cause"} | cause)
    for folder in records.folders(audit):
        yield json_text({"type": "folder"} | folder)
    yield json_text({"type": "summary"} | records.summary(audit))
