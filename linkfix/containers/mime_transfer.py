"""MIME's transfer encodings (RFC 2045 §6): decoding a body, and encoding changed data in the body's own style.

Unchanged data keeps its encoded bytes as far as the encoding allows. In 7bit, 8bit and binary all these bytes stay. In
quoted-printable, unchanged lines stay. In base64, the line length and the line ends stay. Memory holds the data, and a
piece of the encoded body.
"""

from __future__ import annotations

import binascii
import io
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from linkfix.comparison import common_prefix
from linkfix.containers.pieces import NotBase64, decode_base64, encode_base64, split_lines, split_pieces, whole_lines
from linkfix.files.window import Window, WindowSpan

# A diff of bytes in linear time. It finds small changes, but not always the smallest. Memory holds no copy of the data.


#: A span of the old data, and the new bytes in its place.
Change = tuple[int, int, bytes]

#: The spans of items in the first and in the second sequence.
_Block = tuple[int, int, int, int]

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")

#: Delimiters of attribute values, and the text between them.
_PIECE = re.compile(rb"\r\n|[\s\"'<>()=,]|[^\s\"'<>()=,]+")

#: The number of items that are compared at a time, if the old and the new data have different numbers of items.
_ITEMS = 1 << 14

#: The size of the pieces that are compared, in bytes.
_STEP = 1 << 16


class _Pair(NamedTuple):
    """A span of the old data, and the span of the new data that it is compared with."""

    low: int
    high: int
    other_low: int
    other_high: int


def changes(old: bytes, new: bytes) -> Iterator[Change]:
    """Yield the changes that turn `old` into `new`, in order and without overlap."""
    for lines in _differences(_LINE, old, new, _Pair(0, len(old), 0, len(new))):
        for low, high, other_low, other_high in _differences(_PIECE, old, new, lines):
            removed, piece = old[low:high], new[other_low:other_high]
            before = common_prefix(removed, piece)
            after = common_prefix(removed[before:][::-1], piece[before:][::-1])
            yield low + before, high - after, piece[before : len(piece) - after]


def _differences(split: re.Pattern[bytes], old: bytes, new: bytes, pair: _Pair) -> Iterator[_Pair]:
    """Yield the differing pairs within a pair of spans. `split`: the pattern of the items that are compared."""
    low, high, other_low, other_high = pair
    before, after = split.finditer(old, low, high), split.finditer(new, other_low, other_high)
    count, other_count = (
        sum(1 for _ in split.finditer(*part)) for part in ((old, low, high), (new, other_low, other_high))
    )
    if count == other_count:
        for one, other in zip(before, after, strict=True):
            found = _Pair(*one.span(), *other.span())
            if not _equal(old, new, found):
                yield found
        return
    items: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    view, other_view = memoryview(old), memoryview(new)
    is_last = False
    while not is_last:
        items += (found.span() for found in islice(before, _ITEMS - len(items)))
        others += (found.span() for found in islice(after, _ITEMS - len(others)))
        is_last = len(items) < _ITEMS and len(others) < _ITEMS
        keys = [hash(view[start:end]) for start, end in items]
        other_keys = [hash(other_view[start:end]) for start, end in others]
        anchors = list(_anchors(keys, other_keys))
        if is_last or not anchors:
            anchors.append((len(items), len(others)))
        first = second = 0
        for place, other_place in anchors:
            for a, b, c, d in _blocks(keys, other_keys, (first, place, second, other_place)):
                yield _Pair(*_extent(items, a, b, high), *_extent(others, c, d, other_high))
            first, second = place + 1, other_place + 1
        del items[:first], others[:second]


def _equal(old: bytes, new: bytes, pair: _Pair) -> bool:
    """Whether both spans have the same bytes."""
    low, high, other_low, other_high = pair
    if high - low != other_high - other_low:
        return False
    if high - low <= _STEP:
        return old[low:high] == new[other_low:other_high]
    return all(
        old[low + at : min(low + at + _STEP, high)] == new[other_low + at : min(other_low + at + _STEP, other_high)]
        for at in range(0, high - low, _STEP)
    )


def _extent(items: Sequence[tuple[int, int]], first: int, stop: int, end: int) -> tuple[int, int]:
    """Return the byte span of the items from `first` to `stop`, which may be empty. `end`: the end of all items."""
    start = items[first][0] if first < len(items) else items[-1][1] if items else end
    return start, items[stop - 1][1] if stop > first else start


