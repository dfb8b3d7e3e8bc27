"""The bytes of a file that need not fit in memory, and tools for data in pieces: lines, base64, decompression.

Each compression is read with the first of its libraries that is installed.
"""

from __future__ import annotations

import binascii
import importlib
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple, cast

from linkfix.lazy import lazy_pattern

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
        if self._source is None:
            return self._buffer[start : start + max(length, 0)]
        length = min(length, self.size - start)
        if length > _BUFFER and not self._holds(start, length):
            self._source.seek(start)
            return _read(self._source, length)  # not buffered, since memory would hold it twice
        self._hold(start, length)
        at = start - self._start
        return self._buffer[at : at + max(length, 0)]

    def _holds(self, start: int, length: int) -> bool:
        at = start - self._start
        return 0 <= at <= at + length <= len(self._buffer)

    def _hold(self, start: int, length: int) -> None:
        """Load these bytes, and some bytes after them, into the buffer."""
        if self._source is not None and not self._holds(start, length):
            self._source.seek(start)
            self._buffer = _read(self._source, max(length, _BUFFER))
            self._start = start

    def find(self, text: bytes, start: int, end: int | None = None) -> int:
        """Return the offset of the first occurrence of `text` between `start` and `end`, or -1."""
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


# Decompressors for br and zstd, from the first library that is installed. Python itself has zstd since 3.14.
#
# All of them raise OSError for a stream that is damaged or cut off. They yield a large body in pieces, so that the
# caller can stop at a limit.


#: The approximate number of bytes that are decompressed at a time.
_READ_SIZE = 1 << 20

#: The number of bytes that are fed at a time to a decompressor that always decompresses all its input. Four bytes of
#: zstd can become 128 KiB (RFC 8878 §3.1.1.2: an RLE block).
_FED = 256


class _Decompressor(NamedTuple):
    """A library that decompresses a coding."""

    module: str
    pieces: Callable[[Any, bytes], Iterator[bytes]]
    """`pieces(module, body)` decompresses a body with the library's module."""
    error: str
    """The name of the exception that the library raises for a damaged stream."""


def _by_fastwarc(name: str) -> Callable[[Any, bytes], Iterator[bytes]]:
    def pieces(module: Any, body: bytes) -> Iterator[bytes]:
        stream = getattr(module, name)(io.BytesIO(body))
        return iter(lambda: stream.read(_READ_SIZE), b"")

    return pieces


def _by_brotli(module: Any, body: bytes) -> Iterator[bytes]:
    decompressor = module.Decompressor()
    if hasattr(decompressor, "can_accept_more_data"):  # from 1.2 on
        yield decompressor.process(body, output_buffer_limit=_READ_SIZE)
        while not decompressor.is_finished() and not decompressor.can_accept_more_data():
            yield decompressor.process(b"", output_buffer_limit=_READ_SIZE)
    else:
        # One byte can become 16 MiB (RFC 7932 §9.2: the longest meta-block).
        for at in range(len(body)):
            yield decompressor.process(body[at : at + 1])
    if not decompressor.is_finished():
        message = "it is cut off"
        raise EOFError(message)


def _by_zstandard(module: Any, body: bytes) -> Iterator[bytes]:
    frame = None
    at = 0
    while at < len(body) or frame is not None:
        if frame is None:
            frame = module.ZstdDecompressor().decompressobj()
        if at >= len(body):
            message = "it is cut off"
            raise EOFError(message)
        yield frame.decompress(body[at : at + _FED])
        at += _FED
        if frame.eof:
            at = min(at, len(body)) - len(frame.unused_data)
            frame = None


def _by_file(module: Any, body: bytes) -> Iterator[bytes]:
    stream = module.ZstdFile(io.BytesIO(body))
    return iter(lambda: stream.read(_READ_SIZE), b"")


#: The libraries that decompress each coding. The first installed library is used.
_READERS = {
    "br": (
        _Decompressor("fastwarc.stream_io", _by_fastwarc("BrotliReader"), "Error"),
        _Decompressor("brotli", _by_brotli, "error"),
    ),
    "zstd": (
        _Decompressor("fastwarc.stream_io", _by_fastwarc("ZstdReader"), "Error"),
        _Decompressor("compression.zstd", _by_file, "ZstdError"),
        _Decompressor("backports.zstd", _by_file, "ZstdError"),
        _Decompressor("zstandard", _by_zstandard, "ZstdError"),
    ),
}

#: The packages to install for each coding, in words.
_NEEDED = {
    "br": "brotli or fastwarc: pip install brotli",
    "zstd": "zstandard, backports.zstd or fastwarc (or Python 3.14): pip install zstandard",
}


def read_stream(coding: str, body: bytes) -> Iterator[bytes]:
    """Decompress a body in pieces.

    Raises ImportError if no library for the coding is installed, OSError for a damaged stream.
    """
    for reader in _READERS[coding]:
        try:
            module = importlib.import_module(reader.module)
        except ImportError:
            continue
        return _pieces(reader, module, body)
    raise ImportError(_NEEDED[coding])


