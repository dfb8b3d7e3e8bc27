from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.reports import lines_of, report
from support.running import run
from support.samples import AUDITS, HOSTILE, MADE_UP, assemble, finding, many

from linkfix import Layer
from linkfix.auditing import AuditOptions, Coverage, FindingLevel, Hint, RuleInfo, audit
from linkfix.display import visible

PLACE = re.compile(r"^(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?P<level>error|warning|note) (?P<code>LF\d+) ")


def places(text):
    return [match for line in lines_of(text) if (match := PLACE.match(line))]


def test_the_worst_and_biggest_come_first():
    text = report("text", AUDITS["ordinary"])
    parts = ("8 references", "index.html:10:", "über uns", "2 references", "2 notes LF201")
    found = [text.index(part) for part in parts]
    assert found == sorted(found)
    assert {match["path"] for match in places(text)} >= {"site/guide/01.html", "site/über uns/naïve.html"}


@pytest.mark.parametrize(("size", "shown", "more"), [(2, 2, None), (6, 6, None), (7, 5, "    and 2 more in 2 files")])
def test_long_groups_are_cut(size, shown, more):
    text = report("text", assemble(*(finding("LF101", f"{n}.html", cause="x") for n in range(size))))
    assert len(places(text)) == shown
    assert [line for line in lines_of(text) if "more in" in line] == ([more] if more else [])


def test_a_single_finding_has_no_heading():
    lines = lines_of(report("text", assemble(finding("LF102", "a.html", 3, 4, "#x"))))
    assert lines[:2] == ["site/a.html:3:4: warning LF102 no element has this ID: #x", ""]


def test_the_first_line_has_the_totals_of_several_findings():
    singles = [finding("LF101", "a.html", cause="x"), finding("LF102", "b.html", cause="y")]
    assert lines_of(report("text", assemble(*singles)))[0] == "1 error, 1 warning (2 causes), the largest first."
    group = [finding("LF101", f"{n}.html", cause="x") for n in range(3)]
    first = lines_of(report("text", assemble(*group)))[0]
    assert first == "3 errors (1 cause), the largest first; one fix often solves a whole group."


def test_the_next_steps_come_before_the_last_line():
    explain = (
        "--explain LF101 explains a code; to hide findings: "
        "--ignore-target, <!-- linkfix-ignore LF101 -->, --write-baseline"
    )
    guess = finding("LF101", "a.html", cause="x", hint=Hint("did you mean b?", "b"))
    lines = lines_of(report("text", assemble(guess)))
    assert lines[-2] == explain
    assert "--fix" not in "".join(lines)
    sure = finding("LF101", "b.html", cause="y", hint=Hint("write b", "b", certain=True))
    lines = lines_of(report("text", assemble(guess, sure)))
    fix = "1 reference has a certain correction (fix): --fix writes it, --fix --diff shows it; a hint is only a guess"
    assert lines[-3:-1] == [fix, explain]
    assert "--explain" not in report("text", AUDITS["clean"])


def test_a_long_url_of_the_site_is_cut():
    audit = replace(assemble(), base_url=f"https://h.example/{'x' * 10**6}/", base_layer=Layer.DEFAULT)
    assert len(report("text", audit)) < 2000


def test_all_different_hints_are_printed():
    hints = [Hint("use a"), Hint("use a"), Hint("use b"), None, Hint("use b")]
    audit = assemble(*(finding("LF101", f"{n}.html", cause="x", hint=hint) for n, hint in enumerate(hints)))
    said = [line.strip() for line in lines_of(report("text", audit)) if "hint:" in line]
    assert said == ["hint: use a", "hint: use b", "hint: use b"]


def test_many_unread_pages_are_counted():
    unread = {f"{n}.html": "why" for n in range(1, 9)}
    text = report("text", assemble(coverage=Coverage(files=9, pages=1, links=1, checked=1, unread=unread)))
    assert text.count("unread: ") == 5
    assert "    and 3 files more unread\n" in text


