"""Links in sources of Docusaurus: what Docusaurus 3.10 makes of them."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, write

from linkfix.auditing import AuditOptions, audit

SETTINGS = """\
export default {url: 'https://e.example', baseUrl: '/lamp/',
  presets: [['classic', {docs: {sidebarPath: './sidebars.js'}, blog: {}}]]};
"""

SIDEBARS = """\
export default {main: ['intro', {type: 'category', label: 'Things', items: ['guide/start'],
  link: {type: 'generated-index', slug: '/things'}}, {type: 'category', label: 'Key', items: ['guide/start'],
  link: {type: 'generated-index', "slug": "rel/key"}}]};
"""

FILES = {
    "docusaurus.config.js": SETTINGS,
    "sidebars.js": SIDEBARS,
    "docs/guide/01-start.md": "# Start\n## Part\n",
    "docs/_partial.md": "# P\n",
    "docs/02-api/one.md": "# One\n",
    "docs/ref/_category_.yml": "label: Ref\nlink:\n  type: generated-index\n  slug: /ref-slug\n",
    "docs/ref/two.md": "---\nid: custom\n---\n# Two\n",
    "blog/2024-01-02-first.md": "# First\n",
    "blog/2024-01-03-second.md": "---\nslug: sec\n---\n# Second\n",
    "src/pages/about.md": "# About\n",
    "README.md": "# Lamp\n",
}


def findings(folder, page, text, tree="", files=FILES):
    """The reference and the hint of each finding in a source with a text."""
    write(folder, {**files, page: text})
    result = audit(str(folder / tree), AuditOptions(select=("LF101",)))
    return {one.reference: "" if one.hint is None else one.hint.text for one in result.findings}


def replacement(folder, text):
    """The reference that the hint of the only finding names."""
    write(folder, {**FILES, "docs/intro.md": text})
    (finding,) = audit(str(folder), AuditOptions()).findings
    return finding.hint.reference


RIGHT = [
    *("guide/01-start.md", "guide/01-start.md#part", "/docs/guide/start", "/docs/guide/start/", "guide/start"),
    *("/lamp/docs/guide/start", "/docs/api/one", "../docs/guide/01-start.md", "/guide/01-start.md"),
    *("/docs/guide/01-start.md", "docs/guide/01-start.md", "/docs/ref/custom", "@site/docs/guide/01-start.md"),
    *("/docs/things", "/docs/rel/key", "/docs/ref-slug", "/blog/2024/01/02/first", "/blog/sec", "/about"),
]

WRONG = {
    "../blog/2024-01-02-first.md": "the page of blog/2024-01-02-first.md is at /blog/2024/01/02/first",
    "../blog/2024-01-03-second.md#x": "the page of blog/2024-01-03-second.md is at /blog/sec",
    "../src/pages/about.md": "the page of src/pages/about.md is at /about",
    "/docs/guide/01-start": "the page of docs/guide/01-start.md is at /docs/guide/start",
    "guide/01-start#part": "the page of docs/guide/01-start.md is at /docs/guide/start",
    "/docs/02-api/one": "the page of docs/02-api/one.md is at /docs/api/one",
    "/docs/ref/two": "the page of docs/ref/two.md is at /docs/ref/custom",
    "/blog/2024-01-02-first": "the page of blog/2024-01-02-first.md is at /blog/2024/01/02/first",
    "./_partial.md": "no page is made of docs/_partial.md",
    "/docs/_partial": "no page is made of docs/_partial.md",
    **dict.fromkeys(["guide/start.md", "/blog/first", "/docs/ref/", "/docs/guide", "02-api/readme.md"], ""),
}


@pytest.mark.parametrize("tree", ["", "docs"])
def test_only_sources_of_one_plugin_and_urls_of_pages_are_right(tmp_path, tree):
    text = "# Intro\n" + "".join(f"[x]({one})\n" for one in (*RIGHT, *WRONG))
    assert findings(tmp_path, "docs/intro.md", text, tree) == WRONG


def test_a_source_outside_all_plugins_has_no_page(tmp_path):
    assert findings(tmp_path, "docs/intro.md", "[x](../README.md)") == {"../README.md": "no page is made of README.md"}


def test_posts_and_pages(tmp_path):
    text = "[x](2024-01-03-second.md) [x](/docs/guide/start) [x](../docs/guide/01-start.md) [x](./second)"
    assert findings(tmp_path, "blog/2024-01-02-first.md", text) == {
        "../docs/guide/01-start.md": "the page of docs/guide/01-start.md is at /docs/guide/start",
        "./second": "",
    }


@pytest.mark.parametrize(
    ("reference", "written"),
    [
        ("/docs/guide/01-start#part", "guide/01-start.md#part"),
        ("../blog/2024-01-03-second.md?a#x", "/blog/sec?a#x"),
    ],
)
def test_the_right_reference_is_written(tmp_path, reference, written):
    assert replacement(tmp_path, f"[x]({reference})") == written


def test_html_is_not_changed_by_docusaurus(tmp_path):
    assert replacement(tmp_path, '<a href="guide/01-start.md">x</a>\n') == "/lamp/docs/guide/start"


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("numberPrefixParser: false", ["/docs/guide/start"]),
        ("numberPrefixParser: false, exclude: []", ["/docs/guide/start"]),
        ("numberPrefixParser: parse", []),
        ("...more", []),
        ("exclude: []", ["/docs/guide/01-start"]),
    ],
)
def test_numbers_are_in_urls_if_the_settings_say_so(tmp_path, options, wrong):
    settings = SETTINGS.replace("sidebarPath: './sidebars.js'", options)
    text = "[x](/docs/guide/start) [x](/docs/guide/01-start) [x](guide/01-start.md)"
    files = {
        "docusaurus.config.js": settings,
        "docs/guide/01-start.md": "# Start\n",
        "blog/2024-01-02-first.md": "# F\n",
    }
    assert list(findings(tmp_path, "docs/intro.md", text, files=files)) == wrong


def test_front_matter_can_keep_the_numbers(tmp_path):
    files = {**FILES, "docs/01-a.md": "---\nparse_number_prefixes: false\n---\n# A\n"}
    assert list(findings(tmp_path, "docs/intro.md", "[x](/docs/01-a) [x](/docs/a)", files=files)) == ["/docs/a"]


@pytest.mark.parametrize("name", ["index.md", "README.mdx", "guide.md", "Guide.md"])
def test_the_page_of_a_folder(tmp_path, name):
    files = {"docusaurus.config.js": SETTINGS, f"docs/guide/{name}": "# G\n"}
    text = f"[x](/docs/guide) [x](/docs/guide/) [x](guide/{name}) [x](/docs/gone)"
    assert list(findings(tmp_path, "docs/intro.md", text, files=files)) == ["/docs/gone"]


class TestFolderBesideTheProject:
    """`path: "../docs"`: the sources are beside the folder with the settings."""

    FILES = {  # noqa: RUF012
        ".git/HEAD": "",
        "website/docusaurus.config.js": "module.exports = {url: 'https://e.example', baseUrl: '/lamp/',\n"
        " presets: [['classic', {docs: {path: '../docs', routeBasePath: 'manual'}}]]};\n",
        "website/static/logo.png": b"x",
        "website/src/pages/about.md": "[x](/manual/a) [x](/manual/gone-1)\n",
        "docs/b.md": "# B\n",
        "docs/guide/01-c.md": "# C\n",
    }
    TEXT = """\
