"""Writing a journal: records are appended, and made durable before the files that they are about are replaced.

Making a record durable takes as long as replacing a file. So the records of a group of files are made durable together,
and only then are these files replaced. Several processes append to one journal: each write has whole lines, and begins
on a new line whatever another process left behind when it was killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, Self

from linkfix.journal.delta import Searchable, changed_spans, pack_spans
from linkfix.journal.lock import lock
from linkfix.journal.records import DIGEST_SIZE, PIECE, VERSION, FileId, FinishedFile, encode_line, encode_spans

__all__ = ["GROUP_FILES", "GROUP_SIZE", "JournalWriter", "create_journal", "digest"]

#: A group of files whose records are made durable together has at most this many, with so many bytes in all, unless it
#: is a single one.
GROUP_FILES = 16
GROUP_SIZE = 1 << 22

_PIECE_READ = 1 << 20
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
    from linkfix import __version__  # noqa: PLC0415 - the package itself is imported by then

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

    def record(self, file: FileId, old: Searchable, new: Searchable, mtime_ns: int) -> None:
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


def digest(content: Searchable) -> str:
    """The digest of content, as in `FileVersion`."""
    hashed = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for start in range(0, content.size, _PIECE_READ):
        hashed.update(content.read(start, min(start + _PIECE_READ, content.size)))
    return hashed.hexdigest()


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
