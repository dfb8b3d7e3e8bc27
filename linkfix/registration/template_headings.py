"""Finds the lines of a text that can be headings of a registration template's fields.

Which of them are, the layout of their template decides: see `linkfix.registration.template_reader`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from linkfix.registration.template_fields import HEADINGS, normalize_heading

__all__ = ["HeadingLine", "find_headings", "indentation", "is_heading", "lines_of"]

#: The longest heading, in characters, over at most two lines.
_LONGEST = 120
#: The shortest unknown heading before a full stop: "Dr.", "No." and "None." are none.
_SHORTEST = 5
#: The most words of an unknown heading before a full stop, if no field's name begins with its first word.
_MOST_WORDS = 4
_FIRST_WORDS = frozenset(heading.split()[0] for heading in HEADINGS)
#: A line of a paragraph of 72 columns has as many characters at least: "URI" or "status." would find room in another.
_FULL = 60
#: The start of a heading's line: its indentation, a section's number (`3.1.`, `A.2`) or a list's bullet.
_START = re.compile(r"( *)(?:([A-Z](?:\.\d{1,3})+\.?|[A-Z]\.|\d{1,3}(?:\.\d{1,3})*\.?) +|([o*+•-]) +)?(?=[^ ])")
#: An unknown heading: some words that are not a sentence.
_WORD = r"[\w'()/&,-]"
_UNKNOWN = re.compile(rf"(?=.{{2,60}}\Z)[A-Z]{_WORD}*(?: {_WORD}+){{0,7}}")
_OF_SENTENCES = frozenset({"are", "be", "below", "example", "examples", "following", "follows", "is", "note", "notes"})
#: The possible first lines of a heading of two lines.
_BEGINNINGS = frozenset(
    " ".join(words[:count]) for words in (heading.split() for heading in HEADINGS) for count in range(1, len(words))
)

#: Words, a full stop, and a text behind it. A line of a table of contents is none: `Status . . 5`, `Status . 5`.
_STOPPED = re.compile(rf"([^.:]{{2,{_LONGEST}}})(?:(?<! )\. +| +\. +(?!\d+\Z))(?=[^. ])")

_FOOTER = re.compile(r" \[Page [0-9ivxlc]+\]\Z")
_HEADER = re.compile(r"(?:RFC \d+|Internet-Draft|INTERNET-DRAFT)\s.{1,100}\b(?:19|20)\d\d\Z")


class HeadingLine(NamedTuple):
    """A possible heading."""

    start: int
    """Its first line, from 0."""
    end: int
    """The line after its last one."""
    indent: int
    """Its indentation, in spaces."""
    number: tuple[str, ...]
    """Its section number, () for none."""
    key: str | None
    """A key of `FIELDS`; None for an unknown heading."""
    label: str
    """As it is written; "" where it cannot name a field."""
    mark: str
    """The punctuation after it: ":", "." or ""."""
    rest: str
    """The text after it on its last line."""
    apart: bool
    """Whether it does not continue the paragraph before it."""
    stopped: bool
    """Whether it is one only where full stops end the headings of the template."""
    margin: bool
    """Whether it can be the heading of a section: a short line at the left margin, with blank lines around it."""
    runs_on: bool
    """Whether it can be running text, with the line before."""


class _HeadingText(NamedTuple):
    """The text of a heading's line, without its surroundings: see `HeadingLine`."""

    end: int
    label: str
    mark: str
    rest: str
    stopped: bool = False


def lines_of(text: str) -> list[str]:
    """The lines of a text, tabs expanded, trailing white space removed, headers and footers of RFC pages blanked."""
    lines = []
    page_begins = False
    for raw in text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = raw.replace("\f", "").expandtabs().rstrip()
        page_begins = page_begins or "\f" in raw
        if not line.startswith(" ") and _FOOTER.search(line[-_LONGEST:]):
            page_begins, line = True, ""
        elif page_begins and line:
            page_begins = False
            if _HEADER.match(line):
                line = ""
        lines.append(line)
    return lines


def indentation(line: str) -> int:
    """The number of spaces that a line begins with."""
    return len(line) - len(line.lstrip(" "))


def is_heading(text: str) -> bool:
    """Whether a text can be the heading of an unknown field."""
    return _UNKNOWN.fullmatch(text) is not None and _OF_SENTENCES.isdisjoint(text.casefold().split())


def find_headings(lines: list[str]) -> Iterator[HeadingLine]:
    """The lines that can be headings, in order."""
    before = stopped_before = -1
    for index, line in enumerate(lines):
        start = _START.match(line)
        if start is None:
            continue
        known = _known(lines, index, start)
        margin = (known is None or known.stopped) and _is_at_margin(lines, index, start)
        found = known or _unknown(lines, index, start, margin=margin)
        if found is None:
            continue
        end, label, mark, rest, stopped = found
        previous = lines[index - 1] if index else ""
        follows = index == before or (stopped and index == stopped_before)
        begins = not previous or indentation(previous) > len(start[1])
        alone = not rest and end < len(lines) and bool(lines[end])  # a paragraph has no short line in its middle
        runs_on = stopped and not (begins or alone) and _runs_on(label, previous, known=known is not None)
        apart = (begins or follows) and not runs_on
        number = tuple(start[2].rstrip(".").split(".")) if start[2] else ()
        key = HEADINGS[normalize_heading(label)] if known else None
        label = " ".join(label.split())
        yield HeadingLine(index, end, len(start[1]), number, key, label, mark, rest, apart, stopped, margin, runs_on)
        if stopped and (known or follows) and not runs_on:
            stopped_before = end
        elif known and not stopped:
            before = stopped_before = end


