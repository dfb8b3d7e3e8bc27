"""Patterns for file names in a folder, as in .gitignore: `*.html`, `docs/`, `/top.html`, `a/**/b`.

A pattern that matches a folder applies to everything in the folder. The last matching pattern decides, but a negated
pattern for a folder does not override an earlier pattern that matches the file itself or a folder in that folder.
Unlike in .gitignore, a negated pattern may take a file out of a selected folder. Matching takes linear time in
the number of wildcards.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

#: A line without the spaces at its end. An escaped space stays.
_LINE = lazy_pattern(r"(?:\\.|[^\\ ]| +(?=[^ ]))*+\\?", re.DOTALL)

#: The members of a set of characters: a class such as `[:alpha:]`, a character, the first and the last of a range.
_CLASS = r"\[:[^]]{1,99}+(?<=:)\]"

_RANGE = r"(?:-(?:\\.|[^]\\]))?+"

_MEMBER = lazy_pattern(rf"{_CLASS}|(?:\\.|[^\\]){_RANGE}", re.DOTALL)

#: The wildcards of a pattern: stars between slashes, other stars, "?", a set of characters, an escape. A bracket that
#: follows the beginning of a set is its first member.
_WILDCARDS = lazy_pattern(
    r"(?P<folders>(?:(?<=/)|\A)(?:\*\*++/)+)|(?P<end>(?:(?<=/)|\A)\*\*++\Z)|\*+|\?"
    rf"|\[(?P<negated>[!^]?+)(?P<set>(?:\]{_RANGE})?+(?:{_CLASS}|(?:\\.|[^]\\]){_RANGE})*+)\]|\\.|.",
    re.DOTALL,
)

#: The classes of ASCII characters (POSIX.1 §7.3.1), as members of a set in a regular expression.
_CLASSES = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:blank:]": r"\t ",
    "[:cntrl:]": r"\x00-\x1f\x7f",
    "[:digit:]": "0-9",
    "[:graph:]": r"\x21-\x7e",
    "[:lower:]": "a-z",
    "[:print:]": r"\x20-\x7e",
    "[:punct:]": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "[:space:]": r"\t-\r ",
    "[:upper:]": "A-Z",
    "[:xdigit:]": "0-9A-Fa-f",
}

#: The expression for `**/`: any number of folders, the fewest first.
_FOLDERS = "(?:[^/]*/)*?"


class _Pattern(NamedTuple):
    """The pattern in a line."""

    text: str
    """The text, without a slash at its beginning and its end."""
    negated: bool
    """Whether the pattern excludes names that an earlier pattern selects."""
    folders_only: bool
    of_path: bool
    """Whether the pattern matches the path from the folder of the patterns, not a name in any folder."""


def _parse(line: str) -> _Pattern | None:
    """The pattern in a line; None for an empty line or a comment. Raises `ValueError` for an empty pattern."""
    found = _LINE.match(line.removesuffix("\r"))
    line = found[0] if found else ""
    if not line or line.startswith("#"):
        return None
    if line == "!":
        message = "it is empty"
        raise ValueError(message)
    negated = line.startswith("!")
    text = line[negated:].removesuffix("/")
    return _Pattern(text.removeprefix("/"), negated, line.endswith("/"), "/" in text)


def _translate(text: str) -> str:
    """A pattern as a regular expression. Raises `ValueError` for a pattern that matches nothing.

    The text between two stars has a fixed length, so its first match is as good as any other match. An atomic group
    discards the other matches. The same is true of the text between two `**/`. So the time stays linear in the number
    of wildcards.
    """
    segments = [[""]]  # the text between `**/`, split at each star
    for match in _WILDCARDS.finditer(text):
        if match["folders"]:
            segments.append([""])
        elif match[0].startswith("*") and not match["end"]:
            segments[-1].append("")
        else:
            segments[-1][-1] += ".+" if match["end"] else _one_character(match)
    *firsts, last = (_segment(runs, is_last=runs is segments[-1]) for runs in segments)
    before = "".join(f"(?>{_FOLDERS * bool(number)}{one})" for number, one in enumerate(firsts))
    return before + _FOLDERS * bool(firsts) + last


def _segment(runs: list[str], *, is_last: bool) -> str:
    first, *others = runs
    starred = [f"(?>[^/]*?{run})" for run in others]
    if starred and is_last:
        starred[-1] = "[^/]*" + others[-1]
    return first + "".join(starred)


def _one_character(match: re.Match[str]) -> str:
    """A regular expression for a piece of a pattern that matches one character. A set never matches a slash."""
    piece = match[0]
    if match["set"]:
        members = "".join(map(_member, _MEMBER.findall(match["set"])))
        return f"(?!/)[{'^' * bool(match['negated'])}{members}]"
    if piece in {"[", "\\"}:
        message = "a set of characters that is not closed, or an incomplete escape"
        raise ValueError(message)
    return "[^/]" if piece == "?" else re.escape(piece[-1])


def _member(text: str) -> str:
    """A member of a set, in a regular expression. The first character of a range is a member, wherever the range ends.

    Raises `ValueError` for an unknown class.
    """
    if text.startswith("[:"):
        if text not in _CLASSES:
            message = f"{text} is no class of characters"
            raise ValueError(message)
        return _CLASSES[text]
    ends = re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
    first, last = re.escape(ends[0]), re.escape(ends[-1])
    return f"{first}-{last}" if ends[0] < ends[-1] else first


class _NamePattern(NamedTuple):
    """A pattern for names, compiled."""

    name: re.Pattern[str] | None
    """The expression for matching names; None for a pattern that matches only folders."""
    folder: re.Pattern[str]
    """The expression for matching folders."""
    inside: re.Pattern[str]
    """The expression for names in a matching folder."""
    negated: bool

    def matches(self, name: str) -> bool:
        """Whether the pattern matches a name or a folder that the name is in."""
        return self._is_name(name) or self.inside.fullmatch(name) is not None

    def end(self, name: str) -> int:
        """The end of the longest path that the pattern matches: the name or a folder that it is in; -1 for none."""
        if self._is_name(name):
            return len(name.rstrip("/"))
        end = len(name) if self.inside.fullmatch(name) is not None else -1
        while end >= 0 and (end := name.rfind("/", 0, end)) >= 0 and self.folder.fullmatch(name, 0, end) is None:
            pass
        return end

    def _is_name(self, name: str) -> bool:
        return self.name is not None and self.name.fullmatch(name) is not None


class NamePatterns:
    """A list of patterns. Raises `ValueError` for an invalid pattern. Empty lines and comments are ignored."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in lines if (pattern := _name_pattern(line)) is not None]
        self._has_negated = any(pattern.negated for pattern in self._patterns)

    def match(self, name: str) -> bool:
        """Whether the patterns select a name, which has "/" between folders. A folder's name ends with "/"."""
        if not self._has_negated:
            return any(pattern.matches(name) for pattern in self._patterns)
        selected = -1  # the end of the longest selected path
        for pattern in self._patterns:
            end = pattern.end(name)
            if not pattern.negated:
                selected = max(selected, end)
            elif end >= selected:
                selected = -1
        return selected >= 0


