"""Hard links, times, circles of links, pipes, and leftovers of killed runs, as commands show them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.kills import temporary_files
from support.running import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="hard links, pipes and locks")

PAGE = b'<a href="x.html">'
DONE = b'<a href="https://h/x.html">'
URL = ("--root-url", "https://h/")
LEFT = ".linkfix-0123456789abcdef.tmp"
REMOVED = "removed 1 temporary file that a killed run left behind"


@pytest.fixture
def site(tmp_path):
    """A page with two names, and one with one."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("a.html", "c.html"):
        (folder / name).write_bytes(PAGE)
        os.utime(folder / name, ns=(10**9, 10**9))
    os.link(folder / "a.html", folder / "b.html")
    return folder


class TestHardLinks:
    def test_in_place_reports_separated_links(self, site):
        result = run("absolutize", site, "--in-place", *URL, "--include", "a.html")
        assert result.exit_code == 0
        assert "separated the hard links of 1 file: --keep-hard-links keeps them together" in result.stderr
        assert ((site / "a.html").read_bytes(), (site / "b.html").read_bytes()) == (DONE, PAGE)

    def test_a_dry_run_reports_separated_links(self, site):
        result = run("absolutize", site, "--in-place", "--dry-run", *URL)
        assert "would separate the hard links of 2 files" in result.stderr

    def test_the_count_in_json(self, site):
        result = run("absolutize", site, "--in-place", "--format", "json", *URL)
        assert json.loads(result.stdout)["totals"]["separated"] == 2

    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_in_place_they_can_be_kept(self, site, jobs):
        inode = (site / "a.html").stat().st_ino
        result = run("absolutize", site, "--in-place", "--keep-hard-links", "--jobs", jobs, *URL)
        assert "1 linked" in result.stderr
        assert "separate" not in result.stderr
        assert [(site / name).read_bytes() for name in ("a.html", "b.html", "c.html")] == [DONE] * 3
        assert (site / "a.html").stat().st_ino == (site / "b.html").stat().st_ino == inode

    def test_in_the_output_they_can_be_kept(self, site, tmp_path):
        out = tmp_path / "out"
        for _ in range(2):
            result = run("absolutize", site, "--output", out, "--keep-hard-links", *URL)
            assert "2 files, 1 linked" in result.stderr
            assert (out / "a.html").samefile(out / "b.html")
            assert not (out / "a.html").samefile(site / "a.html")
            assert [(out / name).read_bytes() for name in ("a.html", "b.html", "c.html")] == [DONE] * 3

    def test_in_the_output_each_name_has_a_file_of_its_own_otherwise(self, site, tmp_path):
        result = run("absolutize", site, "--output", tmp_path / "out", *URL)
        assert "separate" not in result.stderr
        assert not (tmp_path / "out" / "a.html").samefile(tmp_path / "out" / "b.html")

    def test_the_next_name_is_converted_if_the_first_fails(self, site, tmp_path):
        out = tmp_path / "out"
        (out / "a.html" / "full").mkdir(parents=True)
        result = run("absolutize", site, "--output", out, "--keep-hard-links", *URL)
        assert result.exit_code == 2
        assert (out / "b.html").read_bytes() == DONE


@pytest.mark.parametrize("way", ["--in-place", "--output"])
def test_preserve_times(site, tmp_path, way):
    target = tmp_path / "out" if way == "--output" else site
    where = [way, target] if way == "--output" else [way]
    run("absolutize", site, *where, "--preserve-times", *URL)
    assert (target / "c.html").read_bytes() == DONE
    assert (target / "c.html").stat().st_mtime_ns == 10**9
    (site / "c.html").write_bytes(PAGE)
    os.utime(site / "c.html", ns=(10**9, 10**9))
    run("absolutize", site, *where, *URL)
    assert (target / "c.html").stat().st_mtime_ns > 10**9


def test_links_in_a_circle_are_copied_unchanged(site, tmp_path):
    for name, text in (("self", "self"), ("one", "two"), ("two", "./one")):
        (site / name).symlink_to(text)
    result = run("absolutize", site, "--output", tmp_path / "out", *URL)
    assert result.exit_code == 0
    assert {name: os.readlink(tmp_path / "out" / name) for name in ("self", "one", "two")} == {  # noqa: PTH115 - the text
        "self": "self",
        "one": "two",
        "two": "./one",
    }


@pytest.mark.parametrize("way", ["--in-place", "--output"])
def test_a_pipe_counts_for_the_exit_code(site, tmp_path, way):
    os.mkfifo(site / "pipe.html")
    result = run("absolutize", site, *([way, tmp_path / "out"] if way == "--output" else [way]), *URL)
    assert result.exit_code == 2
    assert "pipe.html: not a regular file: skipped" in result.stderr
    assert (tmp_path / "out" if way == "--output" else site).joinpath("c.html").read_bytes() == DONE


class TestLeftovers:
    @pytest.mark.parametrize("options", [(), ("--quiet",)])
    def test_in_place(self, site, options):
        (site / LEFT).write_bytes(b"half")
        result = run("absolutize", site, "--in-place", *URL, *options)
        assert (REMOVED in result.stderr) == (not options)
        assert temporary_files(site) == []

    def test_output(self, site, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / LEFT).write_bytes(b"half")
        result = run("absolutize", site, "--output", tmp_path / "out", *URL, "--format", "json")
        assert json.loads(result.stdout)["totals"]["removed"] == 1
        assert len(json.loads(result.stdout)["files"]) == 3
        assert REMOVED in result.stderr
        assert temporary_files(tmp_path) == []

    @pytest.mark.parametrize("options", [("--in-place", "--dry-run"), ("--diff",)])
    def test_nothing_is_removed_if_nothing_is_written(self, site, options):
        (site / LEFT).write_bytes(b"half")
        run("absolutize", site, *options, *URL)
        assert temporary_files(site) == [LEFT]

    def test_unpack(self, tmp_path):
        fixture = Path(__file__).parents[2] / "fixtures" / "mime" / "saved.mht"
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / LEFT).write_bytes(b"half")
        assert REMOVED in run("unpack", fixture, "--output", tmp_path / "out").stderr
        assert temporary_files(tmp_path) == []

    def test_fix(self, tmp_path):
        (tmp_path / "Page.html").touch()
        (tmp_path / "a.html").write_bytes(b"<!doctype html><title>x</title><a href=Page.HTML>")
        (tmp_path / LEFT).write_bytes(b"half")
        result = run("audit", tmp_path, "--fix")
        assert b"Page.html>" in (tmp_path / "a.html").read_bytes()
        assert REMOVED in result.stderr
        assert temporary_files(tmp_path) == []

    @pytest.mark.parametrize("command", ["audit", "baseline", "template"])
    def test_reports(self, site, tmp_path, command):
        (tmp_path / LEFT).write_bytes(b"half")
        words = {
            "audit": ("audit", site, "--output", tmp_path / "report.html"),
            "baseline": ("audit", site, "--write-baseline", tmp_path / "known.json"),
            "template": ("schemes", "template", "--new", "--output", tmp_path / "new.txt"),
        }[command]
        assert REMOVED in run(*words).stderr
        assert temporary_files(tmp_path) == []
