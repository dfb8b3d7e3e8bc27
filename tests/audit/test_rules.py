from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
from support.audit_example import BASE, PAGE, Example, archive, examples, make, results
from support.audit_trees import audited
from support.each import for_each

import linkfix.auditing.rules
from linkfix.auditing import AuditOptions, audit_captures
from linkfix.auditing.rule import FragmentRule, LinkRule, PageRule, SettingsRule, TreeRule
from linkfix.auditing.rules import rules, unread_rule
from linkfix.runs.captured_documents import captured_documents

FOLDER = Path(linkfix.auditing.rules.__file__).parent
FAMILIES = sorted(FOLDER.glob("[a-z]*.py"))
ENGINE = sorted(path for path in FOLDER.parent.rglob("*.py") if not path.is_relative_to(FOLDER))
EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.info.code}-{'fails' if example.fails else 'passes'}-{number}")
    for rule in rules()
    for number, example in enumerate(examples(rule.info.help))
]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_the_examples_of_its_documentation(rule, example, tmp_path):
    name = example.name
    if example.is_archived:
        name = BASE + name
        with captured_documents(str(archive(tmp_path, example.page)), "warc", 1 << 20, pytest.fail) as found_in_it:
            found = audit_captures(found_in_it, AuditOptions(select=(rule.info.code,)))
    else:
        given = {"external_results": results(tmp_path)} if example.has_results else {}
        tree = make(tmp_path, example.page, name)
        found = audited(tree, base_url=example.base_url, select=(rule.info.code,), **given)
    of_the_tree = ""
    here = [finding for finding in found.findings if finding.path in {name, of_the_tree}]
    assert bool(here) is example.fails
    assert {finding.code for finding in found.findings} <= {rule.info.code}


each_rule = for_each(rules(), label=lambda rule: rule.info.name)


class TestEveryRule:
    @each_rule
    def test_has_an_example_of_each_kind(self, rule):
        assert {example.fails for example in examples(rule.info.help)} == {True, False}

    @each_rule
    def test_has_one_kind(self, rule):
        assert type(rule) in {LinkRule, FragmentRule, PageRule, SettingsRule, TreeRule}

    @each_rule
    def test_is_a_function_of_its_name(self, rule):
        assert rule.check.__name__ == rule.info.name.replace("-", "_")
        assert inspect.getdoc(rule.check) == rule.info.help
        assert rule.check.__module__.startswith("linkfix.auditing.rules.")

    @each_rule
    def test_has_a_code_of_its_own(self, rule):
        assert re.fullmatch(r"LF\d{3}", rule.info.code)
        assert [other.info.name for other in rules() if other.info.code == rule.info.code] == [rule.info.name]

    @each_rule
    def test_begins_with_a_short_sentence(self, rule):
        assert rule.info.summary.endswith(".")
        assert len(rule.info.summary) <= 120

    @each_rule
    def test_names_other_rules_that_are_there(self, rule):
        names = {other.info.name for other in rules()}
        looks_like_a_name = re.findall(r"`([a-z]+(?:-[a-z]+)+)`", rule.info.help)
        assert set(looks_like_a_name) <= names | {"noscript"}


@for_each(FAMILIES)
def test_every_module_has_rules(path):
    assert any(rule.check.__module__ == f"linkfix.auditing.rules.{path.stem}" for rule in rules())


def test_a_name_is_one_rule():
    names = [rule.info.name for rule in rules()]
    assert len(set(names)) == len(names) == 67


def test_one_rule_reports_unreadable_files():
    assert [rule for rule in rules() if rule.reports_unread] == [unread_rule()]


def test_a_rule_can_supersede_the_findings_of_others():
    superseding = [rule.info.name for rule in rules() if rule.supersedes is not None]
    assert superseding == ["root-relative", "clean-urls"]


@for_each(ENGINE)
def test_the_engine_names_no_rule(path):
    text = path.read_text("utf-8")
    assert not re.search(r"LF\d{3}", text)
    strings = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    problems = {"no-base", "template-syntax", "unresolvable", "undecodable"}  # names of problems, too
    assert not strings & ({rule.info.name for rule in rules()} - problems)


@for_each(FAMILIES)
def test_a_family_does_not_import_other_families(path):
    names = {
        f"{node.module}.{name.name}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert not [name for name in names if name.startswith("linkfix.auditing.rules.")]


class TestExamples:
    def test_an_example_is_an_indented_block(self):
        text = inspect.cleandoc(
            """First.

            Words of it, and more.

            Fails::

                <a href="x">
                  x</a>

                <p>y</p>

            Passes::

                <a>z</a>
            """
        )
        assert examples(text) == [
            Example(True, '<a href="x">\n  x</a>\n\n<p>y</p>'),
            Example(False, "<a>z</a>"),
        ]

    def test_an_example_can_name_its_file_and_the_url_of_the_tree(self):
        text = "Passes, as index.html::\n\n    a\n\nFails, in a site at https://x.example/sub/::\n\n    b"
        assert examples(text) == [
            Example(fails=False, page="a", name="index.html"),
            Example(fails=True, page="b", base_url="https://x.example/sub/"),
        ]

    def test_no_example(self):
        assert examples("Only a sentence.\n\nFails: none.") == []

    def test_the_documented_tree_is_right(self, tmp_path):
        root = make(tmp_path, b"\xff")
        assert (root / PAGE).read_bytes() == b"\xff"
        assert (root / "docs/other.html").is_file()
        assert (root / "docs/linked.html").resolve().parent == (root / "docs").resolve()
        assert root.resolve() not in (root / "docs/outside.html").resolve().parents
        assert BASE.endswith("/")


def test_all_modules_of_rules_are_read():
    assert set(linkfix.auditing.rules._MODULES) == {path.stem for path in FAMILIES}


@for_each(FAMILIES)
def test_a_level_of_its_own_is_in_the_documentation(path):
    """A rule that can report another level than its own says so."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
            continue
        other = {
            attribute.attr.lower()
            for statement in node.body
            for attribute in ast.walk(statement)
            if isinstance(attribute, ast.Attribute) and isinstance(attribute.value, ast.Name)
            if attribute.value.id == "FindingLevel"
        }
        own = {rule.info.level.value for rule in rules() if rule.check.__name__ == node.name}
        for level in other - own:
            assert re.search(rf"\b(a|an) {level}\b", ast.get_docstring(node) or ""), (node.name, level)
