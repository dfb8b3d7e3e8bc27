"""Finds registration templates in text, and their fields with line numbers.

This module knows how people lay out templates, not what must be in them. A heading is a line that begins with one of
`HEADINGS` and a colon, or that consists of one (with or without a full stop) and has its value below. It may have a
section number or a bullet. The name's heading shows the layout of the other headings of its template: lines with deeper
indentation are values, whatever they say, and an unknown heading of the same layout begins a field too.

Where the first heading has a full stop, as in RFC 4395 §5.4, a full stop ends the others too, also with the value
behind it (`Status. permanent`) or below without indentation. Such a heading begins a line at the indentation of the
first one; where it can be the end of a sentence of the line before, it is text.

Time is linear in the length of the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from linkfix.registration.template_fields import TemplateField
from linkfix.registration.template_headings import HeadingLine, find_headings, indentation, lines_of

__all__ = ["DoubtfulLine", "ReadTemplate", "read", "value_of"]


class _Layout(NamedTuple):
    """The layout of the headings of one template."""

    level: int
    """Their indentation."""
    number: tuple[str, ...]
    """The section number of the first one, () for none."""
    mark: str
    """The punctuation after the first one."""

    def fits(self, heading: HeadingLine) -> bool:
        """Whether a heading belongs to the template."""
        if not heading.label or (heading.margin and heading.key is None):
            return False
        if heading.stopped and (self.mark != "." or heading.key is None or heading.runs_on):
            return False
        if self.number or heading.number:
            same = len(heading.number) == len(self.number) and heading.number[:-1] == self.number[:-1]
            return same and heading.indent <= self.level
        if heading.key:
            return abs(heading.indent - self.level) <= (not heading.stopped)
        return heading.indent == self.level and heading.mark == self.mark and heading.apart

    def ends(self, heading: HeadingLine) -> bool:
        """Whether a heading that does not belong to the template begins what follows it."""
        parent = self.number[:-1]
        if self.number:
            outside = heading.number[: len(parent)] != parent or len(heading.number) < len(self.number)
            return bool(heading.number) and outside and heading.indent <= self.level
        if heading.stopped or heading.margin:
            another = heading.key == "name" and heading.apart and heading.indent <= self.level
            of_section = heading.margin or (heading.number and heading.apart)
            return another or (bool(of_section) and heading.indent < self.level)
        if heading.number or not heading.label:
            return heading.apart and (heading.indent < self.level or heading.key is not None)
        return heading.key == "name" and heading.indent < self.level


class _HeadingBlock(NamedTuple):
    """Consecutive headings of one layout."""

    layout: _Layout
    """Their layout."""
    headings: list[HeadingLine]
    """The headings, in order."""
    stop: int
    """The line after the last one's value."""


class DoubtfulLine(NamedTuple):
    """A line of a value that is like the heading of a field, where headings are."""

    line: int
    """Its number, from 1."""
    heading: str
    """The words like a heading, with their punctuation."""
    field: TemplateField
    """The field whose value it is in."""


class ReadTemplate(NamedTuple):
    """A template as it was read."""

    fields: tuple[TemplateField, ...]
    """Its fields, in order."""
    doubtful: tuple[DoubtfulLine, ...]
    """The lines of their values that may be meant as fields, in order."""
    before: tuple[int, int]
    """The first and the last line of the text before it, from 1; (0, 0) for none, and where another template is."""


def read(text: str) -> list[ReadTemplate]:
    """The templates of a text, in order."""
    lines = lines_of(text)
    found = list(find_headings(lines))
    starts = [heading.start for heading in found]
    templates: list[ReadTemplate] = []
    for block in _blocks(found, lines):
        for headings, stop in _templates(block):
            fields = _fields(lines, headings, block.layout, stop)
            within = found[bisect_left(starts, headings[0].start) : bisect_left(starts, fields[-1].end)]
            doubtful = tuple(_doubtful(within, headings, fields, block.layout))
            before = (0, 0) if templates else _text_before(lines, headings[0].start)
            templates.append(ReadTemplate(fields, doubtful, before))
    return templates


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


