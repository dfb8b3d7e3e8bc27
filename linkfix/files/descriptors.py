"""Access to folders by descriptor, safe against a folder that is replaced by a symbolic link.

The system looks a path up each time it is used, so anyone who may rename a folder can redirect it. So a folder is
opened step by step below the folder that the user named, without following symbolic links. Names are then used in the
open folder (`openat` and similar functions, POSIX.1-2008). Systems without these functions, such as Windows, use paths.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import BinaryIO, NamedTuple, cast

# Copying of the content of an open file to another file, by the system if possible.
#
# The bytes then do not pass through this process. File systems that share extents (Btrfs, XFS) copy no bytes at all:
# see copy_file_range(2).


#: The largest number of bytes that one system call copies, and the size of reads if the system cannot copy.
_MOST, _CHUNK = 1 << 30, 1 << 20

#: The errors of a system that cannot copy between two files by this call. If the disk has failed after all, reading or
#: writing raises the error.
_CANNOT = frozenset(
    {
        *(errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EPERM, errno.EBADF),
        *(errno.ENOTSOCK, errno.ETXTBSY, errno.EOVERFLOW, errno.EIO),
    }
)


def _ways() -> tuple[Callable[[int, int, int], int], ...]:
    """The calls that copy between the current positions of two files, and return the number of copied bytes."""
    if sys.platform != "linux":
        return ()
    return (
        os.copy_file_range,
        lambda source, target, count: os.sendfile(target, source, None, count),
    )


_WAYS = _ways()


def copy_content(source: int, target: int, size: int) -> int:
    """Copy a file of `size` bytes to an empty file, both at their beginning. Returns the number of copied bytes.

    The number differs from `size` only if the file's real size does. Raises `OSError`.
    """
    copied = 0
    for way in _WAYS:
        try:
            while copied < size and (count := way(source, target, min(size - copied, _MOST))):
                copied += count
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
    if 0 < size == copied:
        return copied
    while chunk := os.read(source, _CHUNK):  # also for a file whose file system does not report its size
        write_all(target, chunk)
        copied += len(chunk)
    return copied


def write_all(descriptor: int, data: bytes) -> None:
    """Write data to an open file."""
    written = os.write(descriptor, data)
    if written < len(data):
        rest = memoryview(data)[written:]
        while rest:
            rest = rest[os.write(descriptor, rest) :]


# The metadata of a file that a copy receives: mode, times, extended attributes.


Attributes = tuple[tuple[str, bytes], ...]

"""Extended attributes: names and values."""

#: The errors of a file system that does not support an extended attribute.
_NO_ATTRIBUTE = frozenset({errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, getattr(errno, "ENODATA", -1)})

#: The errors of listing extended attributes, also of a folder that may only be entered (EBADF).
_NO_LIST = _NO_ATTRIBUTE | {errno.EBADF}


def attributes_of(handle: int | str) -> Attributes:
    """The extended attributes of a file or folder, open or at a path; () if the system or file system has none."""
    if not hasattr(os, "listxattr"):
        return ()
    try:
        names = os.listxattr(handle)
    except OSError as error:
        if error.errno not in _NO_LIST:
            raise
        return ()
    found = []
    for name in names:
        try:
            found.append((name, os.getxattr(handle, name)))
        except OSError as error:
            if error.errno not in _NO_ATTRIBUTE:
                raise
    return tuple(found)


def give_metadata(handle: int | str, status: os.stat_result, attributes: Attributes, *, times: bool) -> None:
    """Give a file, open or at a path, the mode and extended attributes of another file.

    `times`: also set its access and modification times. As in `shutil.copystat`, the mode is set last, since a
    read-only file accepts no attributes.
    """
    if times:
        os.utime(handle, ns=(status.st_atime_ns, status.st_mtime_ns))
    for name, value in attributes:
        try:
            os.setxattr(handle, name, value)
        except OSError as error:
            if error.errno not in _NO_ATTRIBUTE:
                raise
    os.chmod(handle, stat.S_IMODE(status.st_mode))


_FUNCTIONS = {os.link, os.mkdir, os.open, os.readlink, os.rename, os.stat, os.symlink, os.unlink}

#: Whether the system has functions that accept a name in an open folder.
BY_DESCRIPTOR: bool = (
    hasattr(os, "O_DIRECTORY")
    and hasattr(os, "O_NOFOLLOW")
    and os.supports_dir_fd.issuperset(_FUNCTIONS)
    and os.supports_fd.issuperset({os.chmod, os.listdir, os.scandir, os.utime})
)

_FOLDER: int = getattr(os, "O_DIRECTORY", 0)

_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)

#: The flag that opens a folder that may be entered but not listed; 0 if the system lacks it.
_ENTER: int = getattr(os, "O_PATH", 0)

#: The flags to open a file. A symbolic link that has replaced the file since it was listed is refused, a FIFO does not
#: block, and line ends are not changed.
_FILE: int = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

#: The length limit of a path on Linux, the largest limit of any system, in bytes.
PATH_MAX = 4096

#: The number of folders that stay open for reuse: a file's own folder, its output folder, and one or two siblings.
_KEPT = 4


class FilePath(NamedTuple):
    """A path below a folder that the user named."""

    path: str
    root: str
    """The folder that the user named. Symbolic links on the way to it are followed, symbolic links below it are not."""

    def __fspath__(self) -> str:
        return self.path


class OpenFolder:
    """An open folder. Its methods use names in this folder, even if its path now leads elsewhere.

    Errors of its methods have only the name in `filename`; `open_folder` replaces it by the path.
    """

    __slots__ = ("_listable", "descriptor", "identity", "path")

    def __init__(self, path: str, descriptor: int | None, *, listable: bool = True) -> None:
        self.path: str = path
        self.descriptor: int | None = descriptor
        """None if the system has no descriptors of folders."""
        self._listable = listable
        status = os.stat(path) if descriptor is None else os.fstat(descriptor)
        self.identity: tuple[int, int] = (status.st_dev, status.st_ino)

    def name(self, name: str) -> str:
        """The path argument for functions of `os` that are called with `dir_fd=descriptor`."""
        return os.path.join(self.path, name) if self.descriptor is None else name

    def path_of(self, name: str) -> str:
        """The path of a name, for messages."""
        return name if self.path == os.curdir else os.path.join(self.path, name)

    def open(self, name: str, flags: int, mode: int = 0o777) -> int:
        """Open a file, without following a symbolic link. Returns the descriptor."""
        return os.open(self.name(name), flags | _FILE, mode, dir_fd=self.descriptor)

    def file(self, name: str, how: str = "rb", mode: int = 0o777) -> BinaryIO:
        """Open a file like the built-in `open`, in binary mode. `mode`: the permissions of a new file."""
        opener = lambda _, flags: self.open(name, flags, mode)  # noqa: E731 - it is used once
        return cast("BinaryIO", open(self.path_of(name), how, opener=opener))

    def head(self, name: str, size: int) -> bytes:
        """The first `size` bytes of a file, read in half of the time that a file object takes."""
        descriptor = self.open(name, os.O_RDONLY)
        try:
            head = os.read(descriptor, size)
            while len(head) < size and (more := os.read(descriptor, size - len(head))):
                head += more
            return head
        finally:
            os.close(descriptor)

    def tail(self, name: str, size: int) -> bytes:
        """The last `size` bytes of a file."""
        with self.file(name) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read()

    def status(self, name: str) -> os.stat_result:
        """The status of a file or folder; of a symbolic link, the status of the link itself."""
        return os.stat(self.name(name), dir_fd=self.descriptor, follow_symlinks=False)

    def find(self, name: str) -> os.stat_result | None:
        """The status of a name; None if the name does not exist."""
        try:
            return self.status(name)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """The names in the folder, in no order."""
        return os.listdir(self._to_list())

    def entries(self) -> list[os.DirEntry[str]]:
        """The entries of the folder, in no order, valid while it is open. With descriptors, `path` is only the name."""
        listed = self._to_list()
        if isinstance(listed, str):
            with os.scandir(listed) as found:
                return list(found)
        with os.scandir(listed) as found:
            return list(found)

    def make(self, name: str) -> None:
        """Make a folder in this folder."""
        os.mkdir(self.name(name), dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Remove a file or symbolic link."""
        os.unlink(self.name(name), dir_fd=self.descriptor)

    def replace(self, old: str, new: str) -> None:
        """Rename `old` to `new`, and replace an existing `new`."""
        os.replace(self.name(old), self.name(new), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def read_link(self, name: str) -> str:
        """The text of a symbolic link."""
        return os.readlink(self.name(name), dir_fd=self.descriptor)

    def link_text(self, text: str, name: str) -> None:
        """Make a symbolic link `name` with the target `text`."""
        os.symlink(text, self.name(name), dir_fd=self.descriptor)

    def link_file(self, old: str, new: str, *, folder: OpenFolder | None = None) -> None:
        """Make a hard link `new` to `old`, which is in `folder`, by default in this folder."""
        source = folder or self
        os.link(
            source.name(old),
            self.name(new),
            src_dir_fd=source.descriptor,
            dst_dir_fd=self.descriptor,
            follow_symlinks=os.link not in os.supports_follow_symlinks,
        )

    def sync(self) -> None:
        """Make renames durable, if possible: Windows cannot open folders, some file systems cannot sync them."""
        with contextlib.suppress(OSError):
            if self.descriptor is not None and self._listable:
                os.fsync(self.descriptor)

    def copy_metadata(self, source: OpenFolder) -> None:
        """Give this folder the mode, times and extended attributes of `source`."""
        if self.descriptor is None or source.descriptor is None:
            import shutil  # only for systems without descriptors of folders

            shutil.copystat(source.path, self.path)
        else:
            self._to_list()
            status = os.fstat(source.descriptor)
            give_metadata(self.descriptor, status, attributes_of(source.descriptor), times=True)

    def close(self) -> None:
        """Close the folder, for good."""
        if self.descriptor is not None:
            os.close(self.descriptor)

    def is_current(self) -> bool:
        """Whether the path still leads to this folder."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self.identity

    def _to_list(self) -> int | str:
        if not self._listable:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self.path)
        return self.path if self.descriptor is None else self.descriptor


class _KeptFolders:
    """The folders used last, still open. A folder in use is not among them, so that threads never share a folder."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders: dict[tuple[str, str], OpenFolder] = {}

    def take(self, path: str, root: str) -> OpenFolder | None:
        with self._lock:
            folder = self._folders.pop((path, root), None)
        if folder is None or folder.is_current():
            return folder
        folder.close()
        return None

    def give(self, folder: OpenFolder, root: str) -> None:
        key = folder.path, root
        folders = self._folders
        with self._lock:
            unwanted = folders.pop(key, None)
            folders[key] = folder
            if len(folders) > _KEPT:  # false if the folder replaced another with its key
                unwanted = folders.pop(next(iter(folders)))
        if unwanted is not None:
            unwanted.close()


_kept = _KeptFolders()


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is `folder` itself or a path in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def join_inside(folder: str, name: str) -> str:
    """The path of `name` in a folder; `name` has "/" between folders, and "" is the folder itself."""
    if not name:
        return folder
    if os.sep == "/" and folder[-1:] not in {"", "/"}:
        return f"{folder}/{name}"  # like `os.path.join`, but faster
    return os.path.join(folder, *name.split("/"))


class _Opening:
    """A context that opens a folder, and puts the path into errors about its names."""

    __slots__ = ("_folder", "_path", "_root")

    def __init__(self, path: str, root: str) -> None:
        self._path, self._root = _with_root(path, root)

    def __enter__(self) -> OpenFolder:
        self._folder = folder = _kept.take(self._path, self._root) or _open_below(self._path, self._root)
        return folder

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        folder = self._folder
        _kept.give(folder, self._root)
        if error is not None and isinstance(error, OSError) and folder.descriptor is not None:
            for field in ("filename", "filename2"):
                name = getattr(error, field)
                if isinstance(name, str) and name and not os.path.dirname(name):
                    setattr(error, field, folder.path_of(name))


class _OpeningParent:
    __slots__ = ("_name", "_opening")

    def __init__(self, path: str, root: str) -> None:
        parent, self._name = _split(path)
        self._opening = _Opening(parent or os.curdir, root or os.curdir)

    def __enter__(self) -> tuple[OpenFolder, str]:
        return self._opening.__enter__(), self._name

    def __exit__(self, type_: object, error: BaseException | None, traceback: object) -> None:
        self._opening.__exit__(type_, error, traceback)


def open_folder(path: str | FilePath) -> AbstractContextManager[OpenFolder]:
    """Open a folder for a block. Symbolic links on the way to a `str` path, or to a root, are followed.

    Raises `OSError`, also if a symbolic link is in the place of a folder below the root.
    """
    return _Opening(path.path, path.root) if isinstance(path, FilePath) else _Opening(path, path)


def open_parent(path: str | FilePath) -> AbstractContextManager[tuple[OpenFolder, str]]:
    """Open the folder of a path for a block, which receives the folder and the name in it. See `open_folder`."""
    if isinstance(path, FilePath):
        return _OpeningParent(path.path, path.root)
    return _OpeningParent(path, os.path.dirname(path))


def make_folder(folder: str, *, inside: str) -> None:
    """Make a folder and its parents. Raises `OSError`, also if a folder below `inside` is a symbolic link."""
    whole, root = _with_root(folder, inside)
    _kept.give(_kept.take(whole, root) or _open_below(whole, root, make=True), root)


def _split(path: str) -> tuple[str, str]:
    """The result of `os.path.split`, in a third of the time for most paths."""
    parent, _, name = path.rpartition(os.sep)
    return (parent, name) if parent and parent[-1] != os.sep and os.altsep is None else os.path.split(path)


def _with_root(path: str, root: str) -> tuple[str, str]:
    """A path and its root, made equal if they differ only in a final slash."""
    if path[-1:] != os.sep != root[-1:]:
        return path, root
    shorter = root.rstrip(os.sep) or root
    return shorter if path.rstrip(os.sep) == shorter else path, shorter


def _open_below(path: str, root: str, *, make: bool = False) -> OpenFolder:
    """Open a folder from its parent folder if that is still open, else from the root. `make`: make missing folders."""
    if len(os.fsencode(path)) >= PATH_MAX:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)
    parent, name = os.path.split(path)
    outer = _kept.take(parent, root) if path != root else None
    if outer is None or outer.descriptor is None or name in {"", os.curdir, os.pardir}:
        return _open_steps(path, root, make=make)
    try:
        descriptor, listable = _enter(name, outer.descriptor, make=make)
    except OSError as error:
        raise _explain(error, path, name, outer.descriptor) from None
    finally:
        _kept.give(outer, root)
    return OpenFolder(path, descriptor, listable=listable)


