"""A line of progress for long work, on standard error if that is a terminal; lines of text are printed above it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

import click

from linkfix.display import pluralize

__all__ = ["Progress"]

#: Progress is shown after this many seconds, and renewed after so many.
_DELAY = 0.5
_INTERVAL = 0.1
#: The columns of the bar.
_BAR = 20


class Progress:
    """A context manager that counts files, bytes and links, and shows them."""

    def __init__(self, *, drawn: bool, measure: Callable[[], int]) -> None:
        """`drawn`: whether to show progress; `measure`: gives the size of all files in bytes, and may take long."""
        self._drawn = drawn
        self._measure = measure
        self._started = time.monotonic()
        self._renewed = self._started + _DELAY - _INTERVAL
        self._line = ""
        self._total: int | None = None
        self._measuring: threading.Thread | None = None
        self._files = self._links = self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show("")

    def say(self, line: str) -> None:
        """Print a line on standard error."""
        self._show("")
        click.echo(line, err=True)

    def advance(self, *, size: int, links: int, files: int = 1) -> None:
        """Count one more file, or so many."""
        self._files += files
        self._links += links
        self._size += size
        now = time.monotonic()
        if self._drawn and now - self._renewed > _INTERVAL:
            self._renewed = now
            if self._measuring is None:
                self._measuring = threading.Thread(target=self._set_total, daemon=True)
                self._measuring.start()
            self._show("  ".join(self._parts(now - self._started)))

    def _set_total(self) -> None:
        self._total = self._measure()

    def _parts(self, seconds: float) -> Iterator[str]:
        """What is shown after so many seconds."""
        total = self._total
        yield pluralize(self._files, "file")
        if total and self._size:
            done = min(self._size / total, 1)
            minutes, rest = divmod(int(seconds * (1 / done - 1)), 60)
            yield f"[{'#' * int(done * _BAR):-<{_BAR}}] {done:.0%}"
            yield f"{minutes}:{rest:02} left"
            yield f"{self._size / 1e6:,.1f} of {total / 1e6:,.1f} MB"
        else:
            yield f"{self._size / 1e6:,.1f} MB"
        yield pluralize(self._links, "link")

    def _show(self, line: str) -> None:
        """Write a line, which may be "", in place of the one that is shown."""
        if line == self._line:
            return
        line = line[: _columns() - 1]  # in the last column, some terminals begin a new line
        click.echo("\r" + line.ljust(len(self._line)) + "\r" * (not line), nl=False, err=True)
        self._line = line


def _columns() -> int:
    """The width of the terminal that standard error is."""
    columns = 0
    with contextlib.suppress(OSError, ValueError):  # it is none
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    return columns or 80
