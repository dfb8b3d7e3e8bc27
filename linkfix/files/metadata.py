"""What a file has besides its content, and a copy gets: mode, times, extended attributes."""

from __future__ import annotations

import errno
import os
import stat

__all__ = ["Attributes", "attributes_of", "give_metadata"]

Attributes = tuple[tuple[str, bytes], ...]
"""Extended attributes: names and values."""

#: What a file system may say of an extended attribute that it does not take.
_NO_ATTRIBUTE = frozenset({errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, getattr(errno, "ENODATA", -1)})
#: And of a folder that may only be entered.
_NO_LIST = _NO_ATTRIBUTE | {errno.EBADF}


def attributes_of(handle: int | str) -> Attributes:
    """The extended attributes of an open file or folder, or of the one at a path; none where there can be none."""
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
    """Give an open file, or the one at a path, the mode and attributes of another, and its `times`.

    As `shutil.copystat` does: the mode last, since a file that may not be written takes no attributes.
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
