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
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TextIO, cast

import click

from linkfix.display import MESSAGE_LENGTH, clip, display_name, json_text, pluralize, visible, visible_path
from linkfix.files import atomic
from linkfix.lazy import lazy_pattern
from linkfix.model import PROBLEMS, REMEDIES, Problem
from linkfix.urls import hide_passwords, without_credentials

if TYPE_CHECKING:
    from linkfix.runs.convert import FileOutcome, UnknownUrl
    from linkfix.saved.neighbours import HostFolder


# The progress line of long work, on standard error if that is a terminal. Other lines are printed above it.


#: The time until progress is shown, and the time between updates, in seconds.
_DELAY = 0.5

_INTERVAL = 0.1

#: The width of the progress bar, in columns.
_BAR = 20


class Progress:
    """A context manager that counts files, bytes and links. A thread shows them, also while one file takes long."""

    def __init__(self, *, drawn: bool, measure: Callable[[], int]) -> None:
        """`drawn`: whether to show progress. `measure`: returns the size of all files in bytes; it may take long."""
        self._drawn = drawn
        self._measure = measure
        self._started = time.monotonic()
        self._line = ""
        self._total: int | None = None
        self._files = self._links = self._size = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._drawing: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._drawn:
            self._drawing = threading.Thread(target=self._draw, daemon=True)
            self._drawing.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._drawing is not None:
            self._drawing.join()
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

    def _draw(self) -> None:
        if self._over.wait(_DELAY):
            return
        threading.Thread(target=self._set_total, daemon=True).start()  # nobody waits for its end
        while not self._over.wait(_INTERVAL):
            self._show("  ".join(self._parts(time.monotonic() - self._started)))

    def _set_total(self) -> None:
        self._total = self._measure()

    def _parts(self, seconds: float) -> Iterator[str]:
        """The parts of the progress line. `seconds`: the time since the start."""
        total = self._total
        yield pluralize(self._files, "file")
        done = min(self._size / total, 1) if total and self._size else 0
        minutes, rest = divmod(int(seconds * (1 / done - 1) if done else seconds), 60)
        if total and done:
            yield f"[{'#' * int(done * _BAR):-<{_BAR}}] {done:.0%}"
            yield f"{minutes}:{rest:02} left"
            yield f"{self._size / 1e6:,.1f} of {total / 1e6:,.1f} MB"
        else:
            yield f"{minutes}:{rest:02} so far"
            yield f"{self._size / 1e6:,.1f} MB"
        yield pluralize(self._links, "link")

    def _show(self, line: str) -> None:
        """Replace the progress line; "" removes it."""
        with self._lock:
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


#: The actions on files that linkfix converts, or that have a message or a problem.
_DONE = ("converted", "same", "refused", "failed", "finished before", "problems")

#: Whether a run converts archives and messages -> the files that it converts, and suffixes of their names.
_CONVERTS = {
    True: ("pages, style sheets, feeds, archives and messages", ".html, .css, .svg, .rss, .mhtml, .warc, .epub"),
    False: ("pages, style sheets and feeds", ".html, .css, .svg, .rss"),
}


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


# Problems by cause: one heading for all problems with one code, as in the audit's report.


#: The maximum number of lines of a report without --full, and the part of them for totals, notes and the journal.
_LINES, _OTHER_LINES = 40, 10

#: The maximum number of places for each cause.
_PLACES = 3

#: Whether files failed -> the maximum number of messages about them.
_MESSAGES = {True: 10, False: 5}

#: The maximum numbers of folders in a heading, and of codes in the last line.
_FOLDERS, _CODES = 3, 8

#: The code of links that stay relative because the URL of their page is not known.
_NO_URL = "no-base"

#: The options that find URLs, and how sure they are.
_FINDERS = (("layout", "--layout auto", ""), ("trust_canonical", "--trust-canonical", " (a guess)"))

