"""Zip archives as containers: members read one by one, and written so that only changed ones differ.

The archive's bytes are copied, and what a changed member needs is replaced in them: its data, compressed by the method
and level that it had, and the CRC, sizes and offsets that say so. Order, extra fields, comments, data descriptors,
zip64 fields and what lies between members stay. The source must be seekable; memory holds the directory and one
member. Names are only names here: nothing is written to a file system.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol

from linkfix.containers.common import container_problem
from linkfix.containers.part import Change, Limits, Note, Part
from linkfix.containers.zip_directory import Damage, Directory, ZipField, ZipMember, read_directory, widen
from linkfix.model import Envelope

__all__ = ["Archive", "Describe", "Describer", "ZipMember", "is_zip", "parts", "rewrite"]

#: How a local header begins (APPNOTE §4.3.7), and an archive that has members.
MAGIC = b"PK\3\4"
_HEADER = 30
_ENCRYPTED = 0x2041  # §4.4.4: bits 0, 6 and 13
_DESCRIPTOR = 0x8
_LZMA_END_MARKER = 0x2
#: Deflate makes nothing smaller than by 1,032 to 1; what claims more is a bomb.
_RATIO = 1100
#: Bytes of memory that a member's own LZMA parameters may ask for.
_LZMA_MEMORY = 1 << 28
_CHUNK = 1 << 20


class Describe(Protocol):
    """Tells what is known of a member with some data: its media type and its envelope; None for one to leave alone."""

    def __call__(self, member: ZipMember, data: bytes) -> tuple[str, Envelope] | None:
        """What is known of it."""


#: What an archive's kind adds: looks at the archive as a whole, and describes its members.
Describer = Callable[["Archive", Envelope], Describe]


class _MemberSpan(NamedTuple):
    """Where a member is: its header, which ends at `data`; its compressed data, which ends at `data_end`; its end.

    `fields`: size, compressed size and CRC as the header states them. `descriptor`: how the data descriptor is laid
    out (see `_LAYOUTS`), None without one.
    """

    header: bytes
    data: int
    data_end: int
    end: int
    fields: list[ZipField]
    descriptor: tuple[bytes, int] | None


class Archive:
    """An archive that is read in order. What is wrong with it is told to `note`, once for each member."""

    def __init__(self, source: BinaryIO, note: Note, limits: Limits) -> None:
        self.note = note
        self._source = source
        self._limits = limits
        try:
            self._directory = read_directory(source, limits.parts)
        except Damage as damage:
            self._directory = Directory(0, b"", [], [])
            note(container_problem(damage.code, damage.offset, damage.detail))
        self.members = self._directory.members
        starts = [member.offset for member in self.members]
        self._next = [min(start, self._directory.start) for start in [*starts[1:], self._directory.start]]
        self._named = {member.name: number for number, member in enumerate(self.members)}
        self.files = frozenset(member.name for member in self.members if member.is_file)

    def read(self, name: str) -> bytes | None:
        """The data of the member with a name, the last of several; None without one, or for one that is unreadable."""
        number = self._named.get(name)
        if number is None:
            return None
        try:
            return self._data(self.members[number], self._place(number))
        except Damage:
            return None

    def entries(self) -> Iterator[tuple[ZipMember, bytes]]:
        """The members that are files and can be read, with their data."""
        return ((member, data) for member, _place, data in self._entries() if data is not None)

    def copy(self, out: BinaryIO, change: Callable[[ZipMember, bytes], bytes | None]) -> None:
        """Write the archive, with new data for the members that `change` gives them for."""
        copier = _Copier(self._source, out)
        directory = bytearray(self._directory.records)
        shift = 0
        room = self._room()
        for member, place, data in self._entries():
            _put(directory, member.stated, member.stated.value + shift)
            new = None if data is None else change(member, data)
            if place is None or new is None:
                continue
            codec = _COMPRESSION_METHODS[member.method]
            packed = codec.pack(new, member.flags)
            grown = len(packed) - (place.data_end - place.data)
            fields = [member.size, member.compressed, *place.fields[:2]]
            if grown > room or max(len(new), len(packed)) >= (1 << 8 * min(field.width for field in fields)) - 1:
                self.note(
                    container_problem("part-too-large", member.offset, f"{member.name!r} does not fit without zip64")
                )
                continue
            values = (len(new), len(packed), zlib.crc32(new))
            copier.upto(member.offset)
            copier.replace(_header(place, values, codec.flags), place.data)
            copier.replace(packed, place.data_end)
            copier.replace(_descriptor(values, *place.descriptor) if place.descriptor else b"", place.end)
            for field, value in zip(
                (member.size, member.compressed, ZipField(member.record + 16, 4, 0)), values, strict=True
            ):
                _put(directory, field, value)
            _put(directory, ZipField(member.record + 8, 2, 0), member.flags | codec.flags)
            shift += grown
            room -= grown
        if self._directory.records:
            copier.upto(self._directory.start)
            copier.replace(bytes(directory), self._directory.start + len(directory))
            for field in sorted(self._directory.ends):
                copier.upto(field.at)
                copier.replace((field.value + shift).to_bytes(field.width, "little"), field.at + field.width)
        copier.rest()

    def _room(self) -> int:
        """By how many bytes the archive can grow before an offset does not fit its field."""
        fields = [*(member.stated for member in self.members), *self._directory.ends]
        return min(((1 << 8 * field.width) - 2 - field.value for field in fields), default=0)

    def _entries(self) -> Iterator[tuple[ZipMember, _MemberSpan | None, bytes | None]]:
        """All members; without data for folders and those that cannot be read."""
        seen: set[str] = set()
        reach = 0
        for number, member in enumerate(self.members):
            if member.offset < reach:
                self.note(container_problem("part-damaged", member.offset, f"{member.name!r} overlaps another member"))
                place, data = None, None
            else:
                place, data = self._entry(number)
            reach = max(reach, place.end if place else member.offset + _HEADER + member.compressed.value)
            if member.name in seen:
                self.note(container_problem("part-name-repeated", member.offset, repr(member.name)))
            seen.add(member.name)
            yield member, place, data

    def _entry(self, number: int) -> tuple[_MemberSpan | None, bytes | None]:
        place = None
        try:
            place = self._place(number)
            return place, self._data(self.members[number], place) if self.members[number].is_file else None
        except Damage as damage:
            self.note(container_problem(damage.code, damage.offset, damage.detail))
            return place, None

    def _at(self, start: int, end: int) -> bytes:
        self._source.seek(start)
        return self._source.read(max(0, end - start))

    def _place(self, number: int) -> _MemberSpan:
        """Read a member's local header. Raises `Damage` where it does not agree with the directory."""
        member = self.members[number]
        fixed = self._at(member.offset, member.offset + _HEADER) if member.offset >= 0 else b""
        if len(fixed) < _HEADER or not fixed.startswith(MAGIC):
            reason = f"no local header of {member.name!r} where the directory says"
            raise Damage(reason, member.offset, "part-damaged")
        names, extras = _number(fixed, 26), _number(fixed, 28)
        data = member.offset + _HEADER + names + extras
        data_end = data + member.compressed.value
        if data_end > self._next[number]:
            reason = f"{member.name!r} overlaps what follows it"
            raise Damage(reason, member.offset, "part-damaged")
        header = fixed + self._at(member.offset + _HEADER, data)
        narrow = [ZipField(at, 4, int.from_bytes(header[at : at + 4], "little")) for at in (22, 18, 14)]
        fields = [*widen(header, _HEADER + names, len(header), narrow[:2]), narrow[2]]
        values = (member.size.value, member.compressed.value, member.crc)
        has_descriptor = bool(_number(header, 6) & _DESCRIPTOR)
        pairs = zip(fields, values, strict=True)
        agree = all(field.value == value or (has_descriptor and not field.value) for field, value in pairs)
        if not agree or _number(header, 8) != member.method:
            reason = f"the local header of {member.name!r} says otherwise than the directory"
            raise Damage(reason, member.offset, "part-damaged")
        layout = None
        if has_descriptor:
            after = self._at(data_end, min(data_end + 24, self._next[number]))
            layouts = [one for one in _LAYOUTS if max(values[:2]) < 1 << 8 * one[1]]
            layouts.sort(key=lambda one: one[1] != fields[0].width)
            layout = next((one for one in layouts if after.startswith(_descriptor(values, *one))), None)
            if layout is None:
                reason = f"the data descriptor of {member.name!r} says otherwise than the directory"
                raise Damage(reason, member.offset, "part-damaged")
        end = data_end + (len(_descriptor(values, *layout)) if layout else 0)
        return _MemberSpan(header, data, data_end, end, fields, layout)

    def _data(self, member: ZipMember, place: _MemberSpan) -> bytes:
        """A member's data, decompressed and checked. Raises `Damage`."""
        codec = _COMPRESSION_METHODS.get(member.method)
        name, size, packed = repr(member.name), member.size.value, member.compressed.value
        if member.flags & _ENCRYPTED:
            raise Damage(name, member.offset, "part-encrypted")
        if codec is None:
            reason = f"{name}, compression method {member.method}"
            raise Damage(reason, member.offset, "part-encoding")
        if size > self._limits.part or packed > self._limits.part or size > _RATIO * packed:
            reason = f"{name} has {size:,} bytes, compressed to {packed:,}"
            raise Damage(reason, member.offset, "part-too-large")
        try:
            data = codec.unpack(self._at(place.data, place.data_end), size, member.flags)
        except _DECOMPRESSION_ERRORS as error:
            reason = f"{name} does not decompress: {error}"
            raise Damage(reason, place.data, "part-damaged") from None
        if len(data) != size or zlib.crc32(data) != member.crc:
            reason = f"{name} has not the CRC and size that the directory states"
            raise Damage(reason, place.data, "part-damaged")
        return data


