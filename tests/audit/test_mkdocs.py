"""MkDocs' sources: the same findings as in the site that MkDocs builds from them."""

from __future__ import annotations

import posixpath
import random
import subprocess
import sys
import time
from importlib.util import find_spec
from posixpath import dirname, join, normpath, relpath
from textwrap import indent
from urllib.parse import unquote

import pytest
from support.audit_trees import audited, fixed, write
from support.growth import processor_limit

from linkfix.auditing import AuditOptions, Hint, audit, audit_sites
from linkfix.auditing.generators.mkdocs import mkdocs_redirects
from linkfix.auditing.reporters.common import location
from linkfix.auditing.settings_links import nav_entries
from linkfix.auditing.source_names import mkdocs_page

#: The sources of the generated trees, with their headings.
PAGES = {
    "index.md": "# Home",
    "guide.md": "# Guide\n\n## Set up\n\n## Set up\n\n## Class { .x }\n\n## Named {#own}",
    "Upper.md": "# Upper",
    "a b.md": "# With a space",
    "deep/README.md": "# Deep",
    "deep/page.md": "# Page\n\n<p id=raw>raw</p>",
    "deep/er/index.md": "# Deeper",
    "deep/er/last.md": "# Last",
    "both/index.md": "# Both",
    "both/README.md": "# Not part of the site",
    ".hidden/page.md": "# Not part of the site",
    "excluded/page.md": "# Not part of the site",
    "excluded/kept.md": "# Kept",
    "draft.md": "# Not part of the site",
    "unlisted.md": "# Unlisted",
}

#: The settings that leave some of them out.
EXCLUDED = """
exclude_docs: |
  # a comment
  /excluded/

  !kept.md
draft_docs: |
  draft.md
not_in_nav: |
  unlisted.md
"""
FILES = {
    "img/a.png": b"",
    "deep/b.png": b"",
    "static.html": "<a href=guide/>1</a> <a href=guide.md>2</a> <h1 id=x>x</h1>",
}

CONFIGURATIONS = {
    "directory URLs": ("docs", ""),
    "files": ("docs", "use_directory_urls: false\n"),
    "attributes": (
        "pages/src",
        """
docs_dir: pages/src
site_url: https://e.example/lamp/
markdown_extensions:
- attr_list
- md_in_html
- toc:
    permalink: true
""",
    ),
    "from the root": ("docs", "validation:\n  links:\n    absolute_links: relative_to_docs\n    anchors: warn\n"),
}
SETTINGS = f"site_name: x\ntheme:\n  name: null\n  custom_dir: theme\n{EXCLUDED}"

PREFIXES = ("", "./", "../", "../../", "/", "deep/", "../deep/", "/lamp/", "er/", "x/../")
NAMES = (
    "guide",
    "index",
    "Upper",
    "upper",
    "a%20b",
    "a b",
    "page",
    "README",
    "last",
    "deep",
    "both",
    "gone",
    "draft",
    "unlisted",
    "excluded/page",
    "excluded/kept",
)
SUFFIXES = ("", "/", ".md", ".md/", "/index.md", "/README.md", "/index.html", ".html", "/er/")
OTHERS = (
    "img/a.png",
    "b.png",
    "img/",
    ".",
    "..",
    "./",
    "../",
    "static.html",
    "static.html#x",
    "#gone",
    "#home",
    "?x",
    "",
)
ENDS = ("", "", "", "#set-up", "#set-up_1", "#class", "#class-x", "#own", "#gone", "?x=1", "?x=1#set-up")
FORMS = (
    "[x]({})",
    "[x](<{}>)",
    "[x]({} 'title')",
    "![x]({})",
    "[x][r{n}]\n\n[r{n}]: {}",
    "<a href='{}'>x</a>",
    "text <img src='{}' alt=x>",
    "<div><a href='{}'>x</a></div>",
    "<div markdown>\n[x]({})\n</div>",
)


def references(chance, number):
    """References of many forms."""
    for _ in range(number):
        if chance.random() < 0.2:
            yield chance.choice(PREFIXES) + chance.choice(OTHERS)
        else:
            yield chance.choice(PREFIXES) + chance.choice(NAMES) + chance.choice(SUFFIXES) + chance.choice(ENDS)


