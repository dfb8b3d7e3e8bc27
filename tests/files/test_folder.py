from __future__ import annotations

import os
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.systems import needs_open_files, needs_pipes

from linkfix.files import EntryKind, FileTree, folder, join_inside, selector

HTML = "text/html"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("index.html", ""),
        ("a/INDEX.HTM", "a/"),
        ("a/index.html?p=2", "a/?p=2"),
        ("a/myindex.html", "a/myindex.html"),
        ("a b/ü#%.html", "a%20b/%C3%BC%23%25.html"),
        ("caf\udce9.html", "caf%E9.html"),
        ("page.html?q=a%2Fb&x=ü", "page.html?q=a%2Fb&x=%C3%BC"),
        ("127.0.0.1:80/a;b=c@d", "127.0.0.1:80/a;b=c@d"),
    ],
)
def test_url_of(name, expected):
    assert FileTree("/saved", "https://example.com/docs/").url_of(name) == "https://example.com/docs/" + expected
    assert FileTree("/saved").url_of(name) is None


@given(st.text(st.sampled_from("ab0/._-~%#?@:!$&'()*+,;= \"<ü\udce9"), min_size=1))
@example("a/index.html")
def test_names_without_escapes_have_the_same_url(name):
    url = "https://example.com/docs/"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "_WITHOUT_ESCAPES", re.compile(r"(?!)"))
        expected = FileTree("/saved", url).url_of(name)
    assert FileTree("/saved", url).url_of(name) == expected


@given(st.sampled_from(["/", "/saved", "/saved/", "saved", ".", ""]), st.from_regex(r"\A(?:[a.]+(?:/[a.]+)*)?\Z"))
def test_entries_of_a_folder(outer, name):
    joined = os.path.join(outer, *name.split("/"))  # noqa: PTH118 - what it is measured by
    assert join_inside(outer, name) == (joined if name else outer)


def test_entries_have_their_kind_at_the_time_of_reading(site):
    found = []
    for entry in FileTree(os.path.realpath(site)).entries():
        found.append((entry.name, entry.kind))
        if entry.name == "a/b c.html":  # the next names are gone, or something else
            (site / "a" / "list.html?q=1%2F2&r=ü").unlink()
            (site / "a" / "page.html").unlink()
            (site / "a" / "page.html").mkdir()
    assert ("a/list.html?q=1%2F2&r=ü", EntryKind.FAILED) in found
    assert ("a/page.html", EntryKind.FOLDER) in found


@needs_open_files
def test_no_folder_stays_open(site):
    descriptors = Path("/proc/self/fd")

    def held():
        return len(list(descriptors.iterdir()))

    tree = FileTree(os.path.realpath(site))
    list(tree.entries())
    before = held()
    for _ in range(20):
        entries = tree.entries()
        assert next(entries).kind is EntryKind.FOLDER
        next(entries)
        entries.close()
        assert tree.entry("a/page.html").kind is EntryKind.DOCUMENT
    assert held() <= before + 4


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    for name in ("index.html", "a/page.html", "a/b c.html", "a/list.html?q=1%2F2&r=ü", "empty/x.txt", "app.php"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"<!doctype html>\n")
    (tmp_path / "secret.html").write_bytes(b"secret")
    return root


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("", True),
        ("index.html#top", True),
        ("a/page.html", True),
        ("a/page.html?v=2", True),
        ("a/b%20c.html", True),
        ("a/list.html?q=1/2&r=%C3%BC", True),
        ("a/list.html%3Fq=1%252F2&r=%C3%BC", True),
        ("a/list.html", False),
        ("a/", False),
        ("a/missing.html", False),
        ("empty/x.txt", True),
        ("../secret.html", False),
        ("..%2Fsecret.html", False),
        ("%2Fetc%2Fpasswd", False),
        ("a%00", False),
        ("x/" * 100_000, False),
    ],
)
def test_has_url(site, reference, expected):
    tree = FileTree(os.path.realpath(site), "https://example.com/s/")
    assert tree.has_url("https://example.com/s/" + reference) is expected


def test_has_url_nothing_of_other_sites_or_without_a_url(site):
    root = os.path.realpath(site)
    assert not FileTree(root, "https://example.com/s/").has_url("https://example.com/index.html")
    assert not FileTree(root).has_url("https://example.com/index.html")


def test_a_link_out_of_the_tree_has_no_url(site):
    (site / "out.html").symlink_to(site.parent / "secret.html")
    assert not FileTree(os.path.realpath(site), "https://e/").has_url("https://e/out.html")


