"""`linkfix schemes template`: registration templates read, judged and written."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import NoReturn

import click

from linkfix.cli.inputs import STDIN
from linkfix.cli.report import put
from linkfix.display import counted, display_name, visible
from linkfix.files import atomic
from linkfix.registration.names import check_name
from linkfix.registration.template import Template
from linkfix.registration.verdict import Verdict

__all__ = ["template"]

Judged = list[tuple[Template, tuple[Verdict, ...]]]

_SUMMARY = "Read and judge the registration template of a URI scheme, or write a blank one."
#: No line of the list of fields is longer.
_WIDTH = 100
_SPACE = re.compile(r"\s*")


def _place(name: str, line: int) -> str:
    """What was made by hand as JSON has no lines."""
    return f"{name}:{line}" if line else name


def _text(name: str, judged: Judged) -> str:
    lines = []
    for template, verdicts in judged:
        about = f"{template.status or 'no status'}, form of {template.form}, {counted(len(template.fields), 'field')}"
        lines.append(f"{_place(name, template.fields[0].line)}: {template.scheme or 'no name'} ({about})")
        for field in template.fields:
            head = f"{field.line:>6}  {field.name:<18}"
            first, _, more = field.value.partition("\n")
            room = _WIDTH - len(head)
            whole = not more and len(first) <= room
            lines.append(f"{head} {first.strip() if whole else first.strip()[: room - 2].rstrip() + ' …'}".rstrip())
        lines += [f"{_place(name, verdict.line)}: {verdict}" for verdict in verdicts]
    return "".join(f"{visible(line)}\n" for line in lines)


def _json(name: str, judged: Judged) -> str:
    rows = (
        {"path": display_name(name), **template.to_json(), "verdicts": [verdict._asdict() for verdict in verdicts]}
        for template, verdicts in judged
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _template(name: str, judged: Judged) -> str:
    del name
    return "\n".join(template.format() for template, _ in judged)


_FORMATS = {"text": _text, "json": _json, "template": _template}


@click.command(
    "template",
    short_help=_SUMMARY,
    epilog="Example: linkfix schemes template --new > foo.txt; linkfix schemes template foo.txt --strict",
)
@click.argument(
    "path",
    metavar="[FILE]",
    required=False,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=str),
)
@click.option("--new", is_flag=True, help="A blank template instead: every field, and what belongs there.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FORMATS)),
    help="text: the fields with their lines, and what is to be said of them; json: an object a line, one for each "
    "template; template: in the form of RFC 4395 §5.4, in 72 columns.  [default: text; of --new, template.]",
)
@click.option("--json", "as_json", is_flag=True, help="Short for '--format json'.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=str),
    help="Write to this file instead of standard output.",
)
@click.option("--strict/--no-strict", help="Exit with 1 where there are warnings, too.")
@click.pass_context
def template(  # noqa: PLR0913  # an option each
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
    """Read and judge the registration template of a URI scheme, or write a blank one.

    FILE is a text with a template, such as an RFC, in the form of RFC 2717, RFC 4395 or RFC 7595; or what '--format
    json' wrote; or '-' for standard input. All templates that it has are read. Exit code 1 where one has an error.
    """
    if as_json and form not in {None, "json"}:
        message = f"--json and --format {form} contradict each other: give one of them"
        raise click.UsageError(message, ctx)
    if new == (path is not None):
        message = "give FILE or --new: a file is read, or a blank template is made"
        raise click.UsageError(message, ctx)
    name = "(standard input)" if path == STDIN else path or "(new)"
    templates = (Template.new(),) if path is None else _read(ctx, path, name)
    judged = [(one, () if new else _verdicts(one)) for one in templates]
    form = "json" if as_json else form or ("template" if new else "text")
    written = _FORMATS[form](name, judged).encode("utf-8", "backslashreplace")
    if output is None:
        put(written)
    else:
        atomic.write(output, written)
    if form == "template" and not new:
        for verdict in (verdict for _, verdicts in judged for verdict in verdicts):
            click.echo(visible(f"{_place(name, verdict.line)}: {verdict}"), err=True)
    levels = {verdict.level for _, verdicts in judged for verdict in verdicts}
    ctx.exit(int("error" in levels or (strict and "warning" in levels)))


def _read(ctx: click.Context, path: str, name: str) -> tuple[Template, ...]:
    data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("windows-1252", "replace")
    if text.lstrip().startswith("{"):
        return _from_json(ctx, text, name)
    templates = Template.parse_all(text)
    if not templates:
        message = f"{visible(name)} has no registration template: one begins with a line such as 'URI scheme name: foo'"
        raise click.UsageError(message, ctx)
    return templates


def _from_json(ctx: click.Context, text: str, name: str) -> tuple[Template, ...]:
    """The objects of a JSON text, one after the other, as templates."""
    decoder = json.JSONDecoder()
    found = []
    at = _after_space(text, 0)
    line, counted_to = 1, 0
    while at < len(text):
        line, counted_to = line + text.count("\n", counted_to, at), at
        try:
            record, end = decoder.raw_decode(text, at)
            found.append(Template.from_json(record))
            if not found[-1].fields:
                _refuse(ctx, f"{name}:{line}: a template without fields")
        except json.JSONDecodeError as error:
            _refuse(ctx, f"{name}:{error.lineno}:{error.colno}: {error.msg}")
        except RecursionError:
            _refuse(ctx, f"{name}:{line}: too many values inside each other")
        except ValueError as error:  # `InvalidTemplate`, or a number of too many digits
            _refuse(ctx, f"{name}:{line}: {error}")
        at = _after_space(text, end)
    return tuple(found)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _refuse(ctx: click.Context, message: str) -> NoReturn:
    raise click.UsageError(visible(message), ctx)


def _verdicts(template: Template) -> tuple[Verdict, ...]:
    """What is to be said of a template and of the name in it: that this one is registered is no fault of an update."""
    field = template.field("name")
    verdicts = template.validate()
    if field is None or any(verdict.line == field.line and verdict.code == "field-empty" for verdict in verdicts):
        return verdicts
    of_name = [verdict for verdict in check_name(template.scheme or "") if verdict.level != "note"]
    if any(verdict.code == "name-registered" for verdict in of_name):
        message = f"{template.scheme!r} is registered: the template can only be an update"
        update = Verdict("name-registered", "note", message, "RFC 4395 §5.3")
        kept = {"name-syntax", "name-case"}
        of_name = [update, *(verdict for verdict in of_name if verdict.code in kept)]
    both = [*verdicts, *(verdict._replace(line=field.line) for verdict in of_name)]
    return tuple(sorted(both, key=lambda verdict: verdict.line))
