from __future__ import annotations

import json
import os
import shutil
import stat
import zlib
from pathlib import Path

import pytest
from support.journals import PAGE, URL, contents, journals, make_site, snapshot, stored
from support.running import run
from support.systems import needs_pipes

from linkfix import InvalidJournal
from linkfix.runs import Journal
from linkfix.runs.delta import Span, pack_spans
from linkfix.runs.journal import FileId, JournalWriter, encode_line, encode_spans
from linkfix.runs.undo import undo

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def journal(site):
    """The journal of a run over the site."""
    result = run("absolutize", "site", "--root-url", URL, "--in-place", "--jobs", "1")
    assert result.exit_code == 0
    (path,) = journals(site.parent)
    return path


class TestUndo:
    def test_restores_every_byte_and_time(self, site, tmp_path):
        before = snapshot(site)
        run("absolutize", "site", "--root-url", URL, "--in-place")
        after = snapshot(site)
        assert {name for name in before if before[name] != after[name]} == {
            *(b"docs/%03d.html" % number for number in range(3)),
            *(b"index.html", b"wide.html", b"caf\xe9.html", b"a.warc.gz", b"saved.maff", b"b.har"),
        }
        (journal,) = journals(tmp_path)
        result = run("undo", journal.name)
        assert (result.exit_code, result.stderr) == (0, "undoing changes in site\n9 files restored\n")
        assert snapshot(site) == before
        result = run("undo", journal.name)
        assert (result.exit_code, result.stderr) == (0, "undoing changes in site\n0 files restored, 9 unchanged\n")
        assert snapshot(site) == before

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["site", "mime", "warc", "saved"])
    def test_restores_fixtures(self, tmp_path, name):
        shutil.copytree(FIXTURES / name, tmp_path / "tree")
        before = snapshot(tmp_path / "tree")
        arguments = ("--root-url", URL, "--fragments", "absolutize", "--normalize", "--quiet")
        run("absolutize", tmp_path / "tree", "--in-place", *arguments)
        assert snapshot(tmp_path / "tree") != before
        assert run("undo", *journals(tmp_path), "--quiet").exit_code == 0
        assert snapshot(tmp_path / "tree") == before

    def test_keeps_the_mode_that_a_file_has_now(self, site, journal):
        (site / "index.html").chmod(0o640)
        run("undo", journal)
        assert stat.S_IMODE((site / "index.html").stat().st_mode) == 0o640

    def test_dry_run_lists_and_changes_nothing(self, site, journal):
        after = snapshot(site)
        (site / "docs" / "001.html").write_bytes(b"mine")
        result = run("undo", journal, "--dry-run")
        assert result.exit_code == 1
        assert "site/index.html\n" in result.stdout
        assert "site/caf\\xe9.html\n" in result.stdout
        assert len(result.stdout.splitlines()) == 8
        assert result.stderr == (
            "would undo changes in site\n"
            "site/docs/001.html: the file changed after the run\n"
            "8 files to restore, 1 changed after the run and skipped\n"
        )
        after[b"docs/001.html"] = b"mine", (site / "docs" / "001.html").stat().st_mtime_ns
        assert snapshot(site) == after

    def test_names_and_skips_files_changed_since(self, site, journal, tmp_path):
        (site / "docs" / "000.html").write_bytes(b"mine")
        (site / "docs" / "001.html").unlink()
        (site / "docs" / "002.html").unlink()
        (site / "docs" / "002.html").mkdir()
        outside = tmp_path / "outside.html"
        shutil.copy(site / "index.html", outside)
        copied = outside.read_bytes()
        (site / "index.html").unlink()
        (site / "index.html").symlink_to(outside)
        result = run("undo", journal, "--quiet")
        assert result.exit_code == 1
        assert sorted(result.stderr.splitlines()) == [
            "site/docs/000.html: the file changed after the run",
            "site/docs/001.html: the file no longer exists",
            "site/docs/002.html: the file is no longer a regular file",
            "site/index.html: the file is no longer a regular file",
        ]
        assert (site / "docs" / "000.html").read_bytes() == b"mine"
        assert outside.read_bytes() == copied
        assert (site / "wide.html").read_bytes().startswith(b"\xff\xfe<\0!\0")

    def test_does_not_follow_a_folder_that_became_a_link(self, site, journal, tmp_path):
        shutil.move(site / "docs", tmp_path / "elsewhere")
        (site / "docs").symlink_to(tmp_path / "elsewhere")
        moved = snapshot(tmp_path / "elsewhere")
        result = run("undo", journal)
        assert result.exit_code == 1
        assert "site/docs/001.html: a folder in its path is now a symbolic link\n" in result.stderr
        assert snapshot(tmp_path / "elsewhere") == moved

    def test_a_tree_that_was_moved_is_found_by_root(self, site, journal, tmp_path):
        site.rename(tmp_path / "moved")
        result = run("undo", journal)
        assert result.exit_code == 2
        assert "no longer exists: if it was moved, give --root DIR" in " ".join(result.stderr.split())
        assert run("undo", journal, "--root", "moved").exit_code == 0
        assert b"https:" not in (tmp_path / "moved" / "index.html").read_bytes()

    def test_a_file_that_cannot_be_written_is_an_error(self, journal, monkeypatch):
        def fail(*_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", fail)
        result = run("undo", journal)
        assert result.exit_code == 2
        assert "site/index.html: No space left on device\n" in result.stderr
        assert result.stderr.endswith("0 files restored, 9 errors\n")

    def test_two_runs_over_one_file_are_undone_one_by_one(self, site, journal):
        for path in site.rglob("*.html"):
            path.write_bytes(path.read_bytes().replace(b"https://example.com/s/", b"HTTPS://EXAMPLE.com/s/"))
        middle = contents(snapshot(site))
        run("absolutize", "site", "--root-url", URL, "--in-place", "--normalize", "--journal", "second")
        assert contents(snapshot(site)) != middle
        assert run("undo", "second").exit_code == 0
        assert contents(snapshot(site)) == middle
        assert run("undo", journal).exit_code == 1


class TestHardLinks:
    """A name in the folder may be one of a file outside."""

    @pytest.fixture
    def outside(self, site):
        (site.parent / "outside").mkdir()
        return site.parent / "outside" / "o.html"

    def test_a_file_outside_that_has_the_new_content_stays(self, site, journal, outside):
        new = (site / "index.html").read_bytes()
        outside.write_bytes(new)
        os.utime(outside, ns=(5, 5))
        (site / "index.html").unlink()
        os.link(outside, site / "index.html")
        before = outside.stat()
        hint = "the hard links of 1 file: --keep-hard-links keeps them together\n"
        assert run("undo", journal, "--dry-run").stderr.endswith(f"9 files to restore\nwould separate {hint}")
        result = run("undo", journal)
        assert result.exit_code == 0
        assert result.stderr.endswith(f"9 files restored\nseparated {hint}")
        assert (site / "index.html").read_bytes() == PAGE
        assert outside.read_bytes() == new
        assert outside.stat().st_mtime_ns == before.st_mtime_ns == 5

    def test_a_file_that_stays_has_the_times_of_its_other_names(self, site, journal, outside):
        outside.write_bytes(PAGE)
        os.utime(outside, ns=(5, 5))
        (site / "index.html").unlink()
        os.link(outside, site / "index.html")
        assert run("undo", journal).stderr.endswith("8 files restored, 1 unchanged\n")
        assert outside.stat().st_mtime_ns == 5

    def test_are_kept_together_with_the_option(self, site, outside):
        before = snapshot(site)
        os.link(site / "index.html", outside)
        run("absolutize", "site", "--root-url", URL, "--in-place", "--keep-hard-links")
        (journal,) = journals(site.parent)
        assert b"https:" in outside.read_bytes()
        result = run("undo", journal, "--keep-hard-links")
        assert result.stderr == "undoing changes in site\n9 files restored\n"
        assert snapshot(site) == before
        assert outside.samefile(site / "index.html")

    def test_half_an_overwritten_file_is_completed_only_with_the_option(self, site, journal, outside):
        outside.write_bytes(b"half")
        os.link(outside, site / f".linkfix-{1:016x}.old")
        (site / f".linkfix-{1:016x}.new").write_bytes(b"whole")
        run("undo", journal)
        assert outside.read_bytes() == b"half"
        run("undo", journal, "--keep-hard-links")
        assert outside.read_bytes() == b"whole"

    def test_are_confirmed_if_a_run_is_resumed(self, site, outside):
        run("absolutize", "site", "--root-url", URL, "--in-place", "--keep-hard-links")
        (journal,) = journals(site.parent)
        run("undo", journal)
        (site / "index.html").unlink()
        outside.write_bytes(PAGE)
        os.link(outside, site / "index.html")
        before = snapshot(site.parent)
        result = run("absolutize", "--resume", journal)
        assert result.exit_code == 2
        assert "give it again" in " ".join(result.stderr.replace("│", "").split())
        assert snapshot(site.parent) == before
        assert run("absolutize", "--resume", journal, "--keep-hard-links").exit_code == 0
        assert b"https:" in outside.read_bytes()

    def test_are_not_kept_if_the_run_did_not_keep_them(self, journal):
        result = run("absolutize", "--resume", journal, "--keep-hard-links")
        assert result.exit_code == 2
        assert "leave it out" in " ".join(result.stderr.split())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.html").write_bytes(b"new")
    return tmp_path / "tree"


class TestAnUntrustedJournal:
    def test_by_hand_is_a_journal(self, folder):
        assert run("undo", stored(folder, b"old", b"new")).exit_code == 0
        assert (folder / "a.html").read_bytes() == b"old"

    @pytest.mark.parametrize(
        "fields",
        [
            {"file": "../a.html"},
            {"file": "/etc/passwd"},
            {"file": "x/../../a.html"},
            {"file": "./a.html"},
            {"file": ""},
            {"file": "a\0.html"},
            {"file": 7},
            {"root": 1},
            {"root": -1},
            {"root": True},
            {"root": None},
            {"old": {}},
            {"old": None},
            {"old": {"size": 3, "blake2b": "x", "mtime_ns": 0}},
            {"new": {"size": "3", "blake2b": "0" * 32}},
            {"piece": 1},
            {"roots": []},
            {"roots": "x"},
            {"roots": ["a\0"]},
            {"parameters": []},
            {"command": None},
            {"linkfix-journal": 2},
            {"linkfix-journal": "1"},
        ],
    )
    def test_is_refused_as_a_whole(self, folder, fields):
        outside = folder.parent / "a.html"
        outside.write_bytes(b"new")
        result = run("undo", stored(folder, b"old", b"new", **fields))
        assert result.exit_code == 2
        assert result.stderr.count("Error: ") == 1
        assert "a.journal cannot be used: " in " ".join(result.stderr.split())
        assert (outside.read_bytes(), (folder / "a.html").read_bytes()) == (b"new", b"new")

    @pytest.mark.parametrize("spans", ["", "!", "AAAA", 5, encode_spans(b"\1"), encode_spans(bytes(1 << 21))])
    def test_with_damaged_spans_stops(self, folder, spans):
        result = run("undo", stored(folder, b"old", b"new", spans=spans))
        assert result.exit_code == 2
        assert "the record of a.html is damaged" in " ".join(result.stderr.split())
        assert [path.name for path in folder.iterdir()] == ["a.html"]
        assert (folder / "a.html").read_bytes() == b"new"

    @pytest.mark.parametrize(
        ("spans", "message"),
        [
            ([], "the journal does not restore the original file"),
            ([Span(0, 3, b"odd")], "the journal does not restore the original file"),
            ([Span(0, 3, b"other")], "its spans do not fit its sizes"),
            ([Span(0, 3, b"o" * 5000)], "its spans do not fit its sizes"),
            ([Span(9, 9, b"")], "its spans do not fit its sizes"),
        ],
    )
    def test_with_other_bytes_restores_nothing(self, folder, spans, message):
        (packed,) = pack_spans(spans, 1 << 19)
        result = run("undo", stored(folder, b"old", b"new", spans=encode_spans(packed)))
        assert result.exit_code == 2
        assert message in result.stderr
        assert (folder / "a.html").read_bytes() == b"new"

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "it is not a journal of linkfix"),
            (b"\n", "it is not a journal of linkfix"),
            (b"<!doctype html>\n", "it is not a journal of linkfix"),
            (b"x" * (1 << 23), "it is not a journal of linkfix"),
            (encode_line({"a": 1}), "it is not a journal of linkfix"),
        ],
    )
    def test_that_is_another_file(self, tmp_path, content, message):
        (tmp_path / "a.journal").write_bytes(content)
        result = run("undo", tmp_path / "a.journal")
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())

    def test_of_a_newer_version(self, folder):
        result = run("undo", stored(folder, b"old", b"new", **{"linkfix-journal": 2}))
        assert "the format has version 2, but this linkfix reads version 1: update linkfix" in " ".join(
            result.stderr.split()
        )

    @pytest.mark.parametrize("place", [3, -40])
    def test_with_a_damaged_line(self, folder, place):
        path = stored(folder, b"old", b"new")
        header, empty, line = path.read_bytes().splitlines(keepends=True)
        damaged = bytearray(line)
        damaged[place] ^= 1
        path.write_bytes(header + empty + damaged)
        result = run("undo", path)
        assert result.exit_code == 2
        assert "line 3 is damaged" in " ".join(result.stderr.split())

    def test_with_a_line_without_end(self, folder):
        path = stored(folder, b"old", b"new")
        with path.open("ab") as file:
            file.write(b"{" * (1 << 23))
        assert "line 4 is too long" in " ".join(run("undo", path).stderr.split())

    @pytest.mark.parametrize(
        "text", [b"{x}", b'{"done":1}', b'{"done":[["a",0,1,2]]}', b'{"done":[["..",0,1,2,3]]}', b'{"a":' * 5000 + b"}"]
    )
    def test_with_an_unknown_line(self, folder, text):
        path = stored(folder, b"old", b"new")
        with path.open("ab") as file:
            file.write(b"%s\t%08x\n" % (text, zlib.crc32(text)))
        with pytest.raises(InvalidJournal, match="line 4 is not a "):
            Journal(str(path))

    @pytest.mark.parametrize("length", [1, 20, -30, -10, -1])
    def test_with_a_truncated_last_line_is_read_without_it(self, folder, length):
        path = stored(folder, b"old", b"new")
        whole = path.read_bytes()
        start = whole.index(b"\n\n") + 2
        path.write_bytes(whole[:start] + whole[start:][:length])
        result = run("undo", path)
        assert (result.exit_code, result.stderr.splitlines()[1:]) == (0, ["0 files restored"])

    @needs_pipes
    def test_is_no_pipe_or_folder(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        assert run("undo", tmp_path / "pipe").exit_code == 2
        assert run("undo", tmp_path).exit_code == 2
        assert run("undo", tmp_path / "missing").exit_code == 2


def test_a_journal_in_use_is_refused(folder):
    path = stored(folder, b"old", b"new")
    with Journal(str(path)) as first:
        with pytest.raises(InvalidJournal, match="is in use"):
            Journal(str(path))
        assert [one.action for one in undo(first, [str(folder)])] == ["restored"]
    Journal(str(path)).close()


def test_a_journal_is_readable_by_its_owner_alone(journal):
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    header = json.loads(journal.read_bytes().splitlines()[0].rpartition(b"\t")[0])
    assert header["linkfix-journal"] == 1
    assert header["parameters"]["root_url"] == URL


class TestNothingIsLeft:
    def leftovers(self, folder):
        return sorted(path.name for path in folder.rglob(".linkfix-*"))

    @pytest.mark.skipif(os.name == "nt", reason="nothing is left behind to be found there")
    def test_of_a_container_whose_conversion_was_killed(self, site):
        """No record of its change was written yet."""
        (site / "deep").mkdir()
        (site / "b.har").rename(site / "deep" / "b.har")
        before = snapshot(site)
        run("absolutize", "site", "--root-url", URL, "--in-place", "--journal", "j", "--exclude", "deep/")
        left = site / "deep" / f".linkfix-{7:016x}.tmp"
        left.write_bytes(b"half")
        with JournalWriter("j") as journal:
            journal.begin(FileId(0, "deep/b.har"))
        assert run("undo", "j", "--dry-run").exit_code == 0
        assert left.exists()
        assert run("undo", "j").exit_code == 0
        assert (self.leftovers(site), snapshot(site)) == ([], before)

    @pytest.mark.skipif(os.name == "nt", reason="nothing is left behind to be found there")
    def test_of_a_run_killed_in_its_first_container(self, site):
        run("absolutize", "site", "--root-url", URL, "--in-place")
        (journal,) = journals(site.parent)
        header = journal.read_bytes().partition(b"\n")[0] + b"\n"
        assert run("undo", "site").exit_code == 0
        (site / f".linkfix-{7:016x}.tmp").write_bytes(b"half")
        journal.write_bytes(header + encode_line({"begun": ["b.har", 0]}))
        assert run("undo", "site").stderr == "undoing changes in site\n0 files restored\n"
        assert self.leftovers(site) == []
        assert run("undo", "site").exit_code == 2

    @pytest.mark.skipif(not hasattr(os, "link"), reason="hard links")
    def test_half_an_overwritten_file_is_named_with_the_option_that_completes_it(self, site):
        before = snapshot(site)
        run("absolutize", "site", "--root-url", URL, "--in-place", "--keep-hard-links", "--journal", "j")
        page = site / "index.html"
        whole = page.read_bytes()
        (site / f".linkfix-{1:016x}.new").write_bytes(whole)
        os.link(page, site / f".linkfix-{1:016x}.old")
        page.write_bytes(whole[:9])
        result = run("undo", "j", "--quiet")
        message = "a killed run overwrote a part of it: --keep-hard-links completes it, and then restores it"
        assert (result.exit_code, result.stderr) == (1, f"site/index.html: {message}\n")
        assert run("undo", "j", "--keep-hard-links").exit_code == 0
        assert (self.leftovers(site), contents(snapshot(site))) == ([], contents(before))

    @pytest.mark.parametrize("value", [None, 5, [], ["a.html"], ["../a.html", 0], ["a.html", 1], {"a.html": 0}])
    def test_in_a_record_of_a_container_that_is_damaged_restores_nothing(self, folder, value):
        path = stored(folder, b"old", b"new")
        path.write_bytes(path.read_bytes() + encode_line({"begun": value}))
        result = run("undo", path)
        assert (result.exit_code, (folder / "a.html").read_bytes()) == (2, b"new")
        assert "line 4 is not a record of a container" in " ".join(result.stderr.split())


@pytest.mark.skipif(not hasattr(os, "ftruncate") or os.name == "nt", reason="files are followed by os.write")
def test_undo_needs_no_more_room_than_one_file_that_it_gives_back(site, monkeypatch):
    """The room of all files is measured at each step that takes or frees some."""
    before = snapshot(site)
    run("absolutize", "site", "--root-url", URL, "--in-place", "--journal", "j")

    def room():
        return sum(path.lstat().st_size for path in site.parent.rglob("*") if path.is_file())

    start, most = room(), 0

    def measuring(call):
        def measured(*arguments, **fields):
            nonlocal most
            most = max(most, room() - start)
            return call(*arguments, **fields)

        return measured

    for name in ("replace", "fsync", "utime"):
        monkeypatch.setattr(os, name, measuring(getattr(os, name)))
    assert run("undo", "j").exit_code == 0
    assert snapshot(site) == before
    assert 0 < most <= max(len(data) for data, _ in before.values())
    assert room() < start


def test_undo_goes_on_with_smaller_files_where_one_has_no_room(site, monkeypatch):
    """These free room, and the next undo has it."""
    before = snapshot(site)
    run("absolutize", "site", "--root-url", URL, "--in-place", "--journal", "j")

    def full(descriptor, *arguments, call=os.fsync):
        if os.fstat(descriptor).st_size == len(before[b"a.warc.gz"][0]):
            raise OSError(28, "No space left on device")
        return call(descriptor, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        result = run("undo", "j")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, "8 files restored, 1 error")
    assert sorted(site.rglob(".linkfix-*")) == []
    assert run("undo", "j").exit_code == 0
    assert snapshot(site) == before
