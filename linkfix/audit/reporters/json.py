"""One JSON document, in ASCII, with one line per finding, cause, rule and folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from linkfix.audit.model import Audit
from linkfix.audit.reporters import records
from linkfix.display import json_text


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. docs/audit-report.schema.json describes it."""
    fields = records.header(audit) | records.summary(audit)
    out.write("{\n")
    out.writelines(f"{json_text(key)}: {json_text(value)},\n" for key, value in fields.items())
    _array(out, "rules", map(json_text, records.rules(audit)), ",\n")
    _array(out, "causes", map(json_text, records.causes(audit)), ",\n")
    _array(out, "findings", (f"{{{members}}}" for members in records.findings(audit)), ",\n")
    _array(out, "folders", map(json_text, records.folders(audit)), "\n}\n")


def _array(out: TextIO, key: str, texts: Iterable[str], end: str) -> None:
    out.write(f"{json_text(key)}: [")
    separator = "\n"
    for text in texts:
        out.write(separator + text)
        separator = ",\n"
    out.write("\n]" + end)
