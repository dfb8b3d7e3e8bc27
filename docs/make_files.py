"""Writes the files that the options of the commands make: the man page, and the JSON schema of the settings.

python docs/make_files.py
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import click

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # the package of this checkout

from linkfix import cli as command_line  # noqa: E402 - it is found now
from linkfix.cli import cli  # noqa: E402
from linkfix.cli.help import Command  # noqa: E402
from linkfix.cli.settings import expected_types, settable_options  # noqa: E402

#: The types of settings, as JSON Schema names them.
_TYPES = {bool: "boolean", int: "integer", list: "array", str: "string"}
_STRINGS = {"type": "array", "items": {"type": "string"}}
#: Settings may have "_" in the place of "-".
_ANY_SPELLING = {"_": True}

_ENVIRONMENT = {
    "NO_COLOR": "Any value turns colours off, unless --color is given.",
    "FORCE_COLOR": "Any value turns colours on, unless --color is given, or NO_COLOR is set.",
    "COLUMNS": "The width of the terminal.",
}
_FILES = {
    "linkfix.toml": "Settings: the long options of the commands, without '--'. The nearest one in the working folder, "
    "or above it, counts.",
    "pyproject.toml": "The same settings, in the table [tool.linkfix].",
}


def _root() -> click.Context:
    return click.Context(cli, info_name="linkfix", **cli.context_settings)


def _commands(parent: click.Context) -> Iterator[click.Context]:
    """Yield a context for each command of a group, and for the commands in it, in the order of the help."""
    group = cast("click.Group", parent.command)
    for name in group.list_commands(parent):
        command = cast("click.Command", group.get_command(parent, name))
        context = click.Context(command, parent, info_name=name)
        yield context
        if isinstance(command, click.Group):
            yield from _commands(context)


def settings_schema() -> str:
    """The JSON schema of linkfix.toml, and of the table [tool.linkfix] in pyproject.toml."""
    root = _root()
    own = {str(ctx.info_name): settable_options(ctx.command) for ctx in _commands(root) if ctx.parent is root}
    common: dict[str, list[dict[str, Any]]] = {}
    for options in own.values():
        for name, option in options.items():
            variants = common.setdefault(name, [])
            made = _setting(option)
            if all(_without_text(made) != _without_text(other) for other in variants):
                variants.append(made)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of linkfix",
        "description": "linkfix.toml, or the table [tool.linkfix] in pyproject.toml",
        **_table({name: made[0] if len(made) == 1 else {"anyOf": made} for name, made in sorted(common.items())}),
    }
    for name, options in own.items():
        if options:
            table = _table({key: _setting(option) for key, option in options.items()})
            schema["properties"][name] = {"description": f"Settings of 'linkfix {name}' only.", **table}
    return json.dumps(schema, indent=1) + "\n"


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": _ANY_SPELLING,
        "additionalProperties": False,
    }


def _without_text(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def _setting(option: click.Parameter) -> dict[str, Any]:
    """The schema of a setting."""
    types, _ = expected_types(option)
    value: dict[str, Any]
    if types == {dict}:
        value = {"type": "object", "additionalProperties": _STRINGS}
    elif types == {list}:
        value = dict(_STRINGS)
    else:
        names = sorted(_TYPES[type_] for type_ in types)
        value = {"type": names[0] if len(names) == 1 else names}
    if isinstance(option.type, click.Choice):
        value["enum"] = list(option.type.choices)
    if isinstance(option.type, click.IntRange) and option.type.min is not None:
        value["minimum"] = option.type.min
    if not isinstance(option, click.Option):
        return {"description": f"The argument {str(option.name).upper()}: a path, or a list of paths.", **value}
    if option.show_default and option.default is not None:
        value["default"] = option.default
    return {"description": option.help, **value}


def manual() -> str:
    """The man page of linkfix, with a section for each command."""
    context = _root()
    summary, _, more = inspect.cleandoc(str(cli.help)).partition("\n")
    lines = [
        '.TH LINKFIX 1 "" linkfix "User Commands"',
        *_section("NAME", [_escape(f"linkfix - {summary[0].lower()}{summary[1:].rstrip('.')}")]),
        *_section("SYNOPSIS", [_usage(context)]),
        *_section("DESCRIPTION", _paragraphs(more)),
        *_options(context),
    ]
    for ctx in _commands(context):
        examples = ctx.command.examples if isinstance(ctx.command, Command) else {}
        lines += [
            *_section(ctx.command_path.upper(), [_usage(ctx), *_paragraphs(str(ctx.command.help))]),
            *_options(ctx),
            *([".SS Examples"] if examples else []),
            *(line for purpose, example in examples.items() for line in _example(purpose, example)),
        ]
    codes = re.findall(r"^- (.+?): (.+)", str(command_line.__doc__), re.MULTILINE)
    for title, entries in (("EXIT STATUS", dict(codes)), ("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        lines += _section(title, _entries(entries.items()))
    return "\n".join(lines) + "\n"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    return [f'.SH "{_escape(title)}"', *lines]


def _usage(ctx: click.Context) -> str:
    words = " ".join(ctx.command.collect_usage_pieces(ctx))
    return f"\\fB{_escape(ctx.command_path)}\\fR {_escape(words)}"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in filter(None, inspect.cleandoc(text).split("\n\n")):
        yield ".PP"
        yield _escape(" ".join(paragraph.split()))


def _options(ctx: click.Context) -> Iterator[str]:
    """The options of a command, by groups."""
    command = ctx.command
    if isinstance(command, Command):
        groups = command.grouped_options(ctx)
    else:
        groups = iter([("Options", [one for one in command.get_params(ctx) if isinstance(one, click.Option)])])
    for title, members in groups:
        yield f'.SS "{_escape(title)}"'
        yield from _entries(record for option in members if (record := option.get_help_record(ctx)))


def _entries(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, text in entries:
        yield from (".TP", f"\\fB{_escape(name)}\\fR", _escape(" ".join(text.split())))


def _example(purpose: str, line: str) -> Iterator[str]:
    yield from (".PP", f"{_escape(purpose)}:", ".PP", ".nf", f".RS\n{_escape(line)}\n.RE", ".fi")


def _escape(text: str) -> str:
    """Text for roff: a backslash, a hyphen and a quote are themselves, and no line begins with a command."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith((".", "\\(aq")) else escaped


#: The files below docs/, each with the function that returns its text.
FILES: Mapping[str, Callable[[], str]] = {"linkfix.1": manual, "linkfix-settings.schema.json": settings_schema}

if __name__ == "__main__":
    for name, make in FILES.items():
        (HERE / name).write_text(make(), "utf-8")
