from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from support.running import run
from support.systems import is_root

from linkfix.cli import cli
from linkfix.cli.settings import _COMMAND_LINE_ONLY, Size, _options, expected_types
from linkfix.files.folder import reason_to_doubt


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


def test_a_byte_order_mark_of_windows_is_no_mistake(folder):
    (folder / "linkfix.toml").write_text('root-url = "http://h/s/"\nlazy = true\n', encoding="utf-8-sig")
    assert converted() == '<a href="http://h/x"><img data-src="http://h/s/y">'


def test_pyproject_toml_upward_with_underscores(folder):
    (folder.parent / "pyproject.toml").write_text('[tool.linkfix]\nroot_url = "http://h/s/"\n')
    assert converted() == '<a href="http://h/x"><img data-src="y">'


def test_a_pyproject_toml_without_settings_is_skipped(folder):
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


def test_settings_of_a_tree_do_not_affect_one_document(folder):
    (folder / "linkfix.toml").write_text('root-url = "http://h/s/"\nkeep-existing = true\n')
    assert converted("--url", "http://u/s/page.html") == '<a href="http://u/x"><img data-src="y">'


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
        ("spec = whatwg\n", "1:8", "the value is not valid: put text in quotation marks"),
        ('a = 1\nspec = "x\n', "2:10", "nothing ends the text in this line"),
        ('\n# x\nspek = "rfc3986"\n', "3:1", "unknown setting spek: did you mean spec?"),
        ('lazy = true\nroot-url = "x"\n', "2:1", "root-url: 'x' is not the absolute URL of a folder: give one such as"),
        (
            '[links]\nroot_url = "http://h/p.html"\n',
            "2:1",
            "root_url: 'http://h/p.html' is the URL of a page: give the",
        ),
        ('base-url = "y"\n', "1:1", "unknown setting base-url"),
        ("zzz = 1\n", "1:1", "unknown setting zzz"),
        ('[absolutise]\nspec = "rfc3986"\n', "1:2", "unknown table [absolutise]: did you mean [absolutize]?"),
        ("[unlike]\n", "1:2", "unknown table [unlike]"),
        (
            "\n[tool.linkfix.audit]\njobs = 1\n",
            "2:2",
            "[tool.linkfix.audit] is for pyproject.toml",
        ),
        (
            "[tool.linkfix]\njobs = 1\n",
            "1:2",
            "in this file, write the settings of all commands",
        ),
        ("tool = 1\n", "1:1", "[tool.linkfix] is for pyproject.toml"),
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
def test_a_mistake_prints_one_message_with_its_position(folder, text, place, message):
    (folder / "linkfix.toml").write_text(text)
    result = run("absolutize", "page.html")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {folder / 'linkfix.toml'}:{place}: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("select = []\n", "2:1", "select is an empty list, so no rule would run: name rules, or leave it out"),
        ('select = [" "]\n', "2:1", "select: no rule is named, so none would run: name rules, or leave"),
        ('select = ["LF1", "LF9x"]\n', "2:1", "select: unknown rule 'LF9x'; see --list-rules"),
        ('\nignore = ["LF999"]\n', "3:1", "ignore: unknown rule 'LF999'; see --list-rules"),
        ('ignore = ["docs/a.html"]\n', "2:1", "ignore: unknown rule 'docs/a.html': --ignore takes rules"),
        ('per-file-ignores = {"a" = ["LF999"]}\n', "2:1", "per-file-ignores: unknown rule 'LF999'; see"),
    ],
)
def test_mistakes_in_rules_have_their_position(folder, text, place, message):
    (folder / "linkfix.toml").write_text("[audit]\n" + text)
    result = run("audit", ".")
    assert result.exit_code == 2
    assert f"linkfix.toml:{place}: {message}" in result.stderr


def test_no_rule_has_to_be_ignored(folder):
    (folder / "linkfix.toml").write_text("[audit]\nignore = []\n")
    assert run("audit", ".").exit_code == run("audit", ".", "--no-config", "--ignore", "").exit_code == 1


