from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from support.growth import processor_limit
from support.systems import needs_pipes

import linkfix.auditing.listing as module
from linkfix.auditing import list_tree
from linkfix.auditing.listing import PageFile

PAGE = b"<!DOCTYPE html><title>x</title>"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def write(root, *names, content=PAGE):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def look(root, **options):
    return list_tree(os.path.realpath(root), **options)


class TestSkippedFiles:
    @pytest.fixture
    def repository(self, root):
        write(root, "a.html", "build/b.html", "build/c.css", "build/d.png", "node_modules/p/e.html", ".git/f.html")
        write(root, "sub/node_modules/g.html", "sub/.hg/h.html")
        (root / ".gitignore").write_text("build/\n")
        return root

    def test_is_a_target_and_no_page(self, repository):
        found = look(repository, with_ignored=False)
        assert [page.name for page in found.pages] == ["a.html"]
        assert found.left_out == {"ignored by git": 2, "in node_modules": 2}
        assert {"build/b.html", "build/d.png", "node_modules/p/e.html"} <= set(found.files)
        assert not [name for name in (*found.files, *found.folders) if ".git/" in name or ".hg" in name]

    def test_nothing_is_left_out_by_default(self, repository):
        assert len(look(repository).pages) == 7
        assert not look(repository).left_out

    def test_excluded_files_are_not_counted(self, repository):
        found = look(repository, chosen=lambda name: "node" not in name, with_ignored=False)
        assert found.left_out == {"ignored by git": 2}

    def test_a_folder_of_installed_packages_that_is_named_is_read(self, repository):
        assert len(look(repository / "node_modules", with_ignored=False).pages) == 1


class TestNames:
    def test_files_folders_and_pages(self, root):
        write(root, "b.html", "a/x.svg", "a/y.css", "a/z.png", "c/d/e.xhtml")
        (root / "empty").mkdir()
        found = look(root)
        assert found.files == ["a/x.svg", "a/y.css", "a/z.png", "b.html", "c/d/e.xhtml"]
        assert found.folders == ["", "a", "c", "c/d", "empty"]
        assert [(page.name, page.media_type) for page in found.pages] == [
            ("a/x.svg", "image/svg+xml"),
            ("a/y.css", "text/css"),
            ("b.html", "text/html"),
            ("c/d/e.xhtml", "application/xhtml+xml"),
        ]
        assert found.size == 4 * len(PAGE)
        assert (found.dangling, found.failed) == ({}, {})

    def test_an_empty_folder(self, root):
        found = look(root)
        assert (found.files, found.folders, found.pages, found.size) == ([], [""], [], 0)

    @pytest.mark.parametrize(
        "name", ["a\nb.html", "a'\".html", "a?x=1.html", "a#b.html", "a%41.html", "a\\b.html", " .html", "\udcff.html"]
    )
    def test_of_any_characters(self, root, name):
        write(root, name)
        assert look(root).files == [name]
        assert [page.name for page in look(root).pages] == [name]

    def test_temporary_files_of_stopped_runs_are_not_listed(self, root):
        write(root, ".linkfix-0123456789abcdef.tmp", ".linkfix.tmp")
        assert look(root).files == [".linkfix.tmp"]

    def test_an_excluded_page_is_still_a_file(self, root):
        write(root, "a.html", "b.html")
        found = look(root, chosen=lambda name: name == "a.html")
        assert found.files == ["a.html", "b.html"]
        assert [page.name for page in found.pages] == ["a.html"]

    def test_types_by_content(self, root):
        write(root, "page", "page.php")
        write(root, "text", "program.php", content=b"<?php echo 1;")
        assert [page.name for page in look(root).pages] == ["page", "page.php"]

    def test_all_names_of_a_file_have_the_same_identity(self, root):
        write(root, "a.html", "b.html")
        os.link(root / "a.html", root / "hard.html")
        (root / "soft.html").symlink_to("a.html")
        pages = {page.name: page for page in look(root).pages}
        assert pages["a.html"].identity == pages["hard.html"].identity == pages["soft.html"].identity
        assert pages["a.html"].identity != pages["b.html"].identity
        real = os.path.realpath(root / "a.html")
        assert pages["soft.html"] == PageFile(
            "soft.html", len(PAGE), "text/html", pages["a.html"].identity, real, str(root)
        )


