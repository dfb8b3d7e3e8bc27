from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix.runs.diff import unified_diff

_HUNK = re.compile(rb"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")


def patched(old: bytes, diff: bytes) -> bytes:
    """Apply a unified diff as POSIX describes it: context and removed lines must be at the stated positions."""
    source = re.findall(rb"[^\n]*\n|[^\n]+", old)
    result, done, lines = [], 0, re.findall(rb"[^\n]*\n", diff)[2:]
    while lines:
        start, count, new_start, new_count = map(int, _HUNK.fullmatch(lines.pop(0)).groups())
        begin = start - 1 if count else start
        result += source[done:begin]
        assert len(result) == (new_start - 1 if new_count else new_start)
        done = begin
        while count or new_count:
            line = lines.pop(0)
            if lines and lines[0].startswith(b"\\"):
                lines.pop(0)
                line = line[:-1]
            if line[:1] in b" -":
                assert source[done] == line[1:]
                done, count = done + 1, count - 1
            if line[:1] in b" +":
                result.append(line[1:])
                new_count -= 1
    return b"".join(result + source[done:])


lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"\x0c\x1e\n", b"unique 1\n", b"unique 2\n"]))
texts = st.builds(lambda body, end: b"".join(body) + end, lines, st.sampled_from([b"", b"no newline"]))


@given(old=texts, new=texts)
def test_the_diff_makes_the_new_of_the_old(old, new):
    diff = unified_diff("x", old, new)
    assert bool(diff) == (old != new)
    if diff:
        assert patched(old, diff) == new


@given(body=st.lists(st.sampled_from([b"same", b"link", b""]), max_size=60))
def test_lines_that_only_changed_are_shown_one_by_one(body):
    old = b"".join(b"%s %d\n" % (line, number) for number, line in enumerate(body))
    new = old.replace(b"link", b"absolute")
    removed = [line for line in unified_diff("x", old, new).splitlines()[2:] if line.startswith(b"-")]
    assert len(removed) == body.count(b"link")


def test_context_and_hunks():
    old = b"".join(b"%d\n" % number for number in range(1, 21))
    new = old.replace(b"\n5\n", b"\nfive\n").replace(b"\n15\n", b"\nfifteen\n")
    assert unified_diff("site/a.html", old, new) == (
        b"--- a/site/a.html\n+++ b/site/a.html\n"
        b"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        b"@@ -12,7 +12,7 @@\n 12\n 13\n 14\n-15\n+fifteen\n 16\n 17\n 18\n"
    )


@pytest.mark.skipif(shutil.which("patch") is None, reason="the program patch is not installed")
@pytest.mark.parametrize("name", ["page.html", "a b.html", 'caf\u00e9 "q".html', "caf\udce9.html", "tab\there.html"])
def test_gnu_patch_applies_it_to_any_name(tmp_path, name):
    old, new = b"<p>\n<a href=x>\r\n</p>", b"<p>\n<a href=http://h/x>\r\n</p>"
    (tmp_path / name).write_bytes(old)
    diff = unified_diff(name, old, new)
    done = subprocess.run(["patch", "-p1", "--binary"], input=diff, cwd=tmp_path, capture_output=True, check=False)  # noqa: S607
    assert done.returncode == 0, done
    assert (tmp_path / name).read_bytes() == new
