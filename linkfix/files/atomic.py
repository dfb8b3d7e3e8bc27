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
import itertools
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self, TypeVar, cast

from linkfix.files.descriptors import (
    BY_DESCRIPTOR,
    Attributes,
    FilePath,
    OpenFolder,
    attributes_of,
    copy_content,
    give_metadata,
    open_folder,
    open_parent,
    write_all,
)
from linkfix.lazy import lazy_pattern

# Temporary files: each is locked while a process writes it, so that what a killed process left is told, and removed.
#
# A file is written under a temporary name in its own folder, and renamed when it is complete. (Linux can write a file
# without a name, but gives it no name that is taken, so that a name is needed all the same.) The lock is `flock`: it
# goes when its process does, however that ends. Where a file system has no such locks, nothing is removed; where its
# locks do not reach other machines, one machine at a time can write to a folder.
#
# A file with hard links that must stay is overwritten, which a kill can stop halfway. So its complete new content is
# `….new` then, and `….old` is one more hard link to the file that is overwritten: `remove_leftovers` completes that.


if sys.platform != "win32":
    import fcntl

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


def remove_leftovers(path: str | FilePath, *, overwritten: bool = True) -> list[str]:
    """Remove from a folder, not from those in it, what killed runs of the same user left behind; return its paths.

    `overwritten`: complete a file with hard links that was overwritten in part; else what belongs to it stays. What a
    living process writes stays, and so does what is not a regular file. Never raises `OSError`: whoever uses the
    folder sees what is wrong with it.
    """
    removed: list[str] = []
    if sys.platform == "win32":
        return removed
    with contextlib.suppress(OSError), open_folder(path) as folder:
        left = filter(is_temporary, folder.names())
        for stem in sorted({os.path.splitext(name)[0] for name in left}):
            with contextlib.suppress(OSError):
                removed += (os.path.join(folder.path, name) for name in _settle(folder, stem, overwritten=overwritten))
    return removed


def is_half_overwritten(path: FilePath) -> bool:
    """Whether a killed run overwrote a part of a file with hard links, which `remove_leftovers` would complete."""
    with contextlib.suppress(OSError), open_parent(path) as (folder, name):
        status = folder.status(name)
        links = (other for other in folder.names() if is_temporary(other) and other.endswith(".old"))
        return any(os.path.samestat(folder.status(other), status) for other in links)
    return False


def _settle(folder: OpenFolder, stem: str, *, overwritten: bool) -> Iterator[str]:
    """Remove the files of one replacement that no process is at work on, and yield their names."""
    temporary, new, old = f"{stem}.tmp", f"{stem}.new", f"{stem}.old"
    # In this order: the first name becomes the second one.
    for name in (temporary, new):
        if folder.find(name) is None:
            continue
        with _open_leftover(folder, name) as file:
            if name == new and folder.find(old) is not None:
                if not overwritten:
                    return
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


def _check(holds: bool, number: int, message: str, name: str) -> None:
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


T = TypeVar("T")

#: The mode of a new file, from which the umask takes away, and of one that gets another's mode before it has its name.
_NEW, _PRIVATE = 0o666, 0o600

#: The number of bytes that are read at a time of a file that grows.
_PIECE = 1 << 20


#: The errors that only writing has: no space, a file that is too large, a read-only file system.
_OF_WRITING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG})


def will_recur(error: BaseException, output: str | None = None) -> bool:
    """Whether writing any other file would fail too: the disk is full or read-only, or the folder `output` is."""
    if not isinstance(error, OSError) or isinstance(error, FileTooLarge):
        return False
    if isinstance(error, PermissionError):
        return output is not None and not os.access(output, os.W_OK | os.X_OK)
    return error.errno in _OF_WRITING - {errno.EFBIG}


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
    attributes: Attributes = ()
    """Its extended attributes, where they were asked for."""


