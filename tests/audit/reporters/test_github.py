from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from support.reports import lines_of, report
from support.samples import AUDITS, assemble, finding, many

from linkfix.auditing.reporters.common import message_with_reference
from linkfix.display import visible


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    message: str


def command(line):
    """The command in a line, as the runner reads it (actions/runner, `ActionCommand.TryParseV2`); None for log text."""
    line = line.strip()
    if not line.startswith("::"):
        assert "##[" not in line  # the older form, which is found anywhere in a line
        return None
    head, mark, message = line[2:].partition("::")
    assert mark
    name, _, listed = head.partition(" ")
    properties = dict(part.split("=", 1) for part in listed.split(",") if "=" in part)
    # Only %25, %0D, %0A, %3A and %2C are escapes; no other percent sign may occur.
    assert not re.search(r"%(?!25|0D|0A)", message)
    assert not any(re.search(r"%(?!25|0D|0A|3A|2C)", value) for value in properties.values())
    return Command(name, {key: unquote(value) for key, value in properties.items()}, unquote(message))


def commands(audit):
    *lines, last = lines_of(report("github", audit))
    assert command(last) is None
    assert last.startswith("linkfix audit: ")
    return [command(line) for line in lines], last


def test_the_first_of_every_cause_comes_first():
    found, _ = commands(AUDITS["ordinary"])
    assert [(one.name, one.properties["file"]) for one in found[:8]] == [
        ("error", "site/guide/01.html"),
        ("error", "site/index.html"),
        ("error", "site/index.html"),
        ("error", "site/über uns/naïve.html"),
        ("warning", "site/index.html"),
        ("notice", "site/index.html"),
        ("notice", "site/notes only.html"),
        ("error", "site/guide/02.html"),
    ]
    assert found[0] == Command(
        "error",
        {
            "file": "site/guide/01.html",
            "line": "3",
            "endLine": "3",
            "col": "12",
            "endColumn": "27",
            "title": "LF101 missing-target",
        },
        "no such file in the tree: ../img/logo.png\nfix: did you mean ../img/Logo.png?\n"
        "7 more references with the same cause",
    )
    assert len(found) == 15


def test_columns_of_multiline_places_and_places_of_whole_files_are_omitted():
    found, _ = commands(AUDITS["ordinary"])
    assert set(found[4].properties) == {"file", "line", "endLine", "title"}
    assert set(found[6].properties) == {"file", "title"}


@pytest.mark.parametrize(("size", "is_said"), [(10, False), (11, True)])
def test_the_last_line_counts_findings_that_github_does_not_show(size, is_said):
    _, last = commands(assemble(*(finding("LF101", f"{n}.html") for n in range(size))))
    assert f"{size} errors" in last
    assert ("GitHub shows 10 annotations" in last) == is_said


def test_every_finding_is_reported_once():
    audit = many(500)
    found, _ = commands(audit)
    assert sorted((one.properties["file"], int(one.properties["line"])) for one in found) == sorted(
        (f"site/{one.path}", one.line) for one in audit.findings
    )


def test_files_are_counted_from_the_checkout(tmp_path, monkeypatch):
    inner = tmp_path / "docs"
    inner.mkdir()
    monkeypatch.chdir(inner)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    ((one,), _) = commands(assemble(finding("LF101", "a.html"), root="."))
    assert one.properties["file"] == "docs/a.html"
    ((one,), _) = commands(assemble(finding("LF101", "a.html"), root="../../elsewhere"))
    assert one.properties["file"] == "../../elsewhere/a.html"


def test_checking_nothing_is_an_error():
    ((one,), _) = commands(AUDITS["nothing"])
    assert one.name == "error"
    assert one.message.startswith("NOTHING WAS CHECKED")


def test_hostile_text_is_no_command():
    audit = AUDITS["hostile"]
    found, _ = commands(audit)
    assert len(found) == len(audit.findings)
    told = {(one.properties["file"], one.message.split("\n")[0]) for one in found}
    assert told == {(visible(f"{audit.root}/{one.path}"), message_with_reference(one)) for one in audit.findings}
    assert {one.name for one in found} == {"error", "warning", "notice"}
    assert {key for one in found for key in one.properties} == {"file", "line", "endLine", "col", "endColumn", "title"}
