"""The report of a run: lines for people on standard error, one JSON object on standard output."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TextIO, cast

import click

from linkfix.display import MESSAGE_LENGTH, clip, display_name, json_text, pluralize, visible, visible_path
from linkfix.files import atomic
from linkfix.lazy import lazy_pattern
from linkfix.model import PROBLEMS, Problem
from linkfix.urls import hide_passwords, without_credentials

if TYPE_CHECKING:
    from linkfix.runs.convert import FileOutcome


# The progress line of long work, on standard error if that is a terminal. Other lines are printed above it.


#: The time until progress is shown, and the time between updates, in seconds.
_DELAY = 0.5

_INTERVAL = 0.1

#: The width of the progress bar, in columns.
_BAR = 20


class Progress:
    """A context manager that counts files, bytes and links, and shows them."""

    def __init__(self, *, drawn: bool, measure: Callable[[], int]) -> None:
        """`drawn`: whether to show progress. `measure`: returns the size of all files in bytes; it may take long."""
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
        """Add to the counts. `size`: in bytes."""
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
        """The parts of the progress line. `seconds`: the time since the start."""
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
        """Replace the progress line; "" removes it."""
        if line == self._line:
            return
        line = line[: _columns() - 1]  # some terminals begin a new line after the last column
        click.echo("\r" + line.ljust(len(self._line)) + "\r" * (not line), nl=False, err=True)
        self._line = line


def _columns() -> int:
    """The width of the terminal at standard error; 80 if unknown."""
    columns = 0
    with contextlib.suppress(OSError, ValueError):  # it is not a terminal
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    return columns or 80


#: The counts of the JSON totals, in order.
_TOTALS = (
    "files",
    "copied",
    "linked",
    "refused",
    "failed",
    "links",
    "rewritten",
    "problems",
    "bytes",
    "removed",
    "separated",
)

#: The folders of devices and open files.
_SYSTEM = ("/dev/", "/proc/")

#: The names of this process's open files.
_DESCRIPTOR = lazy_pattern(r"/dev/(stdin|stdout|stderr)|(?:/dev|/proc/self)/fd/(\d{1,9})")

_STANDARD = ("stdin", "stdout", "stderr")

#: The largest number of problems with one cause that get a line each.
_FEW = 3

#: The actions that the summary line lists, in order.
_LISTED = ("copied", "linked", "refused", "finished before")


def format_problem(name: str, problem: Problem, more: str = "") -> str:
    """A problem in the format of compilers: `path:line:column: message [code]`. `more`: a text after the message."""
    message = clip(problem.message, MESSAGE_LENGTH)
    return f"{visible_path(name)}:{problem.line}:{problem.column}: {message}{more} [{problem.code}]"


def problem_lines(name: str, problems: Iterable[Problem]) -> Iterator[tuple[str, int]]:
    """The lines for the problems of a file, in order, each with the number of problems that it covers.

    A cause that repeats more than `_FEW` times has one line with a count, at its first problem. Problems have one cause
    if they have the same code, and the same message or place. Examples: a reference in every menu of a page; a hundred
    multiparts that end at the end of the message. Problems of different parts never share a place: the messages begin
    with the part's name.
    """
    causes: dict[tuple[object, ...], list[Problem]] = {}
    ordered = []
    for problem in problems:
        part = problem.message.partition(PROBLEMS.get(problem.code, problem.message))[0]
        text, place = (problem.code, problem.message), (problem.code, part, problem.line, problem.column)
        cause = causes.get(text) or causes.get(place) or []
        is_first = not cause
        if is_first:
            causes[text] = causes[place] = cause
        cause.append(problem)
        ordered.append((problem, cause, is_first))
    for problem, cause, is_first in ordered:
        if len(cause) <= _FEW:
            yield format_problem(name, problem), 1
        elif is_first:
            last = max(one.line for one in cause)
            where = f", the last in line {last}" if last > problem.line else ""
            yield format_problem(name, problem, f", and {len(cause) - 1:,} more like it{where}"), len(cause)


def print_problems(name: str, problems: Iterable[Problem], more: int = 0) -> None:
    """Print the problems of a file on standard error. `more`: the number of problems that were counted but not kept."""
    for line, _ in problem_lines(name, problems):
        click.echo(line, err=True)
    if more:
        click.echo(_more_problems(name, more), err=True)


def _more_problems(name: str, count: int) -> str:
    """The line for problems that were counted but not kept."""
    return format_message(name, f"and {pluralize(count, 'problem')} more")


def format_message(name: str, message: str) -> str:
    """A message about a file: `path: message`."""
    return f"{visible_path(name)}: {clip(hide_passwords(message), MESSAGE_LENGTH)}"


def outcome_record(outcome: FileOutcome) -> dict[str, Any]:
    """An outcome as a JSON object."""
    base = outcome.base
    return {
        "path": display_name(outcome.display_name),
        "action": outcome.action,
        "message": hide_passwords(outcome.message) or None,
        "url": outcome.url and hide_passwords(without_credentials(outcome.url)),
        "base": hide_passwords(without_credentials(base.url)) if base and base.url else None,
        "layer": base.layer.value if base else None,
        "encoding": outcome.encoding or None,
        "bytes": outcome.size,
        "links": outcome.links,
        "rewritten": outcome.rewritten,
        "problem_count": outcome.problem_count,
        "problems": [
            {
                "code": problem.code,
                "message": problem.message,
                "line": problem.line,
                "column": problem.column,
            }
            for problem in outcome.problems
        ],
    }


def removed_line(count: int) -> str:
    """The message about temporary files that were removed."""
    return f"removed {pluralize(count, 'temporary file')} that a killed run left behind"


def is_stream(path: str) -> bool:
    """Whether a path is a stream, such as a pipe, a device or `/dev/stdout`, and not a regular file to replace.

    Every path below /dev and /proc is a stream, even if it leads to a regular file that the shell has opened.
    """
    if path.startswith(_SYSTEM):
        return True
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _number(opened: re.Match[str]) -> int:
    """The descriptor number of an open file."""
    return _STANDARD.index(opened[1]) if opened[1] else int(opened[2])


def write_file(path: str, data: bytes, *, quiet: bool) -> None:
    """Write a report or another file that the user named, and remove temporary files of killed runs in its folder.

    Data for a stream (see `is_stream`) is appended.
    """
    if is_stream(path):
        with open_output(path, quiet=quiet) as out:
            out.write(data)
        return
    _tidy(path, quiet=quiet)
    atomic.write(path, data)


def _tidy(path: str, *, quiet: bool) -> None:
    """Remove what killed runs left in the folder of a file."""
    removed = atomic.remove_leftovers(str(Path(path).parent))
    if removed and not quiet:
        click.echo(removed_line(len(removed)), err=True)


@contextmanager
def open_output(path: str | None, *, quiet: bool) -> Iterator[BinaryIO]:
    """Open a file as `write_file` does; None for standard output. A file is replaced if the block ends without error.

    Errors of writing name the file.
    """
    if path is None:
        sys.stdout.flush()
        # Unbuffered, one call may write only a part.
        out = io.BufferedWriter(cast("io.RawIOBase", sys.stdout.buffer))
        try:
            yield cast("BinaryIO", out)
        finally:
            out.detach()
            sys.stdout.buffer.flush()
        return
    if is_stream(path):
        sys.stdout.flush()
        opened = _DESCRIPTOR.fullmatch(path)
        # The descriptor is duplicated: a regular file that is opened a second time has its own position.
        try:
            with os.fdopen(os.dup(_number(opened)), "wb") if opened else Path(path).open("ab") as stream:
                yield stream
        except OSError as error:
            if not error.filename and not isinstance(error, BrokenPipeError):
                error.filename = path
            raise
        return
    _tidy(path, quiet=quiet)
    with atomic.create(path, replace=True) as file:
        yield file


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output. Without a buffer, each call may write only a part."""
    sys.stdout.flush()
    rest = memoryview(data)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


