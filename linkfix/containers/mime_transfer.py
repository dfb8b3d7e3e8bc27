"""MIME's transfer encodings (RFC 2045 §6): decoding a body, and encoding changed data in the body's own style.

Unchanged data keeps its bytes as far as the encoding allows: in 7bit, 8bit and binary all of them, in quoted-printable
those of lines without a change; base64 keeps its line length and line ends.
"""

from __future__ import annotations

import binascii
import io
import re
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from linkfix.containers.mime_changes import changes
from linkfix.containers.pieces import NotBase64, decode_base64, encode_base64, split_pieces

__all__ = ["IDENTITY", "TRANSFER_ENCODINGS", "Transfer", "line_end", "to_quoted_printable"]

#: RFC 2045 §6.7 rule 5, §6.8: the longest line, without its line end.
_WIDTH = 76
#: RFC 5322 §2.1.1: the longest line of 7bit and 8bit data, without its line end.
_LONGEST = 998


class Transfer(NamedTuple):
    """A transfer encoding."""

    decode: Callable[[bytes, int, int], tuple[bytes, bool]]
    """`decode(message, start, end)`: the data of the body that is there, and whether all of it was valid."""
    rewrite: Callable[[bytes, bytes], bytes | None]
    """`rewrite(body, data)`: a body that means `data`; None where there is none."""


def line_end(body: bytes, start: int = 0) -> bytes:
    """The line end that `body` uses first from `start` on, CRLF where it has none."""
    at = body.find(b"\n", start)
    return b"\n" if at >= 0 and body[at - 1 : at] != b"\r" else b"\r\n"


# 7bit, 8bit, binary (RFC 2045 §6.2)


def _decode_identity(message: bytes, start: int, end: int) -> tuple[bytes, bool]:
    return message[start:end], True


#: RFC 5322 §2.1.1, RFC 2045 §2.7-§2.8: a line that is too long.
_LONG_LINE = re.compile(rb"^[^\n]{%d}(?!\r?\n|\r?\Z)" % _LONGEST, re.MULTILINE)


def _rewrite_7bit(body: bytes, data: bytes) -> bytes | None:
    return _rewrite_8bit(body, data) if data.isascii() or not body.isascii() else None


def _rewrite_8bit(body: bytes, data: bytes) -> bytes | None:
    return data if not _LONG_LINE.search(data) or _LONG_LINE.search(body) else None


# base64 (RFC 2045 §6.8)

_WHITE_SPACE = b" \t\r\n"
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def _decode_base64(message: bytes, start: int, end: int) -> tuple[bytes, bool]:
    out = io.BytesIO()
    try:
        out.writelines(decode_base64(split_pieces(message, start, end)))
    except NotBase64:
        # The part that can be decoded: up to the padding, without other characters, in whole bytes.
        letters = _NOT_BASE64.sub(b"", message[start:end].partition(b"=")[0])
        whole = letters[:-1] if len(letters) % 4 == 1 else letters
        return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4)), False
    return out.getvalue(), True


def _is_base64(body: bytes) -> bool:
    try:
        deque(decode_base64(split_pieces(body)), maxlen=0)
    except NotBase64:
        return False
    return True


def _rewrite_base64(body: bytes, data: bytes) -> bytes | None:
    if not _is_base64(body):
        return None
    first, last = len(body) - len(body.lstrip(_WHITE_SPACE)), len(body.rstrip(_WHITE_SPACE))
    core = range(min(first, last), last)
    break_ = body.find(b"\n", core.start, core.stop)
    width = len(body[core.start : break_].rstrip()) if break_ >= 0 else max(_WIDTH, len(core))
    end = line_end(body, core.start)
    out = io.BytesIO()
    out.write(body[: core.start])
    rest = b""
    for text in encode_base64(data):
        rest += text
        full = len(rest) - 1 - (len(rest) - 1) % width  # there is no line end after the last line
        for at in range(0, full, width):
            out.write(rest[at : at + width] + end)
        rest = rest[full:]
    out.write(rest)
    out.write(body[core.stop :])
    return out.getvalue()


# quoted-printable (RFC 2045 §6.7)

_ESCAPE = re.compile(rb"=([0-9A-Fa-f]{2})")
_LOWER_CASE = re.compile(rb"=(?:[a-f][0-9A-Fa-f]|[0-9][a-f])")
_UNIT = re.compile(rb"=[0-9A-Fa-f]{2}|.", re.DOTALL)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_BYTES = {b"%02X" % byte: bytes([byte]) for byte in range(256)}


class _Line(NamedTuple):
    """A line of a quoted-printable body."""

    text: bytes
    """Without a soft line break and padding."""
    end: bytes
    """Its line end."""
    soft: bool
    """Whether the line break is soft."""

    @property
    def data(self) -> bytes:
        return self.decode()[0]

    def decode(self) -> tuple[bytes, bool]:
        text, valid = self.text, True
        if b"=" in text:
            text, escapes = _ESCAPE.subn(lambda match: _BYTES[match[1].upper()], self.text)
            valid = self.text.count(b"=") == escapes
        return (text if self.soft else text + self.end), valid


def _line(written: bytes) -> _Line:
    core = written.removesuffix(b"\n").removesuffix(b"\r") if written.endswith(b"\n") else written
    end = written[len(core) :]
    text = core.rstrip(b" \t")  # rule 3: it was added in transport
    return _Line(text[:-1], end, soft=True) if text.endswith(b"=") else _Line(text, end, soft=False)


def _decode_quoted_printable(message: bytes, start: int, end: int) -> tuple[bytes, bool]:
    out = io.BytesIO()
    is_valid = True
    for written in _LINE.finditer(message, start, end):
        data, is_line_valid = _line(written[0]).decode()
        out.write(data)
        is_valid &= is_line_valid
    return out.getvalue(), is_valid


