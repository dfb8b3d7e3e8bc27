"""Files: read whole and unchanged, replaced atomically, copied as they are. Knows nothing of documents.

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
    "inside",
    "is_temporary",
    "link",
    "read",
    "rewrite",
    "write",
]

T = TypeVar("T")

_TEMPORARY = re.compile(r"\.linkfix-[0-9a-f]{16}\.tmp")
#: A link that replaced the file since it was listed is refused, and a FIFO does not block.
_FLAGS: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FileChanged(OSError):
    """The file was written to while it was read, twice in a row."""


class FileTooLarge(OSError):
    """The file has more bytes than the limit."""


class NotARegularFile(OSError):
    """A folder, device, socket or pipe."""


class _NothingNew(Exception):
    """What was written is what is there."""


class Snapshot(NamedTuple):
    """A file's content, and its status when that was read."""

    data: bytes
    status: os.stat_result


def is_temporary(name: str) -> bool:
    """Whether a file name (no folder) is one that a stopped run can leave behind."""
    return _TEMPORARY.fullmatch(name) is not None


def inside(path: str, folder: str) -> bool:
    """Whether a real path is the folder's own, or that of something in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def read(path: str, *, limit: int | None = None) -> Snapshot:
    """Read a regular file that nobody writes to meanwhile; a file that changes is read a second time.

    `limit` is in bytes. A symbolic link is not followed. Raises `FileChanged`, `FileTooLarge`, `NotARegularFile` and
    any other `OSError`; each has `strerror` and `filename`.
    """

    def content(file: BinaryIO) -> bytes:
        if limit is not None and os.fstat(file.fileno()).st_size > limit:
            raise FileTooLarge(errno.EFBIG, f"larger than {limit:,} bytes", path)
        return file.read()

    return Snapshot(*_unchanged(path, content))


def write(target: str, data: bytes, *, like: str | None = None, expected: os.stat_result | None = None) -> None:
    """Make `target` a file of these bytes, with the mode and extended attributes of the file `like`; without one, of
    the file that it replaces, or those that a new file gets.

    `expected`: the status with which `target` was read; a file that was written to since raises `FileChanged` and
    stays.
    """
    if like is None and os.path.lexists(target):
        like = target
    with _beside(target, _create if like else _create_new) as (file, temporary):
        file.write(data)
        _keep_owner(target, temporary)
        if like:
            shutil.copystat(like, temporary)
        os.utime(temporary)
        if expected is not None and _version(os.lstat(target)) != _version(expected):
            raise FileChanged(errno.EAGAIN, "changed while it was converted", target)


def copy(source: str, target: str) -> None:
    """Copy a regular file, with its mode, times and extended attributes. Raises what `read` raises."""
    with _beside(target) as (copied, temporary):

        def content(file: BinaryIO) -> None:
            copied.seek(0)
            copied.truncate()
            shutil.copyfileobj(file, copied, 1 << 20)

        _unchanged(source, content)
        copied.flush()
        shutil.copystat(source, temporary)


def rewrite(source: str, target: str, convert: Callable[[BinaryIO, BinaryIO], bool]) -> None:
    """Make `target`, which may be `source` itself, what `convert(source, out)` writes of a regular file.

    It says whether that is anything new: if not, a file that would replace itself stays, and another keeps the times
    as `copy` does. It is called again where the file changed meanwhile. Raises what `read` and `write` raise.
    """
    with contextlib.suppress(_NothingNew), _beside(target) as (out, temporary):
        new = False

        def content(file: BinaryIO) -> None:
            nonlocal new
            out.seek(0)
            out.truncate()
            new = convert(file, out)
            file.seek(0, os.SEEK_END)

        _, status = _unchanged(source, content)
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
    with _temporary(os.path.dirname(target)) as temporary:
        os.symlink(text, temporary)
        os.replace(temporary, target)


def _unchanged(path: str, content: Callable[[BinaryIO], T]) -> tuple[T, os.stat_result]:
    """What `content` makes of an open file whose size and time of change were the same before and after."""
    for _ in range(2):
        with open(path, "rb", opener=_open) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise NotARegularFile(errno.EINVAL, "not a regular file", path)
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
    return os.open(path, flags, 0o666)  # less what the umask takes away


def _version(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextlib.contextmanager
def _beside(target: str, opener: Callable[[str, int], int] = _create) -> Iterator[tuple[BinaryIO, str]]:
    """A temporary file in the target's folder, which takes the target's place when the block ends without error.

    Only where it replaces a file is it synced first: a new name has no old content to lose.
    """
    folder = os.path.dirname(target) or "."
    with _temporary(folder) as temporary:
        with open(temporary, "xb", opener=opener) as file:
            yield file, temporary
            file.flush()
            replaces = os.path.lexists(target)
            if replaces:
                os.fsync(file.fileno())
        os.replace(temporary, target)
    if replaces:
        _sync_folder(folder)


@contextlib.contextmanager
def _temporary(folder: str) -> Iterator[str]:
    """A name that does not stand for anything yet; what it stands for is removed when the block fails.

    `tempfile.mkstemp` tells the name only after it made the file: a signal between the two would leave it behind.
    """
    temporary = os.path.join(folder, f".linkfix-{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _keep_owner(target: str, temporary: str) -> None:
    """Where a file is replaced, its owner stays as far as the system allows it (as root, it does)."""
    with contextlib.suppress(OSError, AttributeError):
        status = os.lstat(target)
        os.chown(temporary, status.st_uid, status.st_gid)


def _sync_folder(folder: str) -> None:
    """Make a rename durable; not every system can (Windows opens no folders, some file systems sync none)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