def sources(seed):
    """The files of a generated tree."""
    chance = random.Random(seed)  # noqa: S311 - the same tree each time
    files = dict(FILES)
    for name, text in PAGES.items():
        links = enumerate(references(chance, 150))
        files[name] = (
            "\n\n".join([text, *(chance.choice(FORMS if one else FORMS[:2]).format(one, n=n) for n, one in links)])
            + "\n"
        )
    return files


#: The rules about a reference whose target does not exist, which read "missing" in both audits.
_MISSING = {"LF101", "LF105", "LF106"}


def findings(found, source_of):
    """Each finding as page, kind and reference. A missing fragment counts alone: MkDocs writes its link anew."""
    kinds = set()
    for one in found.findings:
        page = source_of.get(one.path, one.path)
        if one.code in _MISSING:
            kinds.add((page, "missing", one.reference))
        elif one.code == "LF102":
            kinds.add((page, "LF102", one.cause.partition("#")[2]))
        else:
            kinds.add((page, one.code, one.reference))
    return kinds


#: The sources that are not part of the site.
LEFT_OUT = {"both/README.md", "excluded/page.md", "draft.md"}


def _as_written(finding, made):
    """A finding with the reference that MkDocs writes: for a link to a source that it leaves out, the page's URL."""
    page, kind, reference = finding
    path, mark, rest = reference.partition("#")
    name = normpath(join(dirname(page), unquote(path.partition("?")[0])).lstrip("/"))
    if kind == "missing" and name in LEFT_OUT - {"both/README.md"}:
        url = relpath(made[name].removesuffix("index.html") or ".", dirname(made[page]) or ".")
        url += "/" * made[name].endswith("/index.html")
        return page, kind, url + path[len(path.partition("?")[0]) :] + mark + rest
    return finding


def _leaves(page, reference):
    """Whether a link to a source file leads out of the folder: a finding in the sources, not judged in the site."""
    path = reference.partition("#")[0].partition("?")[0]
    return path.rstrip("/").endswith(".md") and path.count("../") > page.count("/") + (not path.startswith("../"))


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs mkdocs (pip install mkdocs)")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_the_site_has_the_same_findings(tmp_path, configuration, seed):
    folder, settings = CONFIGURATIONS[configuration]
    files = sources(seed)
    write(tmp_path, {"mkdocs.yml": SETTINGS + settings, "theme/main.html": "<!DOCTYPE html>\n{{ page.content }}"})
    write(tmp_path / folder, files)
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    # LF109 replaces single findings; LF305 is about HTML only.
    options = AuditOptions(ignore=("LF109", "LF305"))
    names = {name for name in files if not name.startswith(".") and name not in LEFT_OUT}
    source_of = {mkdocs_page(name, directory_urls=configuration != "files"): name for name in names}
    in_sources = audit(str(tmp_path / folder), options)
    assert not {one.path for one in in_sources.findings} & LEFT_OUT
    made = {name: mkdocs_page(name, directory_urls=configuration != "files") for name in files}
    mine = {_as_written(one, made) for one in findings(in_sources, {})}
    theirs = {_as_written(one, made) for one in findings(audit(str(tmp_path / "site"), options), source_of)}
    assert in_sources.coverage.checked > 1000
    assert len(theirs) > 500
    assert {one for one in mine ^ theirs if not _leaves(one[0], one[2])} == set()
    whole = audit(str(tmp_path), options)
    for part in (in_sources, audit(str(tmp_path / "site"), options)):
        place = relpath(part.root, tmp_path)
        parts = [one._replace(path=one.path[len(place) + 1 :]) for one in whole.findings if one.path.startswith(place)]
        assert [(one.path, one.code, one.start) for one in parts] == [
            (one.path, one.code, one.start) for one in part.findings
        ]


