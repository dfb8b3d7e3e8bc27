"""Folders that are served beside the tree: references to their files are checked, fragments too."""

from __future__ import annotations

import dataclasses

import pytest
from support.audit_trees import BASE, audited, told, write

from linkfix import InvalidOption
from linkfix.auditing import AuditOptions, audit_trees, list_tree
from linkfix.auditing.engine import _TreeAudit
from linkfix.auditing.mounts import Tree
from linkfix.auditing.reader import PageReader

SHARE = {
    "jquery.js": "",
    "z.txt.gz": "",
    "sub/x.css": "p{}",
    "doc.html": "<p id=here><a href=nowhere.html>its own references are not checked</a>",
    "moved.html": '<meta http-equiv=refresh content="0; url=doc.html">',
    "scripted.html": "<script src=s.js></script>",
    "s.js": 'document.body.id = "made"',
    "größe.html": "<p id=ja>",
}


@pytest.fixture
def share(tmp_path):
    return write(tmp_path / "share", SHARE)


def references(*links):
    return {"a/index.html": "<meta charset=utf-8>" + "".join(f'<a href="{link}">x</a>\n' for link in links)}


GOOD = [
    "jquery.js",
    "doc.html#here",
    "doc.html",
    "sub/../doc.html#here",
    "doc.html?x=1#here",
    "gr%C3%B6%C3%9Fe.html#ja",
    "größe.html#ja",
    "z.txt.gz",
    "doc.html#top",
]
BAD = {
    "gone.js": "missing-target",
    "z.txt": "missing-target",
    "doc.html#there": "missing-fragment",
    "sub/": "folder-without-index",
    "Jquery.js": "case-mismatch",
    "moved.html#here": "dropped-fragment",
    "scripted.html#made": "scripted-fragment",
}


@pytest.mark.parametrize(
    ("label", "prefix"),
    [("/usr/share/x", "/usr/share/x/"), ("https://other.example", "https://other.example/"), ("/a/x", "x/")],
)
@pytest.mark.parametrize("quick", [True, False])
def test_references_to_a_mount(tmp_path, share, label, prefix, quick):
    files = references(*(prefix + link for link in (*GOOD, *BAD)))
    root = write(tmp_path / "tree", files)
    run = _TreeAudit(
        root, AuditOptions(base_url=BASE, mounts=((label, share),)), lambda _size, _links: None, list_tree(root)
    )
    run.reader = PageReader(dataclasses.replace(run.reader.settings, quick=quick))
    found = run.run(0.0)
    expected = [("a/index.html", name, prefix + link) for link, name in BAD.items()]
    assert sorted(told(found)) == sorted(expected)
    assert found.coverage.pages == 1
    assert found.coverage.checked == len(GOOD) + len(BAD)


def test_messages_name_the_mount(tmp_path, share):
    files = references("/s/gone.js", "/s/z.txt", "/s/doc.html#Here", "/s/Jquery.js")
    found = {one.reference: one for one in audited(tmp_path / "tree", files, mounts=(("/s/", share),)).findings}
    assert found["/s/gone.js"].message == "the mounted folder /s has no such file"
    assert found["/s/z.txt"].hint.text.startswith("the site has /s/z.txt.gz:")
    assert found["/s/doc.html#Here"].message == "no element of /s/doc.html has this ID"
    assert found["/s/doc.html#Here"].hint.reference == "/s/doc.html#here"
    assert (found["/s/Jquery.js"].hint.text, found["/s/Jquery.js"].hint.certain) == ("the file is /s/jquery.js", False)


def test_the_longest_url_counts(tmp_path):
    outer = write(tmp_path / "outer", {"x.html": "", "inner/y.html": ""})
    inner = write(tmp_path / "inner", {"z.html": ""})
    files = references("/m/x.html", "/m/inner/z.html", "/m/inner/y.html", "/docs/a.html", "../a/index.html")
    mounts = (("/m", outer), ("/m/inner", inner), ("/", outer))
    found = audited(tmp_path / "tree", files, base_url=f"{BASE}docs/", mounts=mounts)
    assert told(found) == [
        ("a/index.html", "missing-target", "/m/inner/y.html"),
        ("a/index.html", "missing-target", "/docs/a.html"),
    ]


@pytest.mark.parametrize(("label", "url"), [("/", BASE), ("/docs/", f"{BASE}docs/"), (f"{BASE}docs", f"{BASE}docs/")])
def test_a_mount_at_the_url_of_the_tree_adds_files(tmp_path, label, url):
    assets = write(tmp_path / "assets", {"a.png": "", "both.html": "<p id=b>", "sub/index.html": "<p id=there>"})
    files = references("../a.png", "../both.html#a", "../both.html#b", "../sub/#there", "../sub/#gone", "../gone.png")
    found = audited(tmp_path / "tree", files | {"both.html": "<p id=a>"}, base_url=url, mounts=((label, assets),))
    assert told(found) == [
        ("a/index.html", "missing-fragment", "../both.html#b"),
        ("a/index.html", "missing-fragment", "../sub/#gone"),
        ("a/index.html", "missing-target", "../gone.png"),
    ]


