"""docs/seeds.md answers every clause of the four texts that linkfix implements; see `support.seeds` for the rules."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest
from support.each import for_each
from support.paths import CHECKOUT
from support.seeds import DOCUMENTS, Seed, faults, paragraphs, places
from support.vectors import SEEDS, needs_seeds, table

PAGE = (CHECKOUT / "docs" / "seeds.md").read_text("utf-8")
KNOWN: dict[str, dict[str, int]] = {document: {} for document in DOCUMENTS}
for _document, _section, _paragraphs in table("seed-paragraphs", "document", "section", "paragraphs"):
    KNOWN[_document][_section] = _paragraphs


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_clause_has_a_row_and_every_row_a_test_or_a_reason(document):
    assert faults(PAGE, document, KNOWN[document]) == []


@needs_seeds
@for_each(DOCUMENTS)
def test_the_sections_have_the_number_of_paragraphs_in_the_table(document):
    assert {section: len(found) for section, found in paragraphs(document, SEEDS).items()} == KNOWN[document]


class TestFaults:
    """Faults that the page must not have are found: in a small page, and in the real one."""

    DOCUMENT = "RFC 1808"
    SECTIONS: ClassVar = {"2": 3, "2.1": 1}
    SMALL = """
| document | clauses | with a test |
|---|---|---|
| [RFC 1808](#rfc-1808) | 2 | 1 |

## RFC 1808

| clause | what it says | linkfix | held by |
|---|---|---|---|
| §2 ¶1–2 | a | b \\| c | `tests/test_seeds.py::TestFaults::test_the_small_page_has_none` |
| §2.1 | a | b | — advice to authors |

No behaviour: §2 ¶3.

## RFC 2396
"""

    def found(self, old, new):
        assert self.SMALL.count(old) == 1
        return faults(self.SMALL.replace(old, new), self.DOCUMENT, self.SECTIONS)

    def test_the_small_page_has_none(self):
        assert faults(self.SMALL, self.DOCUMENT, self.SECTIONS) == []

    @pytest.mark.parametrize(
        ("old", "new", "fault"),
        [
            ("| §2 ¶1–2 |", "| §2 ¶2 |", "2 ¶1: no row"),
            ("§2 ¶3.\n", "", "2 ¶3: no row"),
            ("§2 ¶3.", "§2 ¶2, 3.", "2 ¶2: a row, and no behaviour"),
            ("¶1–2", "¶1–2, ¶4", "no paragraph '§2 ¶1–2, ¶4'"),
            ("¶1–2", "¶2–1, ¶1", "no paragraph"),
            ("| §2 ¶1–2 |", "| §2 |", "no paragraph '§2'"),
            ("| §2.1 |", "| §3 ¶1 |", "no paragraph '§3 ¶1'"),
            ("| §2.1 |", "| two |", "no paragraph in 'two'"),
            ("test_the_small_page_has_none", "test_the_small_page", "no test tests/test_seeds.py::"),
            ("test_seeds.py::", "test_no_seeds.py::", "no test tests/test_no_seeds.py::"),
            ("TestFaults::", "", "no test tests/test_seeds.py::"),
            ("test_the_small_page_has_none", "found", "no test tests/test_seeds.py::"),
            ("none` |", "none` and more |", "neither tests nor"),
            ("none` |", "none`, TODO(layers) |", "neither tests nor"),
            ("— advice to authors", "TODO(layers)", "neither tests nor"),
            ("— advice to authors", "—", "neither tests nor"),
            ("| b \\| c |", "|  |", "not four cells"),
            ("| b \\| c |", "| b | c |", "not four cells"),
            ("| 2 | 1 |", "| 3 | 1 |", "there are 2 clauses, 1 with a test"),
            ("| 2 | 1 |", "| 2 | 2 |", "there are 2 clauses, 1 with a test"),
            ("| [RFC 1808](#rfc-1808) | 2 | 1 |\n", "", "there are 2 clauses, 1 with a test"),
            ("## RFC 1808", "## RFC 1738", "no part 'RFC 1808'"),
        ],
    )
    def test_a_fault_is_found(self, old, new, fault):
        assert fault in "; ".join(self.found(old, new))

    #: The faults of the page as it is.
    BEFORE: ClassVar = [faults(PAGE, document, KNOWN[document]) for document in DOCUMENTS]

    @for_each(re.findall(r"^\| (?:§|rule |text |examples ).*\n|^No behaviour: .*\n", PAGE, re.MULTILINE))
    def test_each_line_of_the_page_is_needed(self, line):
        page = PAGE.replace(line, "", 1)
        assert [faults(page, document, KNOWN[document]) for document in DOCUMENTS] != self.BEFORE


class TestPlaces:
    @pytest.mark.parametrize(
        ("citation", "expected"),
        [
            ("§2.1 ¶1", [("2.1", 1)]),
            ("§2.1 ¶1, ¶3–4", [("2.1", 1), ("2.1", 3), ("2.1", 4)]),
            ("§2.1 ¶1, 2", [("2.1", 1), ("2.1", 2)]),
            ("§2.1 step 6c ¶2, §C.1 ¶1", [("2.1", 2), ("C.1", 1)]),
            ("§C.1", [("C.1", 1)]),
            ("rule 3a, text ¶2", [("rule 3a", 1), ("text", 2)]),
        ],
    )
    def test_of_a_citation(self, citation, expected):
        assert places(citation, {"2.1": 4, "C.1": 1, "rule 3a": 1, "text": 2}) == expected


class TestSplitting:
    @pytest.fixture
    def split(self, tmp_path, monkeypatch):
        def run(document, text):
            (tmp_path / "text").write_text(text, encoding="utf-8")
            monkeypatch.setitem(DOCUMENTS, document, Seed("", "text", DOCUMENTS[document].scope))
            return paragraphs(document, tmp_path)

        return run

    def test_headings_begin_sections_and_only_sections_in_scope_are_read(self, split):
        text = "1. One\n\na\n\n# 2. Two\n\nb\n\n### 2.1. Three\n\nc\n\n- 6. Six\n\nd\n\n10. Appendix - Ten\n\ne\n"
        assert split("RFC 1808", text) == {"2": ["b"], "2.1": ["c"], "10": ["e"]}
        text = "Appendix G. Changes\n\nG.1. Additions\n\na\n\nIndex\n\n- b\n"
        assert split("RFC 2396", text) == {"G.1": ["a"]}

    def test_a_line_with_the_end_of_a_sentence_is_no_heading(self, split):
        text = "2. Two\n\n3. This is an item of a list.\n\n" + "4. This is a line that is too long " * 3
        assert list(split("RFC 1808", text)) == ["2"]

    def test_page_headers_are_removed(self, split):
        text = (
            "2. Two\na\n\nFielding\n\nRFC 1808\n\nRelative Uniform Resource Locators June 1995\n\nb\n\n[Page 5]\nc\nd\n"
        )
        assert split("RFC 1808", text) == {"2": ["a", "b", "c\nd"]}

    def test_items_and_fences(self, split):
        text = "2. Two\n\na\n- b\n  - c\nd\n1. e.\n 2. f.\n\ng\n```\nh\n\n- i\nRFC 1808\n```\nj\n"
        fence = "```\nh\n\n- i\nRFC 1808\n```"
        assert split("RFC 1808", text) == {"2": ["a", "- b", "  - c\nd", "1. e.", " 2. f.", "g", fence, "j"]}

    def test_fieldings_rules(self, split):
        blocks = ["2. not this", "APPENDIX B: Relative URLs", "a", "1. b", "2. c", "a) d", "b) e", "1) f", "2) g"]
        text = "\n\n".join([*blocks, "3. h", "Examples:", "i", "j\n"])
        assert split("Fielding 1994", text) == {
            "text": ["a"],
            "rule 1": ["1. b"],
            "rule 2": ["2. c"],
            "rule 2a": ["a) d"],
            "rule 2b": ["b) e"],
            "rule 2b1": ["1) f"],
            "rule 2b2": ["2) g"],
            "rule 3": ["3. h"],
            "examples": ["i", "j"],
        }

    def test_rfc_4395_has_a_page_a_line(self, split):
        head, foot = "RFC 4395 New URI Schemes February 2006 ", " Hansen, et al. Best Current Practice PAGE 1 top"
        pages = [
            "Table of Contents 1. One . . . 3 2. Two, Too . . . . 4 2.1. Three . . . 5 3. Four . . . 6",
            "1. One A. 2. Two, Too B c. D, as 2. Two says, e",
            "f: o g; o h. 1. I j. K (l.) M 2.1. Three N. 3. Four O.",
        ]
        text = "title\n\n" + "\n\n".join(f"{head}{page}{foot}" for page in pages) + "\n"
        assert split("RFC 4395", text) == {
            "2": ["B c.", "D, as 2. Two says, e f:", "o g;", "o h.", "1. I j.", "K (l.)", "M"],
            "2.1": ["N."],
            "3": ["O."],
        }
