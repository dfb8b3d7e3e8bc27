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
stand where other bytes stood, and has these: `linkfix.runs.delta.pack_spans`, compressed (RFC 1950), in base64. If
there are many, lines before it have the first ones: `{"piece": ID, "spans": "…"}`; the `file` line says `"piece": ID`.
A `begun` line names a container before its new content is written beside it, which a kill leaves behind: `{"begun":
["docs/a.mht", 0]}`. A `done` line has files that need no second look: name, root, and their size, mtime_ns and inode
then. The line `{"undone": true}` says that the changes before it were undone.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import importlib
import json
import os
import re
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, Self, TypeVar

from linkfix.errors import InvalidJournal
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.window import Window
from linkfix.lazy import lazy_pattern
from linkfix.runs.delta import Span, changed_spans, pack_spans, unpack_spans

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

#: The bound of numbers, above and below 0. Times are in nanoseconds, with 64 bits of seconds; inodes have 128 bits on
#: some systems.
_TIMES = 10**9 << 63

_INODES = 1 << 128

#: The records whose values are checked, as messages name them.
_KINDS = {"file": "a changed file", "done": "finished files", "begun": "a container"}

_LINE = lazy_pattern(rb"(\{.*\})\t([0-9a-f]{8})\n", re.DOTALL)

_DIGEST = lazy_pattern(r"[0-9a-f]{32}")


class FileId(NamedTuple):
    """A file of a run."""

    root: int
    """The number of its tree in `Header.roots`."""
    name: str
    """Its path below that, with "/" between folders."""


class FileVersion(NamedTuple):
    """The old or the new content of a file."""

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
    """A file that was, or was to be, replaced, and the place of the bytes that were."""

    file: FileId
    old: FileVersion
    new: FileVersion
    mtime_ns: int
    """When the old content was last modified, in nanoseconds since 1970."""
    lines: tuple[int, ...]
    """The offsets of the journal's lines with its spans, in bytes."""


class FinishedFile(NamedTuple):
    """A file that needs no second look as long as its status is this."""

    file: FileId
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, file: FileId, status: os.stat_result) -> Self:
        """The file with its status."""
        return cls(file, status.st_size, status.st_mtime_ns, status.st_ino)


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
        message = "there are too many spans, or they are cut off"
        raise ValueError(message)
    return packed


def header_of(record: Mapping[str, Any] | None) -> Header:
    """The header in a journal's first record. Raises `InvalidJournal`."""
    if record is None or "linkfix-journal" not in record:
        message = "it is not a journal of linkfix"
        raise InvalidJournal(message)
    version = record["linkfix-journal"]
    if type(version) is not int or version != VERSION:
        message = f"the format has version {version!r}, but this linkfix reads version {VERSION}: update linkfix"
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


def _file(name: object, root: object, roots: int) -> FileId:
    text, number = _text(name), _whole(root)
    leads_out = not {"", ".", ".."}.isdisjoint(text.split("/")) or (
        os.sep != "/" and not {os.sep, ":"}.isdisjoint(text)
    )
    if not 0 <= number < roots or not _is_path(text) or leads_out:
        message = f"{text!r} is not the name of a file in a folder"
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
        message = f"{digest!r} is not a digest"
        raise ValueError(message)
    return FileVersion(_size(record["size"]), digest)


def _whole(value: object, limit: int = 1 << 64) -> int:
    """A whole number nearer to 0 than `limit`."""
    if type(value) is not int or not -limit < value < limit:
        message = f"{value!r:.80} is not a whole number, or is too large"
        raise ValueError(message)
    return value


def _size(value: object) -> int:
    """A number of bytes."""
    size = _whole(value)
    if size < 0:
        message = f"{size} is not a size"
        raise ValueError(message)
    return size


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"{value!r} is not a string"
        raise ValueError(message)  # noqa: TRY004 - a record's fault, not a caller's
    return value


# Who may use a journal: the processes of one run together, or one process alone.
#
# The lock ends with the processes that hold it, however they end. Systems without `flock` have no lock.