#: A reference in `deep/page.md`, and whether it works with directory URLs and without them. Each fact is MkDocs' own.
FACTS = [
    ("[x](er/last.md)", True, True),
    ("[x](er/last.md/)", True, True),
    ("[x](er/last.md/#last)", True, True),
    ("[x](er/last.md#gone)", False, False),
    ("[x](./er//last.md?x#last)", True, True),
    ("[x](<../a b.md>)", True, True),
    ("[x](../a%20b.md)", True, True),
    ("[x](gone/../page.md)", True, True),
    ("[x](README.md)", True, True),
    ("[x](index.md)", False, False),
    ("[x](../both/README.md)", False, False),
    ("[x](../upper.md)", False, False),
    ("[x](../../guide.md)", False, False),
    ("[x](../guide)", False, False),
    ("[x](../guide/)", False, False),
    ("[x](../../guide/)", True, False),
    ("[x](../../guide/#set-up)", True, False),
    ("[x](../../guide)", True, False),
    ("[x](../../guide/index.html)", True, False),
    ("[x](../guide.html)", False, True),
    ("[x](er/)", False, True),
    ("[x](../er/)", True, False),
    ("[x](er/index.md)", True, True),
    ("[x](.)", True, True),
    ("[x](..)", True, True),
    ("[x](../page/)", True, False),
    ("[x](?x)", True, True),
    ("[x](#page)", True, True),
    ("[x](#raw)", True, True),
    ("[x]()", True, True),
    ("[x](/guide/)", True, False),
    ("[x](/guide.html)", False, True),
    ("[x](/guide.md)", False, False),
    ("[x](/img/a.png)", True, True),
    ("![x](b.png)", True, True),
    ("![x](../b.png)", True, False),
    ("![x](../img/a.png)", True, True),
    ("[ok]: er/last.md 'title'", True, True),
    ("[broken]: er/last 'title'", False, False),
    ("<img src=b.png>", False, True),
    ("<img src=../b.png>", True, False),
    ("<a href=er/last.md>x</a>", False, False),
    ("<a href=er/last.html>x</a>", False, True),
    ("<a href=../er/last/#last>x</a>", True, False),
    ("<div><img src=../b.png></div>", True, False),
    ("[x](../.hidden/page.md)", False, False),
    ("[x](/sitemap.xml)", True, True),
    ("[x](../static.html#x)", True, True),
]


def failing(folder):
    """The facts that have findings, in the sources of a folder with the settings of MkDocs beside it."""
    text = "\n\n".join([PAGES["deep/page.md"], *(fact for fact, *_ in FACTS)])
    files = {**PAGES, **FILES, "static.html": "<p id=x>", "deep/page.md": text}
    lines = dict(enumerate(text.split("\n"), 1))
    found = audited(folder, files, base_url=None, select=("LF1",), ignore=("orphan-page",))
    return [lines[one.line] for one in found.findings]


@pytest.mark.parametrize("directory_urls", [True, False])
def test_links_go_by_the_source_file_or_else_by_the_built_page(tmp_path, directory_urls):
    write(tmp_path, {"mkdocs.yml": f"use_directory_urls: {str(directory_urls).lower()}"})
    wrong = [text for text, *works in FACTS if not works[not directory_urls]]
    assert failing(tmp_path / "docs") == wrong


def test_both_forms_of_urls_count_if_the_settings_are_not_known(tmp_path):
    write(tmp_path, {"mkdocs.yml": "use_directory_urls: !ENV X"})
    assert failing(tmp_path / "docs") == [text for text, *works in FACTS if not any(works)]


def test_pages_are_copied_and_refer_to_built_pages(tmp_path):
    write(tmp_path, {"mkdocs.yml": ""})
    found = audited(tmp_path / "docs", PAGES | FILES, base_url=None)
    assert [(one.path, one.reference) for one in found.findings] == [("static.html", "guide.md")]


NAV = """
site_name: x
nav:
  - Home: index.md
  - 'A: b': "gone.md"   # a comment
  - Section:
    - Upper.md
    - sub/none.md
    - My page: my page.md
    - https://a.example/
    - Absolute: /gone.md
    - mailto:x@a.example
    - Made: sub/page/
    - Copied: img/
    - ../README.md
    - secret.md
  - index.md#x
  - [in/brackets.md]
#  - comment.md
theme: x
other:
  - not.md
"""
NAV_FILES = {
    "index.md": "# A",
    "upper.md": "",
    "my page.md": "",
    "sub/page.md": "",
    "img/index.html": "",
    "secret.md": "",
}
WRONG_IN_NAV = [
    (5, 14, "LF101", "gone.md"),
    (7, 7, "LF105", "Upper.md"),
    (8, 7, "LF101", "sub/none.md"),
    (15, 7, "LF101", "../README.md"),
    (17, 5, "LF101", "index.md#x"),
]


