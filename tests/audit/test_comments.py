from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit_trees import audited
from support.each import for_each
from support.growth import processor_limit

from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rules import rules
from linkfix.auditing.selection import Exemption, Exemptions, exemptions

MARK = b"HERE"


def passes(text, code="LF101"):
    """Whether findings of a rule pass at each MARK of a text."""
    data = text.encode() if isinstance(text, str) else text
    found = exemptions(PageDocument(data))
    places = [place for place in range(len(data)) if data.startswith(MARK, place)]
    return [found.covers(place, code) for place in places]


class TestALine:
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("HERE\nHERE<!-- linkfix-ignore -->HERE\nHERE", [False, True, True, False]),
            ("HERE\n<!-- linkfix-ignore -->\nHERE\nHERE", [False, True, False]),
            ("HERE\n  HERE <!-- linkfix-ignore --> \t\nHERE\nHERE", [False, True, False, False]),
            ("<!-- linkfix-ignore -->\n\nHERE", [False]),
            ("<!-- linkfix-ignore -->HERE", [True]),
            ("HERE<!-- linkfix-ignore -->", [True]),
            ("HERE<!-- linkfix-ignore -->\nHERE", [True, False]),
            ("HERE<!-- linkfix-ignore\n-->HERE\nHERE", [True, True, False]),
            ("<!-- linkfix-ignore -->\nHERE<!-- linkfix-ignore -->\nHERE\nHERE", [True, False, False]),
        ],
    )
    def test_and_the_next_one(self, text, expected, end):
        assert passes(text.replace("\n", end)) == expected

    def test_minified(self):
        assert passes("HERE<!--linkfix-ignore-->" + "HERE" * 3) == [True] * 4


@pytest.mark.parametrize(
    "comment",
    [
        "<!--linkfix-ignore-->",
        "<!-- linkfix-ignore -->",
        "<!--\n\tlinkfix-ignore\n-->",
        "<!-- linkfix-ignore --->",
        "<style>/*linkfix-ignore*/</style>",
        "<script>/* linkfix-ignore */</script>",
        "<p style='/* linkfix-ignore */'>",
        "<!-- linkfix-ignore -- moved in 2020; see <b>#12</b> -->",
        "<!-- linkfix-ignore LF101 -- why - LF102 */ -->",
        "<script>/* linkfix-ignore LF101 -- why */</script>",
        "<!-- linkfix-ignore LF101 -->",
        "<!-- linkfix-ignore: LF101 -->",
        "<!-- linkfix-ignore LF101, mixed-content -->",
        "<!-- linkfix-ignore mixed-content,LF101-->",
        "<!-- linkfix-ignore lf1 -->",
        "<!-- linkfix-ignore missing-target -->",
        "<!-- linkfix-ignore all -->",
        "<!-- linkfix-ignore no-such-rule LF101 -->",
        "<!-- linkfix-ignore - LF101 -->",
    ],
)
def test_comment_hides_findings(comment):
    assert passes(f"{comment}HERE") == [True]


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "linkfix-ignore",
        "<!-- linkfix-ignore",
        "<!-- linkfix-ignored -->",
        "<!-- linkfix-ignore-next -->",
        "<!-- linkfix-ignore-ends -->",
        "<!-- LINKFIX-IGNORE -->",
        "<!-- no linkfix-ignore -->",
        "<!-- linkfix-ignore LF102 -->",
        "<!-- linkfix-ignore no-such-rule -->",
        "<!-- linkfix-ignore LF101; why -->",
        "<!-- linkfix-ignore LF101 -- why <!-- -->",
        "/* linkfix-ignore */",
        "<title><!-- linkfix-ignore --></title>",
        "<textarea><!-- linkfix-ignore --></textarea>",
        "<script><!-- linkfix-ignore --></script>",
        "<style><!-- linkfix-ignore --></style>",
        "<p title='<!-- linkfix-ignore -->'>",
        "<p title='/* linkfix-ignore */'>",
        "<code>/* linkfix-ignore-file */</code>",
        "<pre>&lt;!-- linkfix-ignore-file --></pre>",
        "<!-- linkfix-ignore-end -->",
        "// linkfix-ignore",
    ],
)
def test_comment_hides_no_findings(comment):
    assert passes(f"{comment}HERE") == [False]


