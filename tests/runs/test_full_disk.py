"""Errors of writing name the file, and a run stops at the first one that other files would have too."""

from __future__ import annotations

import errno
import os
import subprocess

import pytest
from support.running import ENVIRONMENT, command, run

from linkfix.files import atomic

ROOT = ("--root-url", "https://a.example/")
STOPS = "the run stops here, since other files would fail too"


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    for number in range(5):
        (tmp_path / "site" / f"{number}.html").write_bytes(b'<a href="x">')
    return tmp_path / "site"


@pytest.fixture
def full_disk(monkeypatch):
    """A function that makes every write fail after some writes."""

    def fill(code, after=0):
        calls = iter(range(1000))
        write_all = atomic.write_all

        def fail(descriptor, data):
            if next(calls) >= after:
                raise OSError(code, os.strerror(code))
            write_all(descriptor, data)

        monkeypatch.setattr(atomic, "write_all", fail)

    return fill


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize("in_place", [["--in-place"], ["--in-place", "--no-journal"], ["--output", "out"]])
def test_a_run_stops_at_the_first_error_that_recurs(site, full_disk, code, in_place):
    full_disk(code, after=1)
    made = run("absolutize", "site", *ROOT, *in_place, "--jobs", "1")
    assert made.exit_code == 2
    failures = [line for line in made.stderr.splitlines() if os.strerror(code) in line]
    assert len(failures) == 1
    name = "site/1.html" if "--in-place" in in_place else ": out/1.html "
    assert name in failures[0]
    assert failures[0].endswith(f"({STOPS})")
    if in_place == ["--in-place"]:
        assert "to resume: linkfix absolutize --resume" in made.stderr
    changed = [path.name for path in sorted(site.iterdir()) if b"https" in path.read_bytes()]
    assert changed == (["0.html"] if "--in-place" in in_place else [])
    assert not list(site.parent.rglob(".linkfix-*"))


@pytest.mark.usefixtures("site")
def test_another_error_stops_nothing(full_disk):
    full_disk(errno.EFBIG)
    made = run("absolutize", "site", *ROOT, "--output", "out", "--jobs", "1")
    assert made.exit_code == 2
    assert made.stderr.count(f"{os.strerror(errno.EFBIG)}: out/") == 5
    assert STOPS not in made.stderr


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_stops_the_run(site):
    (site.parent / "out").mkdir(mode=0o500)
    made = run("absolutize", "site", *ROOT, "--output", "out", "--jobs", "1")
    assert (made.exit_code, made.stderr.count("Permission denied"), made.stderr.count(STOPS)) == (2, 1, 1)


@pytest.mark.parametrize(
    ("writable", "error", "recurs"),
    [
        (False, PermissionError(errno.EACCES, "x"), True),
        (True, PermissionError(errno.EACCES, "x"), False),
        (True, OSError(errno.ENOSPC, "x"), True),
        (True, OSError(errno.EIO, "x"), False),
        (True, atomic.FileTooLarge(errno.EFBIG, "x"), False),
        (True, ValueError("x"), False),
    ],
)
def test_errors_that_recur(monkeypatch, writable, error, recurs):
    monkeypatch.setattr(os, "access", lambda *_: writable)
    assert atomic.will_recur(error, "out") is recurs


def limited(*arguments, cwd, size, stdin=b""):
    """Run a command that may not write files of more than `size` bytes."""
    resource = pytest.importorskip("resource")
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        capture_output=True,
        input=stdin,
        env=ENVIRONMENT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("absolutize", "big.html", "-o", "new.html"), "new.html"),
        (("absolutize", "big.html", "--output", "out"), "out/big.html"),
        (("absolutize", "big.html", "--in-place", "--no-journal"), "big.html"),
        (("absolutize", "big.html", "site", "--output", "out"), "out/big.html"),
    ],
)
def test_the_file_that_is_too_large_is_named(site, arguments, name):
    (site.parent / "big.html").write_bytes(b'<a href="x">' + b" " * 100_000)
    if "site" not in arguments:
        arguments = (*arguments, "--url", "https://a.example/")
    else:
        arguments = (*arguments, "--default-base", "https://a.example/")
    done = limited(*arguments, cwd=site.parent, size=50_000)
    assert done.returncode == 2
    assert name in next(line for line in done.stderr.decode().splitlines() if "File too large" in line)
    assert not list(site.parent.rglob(".linkfix-*"))


def test_a_table_that_cannot_be_written_is_named(site):
    pytest.importorskip("pyarrow")
    pages = b'<a href="x">' * 5000
    done = limited("links", "-", "-o", "new.csv", cwd=site.parent, size=50_000, stdin=pages)
    assert done.returncode == 2
    assert "new.csv: File too large" in done.stderr.decode()
    assert not (site.parent / "new.csv").exists()


def test_no_part_of_a_table_is_written_if_the_disk_is_full(site, monkeypatch):
    links_output = pytest.importorskip("linkfix.cli.links_output")

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(links_output.LinkRows, "finish", fail)
    made = run("links", "site", *ROOT, "-o", "new.csv", "--jobs", "1")
    assert (made.exit_code, (site.parent / "new.csv").exists()) == (2, False)
    assert made.stderr.count(STOPS) == 1


def test_a_part_that_cannot_be_written_is_named(site):
    body = "x" * 100_000
    (site / "page.eml").write_text(f"Content-Type: text/html\nContent-Location: https://a.example/p.html\n\n{body}")
    done = limited("unpack", "site/page.eml", "-o", "out", cwd=site.parent, size=50_000)
    assert done.returncode == 2
    assert f"{site.parent / 'out' / 'part-1.html'}: File too large" in done.stderr.decode()
