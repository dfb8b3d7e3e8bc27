from __future__ import annotations

import pytest
from support.audit_trees import audited
from support.each import for_each

from linkfix.auditing import FindingLevel, Hint, file_finding, group_by_cause, with_fingerprints
from linkfix.auditing.rule import Issue
from linkfix.auditing.rules import rules

RULES = {rule.info.code: rule.info for rule in rules()}


def one(path="a.html", start=0, code="LF101", reference="x", **fields):
    made = file_finding(RULES[code], path, Issue("a message"))
    return made._replace(start=start, end=start + 1, reference=reference, **fields)


class TestFileFinding:
    @for_each(rules(), label=lambda rule: rule.info.name)
    def test_a_finding_has_the_facts_of_its_rule(self, rule):
        made = file_finding(rule.info, "a.html", Issue("why"))
        assert (made.code, made.name, made.level) == rule.info[:3]
        assert (made.path, made.message, made.cause, made.hint) == ("a.html", "why", "why", None)
        assert (made.line, made.column, made.end_line, made.end_column, made.start, made.end) == (1, 1, 1, 1, 0, 0)

    def test_may_have_a_cause_and_a_hint(self):
        made = file_finding(RULES["LF101"], "", Issue("why", Hint("do"), "all of them"))
        assert (made.cause, made.hint) == ("all of them", Hint("do"))


class TestFingerprints:
    def test_are_sorted_by_path_place_and_code(self):
        findings = [one("b.html"), one("a.html", 9), one("a.html", 3, "LF107"), one("a.html", 3, "LF101")]
        assert [(made.path, made.start, made.code) for made in with_fingerprints(findings)] == [
            ("a.html", 3, "LF101"),
            ("a.html", 3, "LF107"),
            ("a.html", 9, "LF101"),
            ("b.html", 0, "LF101"),
        ]

    def test_leave_all_else_alone(self):
        assert with_fingerprints([one()])[0]._replace(fingerprint="") == one()

    @pytest.mark.parametrize(
        "fields",
        [
            {"start": 99},
            {"line": 7, "column": 3, "end_line": 7, "end_column": 9, "end": 200},
            {"message": "other words"},
            {"excerpt": "other"},
            {"hint": Hint("other")},
            {"level": FindingLevel.NOTE},
            {"target": "https://other/"},
        ],
        ids=min,
    )
    def test_stay_when_that_changes(self, fields):
        assert with_fingerprints([one()._replace(**fields)])[0].fingerprint == with_fingerprints([one()])[0].fingerprint

    @pytest.mark.parametrize(
        "fields",
        [{"code": "LF107"}, {"path": "b.html"}, {"reference": "y"}, {"element": "img"}, {"attribute": "src"}],
        ids=min,
    )
    def test_differ_when_that_does(self, fields):
        assert with_fingerprints([one()._replace(**fields)])[0].fingerprint != with_fingerprints([one()])[0].fingerprint

    def test_of_repeated_references_differ(self):
        made = with_fingerprints([one(start=start) for start in (5, 1, 3)])
        assert len({finding.fingerprint for finding in made}) == 3
        fewer = with_fingerprints([one(start=start) for start in (50, 70)])
        assert [finding.fingerprint for finding in fewer] == [finding.fingerprint for finding in made[:2]]

    def test_without_a_reference_are_by_cause(self):
        made = with_fingerprints([one(reference="", cause=cause, start=n) for n, cause in enumerate("ab")])
        again = with_fingerprints([one(reference="", cause="b")])
        assert made[0].fingerprint != made[1].fingerprint == again[0].fingerprint

    def test_of_any_text(self):
        made = with_fingerprints([one("\udcff.html", reference="\ud800\0\n")])
        assert len(made[0].fingerprint) == 32

    def test_in_an_audit_do_not_move_with_the_lines(self, tmp_path):
        page = "<title>x</title>\n<a href=no1></a><a href=no1></a><img src=no2>"
        before = audited(tmp_path, {"index.html": page}).findings
        after = audited(tmp_path, {"index.html": f"<p>new</p>\n\n\n{page}\n<a href=no3>"}).findings
        assert len({finding.fingerprint for finding in before}) == len(before) == 3
        assert [finding.fingerprint for finding in after[:3]] == [finding.fingerprint for finding in before]
        assert after[0].line == before[0].line + 3


class TestCauses:
    def test_have_one_code_and_one_cause(self):
        findings = [
            one(cause="x"),
            one(cause="y"),
            one("b.html", cause="x"),
            one(code="LF107", cause="x"),
            one(cause="x"),
        ]
        made = group_by_cause(findings)
        assert [(cause.code, cause.text, cause.findings, cause.pages) for cause in made] == [
            ("LF101", "x", (0, 2, 4), 2),
            ("LF101", "y", (1,), 1),
            ("LF107", "x", (3,), 1),
        ]
        assert [cause.name for cause in made] == [findings[cause.findings[0]].name for cause in made]

    def test_the_worst_come_first_then_the_most_then_by_code_and_text(self):
        note, warning, error = FindingLevel.NOTE, FindingLevel.WARNING, FindingLevel.ERROR
        findings = [
            one(cause="n", level=note),
            *[one(cause="few", level=warning)] * 2,
            *[one(cause="many", level=warning)] * 3,
            *[one(cause="alike", level=warning)] * 2,
            one(cause="e", level=error),
        ]
        made = group_by_cause(findings)
        assert [cause.text for cause in made] == ["e", "many", "alike", "few", "n"]
        assert [cause.level for cause in made] == [error, warning, warning, warning, note]

    def test_have_the_worst_level_of_their_findings(self):
        found = group_by_cause([one(cause="x", level=FindingLevel.NOTE), one(cause="x", level=FindingLevel.ERROR)])
        assert [cause.level for cause in found] == [FindingLevel.ERROR]

    def test_of_nothing(self):
        assert group_by_cause([]) == ()
        assert with_fingerprints([]) == []


def test_passwords_are_masked(tmp_path):
    page = "<a href='https://me:secret@site.example/no'>x</a>"
    found = audited(tmp_path, {"index.html": page}, select=("all",)).findings
    assert found
    assert not any("secret" in str(finding) for finding in found)


def test_templates_of_a_tree_are_one_cause(tmp_path):
    template = '<a href="{{ one }}">1</a> <a href="{{ two }}">2</a>'
    found = audited(
        tmp_path,
        {"a.html": template, "b/c.html": template, "d.html": '<a href="{{ three }}">3</a> <a href=a.html>a</a>'},
    )
    causes = [(one.text, len(one.findings)) for one in found.causes if one.code == "LF310"]
    assert sorted(causes) == [("templates that were not filled in", 2), ("{{ three }}", 1)]
