from __future__ import annotations

import os
import subprocess

import pytest
from support.audit_trees import audited
from support.systems import needs_pipes

from linkfix import InvalidOption
from linkfix.auditing import selection
from linkfix.auditing.selection import Changes, changes, narrow, with_renames


@pytest.fixture
def found(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<meta charset="utf-8"><a href="gone.html">1</a> <a href="a/no%20where/">2</a>'
    )
    (tmp_path / "a" / "b.html").write_text('<meta charset="utf-8"><a href="../gone.html">3</a> <a href="x">4</a>')
    return audited(tmp_path, base_url="https://h.example/s/", select=("LF101",))


@pytest.mark.parametrize(
    ("changed", "gone", "references"),
    [
        ([], [], []),
        (["a/b.html"], [], ["../gone.html", "x"]),
        (["other.html"], [], []),
        ([], ["gone.html"], ["../gone.html", "gone.html"]),
        ([], ["a/no where/index.html"], ["a/no%20where/"]),
        ([], ["a/x.html"], ["x"]),
        ([], ["b/x"], []),
    ],
)
def test_findings_that_a_change_can_cause(found, changed, gone, references):
    some = Changes(frozenset(changed), frozenset(gone))
    assert [one.reference for one in found.findings if some.affect(found, one)] == references


def test_a_target_elsewhere_is_no_file(found):
    some = Changes(frozenset(), frozenset({"gone.html"}))
    assert not some.affect(found, found.findings[0]._replace(target="https://h.example/gone.html"))
    assert not some.affect(found, found.findings[0]._replace(target=None))


def test_an_audit_with_some_of_its_findings(found):
    some = narrow(found, lambda finding: finding.reference.endswith("gone.html"))
    assert [finding.reference for finding in some.findings] == ["../gone.html", "gone.html"]
    [cause] = some.causes
    assert (cause.findings, cause.pages) == ((0, 1), 2)
    assert some.folders["a"].findings == {"error": 1}
    assert (some.folders["a"].pages, some.folders["a"].links) == (1, 2)
    assert some.hidden == {"unchanged": 2}
    assert found.hidden == {}
    assert found.folders["a"].findings == {"error": 2}


def test_a_checkout_of_another_user(monkeypatch):
    message = b"fatal: detected dubious ownership in repository at '/x'\n"
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 128, b"", message))
    with pytest.raises(InvalidOption, match=r"git refuses to read site, .* safe\.directory"):
        changes("site", "HEAD")


def test_a_git_that_does_not_end(found, tmp_path, monkeypatch):
    """A pipe in the place of a file of git holds it."""

    def wait(arguments, *, timeout, **_):
        raise subprocess.TimeoutExpired(arguments, timeout)

    monkeypatch.setattr(subprocess, "run", wait)
    (tmp_path / ".git").mkdir()
    assert with_renames(found, None) is found
    with pytest.raises(InvalidOption, match=r"git did not end in .* within 120 seconds: leave out --diff-base"):
        changes(str(tmp_path), "main")


@needs_pipes
def test_a_pipe_in_the_place_of_the_settings_of_git(found, tmp_path, monkeypatch):
    monkeypatch.setattr(selection, "_UNASKED", 0.2)
    for name in ("objects", "refs"):
        (tmp_path / ".git" / name).mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    os.mkfifo(tmp_path / ".git" / "config")
    assert with_renames(found, None) is found