class _Successor:
    """A new file in a folder, which takes a name there when its block ends without error.

    It is synced first only where there is a file to replace: a new name has no old content to lose. It gets the owner
    of that file, as far as the system allows it (to root, it does).
    """

    __slots__ = ("_folder", "_keep_hard_links", "_name", "expected", "file", "handle")

    def __init__(self, folder: OpenFolder, name: str, mode: int = _PRIVATE, *, keep_hard_links: bool = False) -> None:
        self._folder = folder
        self._name = name
        self._keep_hard_links = keep_hard_links
        self.file: TemporaryFile = TemporaryFile(folder, mode)
        self.handle: int | str = -1
        """The path, or the name in an open folder, for functions of `os`."""
        self.expected: os.stat_result | None = None
        """The status that the file which it replaces must still have then."""

    def __enter__(self) -> Self:
        try:
            file = self.file.__enter__()
        except OSError as error:
            self._name_in(error)
            raise
        self.handle = _handle(file.descriptor, self._folder, file.name)
        return self

    def __exit__(
        self, type_: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            try:
                self._take_name()
            except BaseException as failure:
                self._name_in(failure)
                self.file.__exit__(type(failure), failure, None)
                raise
        elif getattr(error, "errno", None) in _OF_WRITING:
            self._name_in(error)
        self.file.__exit__(type_, error, traceback)

    def _name_in(self, error: BaseException) -> None:
        """Put the name of the file into an error that has none, or the temporary name."""
        if isinstance(error, OSError) and (not error.filename or is_temporary(os.path.basename(str(error.filename)))):
            error.filename, error.filename2 = self._folder.path_of(self._name), None

    def start_again(self) -> None:
        """Make it empty."""
        os.lseek(self.file.descriptor, 0, os.SEEK_SET)
        os.ftruncate(self.file.descriptor, 0)

    def _take_name(self) -> None:
        folder, name, file = self._folder, self._name, self.file
        before = folder.find(name)
        if before is not None:
            os.fsync(file.descriptor)
            before = folder.status(name)
        if self.expected is not None and (before is None or _version(before) != _version(self.expected)):
            raise FileChanged(errno.EAGAIN, "changed while it was converted", name)
        if self._keep_hard_links and before is not None and stat.S_ISREG(before.st_mode) and before.st_nlink > 1:
            overwrite(folder, name, file)
            return
        if before is not None:
            _keep_owner(file.descriptor, before)
        if not BY_DESCRIPTOR:
            file.close()  # Windows renames no open file
        folder.replace(file.name, name)
        if before is not None:
            folder.sync()


def open_file(path: str | FilePath) -> BinaryIO:
    """Open a regular file to read it; a symbolic link is not followed. Raises `NotARegularFile` and other `OSError`."""
    with open_parent(path) as (folder, name):
        file = folder.file(name)
        try:
            _require_regular(os.fstat(file.fileno()), file.name)
        except BaseException:
            file.close()
            raise
        return file


def opener_beside(file: FilePath) -> Callable[[str], BinaryIO]:
    """Return a function that opens a regular file in the folder of `file` by its name: see `open_file`. It also raises
    `ValueError`, for a name that no file can have.
    """
    folder = os.path.dirname(file.path)
    return lambda name: open_file(FilePath(os.path.join(folder, name), file.root))


def read(path: str | FilePath, *, limit: int | None = None, attributes: bool = False) -> Snapshot:
    """Read a regular file, and its extended `attributes`; one that changes while it is read is read a second time.

    `limit` is in bytes. A symbolic link is not followed. Raises `FileChanged`, `FileTooLarge`, `NotARegularFile` and
    any other `OSError`; each has `strerror` and `filename`.
    """

    def content(descriptor: int, status: os.stat_result) -> tuple[tuple[bytes, Attributes], int]:
        if limit is not None and status.st_size > limit:
            raise FileTooLarge(errno.EFBIG, f"larger than {limit:,} bytes", folder.path_of(name))
        data = _read_to_end(descriptor, status.st_size)
        return (data, attributes_of(_handle(descriptor, folder, name)) if attributes else ()), len(data)

    with open_parent(path) as (folder, name):
        (data, found), status = _read_unchanged(folder, name, content)
        return Snapshot(data, status, found)


def write(
    target: str | FilePath,
    data: bytes,
    *,
    like: str | FilePath | Snapshot | None = None,
    expected: os.stat_result | None = None,
    keep_hard_links: bool = False,
    preserve_times: bool = False,
) -> None:
    """Make `target` a file of these bytes.

    It gets the mode and extended attributes of the file `like`, or else those of the file that it replaces, or else
    those of a new file. `expected`: the status that `target` had when it was read. Where it was written to since, it
    stays, and `FileChanged` is raised. `keep_hard_links`: a file with several names is overwritten, so that all of them
    have the new content; see `linkfix.files.atomic`. `preserve_times`: it gets the times of that other file too.
    """
    with open_parent(target) as (folder, name):
        model = like if isinstance(like, Snapshot) else _model(like, target, folder, name)
        mode = _NEW if model is None else _PRIVATE
        with _Successor(folder, name, mode, keep_hard_links=keep_hard_links) as new:
            new.expected = expected
            write_all(new.file.descriptor, data)
            if model is not None:
                give_metadata(new.handle, model.status, model.attributes, times=preserve_times)


@contextlib.contextmanager
def create(target: str | FilePath, *, replace: bool = False) -> Generator[BinaryIO, None, None]:
    """A file to write to, which becomes `target` when the block ends without error. Raises FileExistsError if there is
    one then, which is not to be replaced. A new file keeps the mode and attributes of the one that it replaces.
    """
    with open_parent(target) as (folder, name):
        model = _model(None, target, folder, name) if replace else None
        with _Successor(folder, name, _NEW if model is None else _PRIVATE) as new:
            with _stream(new.file.descriptor, "w+b") as out:
                yield out
            if not replace and folder.find(name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), folder.path_of(name))
            if model is not None:
                give_metadata(new.handle, model.status, model.attributes, times=False)