class _Style(NamedTuple):
    """How a body writes quoted-printable."""

    end: bytes
    """Its line end."""
    escape: bytes
    """The format of its escapes, which has their case."""

    def encode(self, data: bytes) -> Iterator[bytes]:
        """The encoding of each byte of `data`, its unit. A line end is one unit, and its second byte an empty one."""
        at = 0
        while at < len(data):
            if data.startswith(self.end, at):
                yield self.end
                yield from (b"" for _ in self.end[1:])
                at += len(self.end)
                continue
            byte = data[at : at + 1]
            yield byte if byte in b" \t" or (b"!" <= byte <= b"~" and byte != b"=") else self.escape % byte[0]
            at += 1

    def fold(self, units: list[bytes], end: bytes, *, soft: bool) -> Iterator[bytes]:
        """Yield the lines of `units`. `end`: the last line's line end, after a soft line break if `soft`."""
        line: list[bytes] = []
        width = 0
        folded = False  # whether the line began after a soft line break that was added here
        last = len(units)
        for number, unit in enumerate(units):
            if not unit:
                continue
            if unit.endswith(b"\n"):
                yield b"".join(self._close(line)) + unit
                line, width, folded = [], 0, False
                continue
            closing = units[number + 1].endswith(b"\n") if number + 1 < last else not soft
            if width + len(unit) > _WIDTH - (not closing):
                yield b"".join(line) + b"=" + self.end
                line, width, folded = [], 0, True
            if folded and line == [b"-"] and unit == b"-":  # "--" could begin a delimiter
                line, width = [self.escape % ord("-")], 3
            line.append(unit)
            width += len(unit)
        if soft:
            yield b"".join(line) + b"=" + end if line else b""
        else:
            yield b"".join(self._close(line)) + end

    def _close(self, line: list[bytes]) -> list[bytes]:
        """Escape white space at the end of a line."""
        if line and line[-1] in {b" ", b"\t"}:
            line[-1] = self.escape % line[-1][0]
            if sum(map(len, line)) > _WIDTH:
                line.insert(-1, b"=" + self.end)
        return line


class _Lines:
    """The lines of a quoted-printable body, of which memory holds those that are looked at."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        #: Where each line begins in the body, and the last one ends.
        self._places = array("Q", [0])
        #: The same in the data.
        self.starts = array("Q", [0])
        data = io.BytesIO()
        for written in _LINE.finditer(body):
            data.write(_line(written[0]).data)
            self._places.append(written.end())
            self.starts.append(data.tell())
        self.data: bytes = data.getvalue()

    def __len__(self) -> int:
        return len(self._places) - 1

    def written(self, first: int, stop: int) -> bytes:
        """Some lines as they are written."""
        return self._body[self._places[first] : self._places[stop]]

    def lines(self, first: int, stop: int) -> list[_Line]:
        """Some lines."""
        return [_line(self.written(number, number + 1)) for number in range(first, stop)]


def _old_units(lines: list[_Line], style: _Style) -> list[bytes]:
    """The unit that each byte of these lines' data was encoded as."""
    units: list[bytes] = []
    for line in lines:
        units += [style.escape % ord("=") if unit == b"=" else unit for unit in _UNIT.findall(line.text)]
        if line.end and not line.soft:
            units += [line.end, *(b"" for _ in line.end[1:])]
    return units


def _rewrite_quoted_printable(body: bytes, data: bytes) -> bytes | None:
    style = _Style(line_end(body), b"=%02x" if _LOWER_CASE.search(body) else b"=%02X")
    lines = _Lines(body)
    starts = lines.starts
    out = io.BytesIO()
    done = 0  # lines
    edits = list(changes(lines.data, data)) if lines else []
    number = 0
    while number < len(edits):
        first = min(bisect_right(starts, edits[number][0]) - 1, len(lines) - 1)
        stop = first + 1
        together = []
        while number < len(edits) and (stop == len(lines) or edits[number][0] < starts[stop]):
            start, end, new = edits[number]
            stop = max(stop, min(bisect_right(starts, max(start, end - 1)), len(lines)))
            together.append((start - starts[first], end - starts[first], new))
            number += 1
        replaced = lines.lines(first, stop)
        units = _old_units(replaced, style)
        pieces: list[bytes] = []
        at = 0
        for start, end, new in together:
            pieces += units[at:start]
            pieces += style.encode(new)
            at = end
        pieces += units[at:]
        final = replaced[-1]
        out.write(lines.written(done, first))
        out.writelines(style.fold(pieces, final.end if final.soft else b"", soft=final.soft))
        done = stop
    out.write(lines.written(done, len(lines)))
    text = out.getvalue()
    if _decode_quoted_printable(text, 0, len(text))[0] == data:
        return text
    return to_quoted_printable(data, style.end, style.escape)


def to_quoted_printable(data: bytes, end: bytes, escape: bytes = b"=%02X") -> bytes:
    """Data in quoted-printable. `end`: its line end; other line ends are escaped. `escape`: the format of escapes."""
    style = _Style(end, escape)
    return b"".join(style.fold(list(style.encode(data)), b"", soft=False))


IDENTITY = frozenset({"7bit", "8bit", "binary"})

#: Content-Transfer-Encoding in lower case -> the encoding. Bodies in any other are left alone.
TRANSFER_ENCODINGS: dict[str, Transfer] = {
    "7bit": Transfer(_decode_identity, _rewrite_7bit),
    "8bit": Transfer(_decode_identity, _rewrite_8bit),
    "binary": Transfer(_decode_identity, lambda _, data: data),
    "quoted-printable": Transfer(_decode_quoted_printable, _rewrite_quoted_printable),
    "base64": Transfer(_decode_base64, _rewrite_base64),
}
