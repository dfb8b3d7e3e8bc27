"""The outline of an XHTML or SVG document by XML's rules: case, CDATA, entities, namespaces, `xml:base`.

Expat reads the document, as browsers' XML parsers do: up to the first error, and no external entity is ever fetched.
It says where each tag is and what its attributes mean; the spans of their values are found in the tag's bytes. The
data are UTF-8: other encodings are converted before (`linkfix.walker`).
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Any
from xml.parsers import expat

from linkfix.html.outline import Record
from linkfix.html.vocabulary import RowTable
from linkfix.model import Row

__all__ = ["XmlOutline"]

_NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/2000/svg": "svg",
    "http://www.w3.org/1998/Math/MathML": "mathml",
}
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"

#: One attribute of a well-formed start tag: name, quote, value.
_ATTRIBUTE = re.compile(rb"([^\s=<>\"'/]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_PSEUDO_ATTRIBUTE = re.compile(rb"\shref\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
#: References that every XML document may have without declaring them.
_PREDEFINED = re.compile(rb"&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);")

_STYLESHEET = Row("?xml-stylesheet", "href", "local-url", "resource", "", "Associating Style Sheets with XML §3", "svg")
_XML_BASE = Row("*", "xml:base", "url", "codebase", "", "XML Base §3", "svg")

#: HTML §14.1: what browsers take for the external subset of these public identifiers.
_ENTITY_DTD = "".join(
    f'<!ENTITY {name[:-1]} "{"".join(f"&#38;#{ord(c)};" if c in "<&" else f"&#{ord(c)};" for c in text)}">'
    for name, text in html5.items()
    if name.endswith(";") and name.isascii() and name[:-1].isalnum()
)
_PUBLIC = frozenset(
    {
        "-//W3C//DTD XHTML 1.0 Transitional//EN",
        "-//W3C//DTD XHTML 1.1//EN",
        "-//W3C//DTD XHTML 1.0 Strict//EN",
        "-//W3C//DTD XHTML 1.0 Frameset//EN",
        "-//W3C//DTD XHTML Basic 1.0//EN",
        "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN",
        "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN",
        "-//W3C//DTD MathML 2.0//EN",
        "-//WAPFORUM//DTD XHTML Mobile 1.0//EN",
    }
)


class XmlOutline:
    """The records of an XML document, in document order; see `linkfix.html.outline.Outline`.

    `decoded[i]`: the value of record i where it has entities that the document declares. `own_bases[i]`: the
    `xml:base` values, outermost first, that record i stands under. `error`: what ended the reading, or None: message
    and byte offset.
    """

    def __init__(self, table: RowTable, data: bytes, start: int) -> None:
        self.data = data
        self.records: list[Record] = []
        self.bases: list[int] = []
        self.decoded: dict[int, str] = {}
        self.own_bases: dict[int, tuple[str, ...]] = {}
        self.head_end = 0
        self.html_end = 0
        self.doctype_end = 0
        self.error: tuple[str, int] | None = None
        self._table = table
        self._start = start
        self._base_stack: list[tuple[str, ...]] = [()]
        self._text: tuple[int, int, list[Row], int] | None = None
        self._depth = 0
        self._read()

    @property
    def count(self) -> int:
        """How many records there are."""
        return len(self.records)

    def record(self, number: int) -> Record:
        """One record."""
        return self.records[number]

    def _read(self) -> None:
        parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        parser.ordered_attributes = True
        parser.specified_attributes = True
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EndDoctypeDeclHandler = self._doctype_ends
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
        parser.ExternalEntityRefHandler = self._external
        self._parser = parser
        try:
            parser.Parse(self.data[self._start :], True)
        except expat.ExpatError as error:
            self.error = (expat.errors.messages[error.code], self._position())
        del self._parser

    def _position(self) -> int:
        return self._start + max(self._parser.CurrentByteIndex, 0)

    def _doctype(self, _name: str, _system: str | None, public: str | None, _internal: bool) -> None:  # noqa: FBT001
        self._public = public

    def _doctype_ends(self) -> None:
        self.doctype_end = self._position()

    def _external(self, context: str | None, _base: str | None, _system: str | None, public: str | None) -> int:
        """Nothing outside the document is read; XHTML's entities are known."""
        if context is None or public in _PUBLIC:
            inner = self._parser.ExternalEntityParserCreate(context, "utf-8")
            inner.Parse(_ENTITY_DTD if public in _PUBLIC else "", True)
        return 1

    def _instruction(self, target: str, _text: str) -> None:
        at = self._position()
        if target != "xml-stylesheet" or self._depth:
            return
        match = _PSEUDO_ATTRIBUTE.search(self.data, at, self.data.find(b"?>", at))
        if match:
            group = 1 if match.start(1) >= 0 else 2
            self._push(_STYLESHEET, *match.span(group), at, quote=34 if group == 1 else 39)

    def _push(self, row: Row, start: int, end: int, tag_start: int, **more: Any) -> None:  # noqa: ANN401
        number = len(self.records)
        if row.role == "base":
            self.bases.append(number)
        if self._base_stack[-1]:
            self.own_bases[number] = self._base_stack[-1]
        self.records.append(Record(row, start, end, tag_start, more.pop("quote", 0), **more))

    def _start_element(self, name: str, pairs: list[str]) -> None:
        self._depth += 1
        at = self._position()
        uri, _, local = name.rpartition(" ")
        namespace = _NAMESPACES.get(uri, "")
        spans = self._attribute_spans(at, pairs)
        bases = self._base_stack[-1]
        own = next((value for key, value, *_ in spans if key == "xml:base"), None) if namespace == "svg" else None
        if own is not None:
            start, end, quote = next(span for key, _value, *span in spans if key == "xml:base")
            self._push(_XML_BASE, start, end, at, quote=quote)
            bases = (*bases, own)
        self._base_stack.append(bases)
        # The vocabulary is written in HTML's lower case; XML's own case decides.
        known = local if namespace != "svg" else local.lower()
        values = {key: value for key, value, *_ in spans}
        for key, value, start, end, quote in spans:
            for row in self._table.rows(namespace, known, key, values):
                self._decode(value, start, end)
                self._push(row, start, end, at, quote=quote)
        rows = self._table.rows(namespace, known, "", values)
        if rows:
            self._text = (self._tag_end(at), at, rows, self._depth)
        if namespace == "html" and local in {"head", "html"}:
            attribute = f"{local}_end"
            setattr(self, attribute, getattr(self, attribute) or self._tag_end(at))

    def _decode(self, value: str, start: int, end: int) -> None:
        """Keeps the value as expat has it where it has references that the document declares itself."""
        raw = self.data[start:end]
        if b"&" in raw and b"&" in _PREDEFINED.sub(b"", raw):
            self.decoded[len(self.records)] = value

    def _attribute_spans(self, at: int, pairs: list[str]) -> list[tuple[str, str, int, int, int]]:
        """Name (as the vocabulary writes it), decoded value, value start, value end, quote of the tag's attributes."""
        if not pairs:
            return []
        found: list[tuple[str, str, int, int, int]] = []
        values = iter(zip(pairs[::2], pairs[1::2], strict=True))
        position = at
        end = len(self.data)
        while len(found) * 2 < len(pairs):
            match = _ATTRIBUTE.search(self.data, position, end)
            if match is None:
                break
            position = match.end()
            if match[1] == b"xmlns" or match[1].startswith(b"xmlns:"):
                continue
            name, value = next(values)
            uri, _, local = name.rpartition(" ")
            prefix = {"": "", _XLINK: "xlink:", _XML: "xml:"}.get(uri, uri + " ")
            group = 2 if match.start(2) >= 0 else 3
            found.append((prefix + local, value, *match.span(group), 34 if group == 2 else 39))
        return found

    def _tag_end(self, at: int) -> int:
        """Past the ">" of the start tag at `at`: quoted values are passed over."""
        position = at
        while True:
            close = self.data.index(b">", position)
            match = _ATTRIBUTE.search(self.data, position, len(self.data))
            if match is None or match.start() > close:
                return close + 1
            position = match.end()

    def _end_element(self, _name: str) -> None:
        if self._text is not None and self._text[3] == self._depth:
            start, at, rows, _depth = self._text
            end = self._position()
            if self.data[end : end + 2] == b"</" and start <= end:
                for row in rows:
                    self._push(row, start, end, at, text=True, foreign=True)
            self._text = None
        self._base_stack.pop()
        self._depth -= 1
