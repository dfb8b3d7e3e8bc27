"""The positions of a Markdown page's references and raw HTML, and its headings.

pyromark (pulldown-cmark) decides: CommonMark with GFM's tables. Its events have ranges in UTF-8, but none for the
destination of a link. This module finds the destination in the link's range; it counts only if it reads as the
parser has read it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from linkfix.html.syntaxes.markdown import unescape
from linkfix.lazy import lazy_pattern
from linkfix.markdown.attributes import attributes_at_end, ids_in, stated_ids
from linkfix.markdown.heading_ids import Heading, names_of_block, names_of_heading
from linkfix.markdown.mdx import without_indented_code, without_jsx
from linkfix.model import ANY_DIALECT, MarkdownDialect

if TYPE_CHECKING:
    from pyromark import Markdown

Kind = Literal["link", "image", "definition", "autolink", "html", "wikilink", "embed"]

#: Tags that turn everything after them into text. In a paragraph they are mostly prose (GFM §6.11, "Disallowed Raw
#: HTML").
_TEXT_ELEMENT = lazy_pattern(r"(?i)</?(?:noembed|noframes|plaintext|script|style|textarea|title|xmp)\b")

#: White space before a destination. The marks of quotations follow a line break.
_GAP = lazy_pattern(rb"[ \t\x0b\x0c]*+(?:(?:\r\n?|\n)[ \t\x0b\x0c>]*+)?")

#: CommonMark §6.3 "link destination" in angle brackets; the pieces of one without them.
_BRACKETED = lazy_pattern(rb"<((?:[^<>\\\r\n]|\\.|\\(?=[\r\n]))*+)>")

_PIECE = lazy_pattern(rb"\\[!-/:-@\[-`{-~]|[()]|[^()\\\x00-\x20\x7f]++|\\")

#: The label of a definition, with the colon; its title (CommonMark §4.7). A blank line ends neither, since the parser
#: has found a definition.
_LABEL = lazy_pattern(rb"\[(?:[^\[\]\\]|\\.|\\(?=[\r\n]))*+\]:", re.DOTALL)

_TITLE = lazy_pattern(
    rb"""[ \t\r\n>]*+(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))(?=[ \t]*+(?:[\r\n]|\Z))""",
    re.DOTALL,
)

#: The events of blocks that contain other blocks.
_CONTAINERS = frozenset({"BlockQuote", "List", "Item", "Table"})

#: The events of parts whose own events are all read; the other parts that count; and the leaves that count.
_INLINE = frozenset({"Heading", "Link", "Image"})

_READ = _INLINE | {"CodeBlock", "HtmlBlock", "Table"}

_LEAVES = frozenset({"Code", "Html", "InlineHtml"})

#: The events of the text of a heading.
_TEXTS = frozenset({"Text", "Code", "InlineMath", "DisplayMath"})

#: The ID of a block, at the end of its last line or on a line of its own: Obsidian, Foam, Quartz.
_BLOCK_ID = lazy_pattern(rb"(?m)(?:^|(?<=[ \t]))\^([A-Za-z0-9-]++)[ \t]*+\r?$")

#: A mark of a footnote. At the beginning of a line and with a colon, it begins the footnote; else it refers to it.
_FOOTNOTE = lazy_pattern(rb"\[\^([^\[\]\r\n]++)\](:?)")

#: The marks before and after a comment or display math of Obsidian.
_ENCLOSING = lazy_pattern(rb"%%|(?<!\\)\$\$")

#: Math of GitHub and GitLab. A price is none: a word character follows its "$", or a space is before the next one.
_MATH = lazy_pattern(
    rb"(?<![\w$\\])(?:\$\$(?:[^$\\\r\n]|\\.|\r?\n(?![ \t>]*+\r?\n))++\$\$"
    rb"|\$(?![\s$])(?:[^$`\\\r\n]|\\.)++(?<!\s)\$)(?![\w$])"
)

#: Punctuation after a URL in text; a character reference there, and the longest one in bytes.
_AFTER_URL = frozenset(bytes([byte]) for byte in b"?!.,:*_~'\"")
_REFERENCE_AT_END = lazy_pattern(rb"&[A-Za-z0-9]++;\Z")
_LONGEST_REFERENCE = 40

#: The first lines of admonitions, details and tabs: their indented content is text in MkDocs, and code for CommonMark.
_INDENTING = lazy_pattern(r"(?m)^([ \t]*+)((?:!!!|\?\?\?\+?|===[!+]{0,2})[ \t]++(?=\S)[^\r\n\"!\[<]*+)([^\r\n]*+)")

#: The beginnings of references. A title without any stays out: an odd backtick in it would change the text after it.
_REFERENCE = lazy_pattern(r"[\[<]")

#: Content that a program generates: snippets, templates, and the directives of mkdocstrings and mkdocs-click.
_GENERATING = (b"--8<--", b"{%", b"{{", b":::")

_GENERATED = lazy_pattern(rb"--8<--|\{%|\{\{|(?m:^[ \t>]*+(?:#{1,6} *+)?:::[ \t]*+(?![: \t])([^\s]++)[^\r\n]*+)")

#: The beginning of a tag of HTML up to the middle of a value: a template there adds no ID. So many bytes are read.
_IN_VALUE = lazy_pattern(rb"<[A-Za-z][^<>]*=[ \t]*(?:\"[^\"<>]*|'[^'<>]*)\Z")
_LONGEST_TAG = 300

#: The line that ends a container of other programs (`::: note`). MkDocs' directives have none.
_END_OF_CONTAINER = lazy_pattern(rb"(?m)^[ \t>]*+:{3,}[ \t]*+\r?$")

_OBJECT_PATH = lazy_pattern(rb"\w++(?:\.\w++)++")

_ATX = lazy_pattern(rb"#{1,6}(?:[ \t\r\n]|\Z)")

#: Headings that only Python-Markdown knows: without a space before their text, or with more than six marks.
_TIGHT_HEADING = lazy_pattern(rb"#(?:#{0,5}+(?=[^#\s])|#{6,}+)([^\r\n]*+)")

#: The text before a heading on its line.
_MARGIN = lazy_pattern(rb"(?: {4}|\t|> ?)*+")

#: A line and its underline after a line that begins with "#", which ends a block for Python-Markdown.
_AFTER_HEADING = lazy_pattern(rb"\r?\n(?![ \t>#])([^\r\n]++)\r?\n(?:=+|-+) *(?=[\r\n]|\Z)")

#: A line after which Python-Markdown begins a block: blank, a heading, a horizontal rule, a definition.
_BEFORE_BLOCK = lazy_pattern(
    rb"[ \t>]*+|(?: {4}|\t|> ?)*+#.*|[ >]*+(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})|[ >]*+\[[^\[\]]++\]:.*",
    re.DOTALL,
)

_BLANK_LINE = lazy_pattern(rb"(?m)^[ \t>]*\r?$")

#: The number of open fences in one another whose content is read again.
_FENCES = 3

#: The number of columns of the smallest table of Python-Markdown.
_LEAST_COLUMNS = 2

#: Tags, comments and headings in raw HTML. A comment or quoted value without an end reaches to the end of the text, so
#: that the time is linear.
_RAW_PIECE = lazy_pattern(
    rb"(?m)<!--(?:(?s:.*?)-->|(?s:.*+))"
    rb"|<(/?)([A-Za-z][\w-]*+)((?:[^<>\"']|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+)(?:>|(?=<)|\Z)"
    rb"|^(?:> ?)*+#{1,6}([^\r\n]*+)"
)

_MARKDOWN_ATTRIBUTE = lazy_pattern(r"(?i)\smarkdown(?![\w-])")

#: The elements whose content Python-Markdown leaves as it is: `block_level_elements`.
_RAW_ELEMENTS = frozenset(
    """
    address article aside blockquote body canvas center colgroup dd details div dl dt fieldset figcaption figure footer
    form group h1 h2 h3 h4 h5 h6 header hgroup html iframe legend li main map math menu nav noscript object ol option
    output p pre progress script section style summary table tbody td textarea tfoot th thead tr ul video
    """.split()
)

#: The largest indentation of a block of raw HTML, in spaces; the most elements in one another that are followed; and
#: the most bytes of a line that are read for what is before a block.
_INDENTATION = 3
_DEEPEST = 1000
_LONGEST_START = 256

#: The most elements in one another in which Markdown is read.
_DEEPEST_MARKDOWN = 100

#: The elements whose content Python-Markdown never reads as Markdown: `raw_tags` of its extension md_in_html.
_NEVER_MARKDOWN = frozenset("canvas math option pre script style textarea".split())

#: A tag that is alone on its lines: its indentation, "/", name and attributes; comments are passed over.
_TAG_ON_LINE = lazy_pattern(
    r"(?m)<!--(?s:.*?)(?:-->|\Z)|(^[ \t]*+)?<(/?)([A-Za-z][\w-]*+)((?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>([ \t]*\r?$)?"
)

_TURNED_OFF = lazy_pattern(r"(?i)\smarkdown\s*=\s*[\"']?+(?!(?:1|block|span|markdown)\b)")

#: The marks in links of Python-Markdown: escapes, brackets, blank lines; parentheses, quotes and line ends.
_BRACKET = lazy_pattern(rb"\\[\\`*_{}\[\]()>#+.!-]|[\[\]]|\n[ \t>]*+\r?\n")

_LINK_PIECE = lazy_pattern(rb"\\[\\`*_{}\[\]()>#+.!-]|[()\"'\r\n]")

#: The longest link of Python-Markdown with spaces in its destination, in bytes.
_LONGEST_LINK = 2000


class MarkdownPlace(NamedTuple):
    """The place of a reference or of raw HTML in the text, in bytes of UTF-8."""

    kind: Kind
    start: int
    """The start of the destination, of the piece of raw HTML, or of the text in a wikilink's brackets."""
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
    footnotes: dict[str, int]
    """The label of each footnote -> the number of references to it, in the order of the first references."""
    is_generated: bool
    """Whether a program adds content when it builds the page."""
    unplaced: list[int]
    """The starts of references whose place is not known."""
    names: list[str]
    """The names of headings and blocks for wikilinks, as `linkfix.markdown.heading_ids.Wiki.fragment` makes them."""


