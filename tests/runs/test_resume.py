"""Runs that are stopped: the journal that they leave, and going on with it."""

from __future__ import annotations

import json
import os

import pytest
from support.journals import URL, contents, make_site, snapshot
from support.running import run

from linkfix.files import atomic
from linkfix.runs import InputPath, Journal, RunSettings, create_journal
from linkfix.runs.journal import GROUP_FILES, JournalWriter, encode_line
from linkfix.runs.journaled import convert_with_journal

PAGES = 5 * GROUP_FILES


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site", PAGES)
    return tmp_path / "site"


@pytest.fixture
def small_site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_site(tmp_path / "site")
    return tmp_path / "site"


def stop(site, journal, number, *arguments):
    """Convert the site in place as far as `number` files; keep a journal as the command does."""
    run("absolutize", "site", "--root-url", URL, "--in-place", "--journal", journal, "--jobs", "1", *arguments)
    path = site.parent / journal
    run("undo", path)
    header = path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(header)
    inputs = [InputPath.of(str(site), tree_url=URL)]
    with Journal(str(path)) as opened:
        opened.share()
        outcomes = convert_with_journal(inputs, RunSettings(in_place=True), opened)
        done = [next(outcomes).display_name for _ in range(number)]
        outcomes.close()
    return path, done


def test_a_stopped_run_is_resumed(site, tmp_path, monkeypatch):
    before = snapshot(site)
    path, done = stop(site, "j", 2 * GROUP_FILES + 1)
    assert 2 * GROUP_FILES < sum(snapshot(site)[name] != before[name] for name in before) <= 3 * GROUP_FILES
    read = []
    real = atomic.read
    monkeypatch.setattr(atomic, "read", lambda name, **fields: read.append(name) or real(name, **fields))
    result = run("absolutize", "--resume", path, "--jobs", "1", "--format", "json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    finished = [row["path"] for row in report["files"] if row["action"] == "finished before"]
    assert len(finished) == 3 * GROUP_FILES
    assert {name.replace("\udce9", "\\xe9") for name in done} <= set(finished)
    looked_at = {os.path.relpath(name, tmp_path).replace("\udce9", "\\xe9") for name in read}
    assert "site/docs/079.html" in looked_at
    assert looked_at.isdisjoint(finished)
    assert report["totals"]["failed"] == 0
    assert report["journal"] == str(path)
    assert f", {len(finished)} finished before, " in result.stderr
    (tmp_path / "other").mkdir()
    make_site(tmp_path / "other" / "site", PAGES)
    run("absolutize", "other/site", "--root-url", URL, "--in-place")
    assert contents(snapshot(site)) == contents(snapshot(tmp_path / "other" / "site"))
    assert run("undo", path).exit_code == 0
    assert snapshot(site) == before


def test_a_changed_file_is_processed_again(site):
    path, _ = stop(site, "j", GROUP_FILES)
    page = site / "docs" / "000.html"
    page.write_bytes(b'<a href="mine">')
    assert run("absolutize", "--resume", path).exit_code == 0
    assert page.read_bytes() == b'<a href="https://example.com/s/docs/mine">'
    assert run("undo", path).exit_code == 0
    assert page.read_bytes() == b'<a href="mine">'


def test_options_and_paths_come_from_the_journal(site, tmp_path, monkeypatch):
    (tmp_path / "map.csv").write_text("index.html,https://mapped.example/dir/\n")
    arguments = ("--exclude", "docs/", "--url-map", "map.csv", "--max-size", "2K", "--spec", "rfc3986")
    path, _ = stop(site, "j", 1, *arguments)
    run("undo", path)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    before = snapshot(site)
    assert run("absolutize", "--resume", "../j").exit_code == 0
    changed = {name for name in before if snapshot(site)[name] != before[name]}
    assert changed == {b"index.html", b"wide.html", b"caf\xe9.html", b"a.warc.gz", b"saved.maff", b"b.har"}
    assert b"https://mapped.example/dir/x.html" in (site / "index.html").read_bytes()


@pytest.mark.parametrize(
    "given", ["--journal", "--no-journal", "--in-place", "--dry-run", "--diff", "--root-url", "PATH"]
)
def test_other_options_are_refused(small_site, given):
    path, _ = stop(small_site, "j", 1)
    values = {"PATH": ["site"], "--root-url": ["--root-url", URL], "--journal": ["--journal", "k"]}
    result = run("absolutize", "--resume", path, *values.get(given, [given]))
    assert result.exit_code == 2
    assert f"--resume takes PATHs and options from the journal: leave out {given}" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"command": "audit"}, "is the journal of 'linkfix audit', which cannot be resumed"),
        ({"parameters": {"paths": ["x"], "brand_new": 1}}, "an option that this linkfix does not know: brand_new"),
        ({"parameters": {"paths": ["x"], "resume": "y"}}, "an option that this linkfix does not know: resume"),
        ({"parameters": {"paths": []}}, "names no PATH"),
        ({"parameters": {}}, "names no PATH"),
        ({"parameters": {"paths": ["x"], "spec": "rfc1"}}, "has a wrong value for spec"),
        ({"parameters": {"paths": ["x"], "max_size": {}}}, "has a wrong value for max_size"),
        ({"parameters": {"paths": ["x"], "url_map": "/missing"}}, "has a wrong value for url_map"),
        ({"parameters": {"paths": 5}}, "has a wrong value for paths"),
        ({"parameters": {"paths": ["site/docs"]}}, "its PATHs lead to other folders now"),
    ],
)
def test_a_journal_of_something_else_is_refused(small_site, changed, message):
    header = {
        "linkfix-journal": 1,
        "command": "absolutize",
        "started": "",
        "roots": [str(small_site)],
        "parameters": {},
    }
    (small_site.parent / "j").write_bytes(encode_line(header | changed))
    before = snapshot(small_site)
    result = run("absolutize", "--resume", "j")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert snapshot(small_site) == before


def test_remains_of_another_process_damage_no_record(tmp_path):
    (tmp_path / "a.html").write_bytes(b"new")
    path = str(tmp_path / "j")
    create_journal(path, "absolutize", [str(tmp_path)], {})
    from linkfix.files.window import Window
    from linkfix.runs.journal import FileId

    with JournalWriter(path) as first, JournalWriter(path) as second:
        os.write(first._descriptor, b'{"file": "b.ht')
        second.record(FileId(0, "a.html"), Window(b"old"), Window(b"new"), 0)
        second.commit()
    with Journal(path) as journal:
        assert [one.file.name for one in journal.changes] == ["a.html"]
