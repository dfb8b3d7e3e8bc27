"""Line and column of a byte offset."""

from __future__ import annotations

from linkfix.encodings.encoding import Encoding

__all__ = ["Positions"]


class Positions:
    """Lines and columns of one document, both from 1; a column counts characters. CR, LF and CRLF end a line.

    Quick for offsets that never fall, so that a long document, or one that is one line, is no trouble.
    """

    def __init__(self, data: bytes, encoding: Encoding) -> None:
        self._data = data
        self._encoding = encoding
        self._start = encoding.bom
        self._carriage_returns = b"\r" in data
        self._rewind()

    def _rewind(self) -> None:
        self._offset = self._start
        self._line = 1
        self._characters = 0

    def of(self, offset: int) -> tuple[int, int]:
        """Line and column of the byte at `offset`."""
        data = self._data
        if offset < self._offset:
            self._rewind()
        split = self._carriage_returns and data[max(offset - 1, 0) : offset + 1] == b"\r\n"
        stop = offset - 1 if split else offset
        lines = data.count(b"\n", self._offset, stop)
        after = data.rfind(b"\n", self._offset, stop) + 1
        if self._carriage_returns:
            lines += data.count(b"\r", self._offset, stop) - data.count(b"\r\n", self._offset, stop)
            after = max(after, data.rfind(b"\r", self._offset, stop) + 1)
        if lines:
            self._line += lines
            self._characters = 0
            self._offset = after
        between = data[self._offset : stop]
        self._characters += len(between) if between.isascii() else len(self._encoding.decode(between))
        self._offset = max(stop, self._offset)
        return self._line, self._characters + 1 + split