@pytest.mark.parametrize(
    ("environment", "is_terminal", "coloured"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colours(environment, is_terminal, coloured, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    text = report("text", AUDITS["ordinary"], is_terminal=is_terminal)
    assert ("\x1b[" in text) == coloured


@pytest.mark.parametrize(("value", "coloured"), [("always", True), ("never", False), ("auto", True)])
def test_the_option_decides_before_the_environment(value, coloured, monkeypatch, tmp_path):
    (tmp_path / "a.html").write_text("<a href=x>")
    monkeypatch.setenv("NO_COLOR" if value == "always" else "FORCE_COLOR", "1")
    assert ("\x1b[" in run("audit", tmp_path, "--color", value).stdout) == coloured


@pytest.mark.parametrize("name", AUDITS)
def test_colours_change_no_text(name):
    coloured = report("text", AUDITS[name], is_terminal=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == report("text", AUDITS[name])


def test_hostile_text_stays_on_its_line():
    text = report("text", AUDITS["hostile"])
    shown = [one for one in AUDITS["hostile"].findings if one.level != "note"]
    assert len(places(text)) == len(shown)
    for one in shown:
        assert f" {one.level} {one.code} {visible(one.message)}: {visible(one.reference)} -> " in text
    assert any(visible(text) != text for text in HOSTILE)


def test_a_large_report_is_short_and_counts_omitted_findings():
    pairs = [
        finding("LF101", f"{n}.html", line, message=f"no {n}", cause=f"{n}") for n in range(500) for line in (1, 2)
    ]
    singles = [finding("LF102", f"{n}.html", 3, message=f"not {n}", cause=f"{n}") for n in range(300)]
    audit = assemble(*pairs, *singles)
    lines = lines_of(report("text", audit))
    assert len(lines) < 200
    assert "Some places are not shown: --full prints all places." in lines
    [rest] = [line for line in lines if line.startswith("and ")]
    named = sum(line.startswith("2 findings in 1 file: ") for line in lines)
    assert rest == (
        f"and {800 - named} smaller groups with {1300 - 2 * named:,} findings: "
        f"{500 - named} of LF101 missing-target, 300 of LF102 missing-fragment"
    )


def test_a_full_report_has_every_place():
    audit = many(2_000)
    text = report("text", audit, full=True)
    told = {(match["path"], int(match["line"])) for match in places(text)}
    assert told == {(f"site/{one.path}", one.line) for one in audit.findings}
    assert "--full" not in text


def test_selected_notes_are_printed_one_by_one():
    notes = [finding("LF201", f"{n}.html", reference="x", cause=f"{n}") for n in range(23)]
    lines = lines_of(report("text", assemble(*notes, selected={"LF201"})))
    assert sum(" note LF201 " in line for line in lines) == 23
    lines = lines_of(report("text", assemble(*notes)))
    assert next(line for line in lines if "LF201" in line).startswith("23 notes LF201 template-syntax: ")
    many_notes = [finding("LF201", f"{n}.html", reference="x", cause=f"{n}") for n in range(2_580)]
    lines = lines_of(report("text", assemble(*many_notes, selected={"LF201"})))
    assert len(lines) < 200
    assert any(re.fullmatch(r"    and 2,\d{3} more in 2,\d{3} files", line) for line in lines)


def test_an_empty_target_is_the_root():
    one = finding("LF101", "a.html", reference="..", target=MADE_UP)
    assert " -> /" in report("text", assemble(one, base_url=MADE_UP, base_layer=Layer.NONE))


def test_merged_causes_are_counted_as_the_groups_that_are_printed():
    causes = [finding("LF101", "a.html", line, cause=f"api/{line}.json") for line in range(1, 4)]
    notes = [finding("LF201", "a.html", 9, cause=text, level=FindingLevel.NOTE) for text in ("x", "y")]
    rules = (RuleInfo("LF101", "missing-target", FindingLevel.ERROR, "Summary.", "Help.\n", cause_kind="file"),)
    lines = lines_of(report("text", assemble(*causes, *notes, rules=rules)))
    assert lines[0].startswith("3 errors, 2 notes (2 groups), the largest first")
    assert "3 errors, 2 notes (2 groups in 1 file); " in lines[-1]


def test_the_fixes_of_notes_are_shown(tmp_path):
    headings = "".join(f"## Part{number}\n" for number in range(7))
    links = "".join(f"[x](#PART{number})\n" for number in range(7))
    (tmp_path / "a.md").write_text(headings + links)
    lines = lines_of(report("text", audit(str(tmp_path), AuditOptions())))
    first = next(number for number, line in enumerate(lines) if line.startswith("7 notes LF102"))
    assert [line.split("#")[-1] for line in lines[first + 1 : first + 7]] == [
        *(f"part{number}?" for number in range(5)),
        "    and 2 more fixes",
    ]
