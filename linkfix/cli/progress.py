"""A progress bar for long work, on standard error if that is a terminal; lines of text are printed above it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["Progress"]

#: Progress is shown after this many seconds.
_DELAY = 0.5


class Progress:
    """A context manager that counts files, bytes and links, and shows them. Rich is imported when the bar appears."""

    def __init__(self, *, drawn: bool, measure: Callable[[], int]) -> None:
        """`drawn`: whether to show a bar; `measure`: gives the size of all files in bytes, and may take long."""
        self._drawn = drawn
        self._measure = measure
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._files = self._links = self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, line: str) -> None:
        """Print a line on standard error."""
        if self._bar is not None:
            self._bar.console.out(line, highlight=False)
        else:
            click.echo(line, err=True)

    def advance(self, *, size: int, links: int) -> None:
        """Count one more file."""
        self._files += 1
        self._links += links
        self._size += size
        if not self._drawn:
            return
        if self._bar is None and time.monotonic() - self._started > _DELAY:
            self._draw()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._size, files=self._files, links=self._links)

    def _draw(self) -> None:
        from rich.console import Console  # noqa: PLC0415  # 74 ms, only for a terminal
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        self._bar = Bar(
            TextColumn("{task.fields[files]:,} files"),
            BarColumn(),
            DownloadColumn(),
            TextColumn("{task.fields[links]:,} links"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None, files=0, links=0)
        self._bar.start()
        threading.Thread(target=self._set_total, args=(self._bar, self._task), daemon=True).start()

    def _set_total(self, bar: Bar, task: TaskID) -> None:
        bar.update(task, total=self._measure())
