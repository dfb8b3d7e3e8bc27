from __future__ import annotations

import re

import click
import pytest
from support.running import run

from linkfix.cli.settings import Size


@pytest.fixture
def folder(tmp_path, monkeypatch):
    work = tmp_path / "work" / "deep"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    (work / "page.html").write_bytes(b'<a href="../../x"><img data-src="y">')
    return work


def converted(*arguments):
    result = run("absolutize", "page.html", "--quiet", *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_linkfix_toml(folder):
    (folder / "linkfix.toml").write_text('root-url = "http://h/s/"\nlazy = true\n')
    assert converted() == '<a href="http://h/x"><img data-src="http://h/s/y">'


def test_pyproject_toml_upward_with_underscores(folder):
    (folder.parent / "pyproject.toml").write_text('[tool.linkfix]\nroot_url = "http://h/s/"\n')
    assert converted() == '<a href="http://h/x"><img data-src="y">'


def test_a_pyproject_toml_that_says_nothing_is_passed_by(folder):
    (folder / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (folder.parent / "linkfix.toml").write_text('default-base = "http://h/s/"\n')
    assert converted() == '<a href="http://h/x"><img data-src="y">'


def test_the_nearest_counts_and_linkfix_toml_wins(folder):
    (folder.parent / "linkfix.toml").write_text('default-base = "http://far/s/"\n')
    (folder / "pyproject.toml").write_text('[tool.linkfix]\ndefault-base = "http://near/s/"\n')
    assert converted().startswith('<a href="http://near/x">')
    (folder / "linkfix.toml").write_text('default-base = "http://wins/s/"\n')
    assert converted().startswith('<a href="http://wins/x">')


def test_the_command_line_wins(folder):
    (folder / "linkfix.toml").write_text('default-base = "http://h/s/"\nlazy = true\nspec = "rfc2396"\n')
    assert converted("--no-lazy", "--spec", "whatwg") == '<a href="http://h/x"><img data-src="y">'


def test_a_table_for_one_command_wins_over_the_general_one(folder):
    (folder / "linkfix.toml").write_text(
        'spec = "rfc3986"\ndefault-base = "http://h/s/"\n[resolve]\nspec = "rfc2396"\n[links]\nformat = "jsonl"\n'
    )
    assert run("resolve", "http://h/", "../x").stdout == "http://h/../x\n"
    assert converted() == '<a href="http://h/x"><img data-src="y">'
    assert run("links", "page.html").stdout.startswith("{")


def test_url_on_the_command_line_overrides_a_setting_of_root_url(folder):
    (folder / "linkfix.toml").write_text('root-url = "http://h/s/"\n')
    assert converted("--url", "http://u/") == '<a href="http://u/x"><img data-src="y">'


def test_settings_of_a_tree_do_not_hinder_one_document(folder):
    (folder / "linkfix.toml").write_text('root-url = "http://h/s/"\nkeep-existing = true\n')
    assert converted("--url", "http://u/s/page.html") == '<a href="http://u/x"><img data-src="y">'


@pytest.mark.parametrize("name", ["base-url", "base_url"])
def test_the_former_name_of_root_url(folder, name):
    (folder / "linkfix.toml").write_text(f'{name} = "http://h/s/"\n')
    assert converted() == '<a href="http://h/x"><img data-src="y">'
    assert converted("--root-url", "http://u/a/") == '<a href="http://u/x"><img data-src="y">'
    assert converted("--base-url", "http://u/a/") == '<a href="http://u/x"><img data-src="y">'
    assert converted("--url", "http://u/a/") == '<a href="http://u/x"><img data-src="y">'


def test_root_url_for_one_command_wins_over_its_former_name_for_all(folder):
    (folder / "linkfix.toml").write_text('base-url = "http://h/s/"\n[absolutize]\nroot-url = "http://u/a/"\n')
    assert converted() == '<a href="http://u/x"><img data-src="y">'


def test_config_and_no_config(folder):
    (folder / "linkfix.toml").write_text('default-base = "http://h/s/"\n')
    (folder / "other.toml").write_text('default-base = "http://other/s/"\n')
    assert converted("--config", "other.toml").startswith('<a href="http://other/x">')
    assert converted("--no-config").startswith('<a href="../../x">')
    result = run("absolutize", "page.html", "--config", "other.toml", "--no-config")
    assert "--config and --no-config cannot be combined" in result.stderr
    assert result.exit_code == 2


def test_lists_and_sizes(folder):
    (folder / "linkfix.toml").write_text('include = ["*.css"]\nmax-size = "1K"\njobs = 1\n')
    assert run("links", ".").stdout == ""
    assert run("links", ".", "--include", "*.html").stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("spec = whatwg\n", "1:8", "Invalid value"),
        ('a = 1\nspec = "x\n', "2:10", "Illegal character"),
        ('\n# x\nspek = "rfc3986"\n', "3:1", "unknown setting spek: did you mean spec?"),
        ('root-url = "x"\nbase_url = "y"\n', "2:1", "base_url is the former name of root-url: give only root-url"),
        ('[links]\nbase-url = "y"\nroot-url = "x"\n', "2:1", "base-url is the former name of root-url"),
        ('[resolve]\nbase-url = "y"\n', "2:1", "unknown setting base-url"),
        ("zzz = 1\n", "1:1", "unknown setting zzz"),
        ('[resolve]\nspec = "rfc3986"\n\n  lazy = true\n', "4:3", "unknown setting lazy"),
        ('resolve = "x"\n', "1:1", "resolve must be a table: write [resolve]"),
        ('[absolutize]\n"lazy" = "yes"\n', "2:1", "lazy must be true or false, not a string"),
        ("absolutize.lazy = 1\n", "1:1", "lazy must be true or false, not an integer"),
        ("absolutize = { strict = 1.5 }\n", "1:1", "strict must be true or false, not a float"),
        ("jobs = true\n", "1:1", "jobs must be a whole number, not a boolean"),
        ("jobs = 0\n", "1:1", "jobs: 0 is not in the range x>=1."),
        ("max-size = []\n", "1:1", "max-size must be a number of bytes, or a string like '20M', not another list"),
        ('max-size = "5X"\n', "1:1", "max-size: '5X' is not a size"),
        ("charset = 1979-05-27\n", "1:1", "charset must be a string, not a date or time"),
        ("charset = {}\n", "1:1", "charset must be a string, not a table"),
        ('include = "*.html"\n', "1:1", "include must be a list of strings, not a string"),
        ("include = [1]\n", "1:1", "include must be a list of strings, not another list"),
        ('fragments = "drop"\n', "1:1", "fragments: 'drop' is not one of"),
        ('output = "/etc"\n', "1:1", "output cannot be set in a file: give it on the command line"),
        ("in-place = true\n", "1:1", "in-place cannot be set in a file"),
        ('[links]\nurl = "http://h/"\n', "2:1", "url cannot be set in a file"),
    ],
)
def test_a_mistake_is_one_message_with_its_place(folder, text, place, message):
    (folder / "linkfix.toml").write_text(text)
    result = run("absolutize", "page.html")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {folder / 'linkfix.toml'}:{place}: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_mistake_in_pyproject_toml_has_its_place_there(folder):
    (folder / "pyproject.toml").write_text("[project]\nspek = 1\n\n[tool.linkfix.links]\nlazy = false\nspek = 2\n")
    result = run("links", "page.html")
    assert f"{folder / 'pyproject.toml'}:6:1: unknown setting spek" in result.stderr


