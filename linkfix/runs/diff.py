"""A unified diff of a document and its conversion, or of a page and its fixes, in linear time, for `patch -p1`.

A conversion replaces text inside lines and moves no line. So lines that occur once in both versions are anchors, and
lines between two anchors are paired by number; a longest common subsequence would take quadratic time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

#: The number of context lines around a change.
_CONTEXT = 3
_UNSAFE = lazy_pattern(rb"[^ !#-\[\]-~]")


class _LineChange(NamedTuple):
    """A change of lines: `old[start:end]` became `new[new_start:new_end]`."""

    start: int
    end: int
    new_start: int
    new_end: int


def unified_diff(name: str, old: bytes, new: bytes) -> bytes:
    """The diff from `old` to `new`, two versions of the file `name`; b"" if they are equal.

    Lines end only at LF, and appear byte for byte. A name with control characters, quotes or bytes that are not ASCII
    is quoted as in git and GNU patch.
    """
    if old == new:
        return b""
    before, after = _lines(old), _lines(new)
    out = [b"--- " + _quote("a", name), b"+++ " + _quote("b", name)]
    for hunk in _hunks(_changes(before, after)):
        first, last = hunk[0], hunk[-1]
        lead = min(_CONTEXT, first.start)
        trail = min(_CONTEXT, len(before) - last.end)
        out.append(
            b"@@ -%s +%s @@\n"
            % (
                _range(first.start - lead, last.end + trail),
                _range(first.new_start - lead, last.new_end + trail),
            )
        )
        done = first.start - lead
        for change in hunk:
            out += (b" " + line for line in before[done : change.start])
            out += (b"-" + line for line in before[change.start : change.end])
            out += (b"+" + line for line in after[change.new_start : change.new_end])
            done = change.end
        out += (b" " + line for line in before[done : done + trail])
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in out)


def difference(name: str, old: bytes, new: bytes, encoding: str) -> bytes:
    """The diff of two versions of a document in `encoding`, a name of the Encoding standard.

    UTF-16 is converted to UTF-8 first: a diff consists of lines of bytes, which UTF-16 does not have.
    """
    if encoding.startswith("utf-16"):
        old, new = (data.decode(encoding, "replace").encode() for data in (old, new))
    return unified_diff(name, old, new)


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _changes(old: list[bytes], new: list[bytes]) -> Iterator[_LineChange]:
    """The changes between anchors: lines that are unique in both versions and in the same order."""
    once_old, once_new = Counter(old), Counter(new)
    places = {line: number for number, line in enumerate(old) if once_old[line] == once_new[line] == 1}
    i = j = 0
    for number, line in enumerate([*new, None]):
        place = len(old) if line is None else places.get(line, -1)
        if place >= i:
            yield from _between(old, new, _LineChange(i, place, j, number))
            i, j = place + 1, number + 1


def _between(old: list[bytes], new: list[bytes], gap: _LineChange) -> Iterator[_LineChange]:
    start, end, new_start, new_end = gap
    if end - start != new_end - new_start:
        yield gap
        return
    for number in range(end - start):
        if old[start + number] != new[new_start + number]:
            yield _LineChange(start + number, start + number + 1, new_start + number, new_start + number + 1)


def _hunks(changes: Iterator[_LineChange]) -> Iterator[list[_LineChange]]:
    """Group changes whose contexts meet."""
    hunk: list[_LineChange] = []
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        if hunk and hunk[-1].end == change.start:
            hunk[-1] = _LineChange(hunk[-1].start, change.end, hunk[-1].new_start, change.new_end)
        else:
            hunk.append(change)
    if hunk:
        yield hunk


def _range(start: int, end: int) -> bytes:
    """A range in a hunk header: its first line, from 1, and its number of lines. For an empty range, the first number
    is the line before it.
    """
    return b"%d,%d" % (start + (end > start), end - start)


def _quote(side: str, name: str) -> bytes:
    raw = side.encode() + b"/" + os.fsencode(name).lstrip(b"/")
    escaped = _UNSAFE.sub(lambda match: b"\\%03o" % ord(match[0]), raw)
    if escaped != raw:
        return b'"' + escaped + b'"\n'
    return raw + (b"\t\n" if b" " in raw else b"\n")
