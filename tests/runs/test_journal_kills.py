"""Kills: whenever a run or an undo is killed, each file is old or new, and either way can be gone to its end."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.journals import PAGE, URL, contents, make_site, snapshot
from support.kills import await_end, temporary_files
from support.paths import TESTS
from support.running import ENVIRONMENT, command, run
from support.web_archives import http, record, sha1

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")

IN_PLACE = ("--root-url", URL, "--in-place")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site", 1)
    for name in ("a.warc.gz", "b.har", "index.html", "wide.html", "logo.png"):
        (tmp_path / "site" / name).unlink()
    return tmp_path / "site"


@pytest.fixture
def converted(site, tmp_path):
    """The site's files after a run."""
    shutil.copytree(site, tmp_path / "other" / "site")
    run("absolutize", tmp_path / "other" / "site", *IN_PLACE, "--no-journal")
    return contents(snapshot(tmp_path / "other" / "site"))


def killed_at(step, *arguments):
    """Run the command until a step; whether it was killed."""
    words = [sys.executable, str(TESTS / "support" / "killed.py"), str(step), *arguments]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, timeout=120, check=False)
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode != 0


def assert_old_or_new(now, old, new):
    assert now.keys() == old.keys()
    assert {name for name in now if now[name] not in {old[name], new[name]}} == set()


@pytest.mark.slow
def test_a_run_killed_at_any_step_is_resumed_and_undone(site, converted, tmp_path):
    before = snapshot(site)
    step = 0
    was_killed = True
    while was_killed:
        step += 1
        was_killed = killed_at(step, "absolutize", "site", *IN_PLACE, "--jobs", "1", "--journal", "j")
        assert_old_or_new(contents(snapshot(site)), contents(before), converted)
        if b"\n" in (tmp_path / "j").read_bytes():  # not killed while it was made
            shutil.copytree(site, tmp_path / "copy")
            shutil.copy("j", "k")
            assert run("undo", "k", "--root", "copy").exit_code == 0
            assert snapshot(tmp_path / "copy") == before
            assert temporary_files(tmp_path / "copy") == []
            shutil.rmtree("copy")
            result = run("absolutize", "--resume", "j", "--jobs", "1")
            assert result.exit_code == 0, result.output
            assert contents(snapshot(site)) == converted
            assert run("undo", "j").exit_code == 0
            assert temporary_files(site) == []
        assert snapshot(site) == before
        (tmp_path / "j").unlink()
    assert step > 15


@pytest.mark.slow
def test_web_archives_replay_after_a_run_killed_between_them(tmp_path, monkeypatch):
    """The revisit record of one file follows the page of another, whatever the order of conversion."""
    monkeypatch.chdir(tmp_path)
    page = http(PAGE)
    digest = f"WARC-Payload-Digest: {sha1(PAGE)}"
    profile = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
    files = {
        "a.warc": record(page, digest),
        "b.warc": record(http(b""), digest, profile, kind="revisit"),
        "c.warc": record(http(b""), digest, profile, kind="revisit"),
    }
    for folder in ("site", "whole"):
        Path(folder).mkdir()
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
    run("absolutize", "whole", "--in-place", "--no-journal")
    expected = contents(snapshot(tmp_path / "whole"))
    before = contents(snapshot(tmp_path / "site"))
    assert all(expected[name] != before[name] for name in expected)
    partly, step, was_killed = 0, 0, True
    while was_killed:
        step += 1
        was_killed = killed_at(step, "absolutize", "site", "--in-place", "--jobs", "1", "--journal", "j")
        now = contents(snapshot(tmp_path / "site"))
        partly += 0 < sum(now[name] != before[name] for name in now) < len(now)
        if b"\n" in Path("j").read_bytes():
            assert run("absolutize", "--resume", "j", "--jobs", "1").exit_code == 0
            assert contents(snapshot(tmp_path / "site")) == expected
            assert run("undo", "j").exit_code == 0
        assert contents(snapshot(tmp_path / "site")) == before
        Path("j").unlink()
    assert partly > 2


@pytest.mark.slow
def test_an_undo_that_is_killed_at_any_step(site, converted):
    before = snapshot(site)
    run("absolutize", "site", *IN_PLACE, "--journal", "j")
    after = snapshot(site)
    step = 0
    was_killed = True
    while was_killed:
        step += 1
        was_killed = killed_at(step, "undo", "j")
        assert_old_or_new(contents(snapshot(site)), contents(before), converted)
        assert run("undo", "j").exit_code == 0
        assert snapshot(site) == before
        assert temporary_files(site) == []
        assert run("absolutize", "--resume", "j", "--jobs", "1").exit_code == 0
        assert contents(snapshot(site)) == contents(after)
    changed = [name for name, (data, _) in before.items() if data != converted[name]]
    assert step > 4 * len(changed) > 4  # each is made durable, replaced, made durable again, and gets its time


def killed_after(seconds, *arguments, until=lambda: True):
    """Start the command, and kill it `seconds` after `until()` was true."""
    with subprocess.Popen(
        command(*arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as started:
        while not until() and started.poll() is None:
            time.sleep(0.01)
        time.sleep(seconds)
        started.kill()
    await_end(started.pid)


@pytest.mark.slow
def test_runs_of_several_processes_that_are_killed_go_on_and_are_undone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site", 300)
    site = tmp_path / "site"
    before = snapshot(site)
    run("absolutize", "site", *IN_PLACE, "--journal", "whole")
    after = contents(snapshot(site))
    assert run("undo", "whole").exit_code == 0
    source = random.Random(12)  # noqa: S311 - a test's
    arguments = ("absolutize", "site", *IN_PLACE, "--jobs", "2", "--journal", "j")
    killed_after(source.uniform(0.3, 1.5), *arguments, until=(tmp_path / "j").exists)
    for _ in range(3):
        assert_old_or_new(contents(snapshot(site)), contents(before), after)
        killed_after(source.uniform(0.3, 1.5), "absolutize", "--resume", "j", "--jobs", "2")
    result = run("absolutize", "--resume", "j", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert contents(snapshot(site)) == after
    for _ in range(3):
        killed_after(source.uniform(0.2, 0.6), "undo", "j")
        assert_old_or_new(contents(snapshot(site)), contents(before), after)
    assert run("undo", "j").exit_code == 0
    assert snapshot(site) == before


@pytest.mark.slow
def test_a_file_that_kills_its_process_is_named_and_the_others_converted(tmp_path, monkeypatch):
    """Groups whose process died are tried again, file by file."""
    from support.killers import KillingConverter  # for this test alone

    from linkfix.runs import InputPath, Journal, RunSettings, create_journal, journaled

    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site", 60)
    (tmp_path / "site" / "docs" / "deadly.html").write_bytes(b'<a href="x">')
    inputs = [InputPath.of("site", tree_url=URL)]
    monkeypatch.setattr(journaled, "JournaledConverter", KillingConverter)
    create_journal("j", "absolutize", journaled.journal_roots(inputs), {})
    with Journal("j") as journal:
        journal.share()
        run_ = journaled.convert_with_journal(inputs, RunSettings(in_place=True), journal, processes=2)
        outcomes = {one.display_name: one for one in run_}
    failed = {name: one.message for name, one in outcomes.items() if one.action == "failed"}
    assert failed == {"site/docs/deadly.html": "the process that converted the file died: signal 9"}
    assert outcomes["site/docs/059.html"].action in {"converted", "same"}
    assert all(b"https://" in path.read_bytes() for path in (tmp_path / "site" / "docs").glob("0*.html"))
    assert run("undo", "j").exit_code == 0