def test_a_table_copied_from_pyproject_toml_is_shown_as_it_is_written_here(folder):
    (folder / "linkfix.toml").write_text("[tool.linkfix.audit]\njobs = 1\n")
    assert run("base", "page.html").stderr.endswith("is for pyproject.toml: in this file, write [audit]\n")


def test_a_mistake_in_pyproject_toml_has_its_place_there(folder):
    (folder / "pyproject.toml").write_text("[project]\nspek = 1\n\n[tool.linkfix.links]\nlazy = false\nspek = 2\n")
    result = run("links", "page.html")
    assert f"{folder / 'pyproject.toml'}:6:1: unknown setting spek" in result.stderr


def test_a_file_that_is_not_utf8_has_a_place(folder):
    (folder / "linkfix.toml").write_bytes(b'spec = "rfc3986"\n# caf\xe9\n')
    result = run("links", "page.html")
    assert f"{folder / 'linkfix.toml'}:2:6: this file is not UTF-8" in result.stderr


@pytest.mark.parametrize(("text", "place"), [("[tool]\nlinkfix = 3\n", "2:1"), ("tool = 3\n", "1:1")])
def test_invalid_tables(folder, text, place):
    (folder / "pyproject.toml").write_text(text)
    result = run("links", "page.html")
    assert re.search(rf"pyproject\.toml:{place}: (linkfix|tool) must be a table", result.stderr)


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


