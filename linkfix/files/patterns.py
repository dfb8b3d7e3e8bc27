"""Patterns for the names of a tree, as in .gitignore: `*.html`, `docs/`, `/top.html`, `a/**/b`.

A folder that a pattern matches stands for all that is in it. The last pattern that matches decides, and one for a
folder gives way to an earlier one for the file itself. Matching takes linear time in the number of wildcards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from linkfix.files.git_ignore import translated

__all__ = ["NamePatterns"]


class _NamePattern(NamedTuple):
    """One pattern."""

    name: re.Pattern[str] | None
    """What matches it; None for a pattern that is for folders alone."""
    inside: re.Pattern[str]
    """What is in a folder that matches it."""
    negated: bool
    """Whether what matches is not meant."""


class NamePatterns:
    """Some patterns. Raises `ValueError` for what is no pattern. Empty lines and comments are left out."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in lines if (pattern := _pattern(line)) is not None]

    def match(self, name: str) -> bool:
        """Whether a name, with "/" between folders, is meant. One that ends with "/" is a folder's."""
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
    # `a/**/` is all that is in `a`, files too; `**/` is every folder.
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
    """A pattern as a regular expression. A bracket that is not closed is a character here."""
    for pattern in (text, text.replace("[", "\\[")):
        try:
            return translated(pattern.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        except re.error:
            continue
    message = f"{text!r} is no pattern"
    raise ValueError(message)
