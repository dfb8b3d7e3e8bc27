"""Tools for data in pieces: lines, base64, decompression.

Each compression is read with the first of its libraries that is installed.
"""

from __future__ import annotations

import binascii
import importlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from linkfix.lazy import lazy_pattern

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


#: The libraries that compress each coding, and their functions. The first installed library is used. The quality of
#: brotli is that of servers, since its default takes a second for a large page.
_COMPRESSORS: dict[str, tuple[tuple[str, Callable[[Any, bytes], bytes]], ...]] = {
    "br": (("brotli", lambda module, data: module.compress(data, quality=5)),),
    "zstd": (
        ("compression.zstd", lambda module, data: module.compress(data)),
        ("backports.zstd", lambda module, data: module.compress(data)),
        ("zstandard", lambda module, data: module.compress(data)),
    ),
}


def compress(coding: str, data: bytes) -> bytes | None:
    """Compress data. None if the coding is unknown, or if no library for it is installed."""
    for name, by_module in _COMPRESSORS.get(coding, ()):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return by_module(module, data)
    return None


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
