"""Undo a run: restore the old content of its files, one by one. An undo can be stopped at any time and run again.

A file is changed only if its content is the result of the run. Then it gets exactly its old content. Digests decide
both. So a file that changed after the run stays, and a file that was restored before needs no change.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Container, Iterator, Sequence
from typing import BinaryIO, Literal, NamedTuple

from linkfix.errors import InvalidJournal
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.window import Window
from linkfix.runs.delta import restore
from linkfix.runs.journal import DIGEST_SIZE, FileChange, FileId, FileVersion, Journal, digest

#: "restored": the file has its old content again. "same": it already had its old content. "changed": its content is
#: neither the old nor the new one, and stays. "failed": the file could not be read or written.
UndoAction = Literal["restored", "same", "changed", "failed"]


class UndoneFile(NamedTuple):
    """The outcome for one file of a journal."""

    action: UndoAction
    path: str
    """Its path on disk."""
    message: str = ""
    """Why it stays as it is."""
    separated: bool = False
    """Whether its old content is restored and it has lost its other names (hard links): see `keep_hard_links`."""


def undo(
    journal: Journal,
    roots: Sequence[str],
    *,
    only: Container[FileId] | None = None,
    dry_run: bool = False,
    keep_hard_links: bool = False,
) -> Iterator[UndoneFile]:
    """Give every file of a journal its old bytes back, the last one that was changed first; yield what was done.

    Besides the file's old bytes, that needs no room on the disk: it holds one of these at a time.

    `roots`: where the trees of its header are now. `only`: the files that are meant; None for all. `dry_run`: change
    nothing. `keep_hard_links`: overwrite a file with several names, which may be outside the roots, instead of
    replacing the one name. Raises `InvalidJournal` before any file is restored. What a killed run or undo left behind
    beside its files is removed.
    """
    by_file = _by_file(journal, only)
    journal.check()
    if not dry_run:
        paths = (_path(roots, file) for file in (*by_file, *journal.begun))
        for folder in dict.fromkeys(FilePath(os.path.dirname(path), root) for path, root in paths):
            # With hard links, this completes a file that a killed run overwrote in part.
            atomic.remove_leftovers(folder, overwritten=keep_hard_links)
    for file, changes in reversed(by_file.items()):
        file_path = _path(roots, file)
        path = file_path.path
        try:
            yield _undo_file(journal, file_path, changes, dry_run=dry_run, keep_hard_links=keep_hard_links)
        except _ChangedSince as error:
            yield UndoneFile("changed", path, str(error))
        except FileNotFoundError:
            yield UndoneFile("changed", path, "the file no longer exists")
        except OSError as error:
            yield UndoneFile("failed", path, error.strerror or str(error))


def remove_without_effect(path: str) -> bool:
    """Remove a journal that no process uses if each of its files has its old content; return whether that was so.

    A record is written before its file is replaced, which may have failed.
    """
    try:
        with Journal(path) as journal:
            for file, changes in _by_file(journal, None).items():
                file_path = _path(journal.header.roots, file)
                if _undo_file(journal, file_path, changes, dry_run=True, keep_hard_links=False).action != "same":
                    return False
            journal.check()  # a damaged one stays
        os.unlink(path)
    except (OSError, InvalidJournal, _ChangedSince):
        return False
    return True


def _path(roots: Sequence[str], file: FileId) -> FilePath:
    root = roots[file.root]
    return FilePath(os.path.join(root, *file.name.split("/")), root)


def _by_file(journal: Journal, only: Container[FileId] | None) -> dict[FileId, list[FileChange]]:
    """The changes of each file, the first one first."""
    by_file: dict[FileId, list[FileChange]] = {}
    for change in journal.changes:
        if only is None or change.file in only:
            by_file.setdefault(change.file, []).append(change)
    return by_file


class _ChangedSince(Exception):
    """The file is not what the run left."""


def _undo_file(
    journal: Journal, file: FilePath, changes: list[FileChange], *, dry_run: bool, keep_hard_links: bool
) -> UndoneFile:
    """Go back through the changes of one file. Changes that never took place are among them."""
    path = file.path
    folder = os.path.dirname(path)
    if os.path.realpath(folder) != folder:
        message = "a folder in its path is now a symbolic link"
        raise _ChangedSince(message)
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        message = "the file is no longer a regular file"
        raise _ChangedSince(message)
    current = _version(file)
    restored = False
    for change in reversed(changes):
        if current == change.new:
            if not dry_run:
                _give_back(journal, file, change, keep_hard_links=keep_hard_links)
            current = change.old
            restored = True
    times = {change.old: change.mtime_ns for change in reversed(changes)}
    if current not in times:
        message = "the file changed after the run"
        if not keep_hard_links and atomic.is_half_overwritten(file):
            message = "a killed run overwrote a part of it: --keep-hard-links completes it, and then restores it"
        raise _ChangedSince(message)
    # The times of a file that stays are those of its other names too, which may be outside.
    if not dry_run and (restored or keep_hard_links or status.st_nlink == 1):
        _set_time(file, times[current])
    return UndoneFile("restored" if restored else "same", path, separated=restored and status.st_nlink > 1)


def _version(path: FilePath) -> FileVersion:
    with atomic.open_file(path) as file:
        content = Window(file)
        return FileVersion(content.size, digest(content))


def _give_back(journal: Journal, path: FilePath, change: FileChange, *, keep_hard_links: bool) -> None:
    """Undo one change. Raises `_ChangedSince` and `OSError`, and leaves the file as it is then."""

    def convert(source: BinaryIO, out: BinaryIO) -> bool:
        content = Window(source)
        if FileVersion(content.size, digest(content)) != change.new:
            raise atomic.FileChanged(errno.EAGAIN, "changed while it was read", path)
        source.seek(0)
        hashed = hashlib.blake2b(digest_size=DIGEST_SIZE)
        size = 0
        for piece in restore(source, journal.spans(change)):
            out.write(piece)
            hashed.update(piece)
            size += len(piece)
            if size > change.old.size:
                break
        if FileVersion(size, hashed.hexdigest()) != change.old:
            message = "the journal does not restore the original file"
            raise OSError(errno.EINVAL, message, path)
        return True

    atomic.rewrite(path, path, convert, keep_hard_links=keep_hard_links)


def _set_time(path: FilePath, mtime_ns: int) -> None:
    """Make the file's modification time what it was."""
    with atomic.open_file(path) as file:
        status = os.fstat(file.fileno())
        if status.st_mtime_ns != mtime_ns:
            try:
                os.utime(file.fileno() if os.utime in os.supports_fd else path, ns=(status.st_atime_ns, mtime_ns))
            except OverflowError:  # systems differ in how many bits they have for seconds
                raise OSError(errno.EOVERFLOW, os.strerror(errno.EOVERFLOW), path.path) from None