class TestSpans:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("HERE<!-- linkfix-ignore-start -->HERE\nHERE<!-- linkfix-ignore-end -->HERE", [False, True, True, False]),
            ("HERE<!-- linkfix-ignore-start -->HERE\n\nHERE", [False, True, True]),
            ("<style>/* linkfix-ignore-start */HERE/* linkfix-ignore-end */HERE</style>", [True, False]),
            ("<!--linkfix-ignore-start--><!--linkfix-ignore-start LF102--><!--linkfix-ignore-end-->HERE", [True]),
            (
                "<!--linkfix-ignore-start-->HERE<!--linkfix-ignore-end-->HERE<!--linkfix-ignore-end-->HERE",
                [True, False, False],
            ),
            ("<!-- linkfix-ignore-start LF102 -->HERE<!-- linkfix-ignore-end LF101 -->HERE", [False, False]),
            ("<!-- linkfix-ignore-start LF101 -->HERE<!-- linkfix-ignore-end -->HERE", [True, False]),
            ("HERE\n<!-- linkfix-ignore-file -->\nHERE", [True, True]),
            ("HERE<!-- linkfix-ignore-file LF102 LF101 -->", [True]),
            ("HERE<!-- linkfix-ignore-file LF102 -->", [False]),
        ],
    )
    def test_examples(self, text, expected):
        assert passes(text) == expected

    def test_a_finding_at_the_end_of_the_page(self):
        for comment in ("linkfix-ignore", "linkfix-ignore-file", "linkfix-ignore-start"):
            data = f"<!-- {comment} -->".encode()
            assert exemptions(PageDocument(data)).covers(len(data), "LF101")


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.sampled_from([None, "A", "B", "AB"]))))
def test_many_are_as_each_by_itself(spans):
    found = [
        Exemption(start, start + size, None if codes is None else frozenset(codes)) for start, size, codes in spans
    ]
    together = Exemptions(found)
    for place in range(45):
        for code in "ABC":
            assert together.covers(place, code) is any(
                one.start <= place < one.end and (one.codes is None or code in one.codes) for one in found
            )


@pytest.mark.growth
@pytest.mark.parametrize(
    "data",
    [
        b"<!-- linkfix-ignore" + b" " * 300_000,
        b"<!-- linkfix-ignore " * 50_000,
        b"<!--" + b" " * 300_000 + b"linkfix-ignore",
        b"<!-- linkfix-ignore " + b"LF101-, " * 40_000,
        b"<!-- linkfix-ignore -->x" * 40_000,
        b"<!-- linkfix-ignore-start -->" * 40_000,
        b"<!-- linkfix-ignore -->\n" * 40_000,
        (b"<!-- linkfix-ignore -->" + b" " * 1000) * 1000,
        b"<!-- linkfix-ignore -- x " * 40_000,
        b"/* linkfix-ignore -- x " * 40_000,
        b"<!-- linkfix-ignore --><p style='/*'>" * 20_000,
    ],
    ids=[
        "unclosed",
        "unclosed ones",
        "white space",
        "words",
        "one line",
        "starts",
        "lines",
        "blanks",
        "reasons",
        "CSS",
        "attributes",
    ],
)
def test_time_is_linear(data):
    with processor_limit(5):
        found = exemptions(PageDocument(data))
        for place in range(0, len(data), 10):
            found.covers(place, "LF102")


