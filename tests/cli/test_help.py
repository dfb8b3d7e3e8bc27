from __future__ import annotations

import itertools
import re
import subprocess
import sys

import click
import pytest
from support.each import for_each
from support.running import ENVIRONMENT, process, run

import linkfix
from linkfix.cli import COMMANDS, cli
from linkfix.cli.help import GROUPS

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
    assert name == "schemes" or command.examples


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


@pytest.mark.parametrize("name", ["", *COMMANDS, "schemes list", "schemes template", "schemes check-uri"])
def test_nothing_is_cut_or_broken_in_a_narrow_terminal(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    command = cli
    for word in name.split():
        command = command.get_command(click.Context(command), word)
    lines = run(*name.split(), "--help").stdout.splitlines()
    examples = getattr(command, "examples", {}).values() or command.epilog.removeprefix("Example: ").split("; ")
    assert [line.strip() for line in lines if line.strip() in examples] == list(examples)
    assert not [line for line in lines if re.search(r"\w\.\.\.\Z", line) and not line.startswith("Usage: ")]
    words = {word for line in lines for word in line.split()}
    helps = [option.help.split() for option in command.params if isinstance(option, click.Option)]
    assert {word for one in helps for word in one if "=" in word} <= words


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
    assert done.stdout.splitlines()[-1] == "['linkfix.cli.help']"


def test_version_states_the_scanner(tmp_path):
    done = process("--version", cwd=tmp_path)
    assert done.stdout.decode() == f"linkfix {linkfix.__version__} ({'compiled' if linkfix.COMPILED else 'plain'})\n"


def test_an_unknown_command_is_wrong_use():
    result = run("absolutise")
    assert result.exit_code == 2
    assert "No such command 'absolutise': did you mean 'absolutize'? Make the links" in result.stderr


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("page.html", "it is a file: linkfix absolutize page.html --url URL, or linkfix links page.html --url URL"),
        ("my site", "it is a folder: linkfix absolutize 'my site' --output NEW, or linkfix audit 'my site'"),
        ("check", "did you mean 'audit'? Find broken links"),
        (
            "fix",
            "did you mean 'absolutize'? Make the links of documents and saved pages absolute; did you mean",
        ),
        ("https://a.example/", "linkfix fetches nothing: curl URL | linkfix absolutize - --url URL"),
        ("zzz", "linkfix --help lists the commands"),
    ],
)
def test_another_word_gets_advice(tmp_path, monkeypatch, word, advice):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").touch()
    (tmp_path / "my site").mkdir()
    result = run(word)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"No such command {word!r}: {advice}" in result.stderr


@pytest.mark.parametrize("arguments", [["absolutize"], ["links"], ["base"], ["unpack", "-o", "out"]])
def test_a_url_is_not_fetched(arguments):
    result = run(*arguments, "https://me:secret@a.example/x")
    assert result.exit_code == 2
    assert f"linkfix fetches nothing: curl URL | linkfix {arguments[0]} - --url URL" in result.stderr
    assert "secret" not in result.stderr


@for_each(["absolutize", "audit", "links", "base"])
def test_options_are_in_groups(name):
    titles = [line for line in run(name, "--help").stdout.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles[-1] == "Examples:"
    groups = [title.removesuffix(":") for title in titles[:-1]]
    assert groups == [title for title in GROUPS if title in groups]
    assert len(groups) >= 3


def test_an_audit_rewrites_no_links():
    shown = run("audit", "--help").stdout
    assert "\nLinks to check:\n" in shown
    assert "Links to rewrite" not in shown


def test_ten_options_come_first():
    shown = run("absolutize", "--help").stdout.partition("Common options:\n")[2].partition("\n\n")[0]
    options = [line.split("--")[1].split()[0] for line in shown.splitlines() if line.startswith("  -")]
    assert options == "url root-url include exclude layout output in-place dry-run diff quiet".split()


@pytest.mark.parametrize("columns", ["30", "50", "200"])
def test_help_fits_a_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    context = click.Context(COMMAND_OBJECTS["absolutize"], info_name="absolutize")
    shown = COMMAND_OBJECTS["absolutize"].get_help(context).partition("Examples:")[0]
    widest = max(len(line) for line in shown.splitlines() if "[" not in line)  # a list of choices is one word
    assert widest <= max(int(columns), 52)


@pytest.mark.parametrize(
    ("short", "long"), [("-o", "--output"), ("-q", "--quiet"), ("-j", "--jobs"), ("-i", "--in-place"), ("-v", "--full")]
)
def test_short_options(short, long):
    options = {option: parameter for parameter in COMMAND_OBJECTS["absolutize"].params for option in parameter.opts}
    assert options[short] is options[long]


def test_short_options_of_all():
    assert run("-V").stdout == run("--version").stdout
    assert run("-h").stdout == run("--help").stdout


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in {"audit", "completion", "schemes"}])
def test_a_missing_argument_shows_an_example(name):
    result = run(name)
    assert result.exit_code == 2
    assert f" Example: linkfix {name} " in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["show", "check", "check-uri"])
def test_a_missing_argument_of_schemes_shows_an_example(name):
    assert f" Example: linkfix schemes {name} " in run("schemes", name).stderr.splitlines()[-1]


def test_the_order_of_commands():
    assert [*COMMANDS][:4] == ["absolutize", "audit", "links", "base"]
    assert [*COMMANDS][-1] == "schemes"


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
