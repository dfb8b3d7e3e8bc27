from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

import pytest
from support.systems import needs_open_files, needs_pipes

from linkfix.files import atomic, descriptors


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    path.chmod(0o640)
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


class Writer:
    """Writes to a file each time its status is asked for, `times` times."""

    def __init__(self, path, times):
        self.path, self.times = path, times
        self.fstat = os.fstat

    def __call__(self, descriptor):
        status = self.fstat(descriptor)
        if self.times:
            self.times -= 1
            with self.path.open("ab") as file:
                file.write(b"+")
        return status


class TestRead:
    def test_data_and_status(self, page):
        snapshot = atomic.read(str(page))
        assert snapshot.data == b"old"
        assert snapshot.status.st_mtime_ns == 2_000_000_000

    def test_a_file_that_changes_is_read_again(self, page, monkeypatch):
        monkeypatch.setattr(os, "fstat", Writer(page, 1))
        assert atomic.read(str(page)).data == b"old+"

    def test_a_file_that_keeps_changing_is_refused(self, page, monkeypatch):
        monkeypatch.setattr(os, "fstat", Writer(page, 99))
        with pytest.raises(atomic.FileChanged) as raised:
            atomic.read(str(page))
        assert raised.value.strerror == "changed while it was read"
        assert raised.value.filename == str(page)

    def test_the_limit_is_the_last_size_that_is_read(self, page):
        assert atomic.read(str(page), limit=3).data == b"old"
        with pytest.raises(atomic.FileTooLarge, match="larger than 2 bytes"):
            atomic.read(str(page), limit=2)

    def test_a_link_is_not_followed(self, page):
        link = page.with_name("link.html")
        link.symlink_to(page)
        with pytest.raises(OSError, match="symbolic links") as raised:
            atomic.read(str(link))
        assert raised.value.errno == errno.ELOOP

    @needs_pipes
    def test_a_pipe_is_refused_and_does_not_block(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.html")
        with pytest.raises(atomic.NotARegularFile):
            atomic.read(str(tmp_path / "pipe.html"))

    def test_a_folder_is_refused_and_no_descriptor_leaks(self, tmp_path):
        with contextlib.suppress(OSError):  # from here on its folder is kept open
            atomic.read(str(tmp_path))
        before = os.dup(0)
        os.close(before)
        with pytest.raises(IsADirectoryError):
            atomic.read(str(tmp_path))
        after = os.dup(0)
        os.close(after)
        assert before == after


class TestWrite:
    def test_replaces_the_content_and_keeps_the_mode(self, page):
        atomic.write(str(page), b"new", like=str(page))
        assert page.read_bytes() == b"new"
        assert stat.S_IMODE(page.stat().st_mode) == 0o640
        assert page.stat().st_mtime_ns > 2_000_000_000
        assert names(page.parent) == ["page.html"]

    def test_without_a_model_a_new_file_has_the_mode_of_new_files(self, tmp_path):
        (tmp_path / "other").touch()
        atomic.write(str(tmp_path / "new"), b"new")
        assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode

    def test_without_a_model_the_mode_of_the_replaced_file_stays(self, page):
        atomic.write(str(page), b"new")
        assert stat.S_IMODE(page.stat().st_mode) == 0o640

    @pytest.mark.parametrize("call", ["replace", "fsync"])
    def test_a_failure_leaves_the_old_file_and_nothing_else(self, page, monkeypatch, call):
        def fail(*_, **__):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, call, fail)
        with pytest.raises(OSError, match="No space left"):
            atomic.write(str(page), b"new", like=str(page))
        assert page.read_bytes() == b"old"
        assert names(page.parent) == ["page.html"]

    @needs_open_files
    def test_synced_before_it_takes_the_name_and_the_folder_after(self, page, monkeypatch):
        calls = []
        for name in ("fsync", "replace"):
            real = getattr(os, name)

            def call(*arguments, name=name, real=real, **folders):
                calls.append((name, arguments, folders))
                return real(*arguments, **folders)

            monkeypatch.setattr(os, name, call)
        atomic.write(str(page), b"new", like=str(page))
        assert [name for name, *_ in calls] == ["fsync", "replace", "fsync"]
        temporary, target = calls[1][1]
        assert target == page.name
        assert atomic.is_temporary(temporary)
        assert {os.path.realpath(f"/proc/self/fd/{one}") for one in calls[1][2].values()} == {str(page.parent)}

    def test_a_file_that_was_written_to_since_it_was_read_stays(self, page):
        status = atomic.read(str(page)).status
        page.write_bytes(b"somebody else's")
        with pytest.raises(atomic.FileChanged, match="while it was converted"):
            atomic.write(str(page), b"new", like=str(page), expected=status)
        assert page.read_bytes() == b"somebody else's"
        assert names(page.parent) == ["page.html"]

    def test_a_name_of_255_bytes_can_be_replaced(self, tmp_path):
        page = tmp_path / ("x" * 250 + ".html")
        page.write_bytes(b"old")
        atomic.write(str(page), b"new", like=str(page))
        assert page.read_bytes() == b"new"