def copy(source: str | FilePath, target: str | FilePath) -> None:
    """Copy a regular file, with its mode, times and extended attributes. Raises what `read` raises."""
    with (
        open_parent(source) as (outer, original),
        open_parent(target) as (folder, name),
        _Successor(folder, name) as new,
    ):

        def content(descriptor: int, status: os.stat_result) -> tuple[None, int]:
            new.start_again()
            size = copy_content(descriptor, new.file.descriptor, status.st_size)
            give_metadata(new.handle, status, attributes_of(_handle(descriptor, outer, original)), times=True)
            return None, size

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
    the source's times, as by `copy`. It can read `out` too, and is called a second time where the file changed
    meanwhile. For the other arguments see `write`. Raises what `read` and `write` raise.
    """
    with (
        open_parent(source) as (outer, original),
        open_parent(target) as (folder, name),
        contextlib.suppress(_NothingNew),
        _Successor(folder, name, keep_hard_links=keep_hard_links) as new,
    ):
        changed = False

        def content(descriptor: int, status: os.stat_result) -> tuple[None, int]:
            nonlocal changed
            new.start_again()
            with _stream(descriptor, "rb") as file, _stream(new.file.descriptor, "w+b") as out:
                changed = convert(file, out)
            attributes = attributes_of(_handle(descriptor, outer, original))
            give_metadata(new.handle, status, attributes, times=preserve_times or not changed)
            return None, os.lseek(descriptor, 0, os.SEEK_END)

        _, status = _read_unchanged(outer, original, content)
        if target == source:
            if not changed:
                raise _NothingNew
            new.expected = status


def _stream(descriptor: int, how: str) -> BinaryIO:
    return cast("BinaryIO", open(descriptor, how, closefd=False))


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


def _require_regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise NotARegularFile(errno.EINVAL, "not a regular file", path)


def _open_regular(folder: OpenFolder, name: str) -> tuple[int, os.stat_result]:
    """The descriptor of a regular file, and its status. The caller closes it."""
    descriptor = folder.open(name, os.O_RDONLY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            _require_regular(status, folder.path_of(name))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status


def _read_unchanged(
    folder: OpenFolder, name: str, content: Callable[[int, os.stat_result], tuple[T, int]]
) -> tuple[T, os.stat_result]:
    """Return the result of `content(descriptor, status)` and the status of a file that did not change meanwhile.

    A change shows in the size and the time of the last change. `content` also returns the number of bytes that it read.
    """
    for _ in range(2):
        descriptor, before = _open_regular(folder, name)
        try:
            result, size = content(descriptor, before)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if size == after.st_size and _version(before) == _version(after):
            return result, after
    raise FileChanged(errno.EAGAIN, "changed while it was read", name)


def _read_to_end(descriptor: int, size: int) -> bytes:
    """The content of a file that has `size` bytes, or more than that where it grows."""
    data = os.read(descriptor, size + 1)
    if len(data) == size or not data:
        return data
    pieces = [data]
    while piece := os.read(descriptor, max(size, _PIECE)):  # one call reads no more than 2 GiB
        pieces.append(piece)
    return b"".join(pieces)


def _version(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _model(like: str | FilePath | None, target: str | FilePath, folder: OpenFolder, name: str) -> Snapshot | None:
    """The file whose mode and attributes a new one gets: `like`, or the one that it replaces; None for none."""
    if like is not None and like != target:
        with open_parent(like) as (other, original):
            return _metadata(other, original)
    status = folder.find(name)
    if like is None and (status is None or not stat.S_ISREG(status.st_mode)):
        return None
    return _metadata(folder, name)


def _metadata(folder: OpenFolder, name: str) -> Snapshot:
    descriptor, status = _open_regular(folder, name)
    try:
        return Snapshot(b"", status, attributes_of(_handle(descriptor, folder, name)))
    finally:
        os.close(descriptor)


def _handle(descriptor: int, folder: OpenFolder, name: str) -> int | str:
    """Return the descriptor or the path of an open file, for functions of `os` that take either."""
    return descriptor if BY_DESCRIPTOR else folder.path_of(name)


def _keep_owner(descriptor: int, before: os.stat_result) -> None:
    """Give a new file the owner of an old one. A change of the owner takes bits of the mode away."""
    with contextlib.suppress(OSError, AttributeError):
        now = os.fstat(descriptor)
        if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
            os.fchown(descriptor, before.st_uid, before.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(now.st_mode))
