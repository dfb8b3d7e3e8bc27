"""The files that the URL of a folder leads to: those that servers look for by default, or those that a user names."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, told

from linkfix import InvalidOption
from linkfix.auditing import AuditOptions, Site
from linkfix.auditing.site import INDEXES


def linked(*references, media="html"):
    links = "".join(f'<a href="{reference}">x</a>' for reference in references)
    return {f"page.{media}": f"<meta charset=utf-8>{links}"}


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_that_servers_look_for_is_found(tmp_path, name):
    assert told(audited(tmp_path, {**linked("a/", "a"), f"a/{name}": ""})) == []


@pytest.mark.parametrize("name", ["README.md", "home.html", "INDEX.HTML", "index.txt"])
def test_any_other_file_is_none(tmp_path, name):
    found = audited(tmp_path, {**linked("a/"), f"a/{name}": ""})
    assert told(found) == [("page.html", "folder-without-index", "a/")]


def test_the_first_index_that_exists_is_the_target(tmp_path):
    files = {**linked("a/#one", "a/#two"), "a/one.html": "<p id=one>", "a/two.html": "<p id=two>"}
    assert told(audited(tmp_path, files, indexes=("zero.html", "two.html", "one.html"))) == [
        ("page.html", "missing-fragment", "a/#one")
    ]


def test_names_that_are_given_replace_the_usual_ones(tmp_path):
    files = {**linked("a/", "b/"), "a/index.html": "", "b/index.php": ""}
    assert told(audited(tmp_path, files, indexes=("index.php",))) == [("page.html", "folder-without-index", "a/")]


def test_markdown_can_be_an_index(tmp_path):
    files = {**linked("a/#set-up", "a/#gone"), "a/README.md": "# Set up\n"}
    assert told(audited(tmp_path, files, indexes=("README.md",))) == [("page.html", "missing-fragment", "a/#gone")]


@pytest.mark.parametrize("source", ["html", "md"])
def test_a_folder_can_have_none(tmp_path, source):
    files = {**linked("a/#x", "a/index.html#x", media=source), "a/index.html": "<p id=x>", "a/README.md": "# x\n"}
    found = told(audited(tmp_path, files, indexes=(), heading_ids="pandoc"))
    assert found == [(f"page.{source}", "folder-without-index", "a/#x")]


def test_a_page_beside_the_folder_is_no_index(tmp_path):
    assert told(audited(tmp_path, {"page.md": "[x](a)", "a.md": "", "a/x.md": ""}, indexes=())) == []


def test_a_mounted_folder_has_the_same_indexes(tmp_path):
    (tmp_path / "share").mkdir()
    (tmp_path / "share/home.html").touch()
    files, mounts = linked("/share/"), (("/share", str(tmp_path / "share")),)
    assert told(audited(tmp_path / "site", files, mounts=mounts)) == [("page.html", "folder-without-index", "/share/")]
    assert told(audited(tmp_path / "site", files, mounts=mounts, indexes=("home.html",))) == []


@pytest.mark.parametrize(
    ("indexes", "urls"),
    [
        (INDEXES, ["https://h/a/Home.html", "https://h/a/x.html"]),
        ((), ["https://h/a/Home.html", "https://h/a/x.html"]),
        (("Home.html",), ["https://h/a/", "https://h/a/x.html"]),
        (("x.html", "Home.html"), ["https://h/a/Home.html", "https://h/a/"]),
    ],
)
def test_the_url_of_an_index_is_that_of_its_folder(indexes, urls):
    files = ["a/Home.html", "a/x.html"]
    site = Site("https://h/", files, ["", "a"], indexes=indexes)
    assert [site.page_url(name) for name in files] == urls


def test_an_index_is_no_orphan(tmp_path):
    files = {"home.html": '<a href="a.html">x</a>', "a.html": ""}
    assert told(audited(tmp_path, files, select=("LF110",), indexes=("home.html",))) == []
    assert told(audited(tmp_path, files, select=("LF110",))) == [("home.html", "orphan-page", "")]


@pytest.mark.parametrize("wrong", ["index.php", ["index.php"], (1,)])
def test_other_types_are_refused(wrong):
    with pytest.raises(InvalidOption):
        AuditOptions(indexes=wrong)
