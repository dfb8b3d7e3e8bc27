"""Where the references of a Markdown page stand, its raw HTML, and its headings.

The parser's tokens have lines; the places in the content of a block are those of `linkfix.markdown.parser`. A place
counts only if the text there is what the parser has read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from linkfix.lazy import lazy_pattern
from linkfix.markdown.heading_ids import Heading
from linkfix.markdown.parser import FOUND, ROWS, ContentSpan, Kind, markdown_parser, new_environment

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


#: What the parser strips from the content of blocks: Unicode white space.
_SPACE = " \t\n\r\f\v\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

#: Attributes after a heading or anything else: `{#name}`, `{: #name .class }`; and a target of MyST.
_ATTRIBUTES = lazy_pattern(r"\{([^{}\n]*+)\}")
_ID = lazy_pattern(r"(?:^:?|\s)#([^\s\"'=<>]++)")
_ONLY_ATTRIBUTES = lazy_pattern(r":?\s*+(?:(?:[#.][^\s]++|[\w-]++=[^\s]++|-)(?:\s++|$))++")
_MYST_TARGET = lazy_pattern(r"(?m)^\(([^()\s]++)\)=[ \t]*$")
#: What has indented content in MkDocs, and code for CommonMark: admonitions, details, tabs.
_INDENTING = lazy_pattern(r"(?m)^([ \t]*+)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]++[^\s][^\n]*+$")
#: Content that only a program makes: mkdocstrings, snippets, templates.
_GENERATED = lazy_pattern(r"(?m)^:::[ \t]++\w++(?:\.\w++)++[ \t]*+$|--8<--|\{%|\{\{")


class MarkdownPlace(NamedTuple):
    """Where something stands in the text, in characters."""

    kind: Kind
    start: int
    """Where the destination, or the piece of raw HTML, begins."""
    end: int
    outer: int
    """Where the link, image or definition begins."""


class MarkdownPage(NamedTuple):
    """What is read of a text."""

    places: list[MarkdownPlace]
    """In order of their beginning."""
    headings: list[Heading]
    ids: list[str]
    """The IDs that attributes state, those of headings excepted."""
    is_generated: bool
    """Whether a program that builds the page puts more into it."""
    unplaced: list[int]
    """The lines, from 0, of references whose place is not known."""


def read_markdown(text: str, check: Callable[[], None] | None = None) -> MarkdownPage:
    """Read a text whose lines end with a newline. Raises ImportError, RuntimeError, and what `check` raises.

    `check` is called again and again, to end what takes too long.
    """
    parser = markdown_parser()
    env = new_environment(check)
    text = _INDENTING.sub(_as_list_item, text)
    tokens = parser.parse(text, env)
    reader = _BlockReader(text, env)
    for one in env[FOUND]:
        reader.add(one, lambda position: position)
    reader.read(parser, tokens)
    return reader.page()


def _as_list_item(match: re.Match[str]) -> str:
    """A line of the same length that begins an item of a list, whose content is indented as far."""
    return match[1] + "-   " + "x" * (len(match[0]) - len(match[1]) - 4)


class _BlockReader:
    """Reads the blocks of one page."""

    def __init__(self, text: str, env: dict[str, Any]) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._env = env
        self._rows: dict[int, int] = env[ROWS]
        self._places: list[MarkdownPlace] = []
        self._headings: list[Heading] = []
        self._ids: list[str] = []
        self._unplaced: list[int] = []
        self._is_generated = False
        self._cells: Iterator[tuple[int, str]] = iter(())

    def page(self) -> MarkdownPage:
        """What was read."""
        self._places.sort(key=lambda place: place.start)
        return MarkdownPage(self._places, self._headings, self._ids, self._is_generated, self._unplaced)

    def add(self, found: ContentSpan, position: Callable[[int], int]) -> None:
        """Keep a place. `position`: from one in the block's content to one in the text."""
        kind, start, end, outer = found
        self._places.append(MarkdownPlace(kind, position(start), position(end), position(outer)))

    def read(self, parser: MarkdownIt, tokens: Sequence[Token]) -> None:
        """Read the blocks that have inline content, and those of raw HTML."""
        around: Token | None = None
        for token in tokens:
            if token.type == "html_block":
                self._read_html(token)
            elif token.type == "tr_open" and token.map:
                self._cells = self._split_row(token.map[0])
            elif token.type == "inline":
                self._read_inline(parser, token, around)
            around = token

    def _read_html(self, token: Token) -> None:
        offsets = self._line_offsets(token)
        content = token.content
        start = 0
        for (_, offset), line in zip(offsets or (), content.split("\n"), strict=False):
            if offset is not None and line:
                first = offset + len(line) - len(line.lstrip(" \t"))  # the spaces can be those of a tab
                self._places.append(MarkdownPlace("html", first, offset + len(line), first))
            start += len(line) + 1

    def _read_inline(self, parser: MarkdownIt, token: Token, around: Token | None) -> None:
        content = token.content
        is_heading = around is not None and around.type == "heading_open"
        if not self._is_generated:
            self._is_generated = _GENERATED.search("".join(content.split("`")[::2])) is not None  # not in code spans
        children: list[Token] = []
        found: list[ContentSpan] = []
        if is_heading or "[" in content or "<" in content:
            self._env[FOUND] = found
            parser.inline.parse(content, parser, self._env, children)
        if is_heading:
            self._headings.append(_heading(children))
        elif "{" in content or ")=" in content:
            self._ids += (one for attributes in _ATTRIBUTES.findall(content) for one in _ID.findall(attributes))
            self._ids += _MYST_TARGET.findall(content)
        cell = next(self._cells, None) if around is not None and around.type in {"th_open", "td_open"} else None
        if not found:
            return
        if cell is not None:
            position = self._cell_position(cell, content)
        else:
            position = self._position(token, is_atx=is_heading and around is not None and "#" in around.markup)
        for one in found:
            start, end = (position(one.start), position(one.end)) if position is not None else (0, -1)
            if position is not None and _same(self._text[start:end], content[one.start : one.end], cell is not None):
                self.add(one, position)
            elif position is not None and one.kind == "html":
                self._add_lines(one, content, position)
            else:
                self._unplaced.append(token.map[0] if token.map else 0)

    def _add_lines(self, found: ContentSpan, content: str, position: Callable[[int], int]) -> None:
        """Keep a tag of several lines, between which the text has marks of a list or quotation."""
        start = found.start
        for line in content[found.start : found.end].split("\n"):
            self.add(ContentSpan("html", start, start + len(line), start), position)
            start += len(line) + 1

    # From the content of a block to the text

    def _position(self, token: Token, *, is_atx: bool) -> Callable[[int], int] | None:
        """From positions in a block's content to those in the text; None where the lines do not fit."""
        content = token.content
        if is_atx and token.map:
            line = token.map[0]
            offset = self._starts[line] + self._lines[line].rfind(content)
            return lambda at: at + offset
        offsets = self._line_offsets(token)
        if offsets is None or any(offset is None for _, offset in offsets):
            return None
        table = [(start, offset) for start, offset in offsets if offset is not None]

        def position(at: int) -> int:
            low, high = 0, len(table)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if table[middle][0] <= at else (low, middle)
            return at - table[low][0] + table[low][1]

        return position

    def _line_offsets(self, token: Token) -> list[tuple[int, int | None]] | None:
        """Of each line of a block's content, where it begins there and in the text.

        A line of the content is the end of the text's line, perhaps with spaces in place of a tab before it.
        """
        if not token.map:
            return None
        pieces = token.content.split("\n")
        first, end = token.map
        while first < end and not self._lines[first].rstrip(_SPACE).endswith(pieces[0].strip(_SPACE)):
            first += 1  # a line of such white space is stripped, and no blank line
        table: list[tuple[int, int | None]] = []
        start = 0
        for number, piece in enumerate(pieces):
            if first + number >= len(self._lines):
                break
            bare = piece.lstrip(" \t")
            line = self._lines[first + number]
            if not line.endswith(bare):
                line = line.rstrip(_SPACE)
            offset = self._starts[first + number] + len(line) - len(piece) if line.endswith(bare) else None
            table.append((start, offset))
            start += len(piece) + 1
        return table

    def _split_row(self, line: int) -> Iterator[tuple[int, str]]:
        """The cells of a table's row: where each begins in the text, and what is written there."""
        row_start = self._rows.get(line, self._starts[line])
        row = self._text[row_start : self._starts[line + 1] - 1]
        edges = [-1]
        for at, character in enumerate(row):
            if character == "|" and (at == 0 or row[at - 1] != "\\"):
                edges.append(at)
        edges.append(len(row))
        cells = [(row_start + left + 1, row[left + 1 : right]) for left, right in pairwise(edges)]
        if not cells[0][1].strip(_SPACE):
            del cells[0]
        for start, cell in cells:
            bare = cell.lstrip(_SPACE)
            yield start + len(cell) - len(bare), bare.rstrip(_SPACE)

    @staticmethod
    def _cell_position(cell: tuple[int, str], content: str) -> Callable[[int], int] | None:
        start, raw = cell
        if raw == content:
            return lambda at: start + at
        if raw.replace("\\|", "|") != content:
            return None
        # Of each character of the content, where it is: of an escaped "|", the backslash.
        read = (at for at in range(len(raw)) if not raw.startswith("\\|", at))
        table = [start + at - (raw[at] == "|") for at in read]
        table.append(start + len(raw))
        return table.__getitem__