class TestOwnerOfTheFile:
    """The file that is found may be somebody else's."""

    @pytest.fixture(autouse=True)
    def not_under_sudo(self, monkeypatch):
        monkeypatch.delenv("SUDO_UID", raising=False)

    def test_a_setting_is_named_as_its_option(self, folder):
        path = folder / "linkfix.toml"
        path.write_text('format = "csv"\n')
        assert run("links", "page.html").stderr.splitlines()[0] == f"linkfix: settings from {path}: format"

    def test_the_file_is_named_with_its_settings(self, folder):
        path = folder / "linkfix.toml"
        path.write_text('root-url = "http://h/s/"\nlazy = true\njobs = 1\n')
        result = run("absolutize", "page.html", "--no-lazy")
        assert result.stderr.splitlines()[0] == f"linkfix: settings from {path}: root-url, jobs"
        assert run("resolve", "http://h/", "x").stderr == f"linkfix: settings from {path}: none for this command\n"

    @pytest.mark.parametrize(
        ("text", "is_named"),
        [
            ("jobs = 1\nquiet = true\n", False),
            ("lazy = true\nquiet = true\n", True),
            ("[links]\nlazy = true\n", False),
            ('root-url = "http://h/"\n', True),
        ],
    )
    def test_quiet_leaves_out_a_file_that_changes_nothing(self, folder, text, is_named):
        (folder / "linkfix.toml").write_text(text)
        assert run("absolutize", "page.html", "--quiet").stderr.startswith("linkfix: settings from ") is is_named

    def test_a_file_given_with_config_is_not_named(self, folder):
        (folder / "linkfix.toml").write_text('root-url = "http://h/s/"\n')
        assert run("absolutize", "page.html", "--quiet", "--config", "linkfix.toml").stderr == ""
        assert run("absolutize", "page.html", "--quiet", "--no-config").stderr == ""

    @pytest.mark.parametrize("mark", [".git", ".hg", ".jj"])
    @pytest.mark.parametrize("is_file", [True, False])
    @pytest.mark.parametrize("key", ["root-url", "default-base"])
    def test_a_file_above_the_repository_chooses_no_host(self, folder, mark, is_file, key):
        (folder / mark).touch() if is_file else (folder / mark).mkdir()
        path = folder.parent / "linkfix.toml"
        path.write_text(f'{key} = "http://evil.example/s/"\nlazy = true\njobs = 1\n')
        result = run("absolutize", "page.html", "--quiet")
        assert result.stdout == '<a href="../../x"><img data-src="y">'
        assert result.stderr == (
            f"linkfix: settings from {path}: jobs; ignored: {key}, lazy (the file is above the repository {folder}: "
            f"give --config {path} to use them)\n"
        )
        assert "evil.example" in converted("--config", str(path))

    def test_a_file_in_the_root_of_the_repository_counts(self, folder):
        (folder.parent / ".git").mkdir()
        (folder.parent / "linkfix.toml").write_text('root-url = "http://h/s/"\n')
        assert converted() == '<a href="http://h/x"><img data-src="y">'

    def test_rules_are_not_ignored_by_a_file_above_the_repository(self, folder):
        (folder / ".git").mkdir()
        (folder.parent / "pyproject.toml").write_text(
            '[tool.linkfix.audit]\nignore = ["LF1"]\nselect = ["LF9"]\nfail-on = "never"\nclean-urls = true\n'
            'per-file-ignores = { "*" = ["LF1"] }\n'
        )
        (folder / "page.html").write_bytes(b"<a href=gone.html>")
        result = run("audit", ".", "--quiet")
        assert (result.exit_code, "LF101" in result.stdout) == (1, True)
        refused = "audit.ignore, audit.select, audit.fail-on, audit.clean-urls, audit.per-file-ignores"
        assert f": none for this command; ignored: {refused} (" in result.stderr
        assert run("audit", ".", "--config", folder.parent / "pyproject.toml").exit_code == 0

    @pytest.mark.parametrize(
        ("command", "arguments"),
        [
            *((command, ["page.html"]) for command in ("absolutize", "links", "base")),
            ("unpack", ["page.html", "--output", "parts"]),
            ("audit", ["."]),
            ("resolve", ["http://h/", "x"]),
        ],
    )
    def test_files_above_the_repository_cannot_change_results(self, folder, command, arguments):
        """Every setting: a new one is refused until it is known to change no result."""
        (folder / ".git").mkdir()
        path = folder.parent / "linkfix.toml"
        options = {
            name.replace("_", "-"): option
            for name, option in _options(cli.get_command(click.Context(cli), command)).items()
            if name not in _COMMAND_LINE_ONLY
        }
        lines = [f"[{command}]"]
        for name, option in options.items():
            kinds, _ = expected_types(option)
            known = {
                "mount": "/a=b",
                "tree": "/a=b",
                "replace": "a=b",
                "row": "a[b]=url",
                "charset": "utf-8",
                "select": "LF1",
                "ignore": "LF1",
            }
            text = known.get(name, "x")
            if isinstance(option.type, click.Choice):
                text = option.type.choices[0]
            value = {bool: "true", int: "5", str: f'"{text}"', list: f'["{text}"]', dict: '{ x = ["LF1"] }'}
            lines.append(f"{name} = {next(value[kind] for kind in value if kind in kinds)}")
        path.write_text("\n".join(lines))
        first = run(command, *arguments).stderr.splitlines()[0]
        taken, _, refused = first.removeprefix(f"linkfix: settings from {path}: ").partition("; ignored: ")
        harmless = {"color", "columns", "format", "full", "jobs", "quiet"} & set(options)
        assert set(taken.split(", ")) == (harmless or {"none for this command"})
        named = set(refused.partition(" (the file is above")[0].split(", "))
        assert named == {f"{command}.{name}" for name in options if name not in harmless}

    def test_a_file_of_another_user_hides_nothing(self, folder, monkeypatch):
        path = folder / "linkfix.toml"
        path.write_text('ignore = ["LF1"]\n')
        os.chown(path, 1234, -1) if is_root() else pytest.skip("only root can give files away")
        (folder / "page.html").write_bytes(b"<a href=gone.html>")
        result = run("audit", ".", "--quiet")
        assert result.exit_code == 1
        doubt = "the file belongs to user 1234, but linkfix runs as user 0"
        assert f"ignored: ignore ({doubt}: give --config " in result.stderr
        monkeypatch.setenv("SUDO_UID", "1234")
        assert run("audit", ".", "--quiet").exit_code == 0

    @pytest.mark.parametrize(("owner", "user", "is_taken"), [(7, 7, True), (0, 7, True), (8, 7, False), (7, 0, False)])
    def test_owners(self, folder, monkeypatch, owner, user, is_taken):
        path = folder / "linkfix.toml"
        path.touch()
        status = SimpleNamespace(st_uid=owner)
        monkeypatch.setattr(os, "geteuid", lambda: user)
        monkeypatch.setattr(Path, "lstat", lambda _: status)
        assert (reason_to_doubt(path, None, status) == "") is is_taken

    def test_a_link_of_another_user_to_a_file_of_ones_own(self, folder, monkeypatch):
        path = folder / "linkfix.toml"
        monkeypatch.setattr(os, "geteuid", lambda: 7)
        monkeypatch.setattr(Path, "lstat", lambda _: SimpleNamespace(st_uid=8))
        assert "belongs to user 8" in reason_to_doubt(path, None, SimpleNamespace(st_uid=7))

    def test_systems_without_owners(self, folder, monkeypatch):
        monkeypatch.delattr(os, "geteuid")
        assert reason_to_doubt(folder / "x", None, SimpleNamespace(st_uid=8)) == ""

    def test_a_symbolic_link_is_judged_by_its_own_folder(self, folder):
        (folder / ".git").mkdir()
        (folder.parent / "shared.toml").write_text('root-url = "http://h/s/"\n')
        (folder / "linkfix.toml").symlink_to("../shared.toml")
        assert converted() == '<a href="http://h/x"><img data-src="y">'

    def test_a_hostile_folder_name_is_escaped(self, folder, monkeypatch):
        hostile = folder / "\x1b[31m\n::error::"
        hostile.mkdir()
        (hostile / "linkfix.toml").write_text("lazy = true\n")
        monkeypatch.chdir(hostile)
        shown = run("links", "-", stdin=b"").stderr
        assert shown.count("\n") == 1
        assert "\x1b" not in shown


