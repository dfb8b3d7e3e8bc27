"""Regular expressions of host files, as far as Python's engine matches them in bounded time and with the same meaning.

Hosts use PCRE (Apache), RE2 (Firebase) and JavaScript's (Vercel). The subset is what they and Python agree on:
characters, classes, groups, alternatives, lookaheads, and repeats of a character or class. A repeat of a group is
outside the subset, because its time may be exponential. So are back references, lookbehinds and POSIX classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import comb
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

#: A part of an expression. The first alternative that matches counts.
_TOKEN = lazy_pattern(
    r"(?P<open>\((?:\?:|\?=|\?!|\?P?<[A-Za-z]\w*>|(?!\?)))"
    r"|(?P<close>\))"
    r"|(?P<choice>\|)"
    r"|(?P<repeat>(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})[?]?)"
    r"|(?P<anchor>[$^])"
    r"|(?P<atom>\\[dwsDWS]|\\[^A-Za-z0-9]|\\[tnrf]|\[\^?\]?(?:\\[dwsDWS]|\\[^A-Za-z0-9]|[^\]\\\[&~|]|[&~|](?![&~|]))*\]"
    r"|[^\\\[\](){}*+?|^$])",
    re.ASCII,
)

#: A repeat of "[^/]" that a slash or the end follows: there is one way to match it.
_SEGMENT = lazy_pattern(r"\[\^/\][*+]")

_SEGMENT_END = lazy_pattern(r"\??\)*(?:\\?/|\$|\Z)")

_NAMED = lazy_pattern(r"\(\?<(?=[A-Za-z])")

#: An expression without alternatives that begins with ".*". If it matches, it does so from the beginning of a line.
_OF_LINE = lazy_pattern(r"(?:\((?:\?:)?)?\.\*[^|]*", re.DOTALL)

_LINE_START = r"(?:^|(?<=\n))"

#: The longest expression, in characters.
_LONGEST = 1000

#: The number of steps that one match may take, and that all matches of a list of rules may take together.
_STEPS = 1_000_000

TOTAL_STEPS = 500_000_000

_MOST_CHOICES = 1 << 16

#: The largest number of groups in one another: Python's parser is recursive.
_DEEPEST = 50

#: Repeats up to this number count as choices; a larger number, or none, counts as unbounded.
_BOUNDED = 8


class Expression(NamedTuple):
    """A compiled expression of the subset, and what bounds its time."""

    pattern: re.Pattern[str]
    repeats: int
    """The number of unbounded repeats. A match tries every way to divide a text among them."""
    choices: int
    """The number of ways through the alternatives and the bounded repeats."""

    @property
    def beginning(self) -> str:
        """The characters that every text begins with that the expression matches; "" if they are not known."""
        return "" if self.pattern.flags & re.IGNORECASE else literal_prefix(self.pattern.pattern)

    def steps(self, length: int) -> int:
        """An upper limit of the steps for a text of a length; repeats of one character each are the costly ones."""
        return comb(length + self.repeats, self.repeats) * self.choices if self.repeats > 1 else self.choices

    def is_quick(self, length: int) -> bool:
        """Whether a match of a text takes few steps."""
        return self.steps(length) <= _STEPS


def expression(text: str, *, ignore_case: bool = False) -> Expression | None:
    """Compile an expression; None if it is outside the subset, or not valid."""
    if text.startswith("(?i)"):
        text, ignore_case = text[4:], True
    cost = _cost(text) if len(text) <= _LONGEST else None
    if cost is None:
        return None
    # "$" also matches before a newline at the end.
    python = _NAMED.sub("(?P<", re.sub(r"(?<!\\)((?:\\\\)*)\$", r"\1\\Z", text) if "[" not in text else text)
    python = _LINE_START + python if _OF_LINE.fullmatch(text) else python
    try:
        return Expression(re.compile(python, re.ASCII | re.IGNORECASE * ignore_case), *cost)
    except (re.error, OverflowError, FutureWarning):
        return None


#: An escaped character, a class, which may have no end, or the beginning of a group that captures.
_CAPTURE = lazy_pattern(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]?)|\((?:\?P?<[A-Za-z]\w*>|(?!\?))", re.DOTALL)


def without_captures(text: str) -> str:
    """An expression whose groups do not capture, so that other groups keep their numbers."""
    return _CAPTURE.sub(lambda found: found[1] or "(?:", text)


def alternation(expressions: Iterable[Expression]) -> re.Pattern[str]:
    """An expression that matches what one of several does, all with the same flags.

    Without captures, Python's engine compares the common beginning of the alternatives only once.
    """
    patterns = [one.pattern for one in expressions]
    return re.compile("|".join(f"(?:{without_captures(one.pattern)})" for one in patterns), patterns[0].flags)


def _cost(text: str) -> tuple[int, int] | None:
    """The unbounded repeats and the choices of an expression; None if it is outside the subset."""
    has_start = text.startswith("^") or _OF_LINE.fullmatch(text)
    repeats, choices = int(not has_start), 1  # a search tries every start
    position, before, depth = 0, "open", 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        kind, part = str(token.lastgroup), token[0]
        if kind == "repeat":
            if before not in {"atom", "close"} or (before == "close" and part[0] != "?"):
                return None
            many, most = _repeated(part)
            is_segment = _SEGMENT.match(text, token.start() - 4) and _SEGMENT_END.match(text, token.end())
            repeats += many and not is_segment
            choices *= most
        depth += (kind == "open") - (kind == "close")
        choices *= 1 + (kind == "choice")
        if depth > _DEEPEST or choices > _MOST_CHOICES or (kind == "atom" and part[0] == "[" and "--" in part):
            return None
        before, position = kind, token.end()
    return repeats, choices


def _repeated(part: str) -> tuple[int, int]:
    """Whether a repeat counts as unbounded, and else its number of choices."""
    if part[0] in "*+":
        return 1, 1
    if part[0] == "?":
        return 0, 2
    least, comma, most = part[1:].rstrip("?").rstrip("}").partition(",")
    if not comma:
        return 0, 1
    return (1, 1) if not most or int(most) - int(least) > _BOUNDED else (0, 1 + abs(int(most) - int(least)))


#: An escaped character, a class, or a parenthesis. Engines disagree on a class that begins with "]".
_BRACKETS = lazy_pattern(r"\\(?:.|\Z)|\[\^?(?:\\.|\[:\w+:\]|[^\]\\])+\]|[\[()]", re.DOTALL)


def _bracket(found: re.Match[str]) -> str:
    """A parenthesis as it is, and nothing for an escaped character or a class."""
    return found[0] if found[0] in {"(", ")"} else ""


#: The literal characters at the beginning of an anchored expression.
_LITERAL = lazy_pattern(r"(?:\^|\\A)((?:[A-Za-z0-9/_~%-]|\\[.\-/_])*)(?![*+?{])")


def literal_prefix(text: str) -> str:
    """The characters that every text begins with that an expression matches; "" if they are not known."""
    depth = 0
    for character in _BRACKETS.sub(_bracket, text):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth <= 0:
            return ""
    found = _LITERAL.match(text)
    return found[1].replace("\\", "") if found else ""


#: Signs of syntax in which brackets may mean something else: quoted text and comments.
_QUOTING = lazy_pattern(r"\\Q|\(\?#|\(\?\^?[a-z]*x|\[\^?\]")


def fault_of(text: str) -> str:
    """Why all engines reject an expression, as a clause; "" if one of them may accept it."""
    if _QUOTING.search(text):
        return ""
    if text[:1] in {"*", "+", "?"}:
        return f"{text[0]} has nothing to repeat"
    depth = 0
    for found in _BRACKETS.finditer(text):
        sign = found[0]
        depth += (sign == "(") - (sign == ")")
        if sign == "[":
            return "a [ has no ]"
        if sign == "\\":
            return "it ends with a backslash"
        if depth < 0:
            return "a ) has no ("
    return "a ( has no )" if depth else ""
