"""Appends to bytes that grow. Compiled, the function in `appending.pxd` is used."""

from __future__ import annotations


def append_span(out: bytearray, data: bytes, start: int, end: int) -> None:
    """Append data[start:end]."""
    out += data[start:end]