class TestDecisiveSettings:
    """Settings that decide the targets of links are shown with their values."""

    def test_their_values_are_shown(self, folder):
        path = folder / "linkfix.toml"
        path.write_text(
            'root-url = "https://me:secret@evil.example/\\u001b[2J"\ntrust-canonical = true\nlazy = true\n'
            'spec = "rfc3986"\n'
        )
        for more in ([], ["--quiet"]):
            lines = run("absolutize", "page.html", *more).stderr.splitlines()
            assert lines[0] == f"linkfix: settings from {path}: root-url, trust-canonical, lazy, spec"
            assert lines[1] == (
                "linkfix: that file decides where links lead: root-url = https://me:…@evil.example/\\x1b[2J, "
                "trust-canonical = true, spec = rfc3986"
            )

    def test_settings_of_the_audit_are_shown(self, folder):
        (folder / "linkfix.toml").write_text('[audit]\nmount = ["/a=b", "/c=b"]\n')
        (folder / "b").mkdir()
        assert run("audit", ".").stderr.splitlines()[1].endswith(" links lead: mount = /a=b /c=b")

    def test_folders_that_are_read_have_to_be_in_the_folder_of_the_file(self, folder):
        """Also by a symbolic link in that folder: pages, and names and IDs that are meant, would be shown."""
        private = folder.parent / "private"
        private.mkdir()
        (private / "secret.html").write_text('<a href="gone">secret</a><p id="secret">')
        (folder / "link").symlink_to(private)
        (folder / "page.html").write_text('<a href="/x/secret.html#secre">')
        path = folder / "linkfix.toml"
        for key, at in itertools.product(("tree", "mount"), ("/", "..", private, "../private", "link")):
            line = f'{key} = ["/x={at}"]\n'
            for text, place in (
                (line, "1:1"),
                (f"[audit]\n{line}", "2:1"),
                (f'{key} = ["/y=."]\n[audit]\n{line}', "3:1"),
            ):
                path.write_text(text)
                result = run("audit", ".", "--root-url", "http://h/", "--quiet")
                message = f"{key}: {at} is not in the folder of this file: give it on the command line, with --{key}"
                assert (result.exit_code, result.stdout) == (2, "")
                assert result.stderr == f"Error: {path}:{place}: {message}\n"
        for more in (["--config", path], ["--mount", "/x=../private"]):
            assert "not in the folder" not in run("audit", ".", "--root-url", "http://h/", *more).stderr

    def test_folders_in_the_folder_of_the_file_are_read(self, folder):
        (folder / "other").mkdir()
        (folder / "other" / "p.html").write_text('<a href="gone.html">')
        (folder / "site").mkdir()
        (folder / "site" / "i.html").write_text('<a href="/x/p.html">')
        path = folder / "linkfix.toml"
        path.write_text('[audit]\ntree = ["/x=other"]\n')
        result = run("audit", "site", "--root-url", "http://h/")
        assert result.stderr.splitlines()[:2] == [
            f"linkfix: settings from {path}: tree",
            "linkfix: that file decides where links lead: tree = /x=other",
        ]
        assert "gone.html" in result.stdout

    def test_overridden_settings_and_named_files_are_not_shown(self, folder):
        (folder / "linkfix.toml").write_text('root-url = "https://evil.example/"\n')
        assert "decides" not in run("links", "page.html", "--root-url", "http://h/").stderr
        assert run("links", "page.html", "--config", "linkfix.toml").stderr == ""
        assert run("links", "page.html", "--no-config").stderr.count("decides") == 0


