"""Append to growing bytes. Compiled modules use the function in `appending.pxd`."""

from __future__ import annotations


def append_span(out: bytearray, data: bytes, start: int, end: int) -> None:
    """Append data[start:end]."""
    out += data[start:end]
