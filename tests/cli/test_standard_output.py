"""'-' means standard output for --output, and standard input for a PATH, even if a file has that name."""

from __future__ import annotations

import json
import re

import click
import pytest
from support.running import run

from linkfix.cli import cli
from linkfix.schemes.iana import main

PAGE = b'<a href="x">x</a>'
DONE = b'<a href="https://h/x">x</a>'
MAIL = b"Content-Type: text/html\r\nContent-Location: https://h/\r\n\r\n" + PAGE
URL = ("--url", "https://h/")
ROOT = ("--root-url", "https://h/")
#: A command and its arguments, which give the same with --output - as without.
SAME = [
    ("absolutize", "page.html", *URL),
    ("absolutize", "mail.eml"),
    ("absolutize", "page.html", *URL, "--dry-run"),
    ("absolutize", "page.html", *URL, "--diff"),
    ("relativize", "page.html", *URL),
    ("move", "page.html", *URL, "--from", "https://h/", "--to", "https://new/"),
    ("links", "page.html", *URL),
    ("links", "folder", *ROOT, "--format", "csv"),
    ("audit", "folder", "--format", "csv"),
    ("schemes", "template", "--new"),
]
#: A command and its arguments, and its message about --output -.
REFUSED = [
    (("absolutize", "folder", *ROOT), r"takes a single document .*: for a folder or several files, give --output DIR"),
    (("absolutize", "folder", *ROOT, "--dry-run"), r"takes a single document"),
    (("absolutize", "page.html", "mail.eml", *ROOT), r"takes a single document"),
    (("absolutize", "page.html", *URL, "--in-place"), r"--output and --in-place cannot be combined"),
    (
        ("absolutize", "page.html", *URL, "--format", "json"),
        r"--format json prints to standard output, .*--output or",
    ),
    (("unpack", "mail.eml"), r"takes no folder of files .*: give --output DIR"),
    (("unpack", "-"), r"takes no folder of files .*: give --output DIR"),
    (("links", "page.html", "--columns", "path"), r"--columns is for tables: add --output FILE or DIR"),
]


@pytest.fixture(params=["nothing", "a file", "a folder"])
def work(request, tmp_path, monkeypatch):
    """A folder with inputs; a file or a folder in it may have the name "-"."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("page.html", "folder/page.html"):
        (tmp_path / name).write_bytes(PAGE)
    (tmp_path / "mail.eml").write_bytes(MAIL)
    if request.param == "a file":
        (tmp_path / "-").write_bytes(b"not this")
    elif request.param == "a folder":
        (tmp_path / "-").mkdir()
        (tmp_path / "-" / "page.html").write_bytes(b"not this")
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def with_output(command, path=()):
    """The names of the commands that have --output."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from with_output(command.get_command(context, name), (*path, name))
    elif any("--output" in parameter.opts for parameter in command.params):
        yield path


def test_every_command_that_has_the_option_is_here():
    called = [*SAME, *(arguments for arguments, _ in REFUSED)]
    found = list(with_output(cli))
    assert ("schemes", "template") in found
    assert [path for path in found if not any(one[: len(path)] == path for one in called)] == []


def untimed(text):
    return re.sub(r"[\d.]+ s\b", "", text)


@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_output_is_as_without_the_option(work, arguments):
    before = contents(work)
    expected = run(*arguments)
    result = run(*arguments, "--output", "-")
    assert expected.stdout
    assert result.exit_code == expected.exit_code
    assert untimed(result.stdout) == untimed(expected.stdout)
    assert untimed(result.stderr) == untimed(expected.stderr)
    assert contents(work) == before


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_useless_output_options_are_refused(work, arguments, message):
    before = contents(work)
    result = run(*arguments, "--output", "-", stdin=MAIL)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(rf"Error: .*{message}.*", result.stderr.splitlines()[-1])
    assert contents(work) == before


def test_a_folder_of_that_name_is_given_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_bytes(PAGE)
    assert run("absolutize", "page.html", *URL, "--output", "./-").exit_code == 0
    assert (tmp_path / "-" / "page.html").read_bytes() == DONE
    assert run("links", "./-", *ROOT).stdout == "./-/page.html:1:10 a[href] https://h/x -> https://h/x\n"


def test_a_path_is_standard_input(work):
    before = contents(work)
    for output in ((), ("--output", "-")):
        assert run("absolutize", "-", *URL, *output, stdin=PAGE).stdout_bytes == DONE
        assert run("links", "-", *URL, *output, stdin=PAGE).stdout == "(standard input):1:10 a[href] x -> https://h/x\n"
    assert "(given for this document)" in run("base", "-", *URL, stdin=PAGE).stdout
    assert contents(work) == before


@pytest.mark.parametrize("paths", [("-", "page.html"), ("page.html", "-")])
def test_standard_input_is_the_only_path(work, paths):
    assert work.is_dir()
    result = run("links", *paths, stdin=PAGE)
    assert result.exit_code == 2
    assert "'-' (standard input) cannot be combined with another PATH" in result.stderr


def test_the_registry_is_converted_to_standard_output(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    row = "foo,,Foo,Permanent,-,[RFC1]"
    head = "URI Scheme,Template,Description,Status,Well-Known URI Support,Reference"
    (tmp_path / "x.csv").write_text(f"{head}\n{row}\n", encoding="utf-8")
    main(["x.csv", "--date", "2024-04", "--output", "-"])
    assert b"\nfoo\tpermanent\tFoo\tRFC 1\n" in capsysbinary.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_baseline_is_written_to_standard_output(work):
    before = contents(work)
    arguments = ("audit", "folder", "--write-baseline")
    written = run(*arguments, "-")
    assert contents(work) == before
    assert written.stderr.endswith(" written to standard output\n")
    assert run(*arguments, "known.json").exit_code == 0
    assert (work / "known.json").read_bytes() == written.stdout_bytes
    assert json.loads(written.stdout)["linkfix-baseline"] == 1


def test_no_journal_is_kept_on_standard_output(work):
    before = contents(work)
    result = run("absolutize", "page.html", *URL, "--in-place", "--journal", "-")
    assert result.exit_code == 2
    assert "- is standard output, which cannot hold a journal: give a file (./- has that name)." in result.stderr
    assert contents(work) == before
