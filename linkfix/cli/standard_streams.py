"""Standard streams that the caller closed (`2>&-`): messages are lost, and what is read or written is an error.

Without this, the first file that is opened would get the stream's number, and be what others take for it.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import IO, cast

#: Of each standard stream: how the system's null device is opened in its place. That of standard input cannot be read,
#: nor that of standard output written.
_MODES = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)


class _ClosedStream(io.RawIOBase):
    """A stream that raises at its first use, which is reported, and is silent from then on, as at the end."""

    def __init__(self, number: int, name: str) -> None:
        self._number = number
        self._name = name
        self._is_reported = False

    def fileno(self) -> int:
        return self._number

    def readable(self) -> bool:
        return self._number == 0

    def writable(self) -> bool:
        return self._number > 0

    def readinto(self, _buffer: object) -> int:
        self._report()
        return 0

    def write(self, data: object) -> int:
        self._report()
        return len(memoryview(cast("bytes", data)))

    def _report(self) -> None:
        if not self._is_reported:
            self._is_reported = True
            raise OSError(errno.EBADF, "it is closed", self._name)


def open_closed_streams() -> None:
    """Put something in the place of each standard stream that is closed."""
    for number, mode in enumerate(_MODES):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            os.dup2(opened, number)  # processes that this one starts inherit it
            if opened != number:
                os.close(opened)
            else:
                os.set_inheritable(number, True)
    if sys.stdin is None:
        closed = _ClosedStream(0, "standard input")
        sys.stdin = io.TextIOWrapper(cast("IO[bytes]", io.BufferedReader(closed)), "utf-8")
    if sys.stdout is None:
        closed = _ClosedStream(1, "standard output")
        sys.stdout = io.TextIOWrapper(cast("IO[bytes]", io.BufferedWriter(closed)), "utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it stays open
