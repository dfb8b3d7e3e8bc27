"""Pages that are not checked, but that fragments of checked pages lead to: they are read for their IDs."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from support.audit_trees import audited, told, write

from linkfix.auditing import engine
from linkfix.auditing.reader import PageReader

FILES = {
    "a.html": "<a href=b.html#here>1</a><a href=b.html#gone>2</a><a href=old/c.html#gone>3</a>",
    "b.html": "<p id=here><a href=nowhere.html#x>not checked</a>",
    "old/c.html": "<p id=here>",
    "unwanted.html": "<p>",
}
MISSING = [("a.html", "missing-fragment", "b.html#gone"), ("a.html", "missing-fragment", "old/c.html#gone")]


@pytest.mark.parametrize("options", [{"include": ("a.html",)}, {"exclude": ("b.html", "old/")}, {}])
def test_fragments_of_unchecked_pages(tmp_path, options):
    found = audited(tmp_path, FILES, **options)
    assert [one for one in told(found) if one[0] == "a.html"] == MISSING
    assert found.coverage.fragments == {"found": 1, "not found": 2}


def test_only_what_is_checked_counts(tmp_path):
    found = audited(tmp_path, FILES, include=("a.html",), select=("all",))
    assert (found.coverage.pages, found.coverage.links, found.pages) == (1, 3, {"a.html"})
    assert {one.path for one in found.findings} == {"a.html"}


def test_each_target_is_read_once_and_no_other_file(tmp_path, monkeypatch):
    reads = Counter()
    real = PageReader.open

    def read(self, page):
        reads[page.name] += 1
        return real(self, page)

    monkeypatch.setattr(PageReader, "open", read)
    files = {**FILES, "a2.html": FILES["a.html"]}
    audited(tmp_path, files, include=("a*.html",))
    assert reads == {"a.html": 2, "a2.html": 2, "b.html": 1, "old/c.html": 1}  # the pages with findings twice


@pytest.mark.parametrize(
    ("ignored", "folder"), [("built/\n", "built"), ("", "node_modules")], ids=["git ignores them", "installed packages"]
)
def test_pages_that_are_left_out(tmp_path, ignored, folder):
    (tmp_path / ".git").mkdir()
    files = {".gitignore": ignored, "a.html": f"<a href={folder}/b.html#x>", f"{folder}/b.html": "<p id=X>"}
    assert told(audited(tmp_path, files)) == [("a.html", "missing-fragment", f"{folder}/b.html#x")]


def test_sources_beside_their_pages(tmp_path):
    files = {"a.md": "[1](b.md#there) [2](b.md#gone)\n", "b.md": "# There\n", "b.html": "<h1 id=there>There</h1>"}
    assert told(audited(tmp_path, files)) == [("a.md", "missing-fragment", "b.md#gone")]


def test_redirects_and_scripts_of_unchecked_pages(tmp_path):
    files = {
        "a.html": "<a href=moved.html#x></a><a href=scripted.html#made></a><a href=own.html#x></a>",
        "own.html": "<meta http-equiv=refresh content='0; url=moved.html'>",
        "moved.html": "<meta http-equiv=refresh content='0; url=end.html'>",
        "end.html": "<p id=x>",
        "scripted.html": "<script src=s.js></script>",
        "s.js": 'document.body.id = "made"',
    }
    expected = [
        ("a.html", "dropped-fragment", "moved.html#x"),
        ("a.html", "scripted-fragment", "scripted.html#made"),
        ("a.html", "dropped-fragment", "own.html#x"),
    ]
    assert told(audited(tmp_path, files, include=("a.html",))) == expected
    assert told(audited(tmp_path, include=("a.html", "own.html"))) == expected


def test_true_reasons(tmp_path):
    files = {
        "a.html": "<a href=p.pdf#page=2></a><a href=big.html#x></a><a href=bad.html#x></a><a href=no.html#x></a>",
        "p.pdf": "",
        "big.html": "<p id=x>" + " " * 1000,
        "bad.html": "<meta charset=iso-2022-kr>",
        "no.html": "<p id=x>",
    }
    root = write(tmp_path, files)
    (tmp_path / "no.html").chmod(0)
    readable = os.access(tmp_path / "no.html", os.R_OK)  # root reads everything
    found = audited(tmp_path, include=("a.html",), max_size=500)
    assert told(found) == []
    assert not found.coverage.unread, root
    assert found.coverage.fragments == {
        "not checked: not an HTML, SVG or Markdown page": 1,
        "not checked: the page is larger than --max-size": 1,
        "not checked: the page could not be read": 1 if readable else 2,
        **({"found": 1} if readable else {}),
    }


def test_a_target_that_disappears(tmp_path, monkeypatch):
    real = engine.list_tree

    def list_tree(*arguments, **options):
        listing = real(*arguments, **options)
        (tmp_path / "b.html").unlink()
        return listing

    monkeypatch.setattr(engine, "list_tree", list_tree)
    found = audited(tmp_path, {"a.html": "<a href=b.html#x>", "b.html": "<p>"}, include=("a.html",))
    assert told(found) == []
    assert found.coverage.fragments == {"not checked: the page could not be read": 1}


def test_several_processes_read_many_targets(tmp_path, monkeypatch):
    files = {f"p{n}.html": f"<p id=x{n}>" for n in range(200)}
    files["a.html"] = "".join(f"<a href=p{n}.html#x{n}></a><a href=p{n}.html#no></a>" for n in range(200))
    alone = audited(tmp_path, files, include=("a.html",))
    monkeypatch.setattr(engine, "_SMALL", 0.01)
    assert told(audited(tmp_path, include=("a.html",), processes=2)) == told(alone)
    assert alone.coverage.fragments == {"found": 200, "not found": 200}


@pytest.mark.parametrize("include", [(), ("x.md",)])
def test_the_other_source_of_a_page_is_read(tmp_path, include):
    files = {"x.md": "[1](a.md#only) [2](a#only) [3](a.html#only)", "a.md": "# A", "a/README.md": "# Only"}
    found = audited(tmp_path, files, include=include)
    assert told(found) == [("x.md", "missing-fragment", "a.md#only")]
    assert found.coverage.fragments == {"not found": 1, "found in another source that the page may be made from": 2}