def lock(descriptor: int, path: str, *, alone: bool) -> None:
    """Lock an open journal until it is closed. Raises `InvalidJournal` where another process has a lock against it."""
    try:
        fcntl = importlib.import_module("fcntl")
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        message = f"{path} is in use by a run or an undo that has not ended yet: wait for its end"
        raise InvalidJournal(message) from None


# Reading a journal: what was changed, and which files need no second look. Its lines are not trusted.


class Journal:
    """A journal that no other run uses as long as this is open. Memory has the names of its files, not their bytes."""

    def __init__(self, path: str) -> None:
        """Raises `OSError`, and `InvalidJournal` for what is no journal, is damaged, or is in use."""
        self.path = path
        self.changes: list[FileChange] = []
        self.begun: list[FileId] = []
        """Containers whose new content may be beside them, where the run was killed."""
        self.finished: dict[FileId, FinishedFile] = {}
        self.is_undone: bool = False
        self._pieces: dict[str, list[int]] = {}  # the offsets of pieces of a file that no line has named yet
        self._file = atomic.open_file(path)
        try:
            self.status: os.stat_result = os.fstat(self._file.fileno())
            lock(self._file.fileno(), path, alone=True)
            self.header: Header = self._read()
        except InvalidJournal as error:
            self.close()
            message = str(error) if str(error).startswith(path) else f"{path} cannot be used: {error}"
            raise InvalidJournal(message) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it, and let others use it."""
        self._file.close()

    def share(self) -> None:
        """Let the processes of this run use it too."""
        lock(self._file.fileno(), self.path, alone=False)

    def note_undone(self) -> None:
        """Note that the changes were undone. Only this process uses the journal. Raises `OSError`."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | _BINARY | getattr(os, "O_NOFOLLOW", 0))
        try:
            if os.path.samestat(os.fstat(descriptor), self.status):  # never another file that has its name now
                _write(descriptor, b"\n" + encode_line({"undone": True}))
        finally:
            os.close(descriptor)

    def spans(self, change: FileChange) -> Iterator[Span]:
        """Yield the spans that a change replaced. Raises `InvalidJournal`."""
        return self._spans(change.lines, change.file.name)

    def _spans(self, lines: Iterable[int], name: str) -> Iterator[Span]:
        try:
            yield from unpack_spans(spans_of(self._record_at(offset)) for offset in lines)
        except ValueError as error:
            message = f"{self.path} cannot be used: the record of {name} is damaged: {error}"
            raise InvalidJournal(message) from None

    def check(self) -> None:
        """Read all that changes replaced, so that what is wrong with it is found before a file is changed. Raises
        `InvalidJournal`. A wrong digest is not found: what it is of is in no journal.
        """
        for change in self.changes:
            size, end = change.new.size, 0
            for start, length, replaced in self.spans(change):
                end = start + length
                size += len(replaced) - length
            if end > change.new.size or size != change.old.size:
                problem = f"the record of {change.file.name} is damaged: its spans do not fit its sizes"
                message = f"{self.path} cannot be used: {problem}"
                raise InvalidJournal(message)
        for piece, lines in self._pieces.items():  # of a run that was killed before it named the file
            deque(self._spans(lines, f"the piece {piece}"), maxlen=0)

    def _record_at(self, offset: int) -> dict[str, Any]:
        self._file.seek(offset)
        return decode_line(self._file.readline(LONGEST_LINE), 0) or {}

    def _read(self) -> Header:
        header: Header | None = None
        for number, (offset, line) in enumerate(_lines(self._file), 1):
            if header is None:
                header = header_of(decode_line(line, number) if line.startswith(b"{") else None)
                continue
            record = decode_line(line, number)
            if record is None:
                continue
            try:
                self._take(record, offset, len(header.roots))
            except (KeyError, TypeError, ValueError) as error:
                kind = next(text for key, text in _KINDS.items() if key in record)
                message = f"line {number} is not a record of {kind}: {error}"
                raise InvalidJournal(message) from None
        return header or header_of(None)

    def _take(self, record: Mapping[str, Any], offset: int, roots: int) -> None:
        """Add a record of the line at an offset, in a journal with so many roots. Raises errors of its values."""
        if "file" in record:
            old, new = record["old"], record["new"]
            file = _file(record["file"], record["root"], roots)
            lines = (*self._pieces.pop(_text(record.get("piece", "")), ()), offset)
            mtime_ns = _whole(old["mtime_ns"], _TIMES)
            self.changes.append(FileChange(file, _version(old), _version(new), mtime_ns, lines))
            self.is_undone = False  # the run was resumed after it was undone
        elif "undone" in record:
            self.is_undone = True
        elif "done" in record:
            for name, root, size, mtime_ns, inode in record["done"]:
                file = _file(name, root, roots)
                status = _size(size), _whole(mtime_ns, _TIMES), _whole(inode, _INODES)
                self.finished[file] = FinishedFile(file, *status)
        elif "begun" in record:
            name, root = record["begun"]
            self.begun.append(_file(name, root, roots))
        elif isinstance(record.get("piece"), str):
            self._pieces.setdefault(record["piece"], []).append(offset)