class TestFilesBeyondLimits:
    """One message, at once."""

    @pytest.mark.parametrize(
        ("text", "place", "message"),
        [
            ("a = " + "[" * 20_000 + "]" * 20_000, "1:1", "lists or tables are nested too deeply"),
            ("a = " + "{a = " * 20_000 + "1" + "}" * 20_000, "1:1", "lists or tables are nested too deeply"),
            ("a = " + "9" * 5_000, "1:1", "a number has too many digits"),
            ("a" + ".a" * 20_000 + " = 1", "1:1", "a key has too many parts"),
            ("\n[a" + ".a" * 20_000 + "]", "2:1", "a key has too many parts"),
            ('x = [""" \n \' """, { a' + ".a" * 20_000 + " = 1, b = '' }]", "2:1", "a key has too many parts"),
            (
                "a" + ".a" * 1_000 + " = 1\n" + ("a.b" + ".a" * 1_000 + " = 1\n") * 99,
                "50:1",
                "a key has too many parts",
            ),
            (
                "[a" + ".a" * 1_000 + "]\n" + "".join(f"b{at} = 1\n" for at in range(80_000)),
                "2451:1",
                "too many parts",
            ),
            ("#" * (1 << 20) + "\n", "1:1", "this file is too large: the limit is 1,048,576 characters"),
        ],
    )
    def test_are_refused(self, folder, text, place, message):
        path = folder / "linkfix.toml"
        path.write_text(text)
        for more in ([], ["--config", path]):
            result = run("links", "page.html", *more)
            assert result.exit_code == 2
            assert result.stderr.startswith(f"Error: {path}:{place}: ")
            assert message in result.stderr
            assert result.stderr.count("\n") == 1

    def test_a_long_file_is_accepted(self, folder):
        names = ", ".join(f'"p{number}.html"' for number in range(5_000))
        tables = "".join(f"[tool.other.t{number}]\na.b = 1.5\n" for number in range(20_000))
        (folder / "pyproject.toml").write_text(f"{tables}[tool.linkfix]\nexclude = [{names}]\n")
        assert run("links", "page.html").exit_code == 0


class TestUntrustedPatterns:
    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ('exclude = ["!"]\n', "1:1: exclude: '!' is no pattern"),
            ('[audit]\ninclude = ["\\\\"]\n', "2:1: include: '\\\\' is no pattern"),
            ('[audit.per-file-ignores]\n"!" = ["LF1"]\n', "1:2: per-file-ignores: '!' is no pattern"),
        ],
    )
    def test_an_invalid_pattern_is_reported(self, folder, text, place):
        (folder / "linkfix.toml").write_text(text)
        result = run("audit", ".")
        assert result.exit_code == 2
        assert f"linkfix.toml:{place}" in result.stderr

    def test_a_regular_expression_that_takes_for_ever_ends_the_run(self, folder, monkeypatch):
        monkeypatch.setattr("linkfix.auditing.selection._SECONDS", 0.5)
        (folder / "linkfix.toml").write_text('[audit]\nignore-target = ["re:(a+)+$"]\n')
        (folder / "page.html").write_text(f"<a href={'a' * 60}!>")
        result = run("audit", ".")
        assert result.exit_code == 2
        assert "ignore-target 're:(a+)+$': the regular expression takes too long" in " ".join(result.stderr.split())
