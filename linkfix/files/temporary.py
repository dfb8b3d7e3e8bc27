"""Temporary files: each is locked while a process writes it, so that what a killed process left is told, and removed.

A file is written under a temporary name in its own folder, and renamed when it is complete. (Linux can write a file
without a name, but gives it no name that is taken, so that a name is needed all the same.) The lock is `flock`: it goes
when its process does, however that ends. Where a file system has no such locks, nothing is removed; where its locks do
not reach other machines, one machine at a time can write to a folder.

A file with hard links that must stay is overwritten, which a kill can stop halfway. So its complete new content is
`….new` then, and `….old` is one more hard link to the file that is overwritten: `remove_leftovers` completes that.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO

from linkfix.files.descriptors import FilePath, OpenFolder, open_folder

if sys.platform != "win32":
    import fcntl

__all__ = ["is_temporary", "overwrite", "remove_leftovers", "temporary_file", "temporary_name"]

_NAME = re.compile(r"(\.linkfix-[0-9a-f]{16})\.(?:tmp|new|old)")
_CHUNK = 1 << 20


def is_temporary(name: str) -> bool:
    """Whether a file name (no folder) is one that an interrupted run can leave behind."""
    return _NAME.fullmatch(name) is not None


@contextlib.contextmanager
def temporary_name(folder: OpenFolder) -> Iterator[str]:
    """A temporary name, whose file is removed when the block fails.

    `tempfile.mkstemp` gives the name only after it made the file: a signal between the two would leave it behind.
    """
    temporary = f".linkfix-{secrets.token_hex(8)}.tmp"
    try:
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            folder.remove(temporary)
        raise


@contextlib.contextmanager
def temporary_file(folder: OpenFolder, mode: int) -> Iterator[tuple[BinaryIO, str]]:
    """A new file under a temporary name, locked until the block ends; removed where it fails. The block renames it."""
    while True:
        with temporary_name(folder) as temporary, folder.file(temporary, "x+b", mode) as file:
            if _lock(file.fileno()):
                yield file, temporary
                return


def overwrite(folder: OpenFolder, name: str, file: BinaryIO, temporary: str) -> None:
    """Give the file `name` the content and times of a synced temporary file. Its links stay.

    What is longer than the old content is written first: where the disk is full, the old content is still whole.
    """
    stem = temporary.removesuffix(".tmp")
    new, old = f"{stem}.new", f"{stem}.old"
    with _open_to_write(folder, name) as target:
        before = os.fstat(target)
        try:
            folder.link_file(name, old)
            _check(os.path.samestat(folder.status(old), before), errno.EAGAIN, "replaced while it was converted", name)
            folder.replace(temporary, new)
        except BaseException:
            _remove(folder, old)
            raise
        folder.sync()
        try:
            _copy(file, target, start=before.st_size)
        except BaseException:
            os.ftruncate(target, before.st_size)
            _remove(folder, new, old)
            raise
        try:
            _copy(file, target)
        except BaseException:  # half of it is written by now: it is completed before anything else happens
            _copy(file, target)
            _remove(folder, new, old)
            raise
        _remove(folder, new, old)


def remove_leftovers(path: str | FilePath) -> list[str]:
    """Remove from a folder, not from those in it, what killed runs of the same user left behind; return its paths.

    What a living process writes stays, and so does what is not a regular file. Never raises `OSError`: whoever uses the
    folder sees what is wrong with it.
    """
    removed: list[str] = []
    if sys.platform == "win32":
        return removed
    with contextlib.suppress(OSError), open_folder(path) as folder:
        for stem in sorted({match[1] for name in folder.names() if (match := _NAME.fullmatch(name))}):
            with contextlib.suppress(OSError):
                removed += (os.path.join(folder.path, name) for name in _settle(folder, stem))
    return removed


def _settle(folder: OpenFolder, stem: str) -> Iterator[str]:
    """Remove the files of one replacement that no process is at work on, and yield their names."""
    temporary, new, old = f"{stem}.tmp", f"{stem}.new", f"{stem}.old"
    # In this order: the first name becomes the second one.
    for name in (temporary, new):
        if folder.find(name) is None:
            continue
        with _open_leftover(folder, name) as file:
            if name == new and folder.find(old) is not None:
                with _open_to_write(folder, old) as target:
                    _copy(file, target)
            yield from _removed(folder, name, old)
        return
    status = folder.find(old)
    if status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        yield from _removed(folder, old)


def _open_leftover(folder: OpenFolder, name: str) -> BinaryIO:
    """Open and lock a leftover. Raises `OSError` for one that somebody uses, or that is not this user's own."""
    try:
        file = folder.file(name, "r+b")
    except PermissionError:  # it has its final mode already; only some systems lock what is open to be read
        file = folder.file(name)
    try:
        status = os.fstat(file.fileno())
        own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        free = own and _lock(file.fileno(), always=True) and os.path.samestat(folder.status(name), status)
        _check(free, errno.EBUSY, "in use", name)
    except BaseException:
        file.close()
        raise
    return file


def _lock(descriptor: int, *, always: bool = False) -> bool:
    """Lock a file until it is closed. False where another has it, or removed it.

    Where the file system has no locks, that is no hindrance unless the lock is needed `always`.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return not always
    return os.fstat(descriptor).st_nlink > 0


def _check(holds: bool, number: int, message: str, name: str) -> None:  # noqa: FBT001 - of this module
    if not holds:
        raise OSError(number, message, name)


@contextlib.contextmanager
def _open_to_write(folder: OpenFolder, name: str) -> Iterator[int]:
    """The descriptor of a regular file."""
    descriptor = folder.open(name, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        _check(stat.S_ISREG(os.fstat(descriptor).st_mode), errno.EINVAL, "not a regular file", name)
        yield descriptor
    finally:
        os.close(descriptor)


def _copy(file: BinaryIO, target: int, *, start: int = 0) -> None:
    """Write a file's content from a position on, which may be behind its end, to the same place of another; sync it."""
    file.seek(start)
    os.lseek(target, start, os.SEEK_SET)
    while chunk := file.read(_CHUNK):
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(target, rest) :]
    if start == 0:
        os.ftruncate(target, os.lseek(target, 0, os.SEEK_CUR))
        with contextlib.suppress(OSError):  # only the owner may set times
            status = os.fstat(file.fileno())
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.fsync(target)


def _remove(folder: OpenFolder, *names: str) -> None:
    for _ in _removed(folder, *names):
        pass


def _removed(folder: OpenFolder, *names: str) -> Iterator[str]:
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            folder.remove(name)
            yield name
