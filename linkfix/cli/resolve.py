"""`linkfix resolve`: resolves references against a base URL, by one specification or by all specifications."""

from __future__ import annotations

from typing import Any

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import Command, options
from linkfix.cli.options import STRICT, PastedReference, resolver_choices, spec_option
from linkfix.cli.settings import configurable
from linkfix.cli.tables import print_table
from linkfix.display import json_text, visible
from linkfix.model import PROBLEMS, Resolution
from linkfix.resolvers import RESOLVERS, resolve
from linkfix.resolvers.common import CHOICES
from linkfix.urls import hide_passwords


def _cell(resolution: Resolution) -> str:
    text = visible(resolution.target) if resolution.target is not None else f"[{resolution.problem}]"
    return f"{text} (same document)" if resolution.same_document else text


@click.command(
    "resolve",
    short_help=COMMANDS["resolve"].summary,
    cls=Command,
    examples={
        "Resolve a reference": "linkfix resolve https://example.com/dir/page.html ../x.png",
        "Compare the specifications": "linkfix resolve 'http://a/b/c/d;p?q' ../g '?y' '' --spec all",
    },
)
@click.argument("base", type=PastedReference())
@click.argument("references", metavar="REF...", type=PastedReference(), nargs=-1, required=True)
@options((spec_option("all"), *resolver_choices))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: one object per line, for each reference and specification.",
)
@options(STRICT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, base: str, references: tuple[str, ...], **_: object) -> None:
    """Resolve references against a base URL.

    BASE is an absolute URL, or '' if it is unknown. Each REF is a reference, whose target is printed. '--spec all'
    prints a table with the targets by all five specifications. Delimiters are removed: '<URL:../x>' is '../x'. Put '--'
    before a reference that begins with a hyphen.
    """
    parameters = ctx.params
    specs = list(RESOLVERS) if parameters["spec"] == "all" else [parameters["spec"]]
    found = [(reference, [_resolve(base, reference, name, parameters) for name in specs]) for reference in references]
    if parameters["form"] == "json":
        for reference, resolutions in found:
            for name, resolution in zip(specs, resolutions, strict=True):
                click.echo(json_text({"base": base, "reference": reference, "spec": name, **resolution._asdict()}))
    elif parameters["spec"] == "all":
        print_table(["reference", *specs], [[visible(repr(reference)), *map(_cell, row)] for reference, row in found])
    else:
        for reference, (resolution,) in found:
            click.echo(visible(resolution.target or ""))
            if resolution.problem:
                reason = _reason(base, reference, resolution, specs[0])
                click.echo(visible(hide_passwords(f"{reference!r}: {reason} [{resolution.problem}]")), err=True)
    problems = any(resolution.problem for _, row in found for resolution in row)
    ctx.exit(int(parameters["strict"] and problems))


def _reason(base: str, reference: str, resolution: Resolution, spec: str) -> str:
    """The reason for a missing target: a problem of the reference or of the base."""
    if resolution.problem == "unresolvable" and resolve(None, reference, spec).problem == "no-base":
        return f"no reference can be relative to the base {base!r}"
    return PROBLEMS[str(resolution.problem)]


def _resolve(base: str, reference: str, name: str, parameters: dict[str, Any]) -> Resolution:
    """Resolve by one specification. With --spec all, a choice applies only if the specification leaves it open."""
    every = parameters["spec"] == "all"
    chosen = {choice: parameters[choice] for choice in CHOICES if not every or choice in RESOLVERS[name].choices}
    return resolve(base, reference, name, **chosen)