def _anchors(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of items that occur exactly once in both sequences, in the same order."""
    counts = Counter(after)
    places = {item: number for number, item in enumerate(after) if counts[item] == 1}
    counts = Counter(before)
    other_low = 0
    for number, item in enumerate(before):
        place = places.get(item, -1) if counts[item] == 1 else -1
        if place >= other_low:
            yield number, place
            other_low = place + 1


def _blocks(before: Sequence[int], after: Sequence[int], block: _Block) -> Iterator[_Block]:
    """Yield the differing blocks within a block. Equal numbers of items are compared in pairs."""
    low, high, other_low, other_high = block
    while low < high and other_low < other_high and before[low] == after[other_low]:
        low, other_low = low + 1, other_low + 1
    while low < high and other_low < other_high and before[high - 1] == after[other_high - 1]:
        high, other_high = high - 1, other_high - 1
    if high - low != other_high - other_low:
        yield low, high, other_low, other_high
        return
    for at in range(high - low):
        if before[low + at] != after[other_low + at]:
            yield low + at, low + at + 1, other_low + at, other_low + at + 1


# Quoted-printable (RFC 2045 §6.7), read and written line by line.


#: Rule 5: the maximum length of a line, without its line end.
_WIDTH = 76

#: An escape, or a soft line break.
_ESCAPE = re.compile(rb"=(?:([0-9A-Fa-f]{2})|\r?\n|\Z)")

#: Rule 3: white space at the end of a line was added in transport.
_PADDING = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")

#: A quick test: padding inside a text always contains one of these. Padding at the end of the text does not.
_PADDED = (b" \r", b" \n", b"\t\r", b"\t\n")

_LOWER_CASE = re.compile(rb"=(?:[a-f][0-9A-Fa-f]|[0-9][a-f])")

_UNIT = re.compile(rb"=[0-9A-Fa-f]{2}|.", re.DOTALL)

#: A mapping of the digits of an escape to its byte; None stands for a soft line break.
_BYTES = {None: b""} | {b"%02X" % byte: bytes([byte]) for byte in range(256)}


def _decode(lines: bytes) -> tuple[bytes, bool]:
    """Return the decoded data of whole lines, and whether the lines are valid."""
    is_padded = lines.endswith((b" ", b"\t")) or any(mark in lines for mark in _PADDED)
    text = _PADDING.sub(b"", lines) if is_padded else lines
    if b"=" not in text:
        return text, True
    data, escapes = _ESCAPE.subn(lambda found: _BYTES[found[1] and found[1].upper()], text)
    return data, text.count(b"=") == escapes


class _Line(NamedTuple):
    """A line of a quoted-printable body."""

    text: bytes
    """The text without padding and without a soft line break."""
    end: bytes
    """The line end."""
    soft: bool
    """Whether the line break is soft."""


def _line(written: bytes) -> _Line:
    core = written.removesuffix(b"\n").removesuffix(b"\r") if written.endswith(b"\n") else written
    end = written[len(core) :]
    text = core.rstrip(b" \t")  # rule 3
    return _Line(text[:-1], end, soft=True) if text.endswith(b"=") else _Line(text, end, soft=False)


def decode_quoted_printable(body: WindowSpan) -> tuple[bytes, bool]:
    """Return the decoded data of a body, and whether the whole body was valid."""
    out = io.BytesIO()  # `getvalue` does not copy the bytes
    is_valid = True
    for lines in whole_lines(body.pieces()):
        data, are_lines_valid = _decode(lines)
        out.write(data)
        is_valid &= are_lines_valid
    return out.getvalue(), is_valid


def _means(pieces: Iterable[bytes], data: bytes) -> bool:
    """Whether some quoted-printable text decodes to `data`."""
    at = 0
    for lines in whole_lines(pieces):
        text, _ = _decode(lines)
        if not data.startswith(text, at):
            return False
        at += len(text)
    return at == len(data)


class _Style(NamedTuple):
    """The style in which a body writes quoted-printable."""

    end: bytes
    """The line end."""
    escape: bytes
    """The format of escapes, with the letter case of their digits."""

    def encode(self, data: bytes) -> Iterator[bytes]:
        """Yield one unit for each byte of `data`: its encoding. A CRLF is one unit, followed by an empty unit."""
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
        """Yield the lines of `units`.

        `end`: the line end of the last line.
        `soft`: whether a soft line break precedes this line end.
        """
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
    """Return the unit of each byte of these lines' data, as it was encoded."""
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
        #: The offset in the data of the first line.
        self._start = start
        self._changes: list[Change] = []
        self.lines: list[_Line] = []
        #: The offset in the data of the last byte that changes so far.
        self.reach: int = start

    def change(self, change: Change) -> None:
        """Add the next change."""
        self._changes.append(change)
        self.reach = max(self.reach, change[0], change[1] - 1)

    def write(self) -> Iterator[bytes]:
        """Yield the lines with the new data. Unchanged bytes keep their encoding."""
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
    """Yield the body with changed data. Unchanged lines keep their bytes. `edits`: the changes, in order."""
    edit = next(edits, None)
    changed: _ChangedLines | None = None
    at = 0  # offset in the data
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
    """Store and return a body that decodes to `new`: see `linkfix.containers.mime_transfer.Transfer.rewrite`."""
    lower = body.raw.search(_LOWER_CASE, body.start, len(b"=xx"), body.end) >= 0
    style = _Style(body.line_end(), b"=%02x" if lower else b"=%02X")
    made = store(_edit(body, changes(old, new), style))
    if _means(made.pieces(0, made.size), new):
        return made
    return store(to_quoted_printable(new, style.end, style.escape))


def to_quoted_printable(data: bytes, end: bytes, escape: bytes = b"=%02X") -> Iterator[bytes]:
    """Yield data in quoted-printable.

    `end`: the line end. Other line ends are escaped.
    `escape`: the format of escapes.
    """
    style = _Style(end, escape)
    return style.fold(style.encode(data), b"", soft=False)


#: RFC 5322 §2.1.1: the maximum length of a line of 7bit and 8bit data, without its line end.
_LONGEST = 998

#: A function that stores pieces and returns them as one window. Each call replaces the pieces of the last call.
Store = Callable[[Iterable[bytes]], Window]


class Transfer(NamedTuple):
    """A transfer encoding."""

    decode: Callable[[WindowSpan], tuple[bytes, bool]]
    """`decode(body)` returns the data of a body, and whether the whole body was valid."""
    rewrite: Callable[[WindowSpan, bytes, bytes, Store], Window | None]
    """`rewrite(body, old, new, store)` stores and returns a body that decodes to `new`; None if the encoding cannot
    represent `new`. `old` is the data of `body`.
    """


# 7bit, 8bit, binary (RFC 2045 §6.2)


def _decode_identity(body: WindowSpan) -> tuple[bytes, bool]:
    return body.read(), True


#: A line that is too long (RFC 5322 §2.1.1, RFC 2045 §2.7-§2.8).
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
    out = io.BytesIO()  # `getvalue` does not copy the bytes
    try:
        out.writelines(decode_base64(body.pieces()))
    except NotBase64:
        out = io.BytesIO()
        out.writelines(_decode_damaged_base64(body.pieces()))
        return out.getvalue(), False
    return out.getvalue(), True


def _decode_damaged_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data that can be decoded: whole bytes up to the padding. Characters that are not base64 are ignored."""
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
    """Return the body without surrounding white space. If it is only white space, return an empty span at its start."""
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
    """Yield data as lines with the line length, the line ends and the surrounding white space of `body`."""
    core = _core(body)
    break_ = body.raw.find(b"\n", core.start, core.end)
    line = _core(core._replace(end=break_)) if break_ >= 0 else core
    width = line.end - line.start if break_ >= 0 else max(_WIDTH, core.end - core.start)
    end = body._replace(start=core.start if break_ >= 0 else body.start).line_end()
    yield from body._replace(end=core.start).pieces()
    left = width  # number of characters that still fit in the line
    for text in encode_base64(data):
        lines = [text[:left], *(text[at : at + width] for at in range(left, len(text), width))]
        yield end.join(lines)
        left = (width if len(lines) > 1 else left) - len(lines[-1])
    yield from body._replace(start=core.end).pieces()


IDENTITY = frozenset({"7bit", "8bit", "binary"})

#: The transfer encodings, by Content-Transfer-Encoding in lower case. Bodies in other encodings are left alone.
TRANSFER_ENCODINGS: dict[str, Transfer] = {
    "7bit": Transfer(_decode_identity, _rewrite_7bit),
    "8bit": Transfer(_decode_identity, _rewrite_8bit),
    "binary": Transfer(_decode_identity, _rewrite_binary),
    "quoted-printable": Transfer(decode_quoted_printable, rewrite_quoted_printable),
    "base64": Transfer(_decode_base64, _rewrite_base64),
}
