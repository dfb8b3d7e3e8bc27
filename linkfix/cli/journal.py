"""The journals of commands that change files: where they are, what is in their header, and how a run goes on."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shlex
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from linkfix.cli.settings import ExistingPath, expected_types
from linkfix.display import MESSAGE_LENGTH, clip, pluralize, visible
from linkfix.errors import InvalidJournal, InvalidOption
from linkfix.files import atomic, descriptors
from linkfix.files.folder import git_directory, reason_to_doubt
from linkfix.runs.journal import Header, Journal, JournalWriter, create_journal, read_header
from linkfix.runs.undo import remove_without_effect
from linkfix.urls import hide_passwords

# Which folders a journal may change. Whoever wrote it chose its roots, so that they are not trusted.
#
# Roots in the journal's own folder count, since whoever put the journal there could put files there too. So do roots in
# the work tree of the git directory that the journal is in. Other roots, and all roots of a journal that another user
# owns, count only where --root names them.


def checked_roots(ctx: click.Context, journal: Journal, command: str) -> list[str]:
    """The folders that the trees of a journal are in now: those of --root, else those of its header.

    `command`: what is typed before the journal. Raises `UsageError` where --root has to name them, and where it names
    another number of folders.
    """
    roots = list(journal.header.roots)
    given = [os.path.realpath(root) for root in ctx.params["root"]]
    if given:
        if len(given) != len(roots):
            message = f"the journal has {pluralize(len(roots), 'folder')}: give --root once for each"
            raise click.UsageError(message, ctx)
        return roots if set(given) == set(roots) else given
    doubt = _doubt(journal, str(ctx.params.get("resume") or ctx.params["journal"]))
    if doubt:
        shown = " ".join([command, typed(journal.path), *_arguments(roots)])
        these = "that folder is" if len(roots) == 1 else "these folders are"
        message = f"{doubt}: if {these} correct, run: {shown}"
        raise click.UsageError(message, ctx)
    return roots


def _doubt(journal: Journal, given: str) -> str:
    """Why the roots of a journal may be a stranger's; "" for those that count. `given`: its path as it was given."""
    outside = [root for root in journal.header.roots if not _is_beside(journal.path, root)]
    if outside:
        return f"{visible(outside[0])} is not in the folder of the journal {typed(journal.path)}"
    is_journal = os.path.realpath(given) == journal.path  # it may be the folder that the journal is beside
    doubt = reason_to_doubt(Path(given if is_journal else journal.path), None, journal.status)
    return f"{typed(journal.path)} cannot be trusted: {visible(doubt)}" if doubt else ""


def _is_beside(journal: str, root: str) -> bool:
    """Whether a root is in the folder of a journal and no symbolic link leads out, or in that git directory's tree."""
    if not Path(root).is_absolute():
        return False
    real, folder = os.path.realpath(root), str(Path(journal).parent)
    return descriptors.is_inside(real, folder) or folder == _folder_in_git(real)


def _folder_in_git(real: str) -> str | None:
    """The folder for journals in the git directory of a folder's or file's work tree; None if there is no safe one.

    git does not list what is there, and does not remove it.
    """
    top = next((one for one in (Path(real), *Path(real).parents) if os.path.lexists(one / ".git")), None)
    if top is None:
        return None
    try:
        git = Path(os.path.realpath(git_directory(top) or os.devnull))
        folder = git / "linkfix"
        if not (git / "HEAD").is_file() or folder.is_symlink() or not _is_own(git):
            return None
        return str(folder) if not os.path.lexists(folder) or _is_own(folder) else None
    except (OSError, ValueError):  # a NUL in a path, for one
        return None


def _is_own(folder: Path) -> bool:
    """Whether a folder belongs to the user, and not everybody can write to it. Windows has no such owners."""
    status = folder.stat()
    return not reason_to_doubt(folder, None, status) and not (hasattr(os, "geteuid") and status.st_mode & stat.S_IWOTH)


def shown_place(journal: str, root: str) -> str:
    """A line with the place of a journal."""
    where = "in the git directory" if str(Path(journal).parent) == _folder_in_git(root) else "beside the folder"
    return f"journal {where}: {visible(short_path(journal))}"


def root_arguments(journal: str, roots: Sequence[str]) -> list[str]:
    """The words of --root for an own journal, as they are typed: none where its roots count without it."""
    return [] if all(_is_beside(journal, root) for root in roots) else _arguments(roots)


def _arguments(roots: Sequence[str]) -> list[str]:
    return [f"--root {typed(root)}" for root in roots]