class TooDeep(ValueError):
    """The parser would take quadratic time."""


#: The beginnings and ends of wikilinks, and the ends of paragraphs; and the most beginnings without their ends.
_WIKI_MARK = lazy_pattern(r"\[\[|\]\]|\n[ \t]*+\r?\n")

_DEEPEST_WIKILINK = 1000

_NOT_BLANK = lazy_pattern(r"[^\r\n]++")


@cache
def _parser(*, wikilinks: bool = False, has_math: bool = False) -> Markdown:
    from pyromark import Markdown, Options  # only Markdown needs it

    options = Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH
    options = options | Options.ENABLE_MATH if has_math else options
    return Markdown(options=options | Options.ENABLE_WIKILINKS if wikilinks else options)


def read_markdown(
    text: str,
    dialect: MarkdownDialect = ANY_DIALECT,
    *,
    is_mdx: bool = False,
    wikilinks: bool = False,
    has_comments: bool = False,
) -> MarkdownPage:
    """Read a text. Raises ImportError, TooDeep, and the parser's own exception for what it fails at.

    `is_mdx`: whether the text is MDX, whose JSX is left out. `wikilinks`: whether `[[Page]]` is a link.
    `has_comments`: as in `linkfix.markdown.heading_ids.Wiki`.
    """
    if wikilinks:
        _check_depth(text)
    tags: list[tuple[int, int]] = []
    expressions: list[int] = []
    if is_mdx:
        text, tags, expressions = without_jsx(text)
    if dialect.in_html and "markdown" in text:
        text, tags = _without_markdown_tags(text)
    if any(mark in text for mark in dialect.blocks):
        text = _INDENTING.sub(partial(_as_list_item, dialect.blocks), text)
    parser = _parser(wikilinks=wikilinks, has_math=has_comments)
    if is_mdx:
        text = without_indented_code(text, parser)
    reader = _EventReader(text, tags, expressions)
    events = parser.events_with_range(text)
    if "]:" in text:
        reader.read(reader.with_gaps(events))
        reader.read_definitions(parser.reference_definitions(text))
    else:
        reader.read(events)
    if has_comments:
        reader.leave_comments_out()
    reader.follow(dialect)
    page = reader.page()
    return page._replace(names=reader.names()) if wikilinks else page


