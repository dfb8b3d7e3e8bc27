"""`linkfix move`: rewrites links for a site that moves to another URL."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from linkfix.cli import COMMANDS
from linkfix.cli.conversion import WRITING, start
from linkfix.cli.help import COMMON, REWRITING, Command, group, options
from linkfix.cli.inputs import optional_paths_argument
from linkfix.cli.options import CONDITIONAL_COMMENTS, DOCUMENT, SCRIPTING, STRICT, PastedReference, field_options
from linkfix.cli.run_options import ORIGIN, run_settings
from linkfix.cli.settings import ExistingPath, configurable
from linkfix.display import unguard, visible
from linkfix.document.relocation import Move, UrlMoves
from linkfix.errors import InvalidOption
from linkfix.model import Options
from linkfix.runs.plan import InputPath, RunSettings
from linkfix.saved.csv_table import csv_rows, line_message, read_table

_MOVES = (
    *group(
        COMMON,
        click.option("--from", "old", metavar="URL", type=PastedReference(), help="The old URL of the page or folder."),
        click.option("--to", "new", metavar="URL", type=PastedReference(), help="Its new URL."),
        click.option(
            "--moves",
            metavar="FILE",
            type=ExistingPath(dir_okay=False),
            help="A table of moves: CSV with the columns from and to. The longest URL counts.",
        ),
    ),
    *group(
        REWRITING,
        *field_options(
            Options,
            plain_text="Also rewrite URLs in plain text (a PATH ending in .txt).",
            conditional_comments=CONDITIONAL_COMMENTS,
        ),
    ),
)


@click.command(
    "move",
    cls=Command,
    short_help=COMMANDS["move"].summary,
    examples={
        "Move a site to another host": "linkfix move site/ --root-url https://old.example/ --from https://old.example/ "
        "--to https://new.example/ --in-place",
        "Move a folder of a site": "linkfix move site/ --root-url https://example.com/ "
        "--from https://example.com/docs/ --to https://example.com/manual/ -o new/",
        "Show the changes in another site": "linkfix move blog/ --from https://old.example/ --to https://new.example/ "
        "--diff",
        "Make many moves": "linkfix move site/ --root-url https://example.com/ --moves moves.csv --in-place",
    },
)
@optional_paths_argument
@options(_MOVES, DOCUMENT, ORIGIN, SCRIPTING, WRITING, STRICT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Rewrite links for a site that moves to another URL.

    Links to the URL of --from, and to all URLs in it as a folder, lead to --to. Each link keeps its form: absolute,
    //host/path, /path, or relative. Relative links change only where the move would change their targets. This covers
    pages (with canonical links, Open Graph and JSON-LD), style sheets, feeds, sitemaps, robots.txt, web app manifests
    and Markdown. Archives and messages in a folder stay as they are.

    Relative links need the old URL of the folder, --root-url. Old URLs that stay, in scripts and texts, are problems.
    """
    is_new = ctx.params["paths"] and not ctx.params["resume"]  # a journal has the options of its run
    moves = _moves(ctx) if is_new else None
    start(ctx, partial(_settings, ctx, moves))


def _settings(ctx: click.Context, moves: UrlMoves | None, _inputs: list[InputPath], **fields: bool) -> RunSettings:
    """The settings of a run."""
    of_pages = {"lazy": True, "social": True, "json_ld": True, "move": moves or _moves(ctx)}
    return run_settings(ctx.params | of_pages, sources=True, **fields)


def _moves(ctx: click.Context) -> UrlMoves:
    """The moves that the options state."""
    old, new, table = (ctx.params[name] for name in ("old", "new", "moves"))
    mistakes = {
        "--from and --to belong together: give both": bool(old) != bool(new),
        "no URL moves: give --from URL and --to URL, or --moves FILE": not (old or new or table),
    }
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    rows = [Move(old, new, "--from" if table else "")] if old else []
    if table:
        rows += read_moves(table)
    if not rows:
        message = f"{visible(table)} has no move: write an old and a new URL in a row"
        raise click.UsageError(message, ctx)
    return UrlMoves(rows)


def read_moves(path: str) -> Iterator[Move]:
    """The moves of a table: CSV in UTF-8 with the columns from and to; other columns are ignored.

    Raises InvalidOption with file and line, and `OSError`.
    """
    columns: list[int] = []
    for line, cells in csv_rows(path, read_table(path)):
        if columns and len(cells) <= max(columns):
            fault = "the row has too few cells: write the old URL and the new URL"
            raise InvalidOption(line_message(path, line, fault))
        if columns:
            yield Move(unguard(cells[columns[0]]), unguard(cells[columns[1]]), f"{visible(path)}:{line}")
            continue
        names = [cell.lower() for cell in cells]
        if not {"from", "to"} <= set(names):
            fault = "the columns from and to are missing: name them in the first line, from,to"
            raise InvalidOption(line_message(path, line, fault))
        if names.count("from") > 1 or names.count("to") > 1:
            fault = "the columns from and to are there more than once: name each once"
            raise InvalidOption(line_message(path, line, fault))
        columns = [names.index("from"), names.index("to")]
