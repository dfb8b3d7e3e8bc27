"""Zip archives, the base of EPUB, MAFF and HTZ files. Members are read in order, and changed members are replaced.

The bytes of the archive are copied. Only a changed member's data is replaced, with the CRC, sizes and offsets that
depend on it. The new data is compressed by the member's own method and level. Order, extra fields, comments, data
descriptors, zip64 fields and bytes between members stay. The source must be seekable. Memory holds the directory and
one wanted member. A member's name never becomes the name of a file in the file system.
"""

from __future__ import annotations

import bz2
import io
import itertools
import lzma
import stat
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from struct import Struct
from typing import BinaryIO, NamedTuple, Protocol

from linkfix.containers.formats import ZIP, ZIP_END
from linkfix.containers.part import Allowance, Change, LeaveAlone, Limits, Note, Part, container_problem, ignore_count
from linkfix.containers.pieces import inflate, join_pieces, split_pieces
from linkfix.files.window import Window, WindowEdit
from linkfix.model import Envelope

# The central directory of a zip archive: the offsets of its members, and the fields to update when members move.
#
# Names and section numbers are from APPNOTE.TXT 6.3. A file can contain several directories, such as an older copy of
# the archive before the archive, or an archive as its comment. Python's zipfile, Info-ZIP's unzip and Java's ZipFile
# search for the right directory in different ways. A file is read only if all three find the same directory. Otherwise
# a change that suits one program would damage the archive for another program.


#: The value in place of a number that does not fit. The zip64 extra field contains the number (§4.5.3).
FULL = 0xFFFFFFFF

_RECORD = Struct("<4s6H3L5H2L")  # §4.3.12

_END = Struct("<4s4H2LH")  # §4.3.16

_END_64 = Struct("<4sQ2H2L4Q")  # §4.3.14

_LOCATOR = Struct("<4sLQL")  # §4.3.15

_SIGNATURE = b"PK\1\2"

_END_64_SIGNATURE = b"PK\6\6"

_LOCATOR_SIGNATURE = b"PK\6\7"

_LOCAL_SIGNATURE = b"PK\3\4"

_EXTRA = Struct("<2H")  # §4.5.1

_LONGEST_COMMENT = 0xFFFF

_ZIP64 = 1

#: The maximum size of a directory, in bytes. Directories are kept in memory.
_LARGEST = 1 << 30


