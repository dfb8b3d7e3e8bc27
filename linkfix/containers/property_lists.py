"""Property lists of macOS, binary or XML: chosen values with the spans of their data, and edits of that data.

plistlib needs the whole list in memory, and the time and memory that it takes can grow with the square of the size of a
hostile file, whose objects share their bytes. Here, only chosen members of dictionaries are read, and data is a span of
the file. All bytes outside of changed data stay, except offsets in a binary list.

The binary format has no specification but its source: CFBinaryPList.c in https://github.com/apple-oss-distributions/CF.
The XML format: http://www.apple.com/DTDs/PropertyList-1.0.dtd.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, NoReturn, Protocol, TypeAlias

from linkfix.containers.pieces import decode_base64, encode_base64
from linkfix.containers.xml_elements import NotXml, parse
from linkfix.files.window import Window, WindowEdit
from linkfix.lazy import lazy_pattern

#: The longest string that is read, in bytes. A longer one is "".
_LONGEST_STRING = 1 << 16

#: The deepest value that is read, below the root.
_DEEPEST = 200

_BINARY = b"bplist00"


class InvalidPropertyList(Exception):
    """Raised for a property list that cannot be read, with an offset. Internal to the containers."""

    def __init__(self, detail: str, offset: int) -> None:
        super().__init__(detail)
        self.detail = detail
        self.offset = offset


def _fail(detail: str, offset: int) -> NoReturn:
    raise InvalidPropertyList(detail, offset)


class DataSpan(NamedTuple):
    """A value of bytes. Offsets are byte offsets in the file."""

    start: int
    """The start of the value: its marker, or the text in its element."""
    content: int
    """The start of its content."""
    end: int

    @property
    def size(self) -> int:
        """The number of bytes that the content has in the file."""
        return self.end - self.content


#: A value. None: a number, a date, or a value of a member that is not wanted.
Value: TypeAlias = "dict[str, Value] | list[Value] | str | DataSpan | None"


class PropertyList(Protocol):
    """A property list in a window."""

    def value(self, wanted: Collection[str]) -> Value:
        """Return the root, with the wanted members of all dictionaries. Raises `InvalidPropertyList`."""

    def pieces(self, data: DataSpan) -> Iterator[bytes]:
        """Yield the bytes of a value in pieces. Raises `NotBase64`."""

    def edits(self, changes: Sequence[tuple[DataSpan, bytes]]) -> Iterator[WindowEdit]:
        """Yield the edits that give values new content, in order. Raises `InvalidPropertyList`, before the first edit.

        `changes`: the changed values, in the order of the file, each with its new content.
        """


def property_list(raw: Window) -> PropertyList:
    """Return the property list in a window."""
    return _BinaryList(raw) if raw.read(0, len(_BINARY)) == _BINARY else _XmlList(raw)


# Binary


#: The trailer: 5 unused bytes, a sort version, the sizes of offsets and references, the number of objects, that of the
#: root, and the offset of the table of offsets.
_TRAILER = 32

#: The kinds of objects: the high half of the marker.
_DATA, _ASCII, _UTF_16, _ARRAY, _SET, _DICTIONARY = 0x4, 0x5, 0x6, 0xA, 0xC, 0xD

_INTEGER = 0x1

#: The low half of the marker if the count follows as an integer.
_COUNT_FOLLOWS = 0xF

#: More members than a dictionary has that is read here.
_MANY_MEMBERS = 1000

#: The sizes of offsets. Programs write 3 too.
_WIDTHS = range(1, 9)

_TABLE_PIECE = 1 << 14


class _BinaryList:
    """A binary property list. Its collections may not overlap, so that the time to read it is linear."""

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        self._strings: dict[int, str] = {}
        self._seen: set[int] = set()
        self._left = raw.size

    def _read_trailer(self) -> int:
        """Read the trailer; return the number of the root."""
        raw = self._raw
        trailer = raw.read(max(raw.size - _TRAILER, 0), _TRAILER)
        numbers = [int.from_bytes(trailer[at : at + 8], "big") for at in (8, 16, 24)]
        self._count, root, self._table = numbers
        self._width, self._reference = trailer[6:8] if len(trailer) == _TRAILER else (0, 0)
        self._table_end = self._table + self._count * self._width
        fits = len(_BINARY) < self._table and self._table_end <= raw.size - _TRAILER
        if not (fits and self._width in _WIDTHS and 1 <= self._reference <= 8):
            _fail("its trailer is damaged", max(raw.size - _TRAILER, 0))
        return root

    def value(self, wanted: Collection[str]) -> Value:
        """See `PropertyList.value`."""
        return self._value(self._read_trailer(), wanted, 0)

    def _value(self, number: int, wanted: Collection[str], depth: int) -> Value:
        offset = self._offset(number)
        kind, count, content = self._object(offset)
        if kind == _DATA:
            self._check_end(offset, content + count)
            return DataSpan(offset, content, content + count)
        if kind in {_ASCII, _UTF_16}:
            return self._string(offset)
        if kind not in {_ARRAY, _SET, _DICTIONARY}:
            return None
        references = list(self._references(offset, kind, count, content))
        if depth == _DEEPEST:
            _fail(f"its values are more than {_DEEPEST} deep", offset)
        if kind != _DICTIONARY:
            return [self._value(one, wanted, depth + 1) for one in references]
        keys = (self._key(one) for one in references[:count])
        pairs = zip(keys, references[count:], strict=True)
        return {key: self._value(one, wanted, depth + 1) for key, one in pairs if key in wanted}

    def _offset(self, number: int) -> int:
        if number >= self._count:
            _fail(f"it has no object {number}", self._table)
        at = self._table + number * self._width
        return int.from_bytes(self._raw.read(at, self._width), "big")

    def _object(self, offset: int) -> tuple[int, int, int]:
        """Return the kind of the object at an offset, its count, and the offset of its content."""
        if not len(_BINARY) <= offset < self._raw.size - _TRAILER:
            _fail("it has an object outside of the file", min(offset, self._raw.size))
        head = self._raw.read(offset, 10)
        kind, count = head[0] >> 4, head[0] & 0xF
        if count != _COUNT_FOLLOWS or kind not in {_DATA, _ASCII, _UTF_16, _ARRAY, _SET, _DICTIONARY}:
            return kind, count, offset + 1
        width = 1 << (head[1] & 0xF)
        if head[1] >> 4 != _INTEGER or width > 8:
            _fail("an object has no count", offset)
        return kind, int.from_bytes(head[2 : 2 + width], "big"), offset + 2 + width

    def _check_end(self, offset: int, end: int) -> None:
        if end > self._raw.size - _TRAILER:
            _fail("an object is longer than the file", offset)

    def _references(self, offset: int, kind: int, count: int, content: int) -> Iterator[int]:
        """Yield the numbers of the objects in a collection: for a dictionary, those of its keys come first."""
        number = count * (2 if kind == _DICTIONARY else 1)
        length = number * self._reference
        self._check_end(offset, content + length)
        self._left -= length
        if self._left < 0 or offset in self._seen or (kind == _DICTIONARY and count > _MANY_MEMBERS):
            _fail("its collections overlap, or are too large", offset)
        self._seen.add(offset)
        for at in range(content, content + length, self._reference):
            yield int.from_bytes(self._raw.read(at, self._reference), "big")

    def _key(self, number: int) -> str:
        offset = self._offset(number)
        return self._string(offset) if self._object(offset)[0] == _ASCII else ""

    def _string(self, offset: int) -> str:
        if offset not in self._strings:
            kind, count, content = self._object(offset)
            length = count * (2 if kind == _UTF_16 else 1)
            self._check_end(offset, content + length)
            text = ""
            if length <= _LONGEST_STRING:
                self._left -= length
                if self._left < 0:
                    _fail("its strings overlap", offset)
                raw = self._raw.read(content, length)
                text = raw.decode("utf-16-be" if kind == _UTF_16 else "latin-1", "replace")
            self._strings[offset] = text
        return self._strings[offset]

    def pieces(self, data: DataSpan) -> Iterator[bytes]:
        """See `PropertyList.pieces`."""
        return self._raw.pieces(data.content, data.end)

    def edits(self, changes: Sequence[tuple[DataSpan, bytes]]) -> Iterator[WindowEdit]:
        """See `PropertyList.edits`. Objects move, so that the table of offsets changes."""
        headers = [_header(len(new)) for _, new in changes]
        pairs = list(zip(headers, changes, strict=True))
        grown = [len(header) + len(new) - (data.end - data.start) for header, (data, new) in pairs]
        starts = [data.start for data, _ in changes]
        shifts = [0, *accumulate(grown)]
        self._check_changes([data for data, _ in changes])
        last = max((offset + shifts[bisect_left(starts, offset)] for offset in self._offsets()), default=0)
        width = self._width
        while last >> 8 * width:
            width *= 2
        table = self._table + shifts[bisect_left(starts, self._table)]

        def new_table() -> Iterator[bytes]:
            piece = bytearray()
            for offset in self._offsets():
                piece += (offset + shifts[bisect_left(starts, offset)]).to_bytes(width, "big")
                if len(piece) >= _TABLE_PIECE:
                    yield bytes(piece)
                    piece.clear()
            yield bytes(piece)

        edits = [WindowEdit(data.start, data.end, (header, new)) for header, (data, new) in pairs]
        edits.append(WindowEdit(self._table, self._table_end, new_table()))
        trailer = self._raw.size - _TRAILER
        edits.append(WindowEdit(trailer + 6, trailer + 7, (bytes([width]),)))
        edits.append(WindowEdit(trailer + 24, trailer + 32, (table.to_bytes(8, "big"),)))
        yield from sorted(edits, key=lambda edit: edit.start)

    def _offsets(self) -> Iterator[int]:
        """Yield the offsets of all objects."""
        size = _TABLE_PIECE * self._width
        for piece in self._raw.pieces(self._table, self._table_end, size):
            for at in range(0, len(piece), self._width):
                yield int.from_bytes(piece[at : at + self._width], "big")

    def _check_changes(self, changed: list[DataSpan]) -> None:
        """Raise `InvalidPropertyList` if bytes of a changed value are those of another object or of the table too."""
        starts = [data.start for data in changed]
        ends = [data.end for data in changed]
        places = [*self._offsets(), self._table]
        is_apart = all(bisect_right(ends, place) == bisect_left(starts, place) for place in places)
        is_ordered = all(end <= start for end, start in zip(ends, starts[1:], strict=False))
        if not (is_apart and is_ordered and all(end <= self._table or end > self._table_end for end in ends)):
            _fail("its objects overlap", changed[0].start if changed else 0)


def _header(size: int) -> bytes:
    """Return the marker of data, with its size."""
    if size < _COUNT_FOLLOWS:
        return bytes([_DATA << 4 | size])
    power = max(0, (size.bit_length() - 1).bit_length() - 3)
    return bytes([_DATA << 4 | _COUNT_FOLLOWS, _INTEGER << 4 | power]) + size.to_bytes(1 << power, "big")


# XML


_PIECE = 1 << 16

_FIRST_LINE = lazy_pattern(rb"(\s*)(\S*)(\s*)")

#: The length of a line of base64 in which a tab counts as eight, as macOS writes it.
_LINE = 76


class _XmlList:
    """A property list in XML. Entities are refused, and nothing outside of the file is read."""

    def __init__(self, raw: Window) -> None:
        self._raw = raw

    def value(self, wanted: Collection[str]) -> Value:
        """See `PropertyList.value`."""
        if self._raw.read(0, 2) in {b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<"}:
            _fail("it is in UTF-16", 0)
        builder = _Builder(self._raw, wanted)
        try:
            parse(self._raw.pieces(0, self._raw.size, _PIECE), self._raw.size, builder)
        except NotXml as error:
            _fail(f"not XML: {error}", error.offset)
        return builder.root

    def pieces(self, data: DataSpan) -> Iterator[bytes]:
        """See `PropertyList.pieces`."""
        return decode_base64(self._raw.pieces(data.content, data.end))

    def edits(self, changes: Sequence[tuple[DataSpan, bytes]]) -> Iterator[WindowEdit]:
        """See `PropertyList.edits`. The new text has lines as the old one."""
        for data, new in changes:
            yield WindowEdit(data.content, data.end, self._text(data, new))

    def _text(self, data: DataSpan, new: bytes) -> Iterator[bytes]:
        found = _FIRST_LINE.match(self._raw.read(data.content, 1 << 12))
        first, line, second = found.groups() if found else (b"", b"", b"")
        tail = self._raw.read(max(data.content, data.end - 1024), min(data.size, 1024))
        last = tail[len(tail.rstrip()) :]
        is_one_line = data.content + len(first) + len(line) + len(second) == data.end
        if is_one_line:
            second = first
        if not second:
            yield from encode_base64(new)
            return
        tabs = first.rpartition(b"\n")[2].count(b"\t")
        length = max(_LINE - 8 * tabs, 4) if is_one_line else len(line)
        yield first
        rest = b""
        is_first = True
        for piece in encode_base64(new):
            text = rest + piece
            whole = (len(text) - 1) // length * length  # the last line is not known to be full
            lines = [text[at : at + length] for at in range(0, whole, length)]
            rest = text[whole:]
            if lines:
                yield (b"" if is_first else second) + second.join(lines)
                is_first = False
        yield (b"" if is_first else second) + rest
        yield last


class _Builder:
    """Builds the values from the elements of a property list."""

    def __init__(self, raw: Window, wanted: Collection[str]) -> None:
        self._raw = raw
        self._wanted = wanted
        self.root: Value = None
        self._names: list[str] = []
        self._values: list[dict[str, Value] | list[Value]] = []
        self._keys: list[str] = []
        self._skipped = 0
        self._text: list[str] = []
        self._length = 0
        self._start = 0

    def start(self, name: str, offset: int) -> None:
        """See `ElementHandler.start`."""
        if self._skipped or not self._is_wanted(name):
            self._skipped += 1
            return
        if len(self._names) > _DEEPEST:
            _fail(f"its values are more than {_DEEPEST} deep", offset)
        self._names.append(name)
        self._text.clear()
        self._length = 0
        self._start = offset
        if name in {"dict", "array"}:
            self._values.append({} if name == "dict" else [])
            self._keys.append("")

    def _is_wanted(self, name: str) -> bool:
        parent = self._names[-1] if self._names else ""
        if parent == "dict":
            return name == "key" or self._keys[-1] in self._wanted
        return parent in {"", "plist", "array"}

    def end(self, name: str, offset: int) -> None:
        """See `ElementHandler.end`."""
        if self._skipped:
            self._skipped -= 1
            return
        self._names.pop()
        value: Value = None
        if name in {"dict", "array"}:
            self._keys.pop()
            value = self._values.pop()
        elif name == "data":
            value = self._data(offset)
        elif name in {"string", "key"}:
            value = "".join(self._text) if self._length <= _LONGEST_STRING else ""
        if name == "key":
            if self._keys:
                self._keys[-1] = str(value)
        elif name != "plist":
            self._add(value)

    def _data(self, end: int) -> DataSpan | None:
        # The tag has no attributes, as the DTD says. With one, the span could begin in its value, and be no base64.
        content = self._raw.find(b">", self._start) + 1
        return DataSpan(self._start, content, end) if 0 < content <= end else None

    def _add(self, value: Value) -> None:
        if not self._values:
            self.root = value
        elif isinstance(collection := self._values[-1], dict):
            collection[self._keys[-1]] = value
            self._keys[-1] = ""
        else:
            collection.append(value)

    def text(self, text: str) -> None:
        """See `ElementHandler.text`."""
        if not self._skipped and self._names and self._names[-1] in {"string", "key"}:
            self._length += len(text)
            if self._length <= _LONGEST_STRING:
                self._text.append(text)


def _refuse(*_entity: object) -> NoReturn:
    message = "it declares entities"
    raise ValueError(message)
