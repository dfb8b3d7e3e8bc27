from __future__ import annotations

import json

import click
import pytest
from support.running import run

from linkfix.cli import cli
from linkfix.schemes import REGISTRY_DATE

command = cli.get_command(click.Context(cli), "schemes")

CSV = (
    "URI Scheme,Template,Description,Status,Well-Known URI Support,Reference,Notes\n"
    "lamp,,Lamps of the coast,Provisional,-,[RFC9999],\n"
    "wick,prov/wick,Wicks,Historical,-,[RFC1][RFC2],gone\n"
)


def lines(result):
    return result.stdout.splitlines()


@pytest.mark.parametrize("name", command.commands)
def test_every_command_has_help_and_an_example(name):
    one = command.commands[name]
    assert one.help
    assert one.epilog.startswith(f"Example: linkfix schemes {name} ")
    assert all(option.help for option in one.params if isinstance(option, click.Option))
    assert run("schemes", name, "--help").output.startswith(f"Usage: linkfix schemes {name} ")


def test_help_of_the_group_lists_them():
    result = run("schemes", "--help")
    assert result.exit_code == 0
    assert all(f"  {name} " in result.output for name in command.commands)


class TestList:
    def test_all(self):
        result = run("schemes")
        assert len(lines(result)) > 300
        assert lines(result)[0].split() == ["scheme", "status", "description", "reference"]
        assert result.stderr.rstrip().endswith(REGISTRY_DATE)

    def test_words(self):
        result = run("schemes", "mail")
        assert [line.split()[0] for line in lines(result)[1:]] == [
            "mailserver",
            "mailto",
            "ms-settings-emailandaccounts",
            "mupdate",
        ]

    def test_a_word_that_is_a_command(self):
        assert "show" not in run("schemes", "list", "show").stderr
        assert run("schemes", "list", "information", "discovery").exit_code == 0

    def test_status(self):
        result = run("schemes", "list", "mail", "--status", "historical", "--format", "json")
        assert [json.loads(line)["name"] for line in lines(result)] == ["mailserver"]

    def test_an_option_first(self):
        assert lines(run("schemes", "--status", "historical"))[1].split()[1] == "historical"

    def test_nothing(self):
        result = run("schemes", "nothing-like-it")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.startswith("0 schemes of ")

    def test_a_command_that_is_misspelt(self):
        result = run("schemes", "chekc", "htpp")
        assert result.stderr.splitlines()[1:] == ["did you mean the command 'linkfix schemes check'?"]
        assert len(run("schemes", "mail", "chekc").stderr.splitlines()) == 1

    @pytest.mark.parametrize(("word", "near"), [("htps", "https"), ("mialto", "mailto")])
    def test_a_scheme_that_is_misspelt(self, word, near):
        assert run("schemes", word).stderr.splitlines()[1:] == [f"did you mean {near}?"]
        assert len(run("schemes", "list", "nothing-like-it", word).stderr.splitlines()) == 1

    def test_a_newer_registry(self, tmp_path):
        path = tmp_path / "new.csv"
        path.write_text(CSV)
        result = run("schemes", "list", "--registry", str(path))
        assert [line.split() for line in lines(result)[1:]] == [
            ["lamp", "provisional", "Lamps", "of", "the", "coast", "RFC", "9999"],
            ["wick", "historical", "Wicks", "RFC", "1;", "RFC", "2"],
        ]

    def test_a_file_that_is_no_registry(self, tmp_path):
        path = tmp_path / "no.csv"
        path.write_text("a,b\n1,2\n")
        result = run("schemes", "list", "--registry", str(path))
        assert result.exit_code == 2
        assert f"{path}: line 1: the column 'URI Scheme' is missing" in result.stderr


class TestShow:
    def test_a_known_scheme(self):
        result = run("schemes", "show", "Gopher")
        assert lines(result)[0] == "gopher:"
        assert "  relative references  if the base follows the generic syntax (RFC 1808 §2.3)" in lines(result)
        assert "  default port         70" in lines(result)

    def test_json(self):
        found = json.loads(run("schemes", "show", "mailto:", "--format", "json").stdout)
        assert found["name"] == "mailto"
        assert (found["relative"], found["hierarchical"], found["special"], found["default_port"]) == (
            "never",
            False,
            False,
            None,
        )

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("htpp", "htpp: not registered: did you mean http?"),
            ("javascript", "javascript: not registered, but in use: a script in a page (HTML §7.4.2)"),
            ("nothing-like-it", "nothing-like-it: not registered"),
            ("\x1b[31m", "\\x1b[31m: not registered"),
        ],
    )
    def test_an_unknown_scheme(self, name, message):
        result = run("schemes", "show", name)
        assert (result.exit_code, result.stdout, result.stderr) == (1, "", message + "\n")


class TestCheck:
    def test_a_good_name(self):
        result = run("schemes", "check", "com-example-lamp", "--strict")
        assert result.exit_code == 0
        assert lines(result) == [
            "com-example-lamp:",
            "  note: a private name, for the owner of example.com [name-private] (RFC 4395 §2.8)",
        ]

    def test_a_bad_name(self):
        result = run("schemes", "check", "Htpp")
        assert result.exit_code == 1
        assert [line.split(":")[0].strip() for line in lines(result)[1:]] == ["error", "warning", "note"]

    def test_a_warning_under_strict(self):
        assert run("schemes", "check", "universal-lamp").exit_code == 0
        assert run("schemes", "check", "universal-lamp", "--strict").exit_code == 1

    def test_json(self):
        found = [json.loads(line) for line in lines(run("schemes", "check", "http", "ä", "--format", "json"))]
        assert [(one["subject"], [verdict["code"] for verdict in one["verdicts"]]) for one in found] == [
            ("http", ["name-registered"]),
            ("ä", ["name-syntax"]),
        ]

    def test_against_a_newer_registry(self, tmp_path):
        path = tmp_path / "new.csv"
        path.write_text(CSV)
        assert "'lamp' is registered (provisional)" in run("schemes", "check", "lamp", "--registry", str(path)).stdout


class TestCheckUri:
    def test_a_valid_uri(self):
        result = run("schemes", "check-uri", "https://example.org/a?b")
        assert (result.exit_code, lines(result)) == (0, ["https://example.org/a?b: no findings"])

    def test_bad_ones(self):
        result = run("schemes", "check-uri", "mailto://a@example.org", "http://a/ b")
        assert result.exit_code == 1
        assert lines(result)[0] == "mailto://a@example.org:"
        assert lines(result)[1].endswith("[uri-slashes] (RFC 4395 §2.2)")
        assert lines(result)[3].endswith("[uri-character] (RFC 3986 §2)")

    def test_a_warning_under_strict(self):
        assert run("schemes", "check-uri", "mailto://a@example.org").exit_code == 0
        assert run("schemes", "check-uri", "mailto://a@example.org", "--strict").exit_code == 1