class Damage(Exception):
    """Raised for a damaged archive, with detail, offset and a code of `PROBLEMS`. Internal to the containers."""

    def __init__(self, detail: str, offset: int, code: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.offset = offset
        self.code = code


class ZipField(NamedTuple):
    """A little-endian number in a header."""

    at: int
    """The offset of the number."""
    width: int
    """The width in bytes."""
    value: int


class ZipMember(NamedTuple):
    """A member's entry in the directory. The offsets of `ZipField`s are offsets in `Directory.records`."""

    name: str
    """The decoded name, with slashes between folders (§4.4.17)."""
    comment: str
    flags: int
    method: int
    """The compression method (§4.4.5)."""
    crc: int
    compressed: ZipField
    """The compressed size."""
    size: ZipField
    stated: ZipField
    """The offset of the local header as the record states it."""
    offset: int
    """The offset of the local header in the file."""
    record: int
    """The offset of the member's record in `Directory.records`."""
    mode: int
    """The mode of a Unix file, or 0."""

    def raw_name(self, records: bytes) -> bytes:
        """Return the name as it is in `Directory.records`."""
        start = self.record + _RECORD.size
        return records[start : start + int.from_bytes(records[self.record + 28 : self.record + 30], "little")]

    @property
    def is_file(self) -> bool:
        """Whether the member is neither a folder nor a symbolic link."""
        return not self.name.endswith("/") and not stat.S_ISLNK(self.mode)


class Directory(NamedTuple):
    """The central directory of an archive."""

    start: int
    """The directory's offset in the file."""
    records: bytes
    members: list[ZipMember]
    """The members in the order of their offsets."""
    ends: list[ZipField]
    """The offsets in the end records that must change when the directory moves."""
    end: int
    """The offset of the archive's end, after its comment. Other bytes can follow."""


def read_directory(raw: Window, limit: int, *, has_more: bool = False) -> Directory:
    """Read the directory of an archive of at most `limit` members. Raises `Damage`.

    `has_more`: whether other bytes may follow the archive, so that some programs do not find it. It cannot be changed.
    """
    at, count, length, ends, end = _end(raw, has_more=has_more)
    # The directory ends at the start of the end records. The stated offset may exclude bytes before the archive, such
    # as a program that unpacks it.
    start, stated = at - length, ends[0].value
    if start < 0 or stated > start:
        reason = "the central directory lies outside of the file"
        raise Damage(reason, at, "container-damaged")
    if count > limit:
        reason = f"{count:,} members, more than {limit:,}"
        raise Damage(reason, at, "too-many-parts")
    if length > _LARGEST:
        reason = f"a central directory of {length:,} bytes"
        raise Damage(reason, start, "container-damaged")
    records = raw.read(start, length)
    members = list(_members(records, start, start - stated, limit))
    if len(members) & 0xFFFF != count & 0xFFFF:
        reason = f"the central directory has {len(members):,} of {count:,} records"
        raise Damage(reason, start, "container-damaged")
    return Directory(start, records, sorted(members, key=lambda member: member.offset), ends, end)


def _end(raw: Window, *, has_more: bool) -> tuple[int, int, int, list[ZipField], int]:
    """Return the offset of the end records, the number of directory records, their length, `Directory.ends` and
    `Directory.end`. The directory's own offset is the first field of `Directory.ends`.
    """
    size = raw.size
    first = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = raw.read(first, size - first)
    at = tail.rfind(ZIP_END, 0, max(0, len(tail) - _END.size + len(ZIP_END)))
    if at < 0:
        reason = "no end of the central directory: the archive is cut off, or the file is not an archive"
        raise Damage(reason, size, "container-damaged")
    end = first + at
    _, disk, _, _, count, length, offset, comment = _END.unpack_from(tail, at)
    if disk not in {0, 0xFFFF}:
        reason = "one part of an archive in several files"
        raise Damage(reason, end, "container-damaged")
    field = ZipField(end + 16, 4, offset)
    wide = _end_64(raw, end, (count, length, offset))
    if wide is None:
        found = end, count, length, [field]
    else:
        place, (count, length, offset) = wide
        narrow = [] if field.value == FULL else [field]
        found = place, count, length, [ZipField(place + 48, 8, offset), ZipField(end - 12, 8, place), *narrow]
    # unzip uses the last signature that a record follows. zipfile uses the last signature, unless the file ends with a
    # record without a comment.
    is_last = tail.rfind(ZIP_END) == at or (end + _END.size == size and not comment)
    # Java uses the last record whose comment ends with the file. It also accepts a shorter comment, if the numbers of
    # the record lead to the directory and the first local header.
    rest = size - end - _END.size - comment
    starts = ((_SIGNATURE, end - length), (_LOCAL_SIGNATURE, end - length - offset))
    is_led = all(start >= 0 and raw.read(start, 4) == signature for signature, start in starts)
    leads = rest > 0 and wide is None and is_led
    if not is_last or not (leads or has_more or not rest):
        reason = "zip programs find the end of its central directory in different places"
        raise Damage(reason, end, "container-damaged")
    return *found, size - rest


def _end_64(raw: Window, end: int, narrow: tuple[int, int, int]) -> tuple[int, tuple[int, int, int]] | None:
    """Return the offset of the zip64 end record, and its number of records, their length and offset; None if the
    archive has no zip64 end record.

    Raises `Damage` if not all programs find it. zipfile expects it before the locator, Java at the offset that the
    locator states. Java also requires that the numbers of the end record are full or equal.

    `narrow`: the numbers of the end record at offset `end`.
    """
    if end < _LOCATOR.size:
        return None
    signature, disk, stated, disks = _LOCATOR.unpack(raw.read(end - _LOCATOR.size, _LOCATOR.size))
    if signature != _LOCATOR_SIGNATURE:
        return None
    place = end - _LOCATOR.size - _END_64.size
    record = raw.read(place, _END_64.size) if stated == place else b""
    if not record.startswith(_END_64_SIGNATURE) or disk or disks != 1:
        reason = "no zip64 end of the central directory where its locator says"
        raise Damage(reason, end, "container-damaged")
    _, size, _, _, _, _, _, count, length, offset = _END_64.unpack(record)
    values = (count, length, offset)
    full = (0xFFFF, FULL, FULL)
    agree = all(one in {value, most} for one, value, most in zip(narrow, values, full, strict=True))
    if not agree or size != _END_64.size - 12 or offset + length != place:
        reason = "the zip64 end of the central directory contradicts the end record"
        raise Damage(reason, place, "container-damaged")
    return place, values


def _members(records: bytes, start: int, moved: int, limit: int) -> Iterator[ZipMember]:
    at = found = 0
    while at + _RECORD.size <= len(records) and records.startswith(_SIGNATURE, at) and found < limit:
        values = _RECORD.unpack_from(records, at)
        _, _, _, flags, method, _, _, crc, compressed, size, names, extras, comments, _, _, mode, offset = values
        name_end = at + _RECORD.size + names
        end = name_end + extras + comments
        if end > len(records):
            reason = "a record of the central directory is cut off"
            raise Damage(reason, start + at, "container-damaged")
        narrow = [ZipField(at + 24, 4, size), ZipField(at + 20, 4, compressed), ZipField(at + 42, 4, offset)]
        fields = resolve_zip64(records, name_end, name_end + extras, narrow)
        yield ZipMember(
            _decode(records[at + _RECORD.size : name_end]).replace("\\", "/"),
            _decode(records[name_end + extras : end]),
            flags,
            method,
            crc,
            fields[1],
            fields[0],
            fields[2],
            fields[2].value + moved,
            at,
            mode >> 16,
        )
        found += 1
        at = end
    if at != len(records):
        reason = "the central directory does not end where its end records start"
        raise Damage(reason, start + at, "container-damaged")


def resolve_zip64(data: bytes, start: int, end: int, narrow: Sequence[ZipField]) -> list[ZipField]:
    """Replace each full field by its value in the zip64 extra field, which contains them in this order (§4.5.3)."""
    place, last = _zip64(data, start, end)
    fields = []
    for field in narrow:
        if field.value == FULL and place + 8 <= last:
            fields.append(ZipField(place, 8, int.from_bytes(data[place : place + 8], "little")))
            place += 8
        else:
            fields.append(field)
    return fields


def _zip64(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the span of the zip64 extra field's content; (0, 0) if the field does not exist."""
    while start + 4 <= end:
        kind, length = _EXTRA.unpack_from(data, start)
        if kind == _ZIP64:
            return start + 4, min(start + 4 + length, end)
        start += 4 + length
    return 0, 0


def _decode(raw: bytes) -> str:
    """Decode a name or comment: as UTF-8 if valid, whatever the flag (§4.4.4), else as code page 437."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp437")


# The compression methods of zip archives (APPNOTE.TXT 6.3). Data is decompressed in pieces.


_LZMA_END_MARKER = 0x2

#: The maximum number of bytes of memory that a member's LZMA parameters may request.
_LZMA_MEMORY = 1 << 28

_PIECE = 1 << 20


class CompressionMethod(NamedTuple):
    """A compression method."""

    unpack: Callable[[Iterator[bytes], ZipMember], Iterator[bytes]]
    """`unpack(raw, member)` decompresses a member's bytes, in pieces."""
    pack: Callable[[bytes, int], bytes]
    """`pack(data, flags)` compresses data."""
    flags: int = 0
    """Flags that are set on members compressed by this method."""


#: The exceptions that decompression raises for invalid data.
DECOMPRESSION_ERRORS: tuple[type[Exception], ...] = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)

#: zlib's level for each value of bits 1 and 2, the compression option of Deflate (§4.4.4).
_LEVELS = (6, 9, 1, 1)

#: §5.8.8: the version of the LZMA SDK, and the number of bytes of properties that follow.
_LZMA_HEADER = b"\x09\x14\x05\x00"


def _unpack(decompressor: bz2.BZ2Decompressor | lzma.LZMADecompressor, raw: Iterable[bytes]) -> Iterator[bytes]:
    for piece in raw:
        yield decompressor.decompress(piece, _PIECE)
        while not decompressor.needs_input and not decompressor.eof:
            yield decompressor.decompress(b"", _PIECE)
        if decompressor.eof:
            if decompressor.unused_data or next(iter(raw), b""):
                message = "more bytes follow its end"
                raise ValueError(message)
            return


def _deflate(data: bytes, flags: int) -> bytes:
    compressor = zlib.compressobj(_LEVELS[flags >> 1 & 3], zlib.DEFLATED, -zlib.MAX_WBITS)
    out = io.BytesIO()
    out.writelines(map(compressor.compress, split_pieces(data)))
    out.write(compressor.flush())
    return out.getvalue()


def _unlzma(raw: Iterator[bytes], member: ZipMember) -> Iterator[bytes]:
    known = b"\xff" * 8 if member.flags & _LZMA_END_MARKER else member.size.value.to_bytes(8, "little")
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_LZMA_MEMORY)
    head = next(raw, b"")
    return _unpack(decompressor, itertools.chain([head[4:9] + known + head[9:]], raw))