[x](b.md) [x](/manual/b) [x](./guide/01-c.md) [x](/manual/guide/c) [x](/about) [x](/logo.png) [x](@site/static/logo.png)
[x](@site/../docs/b.md)
[x](/docs/b) [x](gone-2.md) [x](/manual/gone-3) [x](../website/src/pages/about.md)
"""
    WRONG = {"/docs/b", "gone-2.md", "/manual/gone-3", "../website/src/pages/about.md"}  # noqa: RUF012

    def test_its_settings_are_found(self, tmp_path):
        assert set(findings(tmp_path, "docs/a.md", self.TEXT, "docs", self.FILES)) == self.WRONG

    def test_both_folders_are_one_site(self, tmp_path):
        found = findings(tmp_path, "docs/a.md", self.TEXT, "", self.FILES)
        assert set(found) == {*self.WRONG, "/manual/gone-1"}

    def test_another_folder_is_none_of_its_sources(self, tmp_path):
        write(tmp_path, {**self.FILES, "other/a.md": "[x](/manual/b)"})
        assert [one.reference for one in audited(tmp_path / "other").findings] == ["/manual/b"]

    @pytest.mark.parametrize(("others", "expected"), [(100, ["/docs/b"]), (300, ["/manual/b"])])
    def test_a_folder_with_many_entries_is_no_project(self, tmp_path, others, expected):
        write(tmp_path, {**self.FILES, "docs/a.md": "[x](/manual/b) [x](/docs/b)"})
        for number in range(others):
            (tmp_path / f"other-{number}").mkdir()
        assert [one.reference for one in audited(tmp_path / "docs").findings] == expected


def test_the_folder_of_a_project_in_the_tree(tmp_path):
    files = {f"website/{name}": content for name, content in FILES.items()}
    files["website/static/logo.png"] = b"x"
    text = "[x](@site/static/logo.png) [x](@site/docs/guide/01-start.md) [x](@site/static/gone.png)"
    assert list(findings(tmp_path, "website/docs/a.md", text, files=files)) == ["@site/static/gone.png"]
