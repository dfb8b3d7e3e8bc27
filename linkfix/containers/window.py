"""Random access to a file's bytes: reading a span, searching a pattern, a span as a stream of its own."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["Slice", "Window"]

#: Bytes that are read at once.
_BUFFER = 1 << 20


class Window:
    """The bytes of a seekable stream, or of a `bytes`, by offset. Others may seek in the stream between calls."""

    def __init__(self, source: BinaryIO | bytes) -> None:
        self._start = 0
        if isinstance(source, bytes):
            self._source: BinaryIO | None = None
            self._buffer = source
            self.size: int = len(source)
        else:
            self._source = source
            self._buffer = b""
            self.size = source.seek(0, io.SEEK_END)

    def read(self, start: int, length: int) -> bytes:
        """`length` bytes from `start` on; fewer at the end."""
        length = min(length, self.size - start)
        at = start - self._start
        if self._source is not None and not 0 <= at <= at + length <= len(self._buffer):
            self._source.seek(start)
            if length > _BUFFER:
                return _read(self._source, length)  # not kept: memory would hold it twice
            self._buffer = _read(self._source, _BUFFER)
            self._start, at = start, 0
        return self._buffer[at : at + max(length, 0)]

    def search(self, pattern: re.Pattern[bytes], start: int, overlap: int) -> int:
        """The offset of the first match from `start` on, -1 for none. `pattern` matches at most `overlap` bytes."""
        while start < self.size:
            if found := pattern.search(self.read(start, _BUFFER)):
                return start + found.start()
            start += _BUFFER - overlap
        return -1

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of a span in pieces."""
        while start < end and (piece := self.read(start, min(end - start, _BUFFER))):
            yield piece
            start += len(piece)


def _read(source: BinaryIO, length: int) -> bytes:
    """Read `length` bytes; fewer only at the end, though a raw stream may give fewer at a time."""
    data = source.read(length)
    if len(data) in {0, length}:
        return data
    pieces = io.BytesIO(data)
    pieces.seek(0, io.SEEK_END)
    while pieces.tell() < length and (more := source.read(length - pieces.tell())):
        pieces.write(more)
    return pieces.getvalue()


class Slice(io.RawIOBase):
    """A span of a window as a read-only stream."""

    def __init__(self, raw: Window, start: int, end: int) -> None:
        super().__init__()
        self._raw = raw
        self._from = start
        self._end = min(end, raw.size)
        self._at = start

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """The position in the span."""
        return self._at - self._from

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to an offset of the span."""
        origin = {io.SEEK_SET: self._from, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        self._at = max(self._from, origin + offset)
        return self.tell()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # typeshed has a union that it cannot name
        """Fill the buffer, less at the end."""
        piece = self._raw.read(self._at, min(len(buffer), max(self._end - self._at, 0)))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