def test_a_link_out_of_the_folder_is_told(tmp_path):
    write(tmp_path, {"mkdocs.yml": "site_url: https://e.example/p/"})
    [one] = audited(tmp_path / "docs", {"a.md": "[a](../../x/README.md)"}, base_url=None).findings
    assert one.message == "the reference leads out of the folder of the sources: the site has no page for it"
    assert (one.cause, one.hint) == ("../../x/README.md", None)


def test_the_url_of_the_site_below_its_settings_is_told(tmp_path):
    files = {"p/mkdocs.yml": "site_url: https://e.example/x/", "p/docs/index.md": "[a](gone.md)"}
    found = audited(tmp_path, files, base_url=None)
    assert found.urls == (f"{tmp_path}: the URL is not known", "p/docs/: https://e.example/x/")


def in_nav(tmp_path, nav, folder="docs", **options):
    """The findings in the settings of MkDocs."""
    write(tmp_path, {"mkdocs.yml": nav})
    write(tmp_path / "docs", NAV_FILES)
    found = audited(tmp_path / folder, {}, base_url=None, **options)
    path = posixpath.relpath("mkdocs.yml", folder)
    return [(one.line, one.column, one.code, one.reference) for one in found.findings if one.path == path]


class TestNav:
    @pytest.mark.parametrize("folder", [".", "docs"])
    def test_entries_without_a_file_are_findings(self, tmp_path, folder):
        nav = NAV.replace("\nother", "\nexclude_docs: secret.md\nother")
        assert in_nav(tmp_path, nav, folder) == WRONG_IN_NAV

    def test_line_ends_do_not_count(self, tmp_path):
        assert in_nav(tmp_path, NAV.replace("\n", "\r\n")) == WRONG_IN_NAV

    def test_absolute_paths_are_read_by_a_setting(self, tmp_path):
        nav = f"{NAV}validation:\n  nav:\n    absolute_links: relative_to_docs\n"
        assert (11, 17, "LF101", "/gone.md") in in_nav(tmp_path, nav)

    @pytest.mark.parametrize(
        ("more", "is_judged"),
        [
            ("plugins: [search, tags]", True),
            ("plugins: [linkfix]", True),
            ("plugins:\n- linkfix:\n    ignore: [LF312]", True),
            ("plugins:\n- search\n- redirects:\n    redirect_maps:\n      a.md: https://x.example/", True),
            ("plugins:\n- search\n- gen-files", False),
            ("hooks:\n- hook.py", False),
            ("INHERIT: base.yml", False),
        ],
    )
    def test_plugins_may_add_pages(self, tmp_path, more, is_judged):
        assert in_nav(tmp_path, f"{NAV}{more}\n") == WRONG_IN_NAV * is_judged

    def test_options_choose_the_settings_file(self, tmp_path):
        assert in_nav(tmp_path, NAV, ".", include=("*.md",)) == []
        assert in_nav(tmp_path, NAV, ".", heading_ids="github") == []
        write(tmp_path, {"README.md": ""})
        assert [one[2] for one in in_nav(tmp_path, NAV, ".", ignore=("LF101",))] == ["LF105"]

    def test_folders_above_are_counted_and_named(self, tmp_path):
        write(tmp_path, {"docs/a.md": "", "mkdocs.yml": "nav:\n- gone.md\n"})
        found = audit(str(tmp_path / "docs"), AuditOptions())
        assert [one.path for one in found.findings] == ["../mkdocs.yml"]
        assert found.folders[""].findings.total() == 1
        assert location(found, found.findings[0]) == str(tmp_path / "mkdocs.yml")
        write(tmp_path, {"other/a.html": ""})
        several = audit_sites([str(tmp_path / "docs"), str(tmp_path / "other")], AuditOptions())
        assert [one.path for one in several.findings] == ["mkdocs.yml"]

    def test_long_settings_take_linear_time(self, tmp_path):
        start = time.process_time()
        for unit in ("- a: ", "- 'a", "  \n", ": ", "#", "- a:b\n"):
            assert list(nav_entries(b"nav:\n" + unit.encode() * (200_000 // len(unit)))) is not None
        assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("settings", "is_read"),
    [
        ("", False),
        ("markdown_extensions: [attr_list]", False),
        ("markdown_extensions:\n- markdown.extensions.md_in_html\n", True),
        ("markdown_extensions: [extra]", True),
        ("INHERIT: base.yml", True),
    ],
)
def test_markdown_in_html_is_read_by_an_extension(tmp_path, settings, is_read):
    write(tmp_path, {"mkdocs.yml": settings})
    text = "<div markdown>\n[a](gone.md)\n</div>"
    found = audited(tmp_path / "docs", {"index.md": text}, base_url=None).findings
    assert [(one.line, one.column, one.reference) for one in found] == [(2, 5, "gone.md")] * is_read


@pytest.mark.parametrize(
    ("settings", "is_read"),
    [
        ("", False),
        ("markdown_extensions: [pymdownx.details, admonition]", False),
        ("markdown_extensions:\n- pymdownx.tabbed:\n    alternate_style: true\n", True),
        ("markdown_extensions: [toc]\nplugins: [own]", True),
    ],
)
def test_tabs_are_read_by_an_extension(tmp_path, settings, is_read):
    write(tmp_path, {"mkdocs.yml": settings})
    found = audited(tmp_path / "docs", {"index.md": '=== "Tab"\n\n    [a](gone.md)\n'}, base_url=None).findings
    assert [(one.line, one.column, one.reference) for one in found] == [(3, 9, "gone.md")] * is_read


def test_destinations_can_have_spaces(tmp_path):
    text = "[a](a b.md#gone) [b](Upper page.md) ![c](no such.png 'title') [d]({{ some url }})"
    files = {"index.md": text, "a b.md": "# A", "upper page.md": "# U"}
    write(tmp_path, {"mkdocs.yml": ""})
    found = audited(tmp_path / "docs", files, base_url=None).findings
    assert [(one.code, one.column, one.reference) for one in found] == [
        ("LF102", 5, "a b.md#gone"),
        ("LF105", 22, "Upper page.md"),
        ("LF101", 42, "no such.png"),
    ]
    assert audited(tmp_path / "docs", files, base_url=None, heading_ids="github").findings == ()
    made = fixed(tmp_path / "docs", files, base_url=None)
    assert b"[b](upper%20page.md)" in made["index.md"]


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ("", ["#own", "#class"]),
        ("markdown_extensions:\n- attr_list\n", ["#class-x", "#named-own"]),
        ("plugins:\n- search\n- other\n", []),
    ],
)
def test_attributes_are_read_by_an_extension(tmp_path, settings, wrong):
    write(tmp_path, {"mkdocs.yml": settings})
    text = "[a](#own) [b](#class) [c](#class-x) [d](#named-own) [e](#set-up_1)"
    found = audited(tmp_path / "docs", {"guide.md": f"{PAGES['guide.md']}\n\n{text}"}, base_url=None)
    assert sorted(one.reference for one in found.findings) == sorted(wrong)


