"""Journals that strangers made: which folders they may change, and fields of any type."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest
from support.journals import URL, snapshot, stored
from support.running import run

from linkfix.cli.settings import Size
from linkfix.runs.delta import Span, pack_spans
from linkfix.runs.journal import encode_line, encode_spans

OTHER_USER = 54321
needs_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can give files away")
#: Values that no field, or few, can have.
ODD = [
    *(None, True, -1, 1.5, 10**30, -(10**30), 1 << 64, [], {}, [[]], [None], "", "x" * 5000, "a\0b", "\ud800"),
    *("\udce9", "..", "/", "-", float("inf"), float("nan"), {"size": 3}, ["\ud800"], "file:///", "🦊", "9" * 400),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder: a tree with a file `a.html` that a journal can change, and a folder of journals beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.html").write_bytes(b'<a href="https://evil.example/">')
    (tmp_path / "mail").mkdir()
    return tmp_path / "tree"


def forged(folder, **fields):
    """A journal that gives `a.html` of a folder another content."""
    return stored(folder, b'<a href="x">', b'<a href="https://evil.example/">', **fields)


def said(result):
    return " ".join(result.stderr.split())


class TestRoots:
    def refused(self, *arguments):
        before = snapshot(Path())
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert snapshot(Path()) == before
        return said(result)

    @pytest.mark.parametrize("command", [["undo"], ["undo", "--dry-run"], ["absolutize", "--resume"]])
    def test_in_another_folder_than_the_journal_are_not_changed(self, folder, command):
        forged(folder).rename("mail/j")
        typed = "linkfix undo" if "undo" in command else "linkfix absolutize --resume"
        assert self.refused(*command, "mail/j").endswith(
            f"{folder} is not in the folder of the journal mail/j: "
            f"if that folder is correct, run: {typed} mail/j --root tree"
        )

    @pytest.mark.parametrize("root", ["mail/../tree", "mail/link", "tree", "./tree", ".", ""])
    def test_that_lead_out_of_the_folder_of_the_journal_are_not_changed(self, folder, root):
        Path("mail/link").symlink_to(folder)
        roots = [str(folder.parent / root) if "/" in root and root[0] != "." else root]
        forged(folder, roots=roots).rename("mail/j")
        assert " is not in the folder of the journal mail/j: " in self.refused("undo", "mail/j")

    def test_in_the_folder_of_the_journal_are_changed(self, folder):
        for place in ("j", "tree/j"):
            (folder / "a.html").write_bytes(b'<a href="https://evil.example/">')
            forged(folder).rename(place)
            result = run("undo", place)
            assert (result.exit_code, result.stderr.splitlines()[0]) == (0, "undoing changes in tree/a.html")
            assert (folder / "a.html").read_bytes() == b'<a href="x">'

    def test_that_the_command_line_names_are_changed(self, folder):
        forged(folder).rename("mail/j")
        assert run("undo", "mail/j", "--root", "tree").exit_code == 0
        assert (folder / "a.html").read_bytes() == b'<a href="x">'
        assert run("absolutize", "--resume", "mail/j", "--root", "tree").exit_code == 0

    def test_of_several_folders_each_is_named(self, folder):
        roots = [str(folder), str(folder.parent)]
        forged(folder, roots=roots).rename("mail/j")
        assert self.refused("undo", "mail/j").endswith(
            "if these folders are correct, run: linkfix undo mail/j --root tree --root ."
        )
        assert "the journal has 2 folders: give --root once for each" in self.refused(
            "undo", "mail/j", "--root", "tree"
        )
        assert run("undo", "mail/j", "--root", ".", "--root", "tree").exit_code == 0
        assert (folder / "a.html").read_bytes() == b'<a href="x">'

    def test_of_a_resumed_run_stay_where_they_are(self, folder):
        forged(folder)
        assert "--root names another folder" in self.refused("absolutize", "--resume", "a.journal", "--root", "mail")
        assert "--root is for a journal: add --resume JOURNAL" in self.refused(
            "absolutize", "tree", "--in-place", "--root", "tree"
        )

    @needs_root
    @pytest.mark.parametrize("command", [["undo"], ["absolutize", "--resume"]])
    def test_of_another_users_journal_are_not_changed(self, folder, command):
        os.chown(forged(folder), OTHER_USER, -1)
        message = self.refused(*command, "a.journal")
        doubt = f"the file belongs to user {OTHER_USER}, but linkfix runs as user 0"
        assert f"a.journal cannot be trusted: {doubt}: " in message
        assert message.endswith("a.journal --root tree")
        assert run(*command, "a.journal", "--root", "tree").exit_code == 0

    @needs_root
    def test_of_another_users_journal_beside_a_folder_are_not_changed(self, folder):
        name = "tree.linkfix-20261122-150405.journal"
        forged(folder).rename(name)
        os.chown(name, OTHER_USER, -1)
        assert self.refused("undo", "tree").endswith(f"if that folder is correct, run: linkfix undo {name} --root tree")

    @needs_root
    def test_of_another_users_link_to_a_journal_are_not_changed(self, folder):
        forged(folder)
        Path("mail/link").symlink_to(folder.parent / "a.journal")
        os.chown("mail/link", OTHER_USER, -1, follow_symlinks=False)
        assert f"the file belongs to user {OTHER_USER}" in self.refused("undo", "mail/link")


class TestOptionsOfAResumedRun:
    def test_are_shown_before_it(self, folder):
        (folder / "b.html").write_bytes(b'<a href="b">')
        parameters = {
            "paths": [str(folder)],
            "root_url": "https://me:secret@evil.example/\x1b[2J",
            "lazy": True,
            "keep_parts": False,
            "include": ["b*", "it's"],
            "max_size": 1 << 30,
            "max_total": 5000,
            "spec": "whatwg",
        }
        forged(folder, parameters=parameters)
        result = run("absolutize", "--resume", "a.journal", "--quiet")
        assert result.stderr.splitlines()[0] == (
            "resuming in tree, with --root-url 'https://me:…@evil.example/\\x1b[2J' --include 'b*' "
            "--include 'it'\"'\"'s' --max-total 5000 --lazy --no-keep-parts"
        )

    def test_are_not_shown_without_options(self, folder):
        forged(folder)
        assert run("absolutize", "--resume", "a.journal").stderr.splitlines()[0] == "resuming in tree"
        assert run("absolutize", "--resume", "a.journal", "--quiet").stderr == ""

    @pytest.mark.parametrize("name", ["/dev/zero", "tree"])
    def test_open_no_device(self, folder, name):
        forged(folder, parameters={"paths": [str(folder)], "url_map": name})
        result = run("absolutize", "--resume", "a.journal")
        assert result.exit_code == 2
        assert "a.journal has a wrong value for url_map: " in said(result)


class TestFieldsOfAnyType:
    """`InvalidJournal` before a byte is written, or the value was one that the field may have."""

    def judged(self, folder, *arguments):
        before = snapshot(Path())
        result = run(*arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if result.exit_code == 2:
            assert snapshot(Path()) == before
            assert "error" in result.stderr.lower()
        else:
            assert (folder / "a.html").read_bytes() in {b'<a href="x">', b'<a href="https://evil.example/">'}

    @pytest.mark.parametrize("value", ODD, ids=lambda value: f"{value!r:.20}")
    def test_in_a_record(self, folder, value):
        version = {"size": 32, "blake2b": "0" * 32, "mtime_ns": 0}
        names = ("file", "root", "old", "new", "piece", "spans", "roots", "command", "started", "linkfix", "parameters")
        inner = [(name, version | {key: value}) for name in ("old", "new") for key in version]
        for name, one in [*((name, value) for name in names), *inner]:
            forged(folder, **{name: one})
            self.judged(folder, "undo", "a.journal")
            (folder / "a.html").write_bytes(b'<a href="https://evil.example/">')

    @pytest.mark.parametrize("value", ODD, ids=lambda value: f"{value!r:.20}")
    def test_in_the_options(self, folder, value):
        for name in ("paths", "root_url", "lazy", "include", "max_size", "max_ratio", "url_map", "spec", "charset"):
            forged(folder, parameters={"paths": [str(folder)]} | {name: value})
            self.judged(folder, "absolutize", "--resume", "a.journal")

    @pytest.mark.parametrize("value", ODD, ids=lambda value: f"{value!r:.20}")
    def test_in_the_list_of_finished_files(self, folder, value):
        row = ["a.html", 0, 3, 0, 1]
        path = forged(folder)
        whole = path.read_bytes()
        for done in (value, [value], *([[*row[:at], value, *row[at + 1 :]]] for at in range(5))):
            path.write_bytes(whole + encode_line({"done": done}))
            self.judged(folder, "absolutize", "--resume", "a.journal")

    @pytest.mark.parametrize(
        "fields",
        [
            {"old": {"size": 12, "blake2b": "0" * 32, "mtime_ns": 10**30}},
            {"old": {"size": 12, "blake2b": "0" * 32, "mtime_ns": None}},
            {"old": {"size": 10**30, "blake2b": "0" * 32, "mtime_ns": 0}},
            {"file": "\ud800.html"},
            {"file": None},
            {"roots": ["/\ud800"]},
            {"roots": [None]},
        ],
    )
    def test_is_reported(self, folder, fields):
        forged(folder, **fields)
        before = snapshot(Path())
        result = run("undo", "a.journal")
        assert result.exit_code == 2
        assert "a.journal cannot be used: " in said(result)
        assert snapshot(Path()) == before

    @pytest.mark.parametrize(
        ("name", "value", "detail"),
        [
            ("root_url", 5, "it must be a string"),
            ("root_url", ["x"], "it must be a string"),
            ("lazy", None, "it must be true or false"),
            ("lazy", "true", "it must be true or false"),
            ("include", [1], "it must be a list of strings"),
            ("include", "x", "it must be a list of strings"),
            ("max_ratio", float("inf"), "it must be a whole number"),
            ("max_ratio", 0, "0 is not in the range x>=1."),
            ("max_size", "9" * 400, f"'{'9' * 400}' is too large: write"),
            ("spec", None, "it must be a string"),
            ("paths", ["tree/a\0"], "Path 'tree/a\\x00' does not exist: check the name"),
            ("paths", ["missing"], "Path 'missing' does not exist: check the name"),
        ],
    )
    def test_wrong_options_are_reported(self, folder, name, value, detail):
        forged(folder, parameters={"paths": [str(folder)]} | {name: value})
        result = run("absolutize", "--resume", "a.journal")
        assert result.exit_code == 2
        assert f"a.journal has a wrong value for {name}: {detail}" in said(result)

    def test_in_a_journal_beside_a_file_is_no_path(self, folder):
        for paths in ([None], ["a\0"], ["\ud800"], [5], 5):
            path = forged(folder, parameters={"paths": paths})
            path.rename("tree/a.html.linkfix-20261122-150405.journal")
            assert "the run changed more than tree/a.html" in said(run("undo", "tree/a.html"))

    def test_damage_of_a_later_record_is_found_before_a_file_is_given_back(self, folder):
        path = forged(folder)
        lines = path.read_bytes().splitlines(keepends=True)
        record = json.loads(lines[2].rpartition(b"\t")[0]) | {"file": "b.html", "spans": "!"}
        for damaged in ([lines[0], encode_line(record), lines[2]], [*lines, encode_line(record)]):
            path.write_bytes(b"".join(damaged))
            before = snapshot(Path())
            for arguments in ([], ["--dry-run"]):
                result = run("undo", "a.journal", *arguments)
                assert (result.exit_code, "the record of b.html is damaged" in said(result)) == (2, True)
            assert snapshot(Path()) == before

    @pytest.mark.parametrize(
        "fields",
        [
            {"spans": "!!"},
            {"old": {"size": -1, "blake2b": "0" * 32, "mtime_ns": 0}},
            {"old": {"size": 13, "blake2b": "0" * 32, "mtime_ns": 0}},
            {"new": {"size": 0, "blake2b": "0" * 32}},
            {"piece": "missing", "old": {"size": 40, "blake2b": "0" * 32, "mtime_ns": 0}},
            {"linkfix-journal": True},
            {"linkfix-journal": 1.0},
        ],
    )
    @pytest.mark.parametrize("command", [["undo"], ["absolutize", "--resume"]])
    def test_in_one_record_changes_no_other_file(self, folder, fields, command):
        path = forged(folder, parameters={"paths": [str(folder)], "root_url": URL})
        good = path.read_bytes().splitlines(keepends=True)
        (folder / "b.html").write_bytes(b'<a href="y">')
        bad = forged(folder, **({"file": "b.html"} | fields), parameters={"paths": [str(folder)], "root_url": URL})
        header, _, change = bad.read_bytes().splitlines(keepends=True)
        for lines in ([header, good[2], change], [header, change, good[2]]):
            path.write_bytes(b"".join(lines))
            before = snapshot(Path())
            result = run(*command, "a.journal")
            assert result.exit_code == 2
            assert "a.journal cannot be used: " in said(result)
            assert snapshot(Path()) == before

    @pytest.mark.parametrize("command", [["undo"], ["absolutize", "--resume"]])
    def test_in_a_piece_of_no_file_changes_nothing(self, folder, command):
        path = forged(folder, parameters={"paths": [str(folder)], "root_url": URL})
        path.write_bytes(path.read_bytes() + encode_line({"piece": "0a", "spans": "!!"}))
        (folder / "b.html").write_bytes(b'<a href="y">')
        before = snapshot(Path())
        result = run(*command, "a.journal")
        assert (result.exit_code, "the record of the piece 0a is damaged" in said(result)) == (2, True)
        assert snapshot(Path()) == before

    def test_a_wrong_digest_leaves_its_own_file(self, folder):
        forged(folder, old={"size": 12, "blake2b": "0" * 32, "mtime_ns": 0})
        result = run("undo", "a.journal")
        assert (result.exit_code, "the journal does not restore the original file" in said(result)) == (2, True)
        assert (folder / "a.html").read_bytes() == b'<a href="https://evil.example/">'

    @pytest.mark.parametrize("start", [0, 1 << 40, (1 << 63) - 1])
    @pytest.mark.parametrize("length", [0, 1 << 40, (1 << 63) - 1])
    def test_spans_beyond_every_file_restore_nothing(self, folder, start, length):
        (packed,) = pack_spans([Span(start, length, b"x"), Span(start + length, length, b"y")], 1 << 19)
        forged(folder, spans=encode_spans(packed))
        result = run("undo", "a.journal")
        assert result.exit_code == 2
        assert isinstance(result.exception, SystemExit)
        assert (folder / "a.html").read_bytes() == b'<a href="https://evil.example/">'

    def test_a_number_of_thousands_of_digits_is_damage(self, folder):
        path = forged(folder)
        text = b'{"done":[["a.html",0,' + b"9" * 5000 + b",0,0]]}"
        with path.open("ab") as file:
            file.write(b"%s\t%08x\n" % (text, zlib.crc32(text)))
        assert "line 4 is not a JSON object" in said(run("undo", path))


def test_a_size_of_hundreds_of_digits_is_too_large():
    with pytest.raises(Exception, match="is too large"):
        Size().convert("9" * 400, None, None)


def test_the_hint_names_the_root_if_undo_needs_it(folder):
    result = run("absolutize", "tree", "--root-url", URL, "--in-place", "--journal", "mail/j", "--normalize")
    assert result.stderr.splitlines()[-1] != ""
    assert not Path("mail/j").exists()
    (folder / "b.html").write_bytes(b'<a href="b">')
    result = run("absolutize", "tree", "--root-url", URL, "--in-place", "--journal", "mail/j")
    assert result.stderr.splitlines()[-1] == "to undo: linkfix undo mail/j --root tree"
