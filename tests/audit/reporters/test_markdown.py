from __future__ import annotations

import re

import pytest
from lxml import html
from markdown_it import MarkdownIt
from support.reports import report
from support.samples import AUDITS, HOSTILE, assemble, finding, many

from linkfix.auditing import Coverage
from linkfix.auditing.reporters.markdown import LIMIT
from linkfix.display import clip


def rendered(audit):
    """The report as a reader of CommonMark with GFM's tables sees it, HTML let through."""
    text = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .enable("strikethrough")
        .render(report("markdown", audit))
    )
    return html.fromstring(f"<div>{text}</div>")


def code_of(tree):
    return ["".join(element.itertext()) for element in tree.iter("code")]


def test_totals_and_causes():
    tree = rendered(AUDITS["ordinary"])
    sums, causes = tree.iter("table")
    assert [cell.text for cell in sums.iter("td")] == ["11", "2", "2", "7", "12", "0", "130", "117"]
    rows = [["".join(cell.itertext()) for cell in row] for row in causes.find("tbody")]
    assert len(rows) == 7
    assert rows[0] == ["error", "LF101 missing-target", "no such file in the tree: img/logo.png", "8", "8"]
    unread, *places = tree.iter("details")
    assert unread.find("summary").text_content() == "2 files unread"
    assert len(places) == 7
    assert places[0].find("ul/li").text_content() == (
        "site/guide/01.html:3:12 no such file in the tree: ../img/logo.png (fix: did you mean ../img/Logo.png?)"
    )


def test_long_lists_are_cut():
    findings = [finding("LF101", f"{n:02}.html", cause="same") for n in range(25)]
    unread = {f"{n}.html": "why" for n in range(25)}
    singles = [finding("LF102", f"{n:02}.html", cause=str(n), message=f"not {n}") for n in range(25)]
    coverage = Coverage(files=50, pages=25, links=25, checked=25, unread=unread)
    tree = rendered(assemble(*findings, *singles, coverage=coverage))
    unread, cause, *others = tree.iter("details")
    assert len(list(unread.iter("li"))) == len(list(cause.iter("li"))) == 20
    assert unread.findtext("p") == cause.findtext("p") == "and 5 more"
    assert len(others) == 25
    assert len(list(tree.iter("table"))[1].find("tbody")) == 20
    assert "and 6 causes more below" in tree.text_content()


def test_checking_nothing_is_a_warning():
    text = report("markdown", AUDITS["nothing"])
    assert "> [!CAUTION]\n> **NOTHING WAS CHECKED" in text
    assert "[!CAUTION]" not in report("markdown", AUDITS["clean"])


def test_hostile_text_is_but_text():
    tree = rendered(AUDITS["hostile"])
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    assert {element.tag for element in elements} == {
        *("div", "h2", "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"),
        *("code", "ul", "li", "details", "summary"),
    }
    assert {name for element in elements for name in element.keys()} == {"style"}  # noqa: SIM118 - a tree's element
    seen = set(code_of(tree))
    for text in HOSTILE:
        assert clip(text) in seen
    assert {len(row) for row in list(tree.iter("table"))[1].iter("tr")} == {5}
    assert len(list(tree.iter("details"))) == len(HOSTILE) + 1


def test_github_finds_no_mention_link_emoji_or_formula():
    tree = rendered(AUDITS["hostile"])
    prose, code = (tree.xpath(f"//text()[{which}]") for which in ("not(ancestor::code)", "ancestor::code"))
    assert len(prose) > 100 < len(code)
    assert not [run for run in prose if re.search(r"@\w|#\d|:\w+:|://\w|\$.", run)]
    assert not [run for run in code if re.search(r"@\w|\$.", run)]
    raw = report("markdown", AUDITS["hostile"])
    assert not re.search(r"www\.|://|@", raw)


@pytest.mark.growth
@pytest.mark.parametrize("size", [10, 400, 5_000])
def test_reports_are_under_githubs_limit(size):
    findings = (finding("LF101", f"{n}.html", reference=f"é&{n}" * 200, message=f"{n}") for n in range(size))
    audit = assemble(*findings)
    text = report("markdown", audit)
    cut = "The report is truncated here" in text
    assert cut == (size == 5_000)
    assert len(text.encode()) <= 1024 * 1024
    assert text.count("<details>") == text.count("</details>")
    if cut:
        assert len(text.encode()) > LIMIT - 10_000
        assert text.endswith("Other formats are complete.\n")


@pytest.mark.growth
def test_a_large_audit_is_cut_between_causes():
    text = report("markdown", many(10_000))
    assert text.count("<details>") == text.count("</details>") > 100
