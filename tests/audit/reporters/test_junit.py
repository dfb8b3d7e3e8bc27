from __future__ import annotations

import pytest
from lxml import etree
from support.reports import report
from support.samples import AUDITS, assemble, finding

from linkfix.auditing import Coverage


def suites(audit):
    return etree.fromstring(report("junit", audit).encode(), etree.XMLParser(resolve_entities=False))


@pytest.mark.parametrize("name", AUDITS)
def test_totals_equal_the_number_of_cases(name):
    root = suites(AUDITS[name])
    for element in (root, *root):
        for attribute, path in (
            ("tests", ".//testcase"),
            ("failures", ".//failure"),
            ("errors", ".//error"),
            ("skipped", ".//skipped"),
        ):
            assert int(element.get(attribute)) == len(element.findall(path))
    assert len(root.findall(".//testcase")) > 0


def test_a_suite_a_page():
    root = suites(AUDITS["ordinary"])
    names = [suite.get("name") for suite in root]
    assert names[:1] == ["guide/01.html"]
    assert names[-3:] == ["über uns/naïve.html", "other files", "unread files"]
    index = root.find("testsuite[@name='index.html']")
    assert [failure.get("type") for failure in index.iter("failure")] == ["error", "error", "warning", "warning"]
    assert index.find("testcase").get("name") == "LF101 missing-target at 10:5"
    assert index.find("testcase/failure").text.split("\n") == [
        "site/index.html:10:5: error LF101 no such file in the tree: a&b.html?x=1",
        '    <a href="a&b.html?x=1">',
        "    hint: a page of nearly that name is there (write a & b.html)",
    ]
    assert "note LF201 a placeholder was left unfilled: {{ url }}" in index.find("system-out").text
    notes = root.find("testsuite[@name='notes only.html']")
    assert (notes.get("tests"), notes.get("failures")) == ("1", "0")
    (rest,) = root.find("testsuite[@name='other files']")
    assert rest.get("name") == "1 file without findings"


def test_checking_nothing_is_an_error():
    for name in ("nothing", "empty"):
        assert suites(AUDITS[name]).get("errors") == "1"
    assert suites(AUDITS["clean"]).get("errors") == "0"


def test_pages_that_all_have_findings_have_no_rest():
    audit = assemble(finding("LF101", "a.html"), coverage=Coverage(files=1, pages=1, links=1, checked=1))
    assert [suite.get("name") for suite in suites(audit)] == ["a.html"]


def test_hostile_text_is_but_text():
    root = suites(AUDITS["hostile"])
    assert {element.tag for element in root.iter()} == {
        *("testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"),
    }
    assert {name for element in root.iter() for name in element.keys()} == {  # noqa: SIM118 - a tree's element
        *("name", "tests", "failures", "errors", "skipped", "time", "classname", "type", "message"),
    }
    text = "".join(root.itertext())
    for shown in (r"\x1b[31mred\x1b]0;title\x07", "]]><!--</failure><x>&amp;&#0;", r"\ud800 \udfff \xe9 \ufffe \uffff"):
        assert shown in text
