"""The central directory of a zip archive: where its members are, and the fields to update when members move.

Names are those of APPNOTE.TXT 6.3, whose sections are cited.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import BinaryIO

from linkfix.named_tuple import NamedTuple

__all__ = ["Damage", "Directory", "ZipField", "ZipMember", "read_directory", "resolve_zip64"]

#: In place of a number that does not fit: the zip64 extra field holds it (§4.5.3).
FULL = 0xFFFFFFFF

_RECORD = Struct("<4s6H3L5H2L")  # §4.3.12
_END = Struct("<4s4H2LH")  # §4.3.16
_END_64 = Struct("<4sQ2H2L4Q")  # §4.3.14
_LOCATOR = Struct("<4sLQL")  # §4.3.15
_SIGNATURE = b"PK\1\2"
_END_SIGNATURE = re.compile(rb"PK\x05\x06")
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


def read_directory(source: BinaryIO, limit: int) -> Directory:
    """Read the directory of a seekable archive of at most `limit` members. Raises `Damage`."""
    size = source.seek(0, os.SEEK_END)
    at, count, length, ends = _end(source, size)
    stated = ends[0].value
    # The directory ends where the end records start, for unzip, Java and Python too, whether or not the offsets count
    # what precedes the archive, a program that unpacks it; unless there is none there, as something was put between.
    last = at - length
    start = stated if stated < last and _read_at(source, last, 4) != _SIGNATURE else last
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
    return Directory(start, records, sorted(members, key=lambda member: member.offset), ends)


def _read_at(source: BinaryIO, offset: int, length: int) -> bytes:
    source.seek(offset)
    return source.read(length)


def _end(source: BinaryIO, size: int) -> tuple[int, int, int, list[ZipField]]:
    """The offset of the end records, the number of directory records and their length, and `Directory.ends`, the
    directory's own offset first.
    """
    first = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = _read_at(source, first, size - first)
    places = [match.start() for match in _END_SIGNATURE.finditer(tail) if match.start() + _END.size <= len(tail)]
    if not places:
        reason = "no end of the central directory: the archive is cut off, or is none"
        raise Damage(reason, size, "container-damaged")
    # The archive's comment can have the signature in it; something can have been appended to the archive.
    whole = (place for place in places if place + _END.size + _END.unpack_from(tail, place)[-1] == len(tail))
    at = next(whole, places[-1])
    end = first + at
    _, disk, _, _, count, length, offset, _ = _END.unpack_from(tail, at)
    field = ZipField(end + 16, 4, offset)
    locator = _read_at(source, max(0, end - _LOCATOR.size), _LOCATOR.size)
    if locator.startswith(b"PK\6\7") and end >= _LOCATOR.size:
        wide = ZipField(end - _LOCATOR.size + 8, 8, _LOCATOR.unpack(locator)[2])
        for place in (wide.value, end - _LOCATOR.size - _END_64.size):
            record = _read_at(source, place, _END_64.size) if 0 <= place < end else b""
            if record.startswith(b"PK\6\6") and len(record) == _END_64.size:
                *_, count, length, offset = _END_64.unpack(record)
                narrow = [] if field.value == FULL else [field]
                return place, count, length, [ZipField(place + 48, 8, offset), wide, *narrow]
        reason = "no zip64 end of the central directory where its locator says"
        raise Damage(reason, end, "container-damaged")
    if disk not in {0, 0xFFFF}:
        reason = "one part of an archive in several files"
        raise Damage(reason, end, "container-damaged")
    return end, count, length, [field]


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
