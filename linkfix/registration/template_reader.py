"""Finds registration templates in text, and in them their fields with the lines that they are on.

Knows how people lay templates out, and nothing of what has to be in them. A heading is a line that begins with one of
`HEADINGS` and a colon, or that is nothing else (with or without a full stop) and has its value below; numbered as a
section, as an item of a list, or not. The first heading of a name says how the other headings of its template look;
lines that are indented deeper are values, whatever they say. What is like those headings without being known is a
field too. Time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from linkfix.registration.template_fields import HEADINGS, Field, normal

__all__ = ["indentation", "is_heading", "lines_of", "read", "value_of"]

#: No heading is longer, over two lines.
_LONGEST = 120
#: What stands before a heading: its indentation, a section's number (`3.1.`, `A.2`) or a list's bullet.
_START = re.compile(r"( *)(?:([A-Z](?:\.\d{1,3})+\.?|[A-Z]\.|\d{1,3}(?:\.\d{1,3})*\.?) +|([o*+•-]) +)?(?=[^ ])")
#: A heading that is not known: some words, no sentence.
_WORD = r"[\w'()/&,-]"
_UNKNOWN = re.compile(rf"(?=.{{2,60}}\Z)[A-Z]{_WORD}*(?: {_WORD}+){{0,7}}")
_OF_SENTENCES = frozenset({"are", "be", "below", "example", "examples", "following", "follows", "is", "note", "notes"})
#: What can stand on the first of the two lines of a heading.
_BEGINNINGS = frozenset(
    " ".join(words[:count]) for words in (heading.split() for heading in HEADINGS) for count in range(1, len(words))
)

_FOOTER = re.compile(r" \[Page [0-9ivxlc]+\]\Z")
_HEADER = re.compile(r"(?:RFC \d+|Internet-Draft|INTERNET-DRAFT)\s.{1,100}\b(?:19|20)\d\d\Z")


class _Heading(NamedTuple):
    """A line that may be a heading: lines `start:end` (from 0), and what stands behind it on the last of them.

    `key`: of `FIELDS`, None where it is not known; `label`: as it is written, "" where it cannot be a field's, as that
    of a section without a number: a line by itself at the left margin.
    `mark`: ":" or what else ends it. `apart`: it does not go on with the paragraph before it.
    """

    start: int
    end: int
    indent: int
    number: tuple[str, ...]
    key: str | None
    label: str
    mark: str
    rest: str
    apart: bool


class _Layout(NamedTuple):
    """How the headings of one template look."""

    level: int
    number: tuple[str, ...]
    mark: str

    def fits(self, heading: _Heading) -> bool:
        """Whether a heading is one of the template's."""
        if not heading.label:
            return False
        if self.number or heading.number:
            same = len(heading.number) == len(self.number) and heading.number[:-1] == self.number[:-1]
            return same and heading.indent <= self.level
        if heading.key:
            return abs(heading.indent - self.level) <= 1
        return heading.indent == self.level and heading.mark == self.mark and heading.apart

    def ends(self, heading: _Heading) -> bool:
        """Whether a heading that is none of the template's is that of what follows it."""
        parent = self.number[:-1]
        if self.number:
            elsewhere = heading.number[: len(parent)] != parent or len(heading.number) < len(self.number)
            return bool(heading.number) and elsewhere and heading.indent <= self.level
        if heading.number or not heading.label:
            return heading.apart and (heading.indent < self.level or heading.key is not None)
        return heading.key == "name" and heading.indent < self.level


class _Run(NamedTuple):
    """Headings of one layout, and the line before which what they head ends."""

    layout: _Layout
    headings: list[_Heading]
    stop: int


def read(text: str) -> list[tuple[Field, ...]]:
    """The fields of each template of a text, in the order in which they stand there."""
    lines = lines_of(text)
    return [
        _fields(lines, template, run.layout, stop)
        for run in _runs(list(_headings(lines)), lines)
        for template, stop in _templates(run)
    ]


