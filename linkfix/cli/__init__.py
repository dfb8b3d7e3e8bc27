"""The command `linkfix`: its commands (a file and a row of `COMMANDS` each), and how every one of them ends.

Exit codes: 0 done; 1 done, with problems, under `--strict` (`audit`: with findings, see `--fail-on`; `schemes`: with
errors); 2 wrong use, or a
file that could not be read or written; 3 `audit` had nothing that it could judge; 130 interrupted; 141 nobody reads the
output any more (128 + the signal's number, as a shell has it).
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import NamedTuple, NoReturn, cast

import click

from linkfix import __version__
from linkfix.display import visible
from linkfix.errors import LinkfixError
from linkfix.html.compiled import SPEED

__all__ = ["COMMANDS", "Row", "cli", "main"]


class Row(NamedTuple):
    """A command: the module whose `command` it is, imported when it runs, and the sentence that lists it."""

    module: str
    summary: str


COMMANDS = {
    "absolutize": Row("linkfix.cli.absolutize", "Make the links of documents and of trees of saved pages absolute."),
    "audit": Row("linkfix.cli.audit", "Find the broken references of a tree of pages, offline."),
    "links": Row("linkfix.cli.links", "List the links of documents with their targets."),
    "base": Row("linkfix.cli.base", "Explain which base URL a document has, and why."),
    "unpack": Row("linkfix.cli.unpack", "Write the parts of a container as files, with a table of their URLs."),
    "resolve": Row("linkfix.cli.resolve", "Resolve references against a base URL."),
    "schemes": Row("linkfix.cli.schemes", "Look up URI schemes, and judge names, URIs and registrations."),
    "completion": Row("linkfix.cli.completion", "Print the script that completes linkfix in a shell."),
}


class _Commands(click.Group):
    """Imports a command when it is asked for, and turns what can go wrong in any of them into a line and a code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        row = COMMANDS.get(cmd_name)
        return importlib.import_module(row.module).command if row else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.summary) for name, row in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except LinkfixError as error:
            name = str(ctx.invoked_subcommand)
            command = cast("click.Command", self.get_command(ctx, name))
            raise click.UsageError(str(error), click.Context(command, ctx, name)) from error
        except KeyboardInterrupt:
            click.echo("linkfix: interrupted; every file is either as it was or complete", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            _drop_output()
            ctx.exit(141)
        except OSError as error:
            name = f"{visible(str(error.filename))}: " if error.filename else ""
            click.echo(f"linkfix: {name}{error.strerror or error}", err=True)
            _drop_output()
            ctx.exit(2)


def _drop_output() -> None:
    """Where standard output takes no more, let the interpreter's last flush go nowhere instead of failing."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  # click's call
    if not wanted or ctx.resilient_parsing:
        return
    click.echo(f"linkfix {__version__} ({SPEED})")
    ctx.exit()


@click.group(
    "linkfix",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: linkfix absolutize page.html --url https://example.com/dir/page.html > absolute.html",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version, and whether the compiled or the plain scanner runs.",
)
def cli() -> None:
    """Establish a document's base URL and make its links absolute, changing nothing but the links.

    Settings may stand in linkfix.toml or in [tool.linkfix] of pyproject.toml.
    """


def main() -> NoReturn:
    """Run the command line; never returns."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, _leave)
    cli.main(prog_name="linkfix")


def _leave(number: int, _frame: object) -> NoReturn:
    """Unwind, so that temporary files are removed and workers ended."""
    sys.exit(128 + number)