class TestSymbolicLinks:
    def test_in_the_tree_are_followed(self, root):
        write(root, "a/b.html")
        (root / "folder").symlink_to("a")
        (root / "file.html").symlink_to(root / "a" / "b.html")
        (root / "twice").symlink_to("folder")
        found = look(root)
        assert found.files == ["a/b.html", "file.html", "folder/b.html", "twice/b.html"]
        assert found.folders == ["", "a", "folder", "twice"]
        assert found.dangling == {}

    @pytest.mark.parametrize(
        "text",
        [
            "b.html",
            "./b.html",
            "../a/b.html",
            "link",
            "../a/link",
            "to/b.html",
            "up/a/b.html",
            "gone",
            "gone/b.html",
            "../gone",
            "b.html/x",
            ".",
            "..",
            "a/.",
            "../a/..",
            "loop",
            "loop/x",
            "/",
            "./loop/../b.html",
        ],
    )
    def test_have_the_real_path_of_the_system(self, root, text):
        write(root, "a/b.html")
        for name, target in {"link": "b.html", "to": ".", "up": "..", "loop": "loop", "x.html": text}.items():
            (root / "a" / name).symlink_to(target)
        path = os.path.realpath(root / "a") + "/x.html"
        real = os.path.realpath(path)
        assert module._real_path(path, text, os.path.realpath) == (real, Path(real).exists())

    def test_out_of_the_tree_are_not(self, root):
        write(root.parent, "site2/b.html", "c.html")
        (root / "folder").symlink_to("../site2")
        (root / "file.html").symlink_to("../c.html")
        (root / "above").symlink_to("..")
        found = look(root)
        assert found.files == []
        assert found.dangling == {
            "above": "symbolic link out of the site, to ..",
            "file.html": "symbolic link out of the site, to ../c.html",
            "folder": "symbolic link out of the site, to ../site2",
        }

    def test_to_nothing_are_not(self, root):
        (root / "a").symlink_to("none")
        (root / "b").symlink_to("b")
        (root / "c").symlink_to("a")
        assert look(root).dangling == {
            "a": "symbolic link to none, which does not exist",
            "b": "symbolic link to b, which does not exist",
            "c": "symbolic link to a, which does not exist",
        }

    def test_to_a_folder_around_them_are_not(self, root):
        write(root, "a/b/c.html")
        (root / "a/b/up").symlink_to("..")
        (root / "a/root").symlink_to("..")
        (root / "a/self").symlink_to(".")
        found = look(root)
        assert found.files == ["a/b/c.html"]
        assert set(found.dangling) == {"a/b/up", "a/root", "a/self"}
        assert found.dangling["a/b/up"] == "symbolic link to .., a folder that contains it"

    def test_in_a_circle_over_two_folders(self, root):
        write(root, "a/x.html", "b/y.html")
        (root / "a/b").symlink_to("../b")
        (root / "b/a").symlink_to("../a")
        found = look(root)
        assert found.files == ["a/b/y.html", "a/x.html", "b/a/x.html", "b/y.html"]
        assert set(found.dangling) == {"a/b/a", "b/a/b"}

    @pytest.mark.growth
    def test_of_folders_that_all_lead_to_each_other_are_bounded(self, root):
        names = [f"f{n:02}" for n in range(24)]
        for name in names:
            write(root, f"{name}/page.html")
            for other in names:
                if other != name:
                    (root / name / other).symlink_to(f"../{other}")
        with processor_limit(20):
            found = look(root)
        assert len(found.folders) <= 65 * len(names) + 1
        # Folders that exist without any link are never left out.
        assert set(names) < set(found.folders)
        assert {f"{name}/page.html" for name in names} < set(found.files)
        assert "too many symbolic links point to this folder" in found.dangling.values()


class TestUnreadableFiles:
    @needs_pipes
    def test_special_files_are_not_listed(self, root, monkeypatch):
        write(root, "a.html")
        os.mkfifo(root / "pipe.html")
        monkeypatch.chdir(root)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("socket.html")
            found = look(root)
        assert found.files == ["a.html"]
        assert found.failed == {}

    def test_a_file_that_disappears(self, root, monkeypatch):
        write(root, "a", "b.html")

        def gone(name):
            (root / name).unlink()
            return ""

        monkeypatch.setattr(module, "media_type", gone)
        found = look(root)
        assert found.failed == {"a": "No such file or directory", "b.html": "No such file or directory"}
        assert found.pages == []

    def test_a_folder_that_disappears(self, root, monkeypatch):
        write(root, "a/x.html", "b.html")
        open_folder = module.open_folder

        def opened(folder):
            if folder.path.endswith("a"):
                (root / "a/x.html").unlink()
                (root / "a").rmdir()
            return open_folder(folder)

        monkeypatch.setattr(module, "open_folder", opened)
        found = look(root)
        assert found.files == ["b.html"]
        assert found.failed == {"a": "No such file or directory"}

    def test_the_root(self, root):
        found = list_tree(str(root / "none"))
        assert (found.files, found.failed) == ([], {"": "No such file or directory"})