def indentation(line: str) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip(" "))


def value_of(lines: Sequence[str], first: str = "") -> str:
    """The lines of a field as its value: without the indentation that all share, one blank line where there are more.

    `first`: what stands beside the heading.
    """
    common = min((indentation(line) for line in lines if line), default=0)
    kept = [first] if first else []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line[common:])
    if kept and not kept[-1]:
        kept.pop()
    return "\n".join(kept)


def is_heading(text: str) -> bool:
    """Whether a text can be the heading of a field that is not known."""
    return _UNKNOWN.fullmatch(text) is not None and _OF_SENTENCES.isdisjoint(text.casefold().split())


def lines_of(text: str) -> list[str]:
    """The lines of a text without tabs and trailing white space; what an RFC's page begins and ends with is blank."""
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


def _headings(lines: list[str]) -> Iterator[_Heading]:
    before = -1
    for index, line in enumerate(lines):
        start = _START.match(line)
        if start is None:
            continue
        known = _known(lines, index, start)
        found = known or _unknown(lines, index, start)
        if found is None:
            continue
        end, label, mark, rest = found
        previous = lines[index - 1] if index else ""
        apart = not previous or before == index or indentation(previous) > len(start[1])
        number = tuple(start[2].rstrip(".").split(".")) if start[2] else ()
        key = HEADINGS[normal(label)] if known else None
        yield _Heading(index, end, len(start[1]), number, key, " ".join(label.split()), mark, rest, apart)
        if known:
            before = end


def _unknown(lines: list[str], index: int, start: re.Match[str]) -> tuple[int, str, str, str] | None:
    """Of a line that may head what is not known: the line after it, and what `_parted` says; None for any other."""
    line = lines[index]
    body = line[start.end() : start.end() + _LONGEST]
    label, mark, rest = _parted(body, line[start.end() + _LONGEST :])
    beneath = lines[index + 1] if index + 1 < len(lines) else ""
    if not start[2]:
        alone = not beneath and not (index and lines[index - 1])
        if alone and not start[1] and body[0].isupper() and len(line) <= _LONGEST // 2:
            return index + 1, "", "", ""
        if start[3] or (mark != ":" and indentation(beneath) <= len(start[1])):
            return None
    heading = is_heading(" ".join(label.split()))
    return (index + 1, label if heading else "", mark, rest) if heading or start[2] else None


def _parted(body: str, more: str = "") -> tuple[str, str, str]:
    """What may be a heading, what ends it, and what follows: `Status: x` -> ("Status", ":", "x").

    `more`: of the line, where a heading cannot be any more.
    """
    label, colon, rest = body.partition(":")
    if colon:
        return label, ":", (rest + more).strip()
    return body.rstrip("."), "." if body.endswith(".") else "", ""


def _known(lines: list[str], index: int, start: re.Match[str]) -> tuple[int, str, str, str] | None:
    """Of a heading that is known: the line after it, and what `_parted` says; None for any other line."""
    body = lines[index][start.end() :]
    head = body[:_LONGEST]
    end = index + 1
    label, mark, rest = _parted(head, body[_LONGEST:])
    if normal(label) not in HEADINGS:
        if mark == ":" or len(body) > _LONGEST or normal(body) not in _BEGINNINGS or end == len(lines):
            return None
        following = lines[end].lstrip(" ")
        label, mark, rest = _parted(f"{head} {following[:_LONGEST]}", following[_LONGEST:])
        end += 1
        if normal(label) not in HEADINGS:
            return None
    if len(body) > _LONGEST and mark != ":":
        return None
    if mark == ":" or start[2] or label.casefold().endswith(" include"):
        return end, label, mark, rest
    alone = body[0].isupper() and _stands_alone(lines, end, len(start[1]))
    return (end, label, mark, rest) if alone else None


