"""The journals of commands that change files: where they are, what is in their header, and how a run goes on."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from linkfix.display import pluralize, visible
from linkfix.errors import InvalidJournal, InvalidOption
from linkfix.files import atomic
from linkfix.journal.reader import Journal, read_header
from linkfix.journal.records import Header
from linkfix.journal.writer import JournalWriter, create_journal
from linkfix.named_tuple import NamedTuple

__all__ = [
    "LazyJournal",
    "find_journal",
    "make_journal",
    "resume_parameters",
    "short_path",
    "undo_hint",
]

#: Parameters that can be given with --resume: they say how a run is done and reported, not what becomes of files.
_REPEATED = frozenset({"form", "jobs", "quiet", "resume", "strict"})
#: Parameters that are not in a journal.
_NOT_STORED = _REPEATED | {"diff", "dry_run", "in_place", "journal", "no_journal", "output"}
#: The longest name of a file in the name of its journal, in bytes. Systems allow names of 255.
_LONGEST_NAME = 200
#: The suffix of a journal's name, after the name of its folder or file.
_SUFFIX = re.compile(r"\.linkfix-\d{8}-\d{6}(?:-\d+)?\.journal", re.ASCII)
#: The largest number of journals that a message names.
_NAMED = 5


def make_journal(ctx: click.Context, roots: list[str], beside: str, folders: list[str]) -> str:
    """Make the journal of a run, and return its path. Raises `InvalidOption` where it cannot be written.

    `roots`: the real paths of the trees. `beside`: the real path of the folder or file that is changed. The journal is
    there, unless --journal says where. `folders`: the real paths of folders that it must not be in.
    """
    given = ctx.params["journal"]
    for folder in folders if given else []:
        if atomic.is_inside(os.path.realpath(given), folder):
            message = f"the journal {visible(given)} would be among the files that are changed: give another place"
            raise InvalidOption(message)
    choice = "give another place" if given else "choose its place with --journal FILE, or give --no-journal"
    for path in [os.path.realpath(given)] if given else _default_paths(beside):
        try:
            create_journal(path, str(ctx.info_name), roots, _stored_parameters(ctx))
        except FileExistsError:
            continue
        except OSError as error:
            message = f"the journal {visible(path)} cannot be written: {error.strerror}: {choice}"
            raise InvalidOption(message) from None
        return path
    message = f"the journal {visible(given)} exists already: give a new name"
    raise InvalidOption(message)


def _default_paths(beside: str) -> Iterable[str]:
    folder, name = os.path.split(beside)
    if not name:
        message = "there is no place beside the root of the file system: give --journal FILE, or --no-journal"
        raise InvalidOption(message)
    stem = f"{folder.rstrip(os.sep)}{os.sep}{_short_name(name)}.linkfix-{time.strftime('%Y%m%d-%H%M%S')}"
    yield f"{stem}.journal"
    yield from (f"{stem}-{number}.journal" for number in itertools.count(2))


def _short_name(name: str) -> str:
    """The name of a folder or file as the name of its journal has it."""
    return os.fsdecode(os.fsencode(name)[:_LONGEST_NAME])


class _FoundJournal(NamedTuple):
    """A file whose name is that of a journal of a folder or file."""

    path: str
    header: Header | None
    """None where it cannot be read."""

    def shown(self) -> str:
        """Its name, and which run it is of."""
        about = f"{self.header.command}, {self.header.started}" if self.header else "cannot be read"
        return f"{_typed(self.path)} ({visible(about)})"

    def is_of(self, real: str) -> bool:
        """Whether nothing but this folder or file was changed."""
        if self.header is None or Path(real).is_dir():
            return self.header is None or self.header.roots == (real,)
        paths = self.header.parameters.get("paths")
        return isinstance(paths, list) and [os.path.realpath(str(path)) for path in paths] == [real]


def find_journal(ctx: click.Context, path: str) -> str:
    """The path of a journal that is given, or that is beside the folder or file which is.

    Raises `UsageError` where no journal is there, several are, or it is of another folder, too: with two runs, either
    one or both could be meant.
    """
    real = os.path.realpath(path)
    is_folder = Path(real).is_dir()
    found = _journals_beside(real) if is_folder or not _header(real) else []
    if not is_folder and not found:
        return real  # what is wrong with it is said where it is read
    if ctx.params["root"] is not None:
        message = f"--root says where the folder of a journal is now: give the journal, not {visible(path)}"
        raise click.UsageError(message, ctx)
    root = real if is_folder else str(Path(real).parent)
    own = [one for one in found if one.header is None or root in one.header.roots]
    shown = visible(short_path(real))
    if not own:
        message = f"no journal is beside {shown}: give the one that --journal named (--no-journal keeps none)"
        if found and found[0].header:
            moved = visible(found[0].header.roots[0])
            command = f"{_undo_command(found[0].path)} --root {_typed(root)}"
            message = f"the journal beside {shown} is of {moved}: if that was moved here, {command}"
        raise click.UsageError(message, ctx)
    if len(own) > 1:
        named = ", ".join([one.shown() for one in own[:_NAMED]] + ["…"] * (len(own) > _NAMED))
        message = f"{pluralize(len(own), 'journal')} of {shown}: give one, that of the last run first: {named}"
        raise click.UsageError(message, ctx)
    if not own[0].is_of(real):
        message = f"not only {shown} was changed in that run: to undo all of it, {_undo_command(own[0].path)}"
        raise click.UsageError(message, ctx)
    return own[0].path


def _journals_beside(real: str) -> list[_FoundJournal]:
    """The files named as journals of a folder or file, by its real path; that of the last run first."""
    name = _short_name(Path(real).name)
    paths = [
        str(path)
        for path in (Path(real).parent.iterdir() if name else ())
        if path.name.startswith(name) and _SUFFIX.fullmatch(path.name, len(name))
    ]
    found = [_FoundJournal(path, _header(path)) for path in paths]
    return sorted(found, key=lambda one: (one.header.started if one.header else "", len(one.path), one.path))[::-1]


def _header(path: str) -> Header | None:
    try:
        return read_header(path)
    except (OSError, InvalidJournal):
        return None


def _undo_command(path: str) -> str:
    return f"linkfix undo {_typed(path)}"


def _typed(path: str) -> str:
    """A real path as a person would type it here, quoted."""
    return visible(shlex.quote(short_path(path)))


def _stored_parameters(ctx: click.Context) -> dict[str, Any]:
    stored = {}
    for parameter in ctx.command.params:
        name = str(parameter.name)
        if name in ctx.params and name not in _NOT_STORED:
            value = ctx.params[name]
            is_path = name == "paths" or isinstance(parameter.type, click.Path)
            stored[name] = _absolute(value) if is_path else value
    return stored


def _absolute(value: Any) -> Any:  # noqa: ANN401  # of any parameter
    """A path, or several, from the root of the file system on."""
    if isinstance(value, tuple):
        return [os.path.abspath(one) for one in value]  # noqa: PTH100 - keeps any name
    return value and os.path.abspath(value)  # noqa: PTH100


def resume_parameters(ctx: click.Context, journal: Journal) -> None:
    """Set the command's parameters to those of a journal's run. Raises `UsageError` and `InvalidJournal`."""
    for parameter in ctx.command.params:
        name = str(parameter.name)
        is_given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE and ctx.params.get(name)
        if is_given and name not in _REPEATED:
            message = f"--resume takes PATHs and options from the journal: leave out {_shown(parameter)}"
            raise click.UsageError(message, ctx)
    header = journal.header
    if header.command != ctx.info_name:
        message = f"{journal.path} is the journal of 'linkfix {visible(header.command)}': that cannot be resumed"
        raise InvalidJournal(message)
    known = {str(parameter.name): parameter for parameter in ctx.command.params}
    for name, value in header.parameters.items():
        if name not in known or name in _NOT_STORED:
            message = f"{journal.path} has an option that this linkfix does not know: {visible(name)}: update linkfix"
            raise InvalidJournal(message)
        try:
            ctx.params[name] = known[name].type_cast_value(ctx, _tuples(value))
        except (click.BadParameter, TypeError, ValueError) as error:
            detail = error.format_message() if isinstance(error, click.BadParameter) else str(error)
            message = f"{journal.path} has a wrong value of {visible(name)}: {visible(detail)}"
            raise InvalidJournal(message) from None
    if not ctx.params["paths"]:
        message = f"{journal.path} names no PATH"
        raise InvalidJournal(message)
    ctx.params["in_place"] = True


def _shown(parameter: click.Parameter) -> str:
    return "PATH" if isinstance(parameter, click.Argument) else parameter.opts[-1]


def _tuples(value: Any) -> Any:  # noqa: ANN401  # of any parameter
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def short_path(path: str) -> str:
    """A real path as a person would type it here."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if atomic.is_inside(path, here) else path


def undo_hint(path: str, *, resume: bool = False) -> str:
    """The line that says what to do with a journal. `resume`: the run was stopped."""
    hints = [f"to go on: linkfix absolutize --resume {_typed(path)}"] if resume else []
    return "\n".join([*hints, f"to undo: {_undo_command(path)}"])


class LazyJournal:
    """A journal that is made when the first file is to be changed."""

    def __init__(self, make: Callable[[], str] | None) -> None:
        """`make`: makes the journal and returns its path; None where none is wanted."""
        self._make = make
        self._writer: JournalWriter | None = None

    def writer(self) -> JournalWriter | None:
        """The journal; None where none is wanted. Raises what `make_journal` raises."""
        if self._writer is None and self._make is not None:
            self._writer = JournalWriter(self._make())
        return self._writer

    def close(self) -> str | None:
        """Close it, and return its path; None where none was made."""
        if self._writer is None:
            return None
        self._writer.close()
        return self._writer.path