def read_header(path: str) -> Header:
    """The header of a journal, which may be in use. Raises `OSError`, and `InvalidJournal`."""
    with atomic.open_file(path) as file:
        _, line = next(_lines(file), (0, b""))
    return header_of(decode_line(line, 1) if line.startswith(b"{") else None)


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines and their offsets. Raises `InvalidJournal` for one that is too long."""
    offset = 0
    number = 0
    file.seek(0)
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            message = f"line {number} is too long" if number > 1 else "it is not a journal of linkfix"
            raise InvalidJournal(message)
        yield offset, line
        offset += len(line)


# Writing a journal: records are appended, and made durable before the files that they are about are replaced.
#
# Making a record durable takes as long as replacing a file. So the records of a group of files are made durable
# together, and only then are these files replaced. Several processes append to one journal: each write has whole lines,
# and begins on a new line whatever another process left behind when it was killed.


#: A group of files whose records are made durable together has at most this many, with so many bytes in all, unless it
#: is a single one.
GROUP_FILES = 16

_GROUP_SIZE = 1 << 22

T = TypeVar("T")

#: Windows changes line ends otherwise.
_BINARY: int = getattr(os, "O_BINARY", 0)


def create_journal(path: str, command: str, roots: Iterable[str], parameters: Mapping[str, Any]) -> None:
    """Make a new journal, which only its owner can read: it has parts of files. Raises `OSError`; `FileExistsError`
    where there is a file of that name.
    """
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    header = {"linkfix-journal": VERSION, "linkfix": _linkfix_version(), "command": command, "started": started}
    line = encode_line({**header, "roots": list(roots), "parameters": dict(parameters)})
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        _write(descriptor, line)
        os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(descriptor)
    with contextlib.suppress(OSError):  # Windows opens no folders
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _linkfix_version() -> str:
    from linkfix import __version__  # the package itself is imported by then

    return __version__


class JournalWriter:
    """Appends records to a journal. One for each process of a run."""

    def __init__(self, path: str) -> None:
        """Raises `OSError`, and `InvalidJournal` where another run uses the journal."""
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY | getattr(os, "O_NOFOLLOW", 0))
        try:
            lock(self._descriptor, path, alone=False)
        except BaseException:
            self.close()
            raise
        self._waiting: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; what was not committed is dropped."""
        os.close(self._descriptor)

    def record(self, file: FileId, old: Window, new: Window, mtime_ns: int) -> None:
        """Note that a file is about to be replaced. `mtime_ns`: when the old one was modified."""
        piece = ""
        *pieces, last = pack_spans(changed_spans(old, new), PIECE)
        if pieces:
            piece = os.urandom(8).hex()
            for packed in pieces:
                self._append([encode_line({"piece": piece, "spans": encode_spans(packed)})])
        record = {
            "file": file.name,
            "root": file.root,
            "old": {"size": old.size, "blake2b": digest(old), "mtime_ns": mtime_ns},
            "new": {"size": new.size, "blake2b": digest(new)},
            **({"piece": piece} if piece else {}),
            "spans": encode_spans(last),
        }
        self._waiting.append(encode_line(record))

    def commit(self) -> None:
        """Make all records durable. Only then may their files be replaced.

        Raises `OSError` with the journal's path; the records are forgotten then.
        """
        lines, self._waiting = self._waiting, []
        if lines:
            self._append(lines)
            try:
                getattr(os, "fdatasync", os.fsync)(self._descriptor)
            except OSError as error:
                raise OSError(error.errno, error.strerror, self.path) from None

    def drop(self) -> None:
        """Forget the records that were not committed."""
        self._waiting = []

    def begin(self, file: FileId) -> None:
        """Note that new content of a container is about to be written beside it. That is not made durable."""
        with contextlib.suppress(OSError):  # where the disk is full, that content fails too
            self._append([encode_line({"begun": [file.name, file.root]})])

    def finish(self, files: Iterable[FinishedFile]) -> None:
        """Note that files need no second look. That is not made durable: what is lost is only looked at again."""
        rows = [[one.file.name, one.file.root, one.size, one.mtime_ns, one.inode] for one in files]
        if rows:
            self._append([encode_line({"done": rows})])

    def _append(self, lines: list[bytes]) -> None:
        try:
            _write(self._descriptor, b"\n" + b"".join(lines))
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None


