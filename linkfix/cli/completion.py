"""`linkfix completion`: prints click's completion scripts."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from linkfix.cli import COMMANDS, cli
from linkfix.cli.help import Command

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command(
    "completion",
    short_help=COMMANDS["completion"].summary,
    cls=Command,
    examples={
        "For bash, in ~/.bashrc": 'eval "$(linkfix completion bash)"',
        "For fish": "linkfix completion fish > ~/.config/fish/completions/linkfix.fish",
    },
)
@click.argument("shell", type=click.Choice(list(_SHELLS)))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    Load it in the shell's startup file, as in the example.
    """
    click.echo(_SHELLS[shell](cli, {}, "linkfix", "_LINKFIX_COMPLETE").source())
