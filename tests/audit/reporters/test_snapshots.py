"""Snapshots of the same audits in every format. tests/support/reports.py explains how to renew them."""

from __future__ import annotations

import pytest
from support.reports import check_snapshot, report
from support.samples import AUDITS

SUFFIXES = {
    "text": "txt",
    "json": "json",
    "jsonl": "jsonl",
    "sarif": "sarif",
    "junit": "xml",
    "github": "github",
    "csv": "csv",
    "markdown": "md",
}


@pytest.mark.parametrize("name", ["clean", "empty", "nothing", "ordinary", "unserved"])
@pytest.mark.parametrize("format_name", SUFFIXES)
def test_report(format_name, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = report(format_name, AUDITS[name]).replace(tmp_path.resolve().as_uri(), "file:///work")
    check_snapshot(f"{name}.{SUFFIXES[format_name]}", text)


def test_colours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_snapshot("ordinary.ansi", report("text", AUDITS["ordinary"], is_terminal=True))


def test_writing_snapshots_does_not_pass(tmp_path, monkeypatch):
    monkeypatch.setattr("support.reports.SNAPSHOTS", tmp_path)
    monkeypatch.setenv("LINKFIX_SNAPSHOTS", "write")
    with pytest.raises(pytest.fail.Exception, match="written, not compared"):
        check_snapshot("new.txt", "x\r\n")
    monkeypatch.delenv("LINKFIX_SNAPSHOTS")
    check_snapshot("new.txt", "x\r\n")
    with pytest.raises(AssertionError):
        check_snapshot("new.txt", "x\n")