def _same(written: str, read: str, in_table: bool) -> bool:
    """Whether a text is what the parser has read there."""
    return written == read or (in_table and written.replace("\\|", "|") == read)


def _heading(children: Sequence[Token]) -> Heading:
    text: list[str] = []
    alternatives: list[str] = []
    literals: list[str] = []
    for token in children:
        if token.type in {"softbreak", "hardbreak"}:
            piece, alternative = " ", " "
        elif token.type == "image":
            piece, alternative = "", token.content
        else:
            piece = alternative = token.content if token.type in {"text", "code_inline", "text_special"} else ""
        if token.type == "code_inline":
            literals.append(token.content)
        text.append(piece)
        alternatives.append(alternative)
    raw, whole = "".join(text), "".join(alternatives)
    attributes = _attributes_at_end(raw)
    if attributes is None:
        return Heading(raw, raw, whole, "", tuple(literals))
    named = _ID.search(attributes)
    bare = [one[: one.rindex("{")].rstrip() for one in (raw, whole)]
    return Heading(bare[0], raw, bare[1], named[1] if named else "", tuple(literals))


def _attributes_at_end(text: str) -> str | None:
    """What is in the braces at the end of a heading, if it is attributes."""
    start = text.rfind("{")
    match = _ATTRIBUTES.fullmatch(text.rstrip(), start) if start >= 0 else None
    return match[1] if match is not None and _ONLY_ATTRIBUTES.fullmatch(match[1].strip() + " ") else None
