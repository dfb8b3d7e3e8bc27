"""The lines of a journal: a header, then records that are only ever appended.

A line is a JSON object, a tab and the CRC-32 of the object in eight hexadecimal digits. Empty lines mean nothing. A
line without a CRC was cut off when a process was killed: the file it was about was not replaced yet, and it does not
count. A line whose CRC is wrong was damaged.

    {"linkfix-journal": 1, "linkfix": "0.1.0", "command": "absolutize", "started": "2026-11-22T15:00:00Z",
     "roots": ["/srv/site"], "parameters": {…}}
    {"file": "docs/a.html", "root": 0, "old": {"size": 812, "blake2b": "…", "mtime_ns": …},
     "new": {"size": 854, "blake2b": "…"}, "spans": "…"}
    {"done": [["docs/a.html", 0, 854, …, …], …]}

A `file` line is written, and made durable, before the file is replaced. `spans` says which bytes of the new content
stand where other bytes stood, and has these: `linkfix.journal.delta.pack_spans`, compressed (RFC 1950), in base64. If
there are many, lines before it have the first ones: `{"piece": ID, "spans": "…"}`; the `file` line says `"piece": ID`.
A `done` line has files that need no second look: name, root, and their size, mtime_ns and inode then.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from linkfix.errors import InvalidJournal
from linkfix.lazy import lazy_pattern

__all__ = [
    "DIGEST_SIZE",
    "LONGEST_LINE",
    "PIECE",
    "VERSION",
    "FileChange",
    "FileId",
    "FileVersion",
    "FinishedFile",
    "Header",
    "change_of",
    "decode_line",
    "encode_line",
    "encode_spans",
    "finished_of",
    "header_of",
    "spans_of",
]

#: The version of the format.
VERSION = 1
#: About how many bytes of packed spans one line has. A piece ends after the span with which it has more.
PIECE = 1 << 19
#: The most bytes of packed spans that a line may have.
_LARGEST_PIECE = 1 << 20
#: No line is longer, in bytes: spans in base64, a path of 4,096 bytes with escapes, and what else a line has. A header
#: may have many paths.
LONGEST_LINE = 1 << 23
#: The size of digests, in bytes.
DIGEST_SIZE = 16

#: What numbers are nearer to 0 than: times in nanoseconds, whose seconds have 64 bits, and inodes, which have 128 on
#: some systems.
_TIMES = 10**9 << 63
_INODES = 1 << 128

_LINE = lazy_pattern(rb"(\{.*\})\t([0-9a-f]{8})\n", re.DOTALL)
_DIGEST = lazy_pattern(r"[0-9a-f]{32}")


class FileId(NamedTuple):
    """A file of a run."""

    root: int
    """The number of its tree in `Header.roots`."""
    name: str
    """Its path below that, with "/" between folders."""


class FileVersion(NamedTuple):
    """What a file's content was or is."""

    size: int
    """In bytes."""
    digest: str
    """BLAKE2b (RFC 7693) with 16 bytes, in hexadecimal."""


class Header(NamedTuple):
    """The first line."""

    command: str
    """The command of linkfix that made the changes."""
    started: str
    """When, in UTC (ISO 8601)."""
    roots: tuple[str, ...]
    """The real paths of the trees."""
    parameters: Mapping[str, Any]
    """The command's parameters, with absolute paths."""


class FileChange(NamedTuple):
    """A file that was, or was to be, replaced."""

    file: FileId
    old: FileVersion
    new: FileVersion
    mtime_ns: int
    """When the old content was last modified, in nanoseconds since 1970."""
    piece: str
    """What its lines with the first spans are called; "" where there are none."""


class FinishedFile(NamedTuple):
    """A file that needs no second look as long as its status is this."""

    file: FileId
    size: int
    mtime_ns: int
    inode: int


def encode_line(record: Mapping[str, Any]) -> bytes:
    """The line for a JSON object."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return b"%s\t%08x\n" % (text, zlib.crc32(text))


def decode_line(line: bytes, number: int) -> dict[str, Any] | None:
    """The object of a line; None for an empty one and one that was cut off. Raises `InvalidJournal`.

    `number`: the line's number, for the message.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    if zlib.crc32(match[1]) != int(match[2], 16):
        message = f"line {number} is damaged"
        raise InvalidJournal(message)
    try:
        record = json.loads(match[1])
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        message = f"line {number} is not a JSON object"
        raise InvalidJournal(message)
    return record


