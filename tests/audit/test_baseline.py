from __future__ import annotations

import json

import pytest
from support.audit_trees import audited

from linkfix import InvalidOption
from linkfix.auditing import dump_baseline, file_finding, outdated_entries, read_baseline, with_fingerprints
from linkfix.auditing.findings import VERSION
from linkfix.auditing.rule import Issue
from linkfix.auditing.rules import unread_rule

NAMES = ["b.html", 'a/é\n".html', "a/\udce9.html", "b.html"]
FINDINGS = with_fingerprints(file_finding(unread_rule().info, name, Issue("unreadable")) for name in NAMES)


def test_a_written_baseline_can_be_read(tmp_path):
    (tmp_path / "b.json").write_bytes(dump_baseline(FINDINGS))
    entries = read_baseline(str(tmp_path / "b.json"))
    assert {entry.fingerprint for entry in entries} == {finding.fingerprint for finding in FINDINGS}
    assert {entry.path for entry in entries} == {finding.path for finding in FINDINGS}
    assert len({finding.fingerprint for finding in FINDINGS}) == len(NAMES)


def test_it_is_json_with_a_finding_a_line_in_order():
    data = dump_baseline(reversed(FINDINGS))
    assert data == dump_baseline(FINDINGS)
    assert data.count(b"\n") == len(NAMES) + 5
    document = json.loads(data)
    assert [row["path"] for row in document["findings"]] == sorted(NAMES)
    assert document["linkfix-baseline"] == VERSION


def test_nothing_found(tmp_path):
    (tmp_path / "b.json").write_bytes(dump_baseline([]))
    assert read_baseline(str(tmp_path / "b.json")) == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b'{"linkfix-baseline": "x"}',
        b'{"linkfix-baseline": 1}',
        b'{"linkfix-baseline": 1, "findings": [1]}',
        b'{"linkfix-baseline": 1, "findings": [{}]}',
        b"[" * 100_000,
    ],
)
def test_an_invalid_baseline_is_refused(tmp_path, data):
    (tmp_path / "b.json").write_bytes(data)
    with pytest.raises(InvalidOption, match=r"b\.json is not a baseline of linkfix"):
        read_baseline(str(tmp_path / "b.json"))


def test_a_newer_form(tmp_path):
    (tmp_path / "b.json").write_text('{"linkfix-baseline": 2, "found": []}')
    with pytest.raises(InvalidOption, match="version 2, but this linkfix reads version 1"):
        read_baseline(str(tmp_path / "b.json"))


FILES = {"a.html": "<a href=x.html><a href=y.html>", "b.html": "<a href=z.html>"}


class TestOutdated:
    def entries(self, tmp_path):
        (tmp_path / "known.json").write_bytes(dump_baseline(audited(tmp_path / "site", FILES).findings))
        return read_baseline(str(tmp_path / "known.json"))

    def outdated(self, tmp_path, entries, **options):
        known = {entry.fingerprint for entry in entries}
        return {
            entry.reference for entry in outdated_entries(entries, audited(tmp_path / "site", known=known, **options))
        }

    def test_nothing_while_all_is_there(self, tmp_path):
        assert self.outdated(tmp_path, self.entries(tmp_path)) == set()

    def test_a_reference_that_was_corrected(self, tmp_path):
        entries = self.entries(tmp_path)
        (tmp_path / "site/a.html").write_text("<a href=y.html><a href=b.html>")
        assert self.outdated(tmp_path, entries) == {"x.html"}

    def test_a_page_that_is_gone(self, tmp_path):
        entries = self.entries(tmp_path)
        (tmp_path / "site/b.html").unlink()
        assert self.outdated(tmp_path, entries) == {"z.html"}

    def test_entries_for_unchecked_files_are_not_outdated(self, tmp_path):
        entries = self.entries(tmp_path)
        (tmp_path / "site/a.html").write_text("")
        (tmp_path / "site/b.html").write_text("")
        assert self.outdated(tmp_path, entries, exclude=("a.html",)) == {"z.html"}
        assert self.outdated(tmp_path, entries, ignore=("LF101",)) == set()
        assert self.outdated(tmp_path, entries, max_size=0) == {"x.html", "y.html", "z.html"}  # empty, and read

    def test_kept_entries_are_written_unchanged(self, tmp_path):
        entries = self.entries(tmp_path)
        assert dump_baseline(entries) == (tmp_path / "known.json").read_bytes()
