"""Settings files: the long options of the command line, without "--", in linkfix.toml or pyproject.toml.

The first linkfix.toml or pyproject.toml with [tool.linkfix] counts, in the working folder or above it; in the same
folder linkfix.toml comes first. A table with the name of a command applies to that command only. What is read and
written can be set only on the command line, since the folder may be somebody else's, but for the audit's DIR,
--baseline, --mount and --tree: these may name only what is in the file's own folder. A line on standard error names the
file, and others say what in it decides where links lead and which files are read. Where it is doubtful whose the file
is, only settings that change no result are taken without --config.
"""

from __future__ import annotations

import functools
import itertools
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeVar, cast

import click
from click.core import ParameterSource

from linkfix.cli import url_advice
from linkfix.cli.help import ADVANCED, group
from linkfix.display import MESSAGE_LENGTH, clip, visible
from linkfix.errors import InvalidBase, UnknownRule
from linkfix.files.descriptors import is_inside
from linkfix.files.folder import INDEX_NAMES, is_repository_root, reason_to_doubt
from linkfix.files.mistakes import toml_mistake
from linkfix.lazy import lazy_pattern
from linkfix.urls import hide_passwords

# `ParamType[T]`: click's class for a type of parameters, which gives a T; and patterns of files.


if TYPE_CHECKING:
    ParamType = click.ParamType
else:

    class ParamType(click.ParamType):
        """click's class takes what it gives in brackets from 8.4 on; before that, only here."""

        def __class_getitem__(cls, _: type) -> type[Self]:
            return cls


#: The largest number of names that are compared with that of a missing file.
_NAMES = 10_000

#: The similarity (`difflib`) of names that are suggested. Two short names with one suffix are less similar.
_SIMILAR = 0.75


#: The message about a path without a character.
EMPTY_PATH = "the path is empty: give the name of a file or folder."


class ExistingPath(click.Path):
    """The path of a file or folder to read. The message about any other path says what to do.

    `advice`: the next step for a path that does not exist and is similar to none.
    """

    def __init__(self, *, advice: str = "", dir_okay: bool = True, file_okay: bool = True, **fields: Any) -> None:
        super().__init__(exists=True, dir_okay=dir_okay, file_okay=file_okay, **{"path_type": str, **fields})
        self._advice = advice

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Check a path."""
        path = os.fspath(value)
        if not (path == "-" and self.allow_dash) and not os.path.lexists(path):
            self.fail(self._about_missing(path, str(ctx and ctx.info_name)), param, ctx)
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            self.fail(f"{error.message.rstrip('.')}: {self._next_step(path)}.", param, ctx)

    def _about_missing(self, path: str, command: str) -> str:
        """The message about a path that does not exist. For a URL, it says how `command` reads it."""
        if advice := url_advice(path, command):
            return f"{path!r} is a URL, and {advice if self.allow_dash else 'linkfix fetches nothing: give a path.'}"
        if not path:
            return EMPTY_PATH
        trimmed = path.rstrip("/" + os.sep) or path
        return f"{self.name.capitalize()} {path!r} does not exist: {self._similar(trimmed) or self._after(trimmed)}"

    def _similar(self, path: str) -> str:
        """A question about a similar path; "" for none."""
        gone = _first_missing(path)
        near = _similar_path(gone, folder=gone != path or not self.file_okay)
        whole = near + path[len(gone) :]
        meant = whole if os.path.lexists(whole) else near
        return f"did you mean {meant!r}?" if near else ""

    def _after(self, path: str) -> str:
        """The next step for a path that is similar to none."""
        if self._advice:
            return f"{self._advice}."
        gone = _first_missing(path)
        if gone != path:
            return f"there is no folder {gone!r}."
        return "check the name." if Path(path).is_absolute() else f"check the name; the current folder is {Path.cwd()}."

    def _next_step(self, path: str) -> str:
        """The next step for a path that exists, and that the command cannot read."""
        if not Path(path).exists():
            return "it is a symbolic link to nothing: repair it"
        if Path(path).is_dir() and not self.dir_okay:
            return "give a file in it"
        if not Path(path).is_dir() and not self.file_okay:
            return "give the folder that it is in"
        return "give yourself the right to read it"


def _first_missing(path: str) -> str:
    """The beginning of a path up to the first name that does not exist."""
    parents = (path[:end] for end, character in enumerate(path) if end and character in {"/", os.sep})
    return next((parent for parent in parents if not os.path.lexists(parent)), path)


def _similar_path(path: str, *, folder: bool) -> str:
    """The path of a file or folder with a similar name in the same folder; "" for none. `folder`: only of a folder."""
    import difflib  # for an error alone

    parent, name = os.path.split(path)
    try:
        with os.scandir(parent or os.curdir) as entries:
            names = [entry.name for entry in itertools.islice(entries, _NAMES) if not folder or entry.is_dir()]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(name, names, 1, _SIMILAR)
    return path.removesuffix(name) + near[0] if near else ""


class Glob(ParamType[str]):
    """A pattern for names of files, as in .gitignore."""

    name = "glob"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a pattern."""
        from linkfix.files.patterns import NamePatterns  # used by few runs

        text = str(value)
        if not text.strip():
            self.fail("the pattern is empty: write for example '*.html', or leave it out.", param, ctx)
        if text.startswith("#"):
            self.fail(f"{text!r} is a comment, as in .gitignore: put a backslash before #.", param, ctx)
        try:
            NamePatterns([text])
        except ValueError as error:
            self.fail(f"{error}: write for example '*.html'.", param, ctx)
        return text


