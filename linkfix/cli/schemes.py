"""`linkfix schemes`: searches the registry of URI schemes, and checks names, URIs and templates by RFC 4395."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import ExampleCommand
from linkfix.cli.inputs import STDIN
from linkfix.cli.options import STDOUT, OutputPath, refuse_inputs
from linkfix.cli.report import escape_lines, write_bytes, write_file
from linkfix.cli.settings import ExistingPath
from linkfix.cli.tables import print_table
from linkfix.display import display_name, json_text, pluralize, visible, visible_line, visible_path
from linkfix.files.mistakes import json_mistake
from linkfix.schemes.iana import load
from linkfix.schemes.names import Verdict, check_name, check_uri
from linkfix.schemes.registry import Registry, Scheme, packaged_registry
from linkfix.schemes.template import Template, check_lines
from linkfix.schemes.template_reader import read
from linkfix.schemes.uses import UNREGISTERED
from linkfix.urls import hide_passwords

# `linkfix schemes template`: reads, checks and writes registration templates.


Checked = list[tuple[Template, tuple[Verdict, ...]]]

_SUMMARY = "Check the registration template of a URI scheme, or write a blank one."

#: The length of the longest line in the list of fields.
_WIDTH = 100

_SPACE = re.compile(r"\s*")


def _place(name: str, line: int) -> str:
    """The place of a field. Fields from JSON may have no line."""
    return f"{name}:{line}" if line else name


def _text(name: str, checked: Checked) -> str:
    lines = []
    for template, verdicts in checked:
        about = f"{template.status or 'no status'}, form of {template.form}, {pluralize(len(template.fields), 'field')}"
        lines.append(f"{_place(name, template.fields[0].line)}: {template.scheme or 'no name'} ({about})")
        for field in template.fields:
            head = f"{field.line:>6}  {field.name:<18}"
            first, _, more = field.value.partition("\n")
            room = _WIDTH - len(head)
            whole = not more and len(first) <= room
            lines.append(f"{head} {first.strip() if whole else first.strip()[: room - 2].rstrip() + ' …'}".rstrip())
        lines += [f"{_place(name, verdict.line)}: {verdict}" for verdict in verdicts]
    return "".join(f"{visible_path(line)}\n" for line in lines)


def _json(name: str, checked: Checked) -> str:
    rows = (
        {"path": display_name(name), **template.to_json(), "verdicts": [verdict._asdict() for verdict in verdicts]}
        for template, verdicts in checked
    )
    return "".join(f"{json_text(row)}\n" for row in rows)


def _template(name: str, checked: Checked) -> str:
    del name
    return "\n".join(template.format() for template, _ in checked)


_FORMATS = {"text": _text, "json": _json, "template": _template}


@click.command(
    "template",
    cls=ExampleCommand,
    short_help=_SUMMARY,
    epilog="Example: linkfix schemes template --new > foo.txt; linkfix schemes template foo.txt --strict",
)
@click.argument(
    "path",
    metavar="[FILE]",
    required=False,
    type=ExistingPath(dir_okay=False, allow_dash=True),
)
@click.option("--new", is_flag=True, help="Write a blank template with guidance for each field.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FORMATS)),
    help="text: the fields and findings, with line numbers. json: one object per template, each on a line. template: "
    "the form of RFC 4395 §5.4, in 72 columns.  [default: text; with --new, template.]",
)
@click.option("--json", "as_json", is_flag=True, help="Short for '--format json'.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputPath(dir_okay=False, path_type=str),
    help="Write to this file. '-': standard output, the default.",
)
@click.option("--strict/--no-strict", help="Exit with 1 if there are warnings, too.")
@click.pass_context
def template(
    ctx: click.Context,
    /,
    path: str | None,
    *,
    new: bool,
    form: str | None,
    as_json: bool,
    output: str | None,
    strict: bool,
) -> None:
    """Check the registration template of a URI scheme, or write a blank one.

    FILE is a text with templates in the form of RFC 2717, RFC 4395 or RFC 7595, for example an RFC. It can also be the
    output of '--format json'. '-' is standard input. Exits with 1 if there is an error.
    """
    if as_json and form not in {None, "json"}:
        message = f"--json and --format {form} cannot be combined: give only one of them"
        raise click.UsageError(message, ctx)
    if new == (path is not None):
        message = "give either FILE, to check it, or --new, for a blank template"
        raise click.UsageError(message, ctx)
    if output not in {None, STDOUT}:
        refuse_inputs(ctx, str(output), f"--output {output}")
    name = "(standard input)" if path == STDIN else path or "(new)"
    if path is None:
        checked: Checked = [(Template.new(), ())]
    else:
        checked = [(one, _verdicts(one, of_lines)) for one, of_lines in _read(ctx, path, name)]
    form = "json" if as_json else form or ("template" if new else "text")
    written = _FORMATS[form](name, checked).encode("utf-8", "backslashreplace")
    if output in {None, STDOUT}:
        write_bytes(escape_lines(written) if sys.stdout.isatty() else written)
    else:
        write_file(output, written, quiet=False)
    if form == "template" and not new:
        for verdict in (verdict for _, verdicts in checked for verdict in verdicts):
            click.echo(visible_path(f"{_place(name, verdict.line)}: {verdict}"), err=True)
    levels = {verdict.level for _, verdicts in checked for verdict in verdicts}
    ctx.exit(int("error" in levels or (strict and "warning" in levels)))


def _read(ctx: click.Context, path: str, name: str) -> Checked:
    """The templates of a file, with the verdicts on lines that belong to no field."""
    data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("windows-1252", "replace")
    if text.lstrip().startswith("{"):
        return [(one, ()) for one in _from_json(ctx, text, name)]
    found = read(text)
    if not found:
        example = "URI scheme name: foo"
        message = f"{visible(name)} has no registration template: one begins with a line such as {example!r}"
        raise click.UsageError(message, ctx)
    return [(Template(one.fields), check_lines(one)) for one in found]


def _from_json(ctx: click.Context, text: str, name: str) -> tuple[Template, ...]:
    """The templates in a text that consists of JSON objects."""
    decoder = json.JSONDecoder()
    found = []
    at = _after_space(text, 0)
    line, position = 1, 0
    while at < len(text):
        line, position = line + text.count("\n", position, at), at
        try:
            record, end = decoder.raw_decode(text, at)
            found.append(Template.from_json(record))
            if not found[-1].fields:
                _refuse(
                    ctx, f"{name}:{line}: the template has no fields: linkfix schemes template --new writes a blank one"
                )
        except json.JSONDecodeError as error:
            mistake = json_mistake(error)
            _refuse(ctx, f"{name}:{mistake.line}:{mistake.column}: {mistake.words or 'not valid JSON'}")
        except RecursionError:
            _refuse(ctx, f"{name}:{line}: the values are nested too deeply")
        except ValueError as error:  # `InvalidTemplate`, or a number with too many digits
            _refuse(ctx, f"{name}:{line}: {error}")
        at = _after_space(text, end)
    return tuple(found)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _refuse(ctx: click.Context, message: str) -> NoReturn:
    raise click.UsageError(visible(message), ctx)


def _verdicts(template: Template, of_lines: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts on a template, its name and its lines, sorted by line.

    A registered name is not an error: the template may be an update.
    """
    of_fields = template.validate()
    found = [*of_lines, *of_fields, *_name_verdicts(template, of_fields)]
    return tuple(sorted(found, key=lambda verdict: verdict.line))


