"""One JSON document, in ASCII, with one line per finding, cause, rule and folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from linkfix.audit.model import Audit
from linkfix.audit.reporters import records
from linkfix.display import json_text

__all__ = ["write"]


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. docs/audit-report.schema.json describes it."""
    fields = records.header(audit) | records.summary(audit)
    out.write("{\n")
    out.writelines(f"{json_text(key)}: {json_text(value)},\n" for key, value in fields.items())
    _array(out, "rules", records.rules(audit), ",\n")
    _array(out, "causes", records.causes(audit), ",\n")
    _array(out, "findings", records.findings(audit), ",\n")
    _array(out, "folders", records.folders(audit), "\n}\n")


def _array(out: TextIO, key: str, values: Iterable[dict[str, Any]], end: str) -> None:
    out.write(f"{json_text(key)}: [")
    separator = "\n"
    for value in values:
        out.write(separator + json_text(value))
        separator = ",\n"
    out.write("\n]" + end)
