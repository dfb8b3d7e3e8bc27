"""The outline of a Markdown page: its references, including the references of its raw HTML, as records.

Raw HTML is scanned like a page in which everything else is blank, so that its offsets are offsets in the Markdown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from linkfix.encodings.encoding import Encoding
from linkfix.kernels.constants import UNQUOTED
from linkfix.kernels.names import RowIndex
from linkfix.kernels.outline import Outline, Record
from linkfix.lazy import lazy_pattern
from linkfix.markdown.heading_ids import Heading
from linkfix.markdown.page import MarkdownPage, MarkdownPlace, read_markdown
from linkfix.model import Row

#: The maximum size of a Markdown file, in bytes: the parser takes a second for each megabyte, and more memory.
MAX_MARKDOWN = 4 << 20
#: The maximum number of lines and table cells: each may be a block, and the parser needs some kilobytes for a block.
_MAX_BLOCKS = 300_000

#: The kind of a place -> the row of its record. The rows have the names of the HTML that the Markdown becomes.
_ROWS = {
    "link": Row("a", "href", "markdown", "hyperlink", "", "CommonMark §6.3"),
    "definition": Row("a", "href", "markdown", "hyperlink", "", "CommonMark §4.7"),
    "image": Row("img", "src", "markdown", "resource", "", "CommonMark §6.4"),
    "autolink": Row("a", "href", "url", "hyperlink", "", "CommonMark §6.5"),
}
_MARKDOWN = frozenset(b"\r\n|<>")
#: The syntaxes of a value that is one URL.
_WHOLE_VALUE = frozenset({"url", "local-url"})
_UNPLACED = "the place of a reference in the block that begins here is not known"
_LINE_END = lazy_pattern(rb"\r\n?|\n")
#: A translation table: every byte except line ends becomes a space.
_BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
#: The opening line of metadata at the beginning of a file -> its closing lines.
_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}


class MarkdownOutline:
    """The records of a Markdown page, in document order; see `linkfix.html.xml_outline.XmlOutline`.

    `headings`, `ids`, `is_generated`: see `linkfix.markdown.page.MarkdownPage`. `fault`: a code of
    `linkfix.model.PROBLEMS` if the page is left unchanged, else "". `faults`: codes, byte offsets, and details. BASE
    elements do not count, since it is not known whether they stay in the HTML. `check`: see
    `linkfix.markdown.page.read_markdown`.
    """

    def __init__(
        self,
        index: RowIndex,
        data: bytes,
        start: int,
        encoding: Encoding,
        scripting: bool = False,
        check: Callable[[], None] | None = None,
    ) -> None:
        self.data = data
        self.records: list[Record] = []
        self.bases: list[int] = []
        self.head_count: int = 0
        self.policies: list[tuple[int, int, int, int]] = []
        self.decoded: dict[int, str] = {}
        self.own_bases: dict[int, tuple[str, ...]] = {}
        self.headings: list[Heading] = []
        self.ids: list[str] = []
        self.is_generated: bool = False
        self.fault: str = ""
        self.faults: list[tuple[str, int, str]] = []
        if len(data) > MAX_MARKDOWN:
            self._leave_alone("too-large", f"{len(data):,} bytes, more than {MAX_MARKDOWN:,}")
            return
        blocks = data.count(b"\n") + data.count(b"\r") + data.count(b"|")
        if blocks > _MAX_BLOCKS:
            self._leave_alone("too-large", f"{blocks:,} lines and cells of tables, more than {_MAX_BLOCKS:,}")
            return
        lines = _Lines(data, start, encoding)
        if not lines.is_exact:
            self._leave_alone("encoding-round-trip", encoding.name)
            return
        try:
            page = read_markdown(_without_front_matter(lines.text), check)
        except ImportError:
            self._leave_alone("extra-needed", "Markdown is read by markdown-it-py: pip install markdown-it-py")
            return
        except RuntimeError:  # a RecursionError, or an exception from a bug in the parser
            self._leave_alone("markdown-unread", "the parser fails, as for what is nested too deeply")
            return
        self._take(page, lines)
        self._scan_html(page.places, lines, index, scripting)

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

    def _take(self, page: MarkdownPage, lines: _Lines) -> None:
        self.headings, self.ids, self.is_generated = page.headings, page.ids, page.is_generated
        self.faults += (("markdown-unread", lines.starts[line], _UNPLACED) for line in page.unplaced)
        for place in page.places:
            if place.kind != "html":
                span = lines.at(place.start), lines.at(place.end)
                self.records.append(Record(_ROWS[place.kind], *span, lines.at(place.outer), UNQUOTED, text=True))

    def _scan_html(self, places: list[MarkdownPlace], lines: _Lines, index: RowIndex, scripting: bool) -> None:
        """Add the records of raw HTML."""
        pieces = [(lines.at(place.start), lines.at(place.end)) for place in places if place.kind == "html"]
        if not pieces:
            return
        blank = bytearray(self.data.translate(_BLANK))
        for start, end in pieces:
            blank[start:end] = self.data[start:end]
        outline = Outline(index, bytes(blank), pieces[0][0], scripting)
        for number in range(outline.count):
            record = outline.record(number)
            span = slice(record.start, record.end)
            # Skip a value with bytes outside the raw HTML: marks of a quotation, or the text of an unclosed element.
            if record.row.role != "base" and self.data[span] == blank[span] and not self._is_broken(record):
                self.records.append(record)
        self.records.sort(key=lambda record: record.start)  # edits must be in order

    def _is_broken(self, record: Record) -> bool:
        """Whether a URL contains possible Markdown from around the tag: a line break, the "|" of a table, a tag."""
        value = self.data[record.start : record.end].strip()
        return record.row.syntax in _WHOLE_VALUE and not _MARKDOWN.isdisjoint(value)


class _Lines:
    """The text of the data, with a newline at the end of each line, and the byte offset of each character."""

    def __init__(self, data: bytes, start: int, encoding: Encoding) -> None:
        self._encoding = encoding
        ends = list(_LINE_END.finditer(data, start))
        #: The start of each line, in bytes.
        self.starts = [start, *(end.end() for end in ends)]
        stops = [*(end.start() for end in ends), len(data)]
        raw = [data[first:last] for first, last in zip(self.starts, stops, strict=True)]
        self._lines = [self._decode(line) for line in raw]
        #: Whether encoding the text restores the bytes.
        self.is_exact = all(map(self._is_exact, self._lines, raw))
        # NUL is replaced for the parser (CommonMark §2.3).
        self.text = "\n".join(self._lines).replace("\0", "\ufffd")
        #: The line of the last call of `at`, its column, and the number of bytes before that column.
        self._last = (-1, 0, 0)
        self._text_starts = [0]
        for line in self._lines:
            self._text_starts.append(self._text_starts[-1] + len(line) + 1)

    def _decode(self, line: bytes) -> str:
        if line.isascii():
            return line.decode("ascii")
        if self._encoding.name == "utf-8":
            return line.decode("utf-8", "surrogateescape")
        return self._encoding.decode(line)

    def _encode(self, text: str) -> bytes:
        if self._encoding.name == "utf-8":
            return text.encode("utf-8", "surrogateescape")
        return self._encoding.encode(text, "replace")

    def _is_exact(self, line: str, raw: bytes) -> bool:
        return self._encoding.name == "utf-8" or len(line) == len(raw) or self._encode(line) == raw

    def at(self, position: int) -> int:
        """The byte offset of a character of the text. Fast for a position near the position of the last call."""
        number = bisect_right(self._text_starts, position, hi=len(self._lines)) - 1
        line, column = self._lines[number], position - self._text_starts[number]
        if line.isascii():
            return self.starts[number] + column
        before, size = self._last[1:] if self._last[0] == number else (0, 0)
        if column < before:
            size -= len(self._encode(line[column:before]))
        else:
            size += len(self._encode(line[before:column]))
        self._last = number, column, size
        return self.starts[number] + size


def _without_front_matter(text: str) -> str:
    """The text with spaces in place of metadata at its beginning."""
    first, _, rest = text.partition("\n")
    ends = _FRONT_MATTER.get(first.rstrip())
    if ends is None or not rest.partition("\n")[0].strip():
        return text
    at = len(first) + 1
    while at <= len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        if text[at:line_end].rstrip() in ends:
            return "".join(c if c == "\n" else " " for c in text[:line_end]) + text[line_end:]
        at = line_end + 1
    return text