def _open_steps(path: str, root: str, *, make: bool) -> OpenFolder:
    """Open a folder below the root, or the root itself. `make`: make missing folders, also the root."""
    if make:
        os.makedirs(root, exist_ok=True)
    if not is_inside(path, root):
        raise OSError(errno.EINVAL, f"not in {root}", path)
    steps = path[len(os.path.join(root, "")) :].split(os.sep) if path != root else []
    if os.pardir in steps:
        raise OSError(errno.EINVAL, "a path below a folder cannot lead up", path)
    if not BY_DESCRIPTOR:
        return _by_path(path, root, make=make)
    descriptor, listable = _enter(root, None)
    try:
        reached = root
        for step in filter(None, steps):
            reached = os.path.join(reached, step)
            try:
                inner, listable = _enter(step, descriptor, make=make)
            except OSError as error:
                raise _explain(error, reached, step, descriptor) from None
            os.close(descriptor)
            descriptor = inner
        return OpenFolder(path, descriptor, listable=listable)
    except BaseException:
        os.close(descriptor)
        raise


def _enter(name: str, folder: int | None, *, make: bool = False) -> tuple[int, bool]:
    """Open a folder. Returns its descriptor, and whether it can be listed. `make`: make a missing folder."""
    flags = _FOLDER if folder is None else _FOLDER | _NO_LINK
    try:
        return os.open(name, flags | os.O_RDONLY, dir_fd=folder), True
    except FileNotFoundError:
        if not make:
            raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
        return _enter(name, folder)
    except PermissionError:
        if not _ENTER:
            raise
        return os.open(name, flags | _ENTER, dir_fd=folder), False


def _explain(error: OSError, path: str, step: str, folder: int) -> OSError:
    """The error of a step, with its path. If a symbolic link caused it, the message says so."""
    if error.errno in {errno.ENOTDIR, errno.ELOOP}:
        with contextlib.suppress(OSError):
            if stat.S_ISLNK(os.stat(step, dir_fd=folder, follow_symlinks=False).st_mode):
                return OSError(errno.ELOOP, "a symbolic link replaces a folder: not followed", path)
    return type(error)(error.errno, error.strerror, path)


def _by_path(path: str, root: str, *, make: bool) -> OpenFolder:
    """The folder on a system without descriptors of folders: it is checked now, but can be replaced later."""
    if not is_inside(os.path.realpath(path), os.path.realpath(root)):
        raise OSError(errno.ELOOP, "a symbolic link leads out of the folder: not followed", path)
    if make:
        os.makedirs(path, exist_ok=True)
    return OpenFolder(path, None)
