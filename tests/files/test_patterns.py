"""Patterns of files, and the time that they take. Test of git's answers: test_git_ignore.py."""

from __future__ import annotations

import pytest
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
        (["b/", "!a/"], ["a/b/x", "b/x", "b/a/b/x"], ["a/x", "b/a/x"]),
        (["b/", "!a/", "!a/b/x"], ["a/b/y"], ["a/b/x"]),
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
        ("*[[:alpha:]]" * 100 + "1", "a" * 255),
        ("*a" * 400 + "b", "a" * 4000),
        ("[[:" * 500 + "a", "a" * 255),
        ("[a" * 500 + "b", "a" * 255),
        (r"\ " * 500 + "b", " " * 4000),
        (" " * 4000 + "b", " " * 4000),
    ],
)
def test_many_wildcards_take_little_time(pattern, name):
    with processor_limit(1):
        assert selector((), [pattern])(name)
        assert selector((), ["/" + pattern])(name)


@pytest.mark.growth
@pytest.mark.parametrize("pattern", ["a/", "/a/", "**/a/" * 50 + "b/", "*a*a*a*a/b/"])
def test_a_negated_pattern_takes_little_time(pattern):
    name = "a/" * 500 + "b/" + "c/" * 500 + "d"
    with processor_limit(1):
        NamePatterns([pattern, f"!{pattern}"] * 10).match(name)
