from __future__ import annotations

import itertools
import subprocess
import sys

import click
import pytest
from support.each import for_each
from support.running import ENVIRONMENT, process, run

import linkfix
from linkfix.cli import COMMANDS, cli

COMMAND_OBJECTS = {name: cli.get_command(click.Context(cli), name) for name in COMMANDS}


@for_each(COMMANDS)
def test_every_command_has_a_description_and_an_example(name):
    command = COMMAND_OBJECTS[name]
    assert command is not None
    assert command.help is not None
    assert command.help.partition("\n")[0].strip() == COMMANDS[name].summary == command.short_help
    assert command.epilog is not None
    assert command.epilog.startswith("Example: ")
    assert f"linkfix {name} " in command.epilog


@for_each([*COMMANDS, None])
def test_every_option_has_help(name):
    command = COMMAND_OBJECTS[name] if name else cli
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert options or name == "completion" or isinstance(command, click.Group)
    for option in options:
        assert option.help, option.name
        assert option.help.rstrip("]").endswith((".", "own", "cores")), option.help


@for_each(itertools.product(COMMANDS, ["-h", "--help"]))
def test_help_is_printed(name, flag):
    result = run(name, flag)
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: linkfix {name} ")


@pytest.mark.parametrize("name", ["absolutize", "audit", "base", "links"])
def test_the_former_name_of_root_url_is_not_listed(name):
    output = run(name, "--help").output
    assert "--root-url URL" in output
    assert "--base-url" not in output


def test_the_help_of_all_lists_every_command_and_imports_none():
    program = (
        "import sys\nfrom linkfix.cli import cli\n"
        "try:\n    cli(['--help'], prog_name='linkfix')\n"
        "finally:\n    print(sorted(name for name in sys.modules if name.startswith('linkfix.cli.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, text=True, check=True)
    for name, row in COMMANDS.items():
        assert f"  {name} " in done.stdout
        assert row.summary.split()[0] in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_states_the_scanner(tmp_path):
    done = process("--version", cwd=tmp_path)
    assert done.stdout.decode() == f"linkfix {linkfix.__version__} ({'compiled' if linkfix.COMPILED else 'plain'})\n"


def test_an_unknown_command_is_wrong_use():
    result = run("absolutise")
    assert result.exit_code == 2
    assert "No such command 'absolutise'" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_LINKFIX_COMPLETE={shell}_complete" in result.stdout.replace("env ", "")
    assert COMMAND_OBJECTS["completion"].name == "completion"


@pytest.mark.parametrize(
    ("words", "number", "expected"),
    [
        ("linkfix ab", "1", ["plain,absolutize"]),
        ("linkfix un", "1", ["plain,undo", "plain,unpack"]),
        (
            "linkfix undo --",
            "2",
            [
                *("plain,--root", "plain,--keep-hard-links", "plain,--no-keep-hard-links", "plain,--dry-run"),
                *("plain,--quiet", "plain,--no-quiet", "plain,--help"),
            ],
        ),
        ("linkfix absolutize --re", "2", ["plain,--revisits", "plain,--resume"]),
        ("linkfix absolutize --ba", "2", ["plain,--base-element"]),
        ("linkfix absolutize --root", "2", ["plain,--root-url", "plain,--root"]),
        ("linkfix resolve --spec rfc", "3", ["plain,rfc1808", "plain,rfc2396", "plain,rfc3986"]),
    ],
)
def test_completion_completes(tmp_path, words, number, expected):
    done = process(cwd=tmp_path, _LINKFIX_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=number)
    assert done.stdout.decode().split() == expected
