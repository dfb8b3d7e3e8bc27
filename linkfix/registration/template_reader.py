"""Finds registration templates in text, and their fields with line numbers.

This module knows how people lay out templates, not what must be in them. A heading is a line that begins with one of
`HEADINGS` and a colon, or that consists of one (with or without a full stop) and has its value below. It may have a
section number or a bullet. The name's heading shows the layout of the other headings of its template: lines with deeper
indentation are values, whatever they say, and an unknown heading of the same layout begins a field too. Time is linear
in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from linkfix.named_tuple import NamedTuple
from linkfix.registration.template_fields import HEADINGS, TemplateField, normalize_heading

__all__ = ["indentation", "is_heading", "lines_of", "read", "value_of"]

#: The longest heading, in characters, over at most two lines.
_LONGEST = 120
#: What comes before a heading: its indentation, a section's number (`3.1.`, `A.2`) or a list's bullet.
_START = re.compile(r"( *)(?:([A-Z](?:\.\d{1,3})+\.?|[A-Z]\.|\d{1,3}(?:\.\d{1,3})*\.?) +|([o*+•-]) +)?(?=[^ ])")
#: An unknown heading: some words that are not a sentence.
_WORD = r"[\w'()/&,-]"
_UNKNOWN = re.compile(rf"(?=.{{2,60}}\Z)[A-Z]{_WORD}*(?: {_WORD}+){{0,7}}")
_OF_SENTENCES = frozenset({"are", "be", "below", "example", "examples", "following", "follows", "is", "note", "notes"})
#: What the first line of a heading of two lines can be.
_BEGINNINGS = frozenset(
    " ".join(words[:count]) for words in (heading.split() for heading in HEADINGS) for count in range(1, len(words))
)

_FOOTER = re.compile(r" \[Page [0-9ivxlc]+\]\Z")
_HEADER = re.compile(r"(?:RFC \d+|Internet-Draft|INTERNET-DRAFT)\s.{1,100}\b(?:19|20)\d\d\Z")


class _HeadingLine(NamedTuple):
    """A possible heading."""

    start: int
    """Its first line, from 0."""
    end: int
    """The line after its last one."""
    indent: int
    """How many spaces it begins with."""
    number: tuple[str, ...]
    """Its section number, () for none."""
    key: str | None
    """A key of `FIELDS`; None for an unknown heading."""
    label: str
    """As it is written; "" where it cannot name a field, as a section heading at the left margin."""
    mark: str
    """The punctuation after it: ":", "." or ""."""
    rest: str
    """The text after it on its last line."""
    apart: bool
    """Whether it does not continue the paragraph before it."""


class _Layout(NamedTuple):
    """The layout of the headings of one template."""

    level: int
    """Their indentation."""
    number: tuple[str, ...]
    """The section number of the first one, () for none."""
    mark: str
    """The punctuation after the first one."""

    def fits(self, heading: _HeadingLine) -> bool:
        """Whether a heading belongs to the template."""
        if not heading.label:
            return False
        if self.number or heading.number:
            same = len(heading.number) == len(self.number) and heading.number[:-1] == self.number[:-1]
            return same and heading.indent <= self.level
        if heading.key:
            return abs(heading.indent - self.level) <= 1
        return heading.indent == self.level and heading.mark == self.mark and heading.apart

    def ends(self, heading: _HeadingLine) -> bool:
        """Whether a heading that does not belong to the template begins what follows it."""
        parent = self.number[:-1]
        if self.number:
            outside = heading.number[: len(parent)] != parent or len(heading.number) < len(self.number)
            return bool(heading.number) and outside and heading.indent <= self.level
        if heading.number or not heading.label:
            return heading.apart and (heading.indent < self.level or heading.key is not None)
        return heading.key == "name" and heading.indent < self.level


class _HeadingBlock(NamedTuple):
    """Consecutive headings of one layout."""

    layout: _Layout
    """Their layout."""
    headings: list[_HeadingLine]
    """The headings, in order."""
    stop: int
    """The line after the last one's value."""


def read(text: str) -> list[tuple[TemplateField, ...]]:
    """The fields of each template in a text, in order."""
    lines = lines_of(text)
    return [
        _fields(lines, template, block.layout, stop)
        for block in _blocks(list(_headings(lines)), lines)
        for template, stop in _templates(block)
    ]


def indentation(line: str) -> int:
    """The number of spaces that a line begins with."""
    return len(line) - len(line.lstrip(" "))


