from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix import Document
from linkfix.markdown import read_markdown
from linkfix.markdown.mdx import without_jsx


def references(text):
    document = Document(text.encode(), url="https://x.example/", media_type="text/mdx")
    return [link.reference for link in document.links]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a from '[a](no)'\n\n[b](c)", ["c"]),
        ("export const x = {\n  a: '[a](no)',\n\n  b: `[a](no)`,\n}\n\n[b](c)", ["c"]),
        ("a\nimport [b](c)", ["c"]),
        ("{/* [a](no) */} [b](c)", ["c"]),
        ("{a ? '}[a](no)' : {b: `[a](no)`}} [b](c)", ["c"]),
        ("`{ [a](no)` \\{ [b](c) `}`", ["c"]),
        ("```\n[a](no) {\n<B>\n```\n[b](c)", ["c"]),
        ("<Card href='no' f={() => <a href='no'>x</a>}>é [b](c)</Card>", ["c"]),
        ("<Tabs>\n  <Tab>\n\n    [b](c)\n\n       [d](e)\n\n  </Tab>\n</Tabs>\n\n[f](g)", ["c", "e", "g"]),
        ("é <a href='b' class={x}>[c](d)</a> <img src={no} alt='i'/> <img src='e'/>", ["b", "d", "e"]),
        ("<div>\n[b](c)\n</div>", ["c"]),
        ("<>[b](c)</>", ["c"]),
        ("1 < 2 and a <b [c](d)", ["d"]),
        ("[b](c) {", ["c"]),
        ("---\nimport: '[a](no)'\n---\nimport x from 'no'\n\n[b](c)", ["c"]),
    ],
)
def test_references(text, expected):
    assert references(text) == expected


def test_headings_of_docusaurus():
    text = "# A {name} {/* #own */}\n\n## B {#b}\n\n<Tab>\n  ## C\n</Tab>"
    headings = read_markdown(text, is_mdx=True).headings
    assert [(heading.text, heading.explicit_id) for heading in headings] == [("A", "own"), ("B", "b"), ("C", "")]


@given(st.text(st.sampled_from("{}<>/Aa=\"'`é\n -*[]()#\\importx "), max_size=60))
def test_every_byte_keeps_its_place(text):
    made, _ = without_jsx(text)
    assert len(made.encode()) == len(text.encode())
    assert [at for at, c in enumerate(made.encode()) if c == 10] == [
        at for at, c in enumerate(text.encode()) if c == 10
    ]


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece", ["{", "{a}", "<a ", "<A>", "`", "``a`", "{/*", "<a b='", "import {\n\n", "~~~\n", "é<B/>"]
)
def test_no_text_takes_more_than_its_length(piece):
    assert_linear(lambda size: lambda: without_jsx(piece * size), 2000)