#: A page with footnotes; a link to each ID that some settings make.
NOTES = "# A\n\nx[^1] y[^1] [^b] `[^c]`\n\n[^1]: F\n[^b]:\n    Two [words]\n\n[^c]: Not used\n\n    [^code]: x\n"
OF_NOTES = [f"#{one}" for one in ("fn:1", "fnref:1", "fnref2:1", "fn:b", "fnref:b", "fn:c")]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("markdown_extensions: [footnotes]", OF_NOTES),
        ("markdown_extensions:\n- markdown.extensions.footnotes:\n    BACKLINK_TEXT: back\n", OF_NOTES),
        ("markdown_extensions: [extra]", OF_NOTES),
        ("markdown_extensions: [toc]", []),
        ("plugins:\n- other\n", OF_NOTES),
        ("markdown_extensions:\n- footnotes:\n    SEPARATOR: '-'\n", [one.replace(":", "-") for one in OF_NOTES]),
        (
            "markdown_extensions:\n- footnotes:\n    UNIQUE_IDS: true\n",
            [one.replace(":", ":2-") for one in OF_NOTES],
        ),
    ],
)
def test_footnotes_have_ids_by_an_extension(tmp_path, settings, found):
    write(tmp_path, {"mkdocs.yml": settings})
    asked = [one.replace(":", mark) for one in OF_NOTES for mark in (":", "-", ":2-")]
    asked += ["#fnref3:1", "#fnref:c", "#fn:code", "#fn:words", "#fn1"]
    text = NOTES + " ".join(f"[x]({one})" for one in asked)
    missing = {one.reference for one in audited(tmp_path / "docs", {"a.md": text}, base_url=None).findings}
    assert missing == set(asked).difference(found)


