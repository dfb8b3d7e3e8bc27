"""`linkfix schemes`: the registry of URI schemes, and checks of names, URIs and templates by RFC 4395."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import click

from linkfix.cli import COMMANDS
from linkfix.cli.schemes_template import template
from linkfix.cli.tables import print_table
from linkfix.display import hide_passwords, json_text, pluralize, visible, visible_line
from linkfix.registration.iana import load
from linkfix.registration.names import check_name
from linkfix.registration.uris import check_uri
from linkfix.registration.verdict import Verdict
from linkfix.schemes.registry import Registry, Scheme, packaged_registry
from linkfix.schemes.uses import UNREGISTERED

__all__ = ["command"]

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
    type=click.Path(exists=True, dir_okay=False, path_type=str),
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


class _Group(click.Group):
    """Treats a word that is not a command as a word to search for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `list` before a word that is no command."""
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

    Words instead of a command list the registered schemes that contain them all. The registry is IANA's; the checks are
    those of RFC 4395.
    """


def _registry(path: str | None) -> Registry:
    return load(path) if path else packaged_registry()


@command.command("list", epilog="Example: linkfix schemes list mail --status permanent")
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
    """Print the verdicts on each subject. Exits with 1 for an error, and with --strict for a warning."""
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

    Names are checked by RFC 4395 §2.8 (syntax, case, length, scope, rights, private names), and against registered
    names (§5.2) and similar ones. Exits with 1 if there is an error.
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

    URIs are checked by RFC 4395 §2.2: they must match <absolute-URI> of RFC 3986 §4.3, and use '//', '/' and dot
    segments as their scheme does. Exits with 1 if there is an error.
    """
    _print_verdicts(ctx, uris, check_uri, "no findings")


command.add_command(template)