def _name_verdicts(template: Template, of_fields: tuple[Verdict, ...]) -> list[Verdict]:
    field = template.field("name")
    if field is None or any(verdict.line == field.line and verdict.code == "field-empty" for verdict in of_fields):
        return []
    of_name = [verdict for verdict in check_name(template.scheme or "") if verdict.level != "note"]
    if any(verdict.code == "name-registered" for verdict in of_name):
        message = f"{template.scheme!r} is registered: the template must be an update"
        update = Verdict("name-registered", "note", message, "RFC 4395 §5.3")
        kept = {"name-syntax", "name-case"}
        of_name = [update, *(verdict for verdict in of_name if verdict.code in kept)]
    return [verdict._replace(line=field.line) for verdict in of_name]


_FORM = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: one object per line.",
)

_STRICT = click.option("--strict/--no-strict", help="Exit with 1 if there are warnings, too.")

_REGISTRY = click.option(
    "--registry",
    metavar="CSV",
    type=ExistingPath(dir_okay=False),
    help="Use this CSV file from IANA instead of the registry in linkfix.",
)

#: Whether a scheme has relative references, in words (RFC 1808 §2.3).
_RELATIVE = {
    "never": "never",
    "always": "yes",
    "sometimes": "if the base follows the generic syntax",
    "": "not specified",
}