def _pieces(reader: _Decompressor, module: Any, body: bytes) -> Iterator[bytes]:
    errors = getattr(module, reader.error, OSError)
    try:
        yield from reader.pieces(module, body)
    except (errors, EOFError) as error:
        raise OSError(str(error)) from error


# Functions that decode and encode data in pieces, so that memory holds the data only once.


_PIECE = 1 << 20

_WHITE_SPACE = b" \t\r\n"

_LINE = lazy_pattern(rb"[^\n]*\n|[^\n]+")

_BASE64 = lazy_pattern(rb"[A-Za-z0-9+/]*+={0,2}")

#: The number of characters, divided by 4, that are made at once. Lines of them take several times the memory.
_ENCODED = 1 << 14

#: base64 encodes 3 bytes as 4 characters.
_BYTES, _CHARACTERS = 3, 4


class NotBase64(ValueError):
    """Raised if a text is not entirely valid base64. Internal to the containers."""


def count_lines(pieces: Iterable[bytes], beginnings: Sequence[bytes]) -> list[int]:
    r"""Return the number of lines of a text that begin with each word. `beginnings`: words without a line end.

    >>> count_lines([b"--a\n--b", b"\n", b"--a"], [b"--a", b"--b"])
    [2, 1]
    """
    counts = [0] * len(beginnings)
    if not beginnings:
        return counts
    words = [b"\n" + beginning for beginning in beginnings]
    rests = [b"\n"] * len(words)  # text that may be the beginning of a word
    for piece in pieces:
        for number, word in enumerate(words):
            text = rests[number] + piece
            counts[number] += text.count(word)
            rests[number] = text[1 - len(word) :]
    return counts


def split_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the lines of a text, with their line ends, which are LF or CRLF.

    >>> list(split_lines([b"a", b"b\r", b"\nc\n\n", b"d"]))
    [b'ab\r\n', b'c\n', b'\n', b'd']
    """
    for whole in whole_lines(pieces):
        yield from _LINE.findall(whole)


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield a text in pieces of whole lines. Each piece except the last one ends with LF.

    >>> list(whole_lines([b"a", b"b\r", b"\nc\n\n", b"d"]))
    [b'ab\r\nc\n\n', b'd']
    """
    begun: list[bytes] = []  # the pieces of an unfinished line
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join((*begun, piece[:end]))
            begun = []
        begun.append(piece[end:])
    if last := b"".join(begun):
        yield last


def split_pieces(data: bytes, start: int = 0, end: int | None = None, size: int = _PIECE) -> Iterator[bytes]:
    """Yield a span of some bytes in pieces of `size` bytes."""
    end = len(data) if end is None else end
    for at in range(start, end, size):
        yield data[at : min(at + size, end)]


def join_pieces(pieces: Iterable[bytes], limit: int) -> bytes | None:
    """Return the joined pieces; None if they have more than `limit` bytes. Then no further pieces are read."""
    out = io.BytesIO()  # `getvalue` does not copy the bytes
    for piece in pieces:
        out.write(piece)
        if out.tell() > limit:
            return None
    return out.getvalue()


def inflate(pieces: Iterable[bytes], window_bits: int, on_rest: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Decompress a zlib stream in pieces. Raises zlib.error.

    `window_bits`: see `zlib.decompressobj`.
    `on_rest`: called with the number of bytes after the stream's end. If it is None, such bytes are an error.
    """
    inflater = zlib.decompressobj(window_bits)
    left_pieces = iter(pieces)
    for piece in left_pieces:
        left = piece
        while not inflater.eof:
            text = inflater.decompress(left, _PIECE)
            left = inflater.unconsumed_tail
            if not text and not left:
                break
            yield text
        if inflater.eof:
            rest = len(inflater.unused_data) + sum(map(len, left_pieces))
            if rest and on_rest is None:
                message = f"more bytes follow its end ({rest:,})"
                raise zlib.error(message)
            if rest and on_rest is not None:
                on_rest(rest)
            return
    message = "it ends too early"
    raise zlib.error(message)


def decode_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the decoded data of a text in base64, in pieces. White space is ignored. Raises `NotBase64`.

    >>> b"".join(decode_base64([b"YWJ", b"j\r\n"]))
    b'abc'
    """
    rest = b""
    is_padded = False
    for piece in pieces:
        text = rest + piece.translate(None, _WHITE_SPACE)
        whole = len(text) - len(text) % _CHARACTERS
        if (is_padded and text) or not _BASE64.fullmatch(text, 0, whole):
            raise NotBase64
        is_padded = text.endswith(b"=", 0, whole)
        yield binascii.a2b_base64(text[:whole])
        rest = text[whole:]
    if rest:
        raise NotBase64


def encode_base64(data: bytes) -> Iterator[bytes]:
    """Yield the base64 encoding of some data in pieces, without line ends."""
    for piece in split_pieces(data, size=_ENCODED * _BYTES):
        yield binascii.b2a_base64(piece, newline=False)
