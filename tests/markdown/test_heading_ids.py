from __future__ import annotations

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each
from support.growth import assert_linear
from support.vectors import table

from linkfix.markdown import read_markdown
from linkfix.markdown.heading_ids import Heading, heading_ids


def headings_of(text):
    return read_markdown(text).headings


def ids_of(text, scheme, used=()):
    return heading_ids(headings_of(text), scheme, used)


def plain(text):
    return Heading(text, text, text)


def of_python_markdown(text):
    """The IDs that Python-Markdown gives."""
    converter = markdown.Markdown(extensions=["toc", "attr_list", "tables", "fenced_code", "admonition", "md_in_html"])
    converter.convert(text)

    def ids(tokens):
        for token in tokens:
            yield token["id"]
            yield from ids(token["children"])

    return set(ids(converter.toc_tokens))


BLOCKS = st.sampled_from(
    [
        *["# A b", "##B", "## C *d* `e`", "### [l](m) ![i](j)", "T\n===", "U\n---", "a\nb\n===", "text", "## x {#id}"],
        *["## y {: .c }", "<div>", "</div>", "<div markdown>", "<span>", "# closed #", "## tag <b>x</b> &amp; y"],
        *["```\n# a\n```", "- a\n\n    # in a list", "<!-- # c -->", "<br>\n# A b", "!!! note\n\n    ##N", "a\n# A b"],
    ]
)


def rows(scheme):
    return [(row["heading"], row["ID"]) for row in table("heading-ids") if row["scheme"] == scheme]


class TestGitHub:
    def test_the_published_table(self):
        headings = [plain(text) for text, _ in rows("github")]
        assert heading_ids(headings, "github") >= {expected for _, expected in rows("github")}

    @for_each(range(len(rows("github"))))
    def test_each_row_has_the_id_of_its_heading(self, number):
        texts = [plain(text) for text, _ in rows("github")]
        before, after = heading_ids(texts[:number], "github"), heading_ids(texts[: number + 1], "github")
        assert rows("github")[number][1] in after - before

    def test_attributes_are_text(self):
        assert ids_of("# Foo {#bar}", "github") == {"foo-bar"}

    def test_a_shortcode_is_a_picture_or_a_word(self):
        assert ids_of("# :tada: New", "github") == {"tada-new", "-new"}

    def test_markup_is_omitted(self):
        text = '# A `b.c()` [d](e.md) *f* ![g](h.png) <i>i</i> &amp; \\* [j](<k l> "m")'
        assert ids_of(text, "github") == {"a-bc-d-f--i---j"}


class TestMkDocs:
    @pytest.mark.parametrize(
        "text",
        [
            "# What's new?",
            "# A\n\n# A\n\n# A_1\n\n# A",
            "# `code.x()` *em* **strong** [link](x.md)",
            "# Größe & Maß – ½ ²",
            "# 你好",
            "# 你好\n\n# 再见",
            "# a  b - c -- d",
            "# Foo {#bar}\n\n# bar",
            "# bar\n\n# Foo {#bar}",
            "# Foo {: #bar .x }",
            "# Foo {.x}",
            "Setext one\n===\n\nSetext two\n---",
            "# ![alt](x.png) image",
            "# a <b>c</b> d",
            "## x ##",
            "# _a_ b_c",
            "# foo_3\n\n# foo_3\n\n# foo_3",
            "# C++ & C\\#",
            "# <https://example.com/a>",
            "# a&amp;b &copy;",
        ],
    )
    def test_the_real_program(self, text):
        assert ids_of(text, "mkdocs") == of_python_markdown(text)

    @given(st.lists(st.text(st.sampled_from("aB1 -_.é?你½"), min_size=1), min_size=1, max_size=6))
    def test_the_real_program_agrees_on_any_text(self, texts):
        lines = [f"# x{text}y" for text in texts]
        text = "\n\n".join(lines)
        if "__" in text or "_" in text:
            text = text.replace("_", "\\_")
        assert ids_of(text, "mkdocs") == of_python_markdown(text)

    @pytest.mark.parametrize(
        "text",
        [
            "##Install\n\n#B *c*\n\n####### d",
            "> ##B",
            "<div>\n\n# A\n\n</div>\n\n# B",
            "<div markdown>\n\n# A\n\n</div>",
            "<p>\n\n# A\n\n</p> text\n\n## B",
            "<br>\n# A",
            "<a name='x'></a>\n## A",
            "<div>\n# A\n</div>\n## B",
            "a\nb\n===\n\nC\n===",
            " # a\n\n# b",
            "```\n##a\n```\n\n<!-- # c -->\n\n    ##d",
            '!!! note "A"\n\n    ##B\n\n    ## C',
        ],
    )
    def test_headings_that_commonmark_reads_differently(self, text):
        assert ids_of(text, "mkdocs") == of_python_markdown(text)

    @given(st.lists(BLOCKS, min_size=1, max_size=6))
    def test_the_real_program_agrees_on_any_blocks(self, blocks):
        text = "\n\n".join(blocks)
        assert ids_of(text, "mkdocs") == of_python_markdown(text)

    def test_an_icon_leaves_nothing(self):
        assert ids_of("## :material-rocket: Launch", "mkdocs") == {"launch"}
        assert ids_of("## :tada: New", "mkdocs") == {"tada-new", "new"}
        assert "material-rocket-launch" in ids_of("## :material-rocket: Launch", "github")

    def test_ids_in_the_page_are_not_used_again(self):
        assert ids_of("# Foo", "mkdocs", ["foo"]) == {"foo_1"}


class TestPandoc:
    def test_the_recorded_table(self):
        text = "".join(f"# {heading}\n\n" for heading, _ in rows("pandoc"))
        assert ids_of(text, "pandoc") == {expected for _, expected in rows("pandoc")}

    @for_each(range(len(rows("pandoc"))))
    def test_each_row(self, number):
        lines = [f"# {heading}\n\n" for heading, _ in rows("pandoc")]
        before, after = ids_of("".join(lines[:number]), "pandoc"), ids_of("".join(lines[: number + 1]), "pandoc")
        assert rows("pandoc")[number][1] in after
        assert after - before <= {rows("pandoc")[number][1]}


def test_any_is_all_of_them():
    assert ids_of("# 3. Ünï_x {#own}", "any") == {"3-ünï_x-own", "own"}
    assert ids_of("# 3. Ünï_x", "any") == {"3-ünï_x", "3-uni_x", "ünï_x"}


@pytest.mark.growth
@pytest.mark.parametrize("scheme", ["github", "mkdocs", "pandoc"])
def test_headings_of_the_same_text_take_no_longer(scheme):
    def prepare(size):
        headings = [plain(one) for number in range(size) for one in ("a", f"a-{number}", f"a_{number}", "a_3")]
        return lambda: heading_ids(headings, scheme)

    assert_linear(prepare, 500)