F = TypeVar("F", bound=Callable[..., Any])

#: Options that cannot be set in a file.
_COMMAND_LINE_ONLY = frozenset(
    {
        *(
            "config",
            "diff",
            "diff_base",
            "dry_run",
            "explain",
            "external_results",
            "fix",
            "help",
            "in_place",
            "journal",
        ),
        *("list_rules", "media_type", "no_config", "output", "prune_baseline", "resume", "root", "url", "url_map"),
        *("at", "page", "raw", "single_file", "write_baseline"),
        "write_url_map",
    }
)

#: Options that are taken from a file that may be somebody else's: they change how a result looks, or how fast it comes.
_ANYBODYS = frozenset({"color", "columns", "form", "full", "jobs", "quiet"})

#: Options that name folders whose content is shown: pages of trees; of mounts, names of files and IDs that are meant.
_FOLDERS = ("mounts", "trees")

#: Parameters that name files and folders to read, by their path from the settings file's folder.
_PATHS = ("dir", "baseline")

#: Options that decide where links lead: their values are announced.
_DECISIVE = (
    *("root_url", "default_base", "layout", "trust_canonical", "spec", "excess_dots", "same_scheme", "scripting"),
    *("charset", "archived_links", "indexes", "replacements", *_FOLDERS),
)

#: The effect of settings whose values are announced -> their options.
_ANNOUNCED = {"where links lead": _DECISIVE, "which files are read": _PATHS}

#: The largest number of characters in a path of a settings file.
_LONGEST_PATH = 4096

#: Options that change no result.
_WITHOUT_EFFECT = frozenset({"color", "jobs", "quiet"})

#: No settings file has more characters.
_LARGEST_FILE = 1 << 20

#: The most that `_costly_line` lets a text cost: about a second.
_LARGEST_COST = 5 * 10**7

#: The cost of a part of a table's name for each key of the table, in parts of the key.
_TABLE_COST = 20

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""

_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"

_HEADER = lazy_pattern(rf"[ \t]*\[[ \t]*({_DOTTED})[ \t]*\]")

_ASSIGNMENT = lazy_pattern(rf"[ \t]*({_DOTTED})[ \t]*=")


