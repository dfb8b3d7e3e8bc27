"""Replacing files whose old bytes a journal keeps: the records of several files first, then the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import BinaryIO, NamedTuple

from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.journal.delta import SearchableBytes, SearchableFile
from linkfix.journal.records import FileId, FinishedFile
from linkfix.journal.writer import JournalWriter

__all__ = ["FileReplacement", "finished_file", "replace_files", "with_record"]


class FileReplacement(NamedTuple):
    """A file that is to be replaced."""

    file: FileId
    path: FilePath
    """Where it is on disk."""
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
                journal.record(one.file, SearchableBytes(one.old), SearchableBytes(one.new), one.status.st_mtime_ns)
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

    def convert_and_record(source: BinaryIO, out: BinaryIO) -> bool:
        new = convert(source, out)
        if new:
            out.flush()
            status = os.fstat(source.fileno())
            journal.record(file, SearchableFile(source), SearchableFile(out), status.st_mtime_ns)
            journal.commit()
            out.seek(0, os.SEEK_END)
        return new

    return convert_and_record


def finished_file(file: FileId, status: os.stat_result) -> FinishedFile:
    """A file that needs no second look as long as it has this status."""
    return FinishedFile(file, status.st_size, status.st_mtime_ns, status.st_ino)
