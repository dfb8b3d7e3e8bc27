"""Baselines: files of known findings, so that only new ones are reported.

They are made for version control: sorted JSON with one finding per line. Only the fingerprint counts; path, code and
reference are there for readers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from linkfix.audit.model import Finding
from linkfix.errors import InvalidOption

__all__ = ["VERSION", "dump", "read"]

#: Of the file format.
VERSION = 1
_KEY = "linkfix-baseline"
_FIELDS = ("path", "code", "reference", "fingerprint")


def dump(findings: Iterable[Finding]) -> bytes:
    """The baseline of these findings, in UTF-8; names that are not UTF-8 have JSON's escapes for surrogates."""
    rows = sorted({tuple(getattr(finding, name) for name in _FIELDS) for finding in findings})
    lines = [json.dumps(dict(zip(_FIELDS, row, strict=True)), ensure_ascii=False) for row in rows]
    listed = "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"
    return f'{{\n"{_KEY}": {VERSION},\n"findings": {listed}\n}}\n'.encode("utf-8", "backslashreplace")


def read(path: str) -> frozenset[str]:
    """The fingerprints in a baseline. Raises `InvalidOption` for a file that is not one, and `OSError`."""
    try:
        document = json.loads(Path(path).read_bytes())
        version = int(document[_KEY])
        fingerprints = [str(finding["fingerprint"]) for finding in document["findings"]] if version == VERSION else []
    except (ValueError, TypeError, KeyError, RecursionError):
        message = f"{path} is not a baseline of linkfix: make one with --write-baseline"
        raise InvalidOption(message) from None
    if version != VERSION:
        message = f"{path} is a baseline of version {version}, but this linkfix reads version {VERSION}: write it again"
        raise InvalidOption(message)
    return frozenset(fingerprints)
