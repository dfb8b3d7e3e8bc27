"""Leftovers of killed runs are removed, temporary files of living runs stay; files keep their hard links."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.kills import temporary_files

from linkfix.files import atomic, open_folder
from linkfix.files.atomic import remove_leftovers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks that go with a process")

STEM = ".linkfix-0123456789abcdef"


@pytest.fixture
def linked(tmp_path):
    """A file with two names."""
    page = tmp_path / "page.html"
    page.write_bytes(b"old content")
    os.link(page, tmp_path / "other.html")
    return page


class TestLeftovers:
    def test_are_removed(self, tmp_path):
        (tmp_path / f"{STEM}.tmp").write_bytes(b"half")
        (tmp_path / "page.html").write_bytes(b"old")
        assert remove_leftovers(str(tmp_path)) == [str(tmp_path / f"{STEM}.tmp")]
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]

    def test_a_file_that_has_its_final_mode_already(self, tmp_path):
        (tmp_path / f"{STEM}.tmp").touch(0o444)
        assert len(remove_leftovers(str(tmp_path))) == 1

    def test_files_with_similar_names_stay(self, tmp_path):
        names = [f"{STEM}.tmp.html", f"{STEM}.txt", ".linkfix-0123.tmp", "x" + STEM + ".tmp"]
        for name in names:
            (tmp_path / name).touch()
        (tmp_path / ".linkfix-0000000000000001.tmp").mkdir()
        (tmp_path / ".linkfix-0000000000000002.tmp").symlink_to(tmp_path / names[0])
        os.mkfifo(tmp_path / ".linkfix-0000000000000003.tmp")
        (tmp_path / ".linkfix-0000000000000004.old").write_bytes(b"with no other name, this may be all there is")
        before = temporary_files(tmp_path)
        assert remove_leftovers(str(tmp_path)) == []
        assert temporary_files(tmp_path) == before

    def test_another_user_s_stay(self, tmp_path, monkeypatch):
        (tmp_path / f"{STEM}.tmp").touch()
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert remove_leftovers(str(tmp_path)) == []

    def test_files_of_a_living_process_stay(self, tmp_path):
        program = (
            "import sys, linkfix.files.atomic as atomic\n"
            "def convert(source, out):\n"
            "    out.write(b'new'); out.flush(); print(flush=True); sys.stdin.readline(); return True\n"
            "atomic.rewrite(sys.argv[1], sys.argv[1], convert)\n"
        )
        page = tmp_path / "page.html"
        page.write_bytes(b"old")
        with subprocess.Popen(
            [sys.executable, "-c", program, page], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            process.stdout.readline()
            assert len(temporary_files(tmp_path)) == 1
            assert remove_leftovers(str(tmp_path)) == []
            process.communicate("\n")
        assert page.read_bytes() == b"new"
        assert temporary_files(tmp_path) == []

    def test_files_of_a_killed_process_are_removed(self, tmp_path):
        program = (
            "import os, sys, signal, linkfix.files.atomic as atomic\n"
            "atomic.rewrite(sys.argv[1], sys.argv[1], lambda *_: os.kill(os.getpid(), signal.SIGKILL))\n"
        )
        page = tmp_path / "page.html"
        page.write_bytes(b"old")
        subprocess.run([sys.executable, "-c", program, page], check=False)
        assert len(temporary_files(tmp_path)) == 1
        assert len(remove_leftovers(str(tmp_path))) == 1

    def test_a_file_system_without_locks(self, tmp_path, monkeypatch):
        def refuse(*_):
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(atomic.fcntl, "flock", refuse)
        (tmp_path / f"{STEM}.tmp").touch()
        assert remove_leftovers(str(tmp_path)) == []
        atomic.write(str(tmp_path / "page.html"), b"new")
        assert (tmp_path / "page.html").read_bytes() == b"new"

    def test_a_new_file_removed_as_a_leftover_is_created_again(self, tmp_path, monkeypatch):
        """Another process may find it between its making and its locking."""
        flock, names = atomic.fcntl.flock, []

        def late(descriptor, how):
            if not names:
                names.extend(temporary_files(tmp_path))
                monkeypatch.setattr(atomic.fcntl, "flock", flock)
                assert len(remove_leftovers(str(tmp_path))) == 1
            flock(descriptor, how)

        monkeypatch.setattr(atomic.fcntl, "flock", late)
        atomic.write(str(tmp_path / "page.html"), b"new")
        assert (tmp_path / "page.html").read_bytes() == b"new"
        assert temporary_files(tmp_path) == []
        assert len(names) == 1

    def test_a_file_is_removed_if_a_signal_arrives_before_its_block_or_its_end(self, tmp_path):
        with open_folder(str(tmp_path)) as folder:
            file = atomic.TemporaryFile(folder, 0o600)
            file.__enter__()
            assert temporary_files(tmp_path) == [file.name]
            del file
            assert temporary_files(tmp_path) == []

    def test_a_file_that_cannot_be_locked_is_left_to_whoever_has_it(self, tmp_path, monkeypatch):
        answers = iter([False, True])
        monkeypatch.setattr(atomic, "_lock", lambda _: next(answers))
        with open_folder(str(tmp_path)) as folder, atomic.TemporaryFile(folder, 0o600) as file:
            assert len(temporary_files(tmp_path)) == 2
            assert file.name in temporary_files(tmp_path)
        assert file.descriptor == -1

    def test_names_differ_in_a_process_that_was_forked(self, tmp_path):
        with open_folder(str(tmp_path)) as folder, atomic.temporary_name(folder) as first:
            reading, writing = os.pipe()
            if (pid := os.fork()) == 0:
                with atomic.temporary_name(folder) as name:
                    os.write(writing, name.encode())
                os._exit(0)
            os.waitpid(pid, 0)
            os.close(writing)
            with atomic.temporary_name(folder) as second:
                names = {first, second, os.read(reading, 100).decode()}
            os.close(reading)
        assert len(names) == 3
        assert all(map(atomic.is_temporary, names))

    def test_a_folder_that_is_not_there(self, tmp_path):
        assert remove_leftovers(str(tmp_path / "none")) == []


class TestHardLinks:
    @pytest.mark.parametrize("new", [b"new", b"new and longer", b"", b"NEW CONTENT"])
    def test_all_names_have_the_new_content(self, linked, new):
        inode = linked.stat().st_ino
        atomic.write(str(linked), new, expected=linked.stat(), keep_hard_links=True)
        assert linked.read_bytes() == linked.with_name("other.html").read_bytes() == new
        assert (linked.stat().st_ino, linked.stat().st_nlink) == (inode, 2)
        assert temporary_files(linked.parent) == []

    def test_without_the_wish_they_are_separated(self, linked):
        atomic.write(str(linked), b"new")
        assert (linked.read_bytes(), linked.with_name("other.html").read_bytes()) == (b"new", b"old content")

    def test_rewrite(self, linked):
        def convert(source, out):
            out.write(source.read().upper())
            return True

        atomic.rewrite(str(linked), str(linked), convert, keep_hard_links=True)
        assert linked.with_name("other.html").read_bytes() == b"OLD CONTENT"

    @pytest.mark.parametrize("preserve", [False, True])
    def test_times(self, linked, preserve):
        os.utime(linked, ns=(10**9, 10**9))
        atomic.write(str(linked), b"new", keep_hard_links=True, preserve_times=preserve)
        assert (linked.stat().st_mtime_ns == 10**9) == preserve

    def test_a_file_that_was_written_to_stays(self, linked):
        status = linked.stat()
        linked.write_bytes(b"somebody else's")
        with pytest.raises(atomic.FileChanged):
            atomic.write(str(linked), b"new", expected=status, keep_hard_links=True)
        assert linked.with_name("other.html").read_bytes() == b"somebody else's"
        assert temporary_files(linked.parent) == []

    def test_a_full_disk_leaves_the_old_content(self, linked, monkeypatch):
        write, calls, inode = os.write, [], linked.stat().st_ino

        def fail(descriptor, data):
            if os.fstat(descriptor).st_ino != inode:
                return write(descriptor, data)
            calls.append(1)
            if len(calls) == 1:
                return write(descriptor, data[:1])
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", fail)
        with pytest.raises(OSError, match="No space"):
            atomic.write(str(linked), b"new and longer", keep_hard_links=True)
        assert linked.read_bytes() == b"old content"
        assert temporary_files(linked.parent) == []

    def test_an_interrupted_overwriting_is_completed(self, linked, monkeypatch):
        write, calls, inode = os.write, [], linked.stat().st_ino

        def interrupt(descriptor, data):
            if os.fstat(descriptor).st_ino != inode:
                return write(descriptor, data)
            calls.append(1)
            if len(calls) == 1:
                write(descriptor, data[:2])
                raise KeyboardInterrupt
            return write(descriptor, data)

        monkeypatch.setattr(os, "write", interrupt)
        with pytest.raises(KeyboardInterrupt):
            atomic.write(str(linked), b"new", keep_hard_links=True)
        assert linked.read_bytes() == b"new"
        assert temporary_files(linked.parent) == []

    @pytest.fixture
    def half(self, linked):
        """The state that a kill leaves behind: the file half overwritten, its new content beside it."""
        os.link(linked, linked.with_name(f"{STEM}.old"))
        linked.with_name(f"{STEM}.new").write_bytes(b"new")
        with linked.open("r+b") as file:
            file.write(b"ne")
        return linked

    def test_the_next_run_completes_it(self, half):
        assert [Path(path).suffix for path in remove_leftovers(str(half.parent))] == [".new", ".old"]
        assert half.with_name("other.html").read_bytes() == b"new"
        assert half.stat().st_nlink == 2

    def test_even_if_its_names_changed(self, half):
        half.rename(half.with_name("renamed.html"))
        remove_leftovers(str(half.parent))
        assert half.with_name("renamed.html").read_bytes() == b"new"

    def test_a_process_that_overwrites_is_ignored(self, half):
        with open_folder(str(half.parent)) as folder, folder.file(f"{STEM}.new", "r+b") as file:
            atomic.fcntl.flock(file.fileno(), atomic.fcntl.LOCK_EX)
            assert remove_leftovers(str(half.parent)) == []
        assert half.read_bytes() == b"ned content"

    def test_no_link_is_followed(self, half):
        victim = half.with_name("victim")
        victim.write_bytes(b"kept")
        half.with_name(f"{STEM}.old").unlink()
        half.with_name(f"{STEM}.old").symlink_to(victim)
        assert remove_leftovers(str(half.parent)) == []
        assert victim.read_bytes() == b"kept"

    @pytest.mark.parametrize("existing", [None, b"other", "same"])
    def test_hard_link(self, linked, existing):
        target = linked.with_name("third.html")
        if existing == "same":
            os.link(linked, target)
        elif existing:
            target.write_bytes(existing)
        atomic.hard_link(str(linked), str(target))
        assert target.samefile(linked)
        assert temporary_files(linked.parent) == []
