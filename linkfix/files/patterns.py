"""Patterns for file names in a folder, as in .gitignore: `*.html`, `docs/`, `/top.html`, `a/**/b`.

A pattern that matches a folder applies to everything in the folder. The last matching pattern decides, but a negated
pattern for a folder does not override an earlier pattern that matches the file itself. Matching takes linear time in
the number of wildcards.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

# The files that git ignores: patterns of .gitignore files and of the repository's .git/info/exclude (gitignore(5)).
#
# Only names and patterns are checked, not the index: a file that was added in spite of a pattern counts as ignored.
# The user's own excludes file (`core.excludesFile`) is not read, so that a run is the same on every machine.


_GIT, _IGNORE = ".git", ".gitignore"

#: The largest file of patterns that is read, in bytes. Larger files are ignored; nobody writes them by hand.
_LARGEST = 1 << 20

#: The expression for `**/`: any number of folders, the fewest first.
_FOLDERS = rb"(?:[^/]*/)*?"

#: The wildcards of a pattern: stars between slashes, other stars, "?", a set of characters, an escape.
_WILDCARDS = lazy_pattern(
    rb"(?P<folders>(?:(?<=/)|\A)(?:\*\*/)+)|(?P<end>(?<=/)\*\*\Z)|\*+|\?|\[[!^]?\]?[^]]*\]|\\.|.", re.DOTALL
)


class _IgnoreLine(NamedTuple):
    """The pattern in one line of a file."""

    regex: re.Pattern[bytes]
    negated: bool
    """Whether a match is not ignored."""
    folders_only: bool
    of_path: bool
    """Whether the pattern matches the path from the file's folder, not a name in any folder."""


class _IgnoreFile(NamedTuple):
    """The patterns of one file, in reverse order, since the last match decides."""

    folder: str
    """The real path of the folder that the patterns apply to."""
    rows: tuple[_IgnoreLine, ...]

    def decision(self, path: bytes, *, is_folder: bool) -> bool | None:
        """Whether a path, relative to the folder, is ignored; None if no pattern matches."""
        name = path.rpartition(b"/")[2]
        for row in self.rows:
            if (is_folder or not row.folders_only) and row.regex.fullmatch(path if row.of_path else name):
                return not row.negated
        return None


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
            inner = os.fsencode(path[len(one.folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/"))
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
            lines = file.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError:
        return None
    rows = tuple(filter(None, map(_ignore_pattern, reversed(lines))))
    return _IgnoreFile(folder, rows) if rows else None


def _ignore_pattern(line: bytes) -> _IgnoreLine | None:
    """The pattern of a line; None for an empty line, a comment, or a pattern that matches nothing."""
    line = re.sub(rb"(?<!\\) +\Z", b"", line.removesuffix(b"\r"))
    negated = line.startswith(b"!")
    text = line[negated:]
    folders_only = text.endswith(b"/")
    text = text[: len(text) - folders_only]
    if not text or line.startswith(b"#"):
        return None
    of_path = b"/" in text
    try:
        regex = re.compile(translated(text.removeprefix(b"/")), re.DOTALL)
    except re.error:  # for git it is a pattern that matches nothing
        return None
    return _IgnoreLine(regex, negated, folders_only, of_path)


def translated(text: bytes) -> bytes:
    """A pattern as a regular expression. Raises `re.error` for a pattern that matches nothing.

    The text between two stars has a fixed length, so its first match is as good as any other match. An atomic group
    discards the other matches. The same is true of the text between two `**/`. So the time stays linear in the number
    of wildcards.
    """
    segments: list[list[bytes]] = [[b""]]  # the text between `**/`, split at each star
    for match in _WILDCARDS.finditer(text):
        piece = match[0]
        if match["folders"]:
            segments.append([b""])
        elif piece.startswith(b"*") and not match["end"]:
            segments[-1].append(b"")
        else:
            segments[-1][-1] += b".+" if match["end"] else _one_byte(piece)
    *firsts, last = (_segment(runs, is_last=runs is segments[-1]) for runs in segments)
    before = b"".join(b"(?>%s%s)" % (_FOLDERS * bool(number), one) for number, one in enumerate(firsts))
    return before + _FOLDERS * bool(firsts) + last


def _segment(runs: list[bytes], *, is_last: bool) -> bytes:
    first, *others = runs
    starred = [b"(?>[^/]*?%s)" % run for run in others]
    if starred and is_last:
        starred[-1] = b"[^/]*" + others[-1]
    return first + b"".join(starred)


def _one_byte(piece: bytes) -> bytes:
    """A regular expression for a piece of a pattern that matches one byte."""
    if piece == b"?":
        return b"[^/]"
    if piece.startswith(b"[") and len(piece) > 1:
        return _set(piece[1:-1])
    if piece in {b"[", b"\\"}:
        message = "a set of characters that is not closed, or an incomplete escape"
        raise re.error(message)
    return re.escape(piece[-1:])


def _set(text: bytes) -> bytes:
    """A regular expression for a set of characters; it never matches a slash."""
    negated = text[:1] in {b"!", b"^"}
    inner = re.sub(rb"\\(?![]\\^-])", b"", text[negated:]).replace(b"[", b"\\[")
    return b"(?!/)[" + b"^" * negated + inner.replace(b"]", b"\\]") + b"]"


class _NamePattern(NamedTuple):
    """A pattern for names, compiled."""

    name: re.Pattern[str] | None
    """The expression for matching names; None for a pattern that matches only folders."""
    inside: re.Pattern[str]
    """The expression for names in a matching folder."""
    negated: bool
    """Whether the pattern excludes names that an earlier pattern selects."""


class NamePatterns:
    """A list of patterns. Raises `ValueError` for an invalid pattern. Empty lines and comments are ignored."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in lines if (pattern := _pattern(line)) is not None]

    def match(self, name: str) -> bool:
        """Whether the patterns select a name, which has "/" between folders. A folder's name ends with "/"."""
        is_meant = is_by_name = False
        for name_pattern, inside, negated in self._patterns:
            if name_pattern is not None and name_pattern.fullmatch(name) is not None:
                is_meant, is_by_name = not negated, True
            elif (not negated or not is_by_name) and inside.fullmatch(name) is not None:
                is_meant, is_by_name = not negated, False
        return is_meant


def _pattern(line: str) -> _NamePattern | None:
    if line.startswith("#"):
        return None
    text = re.sub(r"(?<!\\)[ \t]+\Z", "", line.rstrip("\r\n"))
    negated = text.startswith("!")
    text = text[negated:]
    if not text:
        if negated:
            message = f"{line!r} is no pattern"
            raise ValueError(message)
        return None
    # `a/**/` matches everything in `a`, files too; `**/` matches every folder.
    folders_only = text.endswith("/") and not (text.endswith("/**/") and text.strip("*/"))
    text = text.removesuffix("/")
    source = _source(text.removeprefix("/"))
    if "/" not in text:
        source = f"(?:.*/)?{source}"
    try:
        name = None if folders_only else re.compile(source, re.DOTALL)
        return _NamePattern(name, re.compile(f"(?:{source})/.*", re.DOTALL), negated)
    except re.error as error:
        message = f"{line!r} is no pattern: {error}"
        raise ValueError(message) from None


def _source(text: str) -> str:
    """A pattern as a regular expression. Unlike in git, a bracket that is not closed is an ordinary character."""
    for pattern in (text, text.replace("[", "\\[")):
        try:
            return translated(pattern.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        except re.error:
            continue
    message = f"{text!r} is no pattern"
    raise ValueError(message)
