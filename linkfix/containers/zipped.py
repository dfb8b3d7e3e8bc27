"""Zip archives: what EPUB, MAFF and HTZ files have in common. Members are read in order, and changed ones replaced.

The archive's bytes are copied, except for a changed member's data, compressed by the method and level that it had, and
the CRC, sizes and offsets that depend on it. Order, extra fields, comments, data descriptors, zip64 fields and what is
between members stay. The source must be seekable; memory holds the directory and one member that is wanted.
Nothing is written to the file system by a member's name.
"""

from __future__ import annotations

import itertools
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol

from linkfix.containers.allowance import Allowance
from linkfix.containers.common import container_problem
from linkfix.containers.formats import ZIP
from linkfix.containers.part import Change, LeaveAlone, Limits, Note, Part, ignore_count
from linkfix.containers.pieces import join_pieces
from linkfix.containers.zip_directory import Damage, Directory, ZipField, ZipMember, read_directory, resolve_zip64
from linkfix.containers.zip_methods import COMPRESSION_METHODS, DECOMPRESSION_ERRORS
from linkfix.model import Envelope

__all__ = ["Archive", "Describe", "Describer", "ZipMember", "parts", "rewrite"]

_HEADER = 30
_ENCRYPTED = 0x2041  # §4.4.4: bits 0, 6 and 13
_DESCRIPTOR = 0x8
_PATCH = 0x20
_CHUNK = 1 << 20
#: How many bytes are fed to a decompressor at a time, and how many tell what a member is.
_FED = 1 << 16


class Describe(Protocol):
    """Describes the members of one archive."""

    def __call__(self, member: ZipMember, head: bytes) -> tuple[str, Envelope] | None:
        """The media type and the envelope of a member; None for one to leave alone.

        `head`: its first bytes, `_FED` of them or more.
        """


#: What a format adds: it looks at the archive as a whole, with the archive's envelope, and describes its members.
Describer = Callable[["Archive", Envelope], Describe]


class _MemberSpan(NamedTuple):
    """Where a member is in the file, by its local header."""

    header: bytes
    """The local header, which ends at `data`."""
    data: int
    """The offset of the compressed data."""
    data_end: int
    """The end of the compressed data."""
    end: int
    """The end of the member, with its data descriptor."""
    fields: list[ZipField]
    """Size, compressed size and CRC, at offsets in `header`."""
    descriptor: tuple[bytes, int] | None
    """The layout of the data descriptor, one of `_LAYOUTS`; None without one."""