def _lzma(data: bytes, _flags: int) -> bytes:
    alone = lzma.compress(data, lzma.FORMAT_ALONE)
    return _LZMA_HEADER + alone[:5] + alone[13:]


#: The compression methods, by number (APPNOTE §4.4.5).
COMPRESSION_METHODS: dict[int, CompressionMethod] = {
    0: CompressionMethod(lambda raw, _member: raw, lambda data, _flags: data),
    8: CompressionMethod(lambda raw, _member: inflate(raw, -zlib.MAX_WBITS), _deflate),
    12: CompressionMethod(
        lambda raw, _member: _unpack(bz2.BZ2Decompressor(), raw), lambda data, _flags: bz2.compress(data)
    ),
    14: CompressionMethod(_unlzma, _lzma, _LZMA_END_MARKER),
}


_HEADER = 30

_ENCRYPTED = 0x2041  # §4.4.4: bits 0, 6 and 13

_DESCRIPTOR = 0x8

_PATCH = 0x20

#: The number of bytes that are fed to a decompressor at a time, and the number that determine a member's type.
_FED = 1 << 16


class Describe(Protocol):
    """Describes the members of one archive."""

    def __call__(self, member: ZipMember, head: bytes) -> tuple[str, Envelope] | None:
        """Return the media type and the envelope of a member; None if the member must be left alone.

        `head`: the first bytes of the member's data: at least `_FED` bytes, or all of a smaller member.
        """


