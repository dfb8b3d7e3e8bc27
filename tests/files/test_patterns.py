"""Patterns of files, beside pathspec's reading of them, and the time that they take."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from support.growth import processor_limit

from linkfix.files import selector
from linkfix.files.patterns import NamePatterns


@pytest.mark.parametrize(
    ("lines", "meant", "others"),
    [
        (["*.html"], ["a.html", "d/e/a.html", "x.html/b"], ["a.htm", "html"]),
        (["docs/"], ["docs/a", "x/docs/y/z"], ["docs", "x/docs"]),
        (["/docs"], ["docs", "docs/a"], ["x/docs"]),
        (["a/b"], ["a/b", "a/b/c"], ["x/a/b"]),
        (["a/*"], ["a/b", "a/b/c"], ["a", "x/a/b"]),
        (["a/**/b"], ["a/b", "a/x/y/b", "a/x/b/c"], ["a/x", "x/a/b"]),
        (["**/b"], ["b", "a/b", "a/b/c"], ["ab"]),
        (["a/**"], ["a/b", "a/b/c"], ["a", "b/a/c"]),
        (["a/**/"], ["a/b", "a/b/c"], ["a", "b"]),
        (["**/"], ["a/b"], ["a"]),
        (["caf?.h[tT]ml"], ["café.html", "d/café.hTml"], ["cafés.html", "caf/.html"]),
        (["[!a]"], ["b", "é"], ["a"]),
        (["*", "!*.js"], ["a", "b/c"], ["a.js", "b/a.js"]),
        (["docs/", "!docs/a"], ["docs/b"], ["docs/a"]),
        (["docs/a", "!docs/"], ["docs/a"], ["docs/b"]),
        (["#x", "", "  ", "a  "], ["a"], ["#x", "x", "b"]),
        (["\\#x", "\\!y", "z\\ "], ["#x", "!y", "z "], ["x", "y", "z"]),
        (["a["], ["a["], ["a"]),
        (["libs/"], ["libs/", "libs/x"], ["libs"]),
    ],
)
def test_patterns(lines, meant, others):
    patterns = NamePatterns(lines)
    assert [name for name in meant if not patterns.match(name)] == []
    assert [name for name in others if patterns.match(name)] == []


@pytest.mark.parametrize("line", ["!", "\\", "a\\"])
def test_invalid_patterns(line):
    with pytest.raises(ValueError, match=" is no pattern"):
        NamePatterns([line])


#: Pieces of usual patterns. pathspec differs on a set with a slash, a set that is not closed, and `**/` at the end.
_PIECES = st.sampled_from(["a", "b", "é", ".", "*", "**", "?", "/", "/**/", "[ab]", "[!a]", "*.", "!", "-"])
_NAMES = st.lists(st.text("abcé.-", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@given(lines=st.lists(st.lists(_PIECES, min_size=1, max_size=5).map("".join), min_size=1, max_size=3), name=_NAMES)
def test_pathspec_reads_them_alike(lines, name):
    assume(not any(line.endswith("**/") or "//" in line or re.search(r"\[[^]]*/", line) for line in lines))
    assume(not any(line.lstrip("!") in {"", "/"} or "***" in line for line in lines) and not name.startswith("./"))
    assert NamePatterns(lines).match(name) == GitIgnoreSpec.from_lines(lines).match_file(name)


@pytest.mark.growth
@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*a" * 100 + "*b", "a" * 255),
        ("**/a/" * 100 + "b", "a/" * 1000 + "c"),
        ("a/**/" * 100 + "b", "a/" * 1000 + "c"),
        ("**/*a" * 100 + "b", "a/" * 1000 + "c"),
        ("*[ab]" * 100 + "c", "ab" * 127),
        ("*" * 200 + "b", "a" * 255),
    ],
)
def test_many_wildcards_take_little_time(pattern, name):
    with processor_limit(1):
        assert selector((), [pattern])(name)
        assert selector((), ["/" + pattern])(name)
