from __future__ import annotations

import html
import json
import random
import re
import shutil
import subprocess

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each
from support.growth import assert_linear
from support.paths import CHECKOUT
from support.vectors import table

from linkfix.markdown import read_markdown
from linkfix.markdown.heading_ids import Heading, heading_ids


def headings_of(text):
    return read_markdown(text).headings


def ids_of(text, scheme, used=()):
    return heading_ids(headings_of(text), scheme, used).ids


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


NODE = shutil.which("node")

#: A script for node that prints the IDs of the texts in its input.
SLUGGER = """
import(require.resolve("github-slugger")).then(({default: Slugger}) => {
    const slugger = new Slugger()
    const texts = JSON.parse(require("fs").readFileSync(0, "utf8"))
    console.log(JSON.stringify(texts.map(text => slugger.slug(text))))
})
"""


def of_slugger(texts):
    """The IDs that github-slugger gives."""
    made = subprocess.run(
        [NODE, "-e", SLUGGER], input=json.dumps(texts).encode(), capture_output=True, check=True, timeout=60
    )
    return json.loads(made.stdout)


def has_slugger():
    if NODE is None:
        return False
    command = [NODE, "-e", "require.resolve('github-slugger')"]
    return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0


needs_slugger = pytest.mark.skipif(
    "not has_slugger()", reason="no node with github-slugger: npm install github-slugger, and set NODE_PATH"
)
needs_pandoc = pytest.mark.skipif(shutil.which("pandoc") is None, reason="no Pandoc: apt-get install pandoc")


def real_headings():
    """The texts of the headings in this project's documents, without markup that programs read differently."""
    texts = [path.read_text("utf-8") for path in sorted(CHECKOUT.glob("**/*.md"))]
    found = [line for text in texts for line in re.findall(r"(?m)^#{1,4} +(.+?)[ #]*$", text)]
    return [one for one in found if not re.search(r"[{}\[\]<>_*`\"'\\$@:^~]", one)]


def random_headings(letters, number):
    chosen = random.Random(34)  # noqa: S311 - the same headings every time
    return [f"x{''.join(chosen.choices(letters, k=chosen.randint(1, 14)))}y" for _ in range(number)]


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
        assert heading_ids(headings, "github").ids >= {expected for _, expected in rows("github")}

    @for_each(range(len(rows("github"))))
    def test_each_row_has_the_id_of_its_heading(self, number):
        texts = [plain(text) for text, _ in rows("github")]
        before, after = (heading_ids(texts[:end], "github").ids for end in (number, number + 1))
        assert rows("github")[number][1] in after - before

    def test_attributes_are_text(self):
        assert ids_of("# Foo {#bar}", "github") == {"foo-bar"}

    def test_a_shortcode_is_a_picture_or_a_word(self):
        assert ids_of("# :tada: New", "github") == {"tada-new", "-new"}

    def test_markup_is_omitted(self):
        text = '# A `b.c()` [d](e.md) *f* ![g](h.png) <i>i</i> &amp; \\* [j](<k l> "m")'
        assert ids_of(text, "github") == {"a-bc-d-f--i---j"}

    @pytest.mark.parametrize("letter", ["\u24b6", "\u24e9", "\U0001f130", "\U0001f189"])
    def test_letters_in_frames_are_letters(self, letter):
        assert heading_ids([plain(f"a{letter}b")], "github").ids == {f"a{letter.lower()}b"}

    def test_a_heading_of_several_lines_has_nothing_for_the_line_break(self):
        assert heading_ids([plain("One\ntwo")], "github").ids == {"onetwo"}

    @pytest.mark.slow
    @needs_slugger
    def test_the_real_program_agrees_on_real_and_random_headings(self):
        texts = [*real_headings(), *random_headings("aB1 -_.,:;!?()[]/'\"éßЖ你½²&%=+@~^*`#<>|\u24b6", 3000)]
        texts = [text for text in texts if not re.search(r":[a-z0-9_+-]+:", text)]  # shortcodes have two IDs
        assert len(texts) > 2000
        assert heading_ids([plain(text) for text in texts], "github").ids == set(of_slugger(texts))


