"""The BASE tags of a page, also in places without effect, for the rules about BASE."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from linkfix.audit.page_document import PageDocument
from linkfix.html.places import RAW_TEXT_ELEMENTS
from linkfix.html.values import Value
from linkfix.html.vocabulary import RowTable, index_rows
from linkfix.kernels.names import RowIndex
from linkfix.kernels.outline import Outline
from linkfix.kernels.record import Record
from linkfix.kernels.tokenizer import KINDS, Tokenizer, tag_end
from linkfix.model import Layer, Row

if TYPE_CHECKING:
    from linkfix.html.xml_outline import XmlOutline


#: The places where a BASE tag is no BASE element.
NO_ELEMENT = frozenset({"svg", "mathml", "template", "frameset"})

#: The rows of BASE. In SVG and MathML, a BASE tag has no effect, and is reported.
_ROWS = tuple(
    Row("base", "href", "url", "base", section="§4.2.3", namespace=name) for name in ("html", "svg", "mathml")
)
#: The start tags that do not end the head (HTML §13.2.6.4.4).
_HEAD = frozenset(b"html head base basefont bgsound link meta noframes noscript script style template title".split())


class BaseTag(NamedTuple):
    """A BASE tag with an href. Spans are in bytes of the page's data."""

    start: int
    end: int
    href: str
    """The value of the attribute, decoded."""
    href_span: tuple[int, int]
    inside: str = ""
    """The place of a tag that is not effective or misplaced, else "".

    In "svg", "mathml", "template" and "frameset", the tag is no BASE element. In "noscript", it is a BASE element only
    if scripts are off. In "body", it is a misplaced BASE element.
    """

    @property
    def is_base_element(self) -> bool:
        """Whether it is a BASE element in browsers that run scripts."""
        return self.inside in {"", "body"}


@cache
def _index() -> RowIndex:
    return index_rows(_ROWS)


@lru_cache(maxsize=1)  # several rules ask about one page in turn
def base_tags(document: PageDocument) -> tuple[BaseTag, ...]:
    """The BASE tags with an href, in document order. Text in comments, scripts and attributes does not count."""
    if not document.may_have_base:
        return ()
    base = document.base
    if base.start < 0 and all(candidate.start < 0 for candidate in base.rejected):
        return ()
    data, start = document.source.data, document.source.start
    is_xml = document.kind == "xml"
    scripting = document.options.scripting == "on"
    outline = _xml_outline(data, start) if is_xml else Outline(_index(), data, start, scripting)
    records = [record for number in range(outline.count) if (record := outline.record(number)).row.role == "base"]
    places = dict(_places(data, records[-1].tag_start)) if records and not is_xml else {}
    return tuple(_tag(document, record, places) for record in records)


def _xml_outline(data: bytes, start: int) -> XmlOutline:
    from linkfix.html.xml_outline import XmlOutline  # few pages are XML

    return XmlOutline(RowTable(_ROWS), data, start)


def _tag(document: PageDocument, record: Record, places: dict[int, str]) -> BaseTag:
    data, start = document.source.data, record.tag_start
    inside = places.get(start, "")
    if record.in_template:
        inside = "template"
    elif record.in_frameset:
        inside = "frameset"
    elif record.row.namespace != "html":
        inside = record.row.namespace
    elif record.in_noscript:
        inside = "noscript"
    href = Value(data, record, document.source.working, xml=document.kind == "xml").text
    return BaseTag(start, tag_end(data, start), href.strip("\t\n\f\r "), (record.start, record.end), inside)


def _places(data: bytes, last: int) -> Iterator[tuple[int, str]]:
    """The BASE tags in noscript or in the body, up to byte `last`: start of the tag, and "noscript" or "body"."""
    tokenizer = Tokenizer(data, 0, len(data))
    templates = 0
    noscript = body = False
    while tokenizer.position <= last:
        kind = KINDS[tokenizer.next_tag(False)]
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
            elif name in RAW_TEXT_ELEMENTS:
                tokenizer.raw_text(name)


def effective_base(document: PageDocument) -> BaseTag | None:
    """The BASE tag that sets the document base URL; None if no tag sets it."""
    base = document.document_base
    if base.layer is not Layer.EMBEDDED:
        return None
    return next((tag for tag in base_tags(document) if tag.start == base.start), None)
