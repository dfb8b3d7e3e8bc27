"""Line and column of a byte offset."""

from __future__ import annotations

import re
from bisect import bisect_right

from linkfix.encoding import Encoding

__all__ = ["Positions"]

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Positions:
    """Lines and columns of one document, both from 1; a column counts characters.

    Quick for offsets that never fall, so that a document that is one line is no trouble.
    """

    def __init__(self, data: bytes, encoding: Encoding) -> None:
        self._data = data
        self._encoding = encoding
        self._starts: list[int] | None = None
        self._last = (0, 0, 0)

    def of(self, offset: int) -> tuple[int, int]:
        """Line and column of the byte at `offset`."""
        if self._starts is None:
            self._starts = [self._encoding.bom, *(match.end() for match in _LINE_END.finditer(self._data))]
        line = max(bisect_right(self._starts, offset), 1)
        last_line, last_offset, characters = self._last
        if line != last_line or offset < last_offset:
            last_offset, characters = self._starts[line - 1], 0
        between = self._data[last_offset:offset]
        characters += len(between) if between.isascii() else len(self._encoding.decode(between))
        self._last = (line, offset, characters)
        return line, characters + 1