#: https://docs.gitlab.com/user/markdown/#heading-ids-and-links
OF_GITLAB = {
    "This heading has spaces in it": "this-heading-has-spaces-in-it",
    "This heading has a :thumbsup: in it": "this-heading-has-a-thumbsup-in-it",
    "This heading has Unicode in it: 한글": "this-heading-has-unicode-in-it-한글",
    "This heading has 3.5 in it (and parentheses)": "this-heading-has-35-in-it-and-parentheses",
    "This heading has  multiple spaces and --- hyphens": "this-heading-has--multiple-spaces-and-----hyphens",
}


class TestGitLab:
    @pytest.mark.parametrize("text", OF_GITLAB)
    def test_the_documented_ids(self, text):
        assert OF_GITLAB[text] in heading_ids([plain(text)], "gitlab").ids

    def test_the_same_text_again_has_a_number(self):
        assert ids_of("# A b\n# A b\n# A b", "gitlab") == {"a-b", "a-b-1", "a-b-2"}

    @pytest.mark.parametrize(
        ("text", "before", "after"),
        [
            ("A & B", "a-b", "a--b"),
            ("2024", "anchor-2024", "2024"),
            (":tada: New", "new", "tada-new"),
            ("x ½", "x-", "x-½"),
            ("![alt](x.png) image", "image", "alt-image"),
        ],
    )
    def test_older_versions_differ(self, text, before, after):
        found = heading_ids(headings_of(f"# {text}"), "gitlab")
        assert found.ids == found.disputed == {before, after}

    def test_attributes_are_text(self):
        assert ids_of("# Foo {#bar}", "gitlab") == {"foo-bar"}

    def test_a_line_break_is_a_space(self):
        assert "one-two" in heading_ids([plain("One\ntwo")], "gitlab").ids


class TestBitbucket:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('So-called "music"', "markdown-header-so-called-music"),
            ("Some Lithuanian - Ąžuolynas", "markdown-header-some-lithuanian-azuolynas"),
            ("Foo {#bar}", "markdown-header-foo-bar"),
        ],
    )
    def test_the_ids_of_python_markdown_after_a_prefix(self, text, expected):
        assert ids_of(f"# {text}", "bitbucket") == {expected}

    def test_the_same_text_again_has_a_number(self):
        assert ids_of("# A\n# A", "bitbucket") == {"markdown-header-a", "markdown-header-a_1"}


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
            "# Foo { title='b c' }\n\n# Foo {: #bar env-var }",
            '# Foo {: #bar title="b c" x}',
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
            "```\n##a\n\n# b\nT\n===",
            "##a\nT\n===",
            "a | b\n--|--\n1 | 2\n##c\n# d\n\n# e",
            "<br>\n> # a",
            "<br>\n# a\nT\n===",
            "a\nb\n===\nT\n===\n\nU\n---",
            "~~~\nx\n~~~\nT\n===",
            "<div>\n\n##B",
            "<div>\n\n##B\n\n</div>\n\n##C",
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

    @pytest.mark.slow
    @needs_pandoc
    def test_the_real_program_agrees_on_real_and_random_headings(self):
        texts = [*real_headings(), *random_headings("aB1 -.,:;!?()/éßЖ你½&%=+", 2500)]
        text = "".join(f"# {one}\n\n" for one in dict.fromkeys(texts))
        command = ["pandoc", "--from", "markdown", "--to", "html", "--wrap", "none"]
        made = subprocess.run(command, input=text.encode(), capture_output=True, check=True, timeout=60)
        theirs = {html.unescape(one) for one in re.findall(r'<h1[^>]*? id="([^"]*)"', made.stdout.decode())}
        assert len(theirs) > 2000
        assert ids_of(text, "pandoc") == theirs


def test_any_is_all_of_them():
    assert ids_of("# 3. Ünï_x {#own}", "any") == {"3-ünï_x-own", "own", "markdown-header-3-uni_x-own"}
    assert ids_of("# 3. Ünï_x", "any") == {"3-ünï_x", "3-uni_x", "ünï_x", "markdown-header-3-uni_x", "_3-uni-x"}