class Size(ParamType[int]):
    """A number of bytes: `500000`, `64K`, `1.5G` (powers of 1,024)."""

    name = "size"
    _form = lazy_pattern(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a size."""
        match = self._form.fullmatch(str(value))
        if match is None:
            self.fail(f"{value!r} is not a size: write 500000, 64K, 20M or 1G.", param, ctx)
        try:
            return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))
        except OverflowError:
            self.fail(f"{value!r} is too large: write for example 1G.", param, ctx)


class FileCodes(ParamType[tuple[str, tuple[str, ...]]]):
    """A file pattern with rules: `docs/old/*.html:LF101,LF3`. In a settings file, a table from patterns to lists."""

    name = "glob:codes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[str, ...]]:
        """Read a pattern and codes."""
        glob, _, codes = str(value).rpartition(":")
        words = tuple(filter(None, (word.strip() for word in codes.split(","))))
        if not glob or not words:
            self.fail(f"{value!r} is not GLOB:CODE,CODE: write for example 'docs/old/*.html:LF101'.", param, ctx)
        from linkfix.auditing.selection import codes_matching  # only audits have rules

        try:
            codes_matching(words)
        except UnknownRule as error:
            self.fail(str(error), param, ctx)
        return Glob().convert(glob, param, ctx), words


class _SettingsFile(NamedTuple):
    """A settings file that was read."""

    path: Path
    """Its path."""
    text: str
    """Its content."""
    keys: tuple[str, ...]
    """The keys of linkfix's table in it: ("tool", "linkfix"), or ()."""
    table: dict[str, Any]
    """Linkfix's table."""
    doubt: str = ""
    """Why the file may be somebody else's, or ""."""

    def fail(self, message: str, *keys: str) -> NoReturn:
        """Exit with an error at the place of a key of the table."""
        _fail(self.path, _position(self.text, (*self.keys, *keys)), message)


class _FoundSettings(NamedTuple):
    """The settings of the nearest settings file."""

    file: _SettingsFile
    refused: tuple[str, ...]
    """The keys of settings that were not taken; why is `file.doubt`."""


def configurable(command: F) -> F:
    """Add the options --config and --no-config to a command, and use the settings files as its defaults."""
    for option in group(
        ADVANCED,
        click.option(
            "--config",
            type=ExistingPath(dir_okay=False, advice="make it, or leave out --config"),
            is_eager=True,
            expose_value=False,
            callback=_load,
            help="Read all settings from this TOML file instead of the nearest linkfix.toml or pyproject.toml.",
        ),
        click.option(
            "--no-config",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_skip,
            help="Do not read settings files.",
        ),
    ):
        command = option(command)

    @functools.wraps(command)
    def run(*arguments: Any, **parameters: Any) -> Any:
        _announce(click.get_current_context())
        return command(*arguments, **parameters)

    return cast("F", run)


def _announce(ctx: click.Context) -> None:
    """Say which settings file was found; with --quiet only if it changes results, or would if it were trusted.

    Ends the command where the file names a folder that it may not.
    """
    found: _FoundSettings | None = ctx.meta.get(f"{__name__}.found")
    if found is None:
        return
    keys = {str(option.name): key.replace("_", "-") for key, option in _options(ctx.command).items()}
    taken = {
        name: visible(keys[name])
        for name in ctx.default_map or {}
        if ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
    }
    for name in filter(taken.__contains__, (*_FOLDERS, *_PATHS)):
        _require_inside(found.file, ctx, name)
    if ctx.params.get("quiet") and not (found.refused or taken.keys() - _WITHOUT_EFFECT):
        return
    path = visible(str(found.file.path))
    line = f"linkfix: settings from {path}: {', '.join(taken.values()) or 'none for this command'}"
    if found.refused:
        import shlex  # few files are refused

        line += (
            f"; ignored: {visible(', '.join(found.refused))} ({visible(found.file.doubt)}: "
            f"give --config {visible(shlex.quote(str(found.file.path)))} to use them)"
        )
    click.echo(line, err=True)
    for decided, names in _ANNOUNCED.items():
        values = [f"{taken[name]} = {_shown(ctx.params[name])}" for name in names if name in taken]
        if values:
            click.echo(f"linkfix: that file decides {decided}: {', '.join(values)}", err=True)


def settings_file(ctx: click.Context) -> str | None:
    """The path of the settings file that the command read; None if it read none."""
    found: _FoundSettings | None = ctx.meta.get(f"{__name__}.found")
    return str(found.file.path) if found else ctx.meta.get(__name__)


def _require_inside(settings: _SettingsFile, ctx: click.Context, name: str) -> None:
    """Refuse folders outside the folder of a file that was found: whoever wrote it would choose what is read."""
    outer = os.path.realpath(settings.path.parent)
    values = ctx.params[name]
    for folder in [values] if isinstance(values, str) else [one if name in _PATHS else one[1] for one in values]:
        if not is_inside(os.path.realpath(folder), outer):
            key = next(key for key, option in _options(ctx.command).items() if option.name == name)
            special = (str(ctx.info_name),) if key in settings.table.get(str(ctx.info_name), ()) else ()
            typed = "" if name == "dir" else f", with --{key}"
            message = f"{key}: {folder} is not in the folder of this file: give it on the command line{typed}"
            settings.fail(message, *special, key)


def _shown(value: object) -> str:
    """A value of a setting, for people."""
    if isinstance(value, tuple):
        return " ".join("=".join(one) if isinstance(one, tuple) else _shown(one) for one in value)
    return clip(hide_passwords(str(value).lower() if isinstance(value, bool) else str(value)), MESSAGE_LENGTH)


def _skip(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and ctx.meta.get(__name__):
        message = "--config and --no-config cannot be combined: give only one of them"
        raise click.UsageError(message, ctx)
    ctx.meta[f"{__name__}.without"] = wanted


def _load(ctx: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    ctx.meta[__name__] = path
    if ctx.resilient_parsing or (path is None and ctx.meta.get(f"{__name__}.without")):
        return
    settings = _read(Path(path)) if path else next(_nearest(), None)
    if path and settings is None:
        _fail(Path(path), (1, 1), "this file has no table [tool.linkfix]: write one, or leave out --config")
    if settings:
        ctx.default_map, refused = _defaults(ctx, settings)
        if not path:
            ctx.meta[f"{__name__}.found"] = _FoundSettings(settings, refused)


def _nearest() -> Iterator[_SettingsFile]:
    folder = Path.cwd()
    repository = None
    for parent in (folder, *folder.parents):
        for name in ("linkfix.toml", "pyproject.toml"):
            if (parent / name).is_file():
                settings = _read(parent / name, functools.partial(reason_to_doubt, parent / name, repository))
                if settings:
                    yield settings
        if repository is None and is_repository_root(parent):
            repository = parent


def _read(path: Path, doubt: Callable[[os.stat_result], str] = lambda _: "") -> _SettingsFile | None:
    """Read a settings file; None for a pyproject.toml without [tool.linkfix]. `doubt` gives `_SettingsFile.doubt`."""
    import tomllib  # few runs have a settings file, and all would pay for it

    text, reason = _read_text(path, doubt)
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        mistake = toml_mistake(error, text)
        _fail(path, (mistake.line, mistake.column), mistake.words or "the file is not valid TOML")
    if path.name != "pyproject.toml":
        return _SettingsFile(path, text, (), table, reason)
    for key in ("tool", "linkfix"):
        table = table.get(key) or {}
        if not isinstance(table, dict):
            _fail(path, _position(text, ("tool", "linkfix")), f"{key} must be a table: write [tool.linkfix]")
    return _SettingsFile(path, text, ("tool", "linkfix"), table, reason) if table else None


def _read_text(path: Path, doubt: Callable[[os.stat_result], str]) -> tuple[str, str]:
    """The text of a settings file that can be parsed in little time, and `_SettingsFile.doubt`."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            reason = doubt(os.fstat(file.fileno()))
            text = file.read(_LARGEST_FILE + 1)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        column = error.start - error.object.rfind(b"\n", 0, error.start)
        _fail(path, (line, column), "this file is not UTF-8, which TOML requires: save it as UTF-8")
    except OSError as error:
        _fail(path, (1, 1), f"{error.strerror}: give yourself the right to read it, or give --no-config")
    if len(text) > _LARGEST_FILE:
        _fail(path, (1, 1), f"this file is too large: the limit is {_LARGEST_FILE:,} characters; make it smaller")
    if costly := _costly_line(text):
        _fail(path, (costly, 1), "a key has too many parts: write it with fewer dots")
    return text, reason


def _costly_line(text: str) -> int:
    """The number of the line with which a text takes too long to parse; 0 for none.

    tomllib looks up every beginning of a dotted key, and the table's for every key in it: the time grows with the
    square of their parts. Each dot may be one between parts.
    """
    cost = table = 0
    for number, line in enumerate(text.split("\n"), 1):
        parts = line.count(".")
        cost += (parts + 1) * (parts + _TABLE_COST * table)
        if cost > _LARGEST_COST:
            return number
        if line.lstrip(" \t").startswith("["):
            table = parts
    return 0


def _defaults(ctx: click.Context, settings: _SettingsFile) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings of the current command, for click's `default_map`, and the keys of those that are not taken.

    Settings of all commands are checked.
    """
    group = cast("click.Group", cast("click.Context", ctx.parent).command)
    commands = {name: group.get_command(ctx, name) for name in group.list_commands(ctx)}
    options = {name: _options(command) for name, command in commands.items() if command}
    general: dict[str, Any] = {}
    special: dict[str, Any] = {}
    refused: list[str] = []

    def take(table: dict[str, Any], parameter: click.Parameter, value: object, *keys: str) -> None:
        if settings.doubt and parameter.name not in _ANYBODYS:
            refused.append(".".join(keys))
        else:
            table[str(parameter.name)] = value

    if not settings.keys and "tool" in settings.table:
        _refuse_tool(settings, options)
    for key, value in settings.table.items():
        if key in options:
            if not isinstance(value, dict):
                settings.fail(f"{key} must be a table: write [{'.'.join((*settings.keys, key))}]", key)
            for inner, setting in value.items():
                parameter = _known(settings, options[key], (key, inner))
                checked = _check_value(ctx, settings, parameter, setting, (key, inner))
                if key == ctx.info_name:
                    take(special, parameter, checked, key, inner)
            continue
        mine = options[str(ctx.info_name)]
        every = functools.reduce(operator.or_, options.values()) | mine
        parameter = _known(settings, every, (key,), options if isinstance(value, dict) else ())
        checked = _check_value(ctx, settings, parameter, value, (key,))
        if parameter in mine.values():
            take(general, parameter, checked, key)
    return general | special, tuple(refused)


def _options(command: click.Command) -> dict[str, click.Parameter]:
    """The options of a command by their long names, with "_" for "-"; and its arguments of `_PATHS`."""
    return {
        option.opts[-1].removeprefix("--").replace("-", "_"): option
        for option in command.params
        if (isinstance(option, click.Option) and not option.hidden) or option.name in _PATHS
    }


def _refuse_tool(settings: _SettingsFile, commands: Iterable[str]) -> NoReturn:
    """Refuse a table that was copied from pyproject.toml."""
    table = settings.table["tool"]
    table = table.get("linkfix") if isinstance(table, dict) else None
    inner = next((name for name in commands if isinstance(table, dict) and name in table), "")
    here = f"write [{inner}]" if inner else "write the settings of all commands at its beginning, without a table"
    name = f"[tool.linkfix{'.' * bool(inner)}{inner}]"
    settings.fail(f"{name} is for pyproject.toml: in this file, {here}", "tool", "linkfix", *([inner] * bool(inner)))


def _known(
    settings: _SettingsFile, options: dict[str, click.Parameter], keys: tuple[str, ...], tables: Iterable[str] = ()
) -> click.Parameter:
    """The option of a setting. `tables`: the names of tables, where the setting is a table. Raises `UsageError`."""
    name = keys[-1].replace("-", "_")
    if name in _COMMAND_LINE_ONLY:
        settings.fail(f"{keys[-1]} cannot be set in a file: give it on the command line", *keys)
    if name not in options:
        if tables:
            settings.fail(f"unknown table [{keys[-1]}]{_similar(keys[-1], tables, '[{}]')}", *keys)
        settings.fail(f"unknown setting {keys[-1]}{_similar(name, options.keys() - _COMMAND_LINE_ONLY)}", *keys)
    return options[name]


def _similar(name: str, known: Iterable[str], form: str = "{}") -> str:
    """The end of a message about an unknown name: a similar one, else the known ones."""
    import difflib  # for an error alone

    near = difflib.get_close_matches(name, known, 1)
    shown = [form.format(one.replace("_", "-")) for one in near or sorted(known)]
    return f": did you mean {shown[0]}?" if near else f": the names are {', '.join(shown)}"


def _check_value(
    ctx: click.Context, settings: _SettingsFile, option: click.Parameter, value: object, keys: tuple[str, ...]
) -> object:
    types, expected = expected_types(option)
    lists = list(value.values()) if isinstance(value, dict) else [value] if isinstance(value, list) else []
    strings = all(isinstance(one, list) and all(isinstance(item, str) for item in one) for one in lists)
    if type(value) not in types or not strings:
        given = "another table" if type(value) in types & {dict} else _toml_type(value)
        settings.fail(f"{keys[-1]} must be {expected}, not {given}", *keys)
    texts = [value] if isinstance(value, str) else itertools.chain(value if isinstance(value, dict) else (), *lists)
    for text in texts:
        _check_text(settings, option, text, keys)
    if option.name == "select" and not value:
        settings.fail("select is an empty list, so no rule would run: name rules, or leave it out", *keys)
    if option.name in _PATHS:
        paths = [settings.path.parent / str(path) for path in (value if isinstance(value, list) else [value])]
        value = [os.path.relpath(path) for path in paths] if option.nargs < 0 else os.path.relpath(paths[0])
    if isinstance(value, dict):
        value = [f"{glob}:{','.join(codes)}" for glob, codes in value.items()]
    try:
        if option.name not in _PATHS:  # a folder may be built later, and another command needs none
            option.type_cast_value(ctx, value)
    except click.BadParameter as error:
        settings.fail(f"{keys[-1]}: {error.message}", *keys)
    if option.name == "root_url" and not settings.doubt:
        _check_root_url(settings, str(value), keys)
    return value


def _check_text(settings: _SettingsFile, option: click.Parameter, text: str, keys: tuple[str, ...]) -> None:
    if "\0" in text:  # the command line cannot have it either
        settings.fail(f"{keys[-1]} contains a NUL character: remove it", *keys)
    if option.name in {*_PATHS, *_FOLDERS} and len(text) > _LONGEST_PATH:
        settings.fail(f"{keys[-1]} is too long: the limit is {_LONGEST_PATH:,} characters; write a shorter path", *keys)


def _check_root_url(settings: _SettingsFile, url: str, keys: tuple[str, ...]) -> None:
    """Refuse a root URL here, where the message has the file and the setting."""
    from linkfix.resolvers import root_url  # few settings files have one

    try:
        root_url(url, INDEX_NAMES)
    except InvalidBase as error:
        settings.fail(f"{keys[-1]}: {error}", *keys)


def settable_options(command: click.Command) -> dict[str, click.Parameter]:
    """The options of a command that can be set in a file, by their names there."""
    return {
        name.replace("_", "-"): option for name, option in _options(command).items() if name not in _COMMAND_LINE_ONLY
    }


def expected_types(option: click.Parameter) -> tuple[set[type], str]:
    """The Python types of a setting, and their name in messages."""
    if not isinstance(option, click.Option):
        return {str, list}, "a string or a list of strings"
    if option.is_flag:
        return {bool}, "true or false"
    if isinstance(option.type, FileCodes):
        return {dict}, "a table of lists of strings"
    if option.multiple:
        return {list}, "a list of strings"
    if isinstance(option.type, click.types.IntParamType):
        return {int}, "a whole number"
    if isinstance(option.type, Size):
        return {int, str}, "a number of bytes, or a string like '20M'"
    return {str}, "a string"


def _toml_type(value: object) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a float", str: "a string", dict: "a table"}
    return "another list" if isinstance(value, list) else names.get(type(value), "a date or time")


def _position(text: str, keys: tuple[str, ...]) -> tuple[int, int]:
    """Line and column of a key, or of the innermost table around it that is written out; tomllib does not keep them."""
    table: tuple[str, ...] = ()
    best, found = 0, (1, 1)
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        match = header or _ASSIGNMENT.match(line)
        if match is None:
            continue
        written = tuple(part.strip("\"'") for part in re.findall(_KEY, match[1]))
        if header:
            table = written
        path = written if header else table + written
        if len(path) > best and path == keys[: len(path)]:
            best, found = len(path), (number, match.start(1) + 1)
    return found


class _SettingsError(click.ClickException):
    exit_code = 2


def _fail(path: Path, place: tuple[int, int], message: str) -> NoReturn:
    line, column = place
    text = f"{visible(str(path))}:{line}:{column}: {visible(message)}"
    raise _SettingsError(text) from None