def test_a_file_that_is_not_utf8_has_a_place(folder):
    (folder / "linkfix.toml").write_bytes(b'spec = "rfc3986"\n# caf\xe9\n')
    result = run("links", "page.html")
    assert f"{folder / 'linkfix.toml'}:2:6: this is not UTF-8" in result.stderr


@pytest.mark.parametrize(("text", "place"), [("[tool]\nlinkfix = 3\n", "2:1"), ("tool = 3\n", "1:1")])
def test_tables_that_are_none(folder, text, place):
    (folder / "pyproject.toml").write_text(text)
    result = run("links", "page.html")
    assert re.search(rf"pyproject\.toml:{place}: (linkfix|tool) is a table", result.stderr)


def test_a_pyproject_toml_that_is_named_has_to_have_the_table(folder):
    (folder / "pyproject.toml").write_text("[tool.other]\n")
    result = run("links", "page.html", "--config", "pyproject.toml")
    assert "pyproject.toml:1:1: this file has no table [tool.linkfix]" in result.stderr
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("500000", 500000), ("64K", 65536), ("64 kB", 65536), ("1.5G", 3 << 29), ("2MiB", 2 << 20)],
)
def test_sizes(text, size):
    assert Size().convert(text, None, None) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "1e3", "1P", "1.G"])
def test_no_sizes(text):
    with pytest.raises(click.BadParameter, match="is not a size"):
        Size().convert(text, None, None)