def _blocks(found: list[HeadingLine], lines: list[str]) -> Iterator[_HeadingBlock]:
    """The headings that belong to templates, by layout."""
    known = [(index, heading) for index, heading in enumerate(found) if heading.key]
    names = [
        index
        for place, (index, heading) in enumerate(known)
        if heading.key == "name" and (_is_clear(heading) or _precedes(heading, known[place + 1 : place + 2]))
    ]
    if not names:
        names = _nameless(known)
    position = 0
    top = next((index for index, line in enumerate(lines) if line), 0)
    for anchor in names:
        if anchor < position:
            continue
        layout = _layout(found, anchor, begins=found[anchor].start == top)
        block: list[HeadingLine] = []
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


def _nameless(known: list[tuple[int, HeadingLine]]) -> list[int]:
    """The first heading of a template without a name, which has two fields at least, by its index; [] for none."""
    certain = [(index, heading) for index, heading in known if not heading.stopped]
    if len({heading.key for _, heading in certain}) > 1:
        return [certain[0][0]]
    stops = [(index, heading) for index, heading in known if heading.mark == "." and _is_clear(heading)]
    for index, first in stops[:1]:
        if any(_Layout(first.indent, first.number, ".").fits(one) and one.key != first.key for _, one in stops):
            return [index]
    return []


def _is_clear(heading: HeadingLine) -> bool:
    """Whether it can be the first heading of a template."""
    return heading.apart or not heading.stopped


def _precedes(name: HeadingLine, following: list[tuple[int, HeadingLine]]) -> bool:
    """Whether the next known heading has the layout of this one, which has a line of other text before it."""
    return any(one.mark == name.mark and one.indent == name.indent and one.apart for _, one in following)


def _layout(found: list[HeadingLine], anchor: int, *, begins: bool) -> _Layout:
    """The layout of a template, from its first heading.

    `begins`: the text begins with it. A copied excerpt has often lost the indentation of its first line.
    """
    first = found[anchor]
    level = first.indent
    if begins and not level and not first.number:
        others = {
            heading.indent
            for heading in found[anchor + 1 :]
            if heading.key and not heading.number and (first.mark == "." or not heading.stopped)
        }
        level = min(others, default=0)
    return _Layout(level, first.number, first.mark)


def _templates(block: _HeadingBlock) -> Iterator[tuple[list[HeadingLine], int]]:
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


def _fields(lines: list[str], headings: list[HeadingLine], layout: _Layout, stop: int) -> tuple[TemplateField, ...]:
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


def _text_before(lines: list[str], start: int) -> tuple[int, int]:
    """The first and the last line before `start` that have text, from 1; (0, 0) for none."""
    found = [number for number, line in enumerate(lines[:start], start=1) if line]
    return (found[0], found[-1]) if found else (0, 0)


def _doubtful(
    within: list[HeadingLine], headings: list[HeadingLine], fields: tuple[TemplateField, ...], layout: _Layout
) -> Iterator[DoubtfulLine]:
    """The lines that are like headings of the template, and are none by its layout, among `within`."""
    owner = 0
    for heading in within:
        while owner + 1 < len(headings) and headings[owner + 1].start <= heading.start:
            owner += 1
        begins_value = heading.stopped and fields[owner].value.startswith(heading.label)
        inside = heading.start >= headings[owner].end and not begins_value
        agrees = layout.mark == "." and (heading.key is not None or not heading.runs_on)
        stopped = heading.mark == "." and (agrees or (heading.key is not None and heading.apart))
        placed = heading.label and not heading.number and not layout.number and heading.indent == layout.level
        if inside and placed and (heading.mark == ":" or stopped):
            yield DoubtfulLine(heading.start + 1, f"{heading.label}{heading.mark}", fields[owner])


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