def test_entries_are_in_the_order_of_names_with_folders_first_seen(site):
    found = [(entry.name, entry.kind, entry.media_type) for entry in FileTree(os.path.realpath(site)).entries()]
    assert found == [
        ("", EntryKind.FOLDER, ""),
        ("a", EntryKind.FOLDER, ""),
        ("a/b c.html", EntryKind.DOCUMENT, HTML),
        ("a/list.html?q=1%2F2&r=ü", EntryKind.DOCUMENT, HTML),
        ("a/page.html", EntryKind.DOCUMENT, HTML),
        ("app.php", EntryKind.DOCUMENT, HTML),
        ("empty", EntryKind.FOLDER, ""),
        ("empty/x.txt", EntryKind.OTHER, ""),
        ("index.html", EntryKind.DOCUMENT, HTML),
    ]


def entries(root):
    return {entry.name: entry for entry in FileTree(os.path.realpath(root)).entries()}


def test_links_are_reported_and_never_followed(site):
    (site / "in.html").symlink_to("a/page.html")
    (site / "a" / "up").symlink_to(os.path.realpath(site / "empty"))
    (site / "loop").symlink_to(".")
    (site / "out").symlink_to(site.parent)
    (site / "dangling.html").symlink_to("nowhere.html")
    found = entries(site)
    assert (found["in.html"].kind, found["in.html"].text) == (EntryKind.LINK, "a/page.html")
    assert (found["a/up"].kind, found["a/up"].text) == (EntryKind.LINK, "../empty")
    assert (found["loop"].kind, found["loop"].text) == (EntryKind.LINK, ".")
    assert (found["dangling.html"].kind, found["dangling.html"].text) == (EntryKind.LINK, "nowhere.html")
    assert found["out"].kind is EntryKind.REFUSED
    assert found["out"].text == f"symbolic link out of the folder, to {site.parent}: not followed"
    assert not any(name.startswith(("out/", "loop/", "a/up/")) for name in found)


@needs_pipes
def test_devices_and_pipes_cannot_be_read(site):
    os.mkfifo(site / "pipe.html")
    assert entries(site)["pipe.html"].kind is EntryKind.FAILED


def test_temporary_files_of_stopped_runs_are_skipped(site):
    (site / ".linkfix-0123456789abcdef.tmp").write_bytes(b"half")
    assert ".linkfix-0123456789abcdef.tmp" not in entries(site)


@needs_open_files
def test_an_unreadable_folder_is_an_entry_and_the_others_follow(site, monkeypatch):
    listdir = os.listdir

    def refuse(path):
        if os.path.realpath(f"/proc/self/fd/{path}").endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    found = [(entry.name, entry.kind, entry.text) for entry in FileTree(os.path.realpath(site)).entries()]
    assert ("a", EntryKind.FAILED, "Permission denied") in found
    assert found[-1][0] == "index.html"


def test_folders_nested_deeper_than_the_system_can_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(30):
        Path("d" * 200).mkdir()
        os.chdir("d" * 200)
    monkeypatch.undo()
    found = list(FileTree(os.path.realpath(tmp_path)).entries())
    assert found[-1].kind is EntryKind.FAILED
    assert found[-1].text == "File name too long"


@pytest.mark.parametrize(
    ("include", "exclude", "chosen"),
    [
        ((), (), {"a.html", "docs/b.html", "docs/x/c.html", "new/docs/d.html"}),
        (("*.html",), (), {"a.html", "docs/b.html", "docs/x/c.html", "new/docs/d.html"}),
        (("/docs/",), (), {"docs/b.html", "docs/x/c.html"}),
        (("docs/",), (), {"docs/b.html", "docs/x/c.html", "new/docs/d.html"}),
        (("docs/**/c.html",), (), {"docs/x/c.html"}),
        ((), ("docs/*.html",), {"a.html", "docs/x/c.html", "new/docs/d.html"}),
        (("docs/",), ("x/",), {"docs/b.html", "new/docs/d.html"}),
    ],
)
def test_selector(include, exclude, chosen):
    choose = selector(include, exclude)
    assert {name for name in ("a.html", "docs/b.html", "docs/x/c.html", "new/docs/d.html") if choose(name)} == chosen


def test_a_tree_is_pickled_with_its_formats(site):
    tree = FileTree(os.path.realpath(site), "https://e/")
    assert pickle.loads(pickle.dumps(tree)) == tree  # noqa: S301


def test_an_excluded_document_is_an_ordinary_file(site):
    tree = FileTree(os.path.realpath(site))
    kinds = {entry.name: entry.kind for entry in tree.entries(chosen=selector(("a/",), ()))}
    assert kinds["index.html"] is EntryKind.OTHER
    assert kinds["a/page.html"] is EntryKind.DOCUMENT
