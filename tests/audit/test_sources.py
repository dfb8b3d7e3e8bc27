"""Markdown in a tree: targets of its references, its fragments, and the choice of files to check."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, fixed, told, write

from linkfix import InvalidOption
from linkfix.auditing import AuditOptions, FindingLevel, list_tree
from linkfix.auditing.generators import find_sources
from linkfix.auditing.source_names import source_names

DOCS = {
    "guide.md": "# Guide\n\n## Set up\n\n## Set up\n",
    "notes.markdown": "",
    "deep/index.md": "# Deep",
    "readme/README.md": "# Read me",
    "jsx/page.mdx": "",
    "empty/data.bin": b"",
    "img/a.png": b"",
}


def references(tmp_path, text, **fields):
    """The references of a page that are reported, with the rule."""
    found = audited(tmp_path, {**DOCS, "page.md": text}, **fields)
    return [(name, reference) for path, name, reference in told(found) if path == "page.md"]


class TestTargets:
    @pytest.mark.parametrize(
        "reference",
        [
            *["guide.md", "./guide.md", "/guide.md", "guide", "guide/", "guide.html", "/guide/", "guide/index.html"],
            *["notes", "deep", "deep/", "deep/index.html", "readme/", "readme/index.html", "jsx/page", "img/a.png"],
            *["guide?x=1", "https://site.example/guide/", "guide%2Emd", "empty/", "empty", "img"],
            *["../outside.md", "../../src/code.py", "deep/../../other/"],
        ],
    )
    def test_of_a_source_that_are_there(self, tmp_path, reference):
        found = audited(tmp_path, {**DOCS, "page.md": f"[x]({reference})"})
        assert not found.findings
        assert found.coverage.links == 1

    @pytest.mark.parametrize(
        "reference", ["gone", "gone.md", "guide.htm5", "guide.md/", "guide/x", "deep/gone.html", "img/a", "index.html"]
    )
    def test_of_a_source_that_are_not_there(self, tmp_path, reference):
        assert references(tmp_path, f"[x]({reference})") == [("missing-target", reference)]

    def test_of_a_page_are_files_alone(self, tmp_path):
        files = {
            **DOCS,
            "page.html": "<a href=guide></a><a href=guide.html></a><a href=empty/></a><a href=guide.md></a>",
        }
        found = audited(tmp_path, files)
        assert [reference for *_, reference in told(found)] == ["guide", "guide.html", "empty/"]

    def test_the_case_of_names(self, tmp_path):
        assert references(tmp_path, "[x](Guide.md)") == [("case-mismatch", "Guide.md")]

    def test_mkdocs_has_nothing_outside_and_shows_no_folder(self, tmp_path):
        text = "[a](../outside.md) [b](../empty/) [c](../guide/)"
        assert references(tmp_path, text, heading_ids="mkdocs") == [
            ("missing-target", "../outside.md"),
            ("folder-without-index", "../empty/"),
        ]

    def test_the_root_of_zolas_content(self, tmp_path):
        text = "[a](@/guide.md) [b](@/deep/index.md#deep) [c](@/gone.md) [d](@/guide.md#gone) [e](@/x.png)"
        assert references(tmp_path, text) == [
            ("missing-target", "@/gone.md"),
            ("missing-fragment", "@/guide.md#gone"),
            ("missing-target", "@/x.png"),
        ]
        found = audited(tmp_path / "b", {"content/a.md": "# A", "content/b.md": "[a](@/a.md) [b](@/c.md)"})
        assert told(found) == [("content/b.md", "missing-target", "@/c.md")]

    def test_mdbook_makes_an_index_of_a_readme(self, tmp_path):
        text = (
            "[a](readme/index.md) [b](readme/) [c](readme/index.html) [d](readme/index.md#read-me) [e](empty/index.md)"
        )
        assert references(tmp_path / "a", text) == [("missing-target", "empty/index.md")]
        assert ("missing-target", "readme/index.md") in references(tmp_path / "b/src", text, heading_ids="github")
        write(tmp_path, {"b/book.toml": "[book]"})
        assert references(tmp_path / "b/src", text, heading_ids="github") == [("missing-target", "empty/index.md")]

    def test_pandoc_shows_no_folder(self, tmp_path):
        text = "[a](../outside.md) [b](empty/)"
        assert references(tmp_path, text, heading_ids="pandoc") == [("folder-without-index", "empty/")]

    def test_paths_begin_at_the_root_of_the_repository(self, tmp_path):
        text = "[a](/my%20docs/b.md#x) [b](/my%20docs) [c](/README.md) [d](/gone.md) [e](/my%20docs/gone.md) [f](/b.md)"
        files = {"r/.git/HEAD": "", "r/README.md": "x", "r/my docs/b.md": "# X"}
        write(tmp_path, files | {"r/my docs/a.md": text, "r/my docs/c.html": "<a href='/README.md'></a>"})
        found = audited(tmp_path / "r/my docs", {}, base_url=None)
        assert [(path, reference) for path, _, reference in told(found)] == [
            ("a.md", "/gone.md"),
            ("a.md", "/my%20docs/gone.md"),
            ("c.html", "/README.md"),
        ]
        assert found.coverage.unchecked == {"outside the folder": 1}

    def test_labels_of_sphinx(self, tmp_path):
        files = {**DOCS, "s/conf.py": "", "s/index.rst": "", "t/conf.py": "", "index.rst": ""}
        text = "[a](label) [b](label/x-y) [c](package.module) [d](gone.md) [e](gone.rst) [f](a.png) ![g](label)"
        text += " [h](#anywhere)"
        files |= {"s/a.md": text, "t/a.md": "[a](label)", "s/b.html": "<a href=label></a>"}
        found = audited(tmp_path, files)
        assert [(path, reference) for path, _, reference in told(found)] == [
            *[("s/a.md", "gone.md"), ("s/a.md", "gone.rst"), ("s/a.md", "a.png"), ("s/b.html", "label")],
            ("t/a.md", "label"),
        ]
        assert found.coverage.unchecked == {"possible Sphinx labels": 4}

    def test_sources_of_sphinx_begin_at_their_folder(self, tmp_path):
        text = "[a](/b.md) [b](/c.md) [c](inv:python:py:class#str) [d](project:b.md) [e](path:b.md) "
        text += "[f](inw://b) [g](pip:b/c)"
        files = {
            **DOCS,
            "s/conf.py": "",
            "s/index.md": text,
            "s/b.md": "[a](inv:#x)",
            "b.md": "[a](inv:#x) [b](/s/b.md)",
        }
        files |= {"s/_templates/a.html": "<a href='{{ x }}'></a>", "_templates/a.html": "<a href='{{ x }}'></a>"}
        found = audited(tmp_path, files)
        assert [(path, reference) for path, _, reference in told(found)] == [
            ("_templates/a.html", "{{ x }}"),
            ("b.md", "inv:#x"),
            ("s/index.md", "/c.md"),
            ("s/index.md", "inw://b"),
        ]
        assert found.coverage.unchecked["possible Sphinx labels"] == 5

    def test_autolinks_and_comments_of_myst(self, tmp_path):
        text = "<project:b.md> <inv:python#index> <path:conf.py> <a href='project:b.md'>x</a>\n\n"
        text += "% [c](gone.md)\n% <img src=x>\n"
        files = {"s/conf.py": "", "s/index.md": text, "s/b.md": "100\n % [c](gone.md)\n\n50 % [d](gone.md)\n"}
        found = audited(tmp_path, files)
        assert [(path, reference) for path, _, reference in told(found)] == [
            ("s/b.md", "gone.md"),
            ("s/index.md", "project:b.md"),
        ]
        assert found.coverage.unchecked["possible Sphinx labels"] == 3
        assert found.settings.startswith("Sphinx, ")
        assert found.settings.endswith("s/conf.py: it makes the pages of the sources")

    @pytest.mark.parametrize(
        ("settings", "left_out"),
        [
            ("exclude_patterns = ['_build', 'in']", {"in/a.md", "in/b/a.md"}),
            ("exclude_patterns = ('*/a.md',)", {"in/a.md"}),
            ("exclude_patterns = ['**/a.md']", {"in/a.md", "in/b/a.md"}),
            ("exclude_patterns = ['in/?/[!b].md']", {"in/b/a.md"}),
            ("exclude_patterns = ['in']\nexclude_patterns += ['x']", set()),
            ("exclude_patterns = [x, '" + "**/" * 50 + "']", set()),
            ("exclude_patterns = [", set()),
        ],
    )
    def test_patterns_of_sphinx_leave_sources_out(self, tmp_path, settings, left_out):
        names = ["in/a.md", "in/b/a.md"]
        text = " ".join(f"[x]({name})" for name in names)
        files = {"s/conf.py": settings, "s/index.md": text, **{f"s/{name}": "[x](gone.md)" for name in names}}
        files["README.md"] = text.replace("(", "(s/")  # readers at the host of the repository have all files
        found = {(path, reference) for path, _, reference in told(audited(tmp_path, files))}
        assert found == {(f"s/{name}", "gone.md") for name in names} | {("s/index.md", name) for name in left_out}
        found = {(path, reference) for path, _, reference in told(audited(tmp_path / "s"))}
        kept = {(name, "gone.md") for name in names if name not in left_out}
        assert found == kept | {("index.md", name) for name in left_out}

    def test_sources_that_sphinx_leaves_out_may_refer_to_each_other(self, tmp_path):
        """Results of references are remembered for the pages of a folder."""
        text = "[x](old.md)"
        files = {"s/conf.py": "exclude_patterns = ['o*.md']", "s/old.md": text, "s/other.md": text}
        found = audited(tmp_path, {**files, "s/a.md": text, "s/index.md": text, "s/z.md": text})
        assert [path for path, *_ in told(found)] == ["s/a.md", "s/index.md", "s/z.md"]

    def test_no_hint_leads_into_the_build(self, tmp_path):
        files = {"s/conf.py": "", "s/index.md": "[x](genindex.html)", "s/_build/html/genindex.html": ""}
        assert [one.hint for one in audited(tmp_path, files).findings] == [None]

    def test_a_name_can_have_several_sources(self):
        assert next(source_names("a")) == "a.md"
        assert "a/README.md" in source_names("a/")
        assert list(source_names("")) == list(source_names("index.html"))[-20:]

    def test_the_second_pass_skips_links_that_leave_the_tree(self, tmp_path):
        text = "[a](guide.md#gone) [b](../guide.md#gone)"
        assert references(tmp_path, text) == [("missing-fragment", "guide.md#gone")]


class TestFragments:
    @pytest.mark.parametrize("fragment", ["set-up", "set-up-1", "set-up_1", "guide", "top", ""])
    def test_of_headings(self, tmp_path, fragment):
        assert not references(tmp_path, f"[a](guide.md#{fragment}) [b](guide/#{fragment}) [c](guide.html#{fragment})")

    @pytest.mark.parametrize(
        ("heading_ids", "wrong"),
        [
            ("any", []),
            ("github", ["#set-up_1", "#own"]),
            ("gitlab", ["#set-up_1", "#own"]),
            ("bitbucket", ["#set-up", "#set-up-1", "#set-up_1", "#sét", "#own"]),
            ("mkdocs", ["#set-up-1", "#sét"]),
            ("pandoc", ["#set-up_1"]),
        ],
    )
    def test_schemes(self, tmp_path, heading_ids, wrong):
        text = "# Set up\n# Set up\n# Sét\n\n# X {#own}\n\n"
        text += "[a](#set-up) [b](#set-up-1) [c](#set-up_1) [d](#sét) [e](#own) [f](#gone)"
        found = references(tmp_path, text, heading_ids=heading_ids)
        assert [reference for _, reference in found] == [*wrong, "#gone"]

    def test_of_raw_html_and_attributes(self, tmp_path):
        text = "<a name=one></a> <p id=two>\n\n<h1 id='three'>x</h1>\n\nx {#four}\n\n"
        text += "[a](#one) [b](#two) [c](#three) [d](#four)"
        assert not references(tmp_path, text)

    def test_code_and_comments_have_none(self, tmp_path):
        text = "```\n# One\n<a id=two>\n```\n\n<!-- <a id=three> -->\n\n[a](#one) [b](#two) [c](#three)"
        assert [reference for _, reference in references(tmp_path, text)] == ["#one", "#two", "#three"]

    def test_of_html(self, tmp_path):
        found = audited(tmp_path, {**DOCS, "a.html": "<a href='guide.md#set-up'></a><a href='guide.md#gone'></a>"})
        assert [reference for *_, reference in told(found)] == ["guide.md#gone"]

    def test_a_page_that_a_program_completes_may_have_more(self, tmp_path):
        found = audited(tmp_path, {"a.md": "::: module.name\n", "b.md": "[x](a.md#module.name.f)"})
        assert not found.findings

    def test_scripts_in_code_are_ignored(self, tmp_path):
        text = "```html\n<script>location.hash == '#one'</script>\n```\n\n[x](#one)"
        assert references(tmp_path, text) == [("missing-fragment", "#one")]

    def test_one_file_under_two_names_has_the_same_ids(self, tmp_path):
        write(tmp_path, {"a.md": "# Größe\n\n[x](#grosse)\n"})
        (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")
        found = audited(tmp_path, base_url=None, heading_ids="github")
        assert [reference for *_, reference in told(found)] == ["#grosse", "#grosse"]

    def test_a_wrong_scheme(self):
        known = "'github', 'gitlab', 'bitbucket', 'mkdocs', 'pandoc', 'vitepress' or 'any', or None"
        with pytest.raises(InvalidOption, match=known):
            AuditOptions(heading_ids="gitea")


class TestInference:
    def test_mkdocs_beside_the_tree(self, tmp_path):
        root = tmp_path / "docs"
        assert not audited(root, {"a.md": "# A\n# A\n\n[x](#a-1) [y](#a_1)"}, base_url=None).findings
        (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
        assert [reference for *_, reference in told(audited(root, base_url=None))] == ["#a-1"]

    def test_another_slugify(self, tmp_path):
        (tmp_path / "mkdocs.yaml").write_text("toc:\n  slugify: !!python/name:x\n")
        assert find_sources(str(tmp_path / "docs")).heading_ids == "any"

    def test_settings_that_cannot_be_read(self, tmp_path):
        (tmp_path / "mkdocs.yml").mkdir()
        assert find_sources(str(tmp_path / "docs")).heading_ids == "any"


class TestFiles:
    def test_files_that_are_checked(self, tmp_path):
        names = [
            "a.md",
            "b.markdown",
            "c.mdown",
            "d.MKD",
            "e.mdx",
            "f.rst",
            "g.txt",
            "_sources/h.md",
            "x/_sources/i.md",
        ]
        root = write(tmp_path, dict.fromkeys(names, ""))
        assert [page.name for page in list_tree(root).pages] == ["a.md", "b.markdown", "c.mdown", "d.MKD", "e.mdx"]

    def test_a_page_is_checked_in_place_of_its_source(self, tmp_path):
        found = audited(
            tmp_path, {"a.md": "[x](gone)", "a.html": "x", "b.md": "[x](gone)", "c/b.html": "", "b.css": ""}
        )
        assert [path for path, *_ in told(found)] == ["b.md"]
        assert found.coverage.left_out == {"Markdown with its page beside it": 1}

    def test_include_and_exclude(self, tmp_path):
        files = {"a.md": "[x](gone)", "b.md": "[x](gone)", "c.html": "<a href=gone></a>"}
        assert [path for path, *_ in told(audited(tmp_path, files, include=("*.md",), exclude=("b.*",)))] == ["a.md"]

    def test_no_page_has_to_link_to_markdown(self, tmp_path):
        found = audited(tmp_path, {"index.html": "", "a.md": "", "b.html": ""}, select=("orphan-page",))
        assert [path for path, *_ in told(found)] == ["b.html"]

    def test_a_large_file_is_a_finding_and_the_others_are_checked(self, tmp_path):
        found = audited(tmp_path, {"a.md": b"[x](y)" * 1_000_000, "b.md": "[x](gone)", "c.md": "[x](a.md#y)"})
        assert [(one.path, one.name) for one in found.findings] == [
            ("a.md", "unjudged-page"),
            ("b.md", "missing-target"),
        ]
        assert "4,194,304" in found.findings[0].message
        assert found.findings[0].level is FindingLevel.ERROR
        assert list(found.coverage.unread) == ["a.md"]


class TestRules:
    def test_rules_that_apply_only_to_pages(self, tmp_path):
        text = "<base href='/x/'><base href='y'>\n\n[a]({{ x }}/y) [b](<img/a.png?b c>) <base href='http://z/'>"
        assert references(tmp_path, text) == []

    def test_comments(self, tmp_path):
        text = "<!-- linkfix-ignore -->\n[a](gone)\n\n[b](gone) <!-- linkfix-ignore LF101 -->\n\n[c](gone)\n"
        found = audited(tmp_path, {"a.md": text})
        assert [one.line for one in found.findings] == [6]
        assert found.hidden == {"comment": 2}

    def test_a_backslash_is_reported(self, tmp_path):
        assert references(tmp_path, "[a](img\\a.png)") == [("backslash", "img\\a.png")]


def test_only_certain_fixes_are_made_and_only_their_bytes_change(tmp_path):
    text = "# A b\r\n\r\n[1](Guide.md 'x') [2]: <#A_B> [3](#A_B)\r\n\r\n"
    text += "[4]: <Guide.md>\r\n\r\n| ![5](IMG/a.png) |\r\n|-|\r\n"
    [(name, content)] = fixed(tmp_path, {**DOCS, "page.md": text.replace("IMG", "Img")}).items()
    assert name == "page.md"
    assert content.decode() == text.replace("Guide.md", "guide.md").replace("(#A_B)", "(#a-b)").replace("IMG", "img")
