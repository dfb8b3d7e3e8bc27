"""The bytes of a file that need not fit in memory, by offset."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast

#: The number of bytes that are read at a time.
_BUFFER = 1 << 20


class Window:
    """The bytes of a seekable stream or of `bytes`, by offset. Other code may seek in the stream between calls."""

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
        """Return `length` bytes from `start` on; fewer at the end."""
        at = start - self._start
        end = at + length
        if 0 <= at <= end <= len(self._buffer):
            return self._buffer[at:end]
        length = max(0, min(length, self.size - start))
        if self._source is not None and length > _BUFFER:
            self._source.seek(start)
            return _read(self._source, length)  # not buffered, since memory would hold it twice
        self._hold(start, length)
        at = start - self._start
        return self._buffer[at : at + length]

    def _holds(self, start: int, length: int) -> bool:
        at = start - self._start
        return 0 <= at <= at + length <= len(self._buffer)

    def _hold(self, start: int, length: int) -> None:
        """Load these bytes, and some bytes after them, into the buffer."""
        if self._source is not None and not self._holds(start, length):
            end = start + length
            # Whoever reads backward goes on so.
            self._start = max(0, start - _BUFFER // 4) if start < self._start else start
            self._source.seek(self._start)
            self._buffer = _read(self._source, max(end - self._start, _BUFFER))

    def find(self, text: bytes, start: int, end: int | None = None) -> int:
        """Return the offset of the first occurrence of `text` between `start` and `end`, or -1."""
        if self._source is None:
            return self._buffer.find(text, start, end)
        end = self.size if end is None else min(end, self.size)
        while start + len(text) <= end:
            self._hold(start, len(text))
            found = self._buffer.find(text, start - self._start, end - self._start)
            if found >= 0:
                return self._start + found
            done = self._start + len(self._buffer) - len(text) + 1
            if done <= start:
                break  # the file is shorter than it was
            start = done
        return -1

    def search(self, pattern: re.Pattern[bytes], start: int, overlap: int, end: int | None = None) -> int:
        """Return the offset of the first match between `start` and `end`, or -1.

        `overlap`: the maximum number of bytes that `pattern` matches.
        """
        end = self.size if end is None else min(end, self.size)
        while start < end:
            self._hold(start, min(overlap, end - start))
            if found := pattern.search(self._buffer, start - self._start, min(end - self._start, len(self._buffer))):
                return self._start + found.start()
            done = self._start + len(self._buffer)
            if done >= end or done <= start:
                break  # the file may be shorter than it was
            start = max(done - overlap, start) + 1
        return -1

    def pieces(self, start: int, end: int, size: int = 0) -> Iterator[bytes]:
        """Yield the bytes of a span in pieces, of `size` bytes if it is not 0."""
        while start < end and (piece := self.read(start, min(end - start, size or _BUFFER))):
            yield piece
            start += len(piece)

    def edited(self, edits: Iterable[WindowEdit]) -> Iterator[bytes]:
        """Yield all bytes in pieces, with the edits, which are in order. An edit is written before the next is made."""
        done = 0
        for start, end, new in edits:
            yield from self.pieces(done, start)
            yield from new
            done = end
        yield from self.pieces(done, self.size)


class WindowEdit(NamedTuple):
    """A span of a window, and the pieces that are written in its place."""

    start: int
    end: int
    pieces: Iterable[bytes]


def _read(source: BinaryIO, length: int) -> bytes:
    """Read `length` bytes; fewer only at the end. A raw stream may return fewer bytes per call."""
    data = source.read(length)
    if len(data) in {0, length}:
        return data
    pieces = io.BytesIO(data)
    pieces.seek(0, io.SEEK_END)
    while pieces.tell() < length and (more := source.read(length - pieces.tell())):
        pieces.write(more)
    return pieces.getvalue()


@contextmanager
def open_window(source: BinaryIO) -> Iterator[Window]:
    """Open a window on a stream's bytes. A stream that is not seekable is copied to a temporary file."""
    try:
        raw = Window(source)
    except OSError:
        import shutil  # most inputs can be read at random
        import tempfile

        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(source, copy)
            yield Window(cast("BinaryIO", copy))
    else:
        yield raw


class WindowSpan(NamedTuple):
    """A span of a window."""

    raw: Window
    start: int
    end: int

    def read(self) -> bytes:
        """Return the bytes of the span, all at once."""
        return self.raw.read(self.start, self.end - self.start)

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the span in pieces."""
        return self.raw.pieces(self.start, self.end)

    def line_end(self) -> bytes:
        """Return the first line end in the span; CRLF if the span has no line end."""
        at = self.raw.find(b"\n", self.start, self.end)
        return b"\n" if at >= 0 and (at == self.start or self.raw.read(at - 1, 1) != b"\r") else b"\r\n"


class WindowPositions:
    """Lines and columns of a window, both from 1. A column counts bytes. CR, LF and CRLF end a line.

    Like `linkfix.kernels.positions.Positions`, it is fast for increasing offsets.
    """

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        self._rewind()

    def _rewind(self) -> None:
        self._offset = 0
        self._line = 1
        self._line_start = 0

    def of(self, offset: int) -> tuple[int, int]:
        """Return the line and column of the byte at `offset`."""
        if offset < self._offset:
            self._rewind()
        while self._offset < offset:
            length = min(offset - self._offset, _BUFFER - 1)
            text = self._raw.read(self._offset, length + 1)  # one more byte, to detect CRLF at the end
            pairs = text.count(b"\r\n", 0, length + 1)
            self._line += text.count(b"\n", 0, length) + text.count(b"\r", 0, length) - pairs
            alone = length - text.startswith(b"\r\n", length - 1)
            after = max(text.rfind(b"\n", 0, length), text.rfind(b"\r", 0, alone)) + 1
            if after:
                self._line_start = self._offset + after
            self._offset += length
        return self._line, offset - self._line_start + 1


class Slice(io.RawIOBase):
    """A span of a window as a read-only stream."""

    def __init__(self, raw: Window, start: int, end: int) -> None:
        super().__init__()
        self._raw = raw
        self._from = start
        self._end = min(end, raw.size)
        self._at = start

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position in the span."""
        return self._at - self._from

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to an offset of the span."""
        origin = {io.SEEK_SET: self._from, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        self._at = max(self._from, origin + offset)
        return self.tell()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # typeshed has a union that it cannot name
        """Fill the buffer, only partly at the end; return the number of bytes."""
        piece = self._raw.read(self._at, min(len(buffer), max(self._end - self._at, 0)))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