def _runs_on(label: str, previous: str, *, known: bool) -> bool:
    """Whether words with a full stop can go on with the paragraph of the line before, which is a full one.

    A field's name does so at the end of a sentence only, and without a capital that it would not have there: "URI" is
    written so everywhere.
    """
    if len(previous) < _FULL:
        return False
    if not known:
        return True
    return (previous[-1].isalnum() or previous[-1] in ",-/('\"") and (label[0].islower() or label[:2].isupper())


def _is_at_margin(lines: list[str], index: int, start: re.Match[str]) -> bool:
    """Whether a line can be the heading of a section without a number."""
    line = lines[index]
    if start[2] or start[1] or len(line) > _LONGEST // 2 or not line[start.end()].isupper():
        return False
    return not (index and lines[index - 1]) and not (index + 1 < len(lines) and lines[index + 1])


def _unknown(lines: list[str], index: int, start: re.Match[str], *, margin: bool) -> _HeadingText | None:
    """A possible unknown heading; None for other lines."""
    body = lines[index][start.end() : start.end() + _LONGEST]
    more = lines[index][start.end() + _LONGEST :]
    label, mark, rest = _split_heading(body, more)
    beneath = lines[index + 1] if index + 1 < len(lines) else ""
    stopped = False
    if not start[2] and (start[3] or (mark != ":" and indentation(beneath) <= len(start[1]))):
        label, mark, rest = _split_stopped(body, more)
        words = normalize_heading(label).split()
        stopped = len(label) >= _SHORTEST and (len(words) <= _MOST_WORDS or words[0] in _FIRST_WORDS)
        label = label if stopped else ""
    heading = is_heading(" ".join(label.split()))
    if not (heading or start[2] or margin):
        return None
    return _HeadingText(index + 1, label, mark, rest, stopped) if heading else _HeadingText(index + 1, "", mark, rest)


def _split_heading(body: str, more: str = "") -> tuple[str, str, str]:
    """The heading of a line, its punctuation, and what follows: `Status: x` -> ("Status", ":", "x").

    `more` is the part of the line beyond the longest heading.
    """
    label, colon, rest = body.partition(":")
    if colon:
        return label, ":", (rest + more).strip()
    return body.rstrip("."), "." if body.endswith(".") else "", ""


def _split_stopped(body: str, more: str = "") -> tuple[str, str, str]:
    """The same, where a full stop within the line ends the heading: `Status. x` -> ("Status", ".", "x")."""
    stopped = _STOPPED.match(body)
    return (stopped[1], ".", body[stopped.end() :] + more) if stopped else ("", "", "")


def _split_known(body: str, more: str = "") -> tuple[str, str, str] | None:
    """The known heading that a line begins with, split; None for other lines."""
    splits = (split(body, more) for split in (_split_heading, _split_stopped))
    return next((parts for parts in splits if normalize_heading(parts[0]) in HEADINGS), None)


def _known(lines: list[str], index: int, start: re.Match[str]) -> _HeadingText | None:
    """A known heading; None for other lines."""
    body = lines[index][start.end() :]
    head = body[:_LONGEST]
    end = index + 1
    found = _split_known(head, body[_LONGEST:])
    following = lines[end].lstrip(" ") if end < len(lines) else ""
    if following and len(body) <= _LONGEST and normalize_heading(body) in _BEGINNINGS:
        # "… that use this URI scheme" is a heading, and the beginning of the one that the form has
        whole = _split_known(f"{head} {following[:_LONGEST]}", following[_LONGEST:])
        if whole and (found is None or HEADINGS[normalize_heading(found[0])] == "applications"):
            found, end = whole, end + 1
    if found is None:
        return None
    label, mark, rest = found
    stopped = mark == "." and bool(rest)
    if len(body) > _LONGEST and mark != ":" and not stopped:
        return None
    if not stopped:
        certain = mark == ":" or start[2] or label.casefold().endswith(" include")
        if certain or (body[0].isupper() and _stands_alone(lines, end, len(start[1]))):
            return _HeadingText(end, label, mark, rest)
    return _HeadingText(end, label, mark, rest, stopped=True) if mark == "." else None


def _stands_alone(lines: list[str], end: int, indent: int) -> bool:
    """Whether a line without a colon is a heading: its value follows, indented deeper, or nothing does."""
    while end < len(lines) and not lines[end]:
        end += 1
    following = lines[end] if end < len(lines) else ""
    start = _START.match(following)
    if start is None or len(start[1]) > indent:
        return True
    label, _, _ = _split_heading(following[start.end() : start.end() + _LONGEST])
    return normalize_heading(label) in HEADINGS