def _name_pattern(line: str) -> _NamePattern | None:
    """The pattern in a line, compiled; None for an empty line or a comment. Raises `ValueError`."""
    try:
        pattern = _parse(line.rstrip("\r\n"))
        if pattern is None:
            return None
        source = name_expression(pattern.text)
    except ValueError as error:
        message = f"{line!r} is no pattern: {error}"
        raise ValueError(message) from None
    source = source if pattern.of_path else f"(?:.*/)?{source}"
    # `a/**/` matches everything in `a`, files too; `**/` matches every folder.
    is_any = pattern.text.endswith("/**") and pattern.text.strip("*/")
    folder = re.compile(source, re.DOTALL)
    name = None if pattern.folders_only and not is_any else folder
    return _NamePattern(name, folder, re.compile(f"(?:{source})/.*", re.DOTALL), pattern.negated)


def name_expression(text: str) -> str:
    """A pattern without slashes at its ends as a regular expression.

    Unlike in git, a bracket that is not closed is an ordinary character.
    """
    try:
        return _translate(text)
    except ValueError:
        return _translate(text.replace("[", "\\["))


# The files that git ignores: patterns of .gitignore files and of the repository's .git/info/exclude (gitignore(5)).
#
# Only names and patterns are checked, not the index: a file that was added in spite of a pattern counts as ignored.
# The user's own excludes file (`core.excludesFile`) is not read, so that a run is the same on every machine.


_GIT, _IGNORE = ".git", ".gitignore"

#: The largest file of patterns that is read, in bytes. Larger files are ignored; nobody writes them by hand.
_LARGEST = 1 << 20


class _IgnoreRow(NamedTuple):
    """A pattern of an ignore file, compiled."""

    regex: re.Pattern[str]
    pattern: _Pattern
    line: int
    """The number of its line, from 1."""


def _ignore_rows(lines: Iterable[str], *, ignore_case: bool = False) -> tuple[_IgnoreRow, ...]:
    """The patterns of an ignore file in reverse order, since the last match decides."""
    rows = []
    flags = re.DOTALL | re.IGNORECASE * ignore_case
    for number, line in enumerate(lines, 1):
        with contextlib.suppress(ValueError):  # for git it is a pattern that matches nothing
            if pattern := _parse(line):
                rows.append(_IgnoreRow(re.compile(_translate(pattern.text), flags), pattern, number))
    return tuple(reversed(rows))