class _Copier:
    """Copies a stream from its start, but for what is replaced in it."""

    def __init__(self, source: BinaryIO, out: BinaryIO) -> None:
        self._source = source
        self._out = out
        self._position = 0

    def upto(self, end: int) -> None:
        """Copy what comes before `end`."""
        self._source.seek(self._position)
        while self._position < end and (chunk := self._source.read(min(_CHUNK, end - self._position))):
            self._out.write(chunk)
            self._position += len(chunk)

    def replace(self, data: bytes, end: int) -> None:
        """Write `data` in place of what is up to `end`."""
        self._out.write(data)
        self._position = end

    def rest(self) -> None:
        """Copy what is left."""
        self._source.seek(self._position)
        while chunk := self._source.read(_CHUNK):
            self._out.write(chunk)


def is_zip(head: bytes) -> bool:
    """Whether a file begins as an archive with members does."""
    return head.startswith(MAGIC)


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits, describer: Describer) -> Iterator[Part]:
    """The members of an archive as `describer` tells of them, in the order of the file."""
    archive = Archive(source, note, limits)
    describe = describer(archive, envelope)
    for member, data in archive.entries():
        part = _part(describe, member, data)
        if part is not None:
            yield part


def rewrite(  # noqa: PLR0913, PLR0917 - what it takes to go through it once
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    describer: Describer,
) -> None:
    """Copy an archive, with the parts that `change` changes; see `Container.rewrite`."""
    archive = Archive(source, note, limits)
    describe = describer(archive, envelope)

    def changed(member: ZipMember, data: bytes) -> bytes | None:
        part = _part(describe, member, data)
        return None if part is None else change(part)

    archive.copy(out, changed)