@pytest.mark.parametrize("unit", ["[^", "[^a]", "[^a]:", "[^a]: x\n", "\n[^"])
def test_many_footnotes_take_linear_time(tmp_path, unit):
    start = time.process_time()
    audited(tmp_path, {"a.md": unit * (400_000 // len(unit))}, heading_ids="mkdocs")
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ("", []),
        ("plugins: [search]", []),
        ("plugins: []", ["search/search_index.json"]),
        ("plugins:\n- macros\n", None),
    ],
)
def test_the_files_of_the_search_are_not_checked(tmp_path, settings, missing):
    write(tmp_path, {"mkdocs.yml": settings})
    text = "[a](search/search_index.json) [b](search/gone.json)"
    found = [one.reference for one in audited(tmp_path / "docs", {"index.md": text}, base_url=None).findings]
    expected = ["search/search_index.json"] if missing is None else missing
    assert found == [*expected, "search/gone.json"]


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [("relative_to_docs", ["/guide.html", "/gone.md"]), ("warn", ["/deep/page.md", "/guide.html", "/gone.md"])],
)
def test_links_that_begin_with_a_slash(tmp_path, setting, wrong):
    write(tmp_path, {"mkdocs.yml": f"validation:\n  links:\n    absolute_links: {setting}\n"})
    text = "[a](/deep/page.md) [b](/guide/) [c](/guide.html) [d](/gone.md)"
    found = audited(tmp_path / "docs", {**PAGES, "index.md": text}, base_url=None)
    assert [one.reference for one in found.findings] == wrong


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("baz/", "baz.md"),
        ("baz/#x", "baz.md#x"),
        ("../other/", "../other.md"),
        ("/other.md#x", "../other.md#x"),
        ("other.md", "../other.md"),
    ],
)
def test_hints_name_source_files(tmp_path, reference, hint):
    write(tmp_path, {"mkdocs.yml": "", "docs/foo/baz.md": "# X", "docs/other.md": "# X"})
    [one] = audited(tmp_path / "docs", {"foo/bar.md": f"[x]({reference})"}, base_url=None).findings
    assert (one.code, one.hint and one.hint.reference) == ("LF101", hint)


def test_the_target_is_that_of_the_built_page(tmp_path):
    write(tmp_path, {"mkdocs.yml": "site_url: https://e.example/lamp/", "docs/foo/baz.md": "# Baz"})
    text = "[ok](../baz/) [broken](baz/) [outside](../../../gone/) [out](../../../gone.md)"
    found = audited(tmp_path / "docs", {"foo/bar.md": text}, base_url=None)
    assert [(one.reference, one.target) for one in found.findings] == [
        ("baz/", "https://e.example/lamp/foo/bar/baz/"),
        ("../../../gone.md", "https://e.example/gone.md"),
    ]


def test_the_case_of_source_files_is_fixed(tmp_path):
    write(tmp_path, {"mkdocs.yml": ""})
    made = fixed(tmp_path / "docs", {"a/Guide.md": "# X", "b.md": "[x](A/guide.md#x)"}, base_url=None)
    assert made == {"b.md": b"[x](a/Guide.md#x)"}


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="file names there are Unicode")
def test_a_folder_whose_name_is_not_text(tmp_path):
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    found = audited(tmp_path / "docs", {"d\udcff/a.md": "[a](gone.md)"})
    assert [one.name for one in found.findings] == ["missing-target"]


