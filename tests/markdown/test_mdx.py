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
        ("a\n\n    [b](c)\n\n        [d](e)\n", ["c", "e"]),
        ("\t[b](c)\n\n\t\t[d](e)\n", ["c", "e"]),
        ("> \t\t[b](c)\n>     [d](e)\n", ["c", "e"]),
        ("- a\n\n        [b](c)\n\n-       [d](e)\n", ["c", "e"]),
        ("    > [b](c)\n\n    | a |\n    | - |\n    | [d](e) |\n", ["c", "e"]),
        ("    [a]: b\n\n[a]\n", ["b"]),
        ("    ```\n    [a](no)\n\n[a](no)\n    ```\n\n[b](c)", ["c"]),
        ("\t~~~ js\n\t[a](no)\n\n\t\t[a](no)\n\t~~~\n\n\t[b](c)", ["c"]),
        (">     ```\n>\n> [a](no)\n>     ```\n> [b](c)", ["c"]),
        ("    ```\r\n    [a](no)\r\n    ```\r\n\r\n    [b](c)\r\n", ["c"]),
        ("- a\n\n          ```\n          [a](no)\n          ```\n", []),
        ("---\nimport: '[a](no)'\n---\nimport x from 'no'\n\n[b](c)", ["c"]),
    ],
)
def test_references(text, expected):
    assert references(text) == expected


def test_headings_of_docusaurus():
    text = "# A {name} {/* #own */}\n\n## B {#b}\n\n<Tab>\n  ## C\n</Tab>"
    headings = read_markdown(text, is_mdx=True).headings
    assert [(heading.text, heading.explicit_id) for heading in headings] == [("A", "own"), ("B", "b"), ("C", "")]


def test_indented_headings_are_headings():
    headings = read_markdown("    # A\n\n<Tab>\n\n        ## B\n</Tab>\n\n    C\n    ===\n", is_mdx=True).headings
    assert [heading.text for heading in headings] == ["A", "B", "C"]


def test_indented_text_is_code_in_plain_markdown():
    assert read_markdown("a\n\n    [b](no)\n").places == []


@given(st.text(st.sampled_from(" \t\r\n>-*`~1.#[]()aé"), max_size=60))
def test_every_indented_byte_keeps_its_place(text):
    data = f"{text}\n\n    [b](c)\n".encode()
    places = read_markdown(data.decode(), is_mdx=True).places
    assert {data[place.start : place.end] for place in places if data[place.start - 3 : place.start] == b"b]("} <= {
        b"c"
    }


@given(st.text(st.sampled_from("{}<>/Aa=\"'`é\n -*[]()#\\importx "), max_size=60))
def test_every_byte_keeps_its_place(text):
    made = without_jsx(text).text
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


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        "    a\n\n",
        "\ta\n\n",
        "    ```\n",
        "    ```\na\n",
        "    ```x\n\na\n\n",
        "-       ",
        " " * 80 + "a\n\n",
        " ",
        "\t",
        "> \t\t\t",
        "\t```\n\n",
    ],
)
def test_no_indented_text_takes_more_than_its_length(piece):
    assert_linear(lambda size: lambda: read_markdown(piece * size, is_mdx=True), 500)


@pytest.mark.parametrize(
    ("text", "is_generated"),
    [
        ("# {name}", True),
        ("é\n\nThe {name} of\n==\n", True),
        ("# a {name} b\n\n## c", True),
        ("# a\n\n{name} b", False),
        ("# a {name} {#b}", False),
        ("# a {/* comment */}", False),
        ("# `{name}`", False),
    ],
)
def test_an_expression_in_a_heading_makes_its_id(text, is_generated):
    assert read_markdown(text, is_mdx=True).is_generated is is_generated