#: The function that a format defines. It examines the whole archive, with the archive's envelope, and returns the
#: function that describes its members.
Describer = Callable[["Archive", Envelope], Describe]


class _MemberSpan(NamedTuple):
    """The offsets of a member in the file, by its local header."""

    header: bytes
    """The local header, which ends at `data`."""
    data: int
    """The offset of the compressed data."""
    data_end: int
    """The offset of the end of the compressed data."""
    end: int
    """The offset of the end of the member, after its data descriptor."""
    fields: list[ZipField]
    """Size, compressed size and CRC, at offsets in `header`."""
    descriptor: tuple[bytes, int] | None
    """The layout of the data descriptor, one of `_LAYOUTS`; None if there is no data descriptor."""


class Archive:
    """An archive that is read in order. `note`: called with each problem, once for each member."""

    def __init__(self, source: BinaryIO, note: Note, limits: Limits, *, has_more: bool = False) -> None:
        """`has_more`: see `read_directory`."""
        self.note = note
        self._raw = Window(source)
        self._allowance = Allowance(limits, self._raw.size)
        try:
            self._directory = read_directory(self._raw, limits.parts, has_more=has_more)
        except Damage as damage:
            self._directory = Directory(0, b"", [], [], 0)
            self._report(damage.code, damage.detail, damage.offset)
        self.members: list[ZipMember] = self._directory.members
        starts = [member.offset for member in self.members]
        self._next = [min(start, self._directory.start) for start in [*starts[1:], self._directory.start]]
        self._numbers = {member.name: number for number, member in enumerate(self.members)}
        self.files: frozenset[str] = frozenset(member.name for member in self.members if member.is_file)

    def read(self, name: str, limit: int) -> bytes | None:
        """Return the data of the member with this name; None if it does not exist, cannot be read, or has more than
        `limit` bytes. If several members have the name, the last one is read.
        """
        found = self.stored(name)
        if found is None:
            return None
        try:
            data = join_pieces(found[1], limit)
        except Damage:
            return None
        if data is None:
            offset = self.members[self._numbers[name]].offset
            self._report("part-too-large", f"{name!r} is not read: more than {limit:,} bytes", offset)
        return data

    def stored(self, name: str) -> tuple[int, Iterator[bytes]] | None:
        """Return the stored size of a file, and its data in pieces, which raise `Damage`; None if there is no such
        file. If several files have the name, the last one is read.
        """
        if name not in self.files:
            return None
        number = self._numbers[name]
        member = self.members[number]

        def pieces() -> Iterator[bytes]:
            yield from self._pieces(member, self._span(number))

        return member.compressed.value, pieces()

    def parts(self, describe: Describe) -> Iterator[Part]:
        """Yield the members that are files and can be read."""
        for member, span in self._entries():
            part = self._part(member, span, describe, lambda _: True)
            if part is not None:
                yield part

    def copy(
        self,
        out: BinaryIO,
        describe: Describe,
        wanted: Callable[[str], bool],
        change: Change,
        leave_alone: LeaveAlone,
    ) -> None:
        """Write the archive, with the new data that `change` returns for members of a wanted media type."""
        out.writelines(self._raw.edited(self._edits(describe, wanted, change, leave_alone)))

    def _edits(
        self, describe: Describe, wanted: Callable[[str], bool], change: Change, leave_alone: LeaveAlone
    ) -> Iterator[WindowEdit]:
        directory = bytearray(self._directory.records)
        shift = 0
        room = self._room()
        for member, span in self._entries():
            _write_number(directory, member.stated, member.stated.value + shift)
            part = self._part(member, span, describe, wanted)
            new = None if part is None else change(part)
            del part  # free the old data
            if span is None or new is None:
                continue
            codec = COMPRESSION_METHODS[member.method]
            packed = codec.pack(new, member.flags)
            grown = len(packed) - (span.data_end - span.data)
            fields = [member.size, member.compressed, *span.fields[:2]]
            if grown > room or max(len(new), len(packed)) >= (1 << 8 * min(field.width for field in fields)) - 1:
                self.note(
                    container_problem("part-too-large", member.offset, f"{member.name!r} does not fit without zip64")
                )
                leave_alone(1)
                continue
            values = (len(new), len(packed), zlib.crc32(new))
            descriptor = _descriptor(values, *span.descriptor) if span.descriptor else b""
            yield WindowEdit(member.offset, span.end, (_header(span, values, codec.flags), packed, descriptor))
            for field, value in zip(
                (member.size, member.compressed, ZipField(member.record + 16, 4, 0)), values, strict=True
            ):
                _write_number(directory, field, value)
            _write_number(directory, ZipField(member.record + 8, 2, 0), member.flags | codec.flags)
            shift += grown
            room -= grown
        if self._directory.records:
            yield WindowEdit(self._directory.start, self._directory.start + len(directory), (bytes(directory),))
            for field in sorted(self._directory.ends):
                new = (field.value + shift).to_bytes(field.width, "little")
                yield WindowEdit(field.at, field.at + field.width, (new,))

    def _room(self) -> int:
        """Return the number of bytes by which the archive can grow before an offset does not fit its field."""
        fields = [*(member.stated for member in self.members), *self._directory.ends]
        return min(((1 << 8 * field.width) - 2 - field.value for field in fields), default=0)

    def _entries(self) -> Iterator[tuple[ZipMember, _MemberSpan | None]]:
        """Yield all members with their spans. The span of a member that cannot be read is None."""
        seen: set[str] = set()
        reach = 0
        for number, member in enumerate(self.members):
            span = None
            if member.offset < reach:
                self._report("part-damaged", f"{member.name!r} overlaps another member", member.offset)
            else:
                try:
                    span = self._span(number)
                except Damage as damage:
                    self._report(damage.code, damage.detail, damage.offset)
            reach = max(reach, span.end if span else member.offset + _HEADER + member.compressed.value)
            if member.name in seen:
                self._report("part-name-repeated", repr(member.name), member.offset)
            seen.add(member.name)
            yield member, span

    def _report(self, code: str, detail: str, offset: int) -> None:
        self.note(container_problem(code, offset, detail))

    def _span(self, number: int) -> _MemberSpan:
        """Read a member's local header. Raises `Damage` if the header contradicts the directory."""
        member = self.members[number]
        fixed = self._raw.read(member.offset, _HEADER) if member.offset >= 0 else b""
        if len(fixed) < _HEADER or not fixed.startswith(ZIP):
            reason = f"no local header of {member.name!r} where the directory says"
            raise Damage(reason, member.offset, "part-damaged")
        names, extras = _read_number(fixed, 26), _read_number(fixed, 28)
        data = member.offset + _HEADER + names + extras
        data_end = data + member.compressed.value
        if data_end > self._next[number]:
            reason = f"{member.name!r} overlaps what follows it"
            raise Damage(reason, member.offset, "part-damaged")
        flags = member.flags | _read_number(fixed, 6)
        if flags & _ENCRYPTED:
            raise Damage(repr(member.name), member.offset, "part-encrypted")
        if flags & _PATCH:
            reason = f"{member.name!r} is a patch of another file"
            raise Damage(reason, member.offset, "part-encoding")
        header = fixed + self._raw.read(member.offset + _HEADER, names + extras)
        narrow = [ZipField(at, 4, int.from_bytes(header[at : at + 4], "little")) for at in (22, 18, 14)]
        fields = [*resolve_zip64(header, _HEADER + names, len(header), narrow[:2]), narrow[2]]
        values = (member.size.value, member.compressed.value, member.crc)
        has_descriptor = bool(_read_number(header, 6) & _DESCRIPTOR)
        pairs = zip(fields, values, strict=True)
        agree = all(field.value == value or (has_descriptor and not field.value) for field, value in pairs)
        is_named = header[_HEADER : _HEADER + names] == member.raw_name(self._directory.records)
        if not agree or not is_named or _read_number(header, 8) != member.method:
            reason = f"the local header of {member.name!r} contradicts the directory"
            raise Damage(reason, member.offset, "part-damaged")
        layout = None
        if has_descriptor:
            after = self._raw.read(data_end, min(24, self._next[number] - data_end))
            layouts = [one for one in _LAYOUTS if max(values[:2]) < 1 << 8 * one[1]]
            layouts.sort(key=lambda one: one[1] != fields[0].width)
            layout = next((one for one in layouts if after.startswith(_descriptor(values, *one))), None)
            if layout is None:
                reason = f"the data descriptor of {member.name!r} contradicts the directory"
                raise Damage(reason, member.offset, "part-damaged")
        end = data_end + (len(_descriptor(values, *layout)) if layout else 0)
        return _MemberSpan(header, data, data_end, end, fields, layout)

    def _part(
        self, member: ZipMember, span: _MemberSpan | None, describe: Describe, wanted: Callable[[str], bool]
    ) -> Part | None:
        """Return a member as a part; None if it cannot be read or is not wanted. The data of unwanted members is also
        checked.
        """
        if span is None or not member.is_file or self._allowance.is_spent:
            return None
        size, packed = member.size.value, member.compressed.value
        pieces = self._pieces(member, span)
        try:
            head = b""
            while len(head) < _FED and (piece := next(pieces, b"")):
                head += piece
            known = describe(member, head)
            fits = size <= self._allowance.limit(packed)
            if known is None or not wanted(known[0]):
                deque(pieces if fits else (), maxlen=0)
                return None
            if fits:
                data = join_pieces(itertools.chain([head], pieces), size) or b""
                self._allowance.spend(size)
                return Part(member.name, data, *known, files=self.files)
            reached = self._allowance.reached(packed)
            self._report(reached.code, f"{member.name!r} has {size:,} bytes: {reached.detail}", member.offset)
        except Damage as damage:
            self._report(damage.code, damage.detail, damage.offset)
        return None

    def _pieces(self, member: ZipMember, span: _MemberSpan) -> Iterator[bytes]:
        """Yield a member's data in pieces, decompressed and checked. Raises `Damage`."""
        method = COMPRESSION_METHODS.get(member.method)
        name = repr(member.name)
        if method is None:
            reason = f"{name}, compression method {member.method}"
            raise Damage(reason, member.offset, "part-encoding")
        size = crc = 0
        try:
            for piece in method.unpack(self._raw.pieces(span.data, span.data_end, _FED), member):
                size += len(piece)
                if size > member.size.value:
                    break
                crc = zlib.crc32(piece, crc)
                yield piece
        except DECOMPRESSION_ERRORS as error:
            reason = f"{name} does not decompress: {error}"
            raise Damage(reason, span.data, "part-damaged") from None
        if size != member.size.value or crc != member.crc:
            reason = f"{name} does not have the CRC and size in the directory"
            raise Damage(reason, span.data, "part-damaged")


