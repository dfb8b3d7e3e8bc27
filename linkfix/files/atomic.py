"""Reading files that do not change meanwhile, replacing them atomically, copying them. Knows nothing of documents.

A file is replaced only by a complete one: written beside it under a temporary name, synced, renamed. Whatever stops a
run, a name stands for its old content or for its new content, never for a part. Names are `str` with Python's
surrogate escapes, so that names that are not UTF-8 work.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, TypeVar

__all__ = [
    "FileChanged",
    "FileTooLarge",
    "NotARegularFile",
    "Snapshot",
    "copy",
    "is_inside",
    "is_temporary",
    "link",
    "make_folder",
    "open_file",
    "read",
    "rewrite",
    "write",
]

T = TypeVar("T")

_TEMPORARY = re.compile(r"\.linkfix-[0-9a-f]{16}\.tmp")
#: A symbolic link that replaced the file since it was listed is refused, and a FIFO does not block.
_FLAGS: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FileChanged(OSError):
    """The file was written to while it was read or converted."""


class FileTooLarge(OSError):
    """The file has more bytes than the limit."""


class NotARegularFile(OSError):
    """A folder, device, socket or pipe."""


class _NothingNew(Exception):
    """The new content is the old one."""


class Snapshot(NamedTuple):
    """A file as it was read."""

    data: bytes
    status: os.stat_result
    """Its status at that time, for `write`."""


def is_temporary(name: str) -> bool:
    """Whether a file name (no folder) is one that an interrupted run can leave behind."""
    return _TEMPORARY.fullmatch(name) is not None


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is the folder's own, or that of something in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def make_folder(folder: str, *, inside: str) -> None:
    """Make a folder and its parents. Raises `OSError` where a symbolic link puts it outside of the folder `inside`."""
    if not is_inside(os.path.realpath(folder), os.path.realpath(inside)):
        raise OSError(errno.EPERM, "a symbolic link leads out of the output folder", folder)
    os.makedirs(folder, exist_ok=True)


def open_file(path: str) -> BinaryIO:
    """Open a regular file to read it; a symbolic link is not followed. Raises `NotARegularFile` and other `OSError`."""
    file = open(path, "rb", opener=_open)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotARegularFile(errno.EINVAL, "not a regular file", path)
    return file


def read(path: str, *, limit: int | None = None) -> Snapshot:
    """Read a regular file; one that changes while it is read is read a second time.

    `limit` is in bytes. A symbolic link is not followed. Raises `FileChanged`, `FileTooLarge`, `NotARegularFile` and
    any other `OSError`; each has `strerror` and `filename`.
    """

    def content(file: BinaryIO) -> bytes:
        if limit is not None and os.fstat(file.fileno()).st_size > limit:
            raise FileTooLarge(errno.EFBIG, f"larger than {limit:,} bytes", path)
        return file.read()

    return Snapshot(*_read_unchanged(path, content))


def write(target: str, data: bytes, *, like: str | None = None, expected: os.stat_result | None = None) -> None:
    """Make `target` a file of these bytes.

    It gets the mode and extended attributes of the file `like`, or else those of the file that it replaces, or else
    those of a new file. `expected`: the status that `target` had when it was read. Where it was written to since, it
    stays, and `FileChanged` is raised.
    """
    if like is None and os.path.lexists(target):
        like = target
    with _temporary_beside(target, _create if like else _create_new) as (file, temporary):
        file.write(data)
        _keep_owner(target, temporary)
        if like:
            shutil.copystat(like, temporary)
        os.utime(temporary)
        if expected is not None and _version(os.lstat(target)) != _version(expected):
            raise FileChanged(errno.EAGAIN, "changed while it was converted", target)


def copy(source: str, target: str) -> None:
    """Copy a regular file, with its mode, times and extended attributes. Raises what `read` raises."""
    with _temporary_beside(target) as (copied, temporary):

        def content(file: BinaryIO) -> None:
            copied.seek(0)
            copied.truncate()
            shutil.copyfileobj(file, copied, 1 << 20)

        _read_unchanged(source, content)
        copied.flush()
        shutil.copystat(source, temporary)


def rewrite(source: str, target: str, convert: Callable[[BinaryIO, BinaryIO], bool]) -> None:
    """Make `target`, which may be `source` itself, what `convert(source, out)` writes.

    It returns whether that differs from the source. If not, `source` is not replaced by itself, and another target gets
    the source's times, as by `copy`. It can read `out` too, and is called a second time where the file changed
    meanwhile. Raises what `read` and `write` raise.
    """
    with contextlib.suppress(_NothingNew), _temporary_beside(target) as (out, temporary):
        new = False

        def content(file: BinaryIO) -> None:
            nonlocal new
            out.seek(0)
            out.truncate()
            new = convert(file, out)
            file.seek(0, os.SEEK_END)

        _, status = _read_unchanged(source, content)
        if target == source and not new:
            raise _NothingNew
        out.flush()
        _keep_owner(target, temporary)
        shutil.copystat(source, temporary)
        if new:
            os.utime(temporary)
        if target == source and _version(os.lstat(target)) != _version(status):
            raise FileChanged(errno.EAGAIN, "changed while it was converted", target)


def link(text: str, target: str) -> None:
    """Make `target` a symbolic link to `text`."""
    with _temporary_name(os.path.dirname(target)) as temporary:
        os.symlink(text, temporary)
        os.replace(temporary, target)


def _read_unchanged(path: str, content: Callable[[BinaryIO], T]) -> tuple[T, os.stat_result]:
    """The result of `content(file)` for a file whose size and time were the same before and after, and its status."""
    for _ in range(2):
        with open_file(path) as file:
            before = os.fstat(file.fileno())
            result = content(file)
            after = os.fstat(file.fileno())
            if _version(before) == _version(after) and file.tell() == after.st_size:
                return result, after
    raise FileChanged(errno.EAGAIN, "changed while it was read", path)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _FLAGS)


def _create(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _create_new(path: str, flags: int) -> int:
    return os.open(path, flags, 0o666)  # the umask applies


def _version(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextlib.contextmanager
def _temporary_beside(target: str, opener: Callable[[str, int], int] = _create) -> Iterator[tuple[BinaryIO, str]]:
    """A temporary file in the target's folder, which replaces the target when the block ends without error.

    It is synced first only where there is a file to replace: a new name has no old content to lose.
    """
    folder = os.path.dirname(target) or "."
    with _temporary_name(folder) as temporary:
        with open(temporary, "x+b", opener=opener) as file:
            yield file, temporary
            file.flush()
            replaces = os.path.lexists(target)
            if replaces:
                os.fsync(file.fileno())
        os.replace(temporary, target)
    if replaces:
        _sync_folder(folder)


@contextlib.contextmanager
def _temporary_name(folder: str) -> Iterator[str]:
    """A temporary name, whose file is removed when the block fails.

    `tempfile.mkstemp` gives the name only after it made the file: a signal between the two would leave it behind.
    """
    temporary = os.path.join(folder, f".linkfix-{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _keep_owner(target: str, temporary: str) -> None:
    """Give the new file the owner of the one that it replaces, as far as the system allows it (to root, it does)."""
    with contextlib.suppress(OSError, AttributeError):
        status = os.lstat(target)
        os.chown(temporary, status.st_uid, status.st_gid)


def _sync_folder(folder: str) -> None:
    """Make a rename durable, where the system can: Windows opens no folders, some file systems sync none."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