def value_of(lines: Sequence[str], first: str = "") -> str:
    """The value of a field from its lines: without their common indentation, runs of blank lines collapsed to one.

    `first` is the text on the heading's line.
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
    """Whether a text can be the heading of an unknown field."""
    return _UNKNOWN.fullmatch(text) is not None and _OF_SENTENCES.isdisjoint(text.casefold().split())


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


def _headings(lines: list[str]) -> Iterator[_HeadingLine]:
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
        key = HEADINGS[normalize_heading(label)] if known else None
        yield _HeadingLine(index, end, len(start[1]), number, key, " ".join(label.split()), mark, rest, apart)
        if known:
            before = end


def _unknown(lines: list[str], index: int, start: re.Match[str]) -> tuple[int, str, str, str] | None:
    """For a possible unknown heading: the line after it, and what `_split_heading` gives; None for other lines."""
    line = lines[index]
    body = line[start.end() : start.end() + _LONGEST]
    label, mark, rest = _split_heading(body, line[start.end() + _LONGEST :])
    beneath = lines[index + 1] if index + 1 < len(lines) else ""
    if not start[2]:
        alone = not beneath and not (index and lines[index - 1])
        if alone and not start[1] and body[0].isupper() and len(line) <= _LONGEST // 2:
            return index + 1, "", "", ""
        if start[3] or (mark != ":" and indentation(beneath) <= len(start[1])):
            return None
    heading = is_heading(" ".join(label.split()))
    return (index + 1, label if heading else "", mark, rest) if heading or start[2] else None


def _split_heading(body: str, more: str = "") -> tuple[str, str, str]:
    """The heading of a line, its punctuation, and what follows: `Status: x` -> ("Status", ":", "x").

    `more` is the part of the line beyond the longest heading.
    """
    label, colon, rest = body.partition(":")
    if colon:
        return label, ":", (rest + more).strip()
    return body.rstrip("."), "." if body.endswith(".") else "", ""


def _known(lines: list[str], index: int, start: re.Match[str]) -> tuple[int, str, str, str] | None:
    """For a known heading: the line after it, and what `_split_heading` gives; None for other lines."""
    body = lines[index][start.end() :]
    head = body[:_LONGEST]
    end = index + 1
    label, mark, rest = _split_heading(head, body[_LONGEST:])
    if normalize_heading(label) not in HEADINGS:
        if mark == ":" or len(body) > _LONGEST or normalize_heading(body) not in _BEGINNINGS or end == len(lines):
            return None
        following = lines[end].lstrip(" ")
        label, mark, rest = _split_heading(f"{head} {following[:_LONGEST]}", following[_LONGEST:])
        end += 1
        if normalize_heading(label) not in HEADINGS:
            return None
    if len(body) > _LONGEST and mark != ":":
        return None
    if mark == ":" or start[2] or label.casefold().endswith(" include"):
        return end, label, mark, rest
    alone = body[0].isupper() and _stands_alone(lines, end, len(start[1]))
    return (end, label, mark, rest) if alone else None


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


def _blocks(found: list[_HeadingLine], lines: list[str]) -> Iterator[_HeadingBlock]:
    """The headings that belong to templates, by layout."""
    names = [index for index, heading in enumerate(found) if heading.key == "name"]
    if not names and len({heading.key for heading in found if heading.key}) > 1:
        names = [next(index for index, heading in enumerate(found) if heading.key)]
    position = 0
    top = next((index for index, line in enumerate(lines) if line), 0)
    for anchor in names:
        if anchor < position:
            continue
        layout = _layout(found, anchor, begins=found[anchor].start == top)
        block: list[_HeadingLine] = []
        for index in range(position, len(found)):
            heading = found[index]
            if index == anchor or layout.fits(heading):
                if not block or heading.start >= block[-1].end:
                    block.append(heading)
            elif layout.ends(heading):
                if index > anchor:
                    position = index
                    yield _HeadingBlock(layout, block, heading.start)
                    break
                block = []
        else:
            yield _HeadingBlock(layout, block, len(lines))
            return


def _layout(found: list[_HeadingLine], anchor: int, *, begins: bool) -> _Layout:
    """The layout of a template, from its first heading.

    `begins`: the text begins with it. A copied excerpt has often lost the indentation of its first line.
    """
    first = found[anchor]
    level = first.indent
    if begins and not level and not first.number:
        others = {heading.indent for heading in found[anchor + 1 :] if heading.key and not heading.number}
        level = min(others, default=0)
    return _Layout(level, first.number, first.mark)


def _templates(block: _HeadingBlock) -> Iterator[tuple[list[_HeadingLine], int]]:
    """Split headings into templates, with the line after each: one begins at a name after which fields repeat."""
    names = [index for index, heading in enumerate(block.headings) if heading.key == "name"]
    cuts = [0]
    seen = {heading.key for heading in block.headings[: names[1]]} if len(names) > 1 else set()
    for name, end in pairwise([*names[1:], len(block.headings)]):
        keys = {heading.key for heading in block.headings[name + 1 : end]} - {None}
        if seen.isdisjoint(keys):
            seen |= keys
        else:
            cuts.append(name)
            seen = keys
    for cut, end in pairwise([*cuts, len(block.headings)]):
        yield block.headings[cut:end], block.headings[end].start if end < len(block.headings) else block.stop


def _fields(lines: list[str], headings: list[_HeadingLine], layout: _Layout, stop: int) -> tuple[TemplateField, ...]:
    fields = []
    for heading, end in zip(headings, [*(heading.start for heading in headings[1:]), stop], strict=True):
        body = lines[heading.end : end]
        if heading is headings[-1]:
            body = body[: _extent(body, layout, beside=bool(heading.rest))]
        last = next((index for index in range(len(body), 0, -1) if body[index - 1]), 0)
        fields.append(
            TemplateField(
                name=heading.key or heading.label,
                value=value_of(body, heading.rest),
                heading=heading.label,
                line=heading.start + 1,
                end=heading.end + last,
            )
        )
    return tuple(fields)


def _extent(body: list[str], layout: _Layout, *, beside: bool) -> int:
    """How many lines after the last heading are its value, which ends at a paragraph with less indentation.

    `beside`: the value begins on the heading's line.
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