def test_a_mount_that_a_query_follows(tmp_path, share):
    found = audited(tmp_path / "tree", references("/s?x", "/s/?x", "/sx", "/s"), mounts=(("/s", share),))
    assert told(found) == [
        ("a/index.html", "folder-without-index", "/s?x"),
        ("a/index.html", "folder-without-index", "/s/?x"),
        ("a/index.html", "missing-target", "/sx"),
        ("a/index.html", "folder-without-index", "/s"),
    ]


def test_a_link_out_of_the_mount(tmp_path, share):
    (tmp_path / "share/out.html").symlink_to("/etc/hostname")
    (tmp_path / "share/gone.html").symlink_to("nothing")
    found = audited(tmp_path / "tree", references("/s/out.html", "/s/gone.html"), mounts=(("/s", share),))
    assert [(one.name, str(one.level)) for one in found.findings] == [
        ("link-out-of-tree", "warning"),
        ("link-out-of-tree", "error"),
    ]


def test_files_of_a_mount_are_no_hints_for_the_tree(tmp_path):
    share = write(tmp_path / "share", {"only-here.html": "", "Guide.html": ""})
    found = audited(tmp_path / "tree", references("guide.html", "b/only-here.html"), mounts=(("/s", share),))
    assert [one.hint for one in found.findings] == [None, None]


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        (("/x", "nothing"), "mount /x: nothing is not a folder"),
        (("x", "."), "mount x: begin with a slash, or give an http: or https: URL"),
        (("//x/", "."), "mount //x/: begin with a slash"),
        (("file:///x/", "."), "mount file:///x/: begin with a slash"),
        (("https://", "."), "this is not the URL of a folder"),
        (("/x?y", "."), "this is not the URL of a folder"),
        (("/x#y", "."), "this is not the URL of a folder"),
    ],
)
def test_wrong_mounts(tmp_path, mount, message):
    with pytest.raises(InvalidOption, match=r"^mount ") as caught:
        audited(tmp_path, {"a.html": ""}, mounts=(mount,))
    assert message in str(caught.value)


def test_two_folders_at_one_url(tmp_path):
    with pytest.raises(InvalidOption, match="another folder is mounted there"):
        audited(tmp_path, {"a.html": ""}, mounts=(("/x", "."), ("/x/", ".")))


class TestSeveralTrees:
    def found(self, tmp_path, **fields):
        main = {"index.html": "<a href=/docs/x.html#ok><a href=/docs/x.html#no><a href=/gone><a href=c.svg>"}
        docs = {"x.html": "<p id=ok><a href=/><a href=/gone><a href=gone>", "bad.html": "<a href=y.html>"}
        trees = [
            Tree("https://h.example/", write(tmp_path / "main", main)),
            Tree("/docs", write(tmp_path / "built/docs", docs)),
        ]
        return audit_trees(trees, AuditOptions(base_url="https://h.example/", **fields))

    def test_their_references_to_each_other(self, tmp_path):
        found = self.found(tmp_path)
        assert sorted(told(found)) == [
            ("built/docs/bad.html", "missing-target", "y.html"),
            ("built/docs/x.html", "missing-target", "/gone"),
            ("built/docs/x.html", "missing-target", "gone"),
            ("main/index.html", "missing-fragment", "/docs/x.html#no"),
            ("main/index.html", "missing-target", "/gone"),
            ("main/index.html", "missing-target", "c.svg"),
        ]
        assert found.root == str(tmp_path)
        assert (found.coverage.pages, found.coverage.links) == (3, 8)
        assert found.files == ["built/docs/bad.html", "built/docs/x.html", "main/index.html"]
        assert set(found.folders) == {"built/docs", "main"}

    def test_causes_are_kept_for_each_tree(self, tmp_path):
        found = self.found(tmp_path)
        assert sorted(number for cause in found.causes for number in cause.findings) == list(range(6))
        for cause in found.causes:
            assert {found.findings[number].code for number in cause.findings} == {cause.code}

    def test_a_baseline_of_all(self, tmp_path):
        known = {one.fingerprint for one in self.found(tmp_path).findings}
        assert len(known) == 6
        again = self.found(tmp_path, known=known)
        assert (again.findings, again.causes, again.hidden) == ((), (), {"baseline": 6})

    def test_one_folder_twice(self, tmp_path):
        folder = write(tmp_path, {"a.html": ""})
        with pytest.raises(InvalidOption, match="DIR and --tree name the same folder twice"):
            audit_trees([Tree("https://h.example/", folder), Tree("/b", folder)], AuditOptions())


@pytest.mark.parametrize("order", [1, -1])
def test_the_inner_of_two_mounts_holds_its_pages(tmp_path, order):
    outer, inner = write(tmp_path / "x", {"x.html": ""}), write(tmp_path / "y", {"y.html": "<p id=ok>"})
    mounts = (("/a", outer), ("/a/b", inner))[::order]
    files = {"index.html": "<a href=/a/b/y.html#ok>1</a><a href=/a/b/y.html#nope>2</a>"}
    found = audited(tmp_path / "site", files, mounts=mounts)
    assert told(found) == [("index.html", "missing-fragment", "/a/b/y.html#nope")]
