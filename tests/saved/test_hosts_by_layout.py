"""`--layout auto`: the folders that it takes for folders of hosts, and the evidence that it needs."""

from __future__ import annotations

import pytest

from linkfix.files import FileTree
from linkfix.saved import Retrieval

#: Files of a folder, the first of which is a page -> the URL of the page; None for none. "PATH|FILES": FILES are in
#: the tree PATH.
EXPECTED = {
    # the tree's own folder, before the folders in it
    "la/example.com|docs/socket.io/index.html": "http://example.com/docs/socket.io/",
    "la/example.com|docs/socket.io/index.html index.html": "http://example.com/docs/socket.io/",
    "la/example.com|socket.io/index.html index.html": "http://example.com/socket.io/",
    "la/example.com|socket.io/x.html docs/x.html": "http://example.com/socket.io/x.html",
    "la/https/example.com|a/b.html": "https://example.com/a/b.html",
    "web.archive.org|web/2020/http:/example.com/index.html": "http://web.archive.org/web/2020/http:/example.com/",
    "my.mirrors|example.com/index.html": None,  # a mirror in a folder with a name, or a folder of a site
    # a folder directly in the tree
    "la|example.com/a/b.html docs/x.html": "http://example.com/a/b.html",
    "la|example.com/docs/socket.io/index.html": "http://example.com/docs/socket.io/",
    "la|https/example.com/a.html": "https://example.com/a.html",
    # any other folder, with evidence
    "archive|2020/example.com/index.html": "http://example.com/",
    "archive|2020/example.com/a.html 2020/example.com/robots.txt": "http://example.com/a.html",
    "archive|2020/example.com/a.html 2020/cdn.example.com/b.css": "http://example.com/a.html",
    "archive|2020/example.com/a.html 2020/other.example/index.html": "http://example.com/a.html",
    "archive|2020/example.com+8080/a.html": "http://example.com:8080/a.html",
    "archive|2020/www.example.com/a.html x/y.html": "http://www.example.com/a.html",
    "archive|2020/https/ASP.NET/a.html": "https://asp.net/a.html",
    # without evidence
    "archive|2020/example.com/a.html": None,
    "archive|2020/example.com/a.html 2020/other.example/b.html": None,
    "archive|2020/example.com/index.html 2020/notes/b.html": None,
    "archive|2020/example.com/docs/socket.io/index.html": None,
    "p|src/socket.io/index.html": None,
    "src|lib/socket.io/index.html": None,
    "p|v/readme.md/index.html": None,
    "p|wiki/ASP.NET/index.html": None,
    "p|x/ASP.NET/index.html": None,
    "p|x/release.v2/index.html x/release.v1/index.html": None,
    "p|x/1.2.3.4/index.html": None,
    "p|x/com.example.foo/index.html": None,
    "p|x/my.app/index.html": None,
    # names that are no hosts, directly in the tree and above it
    "p|ASP.NET/index.html": None,
    "p|readme.md/index.html": None,
    "p|1.2.3.4/index.html": None,
    "tmp.V6zzDOBN1G|a.html": None,
    "tmp.V6zzDOBN1G|example.com/a.html": "http://example.com/a.html",
    "release.v2|a.html": None,
    # the tree is in the folder of a host
    "example.com|docs/socket.io/a.html": "http://example.com/docs/socket.io/a.html",
    "www.example.com/docs|socket.io/index.html": None,
    "www.example.com/docs/socket.io|index.html": None,
    "first.last/example.com|a.html": "http://example.com/a.html",
}


def tree_of(folder, case):
    path, _, names = case.partition("|")
    for name in names.split():
        file = folder / path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return FileTree(str((folder / path).resolve())), names.split()[0]


def url(tree, name, layout="auto"):
    return Retrieval(layout=layout).envelope(tree, name, b"<a href=x>", "text/html")[0].url


@pytest.mark.parametrize("case", EXPECTED)
def test_hosts(tmp_path, case):
    assert url(*tree_of(tmp_path, case)) == EXPECTED[case]


def test_a_page_of_a_host_above_the_tree_makes_its_folders_folders_of_the_host(tmp_path):
    tree, _ = tree_of(tmp_path, "example.com|docs/socket.io/index.html robots.txt")
    assert url(FileTree(tree.root + "/docs"), "socket.io/index.html") is None
    assert url(FileTree(tree.root + "/docs/socket.io"), "index.html") is None


@pytest.mark.parametrize("layout", ["wget", "httrack"])
def test_the_own_folder_comes_before_deeper_folders_with_a_named_layout(tmp_path, layout):
    tree, name = tree_of(tmp_path, "la/example.com|docs/socket.io/index.html")
    assert url(tree, name, layout) == "http://example.com/docs/socket.io/"


@pytest.mark.parametrize("root", ["", "example.com"])
def test_the_folders_of_hosts_are_beside_the_index_of_httrack(tmp_path, root):
    tree, name = tree_of(tmp_path, "m|example.com/docs/socket.io/index.html hts-cache/new.txt")
    name = name.removeprefix(f"{root}/") if root else name
    assert url(FileTree(f"{tree.root}/{root}".rstrip("/")), name) == "http://example.com/docs/socket.io/"


def test_no_folder_beside_the_folders_of_hosts_is_named_after_one(tmp_path):
    tree, name = tree_of(tmp_path, "m|docs/socket.io/index.html hts-cache/new.txt")
    assert url(tree, name) is None
