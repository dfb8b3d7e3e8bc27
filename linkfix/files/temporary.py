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
import itertools
import os
import stat
import sys
from collections.abc import Iterator
from typing import Self

from linkfix.files.copying import write_all
from linkfix.files.descriptors import FilePath, OpenFolder, open_folder
from linkfix.lazy import lazy_pattern

if sys.platform != "win32":
    import fcntl

__all__ = [
    "TemporaryFile",
    "is_temporary",
    "overwrite",
    "remove_leftovers",
    "temporary_name",
]

_NAME = lazy_pattern(r"\.linkfix-[0-9a-f]{16}\.(?:tmp|new|old)")
_CHUNK = 1 << 20


def is_temporary(name: str) -> bool:
    """Whether a file name (no folder) is one that an interrupted run can leave behind."""
    return name.startswith(".linkfix-") and _NAME.fullmatch(name) is not None


class _TemporaryNames:
    """Temporary names, each new: numbers that go up from a random one, of each process its own."""

    def __init__(self) -> None:
        self.start_anew()

    def start_anew(self) -> None:
        self._numbers = itertools.count(int.from_bytes(os.urandom(8), "big"))

    def __next__(self) -> str:
        return f".linkfix-{next(self._numbers) & 0xFFFFFFFFFFFFFFFF:016x}.tmp"


_names = _TemporaryNames()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_names.start_anew)


@contextlib.contextmanager
def temporary_name(folder: OpenFolder) -> Iterator[str]:
    """A temporary name, whose file is removed when the block fails.

    `tempfile.mkstemp` gives the name only after it made the file: a signal between the two would leave it behind.
    """
    temporary = next(_names)
    try:
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            folder.remove(temporary)
        raise


class TemporaryFile:
    """A new file under a temporary name, open for a block: locked until that ends, and removed where it fails.

    The block renames it. This is no generator, which would take several times as long.
    """

    __slots__ = ("_folder", "_mode", "descriptor", "name")

    def __init__(self, folder: OpenFolder, mode: int) -> None:
        """`mode`: the file's, from which the umask takes away."""
        self._folder = folder
        self._mode = mode
        self.name: str = ""
        self.descriptor: int = -1
        """To write and read it."""

    def __enter__(self) -> Self:
        try:
            while True:
                self.name = next(_names)
                self.descriptor = self._folder.open(self.name, os.O_RDWR | os.O_CREAT | os.O_EXCL, self._mode)
                if _lock(self.descriptor):
                    return self
                self.close()  # it is somebody else's by now, or gone
        except BaseException:
            self._remove()
            raise

    def __exit__(self, _type: object, error: object, _traceback: object) -> None:
        if error is None:
            self.close()
        else:
            self._remove()

    def __del__(self) -> None:
        """Remove it where a signal came before the block began, or before `__exit__` did."""
        if self.descriptor >= 0:
            self._remove()

    def close(self) -> None:
        """Close it, which ends its lock. Does nothing the second time."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _remove(self) -> None:
        self.close()
        with contextlib.suppress(OSError):
            self._folder.remove(self.name)


def overwrite(folder: OpenFolder, name: str, file: TemporaryFile) -> None:
    """Give the file `name` the content and times of a synced temporary file. Its links stay.

    What is longer than the old content is written first: where the disk is full, the old content is still whole.
    """
    stem = file.name.removesuffix(".tmp")
    new, old = f"{stem}.new", f"{stem}.old"
    with _open_to_write(folder, name) as target:
        before = os.fstat(target)
        try:
            folder.link_file(name, old)
            _check(os.path.samestat(folder.status(old), before), errno.EAGAIN, "replaced while it was converted", name)
            folder.replace(file.name, new)
        except BaseException:
            _remove(folder, old)
            raise
        folder.sync()
        try:
            _copy(file.descriptor, target, start=before.st_size)
        except BaseException:
            os.ftruncate(target, before.st_size)
            _remove(folder, new, old)
            raise
        try:
            _copy(file.descriptor, target)
        except BaseException:  # half of it is written by now: it is completed before anything else happens
            _copy(file.descriptor, target)
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
        left = filter(is_temporary, folder.names())
        for stem in sorted({os.path.splitext(name)[0] for name in left}):
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


@contextlib.contextmanager
def _open_leftover(folder: OpenFolder, name: str) -> Iterator[int]:
    """Open and lock a leftover. Raises `OSError` for one that somebody uses, or that is not this user's own."""
    try:
        file = folder.open(name, os.O_RDWR)
    except PermissionError:  # it has its final mode already; only some systems lock what is open to be read
        file = folder.open(name, os.O_RDONLY)
    try:
        status = os.fstat(file)
        own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        free = own and _lock(file, always=True) and os.path.samestat(folder.status(name), status)
        _check(free, errno.EBUSY, "in use", name)
        yield file
    finally:
        os.close(file)


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
    descriptor = folder.open(name, os.O_WRONLY)
    try:
        _check(stat.S_ISREG(os.fstat(descriptor).st_mode), errno.EINVAL, "not a regular file", name)
        yield descriptor
    finally:
        os.close(descriptor)


def _copy(file: int, target: int, *, start: int = 0) -> None:
    """Write a file's content from a position on, which may be behind its end, to the same place of another; sync it."""
    os.lseek(file, start, os.SEEK_SET)
    os.lseek(target, start, os.SEEK_SET)
    while chunk := os.read(file, _CHUNK):
        write_all(target, chunk)
    if start == 0:
        os.ftruncate(target, os.lseek(target, 0, os.SEEK_CUR))
        with contextlib.suppress(OSError):  # only the owner may set times
            status = os.fstat(file)
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
