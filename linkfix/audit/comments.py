"""Comments of a page that let findings pass.

    <!-- linkfix-ignore -->              on this line and, where nothing follows the comment on it, on the next one
    <!-- linkfix-ignore-start --> … <!-- linkfix-ignore-end -->
    <!-- linkfix-ignore-file -->         on the whole page

Codes or names of rules may follow the word ("linkfix-ignore LF101, mixed-content"): then only those pass. In a style
sheet they are written as its comments are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from linkfix.audit.selection import matching
from linkfix.errors import UnknownRule

__all__ = ["Exemption", "exemptions"]

_COMMENT = re.compile(
    rb"(?:<!--|/\*)[\t\n\f\r ]*linkfix-ignore(-start|-end|-file)?(?:[\t\n\f\r :]+([A-Za-z0-9,\t\n\f\r -]*?))?"
    rb"[\t\n\f\r ]*(?:-->|\*/)"
)
_LINE_END = re.compile(rb"\r\n?|\n")


class Exemption(NamedTuple):
    """Findings of `codes` (None: of every rule) that begin in data[start:end] pass."""

    start: int
    end: int
    codes: frozenset[str] | None

    def lets_pass(self, start: int, code: str) -> bool:
        """Whether a finding of that code that begins there passes."""
        return self.start <= start < self.end and (self.codes is None or code in self.codes)


def exemptions(data: bytes) -> list[Exemption]:
    """What the comments of a page let pass. A word in one that is no rule's lets nothing pass."""
    if b"linkfix-ignore" not in data:
        return []
    found = []
    open_: list[tuple[int, frozenset[str] | None]] = []
    for match in _COMMENT.finditer(data):
        codes = _codes(match[2])
        kind = match[1]
        if kind == b"-file":
            found.append(Exemption(0, len(data) + 1, codes))
        elif kind == b"-start":
            open_.append((match.end(), codes))
        elif kind == b"-end":
            if open_:
                start, codes = open_.pop()
                found.append(Exemption(start, match.start(), codes))
        else:
            found.append(Exemption(data.rfind(b"\n", 0, match.start()) + 1, _line_end(data, match.end()), codes))
    found += [Exemption(start, len(data) + 1, codes) for start, codes in open_]
    return found


def _codes(words: bytes | None) -> frozenset[str] | None:
    names = re.split(r"[\s,]+", (words or b"").decode("ascii").strip(" ,\t\n\f\r-"))
    if names == [""]:
        return None
    known: set[str] = set()
    for name in names:
        try:
            known |= matching([name])
        except UnknownRule:
            continue
    return frozenset(known)


def _line_end(data: bytes, start: int) -> int:
    """The end of the line that `start` is on; of the next one where only white space is left on it."""
    end = _LINE_END.search(data, start)
    if end is not None and not data[start : end.start()].strip():
        end = _LINE_END.search(data, end.end())
    return end.start() if end is not None else len(data) + 1