MIXED = {
    "mkdocs.yml": EXCLUDED,
    "README.md": "[ok](docs/guide.md#set-up) [a](docs/guide.md#gone) [b](docs/gone.md) [ok](docs/guide.md#L1)",
    "docs/index.md": "[ok](guide.md) [ok](guide/) [a](/docs/guide.md)",
    "docs/guide.md": "# Guide\n\n## Set up\n\n[ok](../#x) [a](guide.md#L1)",
    "docs/excluded/page.md": "[x](gone.md)",
    "site/index.html": "<a href=/guide/>ok</a> <a href=/site/>a</a>",
    "site/guide/index.html": "<a href=../>ok</a>",
}


def told(found):
    return sorted((one.path, one.reference) for one in found.findings)


class TestMixedTree:
    def test_sources_and_built_pages_are_sites_of_their_own(self, tmp_path):
        found = audited(tmp_path, MIXED, base_url=None, select=("LF101", "LF102"))
        assert told(found) == [
            ("README.md", "docs/gone.md"),
            ("README.md", "docs/guide.md#gone"),
            ("docs/guide.md", "../#x"),
            ("docs/guide.md", "guide.md#L1"),
            ("docs/index.md", "/docs/guide.md"),
            ("site/index.html", "/site/"),
        ]
        assert "docs/ is a site of its own" in found.settings
        assert found.urls == ()
        assert "site/ is a site of its own" in found.settings
        assert (found.coverage.files, found.coverage.pages) == (7, 5)
        assert found.coverage.left_out == {"not part of the built site": 1}
        assert sorted(number for cause in found.causes for number in cause.findings) == list(range(6))

    def test_patterns_begin_at_the_audited_folder(self, tmp_path):
        options = {"base_url": None, "select": ("LF101", "LF102"), "exclude": ("/site/", "/README.md")}
        ignored = ("docs/docs/guide.md",)
        found = audited(
            tmp_path, MIXED, ignore_target=ignored, per_file_ignores=(("/docs/guide.md", ("LF102",)),), **options
        )
        assert told(found) == []
        assert found.hidden == {"per-file-ignores": 2, "ignore-target": 1}

    def test_an_option_that_names_another_program_counts(self, tmp_path):
        found = audited(tmp_path, MIXED, base_url=None, heading_ids="github", select=("LF101",))
        assert ("docs/index.md", "/docs/guide.md") not in told(found)

    def test_the_url_of_the_whole_tree_counts_for_built_pages(self, tmp_path):
        found = audited(tmp_path, MIXED, base_url="https://e.example/", select=("LF101",))
        assert ("site/index.html", "/guide/") in told(found)

    def test_a_fix_reaches_the_pages_of_an_inner_site(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": "", "README.md": "x", "docs/a/Guide.md": "# X"})
        made = fixed(tmp_path, {"docs/b.md": "[x](A/guide.md)"}, base_url=None)
        assert made == {"docs/b.md": b"[x](a/Guide.md)"}


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("../both/README.md", "did you mean both/index.md?"),
        ("../excluded/page.md", "excluded/page.md is not part of the site: the settings of MkDocs exclude it"),
    ],
)
def test_hints_name_only_parts_of_the_site(tmp_path, reference, hint):
    write(tmp_path, {"mkdocs.yml": EXCLUDED})
    [one] = audited(tmp_path / "docs", {**PAGES, "deep/page.md": f"[x]({reference})"}, base_url=None).findings
    assert (one.hint and one.hint.text) == hint


@pytest.mark.parametrize("setting", ["!ENV X", '["*.md"]'])
def test_nothing_is_left_out_if_the_patterns_are_not_known(tmp_path, setting):
    write(tmp_path, {"mkdocs.yml": f"exclude_docs: {setting}"})
    found = audited(tmp_path / "docs", {"a.md": "[x](.b.md)", ".b.md": "# B"}, base_url=None)
    assert (found.findings, found.coverage.left_out) == ((), {})


