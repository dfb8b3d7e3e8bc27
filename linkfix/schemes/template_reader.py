"""A reader of registration templates in text, and of their fields with line numbers.

This module describes the layout of templates, not their required contents. A heading is a line that begins with an
entry of `HEADINGS` and a colon. Or the line is only such an entry (with or without a full stop), with its value below.
A heading may have a section number or a bullet. The name's heading shows the layout of the template's other headings:
lines with deeper indentation are always values, and an unknown heading of the same layout begins a field too.

If the first heading has a full stop, as in RFC 4395 §5.4, a full stop ends the other headings too. The value then
follows on the same line (`Status. permanent`) or below, even without indentation. Such a heading begins a line at the
indentation of the first heading; if it can be the end of a sentence of the line before, it is text.

Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from itertools import pairwise, product
from typing import Literal, NamedTuple

from linkfix.schemes.names import Level
from linkfix.schemes.registry import Status

# The fields of a registration template: headings, purpose, and severity of their absence.
#
# There are three forms, of RFC 2717 (§6), RFC 4395 (§5.4) and RFC 7595 (§7.4), and authors vary all of them. To read
# another heading, add it to `HEADINGS`.


Form = Literal["RFC 2717", "RFC 4395", "RFC 7595"]

"""The RFC that defines the form of a registration template."""

#: The statuses of RFC 4395 §5.4.
STATUSES: dict[str, Status] = {"permanent": "permanent", "provisional": "provisional", "historical": "historical"}


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A field of a template. Fields with the same name and value are equal."""

    name: str
    """A key of `FIELDS`; for an unknown field, its heading."""
    value: str
    """The field's lines, without common indentation and without blank lines around them; "" for an empty field."""
    heading: str = member(default="", compare=False)
    """The heading as written."""
    line: int = member(default=0, compare=False)
    """The field's first line, from 1; 0 if the field was not read from text."""
    end: int = member(default=0, compare=False)
    """The field's last line, from 1; 0 if the field was not read from text."""


class FieldRule(NamedTuple):
    """The rules of the specifications for a field."""

    heading: str
    """The heading in RFC 4395 §5.4, or in RFC 2717 §6 for a field of that form only."""
    section: str
    """The section of RFC 4395 about the field's content."""
    guidance: str
    """A short description of the field's content."""
    missing: dict[Status, Level] | None
    """The level of a verdict on the field's absence, for each status; None for a field of RFC 2717 only."""
    in_rfc7595: bool = False
    """Whether the form of RFC 7595 §7.4 has it too."""
    older: str = ""
    """The field of RFC 2717 with the same purpose, or ""."""


def _missing(permanent: Level, provisional: Level, historical: Level) -> dict[Status, Level]:
    return {"permanent": permanent, "provisional": provisional, "historical": historical}


#: The fields, in the order of RFC 4395 §5.4, which asks for all of them. The guidelines are required for permanent
#: schemes (§2) and recommended for provisional schemes, which need a name, a contact and security considerations (§3).
#: A historical scheme needs a reference to its definition (§4). All need security considerations (§7).
FIELDS: dict[str, FieldRule] = {
    "name": FieldRule(
        "URI scheme name",
        "2.8",
        "The name without its colon: lower-case letters, digits, '+', '.' and '-', beginning with a letter. Short "
        "and descriptive, not too general, and not a trade mark.",
        _missing("error", "error", "error"),
        in_rfc7595=True,
    ),
    "status": FieldRule(
        "Status",
        "5.4",
        "One of permanent, provisional and historical.",
        _missing("error", "error", "error"),
        in_rfc7595=True,
    ),
    "syntax": FieldRule(
        "URI scheme syntax",
        "2.2",
        "The grammar of the text after the name, in ABNF, or a reference to its definition. Every URI must match "
        "absolute-URI of RFC 3986. Use '//' only before an authority. Say which reserved characters are delimiters.",
        _missing("error", "warning", "note"),
    ),
    "semantics": FieldRule(
        "URI scheme semantics",
        "2.3",
        "The kind of resource that a URI identifies, and how software finds it. List all defined operations, even if "
        "there is only one.",
        _missing("error", "warning", "note"),
        older="usage",
    ),
    "usage": FieldRule("Intended usage", "2.3", "", None),
    "encoding": FieldRule(
        "Encoding considerations",
        "2.6",
        "The encoding of characters as octets, and of octets as URI characters, and its effect on IRIs.",
        _missing("error", "warning", "note"),
    ),
    "applications": FieldRule(
        "Applications/protocols that use this URI scheme name",
        "2.5",
        "The applications and protocols that use the scheme, with references to their definitions.",
        _missing("error", "warning", "note"),
        in_rfc7595=True,
    ),
    "interoperability": FieldRule(
        "Interoperability considerations",
        "5.4",
        "Possible obstacles to interoperability: unusual encodings, incompatible character sets, or incompatible "
        "versions of a protocol.",
        _missing("error", "warning", "note"),
    ),
    "security": FieldRule(
        "Security considerations",
        "2.7",
        "The effect of such URIs on the security of systems. Say which considerations of RFC 3986 §7 apply.",
        _missing("error", "error", "warning"),
    ),
    "contact": FieldRule(
        "Contact",
        "5.4",
        "The person or organization to contact for further information, with an address.",
        _missing("error", "error", "error"),
        in_rfc7595=True,
    ),
    "change_controller": FieldRule(
        "Author/Change controller",
        "5.4",
        "The person or organization that may change the registration, with an address. Important for a provisional "
        "scheme.",
        _missing("note", "error", "note"),
        in_rfc7595=True,
    ),
    "publications": FieldRule("Relevant publications", "5.4", "", None),
    "references": FieldRule(
        "References",
        "5.4",
        "Full citations of all documents cited in the other fields.",
        _missing("error", "warning", "warning"),
        in_rfc7595=True,
        older="publications",
    ),
}