def test_copy_keeps_mode_and_times(page):
    target = page.with_name("copy")
    atomic.copy(str(page), str(target))
    assert target.read_bytes() == b"old"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.stat().st_mtime_ns == 2_000_000_000


def test_copy_of_a_file_that_changes_is_the_second_state(page, monkeypatch):
    monkeypatch.setattr(os, "fstat", Writer(page, 1))
    atomic.copy(str(page), str(page.with_name("copy")))
    assert page.with_name("copy").read_bytes() == b"old+"


def test_link_replaces_an_existing_file(page):
    target = page.with_name("link")
    target.write_bytes(b"a file")
    atomic.link("page.html", str(target))
    assert target.readlink() == Path("page.html")
    assert names(page.parent) == ["link", "page.html"]


def test_link_that_cannot_be_placed_leaves_nothing(page):
    target = page.with_name("folder")
    (target / "full").mkdir(parents=True)
    with pytest.raises(OSError, match=r"directory|exists"):
        atomic.link("page.html", str(target))
    assert names(page.parent) == ["folder", "page.html"]


@pytest.mark.parametrize(
    ("name", "temporary"),
    [
        (".linkfix-0123456789abcdef.tmp", True),
        (".linkfix-0123456789abcdef.tmp.html", False),
        ("linkfix.tmp", False),
    ],
)
def test_is_temporary(name, temporary):
    assert atomic.is_temporary(name) is temporary


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [("/a/b", "/a", True), ("/a", "/a", True), ("/ab", "/a", False), ("/a", "/a/b", False), ("/a", "/", True)],
)
def test_inside(path, folder, expected):
    assert descriptors.is_inside(path, folder) is expected


class TestRewrite:
    def test_the_file_has_the_written_content(self, tmp_path):
        source, target = tmp_path / "a", tmp_path / "b"
        source.write_bytes(b"old")
        source.chmod(0o640)

        def convert(file, out):
            out.write(file.read() + b" and new")
            return True

        atomic.rewrite(str(source), str(target), convert)
        assert (source.read_bytes(), target.read_bytes()) == (b"old", b"old and new")
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        atomic.rewrite(str(source), str(source), convert)
        assert source.read_bytes() == b"old and new"

    def test_nothing_new_is_a_copy_or_nothing(self, tmp_path):
        source, target = tmp_path / "a", tmp_path / "b"
        source.write_bytes(b"old")
        os.utime(source, ns=(10**9, 10**9))
        inode = source.stat().st_ino

        def convert(file, out):
            out.write(file.read())
            return False

        atomic.rewrite(str(source), str(source), convert)
        atomic.rewrite(str(source), str(target), convert)
        assert source.stat().st_ino == inode
        assert (target.read_bytes(), target.stat().st_mtime_ns) == (b"old", 10**9)
        assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}

    def test_a_file_that_changes_meanwhile_is_read_again(self, tmp_path):
        source, target = tmp_path / "a", tmp_path / "b"
        source.write_bytes(b"old")
        calls = []

        def convert(file, out):
            out.write(file.read())
            calls.append(1)
            if len(calls) == 1:
                source.write_bytes(b"new one")
            return True

        atomic.rewrite(str(source), str(target), convert)
        assert target.read_bytes() == b"new one"
        with pytest.raises(OSError, match="no space"):
            atomic.rewrite(str(source), str(source), lambda _file, _out: (_ for _ in ()).throw(OSError("no space")))
        assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}