def _deciding(rows: Iterable[_IgnoreRow], path: str, *, is_folder: bool) -> _IgnoreRow | None:
    """The first row that matches a path, relative to the folder of the patterns; None if none does."""
    name = path.rpartition("/")[2]
    for row in rows:
        regex, pattern, _ = row
        if (is_folder or not pattern.folders_only) and regex.fullmatch(path if pattern.of_path else name):
            return row
    return None


def ignored_names(lines: Iterable[str], names: Iterable[str]) -> dict[str, int]:
    """The names that the lines of an ignore file select, each with the number of the line that decides, from 1.

    As in .gitignore: a folder is ignored with everything in it, which no later line includes again. Case makes no
    difference, as in the library of JavaScript that hosts use (https://github.com/kaelzhang/node-ignore).

    >>> ignored_names(["/*", "!a", "a/*.map"], ["a/b.js", "a/b.map", "c/d.js"])
    {'a/b.map': 3, 'c/d.js': 1}
    """
    rows = _ignore_rows(lines, ignore_case=True)
    folders: dict[str, int] = {}
    found = ((name, _ignoring_line(rows, name, folders)) for name in names)
    return {name: line for name, line in found if line}


def _ignoring_line(rows: tuple[_IgnoreRow, ...], name: str, folders: dict[str, int]) -> int:
    """The line that ignores a name, or the outermost ignored folder that it is in; 0 for none.

    `folders`: the lines of folders, which are added.
    """

    def line_of(path: str, *, is_folder: bool) -> int:
        row = _deciding(rows, path, is_folder=is_folder)
        return 0 if row is None or row.pattern.negated else row.line

    end = name.find("/")
    while end >= 0:
        folder = name[:end]
        if folder not in folders:
            folders[folder] = line_of(folder, is_folder=True)
        if folders[folder]:
            return folders[folder]
        end = name.find("/", end + 1)
    return line_of(name, is_folder=False)


class _IgnoreFile(NamedTuple):
    """The patterns of one file."""

    folder: str
    """The real path of the folder that the patterns apply to."""
    rows: tuple[_IgnoreRow, ...]
    """See `_ignore_rows`. Git compares bytes, which are characters here."""

    def decision(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether a path, relative to the folder, is ignored; None if no pattern matches."""
        row = _deciding(self.rows, path, is_folder=is_folder)
        return None if row is None else not row.pattern.negated


class IgnoreScope(NamedTuple):
    """The ignore patterns that apply in one folder."""

    patterns: tuple[_IgnoreFile, ...]
    """The files of patterns of its parent folders and its own file, outermost first. The last match decides."""
    ignored: bool = False
    """Whether the folder is ignored, with everything in it: its content cannot be included again."""

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether the file or folder at a real path in this folder is ignored."""
        if self.ignored:
            return True
        for one in reversed(self.patterns):
            inner = os.fsencode(path[len(one.folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/")).decode("latin-1")
            decision = one.decision(inner, is_folder=is_folder)
            if decision is not None:
                return decision
        return False

    def inner(self, path: str) -> IgnoreScope:
        """The scope of the folder at a real path in this folder."""
        if self.ignores(path, is_folder=True):
            return self._replace(ignored=True)
        own = _read(path, os.path.join(path, _IGNORE))
        return self if own is None else IgnoreScope((*self.patterns, own))


def ignore_scope(root: str) -> IgnoreScope | None:
    """The scope of the folder at the real path `root`; None if the folder is in no repository.

    If a .gitignore above ignores the folder itself, the patterns above do not count: the user has named the folder.
    """
    top = root
    while not os.path.lexists(os.path.join(top, _GIT)):
        above = os.path.dirname(top)
        if above == top:
            return None
        top = above
    exclude = _read(top, os.path.join(top, _GIT, "info", "exclude"))
    own = _read(top, os.path.join(top, _IGNORE))
    scope = IgnoreScope(tuple(filter(None, (exclude, own))))
    path = top
    for name in os.path.relpath(root, top).split(os.sep) if root != top else ():
        path = os.path.join(path, name)
        scope = scope.inner(path)
    if not scope.ignored:
        return scope
    own = _read(root, os.path.join(root, _IGNORE))
    return IgnoreScope((own,) if own is not None else ())


def _read(folder: str, path: str) -> _IgnoreFile | None:
    """The patterns in a file for a folder; None if the file does not exist, is unreadable, or has no patterns."""
    try:
        if os.path.islink(path) or os.path.getsize(path) > _LARGEST:
            return None  # git does not follow a symbolic link here either
        with open(path, "rb") as file:
            lines = file.read().removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    except OSError:
        return None
    rows = _ignore_rows(lines)
    return _IgnoreFile(folder, rows) if rows else None