_HIERARCHICAL = {True: "yes: // and a host follow the colon", False: "no: // never follows the colon", None: ""}


class _Group(ExampleCommand, click.Group):
    """A group that treats a word that is not a command as a search word."""

    command_class: type[click.Command] | None = ExampleCommand

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with `list` inserted before a word that is not a command."""
        if not args or args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(
    "schemes",
    cls=_Group,
    short_help=COMMANDS["schemes"].summary,
    epilog="Example: linkfix schemes mail; linkfix schemes show gopher; linkfix schemes check com-example-lamp",
)
def command() -> None:
    """Look up URI schemes; check scheme names, URIs and registrations.

    Give words instead of a command to list the registered schemes that contain all of them. The registry is IANA's. The
    checks follow RFC 4395.
    """


def _registry(path: str | None) -> Registry:
    return load(path) if path else packaged_registry()


@command.command(
    "list",
    short_help="List the registered schemes that contain words.",
    epilog="Example: linkfix schemes list mail --status permanent",
)
@click.argument("words", metavar="[WORD]...", nargs=-1)
@click.option(
    "--status",
    type=click.Choice(["permanent", "provisional", "historical"]),
    help="List only schemes with this status.",
)
@_FORM
@_REGISTRY
def list_command(words: tuple[str, ...], status: str | None, form: str, registry: str | None) -> None:
    """List the registered schemes that contain all the words."""
    chosen = _registry(registry)
    found = [scheme for scheme in chosen.search(" ".join(words)) if status in {None, scheme.status}]
    if form == "json":
        for scheme in found:
            click.echo(json_text(_fields(scheme)))
        return
    if found:
        rows = [[scheme.name, scheme.status, scheme.description, scheme.reference] for scheme in found]
        print_table(["scheme", "status", "description", "reference"], rows)
    dated = f", {chosen.date}" if chosen.date else ""
    click.echo(f"{pluralize(len(found), 'scheme')} of {len(chosen):,} in {visible(chosen.source)}{dated}", err=True)
    meant = get_close_matches(words[0], command.commands, 1) if words and not found else []
    if meant and words[0] not in meant:
        click.echo(f"did you mean the command 'linkfix schemes {visible(meant[0])}'?", err=True)
    elif near := chosen.near(words[0]) if words and not found else None:
        click.echo(f"did you mean {near}?", err=True)


def _fields(scheme: Scheme) -> dict[str, Any]:
    return {
        **scheme._asdict(),
        "relative": scheme.relative,
        "hierarchical": scheme.hierarchical,
        "special": scheme.special,
        "default_port": scheme.default_port,
    }


@command.command("show", epilog="Example: linkfix schemes show mailto gopher")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@_FORM
@_REGISTRY
@click.pass_context
def show(ctx: click.Context, /, names: tuple[str, ...], form: str, registry: str | None) -> None:
    """Show everything known about schemes. Exits with 1 if one is not registered."""
    chosen = _registry(registry)
    missing = False
    for name in names:
        scheme = chosen.lookup(name.removesuffix(":"))
        if scheme is None:
            missing = True
            click.echo(visible_line(_unknown(name, chosen)), err=True)
        elif form == "json":
            click.echo(json_text(_fields(scheme)))
        else:
            click.echo("\n".join(_describe(scheme)))
    ctx.exit(int(missing))


def _unknown(name: str, registry: Registry) -> str:
    used = UNREGISTERED.get(name.lower())
    if used:
        return f"{name}: not registered, but in use: {used}"
    near = registry.near(name)
    return f"{name}: not registered" + (f": did you mean {near}?" if near else "")


def _describe(scheme: Scheme) -> list[str]:
    section = f" ({scheme.relative_section})" if scheme.relative_section else ""
    rows = {
        "status": scheme.status,
        "description": scheme.description,
        "reference": scheme.reference,
        "template": scheme.template and f"https://www.iana.org/assignments/uri-schemes/{scheme.template}",
        "well-known URIs": scheme.well_known,
        "notes": scheme.notes,
        "relative references": _RELATIVE[scheme.relative] + section,
        "hierarchical": _HIERARCHICAL[scheme.hierarchical],
        "special in browsers": "yes (URL standard §4.2)" if scheme.special else "no",
        "default port": str(scheme.default_port or ""),
    }
    return [f"{scheme.name}:", *(f"  {name:<20} {visible(value)}" for name, value in rows.items() if value)]


def _print_verdicts(
    ctx: click.Context,
    subjects: Sequence[str],
    check: Callable[[str, Registry], Iterable[Verdict]],
    none: str,
) -> None:
    """Print the verdicts on each subject. Exits with 1 for an error, or for a warning with --strict."""
    registry = _registry(ctx.params["registry"])
    levels = set()
    for subject in subjects:
        verdicts = tuple(check(subject, registry))
        levels |= {verdict.level for verdict in verdicts}
        hide = partial(hide_passwords, everywhere=hide_passwords(subject) != subject)
        if ctx.params["form"] == "json":
            click.echo(json_text({"subject": subject, "verdicts": [verdict._asdict() for verdict in verdicts]}))
            continue
        click.echo(visible_line(f"{hide(subject)}: {'' if verdicts else none}").rstrip())
        for verdict in verdicts:
            click.echo(f"  {visible(hide(str(verdict)))}")
    ctx.exit(int("error" in levels or (ctx.params["strict"] and "warning" in levels)))


@command.command("check", epilog="Example: linkfix schemes check htpp com-example-lamp")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@_FORM
@_REGISTRY
@_STRICT
@click.pass_context
def check(ctx: click.Context, /, names: tuple[str, ...], **_: object) -> None:
    """Check scheme names, existing or proposed.

    RFC 4395 §2.8 defines the checks: syntax, case, length, scope, rights, private names. The names are also
    compared with registered names (§5.2) and similar names. Exits with 1 if there is an error.
    """
    _print_verdicts(ctx, names, check_name, "no findings")


@command.command("check-uri", epilog="Example: linkfix schemes check-uri mailto://a@example.org")
@click.argument("uris", metavar="URI...", nargs=-1, required=True)
@_FORM
@_REGISTRY
@_STRICT
@click.pass_context
def check_uri_command(ctx: click.Context, /, uris: tuple[str, ...], **_: object) -> None:
    """Check the syntax of URIs.

    A URI must match <absolute-URI> of RFC 3986 §4.3. It must use '//', '/' and dot segments as its scheme allows
    (RFC 4395 §2.2). Exits with 1 if there is an error.
    """
    _print_verdicts(ctx, uris, check_uri, "no findings")


command.add_command(template)