@for_each(rules(), label=lambda rule: rule.info.name)
def test_every_rule_can_be_named(rule):
    for word in (rule.info.code, rule.info.name, rule.info.code.lower()):
        assert passes(f"<!-- linkfix-ignore {word} -->HERE", rule.info.code) == [True]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_in_an_audit(tmp_path, encoding):
    text = (
        '<!DOCTYPE html><title>ü</title>\n<a href=no1></a>\n<a href=no2></a><!-- linkfix-ignore --><a href="no3"></a>\n'
    )
    page = f"{text}<a href=#no4></a><!-- linkfix-ignore missing-fragment -->".encode(encoding)
    found = audited(tmp_path, {"index.html": page}, select=("LF1",))
    assert [one.reference for one in found.findings] == ["no1"]
    assert found.hidden == {"comment": 3}


def test_in_a_style_sheet(tmp_path):
    sheet = "a { background: url(no1) }\nb { background: url(no2) } /* linkfix-ignore */"
    found = audited(tmp_path, {"index.html": "", "a.css": sheet}, select=("missing-target",))
    assert [one.reference for one in found.findings] == ["no1"]


CODE = [
    "```html\n<!-- linkfix-ignore-file -->\n```",
    "> ```\n> <!-- linkfix-ignore-file -->\n> ```",
    "~~~\n<!-- linkfix-ignore-start -->\n~~~",
    "Write `<!-- linkfix-ignore-start -->` before it.",
    "Write `` `<!-- linkfix-ignore-file -->` `` there.",
    "Write \\<!-- linkfix-ignore-file --> there.",
    "Write `/* linkfix-ignore-file */` or /* linkfix-ignore-file */ there.",
]


#: MDX has no indented code.
INDENTED = "text\n\n    <!-- linkfix-ignore-file -->"


@pytest.mark.parametrize(
    ("suffix", "text"), [*((suffix, text) for suffix in ("md", "mdx") for text in CODE), ("md", INDENTED)]
)
def test_code_in_markdown_hides_nothing(tmp_path, text, suffix):
    found = audited(tmp_path, {f"a.{suffix}": f"# A\n\n{text}\n\n[a](gone)\n"}, select=("LF101", "LF903"))
    assert [one.code for one in found.findings] == ["LF101"]
    assert found.hidden == {}


@pytest.mark.parametrize(
    "text",
    [
        "<!-- linkfix-ignore-file -->",
        "text <!-- linkfix-ignore-file --> text",
        "> - <!-- linkfix-ignore-file\n>   -->",
        "| a |\n|---|\n| <!-- linkfix-ignore-file --> |",
        "# A <!-- linkfix-ignore-file -->",
        "!!! note\n\n    <!-- linkfix-ignore-file -->",
        "<style>\n/* linkfix-ignore-file */\n</style>",
        "ü ` <!-- linkfix-ignore-file -->",
    ],
)
def test_comments_in_raw_html_of_markdown_hide_findings(tmp_path, text):
    found = audited(tmp_path, {"a.md": f"# A\n\n{text}\n\n[a](gone)\n"}, select=("LF101", "LF903"))
    assert found.findings == ()
    assert found.hidden == {"comment": 1}


def test_comments_of_mdx_hide_findings(tmp_path):
    found = audited(tmp_path, {"a.mdx": "{/* linkfix-ignore-file -- ü */}\n\n[a](gone)\n"}, select=("LF101",))
    assert found.hidden == {"comment": 1}


def test_a_misspelt_rule_and_a_missing_end_are_findings(tmp_path):
    page = "<!-- linkfix-ignore mising-target --><a href=no1></a>\n<!-- linkfix-ignore-start --><a href=no2></a>"
    found = audited(tmp_path, {"index.html": page})
    assert [(one.code, one.line) for one in found.findings] == [("LF903", 1), ("LF101", 1), ("LF903", 2)]


def test_a_file_can_hide_the_finding_about_its_comments(tmp_path):
    page = "<!-- linkfix-ignore-file mistaken-comment -->\n<!-- linkfix-ignore LF999 -->"
    assert audited(tmp_path, {"index.html": page}).findings == ()
