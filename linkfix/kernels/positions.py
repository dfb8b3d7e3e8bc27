"""Conversion of byte offsets to lines and columns, and to code points."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.encoding import Encoding
from linkfix.kernels.second_bytes import second_bytes

if not cython.compiled:
    from linkfix.kernels.bytesearch import count_code_points, count_joined, count_utf_8, find_byte, is_ascii
    from linkfix.kernels.constants import CARRIAGE_RETURN, LINE_FEED


class Positions:
    """Lines and columns of one document, both from 1; a column counts characters. CR, LF and CRLF end a line.

    Fast for increasing offsets, even in a long document or one that is a single line.
    """

    def __init__(self, data: bytes, encoding: Encoding) -> None:
        self.data = data
        self.encoding = encoding
        self.start: int = encoding.bom
        self.has_returns: bool = b"\r" in data
        self.is_utf_8: bool = encoding.name == "utf-8"
        self.is_single_byte: bool = data.isascii() or (not self.is_utf_8 and encoding.single_byte)
        #: The encoding whose table of second bytes counts characters, or "".
        self.table_of: str = ""
        if not self.is_single_byte and not self.is_utf_8 and encoding.ascii_compatible:
            self.table_of = encoding.name
        self._rewind()

    def _rewind(self) -> None:
        self.offset: int = self.start
        self.characters: int = 0
        self.line: int = 1
        self.column: int = 1

    def of(self, offset: int) -> tuple[int, int]:
        """Line and column of the byte at `offset`."""
        self.move_to(offset)
        return self.line, self.column

    def move_to(self, offset: int) -> None:
        """Set `line` and `column` for the byte at `offset`."""
        data = self.data
        if offset < self.offset:
            self._rewind()
        splits = (
            self.has_returns
            and 0 < offset < len(data)
            and data[offset - 1] == CARRIAGE_RETURN
            and data[offset] == LINE_FEED
        )
        stop = offset - 1 if splits else offset
        after = self.offset
        at = find_byte(data, LINE_FEED, after, stop)
        while at < stop:
            self.line += 1
            self.characters = 0
            after = at + 1
            at = find_byte(data, LINE_FEED, after, stop)
        if self.has_returns:
            at = find_byte(data, CARRIAGE_RETURN, self.offset, stop)
            while at < stop:
                if at + 1 == stop or data[at + 1] != LINE_FEED:
                    self.line += 1
                    self.characters = 0
                    after = max(after, at + 1)
                at = find_byte(data, CARRIAGE_RETURN, at + 1, stop)
        if after < stop:
            self.characters += self._count(after, stop)
            after = stop
        self.offset = after
        self.column = self.characters + 1 + splits

    def _count(self, start: int, end: int) -> int:
        """The number of characters in data[start:end]."""
        data = self.data
        if self.is_single_byte:
            return end - start
        if self.is_utf_8:
            count = count_utf_8(data, start, end)
            return count if count >= 0 else len(data[start:end].decode("utf-8", "replace"))
        if is_ascii(data, start, end):
            return end - start
        count = count_joined(data, start, end, second_bytes(self.table_of)) if self.table_of else -1
        return count if count >= 0 else len(self.encoding.decode(data[start:end]))


class CodePoints:
    """Converts byte offsets of UTF-8 data to offsets in code points. Fast for increasing offsets."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset: int = 0
        self.count: int = 0

    def at(self, offset: int) -> int:
        """The number of code points before the byte at `offset`."""
        if offset < self.offset:
            self.offset = 0
            self.count = 0
        self.count += count_code_points(self.data, self.offset, offset)
        self.offset = offset
        return self.count
