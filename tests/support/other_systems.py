"""Other systems, imitated: features that Python lacks there, and names that their files refuse. Linux has them all.

A folder with this as `sitecustomize.py` on PYTHONPATH makes every Python that starts, workers too, one that seems to
run elsewhere: LINKFIX_TESTS_SYSTEM says on which system. Modules of the standard library and click decide by
`sys.platform` as they are imported, and are imported first; linkfix is not.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import importlib
import io
import os
import re
import signal
import stat
import sys
from typing import Any

#: Modules to import before the system changes.
EARLY = [
    *("asyncio", "click", "click._compat", "click.termui", "click.utils", "ctypes", "email.message", "getpass"),
    *("gzip", "multiprocessing.spawn", "pathlib", "platform", "shutil", "socket", "ssl", "subprocess", "tempfile"),
    *("urllib.request", "zipfile"),
]

#: Modules that Windows does not have.
UNIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}

#: Names of `os` that macOS lacks; names that macOS has and Windows lacks.
LINUX_NAMES = """
    O_PATH copy_file_range fdatasync getxattr listxattr posix_fadvise posix_fallocate removexattr sched_getaffinity
    sendfile setxattr splice
"""
UNIX_NAMES = """
    O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK chown fchmod fchown fork forkpty getegid geteuid getgid
    getpgid getuid killpg lchown mkfifo openpty posix_spawn pread preadv pwrite pwritev register_at_fork setsid
    statvfs sync writev
"""
UNIX_SIGNALS = "SIGALRM SIGHUP SIGPIPE SIGUSR1 SIGUSR2 alarm pthread_sigmask setitimer"

#: Names that Windows refuses for files, or uses for devices.
_NO_NAME = re.compile(r'.*[<>:"|?*\x00-\x1f].*|.*[. ]|(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?', re.IGNORECASE)


def imitate(system: str) -> None:
    """Make this Python one of "windows" or "macos"."""
    for name in LINUX_NAMES.split() if system == "macos" else (LINUX_NAMES + UNIX_NAMES).split():
        _remove(os, name)
    if system == "macos":
        _import_early()
        sys.platform = "darwin"
        return
    for name in UNIX_SIGNALS.split():
        _remove(signal, name)
    for name in ("supports_dir_fd", "supports_fd", "supports_follow_symlinks"):
        setattr(os, name, set())
    _import_early()
    sys.meta_path.insert(0, _NoUnix())
    for name in UNIX_MODULES:
        sys.modules.pop(name, None)
    _refuse()
    sys.platform = "win32"


def _import_early() -> None:
    for name in EARLY:
        importlib.import_module(name)


def _remove(module: Any, name: str) -> None:
    if hasattr(module, name):
        delattr(module, name)


class _NoUnix:
    """Finds no module of Unix."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        del path, target
        if name in UNIX_MODULES and sys.platform == "win32":
            message = f"No module named {name!r}"
            raise ModuleNotFoundError(message, name=name)


def _refuse() -> None:
    """Make the functions for files refuse the names that Windows refuses."""
    for name in ("remove", "rename", "replace", "unlink"):
        setattr(os, name, _refuses_open_files(getattr(os, name)))
    for name in ("chmod", "link", "listdir", "lstat", "readlink", "rmdir", "scandir", "symlink", "utime"):
        setattr(os, name, _refuses_descriptors(getattr(os, name)))
    real_open, real_mkdir, real_file = os.open, os.mkdir, builtins.open

    def open_descriptor(path: Any, flags: int, *rest: Any, **keywords: Any) -> int:
        _refuse_descriptors_of_folders(keywords)
        if stat.S_ISDIR(_mode(path)):
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        if flags & os.O_CREAT:
            _refuse_name(path)
        return real_open(path, flags, *rest, **keywords)

    def make_folder(path: Any, *rest: Any, **keywords: Any) -> None:
        _refuse_descriptors_of_folders(keywords)
        _refuse_name(path)
        real_mkdir(path, *rest, **keywords)

    def open_file(file: Any, mode: str = "r", *rest: Any, **keywords: Any) -> Any:
        if not isinstance(file, int) and set(mode) & set("wax+"):
            _refuse_name(file)
        return real_file(file, mode, *rest, **keywords)

    os.open, os.mkdir, builtins.open, io.open = open_descriptor, make_folder, open_file, open_file


def _refuses_open_files(function: Any) -> Any:
    def call(path: Any, *rest: Any, **keywords: Any) -> Any:
        _refuse_descriptors_of_folders(keywords)
        for each in (path, *rest[:1]):
            if _mode(each) and _is_open(each):
                raise PermissionError(errno.EACCES, "it is being used by another process", os.fspath(each))
        return function(path, *rest, **keywords)

    return call


def _refuses_descriptors(function: Any) -> Any:
    def call(path: Any = ".", *rest: Any, **keywords: Any) -> Any:
        _refuse_descriptors_of_folders(keywords)
        if isinstance(path, int):
            message = "path should be string, bytes or os.PathLike, not int"
            raise TypeError(message)
        return function(path, *rest, **keywords)

    return call


def _refuse_name(path: Any) -> None:
    if _NO_NAME.fullmatch(re.split(r"[/\\]", os.fsdecode(path).rstrip("/"))[-1]):
        raise OSError(errno.EINVAL, "The filename, directory name, or volume label syntax is incorrect", path)


def _mode(path: Any) -> int:
    """The mode of a file, 0 if there is no file."""
    try:
        return os.stat(path).st_mode  # noqa: PTH116 - a path of any type
    except OSError:
        return 0


def _refuse_descriptors_of_folders(keywords: dict[str, Any]) -> None:
    if any(keywords.get(name) is not None for name in ("dir_fd", "src_dir_fd", "dst_dir_fd")):
        message = "dir_fd unavailable on this platform"
        raise NotImplementedError(message)


def _is_open(path: Any) -> bool:
    """Whether this process has a file open."""
    wanted = os.path.realpath(os.fsdecode(path))
    for descriptor in os.scandir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if _readlink(descriptor.path) == wanted:
                return True
    return False


_readlink = os.readlink

if __name__ == "sitecustomize":
    imitate(os.environ["LINKFIX_TESTS_SYSTEM"])