_SCHEMES = ("uri scheme", "url scheme", "scheme", "iri scheme", "uri/iri scheme", "resource identifier (ri) scheme")

_ACTORS = (
    *("applications/protocols", "applications and/or protocols", "applications and protocols"),
    *("applications or protocols", "applications", "protocols"),
)

_USES = ("that use", "which use", "using")

_USED = ("this", "the")

_ENDS = ("", " name", " include", " name include")


def normalize_heading(heading: str) -> str:
    """The heading as a key of `HEADINGS`: case folded, one space between words, no space around a slash."""
    return " ".join(heading.casefold().split()).replace(" /", "/").replace("/ ", "/")


#: A heading, normalized -> the key of its field.
HEADINGS: dict[str, str] = {
    **{f"{scheme} name": "name" for scheme in _SCHEMES},
    **dict.fromkeys(("status", "requested status", "status requested"), "status"),
    **{
        f"{scheme} {word}": key
        for scheme, (word, key) in product(
            _SCHEMES,
            (
                *(("status", "status"), ("syntax", "syntax"), ("semantics", "semantics")),
                ("encoding considerations", "encoding"),
            ),
        )
    },
    "encoding considerations": "encoding",
    "character encoding considerations": "encoding",
    "intended usage": "usage",
    **{
        f"{actors} {use} {used} {scheme}{end}": "applications"
        for actors, use, used, scheme, end in product(_ACTORS, _USES, _USED, _SCHEMES, _ENDS)
    },
    "interoperability considerations": "interoperability",
    "security considerations": "security",
    **dict.fromkeys(("contact", "contact information", "contact person"), "contact"),
    **dict.fromkeys(("author", "author/change controller", "authors/change controller"), "change_controller"),
    "change controller": "change_controller",
    "relevant publications": "publications",
    **dict.fromkeys(("references", "reference"), "references"),
}

_NEW_NAMES = frozenset(f"{scheme} name" for scheme in _SCHEMES[2:])


def status_of(fields: Sequence[TemplateField]) -> Status | None:
    """The requested status; None if the template has no status or an unknown status."""
    for field in fields:
        if field.name == "status":
            first, *_ = field.value.split() or [""]
            return STATUSES.get(first.strip("'\"‘’“”.,;:()").casefold())
    return None


def form_of(fields: Sequence[TemplateField]) -> Form:
    """The RFC that defines the template's form.

    RFC 2717 has no status. RFC 7595 says "scheme" where RFC 4395 says "URI scheme", and has no field for the syntax.
    """
    names = {field.name for field in fields}
    if "status" not in names and not names.isdisjoint({"usage", "publications"}):
        return "RFC 2717"
    new = any(field.name == "name" and normalize_heading(field.heading) in _NEW_NAMES for field in fields)
    return "RFC 7595" if new and "syntax" not in names else "RFC 4395"