def shown_folders(roots: Sequence[str]) -> str:
    """Folders as a message names them."""
    return ", ".join(visible(short_path(root)) for root in roots)


def typed(path: str) -> str:
    """A real path as a person would type it here, quoted."""
    return visible(shlex.quote(short_path(path)))


def short_path(path: str) -> str:
    """A real path as a person would type it here."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if descriptors.is_inside(path, here) else path


#: Parameters that can be given with --resume: they say how a run is done and reported, not what becomes of files.
_REPEATED = frozenset({"form", "full", "jobs", "quiet", "resume", "root", "strict"})

#: A parameter that has to be given with --resume again where the journal has it: files outside the folder may be other
#: names of those in it, and nothing outside is changed because a journal says so.
_CONFIRMED = "keep_hard_links"

#: Parameters that are not in a journal.
_NOT_STORED = _REPEATED | {"diff", "dry_run", "in_place", "journal", "no_journal", "output", "write_url_map"}

#: The longest name of a file in the name of its journal, in bytes. Systems allow names of 255.
_LONGEST_NAME = 200

#: The suffix of a journal's name, after the name of its folder or file.
_SUFFIX = re.compile(r"\.linkfix-(\d{8}-\d{6})(?:-(\d+))?\.journal", re.ASCII)

#: The first bytes of a journal.
_BEGINNING = b'{"linkfix-journal":'

_PATH = ExistingPath()


def make_journal(ctx: click.Context, roots: list[str], beside: str, folders: list[str], *, in_git: bool = False) -> str:
    """Make the journal of a run, and return its path. Raises `InvalidOption` where it cannot be written.

    `roots`: the real paths of the trees. `beside`: the real path of the folder or file that is changed. The journal is
    there, unless --journal says where. `folders`: the real paths of folders that it must not be in. `in_git`: whether
    it is rather in the git directory, if that is possible.
    """
    given = ctx.params["journal"]
    for folder in folders if given else []:
        if descriptors.is_inside(os.path.realpath(given), folder):
            message = f"the journal {visible(given)} would be inside the changed folder: give another place"
            raise InvalidOption(message)
    choice = "give another place" if given else "give another place with --journal FILE, or give --no-journal"
    for path in [os.path.realpath(given)] if given else _default_paths(beside, in_git=in_git):
        try:
            create_journal(path, str(ctx.info_name), roots, _stored_parameters(ctx))
        except FileExistsError:
            continue
        except OSError as error:
            message = f"the journal {visible(path)} cannot be written: {error.strerror}: {choice}"
            raise InvalidOption(message) from None
        return path
    message = f"the journal {visible(given)} already exists: give another name"
    raise InvalidOption(message)


def _default_paths(beside: str, *, in_git: bool) -> Iterable[str]:
    folder, name = os.path.split(beside)
    kept = _folder_in_git(beside) if in_git else None
    if kept is not None:
        with contextlib.suppress(OSError):  # the git directory may be read-only
            Path(kept).mkdir(exist_ok=True)
            folder = kept if os.access(kept, os.W_OK) else folder
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

    def can_be_undone(self) -> bool:
        """Whether it has changes that were not undone, or cannot be read, which is said where it is used."""
        try:
            with Journal(self.path) as journal:
                return bool(journal.changes or journal.begun) and not journal.is_undone
        except (OSError, InvalidJournal):
            return True

    def is_of(self, real: str) -> bool:
        """Whether nothing but this folder or file was changed."""
        if self.header is None or Path(real).is_dir():
            return self.header is None or self.header.roots == (real,)
        paths = self.header.parameters.get("paths")
        return isinstance(paths, list) and [_real_path(path) for path in paths] == [real]

    def undo_command(self) -> str:
        """The command that undoes the run."""
        return _undo_command(self.path, self.header.roots if self.header else ())


def _real_path(path: object) -> str | None:
    """The real path of a PATH in a header; None for what is no path."""
    try:
        return os.path.realpath(str(path))
    except ValueError:  # a NUL, or what cannot be encoded
        return None


class JournalToUndo(NamedTuple):
    """The journal of the run to undo."""

    path: str
    earlier: int = 0
    """The number of earlier runs over the same folder or file that are not undone."""


def find_journal(ctx: click.Context, path: str) -> JournalToUndo:
    """The journal that is given, or that of the last run over a folder or file that is not undone yet.

    Raises `UsageError` where no journal is there, all are undone, or the run changed more: one run or all of it could
    be meant.
    """
    real = os.path.realpath(path)
    is_folder = Path(real).is_dir()
    if not is_folder and _header(real):
        return JournalToUndo(real)
    found = _journals_beside(real)
    if not is_folder and not found and _claims_to_be_journal(real):
        return JournalToUndo(real)  # what is wrong with it is said where it is read
    if ctx.params["root"]:
        message = f"--root needs a journal: give the journal instead of {visible(path)}"
        raise click.UsageError(message, ctx)
    root = real if is_folder else str(Path(real).parent)
    own = [one for one in found if one.header is None or root in one.header.roots]
    shown = visible(short_path(real))
    if not own:
        given = "give the file that --journal named (--no-journal writes none)"
        message = f"there is no journal beside {shown} or in its git directory: {given}"
        if not is_folder:
            message = f"{shown} is not a journal, and there is none beside it or in its git directory: {given}"
        if found and found[0].header:
            moved = visible(found[0].header.roots[0])
            command = f"{_undo_command(found[0].path)} --root {typed(root)}"
            message = f"the journal beside {shown} belongs to {moved}: if {moved} was moved here, run: {command}"
        raise click.UsageError(message, ctx)
    left = [one for one in own if one.can_be_undone()]
    if not left:
        message = f"no run over {shown} is left to undo: to restore the last one again, run: {own[0].undo_command()}"
        raise click.UsageError(message, ctx)
    if not left[0].is_of(real):
        message = f"the run changed more than {shown}: to undo the whole run, run: {left[0].undo_command()}"
        raise click.UsageError(message, ctx)
    return JournalToUndo(left[0].path, len(left) - 1)


def _journals_beside(real: str) -> list[_FoundJournal]:
    """The files named as journals of a folder or file, by its real path, beside it and in its git directory.

    The journal of the last run is first, after those that cannot be read. Empty files are left out: their run was
    killed before it had a header.
    """
    name = _short_name(Path(real).name)
    kept = Path(_folder_in_git(real) or os.devnull)
    folders = [Path(real).parent, *([kept] if kept.is_dir() else [])] if name else []
    named = [
        (match[1], int(match[2] or 1), str(path))
        for folder in folders
        for path in folder.iterdir()
        if path.name.startswith(name)
        and (match := _SUFFIX.fullmatch(path.name, len(name))) is not None
        and path.lstat().st_size
    ]
    # A run can begin one second after its journal has its name. So runs of the same second are in the order of names.
    found = [_FoundJournal(path, _header(path)) for *_, path in sorted(named)]
    return sorted(found, key=lambda one: (one.header is None, one.header.started if one.header else ""))[::-1]


def _header(path: str) -> Header | None:
    try:
        return read_header(path)
    except (OSError, InvalidJournal):
        return None


def _claims_to_be_journal(path: str) -> bool:
    """Whether the name of a file, or its beginning, is that of a journal."""
    with contextlib.suppress(OSError), atomic.open_file(path) as file:
        return path.endswith(".journal") or file.read(len(_BEGINNING)) == _BEGINNING
    return True


def _undo_command(path: str, roots: Sequence[str] = ()) -> str:
    return " ".join(["linkfix undo", typed(path), *root_arguments(path, roots)])


def _stored_parameters(ctx: click.Context) -> dict[str, Any]:
    stored = {}
    for parameter in ctx.command.params:
        name = str(parameter.name)
        if name in ctx.params and name not in _NOT_STORED:
            value = ctx.params[name]
            is_path = name == "paths" or isinstance(parameter.type, click.Path)
            stored[name] = _absolute(value) if is_path else value
    return stored


def _absolute(value: Any) -> Any:
    """A path, or several, from the root of the file system on."""
    if isinstance(value, tuple):
        return [os.path.abspath(one) for one in value]
    return value and os.path.abspath(value)


def resume_parameters(ctx: click.Context, journal: Journal) -> None:
    """Set the command's parameters to those of a journal's run. Raises `UsageError` and `InvalidJournal`."""
    for parameter in ctx.command.params:
        name = str(parameter.name)
        is_given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE and ctx.params.get(name)
        if is_given and name not in _REPEATED | {_CONFIRMED}:
            message = f"--resume takes PATHs and options from the journal: leave out {_shown(parameter)}"
            raise click.UsageError(message, ctx)
    header = journal.header
    if header.command != ctx.info_name:
        whose = f"'linkfix {visible(header.command)}', which cannot be resumed"
        message = f"{journal.path} is the journal of {whose}: run that again"
        raise InvalidJournal(message)
    roots = checked_roots(ctx, journal, f"linkfix {ctx.info_name} --resume")
    if roots != list(header.roots):
        own = shown_folders(header.roots)
        message = f"a run can only be resumed in its own folder, {own}: --root names another folder; give that one"
        raise click.UsageError(message, ctx)
    known = {str(parameter.name): parameter for parameter in ctx.command.params}
    confirmed = ctx.params[_CONFIRMED]
    ctx.params[_CONFIRMED] = False
    for name, value in sorted(header.parameters.items(), key=lambda item: item[0] == "paths"):
        if name not in known or name in _NOT_STORED:
            message = f"{journal.path} has an option that this linkfix does not know: {visible(name)}: update linkfix"
            raise InvalidJournal(message)
        ctx.params[name] = _stored_value(ctx, journal, known[name], value)
    if not ctx.params["paths"]:
        message = f"{journal.path} names no PATH: start a new run"
        raise InvalidJournal(message)
    if ctx.params[_CONFIRMED] != confirmed:
        kept = "used --keep-hard-links, which also changes other names of the files, outside the folder: give it again"
        message = f"the run {kept if not confirmed else 'did not use --keep-hard-links: leave it out'}"
        raise click.UsageError(message, ctx)
    ctx.params["in_place"] = True


def _stored_value(ctx: click.Context, journal: Journal, parameter: click.Parameter, value: object) -> object:
    """The value of a parameter in a journal. Raises `InvalidJournal`: click would take nearly anything for text."""
    types: set[type] = {list}
    expected = "a list of strings"
    is_optional = False
    if isinstance(parameter, click.Option):
        types, expected = expected_types(parameter)
        is_optional = not (parameter.is_flag or parameter.multiple or isinstance(parameter.default, str | int))
    if value is None and is_optional:
        return None
    detail = f"it must be {expected}"
    if type(value) in types and all(isinstance(one, str) for one in (value if isinstance(value, list) else ())):
        try:
            cast = parameter.type_cast_value(ctx, tuple(value) if isinstance(value, list) else value)
            for path in cast if parameter.name == "paths" else ():
                _PATH.convert(path, parameter, ctx)
            if isinstance(parameter.type, click.Path) and not Path(cast).is_file():  # no device, which may never end
                _PATH.fail(f"{cast!r} is not a regular file.", parameter, ctx)
        except (click.BadParameter, ValueError) as error:
            detail = error.message if isinstance(error, click.BadParameter) else str(error)
        else:
            return cast
    message = f"{journal.path} has a wrong value for {parameter.name}: {visible(detail)}"
    raise InvalidJournal(message)


def announce_resumption(ctx: click.Context, journal: Journal) -> None:
    """Say where a run goes on, and with which options of its journal; with --quiet only if there are any."""
    options = _resumed_options(ctx)
    if options or not ctx.params["quiet"]:
        with_options = f", with {options}" if options else ""
        click.echo(f"resuming in {shown_folders(journal.header.roots)}{with_options}", err=True)


def _resumed_options(ctx: click.Context) -> str:
    """The options of a journal's run as they would be typed, but those that have their default value."""
    words = []
    for option in ctx.command.params:
        name = str(option.name)
        if not isinstance(option, click.Option) or name in _NOT_STORED or name not in ctx.params:
            continue
        value = ctx.params[name]
        if option.is_flag:
            if value is not (option.default is True):
                words.append((option.opts if value else option.secondary_opts)[-1])
            continue
        values = value if option.multiple else [value] * (value not in {None, _default(ctx, option)})
        words += [f"{option.opts[-1]} {clip(hide_passwords(shlex.quote(str(one))), MESSAGE_LENGTH)}" for one in values]
    return " ".join(words)


def _default(ctx: click.Context, option: click.Option) -> object:
    """The default of an option, whatever settings files say."""
    return option.type_cast_value(ctx, option.default) if isinstance(option.default, str | int) else None


def _shown(parameter: click.Parameter) -> str:
    return "PATH" if isinstance(parameter, click.Argument) else parameter.opts[-1]


def undo_hint(path: str, roots: Sequence[str], *, resume: bool = False) -> str:
    """The line that says what to do with a journal of these trees. `resume`: the run was stopped."""
    command = click.get_current_context().info_name
    words = [f"to resume: linkfix {command} --resume", typed(path), *root_arguments(path, roots)]
    return "\n".join([*([" ".join(words)] if resume else []), f"to undo: {_undo_command(path, roots)}"])


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
        """Close it, and return its path; None where none was made, or no file was changed and it is removed."""
        if self._writer is None:
            return None
        self._writer.close()
        return None if remove_without_effect(self._writer.path) else self._writer.path
