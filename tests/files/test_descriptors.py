"""Folders that are swapped for symbolic links: nothing outside the tree is read or written."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from support.running import command, run
from support.swaps import exchange, exchanging
from support.systems import needs_open_files

from linkfix.files import EntryKind, FilePath, FileTree, atomic, descriptors, open_folder, open_parent

pytestmark = pytest.mark.skipif(not descriptors.BY_DESCRIPTOR, reason="this system has no names in open folders")

PAGE = b'<a href="x.html">'
FOLDER = "a symbolic link replaces a folder: not followed"


@pytest.fixture
def site(tmp_path):
    """A tree; beside it a folder with the same names, and a link to that folder."""
    for name in ("site", "outside"):
        (tmp_path / name / "a" / "b").mkdir(parents=True)
        (tmp_path / name / "a" / "page.html").write_bytes(PAGE + name.encode())
        (tmp_path / name / "a" / "b" / "page.html").write_bytes(PAGE + name.encode())
    (tmp_path / "link").symlink_to(tmp_path / "outside" / "a")
    return tmp_path / "site"


def inner(site, name):
    return FilePath(str(site / name), str(site))


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestOpenFolder:
    def test_below_the_root_no_link_is_followed(self, site):
        exchange(site / "a", site.parent / "link")
        for path in ("a/page.html", "a/b/page.html"):
            with pytest.raises(OSError, match=FOLDER) as raised:
                atomic.read(inner(site, path))
            assert raised.value.filename == str(site / "a")

    def test_a_root_may_be_a_link(self, site):
        root = site.parent / "named"
        root.symlink_to(site)
        assert atomic.read(FilePath(str(root / "a/page.html"), str(root))).data == PAGE + b"site"

    def test_a_path_that_a_caller_named_may_lead_through_links(self, site):
        assert atomic.read(str(site.parent / "link" / "page.html")).data == PAGE + b"outside"

    @pytest.mark.parametrize("name", ["../outside/a", "a/../../outside", "../sited"])
    def test_paths_outside_the_root_are_refused(self, site, name):
        with pytest.raises(OSError, match=r"not in|lead up"), open_folder(FilePath(f"{site}/{name}", str(site))):
            pass

    def test_an_open_folder_stays_the_same_folder(self, site):
        with open_parent(inner(site, "a/b/page.html")) as (folder, name):
            exchange(site / "a", site.parent / "link")
            with folder.file(name) as file:
                assert file.read() == PAGE + b"site"

    def test_an_open_folder_is_not_used_for_another_folder_of_its_name(self, site):
        assert atomic.read(inner(site, "a/page.html")).data == PAGE + b"site"
        (site / "a").rename(site / "old")
        (site / "a").mkdir()
        (site / "a" / "page.html").write_bytes(b"new")
        assert atomic.read(inner(site, "a/page.html")).data == b"new"

    @pytest.mark.parametrize("root", ["site", "site/", "."])
    def test_relative_roots(self, site, monkeypatch, root):
        monkeypatch.chdir(site if root == "." else site.parent)
        for name in ("a/page.html", "a/b/page.html"):
            assert atomic.read(FilePath(f"{root}/{name}", root)).data == PAGE + b"site"

    @needs_open_files
    def test_few_descriptors_stay_open(self, site):
        for number in range(50):
            (site / str(number)).mkdir()
            atomic.write(inner(site, f"{number}/x"), b"x")
        open_ones = [os.path.realpath(one) for one in Path("/proc/self/fd").iterdir()]
        assert sum(path.startswith(str(site)) for path in open_ones) <= 4

    @pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="only with O_PATH does such a folder open")
    def test_a_folder_that_may_only_be_entered(self, site, monkeypatch):
        """The answer to users other than root, whom no mode keeps out."""
        real = os.open

        def refuse(path, flags, *rest, **folder):
            if path == "a" and not flags & os.O_PATH:
                raise PermissionError(13, "Permission denied", path)
            return real(path, flags, *rest, **folder)

        monkeypatch.setattr(os, "open", refuse)
        atomic.write(inner(site, "a/page.html"), b"new")
        assert (site / "a" / "page.html").read_bytes() == b"new"
        with pytest.raises(PermissionError), open_folder(inner(site, "a")) as folder:
            folder.names()
        with pytest.raises(PermissionError):
            atomic.copy_folder_metadata(str(site), inner(site, "a"))
        atomic.copy_folder_metadata(inner(site, "a"), str(site))


class TestFunctions:
    """Each function that reads or writes, with a folder on the way swapped."""

    @pytest.fixture
    def swapped(self, site):
        exchange(site / "a", site.parent / "link")
        before = content(site.parent / "outside")
        yield site
        assert content(site.parent / "outside") == before

    @pytest.mark.parametrize(
        "call",
        [
            lambda at, _site: atomic.write(at, b"new"),
            lambda at, _site: atomic.write(at, b"new", like=at),
            lambda at, site: atomic.write(FilePath(str(site / "y"), str(site)), b"new", like=at),
            lambda at, site: atomic.copy(at, str(site / "x")),
            lambda at, site: atomic.copy(str(site.parent / "link/page.html"), at),
            lambda at, _site: atomic.rewrite(at, at, lambda _, out: bool(out.write(b"new"))),
            lambda at, _site: atomic.link("x", at),
            lambda at, site: atomic.hard_link(at, str(site / "x")),
            lambda at, _site: atomic.open_file(at),
            lambda at, _site: descriptors.make_folder(f"{at.path}/new", inside=at.root),
            lambda at, site: atomic.copy_folder_metadata(str(site), FilePath(f"{at.root}/a", at.root)),
        ],
    )
    def test_it_fails(self, swapped, call):
        with pytest.raises(OSError, match=FOLDER):
            call(inner(swapped, "a/page.html"), swapped)

    def test_leftovers_outside_stay(self, swapped):
        strange = swapped.parent / "outside/a/.linkfix-0123456789abcdef.tmp"
        strange.write_bytes(b"")
        assert atomic.remove_leftovers(inner(swapped, "a")) == []
        assert strange.exists()
        strange.unlink()

    def test_trees(self, swapped):
        tree = FileTree(str(swapped), "https://h/")
        assert tree.entry("a/page.html").kind is EntryKind.FAILED
        assert tree.entry("a").kind is EntryKind.REFUSED
        assert [entry.name for entry in tree.entries()] == ["", "a"]
        assert not tree.has_file("a/page.html")
        assert not tree.has_url("https://h/a/page.html")
        with pytest.raises(OSError, match=FOLDER):
            tree.open("a/page.html")

    @pytest.mark.parametrize("moment", ["read", "write"])
    def test_a_run_in_place(self, site, monkeypatch, moment):
        """The swap comes right before the file is read or written."""
        real = getattr(atomic, moment)

        def late(path, *arguments, **keywords):
            if Path(path) == site / "a/page.html":
                exchange(site / "a", site.parent / "link")
            return real(path, *arguments, **keywords)

        monkeypatch.setattr(atomic, moment, late)
        before = content(site.parent / "outside")
        result = run("absolutize", site, "--in-place", "--root-url", "https://h/", "--jobs", "1")
        assert result.exit_code == 2
        assert FOLDER in result.stderr
        assert content(site.parent / "outside") == before


def test_metadata_is_copied_by_descriptor(tmp_path):
    """Its oracle is `shutil.copystat`, which the standard library's own tests cover."""
    model = tmp_path / "model"
    model.write_bytes(b"old")
    model.chmod(0o4751)
    os.utime(model, ns=(10**9 + 1, 2 * 10**9 + 3))
    if hasattr(os, "setxattr"):
        os.setxattr(model, "user.origin", b"https://h/")
    by_path, by_descriptor = tmp_path / "p", tmp_path / "d"
    by_path.touch()
    shutil.copystat(model, by_path)
    atomic.copy(str(model), str(by_descriptor))
    one, other = by_path.stat(), by_descriptor.stat()
    assert (one.st_mode, one.st_mtime_ns) == (other.st_mode, other.st_mtime_ns)
    assert stat.S_IMODE(other.st_mode) == 0o4751
    if hasattr(os, "listxattr"):
        assert {name: os.getxattr(by_path, name) for name in os.listxattr(by_path)} == {
            name: os.getxattr(by_descriptor, name) for name in os.listxattr(by_descriptor)
        }


