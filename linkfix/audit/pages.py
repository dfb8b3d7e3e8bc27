"""What the rules that look at a page share: its BASE tags, wherever they stand, and where its problems are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from linkfix.audit.page_document import PageDocument
from linkfix.audit.rule import Issue, Page
from linkfix.html.outline import Outline, Record, RowIndex
from linkfix.html.tokenizer import KINDS, Tokenizer, tag_end
from linkfix.html.values import Value
from linkfix.html.vocabulary import RowTable
from linkfix.html.xml_outline import XmlOutline
from linkfix.model import Layer, Problem, Row

__all__ = ["BaseTag", "base_tags", "deciding_base", "line_of", "problem_issues"]

#: In SVG and MathML, BASE is an element that means nothing.
_ROWS = tuple(
    Row("base", "href", "url", "base", section="§4.2.3", namespace=name) for name in ("html", "svg", "mathml")
)
#: HTML §13.2.6.4.4: start tags that do not end the head; and those whose elements have no markup in them.
_HEAD = frozenset(b"html head base basefont bgsound link meta noframes noscript script style template title".split())
_RAW_TEXT = frozenset(b"iframe noembed noframes style textarea title xmp".split())


class BaseTag(NamedTuple):
    """A BASE tag with an href: its span, the span of the raw href (in bytes of the page's data), and the decoded href.

    `inside`: "svg", "mathml" or "template" where it is no BASE element at all; "noscript" where it is one only while
    scripts are off; "body" where it is one in a place that it should not have; else "".
    """

    start: int
    end: int
    href: str
    href_span: tuple[int, int]
    inside: str = ""

    @property
    def counts(self) -> bool:
        """Whether browsers that run scripts take it for a BASE element."""
        return self.inside in {"", "body"}


@cache
def _index() -> RowIndex:
    return RowIndex(_ROWS)


@lru_cache(maxsize=1)  # several rules ask about one page in turn
def base_tags(document: PageDocument) -> tuple[BaseTag, ...]:
    """The BASE tags with an href that are tags: those in comments, scripts and attributes are text."""
    base = document.base
    if base.start < 0 and all(candidate.start < 0 for candidate in base.rejected):
        return ()
    data, start = document.source.data, document.source.start
    is_xml = document.kind == "xml"
    outline = XmlOutline(RowTable(_ROWS), data, start) if is_xml else Outline(_index(), data, start)
    records = [outline.record(number) for number in range(outline.count)]
    places = dict(_places(data, records[-1].tag_start)) if records and not is_xml else {}
    return tuple(_tag(document, record, places) for record in records)


def _tag(document: PageDocument, record: Record, places: dict[int, str]) -> BaseTag:
    data, start = document.source.data, record.tag_start
    inside = places.get(start, "")
    if record.in_template:
        inside = "template"
    elif record.row.namespace != "html":
        inside = record.row.namespace
    href = Value(data, record, document.source.working, xml=document.kind == "xml").text
    return BaseTag(start, tag_end(data, start), href.strip("\t\n\f\r "), (record.start, record.end), inside)


def _places(data: bytes, last: int) -> Iterator[tuple[int, str]]:
    """Where BASE tags up to `last` begin that stand in noscript or in the body, and in which."""
    tokenizer = Tokenizer(data, 0, len(data))
    templates = 0
    noscript = body = False
    while tokenizer.position <= last:
        kind = KINDS[tokenizer.next_tag(False)]  # noqa: FBT003 - compiled functions take no keywords
        name = data[tokenizer.name_start : tokenizer.name_end].lower()
        start = tokenizer.tag_start
        while tokenizer.next_attribute():
            pass
        if kind == "EOF":
            return
        if name == b"noscript":
            noscript = kind == "start tag"
        elif name == b"template":
            templates = max(templates + (1 if kind == "start tag" else -1), 0)
        elif kind == "start tag":
            body = body or not (templates or name in _HEAD)
            if name == b"base" and (noscript or body):
                yield start, "noscript" if noscript else "body"
            elif name == b"script":
                tokenizer.script_text()
            elif name in _RAW_TEXT:
                tokenizer.raw_text(name)


def deciding_base(document: PageDocument) -> BaseTag | None:
    """The BASE tag that gives the page its base URL, if one does."""
    base = document.document_base
    if base.layer is not Layer.EMBEDDED:
        return None
    return next((tag for tag in base_tags(document) if tag.start == base.start), None)


def line_of(document: PageDocument, offset: int) -> int:
    """The line in which the byte at `offset` of the page's data stands, from 1."""
    return document.positions.of(offset)[0]


@lru_cache(maxsize=1)
def _problems(document: PageDocument) -> tuple[Problem, ...]:
    return document.problems_so_far()


def problem_issues(page: Page, ends: dict[str, bytes]) -> Iterator[Issue]:
    """An issue for each of the page's problems with these codes: code -> the bytes at which what is wrong ends.

    Without such bytes it has no place but its beginning.
    """
    document = page.document
    found = [problem for problem in _problems(document) if problem.code in ends]
    if not found:
        return
    data = document.source.data
    offset = _data_offsets(document)
    for problem in sorted(found, key=lambda problem: problem.start):
        start = min(offset(problem.start), len(data))
        stops = ends[problem.code]
        end = min(start + bool(stops), len(data))
        while stops and end < len(data) and data[end] not in stops:
            end += 1
        _, separator, particular = problem.message.partition(": ")
        yield Issue(problem.message, None, particular if separator else page.name, (start, end))


def _data_offsets(document: PageDocument) -> Callable[[int], int]:
    """From offsets of the file, which `Problem`s have, to those of the page's data; for arguments that never fall."""
    source = document.source
    if source.data is source.html:
        return lambda offset: offset
    html, encoding = source.html, document.encoding
    done = [encoding.bom, 0]

    def data_offset(offset: int) -> int:
        piece = html[done[0] : offset]
        text = piece if isinstance(piece, str) else encoding.decode(piece)
        done[1] += len(text.encode("utf-8", "surrogatepass"))
        done[0] = max(offset, done[0])
        return done[1]

    return data_offset