# The search for lines of a text that can be headings of a registration template's fields.
#
# The layout of the template decides which of these lines are headings: see the beginning of this module.


#: The maximum length of a heading, in characters, over at most two lines.
_LONGEST = 120

#: The minimum length of an unknown heading before a full stop: "Dr.", "No." and "None." are not headings.
_SHORTEST = 5

#: The maximum number of words of an unknown heading before a full stop, if no field's name begins with its first word.
_MOST_WORDS = 4

_FIRST_WORDS = frozenset(heading.split()[0] for heading in HEADINGS)

#: The minimum length of a full line in a paragraph of 72 columns: on a shorter line, "URI" or "status." would have fit.
_FULL = 60

#: The start of a heading's line: indentation, then a section number (`3.1.`, `A.2`) or a list's bullet.
_START = re.compile(r"( *)(?:([A-Z](?:\.\d{1,3})+\.?|[A-Z]\.|\d{1,3}(?:\.\d{1,3})*\.?) +|([o*+•-]) +)?(?=[^ ])")

#: The words of an unknown heading, which must not be a sentence.
_WORD = r"[\w'()/&,-]"

_UNKNOWN = re.compile(rf"(?=.{{2,60}}\Z)[A-Z]{_WORD}*(?: {_WORD}+){{0,7}}")

_OF_SENTENCES = frozenset({"are", "be", "below", "example", "examples", "following", "follows", "is", "note", "notes"})

#: The possible first lines of a heading of two lines.
_BEGINNINGS = frozenset(
    " ".join(words[:count]) for words in (heading.split() for heading in HEADINGS) for count in range(1, len(words))
)

#: Words, a full stop, and text after it. Lines of a table of contents do not match: `Status . . 5`, `Status . 5`.
_STOPPED = re.compile(rf"([^.:]{{2,{_LONGEST}}})(?:(?<! )\. +| +\. +(?!\d+\Z))(?=[^. ])")

_FOOTER = re.compile(r" \[Page [0-9ivxlc]+\]\Z")

_HEADER = re.compile(r"(?:RFC \d+|Internet-Draft|INTERNET-DRAFT)\s.{1,100}\b(?:19|20)\d\d\Z")


class HeadingLine(NamedTuple):
    """A possible heading."""

    start: int
    """The heading's first line, from 0."""
    end: int
    """The line after the heading's last line, from 0."""
    indent: int
    """The indentation, in spaces."""
    number: tuple[str, ...]
    """The parts of the section number; () if it has none."""
    key: str | None
    """A key of `FIELDS`; None for an unknown heading."""
    label: str
    """The heading as written; "" if it cannot name a field."""
    mark: str
    """The punctuation after the heading: ":", "." or ""."""
    rest: str
    """The text after the heading on its last line."""
    apart: bool
    """Whether the line does not continue the paragraph before it."""
    stopped: bool
    """Whether the line is a heading only if full stops end the headings of the template."""
    margin: bool
    """Whether the line can be a section's heading: a short line at the left margin, with blank lines around it."""
    runs_on: bool
    """Whether the line can continue the running text of the line before."""


class _HeadingText(NamedTuple):
    """The text of a heading's line, without its surroundings: see `HeadingLine`."""

    end: int
    label: str
    mark: str
    rest: str
    stopped: bool = False


def lines_of(text: str) -> list[str]:
    """The lines of a text: tabs expanded, trailing white space removed, headers and footers of RFC pages blanked."""
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
    """The number of spaces at the beginning of a line."""
    return len(line) - len(line.lstrip(" "))


def is_heading(text: str) -> bool:
    """Whether a text can be the heading of an unknown field."""
    return _UNKNOWN.fullmatch(text) is not None and _OF_SENTENCES.isdisjoint(text.casefold().split())