class Archive:
    """An archive that is read in order. `note` is called with what is wrong, once for each member."""

    def __init__(self, source: BinaryIO, note: Note, limits: Limits) -> None:
        self.note = note
        self._source = source
        self._allowance = Allowance(limits, source.seek(0, os.SEEK_END))
        try:
            self._directory = read_directory(source, limits.parts)
        except Damage as damage:
            self._directory = Directory(0, b"", [], [], 0)
            self._report(damage.code, damage.detail, damage.offset)
        self.members: list[ZipMember] = self._directory.members
        starts = [member.offset for member in self.members]
        self._next = [min(start, self._directory.start) for start in [*starts[1:], self._directory.start]]
        self._numbers = {member.name: number for number, member in enumerate(self.members)}
        self.files: frozenset[str] = frozenset(member.name for member in self.members if member.is_file)

    def read(self, name: str, limit: int) -> bytes | None:
        """The data of the member with a name, the last one of several; None where there is none that can be read, and
        none of `limit` bytes at most.
        """
        number = self._numbers.get(name)
        if number is None:
            return None
        member = self.members[number]
        try:
            pieces = self._pieces(member, self._span(number))
            data = join_pieces(pieces, limit)
        except Damage:
            return None
        if data is None:
            self._report("part-too-large", f"{name!r} is not read: more than {limit:,} bytes", member.offset)
        return data

    def parts(self, describe: Describe) -> Iterator[Part]:
        """The members that are files and can be read."""
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
        """Write the archive, with new data for the members of a wanted media type for which `change` gives any."""
        copier = _Copier(self._source, out)
        directory = bytearray(self._directory.records)
        shift = 0
        room = self._room()
        for member, span in self._entries():
            _write_number(directory, member.stated, member.stated.value + shift)
            part = self._part(member, span, describe, wanted)
            new = None if part is None else change(part)
            del part  # the old data
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
            copier.copy_until(member.offset)
            copier.replace(_header(span, values, codec.flags), span.data)
            copier.replace(packed, span.data_end)
            copier.replace(_descriptor(values, *span.descriptor) if span.descriptor else b"", span.end)
            for field, value in zip(
                (member.size, member.compressed, ZipField(member.record + 16, 4, 0)), values, strict=True
            ):
                _write_number(directory, field, value)
            _write_number(directory, ZipField(member.record + 8, 2, 0), member.flags | codec.flags)
            shift += grown
            room -= grown
        if self._directory.records:
            copier.copy_until(self._directory.start)
            copier.replace(bytes(directory), self._directory.start + len(directory))
            for field in sorted(self._directory.ends):
                copier.copy_until(field.at)
                copier.replace((field.value + shift).to_bytes(field.width, "little"), field.at + field.width)
        copier.copy_rest()

    def _room(self) -> int:
        """By how many bytes the archive can grow before an offset does not fit its field."""
        fields = [*(member.stated for member in self.members), *self._directory.ends]
        return min(((1 << 8 * field.width) - 2 - field.value for field in fields), default=0)

    def _entries(self) -> Iterator[tuple[ZipMember, _MemberSpan | None]]:
        """All members, and where they are, None for those that cannot be read."""
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

    def _read_span(self, start: int, end: int) -> bytes:
        self._source.seek(start)
        return self._source.read(max(0, end - start))

    def _span(self, number: int) -> _MemberSpan:
        """Read a member's local header. Raises `Damage` where it does not agree with the directory."""
        member = self.members[number]
        fixed = self._read_span(member.offset, member.offset + _HEADER) if member.offset >= 0 else b""
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
        header = fixed + self._read_span(member.offset + _HEADER, data)
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
            after = self._read_span(data_end, min(data_end + 24, self._next[number]))
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
        """A member as a part; None for one that is not read, or not wanted, whose data is checked all the same."""
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
        """A member's data in pieces, decompressed and checked. Raises `Damage`."""
        method = COMPRESSION_METHODS.get(member.method)
        name = repr(member.name)
        if method is None:
            reason = f"{name}, compression method {member.method}"
            raise Damage(reason, member.offset, "part-encoding")
        size = crc = 0
        try:
            for piece in method.unpack(self._read_pieces(span.data, span.data_end), member):
                size += len(piece)
                if size > member.size.value:
                    break
                crc = zlib.crc32(piece, crc)
                yield piece
        except DECOMPRESSION_ERRORS as error:
            reason = f"{name} does not decompress: {error}"
            raise Damage(reason, span.data, "part-damaged") from None
        if size != member.size.value or crc != member.crc:
            reason = f"{name} has not the CRC and size that the directory states"
            raise Damage(reason, span.data, "part-damaged")

    def _read_pieces(self, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, _FED):
            yield self._read_span(at, min(at + _FED, end))


class _Copier:
    """Copies a stream, except for the spans that are replaced."""

    def __init__(self, source: BinaryIO, out: BinaryIO) -> None:
        self._source = source
        self._out = out
        self._position = 0

    def copy_until(self, end: int) -> None:
        """Copy the bytes up to `end`."""
        self._source.seek(self._position)
        while self._position < end and (chunk := self._source.read(min(_CHUNK, end - self._position))):
            self._out.write(chunk)
            self._position += len(chunk)

    def replace(self, data: bytes, end: int) -> None:
        """Write `data` in place of the bytes up to `end`."""
        self._out.write(data)
        self._position = end

    def copy_rest(self) -> None:
        """Copy the remaining bytes."""
        self._source.seek(self._position)
        while chunk := self._source.read(_CHUNK):
            self._out.write(chunk)


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits, describer: Describer) -> Iterator[Part]:
    """`Container.parts` of a format with this `describer`."""
    archive = Archive(source, note, limits)
    return archive.parts(describer(archive, envelope))


def rewrite(  # noqa: PLR0913, PLR0917 - what one pass over a container needs
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
    """`Container.rewrite` of a format with this `describer`."""
    archive = Archive(source, note, limits)
    archive.copy(out, describer(archive, envelope), limits.media_types.__contains__, change, leave_alone)


def _read_number(data: bytes | bytearray, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def _write_number(data: bytearray, field: ZipField, value: int) -> None:
    data[field.at : field.at + field.width] = value.to_bytes(field.width, "little")


#: §4.3.9: a data descriptor's signature, which is optional, and the width of its sizes, which is 8 in zip64.
_LAYOUTS = [(signature, width) for signature in (b"PK\7\x08", b"") for width in (4, 8)]


def _descriptor(values: tuple[int, int, int], signature: bytes, width: int) -> bytes:
    size, compressed, crc = values
    numbers = ((crc, 4), (compressed, width), (size, width))
    return signature + b"".join(value.to_bytes(room, "little") for value, room in numbers)


def _header(span: _MemberSpan, values: tuple[int, int, int], flags: int) -> bytes:
    """The local header for new values; what it left to the data descriptor stays so."""
    header = bytearray(span.header)
    for field, value in zip(span.fields, values, strict=True):
        if field.value or not span.descriptor:
            _write_number(header, field, value)
    _write_number(header, ZipField(6, 2, 0), _read_number(header, 6) | flags)
    return bytes(header)
