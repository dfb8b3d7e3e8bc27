"""The outline of a Markdown page: its references, including the references of its raw HTML, as records.

Raw HTML is scanned like a page in which everything else is blank, so that its offsets are offsets in the Markdown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from linkfix.encodings.encoding import Encoding
from linkfix.kernels.constants import UNQUOTED
from linkfix.kernels.names import RowIndex
from linkfix.kernels.outline import Outline, Record
from linkfix.lazy import lazy_pattern
from linkfix.markdown.heading_ids import WIKIS, Heading, Wiki, wikilink_target
from linkfix.markdown.page import MarkdownPage, MarkdownPlace, TooDeep, read_markdown
from linkfix.markdown.tags import filled_text, without_tags
from linkfix.model import ANY_DIALECT, MarkdownDialect, Row

#: The maximum size of a Markdown file, in bytes: nothing interrupts the parser.
MAX_MARKDOWN = 4 << 20

#: The kind of a place -> the row of its record. The rows have the names of the HTML that the Markdown becomes.
_ROWS = {
    "link": Row("a", "href", "markdown", "hyperlink", "", "CommonMark §6.3"),
    "definition": Row("a", "href", "markdown", "hyperlink", "", "CommonMark §4.7"),
    "image": Row("img", "src", "markdown", "resource", "", "CommonMark §6.4"),
    "autolink": Row("a", "href", "url", "hyperlink", "", "CommonMark §6.5"),
    "wikilink": Row("a", "href", "wikilink", "hyperlink", "", 'Obsidian, "Internal links"'),
    "embed": Row("img", "src", "wikilink", "resource", "", 'Obsidian, "Embed files"'),
}
_MARKDOWN = frozenset(b"\r\n|<>")
#: The syntaxes of a value that is one URL.
_WHOLE_VALUE = frozenset({"url", "local-url"})
_UNPLACED = "the place of the destination in the reference that begins here is not known"
_LINE = lazy_pattern(rb"[^\r\n]++(?:\r\n?|\n)?|\r\n?|\n")
_NOT_BLANK = lazy_pattern(r"[^\r\n]++")
_NO_TEXT = lazy_pattern(r"[\0\udc80-\udcff]")
#: A translation table: every byte except line ends becomes a space.
_BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
#: The opening line of metadata at the beginning of a file -> its closing lines.
_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",), "{": ("}",)}


class MarkdownOutline:
    """The records of a Markdown page, in document order; see `linkfix.html.xml_outline.XmlOutline`.

    `headings`, `ids`, `footnotes`, `is_generated`: see `linkfix.markdown.page.MarkdownPage`. `fault`: a code of
    `linkfix.model.PROBLEMS` if the page is left unchanged, else "". `faults`: codes, byte offsets, and details. BASE
    elements do not count, since it is not known whether they stay in the HTML. `is_mdx`: whether the page is MDX.
    `wikilinks`: a key of `linkfix.markdown.heading_ids.WIKIS`; "" if the page has no wikilinks. `html`: the
    data with spaces in place of everything but raw HTML and line ends; the data itself if the page is left unchanged.
    """

    def __init__(
        self,
        index: RowIndex,
        data: bytes,
        start: int,
        encoding: Encoding,
        scripting: bool = False,
        *,
        is_mdx: bool = False,
        wikilinks: str = "",
        dialect: MarkdownDialect = ANY_DIALECT,
    ) -> None:
        self.data = data
        self.html: bytes = data
        self._has_tags = dialect.has_tags
        self._wiki = WIKIS[wikilinks] if wikilinks else None
        #: As in `linkfix.markdown.page.MarkdownPage`.
        self.names: list[str] = []
        self.records: list[Record] = []
        self.bases: list[int] = []
        self.head_count: int = 0
        self.policies: list[tuple[int, int, int, int]] = []
        self.decoded: dict[int, str] = {}
        self.own_bases: dict[int, tuple[str, ...]] = {}
        self.headings: list[Heading] = []
        self.ids: list[str] = []
        self.footnotes: dict[str, int] = {}
        self.is_generated: bool = False
        self.fault: str = ""
        self.faults: list[tuple[str, int, str]] = []
        if len(data) > MAX_MARKDOWN:
            self._leave_alone("too-large", f"{len(data):,} bytes, more than {MAX_MARKDOWN:,}")
            return
        text = _ParserText(data, start, encoding)
        if not text.is_exact:
            self._leave_alone("encoding-round-trip", encoding.name)
            return
        try:
            plain = _without_front_matter(text.text)
            plain = filled_text(plain) if dialect.has_tags else plain
            has_comments = self._wiki is not None and self._wiki.has_comments
            page = read_markdown(plain, dialect, is_mdx=is_mdx, wikilinks=bool(wikilinks), has_comments=has_comments)
        except ImportError:
            self._leave_alone("extra-needed", "Markdown is read by pyromark: pip install pyromark")
            return
        except TooDeep as error:
            self._leave_alone("markdown-unread", str(error))
            return
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # a bug in the parser; the class has no public name
                raise
            self._leave_alone("markdown-unread", "the parser fails")
            return
        self._take(page, text, encoding)
        self._scan_html(page.places, text, index, scripting)

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.records)

    def record(self, number: int) -> Record:
        """The record with this number."""
        return self.records[number]

    def _leave_alone(self, code: str, detail: str) -> None:
        self.fault = code
        self.faults.append((code, 0, detail))

    def _take(self, page: MarkdownPage, text: _ParserText, encoding: Encoding) -> None:
        self.headings, self.ids, self.is_generated = page.headings, page.ids, page.is_generated
        self.names, self.footnotes = page.names, page.footnotes
        self.faults += (("markdown-unread", text.at(start), _UNPLACED) for start in page.unplaced)
        for place in page.places:
            if place.kind == "html":
                continue
            outer, span = text.at(place.outer), (text.at(place.start), text.at(place.end))
            if self._wiki is not None and _ROWS[place.kind].syntax == "wikilink":
                found = self._target(*span, outer, encoding, self._wiki)
                if found is None:
                    continue
                span = found
            self.records.append(Record(_ROWS[place.kind], *span, outer, UNQUOTED, text=True))

    def _target(self, start: int, end: int, outer: int, encoding: Encoding, wiki: Wiki) -> tuple[int, int] | None:
        """The span of the page in the brackets of a wikilink; None if they are no link."""
        if wiki.label_first and self.data[outer - 1 : outer] == b"'":  # Gollum's escape
            return None
        text = encoding.decode(self.data[start:end])
        found = wikilink_target(text, wiki)
        if found is None:
            return None
        first = start + len(encoding.encode(text[: found[0]], "replace"))
        return first, first + len(encoding.encode(text[slice(*found)], "replace"))

    def _scan_html(self, places: list[MarkdownPlace], text: _ParserText, index: RowIndex, scripting: bool) -> None:
        """Add the records of raw HTML."""
        pieces = [(text.at(place.start), text.at(place.end)) for place in places if place.kind == "html"]
        blank = bytearray(self.data.translate(_BLANK))
        for start, end in pieces:
            blank[start:end] = self.data[start:end]
        self.html = bytes(blank)
        if not pieces:
            return
        outline = Outline(index, self.html, pieces[0][0], scripting)
        for number in range(outline.count):
            record = outline.record(number)
            span = slice(record.start, record.end)
            # Skip a value with bytes outside the raw HTML: marks of a quotation, or the text of an unclosed element.
            if record.row.role != "base" and self.data[span] == self.html[span] and not self._is_broken(record):
                self.records.append(record)
        self.records.sort(key=lambda record: record.start)  # edits must be in order

    def _is_broken(self, record: Record) -> bool:
        """Whether a URL contains possible Markdown from around the tag: a line break, the "|" of a table, a tag."""
        value = self.data[record.start : record.end].strip()
        value = without_tags(value) if self._has_tags else value
        return record.row.syntax in _WHOLE_VALUE and not _MARKDOWN.isdisjoint(value)


class _ParserText:
    """The text of the data for the parser, and the byte offset of each place in it."""

    def __init__(self, data: bytes, start: int, encoding: Encoding) -> None:
        self._start = start
        self._encoding = encoding
        #: Whether encoding the text restores the bytes.
        self.is_exact = True
        #: For another encoding than UTF-8: the lines in UTF-8, and the start of each in the data and in the text.
        self._lines: list[bytes] = []
        self._starts: list[int] = []
        self._text_starts: list[int] = []
        #: The line of the last call of `at`, its column in UTF-8, and the same column in the data.
        self._last = (-1, 0, 0)
        if encoding.name == "utf-8" or data.isascii():
            text = data[start:].decode("utf-8", "surrogateescape")
        else:
            text = "".join(self._decode(data))
        # An invalid byte counts as a letter, which a destination can contain; so does NUL, which CommonMark replaces.
        is_whole = text.isascii() and "\0" not in text
        self.text = text if is_whole else _NO_TEXT.sub("x", text)

    def _decode(self, data: bytes) -> Iterator[str]:
        """Yield the lines of data that is not in UTF-8."""
        text_start = 0
        for match in _LINE.finditer(data, self._start):
            raw = match[0]
            line = raw.decode("ascii") if raw.isascii() else self._encoding.decode(raw)
            if len(line) != len(raw) and self._encode(line) != raw:
                self.is_exact = False
            self._lines.append(line.encode())
            self._starts.append(match.start())
            self._text_starts.append(text_start)
            text_start += len(self._lines[-1])
            yield line

    def _encode(self, text: str) -> bytes:
        return self._encoding.encode(text, "replace")

    def at(self, position: int) -> int:
        """The byte offset of a place in the text, given in bytes of UTF-8. Fast near the place of the last call."""
        if not self._lines:
            return self._start + position
        number = bisect_right(self._text_starts, position) - 1
        line, column = self._lines[number], position - self._text_starts[number]
        if line.isascii():
            return self._starts[number] + column
        before, size = self._last[1:] if self._last[0] == number else (0, 0)
        if column < before:
            size -= len(self._encode(line[column:before].decode()))
        else:
            size += len(self._encode(line[before:column].decode()))
        self._last = number, column, size
        return self._starts[number] + size


def _without_front_matter(text: str) -> str:
    """The text with spaces in place of metadata at its beginning."""
    if not text.startswith(tuple(_FRONT_MATTER)):
        return text
    first, _, rest = text.partition("\n")
    ends = _FRONT_MATTER.get(first.rstrip())
    if ends is None or not rest.partition("\n")[0].strip():
        return text
    at = len(first) + 1
    while at <= len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        if text[at:line_end].rstrip() in ends:
            return _NOT_BLANK.sub(lambda match: " " * len(match[0].encode()), text[:line_end]) + text[line_end:]
        at = line_end + 1
    return text
