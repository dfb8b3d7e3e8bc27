"""The positions of a Markdown page's references and raw HTML, and its headings.

The parser's tokens have line numbers; this module finds the positions in the content of a block. A
position counts only if the text there equals the text that the parser has read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from linkfix.lazy import lazy_pattern
from linkfix.markdown.heading_ids import Heading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


# The Markdown parser, markdown-it-py for CommonMark with GFM's tables, extended to report positions.
#
# The parser's own rules for links, images, autolinks, raw HTML, definitions and tables run unchanged. A wrapper then
# reads their matches again to find the positions, so each position comes from the parser's own decision.


#: The maximum nesting of blocks and brackets; the parser treats deeper ones as text.
_NESTING = 40

#: The key in `env` of the spans that the parser has found.
FOUND = "linkfix"

#: The key in `env` of the starts of table rows.
ROWS = "linkfix-rows"

#: The key in `env` of a callable that runs before each rule, and can raise to end the parsing; or None.
_CHECK = "linkfix-check"

#: The key in `env` of the number of images around the current text; and the maximum number.
_IMAGES = "linkfix-images"

_NESTED_IMAGES = 3

#: Tags that turn everything after them into text. In a paragraph they are mostly prose (GFM §6.11, "Disallowed Raw
#: HTML").
_TEXT_ELEMENT = lazy_pattern(r"(?i)</?(?:noembed|noframes|plaintext|script|style|textarea|title|xmp)\b")

Kind = Literal["link", "image", "definition", "autolink", "html"]


class ContentSpan(NamedTuple):
    """A span that a rule has found, as positions in the content of a block; for definitions, in the text."""

    kind: Kind
    start: int
    end: int
    outer: int


def new_environment(check: Callable[[], None] | None = None) -> dict[str, Any]:
    """The environment for parsing a text; the parser stores the spans it finds in it.

    `check`: a callable that runs repeatedly during the parsing, and can raise an exception to end it.
    """
    return {FOUND: [], ROWS: {}, _IMAGES: 0, _CHECK: check}


@cache
def markdown_parser() -> MarkdownIt:
    """The parser, created once, with wrappers around its rules."""
    from markdown_it import MarkdownIt  # only Markdown needs it
    from markdown_it.rules_block import reference, table
    from markdown_it.rules_inline import autolink, html_inline, image, link

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING})
    parser.enable(["table", "strikethrough"])
    parser.core.ruler.enableOnly(["block"])
    parser.normalizeLink = _unchanged  # type: ignore[method-assign]
    parser.validateLink = _is_valid  # type: ignore[assignment, method-assign]
    parser.inline.ruler.at("link", _watch_link(link, "link"))
    parser.inline.ruler.at("image", _watch_link(image, "image"))
    parser.inline.ruler.at("autolink", _watch_autolink(autolink))
    parser.inline.ruler.at("html_inline", _watch_html(html_inline))
    parser.block.ruler.at("reference", _watch_reference(reference))
    parser.block.ruler.at("table", _watch_table(table), {"alt": ["paragraph", "reference"]})
    parser.block.ruler.before("table", "check", _check)
    parser.inline.ruler.before("text", "check", _check)
    return parser


def _unchanged(url: str) -> str:
    return url


def _is_valid(_url: str) -> bool:
    return True


def _check(state: StateBlock | StateInline, *_: object) -> bool:
    """Call the check of the environment: a rule that never matches, and runs wherever another rule could match."""
    check = state.env[_CHECK]
    if check is not None:
        check()
    return False


_InlineRule = Callable[["StateInline", bool], bool]

_BlockRule = Callable[["StateBlock", int, int, bool], bool]


def _watch_link(rule: _InlineRule, kind: Literal["link", "image"]) -> _InlineRule:
    """Wrap a rule for links or images; the wrapper records the position of the destination."""

    def watched(state: StateInline, silent: bool) -> bool:
        outer = state.pos
        found, depth = state.env[FOUND], state.env[_IMAGES]
        if kind == "image":
            if depth >= _NESTED_IMAGES:
                return False
            # An image's text has no links, and text that looks like HTML is text there.
            state.env[FOUND], state.env[_IMAGES] = [], depth + 1
        is_one = rule(state, silent)
        state.env[FOUND], state.env[_IMAGES] = found, depth
        if not is_one or silent:
            return is_one
        end, state.pos = state.pos, outer
        label_end = state.md.helpers.parseLinkLabel(state, outer + (kind == "image"), kind == "link")
        state.pos = end
        if end > label_end + 1 and state.src[label_end + 1] == "(":
            found.append(ContentSpan(kind, *_destination(state, state.src, label_end + 2, state.posMax), outer))
        return True

    return watched


def _destination(state: StateInline | StateBlock, text: str, at: int, end: int) -> tuple[int, int]:
    """The span of the destination that begins at `at`, after white space."""
    while text[at] in " \t\n":
        at += 1
    result = state.md.helpers.parseLinkDestination(text, at, end)
    if not result.ok:
        return at, at
    return (at + 1, result.pos - 1) if text[at] == "<" else (at, result.pos)


def _watch_autolink(rule: _InlineRule) -> _InlineRule:
    """Wrap the rule for autolinks. The wrapper skips mail addresses, which have no scheme and lead to no file."""

    def watched(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        if not silent and ":" in state.src[start : state.pos]:
            state.env[FOUND].append(ContentSpan("autolink", start + 1, state.pos - 1, start))
        return True

    return watched


def _watch_html(rule: _InlineRule) -> _InlineRule:
    def watched(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        if not silent and not _TEXT_ELEMENT.match(state.src, start):
            state.env[FOUND].append(ContentSpan("html", start, state.pos, start))
        return True

    return watched


def _watch_table(rule: _BlockRule) -> _BlockRule:
    def watched(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if not rule(state, start, end, silent):
            return False
        if not silent:
            state.env[ROWS].update({line: state.bMarks[line] + state.tShift[line] for line in range(start, state.line)})
        return True

    return watched


def _watch_reference(rule: _BlockRule) -> _BlockRule:
    """Wrap the rule for definitions; the wrapper records the position of each destination."""

    def watched(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if not rule(state, start, end, silent):
            return False
        if not silent:
            found = _definition(state, start, state.line)
            if found is not None:
                state.env[FOUND].append(found)
        return True

    return watched


def _definition(state: StateBlock, first: int, last: int) -> ContentSpan | None:
    """The definition in some lines; None for a footnote, or for an empty destination or "#", as comments have.

    `first`: the number of the first line. `last`: the number of the line after the last.
    """
    starts = [state.bMarks[line] + state.tShift[line] for line in range(first, last)]
    pieces = [state.src[start : state.eMarks[first + number] + 1] for number, start in enumerate(starts)]
    text = "".join(pieces)
    at = 1
    while text[at] != "]":
        at += 2 if text[at] == "\\" else 1
    if text.startswith("[^"):
        return None
    begin, stop = _destination(state, text, at + 2, len(text))
    if text[begin:stop] in {"", "#"}:
        return None
    before = 0
    for start, piece in zip(starts, pieces, strict=True):
        if begin < before + len(piece):
            return ContentSpan("definition", start + begin - before, start + stop - before, starts[0])
        before += len(piece)
    return None


#: The Unicode white space that the parser strips from the content of blocks.
_SPACE = " \t\n\r\f\v\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

#: Attributes after a heading or another element: `{#name}`, `{: #name .class }`; and a target of MyST.
_ATTRIBUTES = lazy_pattern(r"\{([^{}\n]*+)\}")

_ID = lazy_pattern(r"(?:^:?|\s)#([^\s\"'=<>]++)")

_ONLY_ATTRIBUTES = lazy_pattern(r":?\s*+(?:(?:[#.][^\s]++|[\w-]++=[^\s]++|-)(?:\s++|$))++")

_MYST_TARGET = lazy_pattern(r"(?m)^\(([^()\s]++)\)=[ \t]*$")

#: The first lines of admonitions, details and tabs: their indented content is text in MkDocs, and code for CommonMark.
_INDENTING = lazy_pattern(r"(?m)^([ \t]*+)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]++[^\s][^\n]*+$")

#: Content that a program generates: mkdocstrings, snippets, templates.
_GENERATED = lazy_pattern(r"(?m)^:::[ \t]++\w++(?:\.\w++)++[ \t]*+$|--8<--|\{%|\{\{")


class MarkdownPlace(NamedTuple):
    """The place of a reference or of raw HTML in the text, in characters."""

    kind: Kind
    start: int
    """The start of the destination, or of the piece of raw HTML."""
    end: int
    outer: int
    """The start of the link, image or definition."""


class MarkdownPage(NamedTuple):
    """The places, headings and IDs of a Markdown text."""

    places: list[MarkdownPlace]
    """The places, in the order of their starts."""
    headings: list[Heading]
    ids: list[str]
    """The IDs in attributes, except the IDs of headings."""
    is_generated: bool
    """Whether a program adds content when it builds the page."""
    unplaced: list[int]
    """The lines, from 0, of references whose place is not known."""


def read_markdown(text: str, check: Callable[[], None] | None = None) -> MarkdownPage:
    """Read a text whose lines end with a newline. Raises ImportError, RuntimeError, and any exception from `check`.

    `check`: a callable that runs repeatedly, and can raise an exception to end parsing that takes too long.
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
    """A line of the same length that begins a list item, so that the indented content belongs to the item."""
    return match[1] + "-   " + "x" * (len(match[0]) - len(match[1]) - 4)