#: The names of the programs that `--layout auto` detects.
_PROGRAMS = {"wget": "wget", "httrack": "HTTrack"}

#: The targets of links in pages from web archives, by the value of --archived-links.
_TARGETS = {"archive": "the copies in the archive", "original": "the original sites"}


class _ProblemGroup:
    """All problems of a run with one code."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.count = 0
        self.folders: Counter[str] = Counter()
        """The number of files with such a problem, by folder."""
        self.parts = 0
        """The number of documents without a known URL in containers."""
        self.containers = 0
        """The number of those containers."""
        self._examples: list[tuple[int, str, Problem]] = []
        """Some problems, each with its number in its file and the name of the file."""

    def add(self, name: str, count: int, problems: Iterable[Problem], *, parts: int = 0) -> None:
        """Add the problems of a file: their number, and those that were kept.

        `parts`: the number of documents without a known URL in a container.
        """
        self.count += count
        self.folders[str(PurePath(name).parent)] += 1
        self.parts += parts
        self.containers += bool(parts)
        for number, problem in enumerate(islice(problems, _LINES)):
            first = sum(other == number for other, *_ in self._examples) < _PLACES
            if first or len(self._examples) < _LINES:
                self._examples.append((number, name, problem))
            else:
                break

    def lines(self, root: str | None, most: int) -> list[str]:
        """The lines about the problems, with at most `most` places; one place needs no other line.

        A heading comes before more than `_PLACES` problems, or if not all are shown. `root`: see `_folder_counts`. The
        places are in as many files as possible.
        """
        if self.count <= max(min(most, _PLACES), 1):
            return [format_problem(name, problem) for _, name, problem in self._examples]
        if self.code == _NO_URL:  # one place is like any other
            return [self._heading(root)]
        chosen = sorted(range(len(self._examples)), key=lambda index: self._examples[index][0])[:most]
        places = [self._examples[index][1:] for index in sorted(chosen)]
        sentence = PROBLEMS[self.code] + ": "
        return [
            self._heading(root),
            *(format_problem(name, one._replace(message=one.message.replace(sentence, "", 1))) for name, one in places),
        ]

    def _heading(self, root: str | None) -> str:
        number = self.folders.total()
        files = f"{pluralize(number, 'file')}"
        where = _folder_counts(self.folders, root)
        if self.code == _NO_URL:
            links = f"{pluralize(self.count, 'link')} {'stays' if self.count == 1 else 'stay'} relative"
            if self.parts:  # other documents of a container may have one
                number += self.parts - self.containers
                files = f"{pluralize(number, 'document')} in {files}"
            return f"{files} {'has' if number == 1 else 'have'} no known URL{where}, so {links} [{self.code}]"
        return f"{pluralize(self.count, 'problem')} in {files}{where}: {PROBLEMS[self.code]} [{self.code}]"


def _folder_counts(folders: Counter[str], root: str | None) -> str:
    """The folders with the most files, each with their number: ` (firefox/ 60, wget/ 30, …)`.

    `root`: the folder that names are relative to; "" for the working folder; None for a single file, which needs none.
    """
    if root is None:
        return ""
    paths = {folder: PurePath(folder).relative_to(root) if root else PurePath(folder) for folder in folders}
    counts: Counter[str] = Counter()
    for anchor in dict.fromkeys(
        path.anchor for path in paths.values()
    ):  # a relative and an absolute PATH share no folder
        parts = {folder: path.parts for folder, path in paths.items() if path.anchor == anchor}
        levels = enumerate(zip(*parts.values(), strict=False))
        shared = next((level for level, names in levels if len(set(names)) > 1), min(map(len, parts.values())))
        for folder, names in parts.items():
            counts[visible(str(PurePath(*names[: shared + 1])).rstrip(os.sep) + os.sep)] += folders[folder]
    if len(counts) == 1:
        name = next(iter(counts))
        return "" if name == f".{os.sep}" else f" ({name})"
    named = [f"{name} {count:,}" for name, count in counts.most_common(_FOLDERS)]
    return f" ({', '.join(named)}{', …' if len(counts) > _FOLDERS else ''})"


def _code_counts(codes: Counter[str]) -> str:
    """The numbers of problems by code, for the last line: `: 12 no-base, 3 binary`."""
    named = codes.most_common(_CODES)
    more = codes.total() - sum(count for _, count in named)
    counts = [*(f"{count:,} {code}" for code, count in named), *([f"{more:,} others"] if more else [])]
    return f": {', '.join(counts)}" if counts else ""


def _either(words: list[str]) -> str:
    """Words as alternatives: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