def test_the_hint_for_a_missing_readme_is_the_index_of_its_folder(tmp_path):
    files = {
        "mkdocs.yml": "site_name: L\n",
        "docs/index.md": "# I\n",
        "docs/a/b.md": "[x](../README.md) [y](README.md)\n",
    }
    write(tmp_path, files)
    above, beside = audit(str(tmp_path), AuditOptions()).findings
    assert above.hint == Hint("did you mean index.md?", "../index.md")
    assert beside.hint is None


@pytest.mark.parametrize("tree", ["", "docs", "docs/theme", "docs/src"])
@pytest.mark.parametrize("name", ["mkdocs.yml", "properdocs.yml", "zensical.yml"])
def test_templates_of_the_theme_are_no_pages(tmp_path, name, tree):
    settings = "site_url: https://e.example/\ndocs_dir: docs/src\ntheme:\n  custom_dir: docs/theme\n"
    page = "[x](https://e.example/b/) [y](c.md)\n"
    template = "<a href='{{ page.url }}'>x</a>"
    write(tmp_path, {name: settings, "docs/src/b.md": page, "docs/theme/main.html": template, "a.html": template})
    found = audit(str(tmp_path / tree), AuditOptions())
    assert sorted(one.reference for one in found.findings) == {
        "": ["c.md", "{{ page.url }}"],
        "docs/theme": ["{{ page.url }}"],
    }.get(tree, ["c.md"])


@pytest.mark.parametrize("tree", ["", "docs"])
@pytest.mark.parametrize(("name", "settings"), [("mkdocs.yml", "{}: {}\n"), ("zensical.toml", "{} = '{}'\n")])
def test_settings_beside_the_sources_count(tmp_path, tree, name, settings):
    values = {"site_name": "Lamp", "docs_dir": "../docs", "site_url": "https://e.example/l/"}
    text = "".join(settings.format(key, value) for key, value in values.items())
    page = "[a](https://e.example/l/a/) [b](gone.md) [c](/l/a/)\n"
    write(tmp_path, {f"site/{name}": text, "docs/a.md": page, "other/a.md": "x"})
    found = audit(str(tmp_path / tree), AuditOptions())
    assert [one.target for one in found.findings] == ["https://e.example/l/gone.md"]
    assert "site_url = https://e.example/l/" in found.settings


@pytest.mark.parametrize(
    "plugins",
    [
        "- redirects:\n    redirect_maps:\n      'old.md': new.md#a\n      # none\n      sub/o.md: gone.md#x\n",
        "redirects:\n  redirect_maps:\n    old.md: new.md\n    'sub/o.md': 'gone.md'\n",
        '- redirects: {redirect_maps: {old.md: new.md, "sub/o.md": gone.md}}\n',
        "- redirects:\n    redirect_maps:\n      old.md: https://x.example/\n      sub/o.md: gone.md\n",
    ],
)
def test_pages_of_the_plugin_for_redirects(tmp_path, plugins):
    """`mkdocs-redirects` writes a page for each source that settings name, and warns of a target that is not there."""
    settings = "site_name: x\nuse_directory_urls: true\nplugins:\n" + indent(plugins, "  ")
    links = "[a](old/) [b](sub/o/) [c](sub/o/index.html) [d](none/) [e](old.md)\n"
    write(tmp_path, {"mkdocs.yml": settings, "docs/new.md": "# New\n", "docs/index.md": links})
    found = audit(str(tmp_path / "docs"), AuditOptions(select=("LF101",))).findings
    assert [(one.path, one.reference) for one in found if one.path == "index.md"] == [
        ("index.md", "none/"),
        ("index.md", "old.md"),
    ]
    assert [(one.path, one.reference) for one in found if one.path != "index.md"] == [("../mkdocs.yml", "gone.md")]


@pytest.mark.growth
def test_many_redirects_take_linear_time():
    for unit in (
        b"redirect_maps:\n",
        b"redirect_maps: {a: b, ",
        b"  redirect_maps:\n    a: b\n",
        b"redirect_maps:\n\n",
    ):
        with processor_limit(10):
            list(mkdocs_redirects(b"plugins:\n" + unit * 5000))
