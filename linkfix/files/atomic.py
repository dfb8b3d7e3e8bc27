"""Reading files that do not change meanwhile, replacing them atomically, copying them. Knows nothing of documents.

A file is replaced only by a complete one: written beside it under a temporary name, synced, renamed. Whatever stops a
run, a name stands for its old content or for its new content, never for a part. Names are `str` with Python's
surrogate escapes, so that names that are not UTF-8 work.

A path is a `str` where a caller named it, and a `FilePath` where it was found below a folder: then no symbolic link is
followed on the way from that folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, TypeVar

from linkfix.files.descriptors import (
    BY_DESCRIPTOR,
    FilePath,
    OpenFolder,
    copy_metadata,
    is_inside,
    make_folder,
    open_folder,
    open_parent,
)
from linkfix.files.temporary import is_temporary, overwrite, remove_leftovers, temporary_file, temporary_name

__all__ = [
    "FileChanged",
    "FilePath",
    "FileTooLarge",
    "NotARegularFile",
    "Snapshot",
    "copy",
    "copy_folder_metadata",
    "hard_link",
    "is_inside",
    "is_temporary",
    "link",
    "make_folder",
    "open_file",
    "read",
    "remove_leftovers",
    "rewrite",
    "write",
]

T = TypeVar("T")

#: The mode of a new file, from which the umask takes away, and of one that gets another's mode before it has its name.
_NEW, _PRIVATE = 0o666, 0o600


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


@dataclass(slots=True)
class _Successor:
    """A file that takes a name when it is complete."""

    file: BinaryIO
    expected: os.stat_result | None = None
    """The status that the file which it replaces must still have then."""


def open_file(path: str | FilePath) -> BinaryIO:
    """Open a regular file to read it; a symbolic link is not followed. Raises `NotARegularFile` and other `OSError`."""
    with open_parent(path) as (folder, name):
        return _open_regular(folder, name)


def read(path: str | FilePath, *, limit: int | None = None) -> Snapshot:
    """Read a regular file; one that changes while it is read is read a second time.

    `limit` is in bytes. A symbolic link is not followed. Raises `FileChanged`, `FileTooLarge`, `NotARegularFile` and
    any other `OSError`; each has `strerror` and `filename`.
    """

    def content(file: BinaryIO) -> bytes:
        if limit is not None and os.fstat(file.fileno()).st_size > limit:
            raise FileTooLarge(errno.EFBIG, f"larger than {limit:,} bytes", file.name)
        return file.read()

    with open_parent(path) as (folder, name):
        return Snapshot(*_read_unchanged(folder, name, content))


def write(  # noqa: PLR0913 - what is written, and what of the old file stays
    target: str | FilePath,
    data: bytes,
    *,
    like: str | FilePath | None = None,
    expected: os.stat_result | None = None,
    keep_hard_links: bool = False,
    preserve_times: bool = False,
) -> None:
    """Make `target` a file of these bytes.

    It gets the mode and extended attributes of the file `like`, or else those of the file that it replaces, or else
    those of a new file. `expected`: the status that `target` had when it was read. Where it was written to since, it
    stays, and `FileChanged` is raised. `keep_hard_links`: a file with several names is overwritten, so that all of them
    have the new content; see `linkfix.files.temporary`. `preserve_times`: it gets the times of that other file too.
    """
    with open_parent(target) as (folder, name), _open_model(like, target, folder, name) as model:
        mode = _NEW if model is None else _PRIVATE
        with _replace(folder, name, mode, keep_hard_links=keep_hard_links) as new:
            new.expected = expected
            new.file.write(data)
            _take_metadata(new.file, model, times=preserve_times)


def copy(source: str | FilePath, target: str | FilePath) -> None:
    """Copy a regular file, with its mode, times and extended attributes. Raises what `read` raises."""
    with open_parent(source) as (outer, original), open_parent(target) as (folder, name), _replace(folder, name) as new:

        def content(file: BinaryIO) -> None:
            new.file.seek(0)
            new.file.truncate()
            shutil.copyfileobj(file, new.file, 1 << 20)
            _take_metadata(new.file, file, times=True)

        _read_unchanged(outer, original, content)


def rewrite(
    source: str | FilePath,
    target: str | FilePath,
    convert: Callable[[BinaryIO, BinaryIO], bool],
    *,
    keep_hard_links: bool = False,
    preserve_times: bool = False,
) -> None:
    """Make `target`, which may be `source` itself, what `convert(source, out)` writes.

    It returns whether that differs from the source. If not, `source` is not replaced by itself, and another target gets
    the source's times, as by `copy`. It is called a second time where the file changed meanwhile. For the other
    arguments see `write`. Raises what `read` and `write` raise.
    """
    with (
        open_parent(source) as (outer, original),
        open_parent(target) as (folder, name),
        contextlib.suppress(_NothingNew),
        _replace(folder, name, keep_hard_links=keep_hard_links) as new,
    ):
        changed = False

        def content(file: BinaryIO) -> None:
            nonlocal changed
            new.file.seek(0)
            new.file.truncate()
            changed = convert(file, new.file)
            _take_metadata(new.file, file, times=preserve_times or not changed)
            file.seek(0, os.SEEK_END)

        _, status = _read_unchanged(outer, original, content)
        if target == source:
            if not changed:
                raise _NothingNew
            new.expected = status


def link(text: str, target: str | FilePath) -> None:
    """Make `target` a symbolic link to `text`."""
    with open_parent(target) as (folder, name):
        try:
            folder.link_text(text, name)
        except FileExistsError:
            with temporary_name(folder) as temporary:
                folder.link_text(text, temporary)
                folder.replace(temporary, name)


def hard_link(source: str | FilePath, target: str | FilePath) -> None:
    """Make `target` another name of the file `source`."""
    with open_parent(source) as (outer, original), open_parent(target) as (folder, name):
        try:
            folder.link_file(original, name, folder=outer)
        except FileExistsError:
            if os.path.samestat(outer.status(original), folder.status(name)):
                return  # to rename one name of a file to another does nothing
            with temporary_name(folder) as temporary:
                folder.link_file(original, temporary, folder=outer)
                folder.replace(temporary, name)


def copy_folder_metadata(source: str | FilePath, target: str | FilePath) -> None:
    """Give a folder the mode, times and extended attributes of another."""
    with open_folder(source) as original, open_folder(target) as folder:
        folder.copy_metadata(original)


def _open_regular(folder: OpenFolder, name: str) -> BinaryIO:
    file = folder.file(name)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotARegularFile(errno.EINVAL, "not a regular file", file.name)
    return file


def _read_unchanged(folder: OpenFolder, name: str, content: Callable[[BinaryIO], T]) -> tuple[T, os.stat_result]:
    """The result of `content(file)` for a file whose size and time were the same before and after, and its status."""
    for _ in range(2):
        with _open_regular(folder, name) as file:
            before = os.fstat(file.fileno())
            result = content(file)
            after = os.fstat(file.fileno())
            if _version(before) == _version(after) and file.tell() == after.st_size:
                return result, after
    raise FileChanged(errno.EAGAIN, "changed while it was read", name)


def _version(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextlib.contextmanager
def _open_model(
    like: str | FilePath | None, target: str | FilePath, folder: OpenFolder, name: str
) -> Iterator[BinaryIO | None]:
    """The file whose mode and attributes a new one gets: `like`, or the one that it replaces; None for none."""
    if like is not None and like != target:
        with open_file(like) as file:
            yield file
        return
    status = folder.find(name)
    if like is None and (status is None or not stat.S_ISREG(status.st_mode)):
        yield None
        return
    with _open_regular(folder, name) as file:
        yield file


def _take_metadata(file: BinaryIO, model: BinaryIO | None, *, times: bool) -> None:
    """Give a new file, which is written, the mode and attributes of another one, and its `times` or those of now."""
    file.flush()
    if model is not None:
        copy_metadata(model, file)
        if not times:
            os.utime(file.fileno() if BY_DESCRIPTOR else file.name)


@contextlib.contextmanager
def _replace(
    folder: OpenFolder, name: str, mode: int = _PRIVATE, *, keep_hard_links: bool = False
) -> Iterator[_Successor]:
    """A new file in the folder, which takes the name when the block ends without error.

    It is synced first only where there is a file to replace: a new name has no old content to lose. It gets the owner
    of that file, as far as the system allows it (to root, it does).
    """
    with temporary_file(folder, mode) as (file, temporary):
        new = _Successor(file)
        yield new
        file.flush()
        before = folder.find(name)
        if before is not None:
            os.fsync(file.fileno())
            before = folder.status(name)
        if new.expected is not None and (before is None or _version(before) != _version(new.expected)):
            raise FileChanged(errno.EAGAIN, "changed while it was converted", name)
        if keep_hard_links and before is not None and stat.S_ISREG(before.st_mode) and before.st_nlink > 1:
            overwrite(folder, name, file, temporary)
            return
        if before is not None:
            _keep_owner(file, before)
        if not BY_DESCRIPTOR:
            file.close()  # Windows renames no open file
        folder.replace(temporary, name)
        if before is not None:
            folder.sync()


def _keep_owner(file: BinaryIO, before: os.stat_result) -> None:
    """Give a new file the owner of an old one. A change of the owner takes bits of the mode away."""
    with contextlib.suppress(OSError, AttributeError):
        now = os.fstat(file.fileno())
        if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
            os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(now.st_mode))
