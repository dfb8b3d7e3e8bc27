"""A column of texts in Arrow's layout: UTF-8 without gaps, the end of each text, and a bitmap of null rows.

https://arrow.apache.org/docs/format/Columnar.html, "Variable-size Binary Layout" and "Validity bitmaps"
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

if not cython.compiled:
    from linkfix.kernels.cells import ints
    from linkfix.kernels.making import append_span


class TextCells:
    """A column of at most `rows` texts, of at most 2 GiB together."""

    def __init__(self, rows: int) -> None:
        self.data: bytearray = bytearray()
        #: The start of each text, and the end of the last one.
        self.offsets: array[int] = array("i", [0]) * (rows + 1)
        self.ends: array[int] = ints(self.offsets)
        #: One bit per row, 0 for null. The first row has the lowest bit of the first byte.
        self.valid: bytearray = bytearray(b"\xff") * ((rows + 7) // 8)
        self.count: int = 0
        self.nulls: int = 0

    def add(self, text: bytes | None) -> None:
        """Add a row; None is null."""
        if text is None:
            self.nulls += 1
            self.valid[self.count >> 3] &= ~(1 << (self.count & 7))
            self.count += 1
            self.ends[self.count] = len(self.data)
        else:
            self.add_span(text, 0, len(text))

    def add_joined(self, prefix: bytes, data: bytes, start: int, end: int) -> None:
        """Add a row: a prefix followed by data[start:end]."""
        append_span(self.data, prefix, 0, len(prefix))
        self.add_span(data, start, end)

    def add_span(self, data: bytes, start: int, end: int) -> None:
        """Add a row: data[start:end]."""
        append_span(self.data, data, start, end)
        self.count += 1
        self.ends[self.count] = len(self.data)