class Remedies:
    """The options of a run that solve problems, and the URLs that they would find."""

    def __init__(self, options: Collection[str]) -> None:
        """`options`: the names of the parameters that the run can have."""
        self._options = options
        self._count = 0
        self._found: dict[str, list[str]] = {"layout": [], "trust_canonical": []}
        self._has_relative_base = False

    def add(self, outcome: FileOutcome) -> None:
        """Add the documents of a file without a known URL."""
        self._has_relative_base |= outcome.url is None and "base-unusable" in outcome.codes
        for one in outcome.unknown:
            self._count += 1
            if one.suggestion is not None:
                self._found[one.suggestion.option].append(one.suggestion.url)

    def _names(self, code: str) -> list[str]:
        """The options of the command that solve the problems with a code."""
        return [f"--{name.replace('_', '-')}" for name in REMEDIES.get(code, ()) if name in self._options]

    def hint(self, code: str) -> str:
        """The options that solve the problems with a code, in words; "" for none."""
        if code == "base-unusable" and self._has_relative_base:
            return f"a relative URL needs the URL of the page: give {_either(self._names(_NO_URL))}"
        names = self._names(code)
        is_said = any(name in PROBLEMS[code] for name in names)
        hints = [f"give {_either(names)}"] if names and not is_said else []
        if code == _NO_URL:
            for option, flag, guess in _FINDERS:
                urls = self._found[option]
                number = clip(hide_passwords(urls[0])) if self._count == 1 and urls else f"{len(urls):,} of the URLs"
                hints += [f"{flag} would find {number}{guess}"] if urls else []
            if "write_url_map" in self._options:
                hints.append("--write-url-map FILE writes a table of the files, to be filled in for --url-map")
        return "; ".join(hints)


