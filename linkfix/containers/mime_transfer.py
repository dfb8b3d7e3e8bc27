"""MIME's transfer encodings (RFC 2045 §6): decoding a body, and encoding changed data in the body's own style.

Unchanged data keeps its bytes as far as the encoding allows: in 7bit, 8bit and binary all of them, in quoted-printable
those of lines without a change; base64 keeps its line length and line ends. Memory holds the data, and a piece of what
they are encoded as.
"""

from __future__ import annotations

import binascii
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from linkfix.containers.mime_quoted_printable import decode_quoted_printable, rewrite_quoted_printable
from linkfix.containers.pieces import NotBase64, decode_base64, encode_base64, split_pieces
from linkfix.containers.window import Window, WindowSpan

__all__ = ["IDENTITY", "TRANSFER_ENCODINGS", "Store", "Transfer"]

#: RFC 2045 §6.8: the longest line, without its line end.
_WIDTH = 76
#: RFC 5322 §2.1.1: the longest line of 7bit and 8bit data, without its line end.
_LONGEST = 998

#: Stores pieces, in place of those of the last call, and gives them as one.
Store = Callable[[Iterable[bytes]], Window]


class Transfer(NamedTuple):
    """A transfer encoding."""

    decode: Callable[[WindowSpan], tuple[bytes, bool]]
    """The data of a body, and whether all of it was valid."""
    rewrite: Callable[[WindowSpan, bytes, bytes, Store], Window | None]
    """`rewrite(body, old, new, store)`: a body that means the `new` data, stored; None where there is none. `old`: the
    data of `body`.
    """


# 7bit, 8bit, binary (RFC 2045 §6.2)


def _decode_identity(body: WindowSpan) -> tuple[bytes, bool]:
    return body.read(), True


#: RFC 5322 §2.1.1, RFC 2045 §2.7-§2.8: a line that is too long.
_LONG_LINE = re.compile(rb"^[^\n]{%d}(?!\r?\n|\r?\Z)" % _LONGEST, re.MULTILINE)


def _rewrite_7bit(body: WindowSpan, old: bytes, new: bytes, store: Store) -> Window | None:
    return _rewrite_8bit(body, old, new, store) if new.isascii() or not old.isascii() else None


def _rewrite_8bit(body: WindowSpan, old: bytes, new: bytes, store: Store) -> Window | None:
    return _rewrite_binary(body, old, new, store) if not _LONG_LINE.search(new) or _LONG_LINE.search(old) else None


def _rewrite_binary(_body: WindowSpan, _old: bytes, new: bytes, store: Store) -> Window:
    return store(split_pieces(new))


# base64 (RFC 2045 §6.8)

_WHITE_SPACE = b" \t\r\n"
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def _decode_base64(body: WindowSpan) -> tuple[bytes, bool]:
    out = io.BytesIO()  # it gives its bytes away without a copy
    try:
        out.writelines(decode_base64(body.pieces()))
    except NotBase64:
        out = io.BytesIO()
        out.writelines(_decode_damaged_base64(body.pieces()))
        return out.getvalue(), False
    return out.getvalue(), True


def _decode_damaged_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The part that can be decoded: up to the padding, without other characters, in whole bytes."""
    letters = b""
    for piece in pieces:
        text, padding, _ = piece.partition(b"=")
        letters += _NOT_BASE64.sub(b"", text)
        whole = len(letters) - len(letters) % 4
        yield binascii.a2b_base64(letters[:whole])
        letters = letters[whole:]
        if padding:
            break
    if len(letters) > 1:
        yield binascii.a2b_base64(letters + b"=" * (4 - len(letters)))


def _is_base64(body: WindowSpan) -> bool:
    try:
        deque(decode_base64(body.pieces()), maxlen=0)
    except NotBase64:
        return False
    return True


def _core(body: WindowSpan) -> WindowSpan:
    """The body without white space around it; where it is nothing else, its beginning."""
    first, last, at = -1, body.start, body.start
    for piece in body.pieces():
        if text := piece.strip(_WHITE_SPACE):
            before = at + piece.index(text[:1])
            first = before if first < 0 else first
            last = at + len(piece.rstrip(_WHITE_SPACE))
        at += len(piece)
    return body._replace(start=max(first, body.start), end=last)


def _rewrite_base64(body: WindowSpan, _old: bytes, new: bytes, store: Store) -> Window | None:
    return store(_write_base64(body, new)) if _is_base64(body) else None


def _write_base64(body: WindowSpan, data: bytes) -> Iterator[bytes]:
    """Yield data as lines of the length, and with the line ends and the white space around them, that `body` has."""
    core = _core(body)
    break_ = body.raw.find(b"\n", core.start, core.end)
    line = _core(core._replace(end=break_)) if break_ >= 0 else core
    width = line.end - line.start if break_ >= 0 else max(_WIDTH, core.end - core.start)
    end = body._replace(start=core.start if break_ >= 0 else body.start).line_end()
    yield from body._replace(end=core.start).pieces()
    left = width  # characters that fit in the line
    for text in encode_base64(data):
        lines = [text[:left], *(text[at : at + width] for at in range(left, len(text), width))]
        yield end.join(lines)
        left = (width if len(lines) > 1 else left) - len(lines[-1])
    yield from body._replace(start=core.end).pieces()


IDENTITY = frozenset({"7bit", "8bit", "binary"})

#: Content-Transfer-Encoding in lower case -> the encoding. Bodies in any other are left alone.
TRANSFER_ENCODINGS: dict[str, Transfer] = {
    "7bit": Transfer(_decode_identity, _rewrite_7bit),
    "8bit": Transfer(_decode_identity, _rewrite_8bit),
    "binary": Transfer(_decode_identity, _rewrite_binary),
    "quoted-printable": Transfer(decode_quoted_printable, rewrite_quoted_printable),
    "base64": Transfer(_decode_base64, _rewrite_base64),
}