class _BlockReader:
    """A reader of one page's blocks."""

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
        """The page as read so far."""
        self._places.sort(key=lambda place: place.start)
        return MarkdownPage(self._places, self._headings, self._ids, self._is_generated, self._unplaced)

    def add(self, found: ContentSpan, position: Callable[[int], int]) -> None:
        """Keep a place. `position`: a function from positions in the block's content to positions in the text."""
        kind, start, end, outer = found
        self._places.append(MarkdownPlace(kind, position(start), position(end), position(outer)))

    def read(self, parser: MarkdownIt, tokens: Sequence[Token]) -> None:
        """Read the blocks with inline content, and the blocks of raw HTML."""
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
                first = offset + len(line) - len(line.lstrip(" \t"))  # the spaces can come from a tab
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
        """Keep a tag of several lines, one place for each: the text has marks of a list or quotation between them."""
        start = found.start
        for line in content[found.start : found.end].split("\n"):
            self.add(ContentSpan("html", start, start + len(line), start), position)
            start += len(line) + 1

    # Positions in the content of a block -> positions in the text

    def _position(self, token: Token, *, is_atx: bool) -> Callable[[int], int] | None:
        """Return a function from positions in a block's content to positions in the text.

        Return None if the lines do not match. `is_atx`: the block is an ATX heading, of one line.
        """
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
        """The start of each line of a block's content, as a position in the content and in the text.

        The position in the text is None if the lines do not match. A line of the content is the end of the text's line,
        perhaps with spaces in place of a tab before it.
        """
        if not token.map:
            return None
        pieces = token.content.split("\n")
        first, end = token.map
        while first < end and not self._lines[first].rstrip(_SPACE).endswith(pieces[0].strip(_SPACE)):
            first += 1  # the parser strips a line of such white space, which is not a blank line
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
        """The cells of a table's row: the start of each in the text, and its source text."""
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
        # The position of each character of the content; for an escaped "|", the position of the backslash.
        read = (at for at in range(len(raw)) if not raw.startswith("\\|", at))
        table = [start + at - (raw[at] == "|") for at in read]
        table.append(start + len(raw))
        return table.__getitem__


def _same(written: str, read: str, in_table: bool) -> bool:
    """Whether the text `written` is the source of the parser's text `read`."""
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
    """The contents of the braces at the end of a heading, if they are attributes; else None."""
    start = text.rfind("{")
    match = _ATTRIBUTES.fullmatch(text.rstrip(), start) if start >= 0 else None
    return match[1] if match is not None and _ONLY_ATTRIBUTES.fullmatch(match[1].strip() + " ") else None