@pytest.mark.slow
@pytest.mark.parametrize("way", ["in-place", "output", "fix", "audit"])
def test_folders_that_are_swapped_while_commands_run(tmp_path, way):
    """A folder of the tree, or of the output, is a link to another folder half of the time."""
    site, outside, output = tmp_path / "site", tmp_path / "outside", tmp_path / "output"
    for folder, text in ((site, b"inside"), (outside, b"leaked")):
        for number in range(6):
            (folder / "a" / str(number)).mkdir(parents=True)
            for page in range(8):
                (folder / "a" / str(number) / f"{page}.html").write_bytes(b"<a href=./%b-%d.HTML>" % (text, page))
    (output / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(outside / "a")
    before = content(outside)
    arguments = {
        "in-place": ["absolutize", site, "--in-place", "--root-url", "https://h/", "--quiet", "--jobs", "2"],
        "output": ["absolutize", site, "--output", output, "--root-url", "https://h/", "--quiet", "--jobs", "2"],
        "fix": ["audit", site, "--fix", "--quiet", "--jobs", "2"],
        "audit": ["audit", site, "--format", "json", "--jobs", "2"],
    }[way]
    with exchanging((output if way == "output" else site) / "a", tmp_path / "link"):
        for _ in range(5):
            done = subprocess.run(command(*arguments), capture_output=True, timeout=60, check=False)
            assert b"leaked" not in done.stdout
            assert b"internal error" not in done.stderr
            assert b"Traceback" not in done.stderr
    assert content(outside) == before
    assert not any(b"leaked" in data for data in content(output).values())


class TestByPath:
    """The way of systems without names in open folders."""

    @pytest.fixture(autouse=True)
    def _by_path(self, monkeypatch):
        monkeypatch.setattr(descriptors, "BY_DESCRIPTOR", False)
        monkeypatch.setattr(atomic, "BY_DESCRIPTOR", False)

    def test_a_run(self, site, tmp_path):
        out = tmp_path / "out"
        (site / "a").chmod(0o700)
        for where in (("--output", out), ("--in-place",)):
            result = run("absolutize", site, *where, "--root-url", "https://h/", "--jobs", "1")
            assert result.exit_code == 0, result.stderr
        assert content(out) == content(site)
        assert content(site)[Path("a/page.html")] == b'<a href="https://h/a/x.html">site'
        assert stat.S_IMODE((out / "a").stat().st_mode) == 0o700

    def test_an_audit(self, site):
        result = run("audit", site, "--jobs", "1")
        assert "2 pages" in result.stderr or "2 pages" in result.stdout

    def test_a_link_that_leads_out(self, site):
        exchange(site / "a", site.parent / "link")
        with pytest.raises(OSError, match="leads out of the folder"):
            atomic.read(inner(site, "a/page.html"))
        with pytest.raises(OSError, match="leads out of the folder"):
            descriptors.make_folder(f"{site}/a/new", inside=str(site))
        assert FileTree(str(site)).entry("a/page.html").kind is EntryKind.FAILED

    def test_links(self, site):
        atomic.link("page.html", inner(site, "a/link"))
        atomic.hard_link(inner(site, "a/page.html"), inner(site, "a/hard"))
        atomic.write(inner(site, "a/hard"), b"new", keep_hard_links=True)
        assert (site / "a/link").read_bytes() == b"new"