def _part(describe: Describe, member: ZipMember, data: bytes) -> Part | None:
    known = describe(member, data)
    return None if known is None else Part(member.name, data, *known)


def _number(data: bytes | bytearray, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def _put(data: bytearray, field: ZipField, value: int) -> None:
    data[field.at : field.at + field.width] = value.to_bytes(field.width, "little")


#: §4.3.9: a data descriptor's signature, which is optional, and the width of its sizes, which is 8 in zip64.
_LAYOUTS = [(signature, width) for signature in (b"PK\7\x08", b"") for width in (4, 8)]


def _descriptor(values: tuple[int, int, int], signature: bytes, width: int) -> bytes:
    size, compressed, crc = values
    numbers = ((crc, 4), (compressed, width), (size, width))
    return signature + b"".join(value.to_bytes(room, "little") for value, room in numbers)


def _header(place: _MemberSpan, values: tuple[int, int, int], flags: int) -> bytes:
    """The local header for new values; what it left to the data descriptor stays so."""
    header = bytearray(place.header)
    for field, value in zip(place.fields, values, strict=True):
        if field.value or not place.descriptor:
            _put(header, field, value)
    _put(header, ZipField(6, 2, 0), _number(header, 6) | flags)
    return bytes(header)


class _CompressionMethod(NamedTuple):
    """A compression method: `unpack(raw, size, flags)` makes `size` + 1 bytes at most; `pack(data, flags)` compresses
    for a member whose flags get `flags` too.
    """

    unpack: Callable[[bytes, int, int], bytes]
    pack: Callable[[bytes, int], bytes]
    flags: int = 0


_DECOMPRESSION_ERRORS = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)
#: §4.4.4: bits 1 and 2, how hard Deflate tried -> zlib's level.
_LEVELS = (6, 9, 1, 1)
#: §5.8.8: the version of the LZMA SDK, and how many bytes of properties follow.
_LZMA_HEADER = b"\x09\x14\x05\x00"


def _all(decompressor: bz2.BZ2Decompressor | lzma.LZMADecompressor, raw: bytes, size: int) -> bytes:
    chunks = [decompressor.decompress(raw, size + 1)]
    left = size + 1 - len(chunks[0])
    while left > 0 and chunks[-1] and not decompressor.eof:
        chunks.append(decompressor.decompress(b"", left))
        left -= len(chunks[-1])
    return b"".join(chunks)


def _inflate(raw: bytes, size: int, _flags: int) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, size + 1)


def _deflate(data: bytes, flags: int) -> bytes:
    compressor = zlib.compressobj(_LEVELS[flags >> 1 & 3], zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def _unlzma(raw: bytes, size: int, flags: int) -> bytes:
    known = b"\xff" * 8 if flags & _LZMA_END_MARKER else size.to_bytes(8, "little")
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_LZMA_MEMORY)
    return _all(decompressor, raw[4:9] + known + raw[9:], size)


def _lzma(data: bytes, _flags: int) -> bytes:
    alone = lzma.compress(data, lzma.FORMAT_ALONE)
    return _LZMA_HEADER + alone[:5] + alone[13:]


#: APPNOTE §4.4.5.
_COMPRESSION_METHODS = {
    0: _CompressionMethod(lambda raw, _size, _flags: raw, lambda data, _flags: data),
    8: _CompressionMethod(_inflate, _deflate),
    12: _CompressionMethod(
        lambda raw, size, _flags: _all(bz2.BZ2Decompressor(), raw, size), lambda data, _flags: bz2.compress(data)
    ),
    14: _CompressionMethod(_unlzma, _lzma, _LZMA_END_MARKER),
}
