"""Reading a journal: what was changed, and which files need no second look. Its lines are not trusted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple, Self

from linkfix.errors import InvalidJournal
from linkfix.files import atomic
from linkfix.journal.delta import Span, unpack_spans
from linkfix.journal.lock import lock
from linkfix.journal.records import (
    LONGEST_LINE,
    FileChange,
    FileId,
    FinishedFile,
    Header,
    change_of,
    decode_line,
    finished_of,
    header_of,
    spans_of,
)

__all__ = ["Journal", "StoredChange", "read_header"]


class StoredChange(NamedTuple):
    """A change, and where its spans are in the journal."""

    change: FileChange
    offset: int
    """Of its line, in bytes."""


class Journal:
    """A journal that no other run uses as long as this is open. Memory has the names of its files, not their bytes."""

    def __init__(self, path: str) -> None:
        """Raises `OSError`, and `InvalidJournal` for what is no journal, is damaged, or is in use."""
        self.path = path
        self.changes: list[StoredChange] = []
        self.finished: dict[FileId, FinishedFile] = {}
        self._pieces: dict[str, list[int]] = {}
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

    def spans(self, stored: StoredChange) -> Iterator[Span]:
        """What a change replaced. Raises `InvalidJournal`."""
        offsets = [*self._pieces.get(stored.change.piece, ()), stored.offset]
        try:
            yield from unpack_spans(spans_of(self._record_at(offset)) for offset in offsets)
        except ValueError as error:
            message = f"{self.path} cannot be used: the record of {stored.change.file.name} is damaged: {error}"
            raise InvalidJournal(message) from None

    def check(self, changes: Iterable[StoredChange]) -> None:
        """Read all that changes replaced, so that what is wrong with it is found before a file is given back. Raises
        `InvalidJournal`.
        """
        for stored in changes:
            deque(self.spans(stored), maxlen=0)

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
            if "file" in record:
                self.changes.append(StoredChange(change_of(record, number, len(header.roots)), offset))
            elif "done" in record:
                self.finished.update((one.file, one) for one in finished_of(record, number, len(header.roots)))
            elif isinstance(record.get("piece"), str):
                self._pieces.setdefault(record["piece"], []).append(offset)
        return header or header_of(None)


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
