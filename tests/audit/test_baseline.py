from __future__ import annotations

import json

import pytest

from linkfix.audit.baseline import VERSION, dump, read
from linkfix.audit.findings import file_finding, with_fingerprints
from linkfix.audit.rule import Issue
from linkfix.audit.rules import unread_rule
from linkfix.errors import InvalidOption

NAMES = ["b.html", 'a/é\n".html', "a/\udce9.html", "b.html"]
FINDINGS = with_fingerprints(file_finding(unread_rule().info, name, Issue("unreadable")) for name in NAMES)


def test_what_was_written_is_read(tmp_path):
    (tmp_path / "b.json").write_bytes(dump(FINDINGS))
    assert read(str(tmp_path / "b.json")) == {finding.fingerprint for finding in FINDINGS}
    assert len({finding.fingerprint for finding in FINDINGS}) == len(NAMES)


def test_it_is_json_with_a_finding_a_line_in_order():
    data = dump(reversed(FINDINGS))
    assert data == dump(FINDINGS)
    assert data.count(b"\n") == len(NAMES) + 5
    document = json.loads(data)
    assert [row["path"] for row in document["findings"]] == sorted(NAMES)
    assert document["linkfix-baseline"] == VERSION


def test_nothing_found(tmp_path):
    (tmp_path / "b.json").write_bytes(dump([]))
    assert read(str(tmp_path / "b.json")) == frozenset()


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
def test_a_file_that_is_none(tmp_path, data):
    (tmp_path / "b.json").write_bytes(data)
    with pytest.raises(InvalidOption, match=r"b\.json is not a baseline of linkfix"):
        read(str(tmp_path / "b.json"))


def test_a_newer_form(tmp_path):
    (tmp_path / "b.json").write_text('{"linkfix-baseline": 2, "found": []}')
    with pytest.raises(InvalidOption, match="version 2, but this linkfix reads version 1"):
        read(str(tmp_path / "b.json"))
