"""The central directory of a zip archive: where its members are, and the fields to update when members move.

Names are those of APPNOTE.TXT 6.3, whose sections are cited. A file can hold several directories: an older copy of the
archive before it, an archive as its comment. Python's zipfile, Info-ZIP's unzip and Java's ZipFile look for the one
that counts in different ways. A file is read only if all three find the same directory, since a change for one of them
would be damage for another.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import BinaryIO, NamedTuple

__all__ = ["Damage", "Directory", "ZipField", "ZipMember", "read_directory", "resolve_zip64"]

#: In place of a number that does not fit: the zip64 extra field holds it (§4.5.3).
FULL = 0xFFFFFFFF

_RECORD = Struct("<4s6H3L5H2L")  # §4.3.12
_END = Struct("<4s4H2LH")  # §4.3.16
_END_64 = Struct("<4sQ2H2L4Q")  # §4.3.14
_LOCATOR = Struct("<4sLQL")  # §4.3.15
_SIGNATURE = b"PK\1\2"
_END_SIGNATURE = b"PK\5\6"
_END_64_SIGNATURE = b"PK\6\6"
_LOCATOR_SIGNATURE = b"PK\6\7"
_LOCAL_SIGNATURE = b"PK\3\4"
_EXTRA = Struct("<2H")  # §4.5.1
_LONGEST_COMMENT = 0xFFFF
_ZIP64 = 1
#: The largest directory, in bytes: it is held in memory.
_LARGEST = 1 << 30


class Damage(Exception):
    """What is wrong with an archive: the detail, the offset, and a code of `PROBLEMS`. Internal to the containers."""

    def __init__(self, detail: str, offset: int, code: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.offset = offset
        self.code = code


class ZipField(NamedTuple):
    """A little-endian number in a header."""

    at: int
    """Its offset."""
    width: int
    """In bytes."""
    value: int


class ZipMember(NamedTuple):
    """What the directory says of a member. Fields are at offsets in `Directory.records`."""

    name: str
    """Decoded, with slashes between folders (§4.4.17)."""
    comment: str
    flags: int
    method: int
    """The compression method (§4.4.5)."""
    crc: int
    compressed: ZipField
    """The compressed size."""
    size: ZipField
    stated: ZipField
    """The offset of its local header as the record counts it."""
    offset: int
    """The offset of its local header in the file."""
    record: int
    """The offset of its record in `Directory.records`."""
    mode: int
    """The mode of a Unix file, else 0."""

    def raw_name(self, records: bytes) -> bytes:
        """Its name as `Directory.records` has it."""
        start = self.record + _RECORD.size
        return records[start : start + int.from_bytes(records[self.record + 28 : self.record + 30], "little")]

    @property
    def is_file(self) -> bool:
        """Whether it is neither a folder nor a symbolic link."""
        return not self.name.endswith("/") and not stat.S_ISLNK(self.mode)


class Directory(NamedTuple):
    """The central directory of an archive."""

    start: int
    """Its offset in the file."""
    records: bytes
    members: list[ZipMember]
    """In the order of the file."""
    ends: list[ZipField]
    """The fields of the end records that hold offsets which move with the directory."""
    end: int
    """The offset at which the archive ends, its comment included. Other bytes can follow."""


def read_directory(source: BinaryIO, limit: int) -> Directory:
    """Read the directory of a seekable archive of at most `limit` members. Raises `Damage`."""
    size = source.seek(0, os.SEEK_END)
    at, count, length, ends, end = _end(source, size)
    # The directory ends where the end records start. The stated offset need not count what precedes the archive: a
    # program that unpacks it.
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
    records = _read_at(source, start, length)
    members = list(_members(records, start, start - stated, limit))
    if len(members) & 0xFFFF != count & 0xFFFF:
        reason = f"the central directory has {len(members):,} of {count:,} records"
        raise Damage(reason, start, "container-damaged")
    return Directory(start, records, sorted(members, key=lambda member: member.offset), ends, end)


def _read_at(source: BinaryIO, offset: int, length: int) -> bytes:
    if offset < 0:
        return b""
    source.seek(offset)
    return source.read(length)


def _end(source: BinaryIO, size: int) -> tuple[int, int, int, list[ZipField], int]:
    """The offset of the end records, the number of directory records and their length, `Directory.ends`, the
    directory's own offset first, and `Directory.end`.
    """
    first = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = _read_at(source, first, size - first)
    at = tail.rfind(_END_SIGNATURE, 0, max(0, len(tail) - _END.size + len(_END_SIGNATURE)))
    if at < 0:
        reason = "no end of the central directory: the archive is cut off, or is none"
        raise Damage(reason, size, "container-damaged")
    end = first + at
    _, disk, _, _, count, length, offset, comment = _END.unpack_from(tail, at)
    if disk not in {0, 0xFFFF}:
        reason = "one part of an archive in several files"
        raise Damage(reason, end, "container-damaged")
    field = ZipField(end + 16, 4, offset)
    wide = _end_64(source, end, (count, length, offset))
    if wide is None:
        found = end, count, length, [field]
    else:
        place, (count, length, offset) = wide
        narrow = [] if field.value == FULL else [field]
        found = place, count, length, [ZipField(place + 48, 8, offset), ZipField(end - 12, 8, place), *narrow]
    # unzip takes the last signature that is followed by a record. zipfile takes the last signature, unless the file
    # ends with a record that has no comment.
    is_last = tail.rfind(_END_SIGNATURE) == at or (end + _END.size == size and not comment)
    # Java takes the last record whose comment ends with the file, or whose comment is shorter and whose own numbers
    # lead to the directory and the first local header.
    rest = size - end - _END.size - comment
    starts = ((_SIGNATURE, end - length), (_LOCAL_SIGNATURE, end - length - offset))
    leads = rest > 0 and wide is None and all(_read_at(source, start, 4) == signature for signature, start in starts)
    if not is_last or not (leads or not rest):
        reason = "zip programs find the end of its central directory in different places"
        raise Damage(reason, end, "container-damaged")
    return *found, size - rest


def _end_64(source: BinaryIO, end: int, narrow: tuple[int, int, int]) -> tuple[int, tuple[int, int, int]] | None:
    """The offset of the zip64 end record, and its number of records, their length and offset; None without one.

    `narrow`: the numbers of the end record at `end`. Raises `Damage` where not all programs find it: zipfile looks
    before the locator, Java where the locator says, and only if the end record's numbers are full or the same.
    """
    if end < _LOCATOR.size:
        return None
    signature, disk, stated, disks = _LOCATOR.unpack(_read_at(source, end - _LOCATOR.size, _LOCATOR.size))
    if signature != _LOCATOR_SIGNATURE:
        return None
    place = end - _LOCATOR.size - _END_64.size
    record = _read_at(source, place, _END_64.size) if stated == place else b""
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
    """Replace each field that is full by the one in the zip64 extra field, which has them in this order (§4.5.3)."""
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
    """The span of the zip64 extra field's content; (0, 0) without one."""
    while start + 4 <= end:
        kind, length = _EXTRA.unpack_from(data, start)
        if kind == _ZIP64:
            return start + 4, min(start + 4 + length, end)
        start += 4 + length
    return 0, 0


def _decode(raw: bytes) -> str:
    """Decode a name or comment: UTF-8 where it is valid, whatever its flag says (§4.4.4), else code page 437."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp437")
