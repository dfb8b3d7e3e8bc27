"""MDX: Markdown with JSX in it. JSX is left out before the Markdown is read, and every byte keeps its place.

Left out are the blocks of `import` and `export`, expressions in braces, and tags. The indented content of an element
is no code, so the tag before it becomes the mark of a list. Tags in lower case are HTML.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from linkfix.lazy import lazy_pattern

if TYPE_CHECKING:
    from pyromark import Markdown

#: The beginnings of all that matters: fenced code (also in a list or a quotation), code spans, escapes, imports and
#: exports, IDs of headings, expressions, tags.
_START = lazy_pattern(
    r"""(?mx)
    ^(?:[ \t>]|[-*+][ ]|\d{1,9}[.)][ ])*+ (?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)
    | (?P<code>`++)
    | \\.
    | ^(?P<module>(?:import|export)(?=[ \t{*"']))
    | (?P<comment_id>\{/\*\s*+\#[^\s*]++\s*+\*/\})
    | \{\#[^{}\n]*+\}
    | (?P<brace>\{)
    | <(?P<close>/?)(?P<tag>[A-Za-z][\w.:-]*+(?!//)|(?=>))
    """
)
#: A piece of JavaScript: a brace, or what can contain one; at the end of a module, a blank line.
_SCRIPT = lazy_pattern(
    r"""(?xs) [{}] | "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+' | `(?:[^`\\]|\\.)*+(?:`|\Z)
    | /\*(?:[^*]|\*(?!/))*+(?:\*/|\Z) | \n[ \t\r]*+(?=\n|\Z)"""
)
#: A piece of a tag. An attribute whose value is an expression is one piece, up to the brace.
_ATTRIBUTE = lazy_pattern(
    r"""(?x)(?P<dynamic>[^<>"'{}=\s]*+\s*+=\s*+)(?=\{) | \s++ | [^<>"'{}=\s]++ | = | "[^"]*+" | '[^']*+'"""
)
_BACKTICKS = lazy_pattern(r"`++")
_BLANK_LINE = lazy_pattern(r"\n[ \t\r]*+(?=\n|\Z)")
_LINE_REST = lazy_pattern(r"[ \t\r]*+(?:\n|\Z)")
_WORDS = lazy_pattern(r"[^\r\n]++")
#: Text that may be before a block on its line: marks of lists and quotations.
_MARKS = " \t>-*+.)0123456789"
#: The shortest tag that can become the mark of a list with text.
_SHORTEST_ITEM = 3
#: The most times that MDX is read to find indented text; the widest indentation that counts, and the narrowest mark of
#: a list, in bytes.
_INDENTED_PASSES = 8

_WIDEST = 100

_LEAST_ITEM = 2

_SPACES = lazy_pattern(rb"[ \t]++")

_MARGINS = lazy_pattern(rb"(?m)^[ \t]++")

_FENCE = lazy_pattern(rb"(`{3,}+(?=[^`\r\n]*+(?:[\r\n]|\Z))|~{3,}+)")


class Mdx(NamedTuple):
    """A text without its JSX, with the same number of bytes."""

    text: str
    tags: list[tuple[int, int]]
    """The spans of HTML tags, without their expressions, and of comments without markup, in bytes of UTF-8."""
    expressions: list[int]
    """The starts of expressions in text, except comments, in ascending order."""


def without_jsx(text: str) -> Mdx:
    r"""Leave JSX out.

    >>> without_jsx("<Tab>\n    [a](b) {c}\n</Tab>").text
    '- xxx\n    [a](b)    \n      '
    """
    return _JsxReader(text).read()


class _JsxReader:
    """A reader of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._code_ends = dict(_code_spans(text))
        #: Whether a brace has no end, so that the page is no MDX: the rest is read as Markdown.
        self._is_broken = False
        #: The text so far, its size in UTF-8, the end of the source that it replaces, and whether its line has text.
        self._made: list[str] = []
        self._size = 0
        self._done = 0
        self._has_text = False
        self._tags: list[tuple[int, int]] = []
        self._expressions: list[int] = []

    def read(self) -> Mdx:
        """Read the whole text."""
        at = 0
        while not self._is_broken and (match := _START.search(self._text, at)) is not None:
            kind, start, at = match.lastgroup, match.start(), match.end()
            if kind == "fence":
                at = self._end_of_fence(match["fence"], at)
            elif kind == "code":
                at = self._code_ends.get(start, at)
            elif kind == "module" and self._begins_block(start):
                at = self._end_of_module(start)
                self._replace(start, at)
            elif kind == "comment_id":  # as Docusaurus writes it
                self._keep_up_to(start)
                name = match[0].strip("{/* \t\r\n}")
                self._add(f"{{{name}}}" + " " * (len(match[0]) - len(name) - 2), at)
            elif kind == "brace":
                at = max(at, self._end_of_expression(start))
                if not self._is_broken:
                    self._read_expression(start, at)
            elif kind == "tag":
                at = self._read_tag(match, at)
        return Mdx("".join([*self._made, self._text[self._done :]]), self._tags, self._expressions)

    # Ends; 0 if there is none

    def _end_of_fence(self, fence: str, at: int) -> int:
        closing = re.compile(rf"(?m)^[ \t>]*+{fence[0]}{{{len(fence)},}}[ \t\r]*$").search(self._text, at)
        return len(self._text) if closing is None else closing.end()

    def _begins_block(self, start: int) -> bool:
        """Whether the line before a position is blank or left out."""
        before = self._text.rfind("\n", 0, max(start - 1, 0)) + 1
        return start == 0 or before < self._done or not self._text[before:start].strip()

    def _end_of_module(self, start: int) -> int:
        """The end of imports and exports: the first blank line outside braces."""
        depth = first = 0
        for piece in _SCRIPT.finditer(self._text, start):
            depth += (piece[0] == "{") - (piece[0] == "}")
            if piece[0].startswith("\n"):
                first = first or piece.start()
                if depth <= 0:
                    return piece.start()
        self._is_broken = depth > 0
        return first or len(self._text)

    def _end_of_expression(self, start: int) -> int:
        depth = 0
        for piece in _SCRIPT.finditer(self._text, start):
            depth += (piece[0] == "{") - (piece[0] == "}")
            if not depth:
                return piece.end()
        self._is_broken = True
        return 0

    def _read_expression(self, start: int, end: int) -> None:
        """Leave an expression out."""
        self._keep_up_to(start)
        piece = self._text[start:end]
        if not piece.startswith("{/*"):
            self._expressions.append(self._size)
        elif "<" not in piece:
            self._tags.append((self._size, self._size + len(piece.encode())))
        self._replace(start, end)

    def _read_tag(self, match: re.Match[str], at: int) -> int:
        """Leave a tag out, if it is one; return the end. HTML tags are kept as such."""
        start = match.start()
        spans = [start]
        while (piece := _ATTRIBUTE.match(self._text, at)) is not None or self._text.startswith("{", at):
            if piece is not None and piece["dynamic"] is None:
                at = piece.end()
                continue
            end = self._end_of_expression(at if piece is None else piece.end())
            if self._is_broken:
                return match.end()
            spans += at, end
            at = end
        if not self._text.startswith(">", at):
            return match.end()
        at += 1
        self._keep_up_to(start)
        if match["tag"][:1].islower() and "." not in match["tag"]:
            edges = [self._size + len(self._text[start:edge].encode()) for edge in (*spans, at)]
            self._tags += zip(edges[::2], edges[1::2], strict=True)
        self._replace(start, at, opens=not match["close"] and not self._text.endswith("/>", start, at))
        return at

    # The text that is made

    def _keep_up_to(self, start: int) -> None:
        """Keep the source up to a position."""
        kept = self._text[self._done : start]
        line = kept.rpartition("\n")[2]
        self._has_text = bool(line.strip(_MARKS)) or (self._has_text and "\n" not in kept)
        self._add(kept, start)

    def _add(self, made: str, done: int) -> None:
        self._made.append(made)
        self._size += len(made.encode())
        self._done = done

    def _replace(self, start: int, end: int, *, opens: bool = False) -> None:
        """Replace a piece. `opens`: the piece is a start tag. Alone on its line, it becomes the mark of a list."""
        self._keep_up_to(start)
        piece = self._text[start:end]
        is_alone = not self._has_text and _LINE_REST.match(self._text, end) is not None
        if not (self._has_text or is_alone):
            made = _filled(piece, "x")  # spaces before text would make code of it
            self._has_text = True
        else:
            made = _filled(piece, " ")
            first = len(made.partition("\n")[0].rstrip("\r"))
            if opens and is_alone and first >= _SHORTEST_ITEM:
                made = "- ".ljust(first, "x") + made[first:]
        if "\n" in piece:
            self._has_text = False
        self._add(made, end)


def _filled(piece: str, filler: str) -> str:
    return _WORDS.sub(lambda words: filler * len(words[0].encode()), piece)


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start of each run of backticks that has its like in the same paragraph, and the end of that."""
    blank_lines = [match.start() for match in _BLANK_LINE.finditer(text)]
    after: dict[tuple[int, int], int] = {}
    for run in reversed(list(_BACKTICKS.finditer(text))):
        key = len(run[0]), bisect_right(blank_lines, run.start())
        if key in after:
            yield run.start(), after[key]
        after[key] = run.end()


def without_indented_code(text: str, parser: Markdown) -> str:
    """The text of MDX, which has no indented code, with marks of lists in place of the indentation.

    Every byte keeps its place. A part of the code can be indented again, so the parser reads the text several times.
    """
    data = bytearray(text.encode())
    for _ in range(_INDENTED_PASSES if "    " in text or "\t" in text else 0):
        spans = [
            (span["start"], span["end"])
            for event, span in parser.events_with_range(data.decode())
            if event == {"Start": {"CodeBlock": "Indented"}}
        ]
        done = 0
        for start, end in spans:
            if start >= done:  # not in a fence that moved
                done = _move_out(data, start, end)
        if not spans:
            break
    return data.decode()


def _move_out(data: bytearray, start: int, end: int) -> int:
    """Make a list of indented code; return the end of the changed text.

    Tabs become spaces first. A fence moves to the margin with its end, since its text can be less indented.
    """
    before = data[max(start - _WIDEST, 0) : start]
    begin = start - len(before) + len(before.rstrip(b" \t"))
    if begin and data[begin - 1] not in b"\r\n>":
        begin += 1  # the space after the mark of a list
    margin = _SPACES.match(data, begin, end)
    size = 0 if margin is None else len(margin[0])
    fence = _FENCE.match(data, begin + size)
    if b"\t" in data[begin : begin + size]:
        for line in _MARGINS.finditer(data, begin, end):
            data[slice(*line.span())] = line[0].replace(b"\t", b" ")
        data[begin : begin + size] = b" " * size
    elif fence is not None:
        mark = f"{chr(fence[1][0])}{{{len(fence[1])},}}"
        closing = re.compile(rf"(?m)^(?:[ \t]*+>)*+([ \t]*+{mark}+)(?=[ \t]*+\r?$)".encode())
        last_line = closing.search(data, fence.end())
        _move_left(data, begin, fence.end())
        if last_line is None:
            return len(data)
        _move_left(data, *last_line.span(1))
        return last_line.end()
    elif _LEAST_ITEM <= size < _WIDEST:
        last = size % 4 if size % 4 >= _LEAST_ITEM else size % 4 + 4
        data[begin : begin + size] = b"-   " * ((size - last) // 4) + b"-".ljust(last)
    return end


def _move_left(data: bytearray, start: int, end: int) -> None:
    """Exchange a piece of text and the white space before it, in data[start:end]."""
    data[start:end] = data[start:end].lstrip(b" \t").ljust(end - start)
