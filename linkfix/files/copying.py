"""Copying the content of an open file to another one, by the system itself where it can.

The bytes need not go through this process then, and file systems that share extents (Btrfs, XFS) copy none at all:
copy_file_range(2).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

__all__ = ["copy_content", "write_all"]

#: How many bytes one call copies at most, and how many are read at a time where the system copies none.
_MOST, _CHUNK = 1 << 30, 1 << 20
#: What a system says that cannot copy between two files in the way that it is asked for. Where it is a failure of the
#: disk after all, reading and writing tell.
_CANNOT = frozenset(
    {
        *(errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EPERM, errno.EBADF),
        *(errno.ENOTSOCK, errno.ETXTBSY, errno.EOVERFLOW, errno.EIO),
    }
)


def _ways() -> tuple[Callable[[int, int, int], int], ...]:
    """The calls that copy from one file's position to that of another, and return how many bytes they copied."""
    if sys.platform != "linux":
        return ()
    return (
        os.copy_file_range,
        lambda source, target, count: os.sendfile(target, source, None, count),
    )


_WAYS = _ways()


def copy_content(source: int, target: int, size: int) -> int:
    """Copy a file of `size` bytes to an empty one, both at their beginning; return how many bytes that were.

    They are others than `size` only where the file has others. Raises `OSError`.
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
    while chunk := os.read(source, _CHUNK):  # also of a file whose size its file system does not tell
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
