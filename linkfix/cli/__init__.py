"""The command `linkfix`: the table of its commands, each in its own module, and their common error handling.

Exit codes (129 to 141 are 128 + the number of the signal, as in shells):

- 0: success
- 1: problems under `--strict` (`audit`: findings, see `--fail-on`; `schemes`: errors; `undo`: files that changed later)
- 2: wrong usage, or a file that could not be read or written
- 3: `audit` could check no reference
- 129: the terminal hung up
- 130: interrupted
- 141: the reader of the output is gone
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

import click

from linkfix import __version__
from linkfix.cli.help import ExampleCommand
from linkfix.display import visible
from linkfix.errors import LinkfixError
from linkfix.urls import AUTHORITY_SCHEMES, hide_passwords, scheme_of

__all__ = ["COMMANDS", "CommandEntry", "cli", "main"]


class CommandEntry(NamedTuple):
    """A command of `linkfix`."""

    module: str
    """The module that defines the command as `command`, imported when the command is used."""
    summary: str
    """The sentence about the command in the list of commands."""


COMMANDS = {
    "absolutize": CommandEntry("linkfix.cli.absolutize", "Make the links of documents and saved pages absolute."),
    "audit": CommandEntry("linkfix.cli.audit", "Find broken links in a folder of pages, offline."),
    "links": CommandEntry("linkfix.cli.links", "List the links of documents and their targets."),
    "base": CommandEntry("linkfix.cli.base", "Print the base URL of a document and the reason for it."),
    "relativize": CommandEntry("linkfix.cli.relativize", "Make the links among the files of a folder relative."),
    "move": CommandEntry("linkfix.cli.move", "Rewrite links for a site that moves to another URL."),
    "undo": CommandEntry("linkfix.cli.undo", "Undo a run: restore the files that linkfix changed in place."),
    "unpack": CommandEntry(
        "linkfix.cli.unpack", "Make a folder of an archive or message, which a browser opens without a network."
    ),
    "resolve": CommandEntry("linkfix.cli.resolve", "Resolve references against a base URL."),
    "completion": CommandEntry("linkfix.cli.completion", "Print the completion script for a shell."),
    "schemes": CommandEntry("linkfix.cli.schemes", "Look up URI schemes; check scheme names, URIs and registrations."),
}


#: The errors that only writing has. Those of files have a name.
_OF_WRITING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

#: Other words for commands, each with the commands that it may stand for.
_SYNONYMS = {
    "check": "audit",
    "convert": "absolutize",
    "extract": "unpack",
    "migrate": "move",
    "rebase": "move relativize",
    "relative": "relativize",
    "rename": "move",
    "fix": "absolutize audit",
    "lint": "audit",
    "list": "links",
    "restore": "undo",
    "rewrite": "absolutize",
    "validate": "audit",
}


def url_advice(word: str, command: str = "absolutize") -> str:
    """The advice for a URL in the place of a file; "" for any other word."""
    is_url = scheme_of(word) in AUTHORITY_SCHEMES
    return f"linkfix fetches nothing: curl URL | linkfix {command} - --url URL" if is_url else ""


def _advice(word: str) -> str:
    """The advice for a word that is not a command."""
    import difflib  # this and shlex are for an error alone
    import shlex

    if advice := url_advice(word):
        return advice
    if os.path.lexists(word):
        name = shlex.quote(word)
        if Path(word).is_dir():
            return f"it is a folder: linkfix absolutize {name} --output NEW, or linkfix audit {name}"
        return f"it is a file: linkfix absolutize {name} --url URL, or linkfix links {name} --url URL"
    near = _SYNONYMS.get(word.lower(), "").split() or difflib.get_close_matches(word.lower(), COMMANDS, 1)
    meant = "; ".join(f"did you mean '{name}'? {COMMANDS[name].summary.rstrip('.')}" for name in near)
    return meant or "linkfix --help lists the commands"


class _Commands(ExampleCommand, click.Group):
    """A group that imports a command when it is used, and turns errors into a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with a name; None if there is no such command."""
        entry = COMMANDS.get(cmd_name)
        return importlib.import_module(entry.module).command if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command with its arguments. Refuses an unknown name, with advice."""
        word = args[0]
        if word in COMMANDS or word.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        message = f"No such command {word!r}: {_advice(word)}"
        raise click.UsageError(message, ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def make_context(self, *arguments: Any, **fields: Any) -> click.Context:
        """Parse the options before the command's name, including --help and --version."""
        try:
            with _reporting_ends():
                return super().make_context(*arguments, **fields)
        except click.ClickException as error:
            _make_visible(error)
            raise

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. An error ends the program with a message and an exit code."""
        try:
            with _reporting_ends():
                try:
                    return super().invoke(ctx)
                finally:
                    sys.stdout.flush()
        except LinkfixError as error:
            name = str(ctx.invoked_subcommand)
            command = cast("click.Command", self.get_command(ctx, name))
            message = visible(hide_passwords(str(error)))
            raise click.UsageError(message, click.Context(command, ctx, name)) from error
        except click.ClickException as error:
            _make_visible(error)
            raise


@contextlib.contextmanager
def _reporting_ends() -> Iterator[None]:
    """Turn an interruption, a broken pipe or an `OSError` into a message and click's `Exit`."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise click.exceptions.Exit(_report_interruption(error)) from None
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(141) from None
    except OSError as error:
        name = error.filename or ("standard output" if error.errno in _OF_WRITING else "")
        name = f"{visible(hide_passwords(str(name)))}: " if name else ""
        _say(f"linkfix: {name}{visible(str(error.strerror or error))}")
        _drop_output()
        raise click.exceptions.Exit(2) from None


class HungUp(KeyboardInterrupt):
    """The terminal of the command was closed. It is a `KeyboardInterrupt`, so a run handles it like Ctrl-C."""


def _report_interruption(error: BaseException) -> int:
    """Print that the command was interrupted. Returns the exit code."""
    is_hung_up = isinstance(error, HungUp)
    _say(f"linkfix: {'hung up' if is_hung_up else 'interrupted'}; every file is either unchanged or complete")
    return 129 if is_hung_up else 130


def _say(message: str) -> None:
    """Print a message on standard error, if possible."""
    with contextlib.suppress(OSError):
        click.echo(message, err=True)


def _make_visible(error: click.ClickException) -> None:
    """Make the message of an error safe to print: click quotes values unchanged, and a pattern may match any name.

    The message for a missing argument ends with an example, and that for an unknown letter with a long option.
    """
    if isinstance(error, click.NoSuchOption) and error.ctx and re.fullmatch("-[a-z]", error.option_name):
        names = [name for option in error.ctx.command.params for name in option.opts]
        near = sorted((name for name in names if name.startswith(f"-{error.option_name}")), key=len)
        vars(error).update(possibilities=near[:1] or error.possibilities)
    message = error.message
    if isinstance(error, click.MissingParameter) and error.ctx:
        message = message or error.ctx.command.epilog or ""
    vars(error).update(message=visible(hide_passwords(message)))


def _drop_output() -> None:
    """Redirect standard output if it is closed, so that the interpreter's last flush does not fail."""
    try:
        sys.stdout.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from linkfix.kernels.compiled import SPEED  # it searches for files, and few users ask for the version

    click.echo(f"linkfix {__version__} ({SPEED})")
    ctx.exit()


@click.group(
    "linkfix",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: linkfix absolutize page.html --url https://example.com/dir/page.html > absolute.html",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version, and whether the scanner is compiled or plain Python.",
)
def cli() -> None:
    """Find the base URL of a document, and make its links absolute by changing only their bytes.

    Most options can also be set in linkfix.toml, or in the table [tool.linkfix] of pyproject.toml.
    """


def main() -> NoReturn:
    """Run the command line; never returns."""
    if None in {sys.stdin, sys.stdout, sys.stderr}:
        from linkfix.cli.standard_streams import open_closed_streams  # rarely needed

        open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # false under nohup
        signal.signal(signal.SIGHUP, _hang_up)
    try:
        sys.exit(cli.main(prog_name="linkfix", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort as error:  # an interruption outside of a command
        sys.exit(_report_interruption(error.__cause__ or error))


def _terminate(number: int, _frame: object) -> NoReturn:
    """Exit normally, so that temporary files are removed and worker processes stopped."""
    sys.exit(128 + number)


def _hang_up(number: int, _frame: object) -> NoReturn:
    """Exit as for Ctrl-C. Further signals are ignored, since the shell may send the signal too."""
    signal.signal(number, signal.SIG_IGN)
    raise HungUp