def _stands_alone(lines: list[str], end: int, indent: int) -> bool:
    """Whether a heading without a colon is one, by what comes after it: its value, indented deeper, or none at all."""
    while end < len(lines) and not lines[end]:
        end += 1
    following = lines[end] if end < len(lines) else ""
    start = _START.match(following)
    if start is None or len(start[1]) > indent:
        return True
    label, _, _ = _parted(following[start.end() : start.end() + _LONGEST])
    return normal(label) in HEADINGS


def _runs(found: list[_Heading], lines: list[str]) -> Iterator[_Run]:
    """The headings, without those that are of no template, by layout."""
    names = [index for index, heading in enumerate(found) if heading.key == "name"]
    if not names and len({heading.key for heading in found if heading.key}) > 1:
        names = [next(index for index, heading in enumerate(found) if heading.key)]
    position = 0
    top = next((index for index, line in enumerate(lines) if line), 0)
    for anchor in names:
        if anchor < position:
            continue
        layout = _layout(found, anchor, begins=found[anchor].start == top)
        run: list[_Heading] = []
        for index in range(position, len(found)):
            heading = found[index]
            if index == anchor or layout.fits(heading):
                if not run or heading.start >= run[-1].end:
                    run.append(heading)
            elif layout.ends(heading):
                if index > anchor:
                    position = index
                    yield _Run(layout, run, heading.start)
                    break
                run = []
        else:
            yield _Run(layout, run, len(lines))
            return


def _layout(found: list[_Heading], anchor: int, *, begins: bool) -> _Layout:
    """The layout that a template's first heading shows.

    `begins`: it begins the text. One that is cut out of another has often lost the indentation of its first line.
    """
    first = found[anchor]
    level = first.indent
    if begins and not level and not first.number:
        others = {heading.indent for heading in found[anchor + 1 :] if heading.key and not heading.number}
        level = min(others, default=0)
    return _Layout(level, first.number, first.mark)


def _templates(run: _Run) -> Iterator[tuple[list[_Heading], int]]:
    """Part headings where another template begins: at a name after which fields come again; with where each ends."""
    names = [index for index, heading in enumerate(run.headings) if heading.key == "name"]
    cuts = [0]
    seen = {heading.key for heading in run.headings[: names[1]]} if len(names) > 1 else set()
    for name, end in pairwise([*names[1:], len(run.headings)]):
        block = {heading.key for heading in run.headings[name + 1 : end]} - {None}
        if seen.isdisjoint(block):
            seen |= block
        else:
            cuts.append(name)
            seen = block
    for cut, end in pairwise([*cuts, len(run.headings)]):
        yield run.headings[cut:end], run.headings[end].start if end < len(run.headings) else run.stop


def _fields(lines: list[str], headings: list[_Heading], layout: _Layout, stop: int) -> tuple[Field, ...]:
    fields = []
    for heading, end in zip(headings, [*(heading.start for heading in headings[1:]), stop], strict=True):
        body = lines[heading.end : end]
        if heading is headings[-1]:
            body = body[: _extent(body, layout, beside=bool(heading.rest))]
        last = next((index for index in range(len(body), 0, -1) if body[index - 1]), 0)
        fields.append(
            Field(
                name=heading.key or heading.label,
                value=value_of(body, heading.rest),
                heading=heading.label,
                line=heading.start + 1,
                end=heading.end + last,
            )
        )
    return tuple(fields)


def _extent(body: list[str], layout: _Layout, *, beside: bool) -> int:
    """How many of the lines after the last heading are its value: it ends at a paragraph further out.

    `beside`: the value begins beside the heading.
    """
    floor = layout.level
    inside, blank = beside, False
    for index, line in enumerate(body):
        indent = indentation(line)
        if line and blank and inside and indent < floor:
            return index
        if line and not inside and layout.number and indent > floor:
            floor += 1
        inside = inside or bool(line)
        blank = not line
    return len(body)
