"""Comments of a page that suppress findings.

    <!-- linkfix-ignore -->              on this line; if nothing follows the comment on it, also on the next one
    <!-- linkfix-ignore-start --> … <!-- linkfix-ignore-end -->
    <!-- linkfix-ignore-file -->         in the whole page

Codes or names of rules may follow the word; then only their findings are suppressed. In a style sheet they are CSS
comments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from linkfix.audit.page_document import IGNORE, PageDocument
from linkfix.audit.selection import codes_matching
from linkfix.errors import UnknownRule
from linkfix.lazy import lazy_pattern

__all__ = ["NO_EXEMPTIONS", "Exemption", "Exemptions", "exemptions"]

_COMMENT = lazy_pattern(
    rb"(?:<!--|/\*)[\t\n\f\r ]*+" + IGNORE + rb"(-start|-end|-file)?+(?=[\t\n\f\r :]|-->|\*/)"
    rb"((?:[A-Za-z0-9,:\t\n\f\r ]|-(?!->))*+)(?:-->|\*/)"
)
_LINE_END = lazy_pattern(rb"\r\n?|\n")
_BLANK = lazy_pattern(rb"[\t\f ]*+(?=[\r\n])")
_BETWEEN_WORDS = lazy_pattern(r"[\s,:]+")


class Exemption(NamedTuple):
    """Findings that begin in data[start:end] are suppressed."""

    start: int
    end: int
    codes: frozenset[str] | None
    """The codes of the rules; None: of every rule."""


class Exemptions:
    """What the comments of a page suppress; a lookup is quick however many comments there are."""

    def __init__(self, found: Iterable[Exemption] = ()) -> None:
        self._spans: dict[str | None, list[tuple[int, int]]] = {}
        for start, end, codes in sorted(found, key=lambda one: one.start):
            for code in codes if codes is not None else (None,):
                spans = self._spans.setdefault(code, [])
                if spans and start <= spans[-1][1]:
                    start_before, end_before = spans.pop()
                    spans.append((start_before, max(end, end_before)))
                else:
                    spans.append((start, end))

    def covers(self, start: int, code: str) -> bool:
        """Whether a finding of that code that begins there is suppressed."""
        if not self._spans:
            return False
        for key in (None, code):
            spans = self._spans.get(key, [])
            before = bisect_right(spans, start, key=lambda span: span[0])
            if before and start < spans[before - 1][1]:
                return True
        return False


#: What the comments of most pages suppress.
NO_EXEMPTIONS = Exemptions()


def exemptions(document: PageDocument) -> Exemptions:
    """What the comments of a page suppress. Unknown rules in them suppress nothing."""
    return Exemptions(_found(document.source.data)) if document.may_have_exemptions else NO_EXEMPTIONS


def _found(data: bytes) -> Iterator[Exemption]:
    lines = [0, *(end.end() for end in _LINE_END.finditer(data)), len(data) + 1]
    open_: list[tuple[int, frozenset[str] | None]] = []
    for match in _COMMENT.finditer(data):
        codes = _codes(match[2])
        kind = match[1]
        if kind == b"-file":
            yield Exemption(0, lines[-1], codes)
        elif kind == b"-start":
            open_.append((match.end(), codes))
        elif kind == b"-end":
            if open_:
                start, codes = open_.pop()
                yield Exemption(start, match.start(), codes)
        else:
            first = bisect_right(lines, match.start()) - 1
            after = bisect_right(lines, match.end()) + (_BLANK.match(data, match.end()) is not None)
            yield Exemption(lines[first], lines[min(after, len(lines) - 1)], codes)
    yield from (Exemption(start, lines[-1], codes) for start, codes in open_)


def _codes(words: bytes) -> frozenset[str] | None:
    names = [name for name in _BETWEEN_WORDS.split(words.decode("ascii")) if name.strip("-")]
    if not names:
        return None
    known: set[str] = set()
    for name in names:
        try:
            known |= codes_matching([name])
        except UnknownRule:
            continue
    return frozenset(known)
