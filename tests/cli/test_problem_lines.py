"""Messages to people when one cause gives many problems."""

from __future__ import annotations

import json

import pytest
from support.running import run
from support.web_archives import http, record

from linkfix import PROBLEMS, Problem
from linkfix.cli.report import format_problem, problem_lines
from linkfix.runs import REPORTED

DEEP = 5000
#: Messages in messages, each with a line that is no header field; nested multiparts, all unclosed.
STRAY = b"From: a@example\nstray\nContent-Type: message/rfc822\n\n" * DEEP
OPEN = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(DEEP))
#: Problems' messages, and below: input -> the lines printed, and the number of problems.
LIMIT = f"{PROBLEMS['mime-limit']}: nested deeper than 100 [mime-limit]"
SKIPPED = f"{PROBLEMS['mime-header']}: a line that is not a header field is skipped"
UNCLOSED = f"{PROBLEMS['mime-boundary']}: no close-delimiter of b'b99'"
SAID = {
    STRAY: (
        [f"m.eml:2:1: {SKIPPED}, and 100 more like it, the last in line 402 [mime-header]", f"m.eml:401:1: {LIMIT}"],
        102,
    ),
    OPEN: ([f"m.eml:301:1: {LIMIT}", f"m.eml:15001:1: {UNCLOSED}, and 99 more like it [mime-boundary]"], 101),
}


def problem(code, detail, line=1, column=1, part=""):
    return Problem(code, f"{part}{PROBLEMS[code]}: {detail}", 0, line, column)


def lines(*problems):
    return [(line.removeprefix("f:"), count) for line, count in problem_lines("f", problems)]


def each(problems):
    return [(format_problem("f", one).removeprefix("f:"), 1) for one in problems]


class TestLines:
    def test_no_lines_without_problems(self):
        assert lines() == []

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_a_few_have_a_line_each(self, count):
        same = [problem("unresolvable", "http://[", line) for line in range(count)]
        assert lines(*same) == each(same)

    def test_repeated_messages_are_counted_to_the_last_line(self):
        same = [problem("unresolvable", "http://[", line, 7) for line in (3, 3, 90, 12)]
        text = f"3:7: {PROBLEMS['unresolvable']}: http://[, and 3 more like it, the last in line 90 [unresolvable]"
        assert lines(*same) == [(text, 4)]

    def test_repeated_places_are_counted(self):
        same = [problem("mime-boundary", number, 3) for number in range(1234)]
        assert lines(*same) == [(f"3:1: {PROBLEMS['mime-boundary']}: 0, and 1,233 more like it [mime-boundary]", 1234)]

    def test_other_references_codes_and_places_stay(self):
        different = [
            *(problem("unresolvable", f"http://[{number}", number) for number in range(9)),
            *(problem("no-base", f"http://[{number}", number) for number in range(9)),
        ]
        assert lines(*different) == each(different)

    def test_other_parts_stay(self):
        different = [problem("binary", "NUL", part=f"1.{number}: ") for number in range(9)]
        assert lines(*different) == each(different)
        same = [problem("binary", number, part="1.1: ") for number in range(9)]
        assert [count for _, count in lines(*same, *different[2:])] == [9, *[1] * 7]

    def test_order_is_that_of_the_first(self):
        few = [problem("no-base", "x", line) for line in (1, 5, 9)]
        many = [problem("unresolvable", "http://[", line) for line in range(2, 8)]
        found = lines(few[0], *many[:3], few[1], *many[3:], few[2])
        assert [line.split(":")[0] for line, _ in found] == ["1", "2", "5", "9"]
        assert sum(count for _, count in found) == 9

    def test_a_long_message_keeps_the_count(self):
        same = [problem("unresolvable", "x" * 100_000, line) for line in range(4)]
        ((line, _),) = lines(*same)
        assert len(line) < 2000
        assert line.endswith(", and 3 more like it, the last in line 3 [unresolvable]")

    def test_a_message_without_the_sentence(self):
        same = [Problem("too-large", "larger than 1 byte", 0, 1, 1)] * 4
        assert lines(*same) == [("1:1: larger than 1 byte, and 3 more like it [too-large]", 4)]


@pytest.mark.parametrize("mail", SAID, ids=["stray lines", "open multiparts"])
class TestCommands:
    @pytest.fixture
    def deep(self, tmp_path, monkeypatch, mail):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "m.eml").write_bytes(mail)
        return SAID[mail]

    @pytest.mark.parametrize(
        "arguments",
        [
            ("absolutize", "m.eml"),
            ("absolutize", "m.eml", "--dry-run"),
            ("links", "m.eml"),
            ("links", "m.eml", "--output", "t.csv"),
            ("unpack", "m.eml", "--output", "out"),
            ("base", "m.eml"),
        ],
        ids=" ".join,
    )
    def test_a_cause_has_one_line(self, deep, arguments):
        result = run(*arguments)
        said, count = deep
        assert result.exit_code == 0
        assert [line for line in result.stderr.splitlines() if line.startswith("m.eml:")] == said
        if arguments[0] not in {"base", "links"} or "--output" in arguments:
            assert f"{count} problems" in result.stderr

    def test_json_has_each(self, deep):
        _, count = deep
        result = run("absolutize", "m.eml", "--output", "out", "--format", "json")
        (file,) = json.loads(result.stdout)["files"]
        assert len(file["problems"]) == file["problem_count"] == count


def test_a_page_of_one_broken_menu(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.html").write_bytes(b"<a href='http://['>\n<a href='http://[2'>\n" * 9)
    said = run("absolutize", "p.html", "--url", "https://h/").stderr.splitlines()
    assert [line.partition(": ")[0] for line in said[:-1]] == ["p.html:1:10", "p.html:2:10"]
    assert said[-1].startswith("1 file, 18 links, 0 made absolute, 18 problems in ")
    listed = run("links", "p.html", "--url", "https://h/")
    assert (len(listed.stdout.splitlines()), listed.stderr) == (18, "")


def test_unpack_prints_problems_before_it_fails(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.eml").write_bytes(STRAY)
    (tmp_path / "out" / "manifest.csv").mkdir(parents=True)
    result = run("unpack", "m.eml", "--output", "out")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[:2] == SAID[STRAY][0]


def test_unpack_keeps_a_limited_number_of_problems_and_counts_the_others(tmp_path):
    page = record(http(b"<a href=x>", "Content-Encoding: compress"))
    (tmp_path / "many.warc").write_bytes(page * (REPORTED + 200))
    result = run("unpack", tmp_path / "many.warc", "--raw", "--output", tmp_path / "files")
    first, *others = result.stderr.splitlines()
    assert f", and {REPORTED - 1} more like it [part-encoding]" in first
    assert others[0].removeprefix(f"{tmp_path}/") == "many.warc: and 200 problems more"
    assert others[-1] == f"Error: {tmp_path}/many.warc: nothing in it can be read"
