"""Runs that are killed: each file is the old or the new one, the next run completes them, and nothing is left over."""

from __future__ import annotations

import itertools
import os
import shutil

import pytest
from support.kills import contents, killed_after, killed_at_step, moments, seconds_of, temporary_files
from support.paths import FIXTURES
from support.running import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="SIGKILL, and locks that go with a process"),
]

URL = ("--root-url", "https://h/")
PAGE = b"<p>%d<a href=x.html>" + b"<a href='../y z.html'>" * 300


@pytest.fixture
def site(tmp_path):
    """Two pages that have another size when they are converted, one of them of two names, an image and a folder."""
    folder = tmp_path / "site"
    (folder / "a").mkdir(parents=True)
    for number, name in enumerate(("index.html", "a/page.html")):
        (folder / name).write_bytes(PAGE % number)
    (folder / "a" / "image.png").write_bytes(b"\x89PNG" * 1000)
    os.link(folder / "a" / "page.html", folder / "a" / "hard.html")
    (folder / "link.html").symlink_to("index.html")
    return folder


def convert(site, *options):
    result = run("absolutize", site, *options, *URL, "--jobs", "1")
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("options", [("--in-place",), ("--in-place", "--keep-hard-links")])
def test_in_place_at_each_step(site, tmp_path, options):
    old = contents(site)
    whole = tmp_path / "whole"
    shutil.copytree(site, whole, symlinks=True)
    (whole / "a/hard.html").unlink()
    os.link(whole / "a/page.html", whole / "a/hard.html")
    convert(whole, *options)
    new = contents(whole)
    for number in itertools.count():
        folder = tmp_path / f"{number}"
        shutil.copytree(site, folder, symlinks=True)
        (folder / "a/hard.html").unlink()
        os.link(folder / "a/page.html", folder / "a/hard.html")
        killed = killed_at_step(number, "absolutize", folder, *options, *URL, "--jobs", "1", "--quiet")
        if not killed:
            break
        found = contents(folder)
        half = [name for name in found if found[name] not in {old[name], new[name]}]
        if half:  # overwritten through its links: the new content is beside it, complete
            assert options[-1] == "--keep-hard-links"
            assert half == ["a/hard.html", "a/page.html"] or sorted(half) == ["a/hard.html", "a/page.html"]
            assert [path.read_bytes() for path in (folder / "a").glob(".linkfix-*.new")] == [new["a/page.html"]]
        left = temporary_files(folder)
        result = convert(folder, *options)
        assert contents(folder) == new
        assert temporary_files(folder) == []
        assert ("that a killed run left behind" in result.stderr) == bool(left)
    assert number > 12


def test_output_at_each_step(site, tmp_path):
    whole = tmp_path / "whole"
    convert(site, "--output", whole)
    new = contents(whole)
    for number in itertools.count():
        out = tmp_path / f"{number}"
        if not killed_at_step(number, "absolutize", site, "--output", out, *URL, "--jobs", "1", "--quiet"):
            break
        assert contents(out).items() <= new.items()
        convert(site, "--output", out)
        assert contents(out) == new
        assert temporary_files(tmp_path) == []
    assert number > 20


def test_unpack_at_each_step(tmp_path):
    container = FIXTURES / "mime" / "saved.mht"
    whole = tmp_path / "whole"
    assert run("unpack", container, "--output", whole).exit_code == 0
    new = contents(whole)
    for number in itertools.count():
        out = tmp_path / f"{number}"
        if not killed_at_step(number, "unpack", container, "--output", out):
            break
        assert contents(out).items() <= new.items()
        assert run("unpack", container, "--output", out).exit_code == 0
        assert contents(out) == new
        assert temporary_files(out) == []
    assert number > 10


def test_fix_at_each_step(tmp_path):
    def make(folder):
        head = b"<!doctype html><title>x</title>"
        folder.mkdir()
        (folder / "Page.html").write_bytes(head)
        for name in ("a.html", "b.html"):
            (folder / name).write_bytes(
                b"<!doctype html><title>x</title><a href=page.html>1</a><a href=PAGE.html>2</a>"
            )
        return folder

    whole = make(tmp_path / "whole")
    old = contents(whole)
    run("audit", whole, "--fix", "--jobs", "1")
    new = contents(whole)
    assert b"page" not in new["a.html"]
    for number in itertools.count():
        folder = make(tmp_path / f"{number}")
        if not killed_at_step(number, "audit", folder, "--fix", "--jobs", "1"):
            break
        assert all(data in {old[name], new[name]} for name, data in contents(folder).items())
        run("audit", folder, "--fix", "--jobs", "1")
        assert contents(folder) == new
        assert temporary_files(folder) == []
    assert number > 10


@pytest.mark.parametrize("options", [("--in-place",), ("--in-place", "--keep-hard-links"), ("--output",)])
def test_at_random_moments(tmp_path, options):
    """Many pages, by two processes."""
    site, target = tmp_path / "site", tmp_path / "target"
    for number in range(60):
        page = site / str(number % 7) / f"{number}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_bytes(PAGE % number)
    os.link(site / "0" / "0.html", site / "hard.html")

    def start():
        shutil.rmtree(target, ignore_errors=True)
        if "--output" in options:
            return "absolutize", site, "--output", target
        shutil.copytree(site, target)
        (target / "hard.html").unlink()
        os.link(target / "0" / "0.html", target / "hard.html")
        return "absolutize", target, *options

    ends = (*URL, "--jobs", "2", "--quiet")
    seconds = seconds_of(*start(), *ends)
    old, new = contents(site), contents(target)
    for moment in moments(seconds, seed=12):
        words = start()
        killed_after(moment, *words, *ends)
        found = contents(target) if target.exists() else {}
        half = {name for name in found if found[name] not in {old[name], new[name]}}
        assert half <= ({"hard.html", "0/0.html"} if "--keep-hard-links" in options else set())
        assert run(*words, *URL, "--jobs", "1", "--quiet").exit_code == 0
        assert contents(target) == new
        assert temporary_files(tmp_path) == []
