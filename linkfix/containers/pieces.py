"""Data that is decoded and encoded in pieces, so that memory holds it once."""

from __future__ import annotations

import binascii
import io
import re
import zlib
from collections.abc import Iterable, Iterator

__all__ = [
    "NotBase64",
    "count_lines",
    "decode_base64",
    "encode_base64",
    "inflate",
    "join_pieces",
    "split_pieces",
]

_PIECE = 1 << 20
_WHITE_SPACE = b" \t\r\n"
_BASE64 = re.compile(rb"[A-Za-z0-9+/]*+={0,2}")
#: How many bytes become how many characters.
_BYTES, _CHARACTERS = 3, 4


class NotBase64(ValueError):
    """Not all of a text is valid base64. Internal to the containers."""


def count_lines(data: bytes, beginning: bytes, start: int = 0, end: int | None = None) -> int:
    r"""How many lines in a span of some bytes begin so.

    >>> count_lines(b"--a\n--b\n--a", b"--a"), count_lines(b"--a\n--b\n--a", b"--a", 1)
    (2, 1)
    """
    return data.count(b"\n" + beginning, start, end) + data.startswith(beginning, start, end)


def split_pieces(data: bytes, start: int = 0, end: int | None = None, size: int = _PIECE) -> Iterator[bytes]:
    """Yield a span of some bytes in pieces of `size` bytes."""
    end = len(data) if end is None else end
    for at in range(start, end, size):
        yield data[at : min(at + size, end)]


def join_pieces(pieces: Iterable[bytes], limit: int) -> bytes | None:
    """The pieces as one; None where they have more than `limit` bytes. No more of them are read then."""
    out = io.BytesIO()  # it gives its bytes away without a copy
    for piece in pieces:
        out.write(piece)
        if out.tell() > limit:
            return None
    return out.getvalue()


def inflate(pieces: Iterable[bytes], window_bits: int) -> Iterator[bytes]:
    """Decompress a zlib stream (see `zlib.decompressobj` for `window_bits`) in pieces. Raises zlib.error."""
    inflater = zlib.decompressobj(window_bits)
    for piece in pieces:
        left = piece
        while not inflater.eof:
            text = inflater.decompress(left, _PIECE)
            left = inflater.unconsumed_tail
            if not text and not left:
                break
            yield text
        if inflater.eof:
            return
    message = "it ends too early"
    raise zlib.error(message)


def decode_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield, in pieces, the data that a text in base64 stands for. White space means nothing. Raises `NotBase64`.

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
    """Yield the base64 of some data in pieces, without line ends."""
    for piece in split_pieces(data, size=_PIECE * _BYTES):
        yield binascii.b2a_base64(piece, newline=False)