def find_headings(lines: list[str]) -> Iterator[HeadingLine]:
    """Yield the lines that can be headings, in order."""
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
        alone = not rest and end < len(lines) and bool(lines[end])  # within a paragraph, no line is short
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
    """Whether words with a full stop can continue the paragraph of the line before, which must be a full line.

    A field's name can do so only at the end of a sentence, and only if its capitals are normal there: "URI" has
    capitals everywhere.
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
    """The heading of a line, its punctuation, and the text after it: `Status: x` -> ("Status", ":", "x").

    `more`: the part of the line beyond the longest heading.
    """
    label, colon, rest = body.partition(":")
    if colon:
        return label, ":", (rest + more).strip()
    return body.rstrip("."), "." if body.endswith(".") else "", ""


def _split_stopped(body: str, more: str = "") -> tuple[str, str, str]:
    """Split a line whose heading ends with a full stop within the line: `Status. x` -> ("Status", ".", "x")."""
    stopped = _STOPPED.match(body)
    return (stopped[1], ".", body[stopped.end() :] + more) if stopped else ("", "", "")


def _split_known(body: str, more: str = "") -> tuple[str, str, str] | None:
    """The parts of a line that begins with a known heading; None for other lines."""
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
        # "… that use this URI scheme" is a heading, and also the beginning of the form's own heading
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
    """Whether a line without a colon is a heading: its value follows with deeper indentation, or no value follows."""
    while end < len(lines) and not lines[end]:
        end += 1
    following = lines[end] if end < len(lines) else ""
    start = _START.match(following)
    if start is None or len(start[1]) > indent:
        return True
    label, _, _ = _split_heading(following[start.end() : start.end() + _LONGEST])
    return normalize_heading(label) in HEADINGS


class _Layout(NamedTuple):
    """The layout of the headings of one template."""

    level: int
    """The headings' indentation, in spaces."""
    number: tuple[str, ...]
    """The section number of the first heading; () if it has none."""
    mark: str
    """The punctuation after the first heading."""

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
        """Whether a heading that does not belong to the template begins the text after the template."""
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
    """The headings' layout."""
    headings: list[HeadingLine]
    """The headings, in order."""
    stop: int
    """The line after the last heading's value, from 0."""


class DoubtfulLine(NamedTuple):
    """A line of a value that looks like a field's heading, at the position of headings."""

    line: int
    """The line's number, from 1."""
    heading: str
    """The words that look like a heading, with their punctuation."""
    field: TemplateField
    """The field whose value contains the line."""


class ReadTemplate(NamedTuple):
    """A template read from text."""

    fields: tuple[TemplateField, ...]
    """The template's fields, in order."""
    doubtful: tuple[DoubtfulLine, ...]
    """The lines in the fields' values that may be intended as fields, in order."""
    before: tuple[int, int]
    """The first and last line of the text before the template, from 1; (0, 0) if there is none, or if another template
    comes before."""


def read(text: str) -> list[ReadTemplate]:
    """Read the templates of a text, in order."""
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

    `first`: the text on the heading's line.
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
    """Yield the headings that belong to templates, grouped by layout."""
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
    """The index of the first heading of a template without a name; [] if there is none.

    Such a template must have at least two fields.
    """
    certain = [(index, heading) for index, heading in known if not heading.stopped]
    if len({heading.key for _, heading in certain}) > 1:
        return [certain[0][0]]
    stops = [(index, heading) for index, heading in known if heading.mark == "." and _is_clear(heading)]
    for index, first in stops[:1]:
        if any(_Layout(first.indent, first.number, ".").fits(one) and one.key != first.key for _, one in stops):
            return [index]
    return []


def _is_clear(heading: HeadingLine) -> bool:
    """Whether a heading can be the first heading of a template."""
    return heading.apart or not heading.stopped


def _precedes(name: HeadingLine, following: list[tuple[int, HeadingLine]]) -> bool:
    """Whether the next known heading has the layout of `name`, which has a line of other text before it."""
    return any(one.mark == name.mark and one.indent == name.indent and one.apart for _, one in following)


def _layout(found: list[HeadingLine], anchor: int, *, begins: bool) -> _Layout:
    """The layout of a template, from its first heading.

    `begins`: the text begins with this heading. A copied excerpt often lacks the indentation of its first line.
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
    """Split headings into templates; yield each with the line after it.

    A name begins a new template if fields are repeated after it.
    """
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
    """The first and the last line before `start` that have text, from 1; (0, 0) if there are none."""
    found = [number for number, line in enumerate(lines[:start], start=1) if line]
    return (found[0], found[-1]) if found else (0, 0)


def _doubtful(
    within: list[HeadingLine], headings: list[HeadingLine], fields: tuple[TemplateField, ...], layout: _Layout
) -> Iterator[DoubtfulLine]:
    """Yield the lines of `within` that look like headings of the template, but are not headings by its layout."""
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
    """The number of lines after the last heading that belong to its value.

    The value ends at a paragraph with less indentation.

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
