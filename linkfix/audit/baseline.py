"""Baselines: files of known findings, so that only new findings are reported.

The files are made for version control: sorted JSON with one finding per line. Only the fingerprint counts; path, code
and reference are for readers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from linkfix.audit.model import Audit, Finding
from linkfix.errors import InvalidOption

#: The version of the file format.
VERSION = 1
_KEY = "linkfix-baseline"


class KnownFinding(NamedTuple):
    """A known finding."""

    path: str
    code: str
    reference: str
    fingerprint: str


def dump(findings: Iterable[Finding | KnownFinding]) -> bytes:
    """The baseline of these findings, in UTF-8. Names that are not UTF-8 contain JSON's escapes for surrogates."""
    rows = sorted({KnownFinding(one.path, one.code, one.reference, one.fingerprint) for one in findings})
    lines = [json.dumps(row._asdict(), ensure_ascii=False) for row in rows]
    listed = "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"
    return f'{{\n"{_KEY}": {VERSION},\n"findings": {listed}\n}}\n'.encode("utf-8", "backslashreplace")


def read(path: str) -> tuple[KnownFinding, ...]:
    """The entries of a baseline. Raises `InvalidOption` for a file that is no baseline, and `OSError`."""
    try:
        document = json.loads(Path(path).read_bytes())
        version = int(document[_KEY])
        entries = [_entry(row) for row in document["findings"]] if version == VERSION else []
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        message = f"{path} is not a baseline of linkfix: make one with --write-baseline"
        raise InvalidOption(message) from None
    if version != VERSION:
        message = f"{path} is a baseline of version {version}, but this linkfix reads version {VERSION}: write it again"
        raise InvalidOption(message)
    return tuple(entries)


def _entry(row: dict[str, object]) -> KnownFinding:
    """An entry of a baseline. Only its fingerprint is required."""
    path, code, reference = (str(row.get(name, "")) for name in ("path", "code", "reference"))
    return KnownFinding(path, code, reference, str(row["fingerprint"]))


def outdated(entries: Iterable[KnownFinding], audit: Audit) -> frozenset[KnownFinding]:
    """The entries whose findings no longer occur: their rule ran, and their page was checked or no longer exists."""
    codes = {rule.code for rule in audit.rules}
    found = {*audit.known, *(finding.fingerprint for finding in audit.findings)}
    files, pages = set(audit.files), set(audit.pages)
    return frozenset(
        entry
        for entry in entries
        if entry.fingerprint not in found and entry.code in codes and (entry.path in pages or entry.path not in files)
    )
