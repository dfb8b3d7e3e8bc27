"""Functions that decode and encode data in pieces, so that memory holds the data only once."""

from __future__ import annotations

import binascii
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from linkfix.lazy import lazy_pattern

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