def _check_depth(text: str) -> None:
    """Raise TooDeep if very many wikilinks begin in one another: pyromark takes quadratic time for them."""
    depth = 0
    for mark in _WIKI_MARK.finditer(text):
        depth = depth + 1 if mark[0] == "[[" else max(depth - 1, 0) if mark[0] == "]]" else 0
        if depth > _DEEPEST_WIKILINK:
            message = f"more than {_DEEPEST_WIKILINK:,} wikilinks begin in one another"
            raise TooDeep(message)


def _as_list_item(marks: tuple[str, ...], match: re.Match[str]) -> str:
    """A line of the same length that begins a list item, so that the indented content belongs to the item.

    Python-Markdown reads the title as Markdown: it stays if it has references. Blocks with other marks stay.
    """
    indentation, mark, title = match.groups()
    if not mark.startswith(marks):
        return match[0]
    title = title if _REFERENCE.search(title) else "x" * len(title.encode())
    return indentation + "-   " + "x" * (len(mark.encode()) - 4) + title


def _without_markdown_tags(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Leave out the tags around Markdown in HTML, each alone on its lines: for CommonMark, what follows is no Markdown.

    Return the text with as many bytes, and the spans of the start tags in bytes.
    """
    #: The elements around a tag, each with whether its content is Markdown.
    around: list[tuple[str, bool]] = []
    pieces: list[str] = []
    tags: list[tuple[int, int]] = []
    done = size = 0
    for match in _TAG_ON_LINE.finditer(text):
        indentation, closing, name, attributes, rest = match.groups()
        name = (name or "").lower()
        if name not in _RAW_ELEMENTS or name == "hr" or attributes.endswith("/"):
            continue
        if closing:
            is_markdown = _close(around, name)
        else:
            is_markdown = all(is_read for _, is_read in around[-1:]) and _is_markdown(name, attributes)
            if len(around) < _DEEPEST_MARKDOWN:
                around.append((name, is_markdown))
        if not is_markdown or indentation is None or rest is None:
            continue
        before = text[done : match.start()]
        blank = _NOT_BLANK.sub(lambda word: " " * len(word[0].encode()), match[0])
        pieces += before, blank
        size += len(before.encode())
        if not closing:
            tags.append((size + len(indentation), size + len(blank) - len(rest)))
        size += len(blank)
        done = match.end()
    return "".join((*pieces, text[done:])), tags


def _close(around: list[tuple[str, bool]], name: str) -> bool:
    """Close the innermost element with a name, and the elements in it. Return whether its content is Markdown."""
    number = next((at for at in reversed(range(len(around))) if around[at][0] == name), -1)
    is_markdown = number >= 0 and around[number][1]
    del around[number if number >= 0 else len(around) :]
    return is_markdown


def _is_markdown(name: str, attributes: str) -> bool:
    """Whether the content of an element is Markdown, by its attribute `markdown`."""
    is_named = _MARKDOWN_ATTRIBUTE.search(attributes) is not None and name not in _NEVER_MARKDOWN
    return is_named and _TURNED_OFF.search(attributes) is None


class _EventReader:
    """A reader of one page's events."""

    def __init__(
        self, text: str, tags: Iterable[tuple[int, int]] = (), expressions: Iterable[int] = (), depth: int = 0
    ) -> None:
        self._data = text.encode()
        #: The starts of the expressions of MDX that are left out.
        self._expressions = expressions
        #: The number of open fences around the text.
        self._depth = depth
        self._places = [MarkdownPlace("html", start, end, start) for start, end in tags]
        self._unplaced: list[int] = []
        #: Each heading with its span.
        self._headings: list[tuple[int, int, Heading]] = []
        #: The spans of code blocks, code spans and blocks of raw HTML, each in order.
        self._code: list[tuple[int, int]] = []
        self._literals: list[tuple[int, int]] = []
        self._html: list[tuple[int, int]] = []
        #: The spans that are tables for Python-Markdown: up to the next blank line.
        self._tables: list[tuple[int, int]] = []
        #: The parts between blocks, which contain the definitions.
        self._gaps: list[tuple[int, int]] = []
        #: The links and images around the current text, with their data; and the end of the text so far.
        self._open: list[tuple[str, Any]] = []
        self._last = 0
        self._images = 0
        #: The events of the current heading.
        self._inline: list[tuple[str, Any]] | None = None
        #: The elements around the current place whose content Python-Markdown leaves as it is.
        self._raw: list[str] = []
        #: The spans of the outermost of these elements; and the start of the current one, or -1.
        self._raw_spans: list[tuple[int, int]] = []
        self._raw_start = -1

    def page(self) -> MarkdownPage:
        """The page as read so far."""
        self._places.sort(key=lambda place: place.start)
        ids = self._ids()
        headings = [heading for *_, heading in self.page_headings()]
        return MarkdownPage(self._places, headings, ids, self._footnotes(), self._is_generated(), self._unplaced, [])

    def names(self) -> list[str]:
        """The names of headings and blocks for wikilinks."""
        names: list[str] = []
        for start, end, heading in self._headings:
            if heading.dialect != "mkdocs":
                names += names_of_heading(heading, self._data[start:end].decode())
        for match in _BLOCK_ID.finditer(self._data):
            if not _is_in(self._code, match.start(1)):
                names += names_of_block(match[1].decode())
        return names

    def leave_comments_out(self) -> None:
        """Leave out the references in comments and in display math, which can contain blank lines."""
        spans: list[tuple[int, int]] = []
        start, opening = 0, b""
        for match in _ENCLOSING.finditer(self._data):
            if opening in (b"", match[0]) and not any(
                _is_in(code, match.start()) for code in (self._code, self._literals)
            ):
                if opening:
                    spans.append((start, match.end()))
                start, opening = match.start(), b"" if opening else match[0]
        self._leave_out(spans)

    def follow(self, dialect: MarkdownDialect) -> None:
        """Leave out and add what a dialect reads in another way than CommonMark."""
        if dialect.has_math and b"$" in self._data:
            self._leave_math_out()
        if dialect.has_spaces and b"](" in self._data:
            self._add_spaced_links()
        if dialect.bare_urls:
            self._add_bare_urls(dialect.bare_urls)
        if dialect.comment and dialect.comment.encode() in self._data:
            lines = re.finditer(rb"(?m)^[ \t>]*+" + re.escape(dialect.comment.encode()) + rb"[^\r\n]*+", self._data)
            self._leave_out([line.span() for line in lines])

    def _leave_math_out(self) -> None:
        """Leave out the references in math of GitHub and GitLab."""
        code = self._code, self._literals, self._html
        matches = (match.span() for match in _MATH.finditer(self._data))
        self._leave_out([span for span in matches if not any(_is_in(spans, span[0]) for spans in code)])

    def _add_bare_urls(self, place: str) -> None:
        """Add the URLs of a host that are links without any mark. `place`: the host and the beginning of the path."""
        links = sorted((one.outer, one.end) for one in self._places)
        pattern = rb"(?i)(?<![^\s*_~(])https?://" + re.escape(place.encode()) + rb"(?![\w.-])[^\s<]*+"
        for match in re.finditer(pattern, self._data):
            start, end = match.span()
            if not any(_is_in(spans, start) for spans in (self._code, self._literals, self._html, links)):
                self._places.append(MarkdownPlace("autolink", start, _end_of_bare(self._data, start, end), start))

    def _leave_out(self, spans: list[tuple[int, int]]) -> None:
        """Leave out the references in spans, which are in order."""
        self._places = [place for place in self._places if not _is_in(spans, place.start)]
        self._unplaced = [place for place in self._unplaced if not _is_in(spans, place)]

    def with_gaps(self, events: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Yield the events, and remember the parts between blocks."""
        covered = 0
        for event, span in events:
            # An event that begins in a block also ends in it: only its start counts.
            if span["start"] >= covered and "End" not in event and not _is_container(event):
                if span["start"] > covered:
                    self._gaps.append((covered, span["start"]))
                covered = span["end"]
            yield event, span
        if len(self._data) > covered:
            self._gaps.append((covered, len(self._data)))

    def read(self, events: Iterator[tuple[Any, Any]]) -> None:
        """Read all events.

        Most are text or the ends of blocks: they are passed over in the fewest steps.
        """
        for event, span in events:
            if event.__class__ is str:
                continue
            name, value = event.popitem()
            if name == "Start":
                tag, about = _named(value)
                if tag in _READ:
                    self._start(tag, about, span["start"], span["end"])
                    if tag in _INLINE:
                        self._read_inline(events)
            elif name in _LEAVES:
                self._leaf(name, value, span["start"], span["end"])

    def _read_inline(self, events: Iterator[tuple[Any, Any]]) -> None:
        """Read the events up to the end of the current heading, link or image."""
        for event, span in events:
            name, value = _named(event)
            if self._inline is not None:
                self._inline.append((name, value))
            if name == "Text":
                self._last = span["end"]
            elif name == "Start":
                tag, about = _named(value)
                self._start(tag, about, span["start"], span["end"])
            elif name == "End":
                self._end(value, span["start"], span["end"])
                if not self._open and self._inline is None:
                    return
            else:
                self._last = span["end"]
                self._leaf(name, value, span["start"], span["end"])

    def _start(self, tag: str, about: Any, start: int, end: int) -> None:
        self._last = start + 1
        if tag in {"Link", "Image"}:
            self._open.append((tag, about))
            if tag == "Image":
                self._images += 1
                self._last = start + 2
        elif tag == "Heading":
            self._inline = []
        elif tag == "CodeBlock":
            self._code.append((start, end))
            if isinstance(about, dict) and "Fenced" in about and not self._raw:
                self._read_open_fence(start, end)
        elif tag == "HtmlBlock":
            self._html.append((start, end))
            self._follow_raw(self._data[start:end], start)
        elif tag == "Table":
            self._add_table(start, end, len(about))

    def _add_table(self, start: int, end: int, columns: int) -> None:
        """Keep the span of a table if it is one for Python-Markdown, too."""
        if columns >= _LEAST_COLUMNS and not _is_in(self._tables, start) and self._begins_block(start):
            blank = _BLANK_LINE.search(self._data, end)
            self._tables.append((start, blank.start() if blank else len(self._data)))

    def _end(self, value: Any, start: int, end: int) -> None:
        if value in ("Link", "Image"):
            tag, about = self._open.pop()
            self._images -= tag == "Image"
            if not self._images:
                self._add_link(tag, about, start, end)
        elif self._inline is not None and value.__class__ is dict and "Heading" in value:
            self._headings.append(
                (start, end, _heading(self._inline, "" if self._is_of_all(start, end) else "commonmark"))
            )
            self._inline = None
        self._last = end

    def _leaf(self, name: str, value: Any, start: int, end: int) -> None:
        if name == "Code":
            self._literals.append((start, end))
        elif name == "Html":
            self._add_html(value, start, end)
        elif name == "InlineHtml" and not self._images:
            self._follow_raw(value.encode(), start)
            if not _TEXT_ELEMENT.match(value):
                self._add_html(value, start, end)

    # References

    def _add_link(self, tag: str, about: Any, start: int, end: int) -> None:
        form = about["link_type"]
        if form == "Autolink":
            self._places.append(MarkdownPlace("autolink", start + 1, end - 1, start))
        elif form == "Inline":
            opening = self._data.find(b"](", self._last, end)
            span = self._destination(opening + 2, end - 1, about["dest_url"])
            if opening < 0 or span is None:
                self._unplaced.append(start)
            else:
                self._places.append(MarkdownPlace("image" if tag == "Image" else "link", *span, start))
        elif form.__class__ is dict and "WikiLink" in form:
            kind: Kind = "embed" if tag == "Image" else "wikilink"
            self._places.append(MarkdownPlace(kind, start + (3 if tag == "Image" else 2), end - 2, start))

    def _destination(self, start: int, end: int, read: str | None) -> tuple[int, int] | None:
        """The span of the destination after `start`, before `end`.

        None if it does not read as the parser has read it. `read`: the destination as the parser has read it; None if
        that is not known.
        """
        data = self._data
        gap = _GAP.match(data, start, end)
        at = gap.end() if gap is not None else start
        if read is not None and read.startswith(">"):  # the mark of a quotation, or the destination
            at = start + len(data[start:at].rstrip(b">"))
        bracketed = _BRACKETED.match(data, at, end) if data.startswith(b"<", at, end) else None
        span = (at, self._end_of_plain(at, end)) if bracketed is None else bracketed.span(1)
        return span if read is None or _same(data[slice(*span)].decode(), read) else None

    def _end_of_plain(self, at: int, end: int) -> int:
        """The end of a destination without angle brackets, whose parentheses are balanced."""
        depth = 0
        while (piece := _PIECE.match(self._data, at, end)) is not None:
            depth += (piece[0] == b"(") - (piece[0] == b")")
            if depth < 0:
                break
            at = piece.end()
        return at

    def _add_spaced_links(self) -> None:
        """Add the links and images of Python-Markdown whose destinations have spaces: for CommonMark, they are text."""
        if self._raw_start >= 0:
            self._end_raw(len(self._data))
        data, links = self._data, []
        tags = sorted((place.start, place.end) for place in self._places)
        others = self._code, self._literals, self._html, self._raw_spans
        openings: list[int] = []
        for match in _BRACKET.finditer(data):
            start, end = match.span()
            if match[0].startswith(b"\n"):
                openings.clear()
            elif match[0] == b"[":
                openings.append(start)
            elif match[0] == b"]" and openings:
                opening = openings.pop()
                span = self._spaced_destination(end + 1) if data.startswith(b"(", end) else None
                if span is None or _is_in(tags, start) or any(_is_in(spans, start) for spans in others):
                    continue
                is_image = data.startswith(b"!", opening - 1) and opening > 0
                links.append(MarkdownPlace("image" if is_image else "link", *span, opening - is_image))
        known = {place.start for place in self._places}
        self._places += (place for place in links if place.start not in known)

    def _spaced_destination(self, start: int) -> tuple[int, int] | None:
        """The span of a destination with spaces between `start` and the end of the line; None if there is none.

        By `LinkInlineProcessor.getLink` of Python-Markdown: a title begins with the first quote, if the same quote is
        before the closing parenthesis; or else with the first one of the other kind.
        """
        data, depth, end = self._data, 1, -1
        #: The place of the first quote of each kind, and the depth at the first of all.
        quotes: dict[bytes, int] = {}
        for piece in _LINK_PIECE.finditer(data, start, start + _LONGEST_LINK):
            at, mark = piece.start(), piece[0]
            if mark in {b"\r", b"\n"}:
                break
            if mark in {b'"', b"'"}:
                quotes.setdefault(mark, at)
            elif mark == b"(":
                depth += not quotes
            elif mark == b")":
                last = data[start:at].rstrip(b" ")
                quote = quotes.get(last[-1:])
                if quote is not None and quote < start + len(last) - 1:
                    end = quote
                    break
                depth -= 1
                if not depth and end < 0:
                    end = at
                if not depth and not quotes:
                    break
        text = data[start : max(end, start)]
        bare = text.strip()
        is_template = b"{{" in bare or b"{%" in bare
        if is_template or bare.startswith(b"<") or not (b" " in bare or b"\t" in bare):
            return None
        start += len(text) - len(text.lstrip())
        return start, start + len(bare)

    def read_definitions(self, known: dict[str, Any]) -> None:
        """Find the definitions between blocks. The parser knows the first definition of each label."""
        firsts = {one["span"]["start"]: one for one in known.values()}
        for begin, end in self._gaps:
            at = begin
            while (label := _LABEL.search(self._data, at, end)) is not None:
                start, first = label.start(), firsts.pop(label.start(), None)
                span = self._destination(label.end(), end, None if first is None else first["dest"])
                if span is None:
                    self._unplaced.append(start)
                elif label[0].startswith(b"[^"):
                    self._read_footnote(label.end(), span[1] if first is None else first["span"]["end"])
                elif self._data[slice(*span)] not in {b"", b"#"}:
                    # Comments are no references: `[//]: # (a comment)`.
                    self._places.append(MarkdownPlace("definition", *span, start))
                if first is not None:
                    at = first["span"]["end"]
                else:
                    at = label.end() if span is None else span[1]
                    title = _TITLE.match(self._data, at, end)
                    at = at if title is None else title.end()
        self._unplaced += firsts

    def _read_footnote(self, start: int, end: int) -> None:
        """Read the text of a footnote without spaces, which CommonMark takes for the destination of a definition."""
        text = self._data[start:end].lstrip(b" \t\r\n>").decode()
        start = end - len(text.encode())
        reader = _EventReader(text)
        reader.read(_parser().events_with_range(text))
        self._places += (
            place._replace(start=start + place.start, end=start + place.end, outer=start + place.outer)
            for place in reader.page().places
        )

    # Raw HTML

    def _add_html(self, text: str, start: int, end: int) -> None:
        """Keep a piece of raw HTML: a place for each line if marks of a list or quotation are between the lines."""
        source, read = self._data[start:end], text.encode()
        if source == read:
            self._add_piece(start, source)
            return
        for line, written in zip(read.splitlines(), source.splitlines(keepends=True), strict=False):
            whole, bare = written.rstrip(), line.strip()
            if whole.endswith(bare):
                self._add_piece(start + len(whole) - len(bare), bare)
            start += len(written)

    def _add_piece(self, start: int, piece: bytes) -> None:
        if bare := piece.strip():
            start += piece.index(bare)
            self._places.append(MarkdownPlace("html", start, start + len(bare), start))

    def _follow_raw(self, data: bytes, start: int) -> None:
        """Follow the elements whose content Python-Markdown leaves as it is, as its `HTMLExtractor` does."""
        for piece in _RAW_PIECE.finditer(data):
            closing, name, attributes, heading = (None if one is None else one.decode() for one in piece.groups())
            if heading is not None and not self._raw:
                self._add_mkdocs_heading(start + piece.start(), heading)
                self._add_underlined(start + piece.end())
            if name is None or attributes is None or name.lower() == "hr" or attributes.endswith("/"):
                continue
            name = name.lower()
            if closing:
                self._close_raw(name, start + piece.end())
            elif self._raw:
                if len(self._raw) < _DEEPEST:
                    self._raw.append(name)
            elif name in _RAW_ELEMENTS and not _MARKDOWN_ATTRIBUTE.search(attributes):
                before = self._line_before(start + piece.start())
                if len(before) <= _INDENTATION and not before.strip():
                    self._raw.append(name)
                    self._raw_start = start + piece.start()

    def _close_raw(self, name: str, end: int) -> None:
        """Close the innermost element with a name, and the elements in it. `end`: the end of its tag."""
        if name not in self._raw:
            return
        while self._raw.pop() != name:
            pass
        if not self._raw:
            self._end_raw(end)

    def _end_raw(self, end: int) -> None:
        """Keep the span of an element whose content Python-Markdown leaves as it is."""
        self._raw_spans.append((self._raw_start, end))
        self._raw_start = -1

    def _line_before(self, start: int) -> bytes:
        """The end of the text before a position, on its line."""
        before = self._data[max(start - _LONGEST_START, 0) : start]
        return before[max(before.rfind(b"\n"), before.rfind(b"\r")) + 1 :]

    # Headings, IDs, generated content

    def _is_of_all(self, start: int, end: int) -> bool:
        """Whether Python-Markdown, too, sees a heading: no raw HTML around it, not indented, of one line."""
        if self._raw:
            return False
        if _is_in(self._tables, start):
            return False
        source = self._data[start:end]
        if _ATX.match(source):
            before = self._line_before(start)
            return bool(before.strip()) or len(before.expandtabs(4)) % 4 == 0
        return len(source.strip().splitlines()) == len(("text", "underline")) and self._begins_block(start)

    def _begins_block(self, start: int) -> bool:
        """Whether a block of Python-Markdown begins at a position: the line before belongs to no other block."""
        line_start = start - len(self._line_before(start))
        before = self._line_before(line_start - 1).rstrip(b"\r") if line_start else b""
        if _BEFORE_BLOCK.fullmatch(before) or any(_is_in(some, line_start - 2) for some in (self._code, self._html)):
            return True
        return any(not one.dialect and line_start - 1 <= end <= line_start for _, end, one in self._headings[-1:])

    def _read_open_fence(self, start: int, end: int) -> None:
        """Read the content of a fence again that does not end: for Python-Markdown it is text."""
        lines = self._data[start:end].split(b"\n")
        last = self._data[start:end].rstrip().rpartition(b"\n")[2]
        if self._depth >= _FENCES or len(lines) == 1 or last.lstrip(b" >\t").startswith(lines[0][:3]):
            return
        text = b"\n".join((b"x" * len(lines[0]), *lines[1:])).decode()
        reader = _EventReader(text, depth=self._depth + 1)
        reader.read(_parser().events_with_range(text))
        self._headings += [
            (start + at, start + at, one._replace(dialect="mkdocs"))
            for at, _, one in reader.page_headings()
            if one.dialect != "commonmark"
        ]

    def _add_mkdocs_heading(self, start: int, text: str) -> None:
        """Add a heading that only Python-Markdown knows. `text`: its text after the marks."""
        reader = _EventReader(f"# {text.lstrip('#')}")
        reader.read(_parser().events_with_range(f"# {text.lstrip('#')}"))
        for *_, one in reader._headings:
            self._headings.append((start, start, one._replace(dialect="mkdocs")))

    def _add_underlined(self, end: int) -> None:
        """Add a heading with an underline after a line that only Python-Markdown reads as a heading."""
        match = _AFTER_HEADING.match(self._data, end)
        if match is not None:
            self._add_mkdocs_heading(match.start(1), match[1].decode())

    def page_headings(self) -> list[tuple[int, int, Heading]]:
        """The headings as read so far, with those that only Python-Markdown knows, in order."""
        if self._raw_start >= 0:
            self._end_raw(len(self._data))
        others = self._code, self._html, self._tables, self._raw_spans
        for match in _TIGHT_HEADING.finditer(self._data):
            start = self._data.rfind(b"\n", 0, match.start()) + 1  # once for each line: the match reaches to its end
            if not _MARGIN.fullmatch(self._data, start, match.start()):
                continue
            if not any(_is_in(spans, match.start(1)) for spans in others):
                self._add_mkdocs_heading(start, match[1].decode())
                self._add_underlined(match.end())
        self._headings.sort(key=itemgetter(0))
        return self._headings

    def _ids(self) -> list[str]:
        """The IDs that authors state, except in headings, code and blocks of raw HTML."""
        others = ([(start, end) for start, end, _ in self._headings], self._code, self._html)
        return [one for at, one in stated_ids(self._data) if not any(_is_in(spans, at) for spans in others)]

    def _footnotes(self) -> dict[str, int]:
        """The labels of footnotes, with the number of references to each."""
        counts: dict[str, int] = {}
        defined = set()
        for match in _FOOTNOTE.finditer(self._data) if b"[^" in self._data else ():
            if any(_is_in(spans, match.start()) for spans in (self._code, self._literals, self._html)):
                continue
            label = match[1].decode()
            if match[2] and not self._line_before(match.start()).strip(b" \t>"):
                defined.add(label)
                counts.setdefault(label, 0)
            else:
                counts[label] = counts.pop(label, 0) + 1 if not counts.get(label) else counts[label] + 1
        return {label: count for label, count in counts.items() if label in defined}

    def _is_generated(self) -> bool:
        """Whether text that is no code has a template, a snippet, or a directive without an end.

        An expression of MDX in a heading also counts: its value is part of the heading's ID.
        """
        spans = [(start, end) for start, end, one in self._headings if not one.explicit_id]
        if any(_is_in(spans, start) for start in self._expressions):
            return True
        end = -1
        for match in _GENERATED.finditer(self._data) if any(mark in self._data for mark in _GENERATING) else ():
            if _is_in(self._code, match.end() - 1) or _is_in(self._literals, match.start()):
                continue
            if _IN_VALUE.search(self._data, max(0, match.start() - _LONGEST_TAG), match.start()):
                continue
            if match[1] is None or _OBJECT_PATH.fullmatch(match[1]):
                return True
            if end < match.end():
                closing = _END_OF_CONTAINER.search(self._data, match.end())
                if closing is None:
                    return True
                end = closing.start()
        return False


def _is_container(event: Any) -> bool:
    """Whether an event is the start of a block that contains other blocks."""
    return "Start" in event and _named(event["Start"])[0] in _CONTAINERS


def _named(event: Any) -> tuple[str, Any]:
    """The name of an event or a tag, and its data."""
    if event.__class__ is str:
        return event, None
    [(name, data)] = event.items()
    return name, data


def _is_in(spans: list[tuple[int, int]], at: int) -> bool:
    """Whether a position is in one of the spans, which are in order."""
    number = bisect_right(spans, at, key=itemgetter(0)) - 1
    return number >= 0 and at < spans[number][1]


def _same(written: str, read: str) -> bool:
    """Whether the destination `written` is the source of the parser's destination `read`."""
    return written == read or unescape(written) == read or unescape(written.replace("\\|", "|")) == read


def _end_of_bare(data: bytes, start: int, end: int) -> int:
    """The end of a URL in text, by GFM §6.9: before punctuation, character references and lone parentheses."""
    lone = data.count(b")", start, end) - data.count(b"(", start, end)
    while end > start:
        last = data[end - 1 : end]
        reference = _REFERENCE_AT_END.search(data, max(end - _LONGEST_REFERENCE, start), end) if last == b";" else None
        if reference is not None:
            end = reference.start()
        elif last in _AFTER_URL or (last == b")" and lone > 0):
            lone -= last == b")"
            end -= 1
        else:
            break
    return end


def _heading(events: Sequence[tuple[str, Any]], dialect: str) -> Heading:
    text: list[str] = []
    alternatives: list[str] = []
    literals: list[str] = []
    images = 0
    for name, value in events:
        if name in ("Start", "End"):
            if value == "Image" or (value.__class__ is dict and "Image" in value):
                images += 1 if name == "Start" else -1
            continue
        if name == "Code":
            literals.append(value)
        piece = "\n" if name in ("SoftBreak", "HardBreak") else value if name in _TEXTS else ""
        alternatives.append(piece)
        if not images:
            text.append(piece)
    raw, whole = "".join(text), "".join(alternatives)
    attributes = attributes_at_end(raw)
    if attributes is None:
        return Heading(raw, raw, whole, "", tuple(literals), dialect)
    bare = [one[: one.rindex("{")].rstrip() for one in (raw, whole)]
    return Heading(bare[0], raw, bare[1], next(ids_in(attributes), ""), tuple(literals), dialect)