def encode_spans(packed: bytes) -> str:
    """The member `spans` of a record."""
    return base64.b64encode(zlib.compress(packed)).decode()


def spans_of(record: Mapping[str, Any]) -> bytes:
    """The packed spans of a record. Raises `ValueError`."""
    inflate = zlib.decompressobj()
    try:
        packed = inflate.decompress(base64.b64decode(record["spans"], validate=True), _LARGEST_PIECE)
    except (zlib.error, binascii.Error, TypeError, KeyError) as error:
        message = f"its spans cannot be decoded: {error}"
        raise ValueError(message) from None
    if not inflate.eof:
        message = "its spans are too many, or cut off"
        raise ValueError(message)
    return packed


def header_of(record: Mapping[str, Any] | None) -> Header:
    """The header in a journal's first record. Raises `InvalidJournal`."""
    if record is None or "linkfix-journal" not in record:
        message = "it is not a journal of linkfix"
        raise InvalidJournal(message)
    version = record["linkfix-journal"]
    if version != VERSION:
        message = f"it has version {version!r} of the format, and this linkfix reads version {VERSION}: update linkfix"
        raise InvalidJournal(message)
    command, started, roots, parameters = (record.get(key) for key in ("command", "started", "roots", "parameters"))
    if (
        not (isinstance(command, str) and isinstance(started, str) and isinstance(parameters, dict))
        or not (isinstance(roots, list) and roots)
        or not all(isinstance(root, str) and _is_path(root) for root in roots)
    ):
        message = "its header is incomplete"
        raise InvalidJournal(message)
    return Header(command, started, tuple(roots), parameters)


def change_of(record: Mapping[str, Any], number: int, roots: int) -> FileChange:
    """The change in a record that has `file`, in line `number` of a journal with so many roots.

    Raises `InvalidJournal`: a name that leads out of its tree is none.
    """
    try:
        old, new = record["old"], record["new"]
        change = FileChange(
            _file(record["file"], record["root"], roots),
            _version(old),
            _version(new),
            _whole(old["mtime_ns"], _TIMES),
            _text(record.get("piece", "")),
        )
    except (KeyError, TypeError, ValueError) as error:
        message = f"line {number} is not a record of a changed file: {error}"
        raise InvalidJournal(message) from None
    return change


def finished_of(record: Mapping[str, Any], number: int, roots: int) -> list[FinishedFile]:
    """The files in a record that has `done`. Raises `InvalidJournal`."""
    try:
        return [
            FinishedFile(_file(name, root, roots), _whole(size), _whole(mtime_ns, _TIMES), _whole(inode, _INODES))
            for name, root, size, mtime_ns, inode in record["done"]
        ]
    except (TypeError, ValueError) as error:
        message = f"line {number} is not a record of finished files: {error}"
        raise InvalidJournal(message) from None


def _file(name: object, root: object, roots: int) -> FileId:
    text, number = _text(name), _whole(root)
    leads_out = not {"", ".", ".."}.isdisjoint(text.split("/")) or (
        os.sep != "/" and not {os.sep, ":"}.isdisjoint(text)
    )
    if not 0 <= number < roots or not _is_path(text) or leads_out:
        message = f"{text!r} is no name in a tree"
        raise ValueError(message)
    return FileId(number, text)


def _is_path(text: str) -> bool:
    """Whether a path can have this text: no NUL, and no surrogate but those of bytes that are not UTF-8 (PEP 383)."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _version(record: Mapping[str, Any]) -> FileVersion:
    digest = _text(record["blake2b"])
    if not _DIGEST.fullmatch(digest):
        message = f"{digest!r} is no digest"
        raise ValueError(message)
    return FileVersion(_whole(record["size"]), digest)


def _whole(value: object, limit: int = 1 << 64) -> int:
    """A whole number nearer to 0 than `limit`."""
    if type(value) is not int or not -limit < value < limit:
        message = f"{value!r:.80} is no whole number, or too large"
        raise ValueError(message)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"{value!r} is no text"
        raise ValueError(message)  # noqa: TRY004 - a record's fault, not a caller's
    return value
