"""The locations of journals, and the commands' messages about them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.journals import PAGE, URL, contents, journals, make_site, snapshot
from support.running import bash, run

from linkfix.cli.report import Report
from linkfix.errors import InvalidOption
from linkfix.runs.journal import encode_line

IN_PLACE = ("--root-url", URL, "--in-place", "--jobs", "1")
NAME = r"site\.linkfix-\d{8}-\d{6}\.journal"


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site")
    return tmp_path / "site"


class TestPlace:
    def test_is_beside_the_folder(self, site):
        result = run("absolutize", "site", *IN_PLACE)
        (journal,) = journals(site.parent)
        assert re.fullmatch(NAME, journal.name)
        assert result.stderr.splitlines()[-1] == f"to undo: linkfix undo {journal.name}"

    def test_is_beside_the_current_folder(self, site, monkeypatch):
        monkeypatch.chdir(site)
        result = run("absolutize", ".", *IN_PLACE)
        (journal,) = journals(site.parent)
        assert re.fullmatch(NAME, journal.name)
        assert result.stderr.splitlines()[-1] == f"to undo: linkfix undo {journal}"

    def test_is_beside_a_file(self, site):
        run("absolutize", "site/index.html", *IN_PLACE)
        (journal,) = journals(site)
        assert journal.name.startswith("index.html.linkfix-")
        assert run("undo", journal).exit_code == 0

    def test_is_beside_the_first_of_several(self, site):
        run("absolutize", "site/wide.html", "site/docs", "site/index.html", "--default-base", URL, "--in-place")
        (journal,) = journals(site)
        assert journal.name.startswith("wide.html.linkfix-")
        assert run("undo", journal).stderr == "undoing changes in site, site/docs\n5 files restored\n"

    def test_every_run_has_its_own(self, site):
        for _ in range(3):
            run("absolutize", "site", *IN_PLACE)
            (site / "index.html").write_bytes(b'<a href="x">')
        run("absolutize", "site", *IN_PLACE)
        assert len(journals(site.parent)) == 4

    def test_a_long_name_is_cut(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        name = "é" * 125 + ".html"
        (tmp_path / name).write_bytes(b'<a href="x">')
        assert run("absolutize", name, *IN_PLACE).exit_code == 0
        assert len(journals(tmp_path)) == 1

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit(143), InvalidOption("x")])
    @pytest.mark.parametrize("changed", [0, 1])
    def test_a_stopped_run_leaves_one_only_if_it_changed_a_file(self, site, monkeypatch, error, changed):
        def add(self, outcome, add=Report.add):
            add(self, outcome)
            if not changed or outcome.action == "converted":
                raise error

        monkeypatch.setattr(Report, "add", add)
        monkeypatch.setattr("linkfix.runs.journal.GROUP_FILES", 1)
        if not changed:
            (site / "0.html").write_bytes(b"<p>no links")
            for path in site.rglob("*"):
                if path.is_file() and path.name not in {"0.html", "logo.png"}:
                    path.unlink()
        result = run("absolutize", "site", *IN_PLACE, "--jobs", "1")
        assert result.exit_code != 0
        assert len(journals(site.parent)) == changed
        assert ("to undo: " in result.stderr) is bool(changed and error is KeyboardInterrupt)

    def test_a_resumed_run_whose_files_all_have_their_old_content_leaves_none(self, site, monkeypatch):
        before = snapshot(site)
        run("absolutize", "site", *IN_PLACE, "--journal", "j")
        assert run("undo", "j").exit_code == 0

        def fail(*_, **__):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            assert run("absolutize", "--resume", "j", "--jobs", "1").exit_code == 2
        assert snapshot(site) == before
        assert not (site.parent / "j").exists()

    def test_a_run_that_changes_nothing_leaves_none(self, site):
        run("absolutize", "site", *IN_PLACE, "--no-journal")
        result = run("absolutize", "site", *IN_PLACE)
        assert "undo" not in result.stderr
        assert journals(site.parent) == journals(site) == []

    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_a_run_whose_files_all_fail_leaves_none(self, site, monkeypatch, jobs):
        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        before = snapshot(site)
        monkeypatch.setattr(os, "replace", refuse)
        result = run("absolutize", "site", "--root-url", URL, "--in-place", "--jobs", jobs)
        assert result.exit_code == 2
        assert "Permission denied" in result.stderr
        assert "undo" not in result.stderr
        assert snapshot(site.parent) == {b"site/" + name: content for name, content in before.items()}

    @pytest.mark.parametrize("arguments", [["--no-journal"], ["--dry-run"]])
    def test_none_is_kept(self, site, arguments):
        assert run("absolutize", "site", *IN_PLACE, *arguments).exit_code == 0
        assert journals(site.parent) == []

    def test_can_be_chosen(self, site):
        (site.parent / "kept").mkdir()
        result = run("absolutize", "site", *IN_PLACE, "--journal", "kept/a b")
        assert result.stderr.splitlines()[-1] == "to undo: linkfix undo 'kept/a b' --root site"
        assert journals(site.parent) == []
        done = bash(f'"$0" -m linkfix undo {shlex.quote("kept/a b")} --root site', site.parent)
        assert done.returncode == 0

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--journal", "site/j"], "the journal site/j would be inside the changed folder"),
            (["--journal", "other"], "the journal other already exists: give another name"),
            (["--journal", "no/j"], "/no/j cannot be written: No such file or directory: give another place"),
            (["--journal", "j", "--no-journal"], "--journal and --no-journal cannot be combined"),
        ],
    )
    def test_that_cannot_be_used_is_wrong_use(self, site, arguments, message):
        (site.parent / "other").write_bytes(b"mine")
        before = snapshot(site.parent)
        result = run("absolutize", "site", *IN_PLACE, *arguments)
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())
        assert snapshot(site.parent) == before

    @pytest.mark.parametrize("arguments", [["--journal", "j"], ["--no-journal"]])
    @pytest.mark.usefixtures("site")
    def test_without_in_place_it_is_wrong_use(self, arguments):
        for command in (["absolutize", "site", "--output", "out"], ["audit", "site"]):
            result = run(*command, *arguments)
            assert result.exit_code == 2
            assert "--journal and --no-journal are for runs that change files" in " ".join(result.stderr.split())

    def test_an_unwritable_parent_folder_is_reported(self, site, monkeypatch):
        real = os.open

        def refuse(path, *arguments, **fields):
            if str(path).endswith(".journal"):
                raise PermissionError(13, "Permission denied", path)
            return real(path, *arguments, **fields)

        monkeypatch.setattr(os, "open", refuse)
        before = snapshot(site)
        result = run("absolutize", "site", *IN_PLACE)
        assert result.exit_code == 2
        said = " ".join(result.stderr.split())
        assert ".journal cannot be written: Permission denied: give another place with --journal FILE, or give" in said
        assert snapshot(site) == before

    def test_nothing_is_beside_the_root(self):
        result = run("absolutize", "/", "--in-place", "--include", "nothing-like-this.html")
        assert "there is no place beside the root of the file system" in " ".join(result.stderr.split())
        assert result.exit_code == 2

    def test_a_full_disk_leaves_every_file(self, site, monkeypatch):
        def full(_descriptor):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fdatasync", full)
        before = snapshot(site)
        result = run("absolutize", "site", *IN_PLACE)
        assert result.exit_code == 2
        (line,) = (line for line in result.stderr.splitlines() if "No space left on device" in line)
        assert ".journal" in line
        assert line.endswith("(the run stops here, since other files would fail too)")
        assert snapshot(site) == before


class TestConversionsOfJournals:
    def test_a_journal_is_never_converted(self, site):
        run("absolutize", "site", *IN_PLACE)
        (journal,) = journals(site.parent)
        data = journal.read_bytes()
        result = run("absolutize", ".", "--root-url", URL, "--in-place", "--journal", "../j")
        assert result.exit_code == 0
        assert journal.read_bytes() == data
        run(
            "absolutize",
            site,
            journal,
            "--default-base",
            URL,
            "--in-place",
            "--fragments",
            "absolutize",
            "--no-journal",
        )
        assert journal.read_bytes() == data


class TestAudit:
    @pytest.fixture
    def broken(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        root = tmp_path / "site"
        (root / "a").mkdir(parents=True)
        for number in range(40):
            (root / f"{number}.html").write_bytes(b'<a href="A/Page.html">x</a> <a href="a/page.htm">')
        (root / "a" / "page.html").write_bytes(b"<p>")
        return root

    def test_fix_is_undone(self, broken):
        before = snapshot(broken)
        result = run("audit", "site", "--root-url", URL, "--fix", "--jobs", "1", "--fail-on", "never")
        assert contents(snapshot(broken)) != contents(before)
        (journal,) = journals(broken.parent)
        assert f"to undo: linkfix undo {journal.name}\n" in result.stderr
        result = run("undo", journal)
        assert (result.exit_code, result.stderr) == (0, "undoing changes in site\n40 files restored\n")
        assert snapshot(broken) == before

    def test_nothing_to_fix_leaves_no_journal(self, broken):
        run("audit", "site", "--root-url", URL, "--fix", "--jobs", "1", "--no-journal")
        assert journals(broken.parent) == []
        run("audit", "site", "--root-url", URL, "--fix", "--jobs", "1")
        assert journals(broken.parent) == []

    def test_its_place_can_be_chosen(self, broken):
        run("audit", "site", "--root-url", URL, "--fix", "--jobs", "1", "--journal", "j")
        assert run("undo", "j", "--quiet").exit_code == 0
        assert b"A/Page.html" in (broken / "7.html").read_bytes()

    def test_a_journal_that_cannot_be_written_changes_nothing(self, broken, monkeypatch):
        def full(_descriptor):
            raise OSError(28, "No space left on device")

        before = snapshot(broken)
        monkeypatch.setattr(os, "fdatasync", full)
        result = run("audit", "site", "--root-url", URL, "--fix", "--jobs", "1")
        assert result.exit_code == 2
        assert "site/0.html: No space left on device\n" in result.stderr
        assert snapshot(broken) == before
        assert journals(broken.parent) == []
        assert "undo" not in result.stderr


def test_leftovers_of_a_killed_run_are_removed(site):
    run("absolutize", "site", *IN_PLACE, "--journal", "j")
    (site / "docs" / ".linkfix-0123456789abcdef.tmp").write_bytes(b"half")
    assert run("undo", "j").exit_code == 0
    assert list(site.rglob(".linkfix-*")) == []


def test_a_file_that_was_overwritten_in_part_is_given_back(site):
    """The state after a kill: the complete new content beside the file, and one more name of the file itself."""
    page = site / "index.html"
    (site / "other.html").hardlink_to(page)
    before = snapshot(site)
    run("absolutize", "site", *IN_PLACE, "--keep-hard-links", "--journal", "j")
    new = page.read_bytes()
    (site / ".linkfix-0123456789abcdef.new").write_bytes(new)
    (site / ".linkfix-0123456789abcdef.old").hardlink_to(page)
    page.write_bytes(new[:20] + before[b"index.html"][0][20:])
    assert run("undo", "j", "--keep-hard-links").exit_code == 0
    assert snapshot(site) == before
    assert (site / "other.html").samefile(page)
    assert list(site.rglob(".linkfix-*")) == []


class TestUndoOfAFolder:
    """`linkfix undo PATH` finds the journal beside it, and no other."""

    def refused(self, *arguments):
        """The message of a refusal, which changes nothing."""
        before = snapshot(Path())
        result = run("undo", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert snapshot(Path()) == before
        return result.stderr.splitlines()[-1].removeprefix("Error: ")

    @pytest.mark.parametrize("path", ["site", "site/", "./site/docs/..", "link"])
    def test_its_journal_is_found(self, site, path):
        (site.parent / "link").symlink_to("site")
        before = snapshot(site)
        run("absolutize", "site", *IN_PLACE)
        changed = snapshot(site)
        result = run("undo", path, "--dry-run")
        assert len(result.stdout.splitlines()) == 9
        assert snapshot(site) == changed
        result = run("undo", path)
        assert (result.exit_code, result.stderr) == (0, "undoing changes in site\n9 files restored\n")
        assert snapshot(site) == before

    def test_from_inside(self, site, monkeypatch):
        before = snapshot(site)
        monkeypatch.chdir(site)
        run("absolutize", ".", *IN_PLACE)
        assert run("undo", ".").exit_code == 0
        assert snapshot(site) == before

    @pytest.mark.parametrize("name", ["site/index.html", "site/b.har"])
    def test_that_of_a_file_is_found(self, site, name):
        before = snapshot(site)
        run("absolutize", name, "--url", URL, "--in-place")
        assert snapshot(site).keys() - before.keys()
        assert run("undo", name).stderr == f"undoing changes in {name}\n1 file restored\n"
        assert contents(snapshot(site)).items() >= contents(before).items()

    def test_a_long_name_is_found(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        name = "é" * 125 + ".html"
        (tmp_path / name).write_bytes(b'<a href="x">')
        run("absolutize", name, *IN_PLACE)
        assert run("undo", name).exit_code == 0
        assert (tmp_path / name).read_bytes() == b'<a href="x">'

    def test_that_of_the_audit_is_found(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "Page.html").write_bytes(b'<a href="page.html">')
        run("audit", "site", "--root-url", URL, "--fix", "--jobs", "1")
        assert (tmp_path / "site" / "Page.html").read_bytes() == b'<a href="Page.html">'
        assert run("undo", "site").exit_code == 0
        assert (tmp_path / "site" / "Page.html").read_bytes() == b'<a href="page.html">'

    def test_without_a_journal(self, site):
        place = "there is no journal beside site or in its git directory"
        expected = f"{place}: give the file that --journal named (--no-journal writes none)"
        assert self.refused("site") == expected
        run("absolutize", "site", *IN_PLACE, "--journal", "j")
        assert self.refused("site") == expected
        of_file = expected.replace("there is no journal beside site", "j is not a journal, and there is none beside it")
        assert self.refused("site/index.html") == of_file.replace("j is", "site/index.html is")
        assert self.refused(site.anchor) == expected.replace("site", site.anchor)

    def test_each_of_several_cycles_is_undone(self, site):
        before = snapshot(site)
        for cycle in range(1, 4):
            assert run("absolutize", "site", *IN_PLACE).exit_code == 0
            assert contents(snapshot(site)) != contents(before)
            result = run("undo", "site")
            assert (result.exit_code, result.stderr) == (0, "undoing changes in site\n9 files restored\n")
            assert snapshot(site) == before
            assert len(journals(site.parent)) == cycle

    def test_the_last_of_several_runs_is_undone_first(self, site):
        before = snapshot(site)
        run("absolutize", "site", *IN_PLACE)
        middle = snapshot(site)
        for number in range(2):
            (site / f"{number}.html").write_bytes(b'<a href="x">')
            run("absolutize", "site", *IN_PLACE)
        undone = (
            "undoing changes in site/{}.html\n1 file restored\nsite was changed by {}: run linkfix undo site again\n"
        )
        assert run("undo", "site", "--dry-run").stderr.splitlines()[1:] == ["1 file to restore"]
        assert run("undo", "site").stderr == undone.format(1, "2 earlier runs")
        assert run("undo", "site").stderr == undone.format(0, "1 earlier run")
        assert snapshot(site).items() >= middle.items()
        assert run("undo", "site").stderr == "undoing changes in site\n9 files restored\n"
        assert snapshot(site).items() >= before.items()
        first = min(journals(site.parent), key=lambda path: (len(path.name), path.name))
        assert self.refused("site").startswith("no run over site is left to undo: to restore the last one again, run: ")
        assert run("undo", first).stderr == "undoing changes in site\n0 files restored, 9 unchanged\n"

    def test_a_run_that_began_in_the_second_after_its_name_is_in_the_order_of_names(self, site):
        names = ["site.linkfix-20260101-000000-2.journal", "site.linkfix-20260101-000001.journal"]
        for number, name in enumerate(names):
            (site / f"{number}.html").write_bytes(b'<a href="x">')
            run("absolutize", "site", *IN_PLACE)
            (made,) = (path for path in journals(site.parent) if path.name not in names)
            header, rest = made.read_bytes().split(b"\n", 1)
            values = json.loads(header.split(b"\t")[0]) | {"started": "2026-01-01T00:00:01Z"}
            (site.parent / name).write_bytes(encode_line(values) + rest)
            made.unlink()
        assert "site/1.html" in run("undo", "site").stderr

    def test_that_of_a_resumed_run_counts_again(self, site):
        before = snapshot(site)
        run("absolutize", "site", *IN_PLACE)
        run("undo", "site")
        (journal,) = journals(site.parent)
        assert run("absolutize", "--resume", journal).exit_code == 0
        assert contents(snapshot(site)) != contents(before)
        assert run("undo", "site").exit_code == 0
        assert contents(snapshot(site)) == contents(before)

    def test_files_that_changed_since_do_not_hide_earlier_runs(self, site):
        run("absolutize", "site", *IN_PLACE)
        (site / "added.html").write_bytes(b'<a href="x">')
        run("absolutize", "site", *IN_PLACE)
        (site / "added.html").write_bytes(b"mine")
        assert run("undo", "site").exit_code == 1
        assert run("undo", "site").exit_code == 0
        assert (site / "index.html").read_bytes() == PAGE

    def test_an_undo_that_failed_counts_as_none(self, site, monkeypatch):
        def fail(*_, **__):
            raise OSError(28, "No space left on device")

        before = snapshot(site)
        run("absolutize", "site", *IN_PLACE)
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            assert run("undo", "site").exit_code == 2
        assert run("undo", "site").exit_code == 0
        assert snapshot(site) == before

    def test_that_of_a_copied_folder_is_not_noted(self, site):
        run("absolutize", "site", *IN_PLACE)
        shutil.copytree(site, site.parent / "copy")
        (journal,) = journals(site.parent)
        assert run("undo", journal, "--root", "copy").exit_code == 0
        assert run("undo", "site").stderr.endswith("9 files restored\n")

    def test_empty_journals_do_not_count(self, site):
        run("absolutize", "site", *IN_PLACE)
        (journal,) = journals(site.parent)
        header = journal.read_bytes().partition(b"\n")[0] + b"\n"
        for number, data in enumerate((b"", header)):
            journal.with_name(f"site.linkfix-20990101-00000{number}.journal").write_bytes(data)
        assert run("undo", "site").stderr == "undoing changes in site\n9 files restored\n"

    def test_a_journal_of_other_folders_too_is_not_used(self, site):
        shutil.copytree(site, site.parent / "other")
        run("absolutize", "site", "other", "--default-base", URL, "--in-place")
        (journal,) = journals(site.parent)
        expected = f"the run changed more than site: to undo the whole run, run: linkfix undo {journal.name}"
        assert self.refused("site") == expected
        assert self.refused("other").startswith("there is no journal beside other or in its git directory: ")

    def test_a_journal_of_other_files_too_is_not_used(self, site):
        run("absolutize", "site/index.html", "site/wide.html", *IN_PLACE)
        (journal,) = journals(site)
        expected = (
            f"the run changed more than site/index.html: to undo the whole run, run: linkfix undo site/{journal.name}"
        )
        assert self.refused("site/index.html") == expected
        assert self.refused("site").startswith("there is no journal beside site or in its git directory: ")

    def test_a_journal_of_another_folder_is_not_used(self, site):
        before = contents(snapshot(site))
        run("absolutize", "site", *IN_PLACE)
        (journal,) = journals(site.parent)
        (site.parent / "new").mkdir()
        for path in (site, journal):
            path.rename(site.parent / "new" / path.name)
        make_site(site)
        command = f"linkfix undo new/{journal.name} --root new/site"
        assert (
            self.refused("new/site")
            == f"the journal beside new/site belongs to {site}: if {site} was moved here, run: {command}"
        )
        assert self.refused("new/site", "--root", "new/site") == (
            "--root needs a journal: give the journal instead of new/site"
        )
        assert run(*command.split()[1:]).exit_code == 0
        assert contents(snapshot(site.parent / "new" / "site")) == before

    @pytest.mark.parametrize("name", ["site-2", "site.linkfix-20261122-150405", "sit"])
    def test_names_with_a_common_prefix_are_distinguished(self, site, name):
        site.rename(site.parent / name)
        make_site(site)
        run("absolutize", name, *IN_PLACE)
        assert self.refused("site").startswith("there is no journal beside site or in its git directory: ")
        assert run("undo", name).exit_code == 0

    def test_a_damaged_journal_is_reported(self, site):
        run("absolutize", "site", *IN_PLACE)
        (journal,) = journals(site.parent)
        broken = journal.with_name("site.linkfix-20990101-000000.journal")
        broken.write_bytes(b"x")
        assert f"{broken} cannot be used: it is not a journal of linkfix" in self.refused("site")
        journal.unlink()
        assert f"{broken} cannot be used: it is not a journal of linkfix" in self.refused("site")


@pytest.mark.usefixtures("site")
def test_undo_of_several_folders_takes_each_as_root():
    run("absolutize", "site/docs", "site/index.html", "--default-base", URL, "--in-place", "--journal", "j")
    result = run("undo", "j", "--root", "site")
    assert result.exit_code == 2
    assert "the journal has 2 folders: give --root once for each" in " ".join(result.stderr.split())
