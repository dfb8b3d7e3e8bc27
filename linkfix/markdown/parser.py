"""The Markdown parser, markdown-it-py for CommonMark with GFM's tables, extended to report positions.

The parser's own rules for links, images, autolinks, raw HTML, definitions and tables run unchanged. A wrapper then
reads their matches again to find the positions, so each position comes from the parser's own decision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from linkfix.lazy import lazy_pattern

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline


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
