"""The sources and built sites of Zensical. The broken references are those of a real build."""

from __future__ import annotations

import pytest
from support.audit_trees import write

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.generators import find_settings, find_sources
from linkfix.auditing.generators.formats import SPREAD, read_text

SETTINGS = """\
[project]
site_name = "Lamp"
site_url = "https://lamp.example/docs/"
nav = [
  { "Home" = "index.md" },
  ["foo/bar.md"],
]
"""
FILES = {
    "zensical.toml": SETTINGS,
    "docs/index.md": (
        "[a](foo/bar.md#own) [b](foo/gone.md) [c](/foo/bar/) [d](foo/bar/) [e](foo/bar.md#no) [f](foo/baz)\n"
    ),
    "docs/foo/bar.md": (
        "## Class { #own }\n\n[x](baz.md) [y](../baz/) [z](baz/) ![i](a.png) [k](../index.md) [w](../../x/)\n\n"
        '<img src="../a.png"> <img src="a.png"> <a href="baz.md">m</a> <a href="gone.md">m</a> [q](gone/)\n'
    ),
    "docs/foo/baz.md": "# Baz\n",
    "docs/foo/a.png": b"x",
}

#: The references that Zensical builds into links which lead nowhere, and the one that leads out of the site.
BROKEN = ["foo/gone.md", "foo/bar.md#no", "../baz/", "../a.png", "gone.md", "gone/"]
OUTSIDE = "/foo/bar/"


@pytest.mark.parametrize("settings", [SETTINGS, SETTINGS.replace("[project]\n", "")])
@pytest.mark.parametrize("tree", ["docs", ""])
def test_references_count_from_the_folder_of_the_source(tmp_path, tree, settings):
    write(tmp_path, FILES | {"zensical.toml": settings})
    found = audit(str(tmp_path / tree), AuditOptions()).findings
    assert sorted(one.reference for one in found if one.code != "LF108") == sorted(BROKEN)
    assert [one.reference for one in found if one.code == "LF108"] == [OUTSIDE]


@pytest.mark.parametrize("more", ["", "site_url = 'https://lamp.example/'\n", "use_directory_urls = false\n"])
@pytest.mark.parametrize("tree", ["docs", ""])
def test_a_fragment_is_one_of_the_own_page(tmp_path, tree, more):
    page = "# Page\n\n## Install\n\n[a](#install) [b](#instal) <a href='#page'>d</a> <a href='#no'>e</a>\n"
    files = {"zensical.toml": f"[project]\nsite_name = 'Lamp'\n{more}", "docs/index.md": page, "docs/g/a.md": page}
    write(tmp_path, files)
    found = audit(str(tmp_path / tree), AuditOptions()).findings
    assert sorted((one.reference, one.code) for one in found) == [("#instal", "LF102")] * 2 + [("#no", "LF102")] * 2


def test_a_built_site_has_the_url_of_the_settings(tmp_path):
    write(tmp_path, FILES | {"site/index.html": "<p>x"})
    found = find_settings(str((tmp_path / "site").resolve()))
    assert found.url == "https://lamp.example/docs/"
    assert found.file.startswith("Zensical, ")


@pytest.mark.parametrize(
    ("more", "attributes", "ids"),
    [
        ("", True, "mkdocs"),
        ("[project.markdown_extensions.tables]\n", False, "mkdocs"),
        ("[project.markdown_extensions.attr_list]\n", True, "mkdocs"),
        ("[project.markdown_extensions.toc]\nslugify = 'x'\n", False, "any"),
        ("[project.markdown_extensions.pymdownx.extra]\n", True, "mkdocs"),
    ],
)
def test_tables_of_extensions(tmp_path, more, attributes, ids):
    write(tmp_path, FILES | {"zensical.toml": SETTINGS + more})
    found = find_sources(str((tmp_path / "docs").resolve()))
    assert (found.attributes, found.heading_ids, found.nav) == (attributes, ids, "")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a = 'x'\n[b.c]\nd = true\n", {"a": "x", "b": None, "b/c": None, "b/c/d": True}),
        ("a = ['x', {b = 1}]\n", {"a": None, "a/x": True, f"a/{SPREAD}": True}),
        ('a = """\nx = 1\n"""\n', {"a": "x = 1\n"}),
        ("a = 'x'\na = 'y'\n", {SPREAD: None}),
        ("a = 'x\n", {SPREAD: None}),
        pytest.param("a" + ".a" * 100_000 + " = 1\n", {SPREAD: None}, id="names"),
        pytest.param("a = " + "[" * 100_000, {SPREAD: None}, id="lists"),
    ],
)
def test_settings_in_toml(text, values):
    assert read_text("zensical.toml", text) == values


#: The settings that a project has before it changes to Zensical.
FORMER = "site_name: Lamp\nsite_url: https://former.example/\nuse_directory_urls: false\n"


@pytest.mark.parametrize("tree", ["docs", ""])
def test_its_settings_count_beside_those_of_mkdocs(tmp_path, tree):
    write(tmp_path, FILES | {"mkdocs.yml": FORMER})
    found = audit(str(tmp_path / tree), AuditOptions()).findings
    assert sorted(one.reference for one in found if one.code != "LF108") == sorted(BROKEN)


@pytest.mark.parametrize("site", [None, "zensical"])
def test_sources_beside_the_settings_have_their_url(tmp_path, site):
    settings = SETTINGS.replace("\nnav", '\ndocs_dir = "."\nsite_dir = "../site"\nnav')
    write(
        tmp_path / "lamp",
        {"zensical.toml": settings, "mkdocs.yml": FORMER, "a.md": "[x](https://lamp.example/docs/a/)"},
    )
    found = audit(str(tmp_path / "lamp"), AuditOptions(site=site))
    assert (found.base_url, found.coverage.checked) == ("https://lamp.example/docs/", 1)


def test_the_folder_of_the_replaced_settings_does_not_count(tmp_path):
    write(tmp_path, {"zensical.toml": SETTINGS, "mkdocs.yml": "docs_dir: old\n", "old/a.md": "", "docs/a.md": ""})
    assert "old/" not in audit(str(tmp_path), AuditOptions()).settings


def test_the_settings_of_both_programs_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES | {"mkdocs.yml": FORMER, "site/index.html": "<p>x"})
    built, sources = (str((tmp_path / folder).resolve()) for folder in ("site", "docs"))
    assert (find_settings(built).file, find_settings(built).url) == (
        "Zensical, zensical.toml (not mkdocs.yml)",
        "https://lamp.example/docs/",
    )
    assert find_sources(sources).file == "Zensical, zensical.toml (not mkdocs.yml)"
    assert find_settings(built, "mkdocs").file == "MkDocs, mkdocs.yml"
    assert find_sources(sources, "mkdocs").file == "MkDocs, mkdocs.yml"


def test_a_folder_that_only_mkdocs_builds_has_its_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES | {"mkdocs.yml": f"{FORMER}site_dir: former\n", "former/index.html": "<p>x"})
    assert find_settings(str((tmp_path / "former").resolve())).file == "MkDocs, mkdocs.yml"