def parts(
    source: BinaryIO, envelope: Envelope, note: Note, limits: Limits, describer: Describer, *, has_more: bool = False
) -> Iterator[Part]:
    """`Container.parts` for a format with this `describer`. `has_more`: see `read_directory`."""
    archive = Archive(source, note, limits, has_more=has_more)
    return archive.parts(describer(archive, envelope))


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    describer: Describer,
    *,
    leave_alone: LeaveAlone = ignore_count,
) -> None:
    """`Container.rewrite` for a format with this `describer`."""
    archive = Archive(source, note, limits)
    archive.copy(out, describer(archive, envelope), limits.media_types.__contains__, change, leave_alone)


def _read_number(data: bytes | bytearray, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def _write_number(data: bytearray, field: ZipField, value: int) -> None:
    data[field.at : field.at + field.width] = value.to_bytes(field.width, "little")


#: §4.3.9: the layouts of data descriptors: the signature, which is optional, and the width of the sizes (8 in zip64).
_LAYOUTS = [(signature, width) for signature in (b"PK\7\x08", b"") for width in (4, 8)]


def _descriptor(values: tuple[int, int, int], signature: bytes, width: int) -> bytes:
    size, compressed, crc = values
    numbers = ((crc, 4), (compressed, width), (size, width))
    return signature + b"".join(value.to_bytes(room, "little") for value, room in numbers)


def _header(span: _MemberSpan, values: tuple[int, int, int], flags: int) -> bytes:
    """Return the local header for new values. Values that it leaves to the data descriptor stay 0."""
    header = bytearray(span.header)
    for field, value in zip(span.fields, values, strict=True):
        if field.value or not span.descriptor:
            _write_number(header, field, value)
    _write_number(header, ZipField(6, 2, 0), _read_number(header, 6) | flags)
    return bytes(header)