def _cause_lines(causes: Collection[_ProblemGroup], remedies: Remedies, root: str | None, most: int) -> Iterator[str]:
    """The lines for causes, most frequent first, at most `most`. `root`: see `_folder_counts`."""
    ordered = sorted(causes, key=lambda cause: (-cause.count, cause.code))
    hints = {cause.code: remedies.hint(cause.code) for cause in ordered}
    needed = [1 + bool(hints[cause.code]) for cause in ordered]
    fits = sum(needed) + sum(cause.count for cause in ordered if cause.code != _NO_URL) <= most
    while sum(needed) > most:
        needed.pop()
    places = most if fits else min(_PLACES, (most - sum(needed)) // (len(needed) or 1))
    omitted = len(needed) < len(ordered)
    for cause in ordered[: len(needed)]:
        lines = cause.lines(root, places)
        is_counted = cause.code == _NO_URL  # its heading has the number of links, and one place is like any other
        omitted |= not is_counted and len(lines) < cause.count + (cause.count > _PLACES)
        yield from lines
        if hints[cause.code]:
            yield f"    hint: {hints[cause.code]}"
    if omitted:
        yield "Some problems are not shown: --full prints each problem."


def no_layout_line(*, is_folder: bool) -> str:
    """The message about a run with `--layout auto` that found no mirror. `is_folder`: False for a single file."""
    wanted = "example.com/, and no index of HTTrack (hts-cache/new.txt)"
    above = "" if is_folder else ": --layout wget uses a folder above the file, or give the folder of the mirror"
    return f"--layout auto found no folder that has the name of a host and looks like a mirror, such as {wanted}{above}"


class Report:
    """Reports each outcome when it is added, and the causes of problems and the totals at the end.

    With --full, or if the problems of a single file are few, each problem has a line at once.
    """

    def __init__(
        self,
        progress: Progress,
        parameters: dict[str, Any],
        remedies: Remedies,
        root: str | None,
        *,
        dry_run: bool,
        done: str = "made absolute",
        to_do: str = "to make absolute",
        containers: bool = True,
    ) -> None:
        """`parameters`: those of the command. `root`: the only PATH, if it is a folder; "" for several PATHs; None for
        a single file. `dry_run`: whether the run writes no results. `done`, `to_do`: what becomes of links, in words.
        `containers`: whether the run converts archives and messages.
        """
        self._done = to_do if dry_run else done
        self._to_do = to_do
        self._progress = progress
        self._machine: bool = parameters["form"] == "json"
        self._listing: bool = parameters["dry_run"]
        self._quiet: bool = parameters["quiet"]
        self._dry_run = dry_run
        self._containers = containers
        self._full: bool = parameters["full"]
        self._archived_links: str = parameters["archived_links"]
        self._detects: bool = parameters["layout"] == "auto"
        self._patterns = bool(parameters["include"] or parameters["exclude"])
        self._remedies = remedies
        self._root = root
        self._started = time.monotonic()
        self._totals: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()
        self._causes: dict[str, _ProblemGroup] = {}
        self._messages: Counter[bool] = Counter()
        self._archives: Counter[str] = Counter()
        self._host_folders: Counter[HostFolder] = Counter()
        self.unknown: list[tuple[str, UnknownUrl]] = []
        """The documents without a known URL, each with the display name of its file."""
        if self._machine:
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
        totals["left containers"] += outcome.left_container
        totals["stops"] += outcome.stops
        self._progress.advance(size=outcome.size, links=outcome.links)
        self._add_sources(outcome)
        failed = outcome.action == "failed"
        if outcome.message and (failed or not self._quiet):
            self._messages[failed] += 1
            if self._full or self._quiet or self._messages[failed] <= _MESSAGES[failed]:
                self._progress.say(format_message(outcome.display_name, outcome.message))
        if not self._quiet and outcome.problem_count:
            self._add_problems(outcome)

    def _add_sources(self, outcome: FileOutcome) -> None:
        """Note the source of a file's URL."""
        if outcome.archive:
            self._archives[outcome.archive] += 1
        if outcome.host_folder is not None:
            self._host_folders[outcome.host_folder] += 1
        self._remedies.add(outcome)
        self.unknown += [(outcome.display_name, one) for one in outcome.unknown]

    def _add_problems(self, outcome: FileOutcome) -> None:
        self._codes.update(outcome.codes)
        if self._full or self._root is None:
            name, problems = outcome.display_name, outcome.problems
            each = (format_problem(name, problem) for problem in problems)
            lines = list(each) if self._full else [line for line, _ in problem_lines(name, problems)]
            more = outcome.problem_count - len(outcome.problems)
            lines += [_more_problems(name, more)] if more else []
            if self._full or len(lines) <= _LINES - _OTHER_LINES:
                for line in lines:
                    self._progress.say(line)
                return
        parts = sum(bool(one.name) for one in outcome.unknown)
        for code, count in outcome.codes.items():
            kept = (problem for problem in outcome.problems if problem.code == code)
            self._causes.setdefault(code, _ProblemGroup(code)).add(outcome.display_name, count, kept, parts=parts)

    @property
    def is_stopped(self) -> bool:
        """Whether an error ended the run."""
        return bool(self._totals["stops"])

    @property
    def has_changed(self) -> bool:
        """Whether a file was certainly changed."""
        return bool(self._totals["converted"])

    def finish(self, journal: str | None = None) -> None:
        """Complete the JSON object, and print the causes and the totals. `journal`: the path of the run's journal."""
        seconds = time.monotonic() - self._started
        totals = self._totals
        if self._machine:
            sums = {name: totals[name] for name in _TOTALS} | {"seconds": round(seconds, 3)}
            named = f', "journal": {json_text(visible(journal))}' if journal else ""
            sys.stdout.write(f'\n], "totals": {json_text(sums)}{named}}}\n')
        if self._quiet:
            return
        for line in (*self._problem_summary(), *self._notes()):
            click.echo(line, err=True)
        parts = [
            pluralize(totals["files"], "file"),
            *(f"{totals[action]:,} {action}" for action in _LISTED if totals[action]),
            *([f"{totals['converted']:,} changed"] if totals["converted"] and not totals["rewritten"] else []),
            pluralize(totals["links"], "link"),
            f"{totals['rewritten']:,} {self._done}",
            pluralize(totals["problems"], "problem"),
            *([pluralize(totals["failed"], "error")] if totals["failed"] else []),
        ]
        click.echo(f"{', '.join(parts)} in {seconds:.2f} s{_code_counts(self._codes)}", err=True)

    def _problem_summary(self) -> Iterator[str]:
        """The lines for the causes of problems, and hints about problems that have lines of their own."""
        most = _LINES - _OTHER_LINES
        for failed, number in _MESSAGES.items():
            most -= min(self._messages[failed], number)
            more = 0 if self._full else self._messages[failed] - number
            if more > 0:
                yield f"{more:,} more {'failed' if failed else 'such messages'}: --full prints each"
        hints = {code: self._remedies.hint(code) for code in sorted(self._codes.keys() - self._causes.keys())}
        yield from (f"hint: {code}: {hint}" for code, hint in hints.items() if hint)
        yield from _cause_lines(self._causes.values(), self._remedies, self._root, most)

    def _notes(self) -> Iterator[str]:
        """The lines about web archives, layouts, removed files and hard links."""
        totals = self._totals
        if self._archives:
            names = ", ".join(f"{name} {count:,}" for name, count in self._archives.most_common())
            (other,) = _TARGETS.keys() - {self._archived_links}
            yield (
                f"web archives: {pluralize(self._archives.total(), 'file')} ({visible(names)}), whose links lead to "
                f"{_TARGETS[self._archived_links]} (--archived-links {other}: to {_TARGETS[other]})"
            )
        if self._detects and self._host_folders:
            found = [
                f"{visible(folder or '.')} ({_PROGRAMS[program]}, {pluralize(count, 'file')})"
                for (program, folder), count in self._host_folders.most_common(_CODES)
            ]
            more = ["…"] if len(self._host_folders) > len(found) else []
            yield f"--layout auto found {pluralize(len(self._host_folders), 'folder')}: {', '.join(found + more)}"
        elif self._detects:
            yield no_layout_line(is_folder=self._root is not None)
        if self._root is not None and not self._patterns and not any(totals[action] for action in _DONE):
            converts, suffixes = _CONVERTS[self._containers]
            yield f"there is no file here that linkfix converts: {converts} ({suffixes}, ...)"
        if left := totals["left containers"]:
            stay = "stays as it is" if left == 1 else "stay as they are"
            yield f"archives and messages: {pluralize(left, 'file')} {stay}"
        if totals["removed"]:
            yield removed_line(totals["removed"])
        if totals["separated"]:
            separated = "would separate" if self._dry_run else "separated"
            yield (
                f"{separated} the hard links of {pluralize(totals['separated'], 'file')}: "
                "--keep-hard-links keeps them together"
            )

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
            click.echo(format_message(outcome.display_name, f"{outcome.rewritten:,} of {links} {self._to_do}{more}"))