class TestVitePress:
    """IDs of VitePress 1.6.4, in pages that it built."""

    @pytest.mark.parametrize(
        ("text", "ids"),
        [
            ("# 1. Number", {"_1-number"}),
            ("# Node.js & co", {"node-js-co"}),
            ("# A+B (c)\n# a-b c", {"a-b-c", "a-b-c-1"}),
            ("# `v1.2` notes", {"v1-2-notes"}),
            ("# Über uns\n# a_b", {"uber-uns", "a-b"}),
            ("# What's new?\n# “New” :tada:", {"what-s-new", "new", "new-tada"}),
            ("# Install {#set-up}\n# Set up", {"set-up", "set-up-1"}),
        ],
    )
    def test_ids(self, text, ids):
        assert ids_of(text, "vitepress") == ids
        assert ids_of(text, "any") >= ids

    def test_the_same_with_any_is_no_certain_correction(self):
        found = heading_ids(headings_of("# 1. Number"), "any")
        assert "_1-number" in found.disputed
        assert not heading_ids(headings_of("# 1. Number"), "vitepress").disputed


@pytest.mark.parametrize("text", ["# Hello -- World", "# Hello --- World", "# Hello -- World {: .x}"])
def test_any_has_the_ids_of_kramdown_and_mdbook_with_dashes(text):
    assert "hello--world" in ids_of(text, "any")


class TestDisputedIds:
    def test_are_those_that_some_program_does_not_make(self):
        found = heading_ids(headings_of("# Set up\n# A & B"), "any")
        assert found.disputed == {"a--b", "a-b", "markdown-header-a-b", "markdown-header-set-up"}

    @pytest.mark.parametrize("scheme", ["bitbucket", "mkdocs", "pandoc"])
    def test_a_scheme_of_one_program_has_none(self, scheme):
        assert not heading_ids(headings_of("# Set up\n# A & B\n# :a: b"), scheme).disputed

    def test_a_shortcode_is_disputed_on_github(self):
        assert heading_ids(headings_of("# :tada: New\n# Old"), "github").disputed == {"tada-new", "-new"}

    def test_an_explicit_id_is_not_disputed(self):
        found = heading_ids(headings_of("# Foo & x {#bar}"), "any")
        assert "bar" not in found.disputed
        assert found.not_at_github == {"bar", "foo-x-bar", "markdown-header-foo-x-bar"}


class TestExplicitIds:
    @pytest.mark.parametrize("scheme", ["any", "mkdocs", "pandoc"])
    def test_replace_the_id_of_the_text(self, scheme):
        assert heading_ids(headings_of("# My heading {#own}"), scheme).explicit["my-heading"] == "own"

    @pytest.mark.parametrize("scheme", ["github", "gitlab", "bitbucket"])
    def test_are_text_on_hosts(self, scheme):
        assert not heading_ids(headings_of("# My heading {#own}"), scheme).explicit

    def test_an_id_of_another_heading_is_not_replaced(self):
        assert "foo" not in heading_ids(headings_of("# Foo {#own}\n# Foo"), "mkdocs").explicit


@pytest.mark.growth
@pytest.mark.parametrize("scheme", ["github", "gitlab", "bitbucket", "mkdocs", "pandoc"])
def test_headings_of_the_same_text_take_no_longer(scheme):
    def prepare(size):
        headings = [plain(one) for number in range(size) for one in ("a", f"a-{number}", f"a_{number}", "a_3")]
        return lambda: heading_ids(headings, scheme)

    assert_linear(prepare, 500)


@pytest.mark.growth
@pytest.mark.parametrize(
    "block", ["a | b\n--|--\n1 | 2\n# x\n", "> ```\n> # a\n\n", "```\n~~~~\n# a\n", "##a\nT\n===\n"]
)
def test_blocks_without_blank_lines_take_linear_time(block):
    assert_linear(lambda size: lambda: read_markdown(block * size), 300)