@contextmanager
def buffered_output() -> Iterator[TextIO]:
    """Provide standard output for a long text, with a buffer if it has none.

    Container images often set PYTHONUNBUFFERED. Then each line would be a system call, which may write only a part.
    """
    stream = sys.stdout
    if stream.isatty() or not isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        yield stream
        return
    text = io.StringIO()
    yield text
    write_bytes(text.getvalue().replace("\n", os.linesep).encode(stream.encoding, stream.errors or "strict"))


def write_diff(diff: bytes) -> None:
    """Write a diff to standard output: escaped for a terminal, otherwise unchanged, for `patch`."""
    write_bytes(escape_lines(diff) if sys.stdout.isatty() else diff)


def escape_lines(text: bytes) -> bytes:
    """A text of several lines, escaped for a terminal; tabs stay."""
    lines = text.decode("utf-8", "backslashreplace").split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines).encode()


class Report:
    """Reports each outcome when it is added, and the totals at the end."""

    def __init__(self, progress: Progress, *, machine: bool, listing: bool, quiet: bool, dry_run: bool) -> None:
        """`machine`: write JSON to standard output. `listing`: list the files that would change on standard output.

        `quiet`: print only errors. `dry_run`: whether the run writes no files.
        """
        self._progress = progress
        self._machine = machine
        self._listing = listing
        self._quiet = quiet
        self._dry_run = dry_run
        self._started = time.monotonic()
        self._totals: Counter[str] = Counter()
        if machine:
            sys.stdout.write('{"files": [')

    def add(self, outcome: FileOutcome) -> None:
        """Count an outcome, and report it."""
        totals = self._totals
        if outcome.action == "removed":
            totals["removed"] += 1
            return
        self._write(outcome, first=not totals["rows"])
        regular = outcome.action in {"converted", "same", "copied"}
        totals["rows"] += 1
        totals["files"] += regular
        totals[outcome.action] += 1
        totals["links"] += outcome.links
        totals["rewritten"] += outcome.rewritten
        totals["problems"] += outcome.problem_count
        totals["bytes"] += outcome.size
        totals["separated"] += outcome.separated
        totals["stops"] += outcome.stops
        self._progress.advance(size=outcome.size, links=outcome.links)
        if outcome.message and (outcome.action == "failed" or not self._quiet):
            self._progress.say(format_message(outcome.display_name, outcome.message))
        if not self._quiet:
            for line, _ in problem_lines(outcome.display_name, outcome.problems):
                self._progress.say(line)
            more = outcome.problem_count - len(outcome.problems)
            if more:
                self._progress.say(_more_problems(outcome.display_name, more))

    @property
    def is_stopped(self) -> bool:
        """Whether an error ended the run."""
        return bool(self._totals["stops"])

    @property
    def may_have_changed(self) -> bool:
        """Whether a file was changed, or failed at an unknown point."""
        return bool(self._totals["converted"] or self._totals["failed"])

    def finish(self, journal: str | None = None) -> None:
        """Complete the JSON object, and print the summary line. `journal`: the path of the run's journal."""
        seconds = time.monotonic() - self._started
        totals = self._totals
        if self._machine:
            sums = {name: totals[name] for name in _TOTALS} | {"seconds": round(seconds, 3)}
            named = f', "journal": {json_text(visible(journal))}' if journal else ""
            sys.stdout.write(f'\n], "totals": {json_text(sums)}{named}}}\n')
        if self._quiet:
            return
        if totals["removed"]:
            click.echo(removed_line(totals["removed"]), err=True)
        if totals["separated"]:
            separated = "would separate" if self._dry_run else "separated"
            click.echo(
                f"{separated} the hard links of {pluralize(totals['separated'], 'file')}: "
                "--keep-hard-links keeps them together",
                err=True,
            )
        done = "to make absolute" if self._dry_run else "made absolute"
        parts = [
            pluralize(totals["files"], "file"),
            *(f"{totals[action]:,} {action}" for action in _LISTED if totals[action]),
            *([f"{totals['converted']:,} changed"] if totals["converted"] and not totals["rewritten"] else []),
            pluralize(totals["links"], "link"),
            f"{totals['rewritten']:,} {done}",
            pluralize(totals["problems"], "problem"),
            *([pluralize(totals["failed"], "error")] if totals["failed"] else []),
        ]
        click.echo(f"{', '.join(parts)} in {seconds:.2f} s", err=True)

    def exit_code(self, *, strict: bool) -> int:
        """2 if a file failed; 1 if there are problems and `strict` is set; else 0."""
        if self._totals["failed"]:
            return 2
        return int(strict and bool(self._totals["problems"] or self._totals["refused"]))

    def _write(self, outcome: FileOutcome, *, first: bool) -> None:
        if self._machine:
            sys.stdout.write(("\n" if first else ",\n") + json_text(outcome_record(outcome)))
        elif outcome.diff:
            write_diff(outcome.diff)
        elif self._listing and outcome.action == "converted":
            links = pluralize(outcome.links, "link")
            more = "" if outcome.rewritten else ", but other changes"  # changes of BASE or of revisit records
            click.echo(format_message(outcome.display_name, f"{outcome.rewritten:,} of {links} to make absolute{more}"))
