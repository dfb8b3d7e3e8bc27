"""Replacements for standard streams that the caller closed (`2>&-`).

Messages to a closed standard error are lost. Using closed standard input or output is an error. Without a replacement,
the first file that is opened would get the stream's descriptor number, and other code would use it as the stream.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import IO, cast

#: The mode in which the null device replaces each standard stream: standard input cannot be read, and standard output
#: cannot be written.
_MODES = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)


class _ClosedStream(io.RawIOBase):
    """A stream that raises an error at its first use. Afterwards it reads as empty, and discards written data."""

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
    """Replace each standard stream that is closed."""
    for number, mode in enumerate(_MODES):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            os.dup2(opened, number)  # child processes inherit it
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
