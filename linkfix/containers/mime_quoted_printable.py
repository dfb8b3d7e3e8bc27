"""Quoted-printable (RFC 2045 §6.7), read and written line by line."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from linkfix.containers.mime_changes import Change, changes
from linkfix.containers.pieces import split_lines, whole_lines
from linkfix.containers.window import Window, WindowSpan

__all__ = ["decode_quoted_printable", "rewrite_quoted_printable", "to_quoted_printable"]

#: Rule 5: the longest line, without its line end.
_WIDTH = 76

#: An escape, or a soft line break.
_ESCAPE = re.compile(rb"=(?:([0-9A-Fa-f]{2})|\r?\n|\Z)")
#: Rule 3: white space at the end of a line was added in transport.
_PADDING = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")
#: One of these is in every text that has padding, but for its end: quicker to look for.
_PADDED = (b" \r", b" \n", b"\t\r", b"\t\n")
_LOWER_CASE = re.compile(rb"=(?:[a-f][0-9A-Fa-f]|[0-9][a-f])")
_UNIT = re.compile(rb"=[0-9A-Fa-f]{2}|.", re.DOTALL)
#: What an escape stands for; nothing for a soft line break.
_BYTES = {None: b""} | {b"%02X" % byte: bytes([byte]) for byte in range(256)}


def _decode(lines: bytes) -> tuple[bytes, bool]:
    """What some whole lines mean, and whether they are valid."""
    is_padded = lines.endswith((b" ", b"\t")) or any(mark in lines for mark in _PADDED)
    text = _PADDING.sub(b"", lines) if is_padded else lines
    if b"=" not in text:
        return text, True
    data, escapes = _ESCAPE.subn(lambda found: _BYTES[found[1] and found[1].upper()], text)
    return data, text.count(b"=") == escapes


class _Line(NamedTuple):
    """A line of a quoted-printable body."""

    text: bytes
    """Without a soft line break and padding."""
    end: bytes
    """Its line end."""
    soft: bool
    """Whether the line break is soft."""


def _line(written: bytes) -> _Line:
    core = written.removesuffix(b"\n").removesuffix(b"\r") if written.endswith(b"\n") else written
    end = written[len(core) :]
    text = core.rstrip(b" \t")  # rule 3
    return _Line(text[:-1], end, soft=True) if text.endswith(b"=") else _Line(text, end, soft=False)


def decode_quoted_printable(body: WindowSpan) -> tuple[bytes, bool]:
    """The data of a body, and whether all of it was valid."""
    out = io.BytesIO()  # it gives its bytes away without a copy
    is_valid = True
    for lines in whole_lines(body.pieces()):
        data, are_lines_valid = _decode(lines)
        out.write(data)
        is_valid &= are_lines_valid
    return out.getvalue(), is_valid


def _means(pieces: Iterable[bytes], data: bytes) -> bool:
    """Whether `data` is what some quoted-printable means."""
    at = 0
    for lines in whole_lines(pieces):
        text, _ = _decode(lines)
        if not data.startswith(text, at):
            return False
        at += len(text)
    return at == len(data)


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

    def fold(self, units: Iterable[bytes], end: bytes, *, soft: bool) -> Iterator[bytes]:
        """Yield the lines of `units`. `end`: the last line's line end, after a soft line break if `soft`."""
        line: list[bytes] = []
        width = 0
        folded = False  # whether the line began after a soft line break that was added here
        for unit, following in pairwise(chain(filter(None, units), (b"",))):
            if unit.endswith(b"\n"):
                yield b"".join(self._close(line)) + unit
                line, width, folded = [], 0, False
                continue
            closing = following.endswith(b"\n") if following else not soft
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


def _units_of(lines: Iterable[_Line], style: _Style) -> list[bytes]:
    """The unit that each byte of these lines' data was encoded as."""
    units: list[bytes] = []
    for line in lines:
        units += [style.escape % ord("=") if unit == b"=" else unit for unit in _UNIT.findall(line.text)]
        if line.end and not line.soft:
            units += [line.end, *(b"" for _ in line.end[1:])]
    return units


class _ChangedLines:
    """Consecutive lines of a body, and the changes of their data."""

    def __init__(self, style: _Style, start: int) -> None:
        self._style = style
        #: Where the data of the first line begins.
        self._start = start
        self._changes: list[Change] = []
        self.lines: list[_Line] = []
        #: The last byte of the data that changes so far.
        self.reach: int = start

    def change(self, change: Change) -> None:
        """Add the next change."""
        self._changes.append(change)
        self.reach = max(self.reach, change[0], change[1] - 1)

    def write(self) -> Iterator[bytes]:
        """Yield the lines that have the new data. What is not changed is encoded as it was."""
        final = self.lines[-1]
        return self._style.fold(self._units(), final.end if final.soft else b"", soft=final.soft)

    def _units(self) -> Iterator[bytes]:
        units = _units_of(self.lines, self._style)
        done = 0
        for start, end, new in self._changes:
            yield from units[done : start - self._start]
            yield from self._style.encode(new)
            done = end - self._start
        yield from units[done:]


def _edit(body: WindowSpan, edits: Iterator[Change], style: _Style) -> Iterator[bytes]:
    """Yield the body with changes of its data, in order. Lines without a change are as they were."""
    edit = next(edits, None)
    changed: _ChangedLines | None = None
    at = 0  # in the data
    for written, following in pairwise(chain(split_lines(body.pieces()), (b"",))):
        end = at + len(_decode(written)[0])
        while changed is not None and changed.reach < at:
            if edit is None or edit[0] >= at:
                yield from changed.write()
                changed = None
            else:
                changed.change(edit)
                edit = next(edits, None)
        if changed is None and edit is not None and (edit[0] < end or not following):
            changed = _ChangedLines(style, at)
            changed.change(edit)
            edit = next(edits, None)
        if changed is None:
            yield written
        else:
            changed.lines.append(_line(written))
        at = end
    if changed is not None:
        for rest in chain((edit,) if edit is not None else (), edits):
            changed.change(rest)
        yield from changed.write()


def rewrite_quoted_printable(
    body: WindowSpan, old: bytes, new: bytes, store: Callable[[Iterable[bytes]], Window]
) -> Window:
    """A body that means the `new` data, stored: see `linkfix.containers.mime_transfer.Transfer.rewrite`."""
    lower = body.raw.search(_LOWER_CASE, body.start, len(b"=xx"), body.end) >= 0
    style = _Style(body.line_end(), b"=%02x" if lower else b"=%02X")
    made = store(_edit(body, changes(old, new), style))
    if _means(made.pieces(0, made.size), new):
        return made
    return store(to_quoted_printable(new, style.end, style.escape))


def to_quoted_printable(data: bytes, end: bytes, escape: bytes = b"=%02X") -> Iterator[bytes]:
    """Yield data in quoted-printable. `end`: its line end; others are escaped. `escape`: the format of escapes."""
    style = _Style(end, escape)
    return style.fold(style.encode(data), b"", soft=False)