def digest(content: Window) -> str:
    """The digest of content, as in `FileVersion`."""
    hashed = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for piece in content.pieces(0, content.size):
        hashed.update(piece)
    return hashed.hexdigest()


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


# Replacing files whose old bytes a journal keeps: the records of several files first, then the files.


def groups(files: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield files in groups whose records are made durable together."""
    group: list[T] = []
    size = 0
    for file in files:
        if group and (size + size_of(file) > _GROUP_SIZE or len(group) == GROUP_FILES):
            yield group
            group, size = [], 0
        group.append(file)
        size += size_of(file)
    if group:
        yield group


class FileReplacement(NamedTuple):
    """A file that is to be replaced."""

    file: FileId
    path: FilePath
    """Its path on disk."""
    old: bytes
    new: bytes
    status: os.stat_result
    """The status that it had when it was read."""

    def write(self) -> None:
        """Replace it. Raises what `linkfix.files.atomic.write` raises."""
        atomic.write(self.path, self.new, like=self.path, expected=self.status)


def replace_files(journal: JournalWriter | None, files: Sequence[FileReplacement]) -> list[OSError | None]:
    """Replace files, after a journal has their old bytes; return for each why it was not replaced, or None."""
    if journal is not None:
        try:
            for one in files:
                journal.record(one.file, Window(one.old), Window(one.new), one.status.st_mtime_ns)
            journal.commit()
        except OSError as error:
            journal.drop()
            return [error] * len(files)
    return [_error(one.write) for one in files]


def _error(write: Callable[[], None]) -> OSError | None:
    try:
        write()
    except OSError as error:
        return error
    return None


def with_record(
    journal: JournalWriter, file: FileId, convert: Callable[[BinaryIO, BinaryIO], bool]
) -> Callable[[BinaryIO, BinaryIO], bool]:
    """`convert` for `linkfix.files.atomic.rewrite`: a journal has the old bytes before the file is replaced."""
    journal.begin(file)

    def convert_and_record(source: BinaryIO, out: BinaryIO) -> bool:
        new = convert(source, out)
        if new:
            out.flush()
            status = os.fstat(source.fileno())
            journal.record(file, Window(source), Window(out), status.st_mtime_ns)
            journal.commit()
            out.seek(0, os.SEEK_END)
        return new

    return convert_and_record
