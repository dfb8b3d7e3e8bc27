"""The outline of an XML document by XML's rules: case, CDATA, entities, namespaces, `xml:base`.

It reads XHTML and SVG, and the formats of `linkfix.html.xml_vocabulary`. The elements of such a format count only if
the root element belongs to the format.

Expat parses the document as browsers' XML parsers do: up to the first error, and without external entities. It reports
the position of each tag and the values of its attributes; the attributes' spans are found in the tag's bytes. The data
are UTF-8: `linkfix.document.document` converts other encodings first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate
from typing import Any
from urllib.parse import quote as percent_encode
from xml.parsers import expat

from linkfix.encodings.encoding import STR, Encoding
from linkfix.html import xml_vocabulary
from linkfix.html.feed_links import OF_RETRIEVAL, BaseChoice, FeedLinks
from linkfix.html.values import Value, escape_text
from linkfix.html.vocabulary import RowTable, ascii_lower
from linkfix.kernels.constants import APOSTROPHE, QUOTATION_MARK, UNQUOTED
from linkfix.kernels.outline import Record
from linkfix.model import Row

# Limits for the attribute declarations of a DTD.
#
# Expat goes through all declarations of an element for each of its tags, and for each further declaration, even if
# nobody asks for default values.


#: The maximum number of attributes that a DTD may declare for one element. XHTML's largest element has 34.
_MOST_DECLARED = 1000

#: Limit on how often expat goes through a declaration for tags: max(`_LEAST`, `_RATIO` × the document's bytes).
_RATIO, _LEAST = 20, 1 << 20


class TooManyDefaults(ValueError):
    """A document's DTD would take too much time. The message says why."""


class AttributeDefaults:
    """Counts for the parser of a document of `size` bytes. `declare` is its `AttlistDeclHandler`."""

    def __init__(self, size: int) -> None:
        self._left = max(_LEAST, _RATIO * size)
        self._declared: dict[str, int] = {}
        #: The largest number of attributes declared for one element.
        self.most: int = 0

    def declare(self, element: str, *_attribute: object) -> None:
        """Count a declaration. Raises `TooManyDefaults`."""
        count = self._declared[element] = self._declared.get(element, 0) + 1
        self.most = max(self.most, count)
        if count > _MOST_DECLARED:
            message = f"its DTD declares more than {_MOST_DECLARED:,} attributes of an element"
            raise TooManyDefaults(message)

    def meet_tag(self) -> None:
        """Count a start tag as if its element had the most declarations. Raises `TooManyDefaults`.

        In an entity, the tag's element is not known.
        """
        self._left -= self.most
        if self._left < 0:
            message = "its DTD declares too many attributes for the number of its elements"
            raise TooManyDefaults(message)


SVG = "http://www.w3.org/2000/svg"

#: A namespace's URI -> its name in the vocabulary.
NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "html",
    SVG: "svg",
    "http://www.w3.org/1998/Math/MathML": "mathml",
}

XLINK = "http://www.w3.org/1999/xlink"

XML = "http://www.w3.org/XML/1998/namespace"

#: The namespace of an attribute -> the prefix of its name in the vocabulary.
_PREFIXES = {"": "", XLINK: "xlink:", XML: "xml:", xml_vocabulary.RDF: "rdf:"}

_TEMPLATE = "http://www.w3.org/1999/xhtml template"

_HEAD = "http://www.w3.org/1999/xhtml head"

_TAG = re.compile(rb"<\??[^\s=<>\"'/?]++")

#: One attribute of a well-formed start tag: name, quote, value.
_ATTRIBUTE = re.compile(rb"\s++([^\s=<>\"'/]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")

_ENTITY = re.compile(rb"&([^#;]++);")

#: The entities that need no declaration (XML 1.0 §4.6).
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})

#: The parts of a text where "&" does not begin a reference.
_LITERAL = re.compile(rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)

#: libexpat's code for entities that expand to more than 8 MiB and a hundred times the document -> the message.
_ERRORS = {43: "its entities expand to many times its size"}

#: The maximum number of entities that refer to other entities: expat expands them by recursion.
_MAX_NESTING_ENTITIES = 1000

#: The maximum nesting of elements with `xml:base`; deeper elements are ignored. Each base is resolved against all the
#: bases around it.
MAX_NESTED_XML_BASES = 64

#: Rows for XML only: a processing instruction outside the root element, and `xml:base`.
STYLESHEET = Row(
    "?xml-stylesheet", "href", "local-url", "resource", "", "Associating Style Sheets with XML §3", "svg", "at once"
)

XML_BASE = Row("*", "xml:base", "url", "codebase", "", "XML Base §3", "svg")

#: The public identifiers for which browsers use `_external_subset` (HTML §14.1).
_XHTML_PUBLIC_IDENTIFIERS = frozenset(
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


@cache
def _xhtml_entities() -> dict[str, str]:
    """The entities of XHTML: name -> text."""
    from html.entities import html5  # a large table, which few documents need

    return {name[:-1]: text for name, text in html5.items() if name.endswith(";")}


@cache
def _external_subset() -> str:
    """The declarations of XHTML's entities (HTML §14.1)."""
    return "".join(
        f'<!ENTITY {name} "{"".join(f"&#38;#{ord(c)};" if c in "<&" else f"&#{ord(c)};" for c in text)}">'
        for name, text in _xhtml_entities().items()
    )


class _RefusedError(Exception):
    """The document has a construct that expat accepts and linkfix refuses. `position`: its byte offset."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class XmlOutline:
    """The records of an XML document, in document order; see `linkfix.kernels.outline.Outline`.

    `decoded[i]`: the value of record i if it has entities that the document declares. `own_bases[i]`: the values of
    `xml:base` that apply to record i, outermost first. `policies`, `head_count`: see `linkfix.kernels.outline.Outline`.
    `error`: message and byte offset of the error that ended parsing, or None. `left_alone`: the entities (name, byte
    offset) whose surrounding text is skipped. `svg_bases`: whether `xml:base` counts if the root element is SVG's.
    `base_choice`: the base of a feed's HTML without `xml:base`; another one than the feed's is in `own_bases` too.
    """

    def __init__(
        self,
        table: RowTable,
        data: bytes,
        start: int,
        *,
        svg_bases: bool = False,
        base_choice: BaseChoice = OF_RETRIEVAL,
    ) -> None:
        self.data = data
        self.records: list[Record] = []
        self.bases: list[int] = []
        self.head_count: int = 0
        self.policies: list[tuple[int, int, int, int]] = []
        self.decoded: dict[int, str] = {}
        self.own_bases: dict[int, tuple[str, ...]] = {}
        self.error: tuple[str, int] | None = None
        self.left_alone: list[tuple[str, int]] = []
        self._table = table
        self._start = start
        self._base_stack: list[tuple[str, ...]] = [()]
        self._text: tuple[int, int, Row] | None = None
        self._depth = 0
        #: The namespace of elements without a namespace, in a format of `xml_vocabulary`; None in other documents.
        self._format: str | None = None
        self._svg_bases = svg_bases
        self._ignores_bases = False
        self._templates = 0
        self._body_depth = 0  # the depth of the open body of RSS; 0 if none is open
        self._base64: list[int] = []  # the starts of the texts in base64
        self._head_depth = 0  # the depth of the open head; 0 if none is open
        self._entities = set(_PREDEFINED)
        self._nesting_entities = 0
        self._links = None if base_choice.feed_base == "retrieval" else FeedLinks(base_choice)
        self._read()
        if self._links is not None:
            self.own_bases = self._links.bases() | self.own_bases

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.records)

    @property
    def is_data(self) -> bool:
        """Whether the document is in a format of `linkfix.html.xml_vocabulary`, not a page or a picture."""
        return self._format is not None

    @property
    def faults(self) -> list[tuple[str, int, str]]:
        """The unreadable parts of the document: a code of `linkfix.model.PROBLEMS`, a byte offset, and a detail."""
        errors = [] if self.error is None else [("xml-not-well-formed", self.error[1], self.error[0])]
        encoded = [("content-base64", offset, "") for offset in self._base64]
        return [*errors, *encoded, *(("xml-entity", offset, f"&{name};") for name, offset in self.left_alone)]

    def record(self, number: int) -> Record:
        """The record with this number."""
        return self.records[number]

    def _read(self) -> None:
        parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        parser.ordered_attributes = True
        parser.specified_attributes = True
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.ProcessingInstructionHandler = self._instruction
        parser.EntityDeclHandler = self._entity
        self._defaults = AttributeDefaults(len(self.data))
        parser.AttlistDeclHandler = self._defaults.declare
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
        parser.ExternalEntityRefHandler = self._external
        self._parser = parser
        if b"\0" in self.data[self._start : self._start + 2]:  # expat would take it for UTF-16
            self.error = (expat.errors.XML_ERROR_INVALID_TOKEN, self._start)
            return
        try:
            parser.Parse(self.data[self._start :], True)
        except expat.ExpatError as error:
            self.error = (_ERRORS.get(error.code) or expat.ErrorString(error.code), self._position())
        except _RefusedError as error:
            self.error = (error.message, error.position)
        except TooManyDefaults as error:
            self.error = (str(error), self._position())
        del self._parser

    def _position(self) -> int:
        """Expat's current byte offset, moved back to the start of a character: an error can be inside a character."""
        at = self._start + max(self._parser.CurrentByteIndex, 0)
        while self._start < at < len(self.data) and self.data[at] & 0xC0 == 0x80:
            at -= 1
        return at

    def _entity(self, name: str, parameter: bool, value: str | None, *_external: str | None) -> None:
        if not parameter and value is not None:
            self._entities.add(name)
        self._nesting_entities += value is not None and ("&" in value or "%" in value)
        if self._nesting_entities > _MAX_NESTING_ENTITIES:
            message = f"more than {_MAX_NESTING_ENTITIES:,} entities refer to others"
            raise _RefusedError(message, self._position())

    def _external(self, context: str | None, _base: str | None, _system: str | None, public: str | None) -> int:
        """Declare XHTML's entities for its public identifiers; fetch nothing."""
        if context is None and public in _XHTML_PUBLIC_IDENTIFIERS:
            inner = self._parser.ExternalEntityParserCreate(context, "utf-8")
            inner.EntityDeclHandler = None
            inner.Parse(_external_subset(), True)
            self._entities.update(_xhtml_entities())
        return 1

    def _instruction(self, target: str, _text: str) -> None:
        if target != "xml-stylesheet" or self._depth:
            return
        at = self._position()
        instruction_end = self.data.find(b"?>", at)  # even inside quotation marks: instructions do not have them
        for name, start, end, quote in self._raw_attributes(at):
            if name == b"href" and end < instruction_end:
                self._push(STYLESHEET, start, end, at, quote=quote)

    def _push(self, row: Row, start: int, end: int, tag_start: int, **more: Any) -> None:
        number = len(self.records)
        if row.role == "base":
            self.bases.append(number)
        bases = self._base_stack[-2 if row is XML_BASE else -1]
        if bases:
            self.own_bases[number] = bases
        if (
            self._links is not None
            and row is not XML_BASE
            and (row.syntax == "html" or not self._is_data(row.namespace))
        ):
            self._links.add_content(number)
        in_template = self._templates > 0
        self.records.append(
            Record(row, start, end, tag_start, more.pop("quote", UNQUOTED), in_template=in_template, **more)
        )

    def _start_element(self, name: str, pairs: list[str]) -> None:
        self._depth += 1
        self._defaults.meet_tag()
        at = self._position()
        uri, _, local = name.rpartition(" ")
        if self._depth == 1:
            self._format = xml_vocabulary.format_of(uri, local)
            self._ignores_bases = NAMESPACES.get(uri) == "svg" and not self._svg_bases
        namespace, element = self._names(uri, local)
        if self._links is not None:
            self._links.begin(namespace, element, self._depth)
        spans = self._attribute_spans(at, pairs)
        if self._text is not None and self._is_data(self._text[2].namespace):
            self._text = None  # an element with child elements holds neither a URL nor escaped HTML
        self._end_text(at)
        bases = self._base_stack[-1]
        shallow = len(bases) <= MAX_NESTED_XML_BASES
        own: tuple[str, ...] = ()
        if shallow and self._has_xml_base(namespace):
            own = tuple(value for key, value, *_ in spans if key == "xml:base")
        self._base_stack.append(bases + own)
        if self.data[at : at + 1] == b"<" and shallow:  # otherwise it is in an entity
            self._record_element(at, namespace, element, spans)
        if name == _TEMPLATE:
            self._templates += 1
        elif name == _HEAD:
            self._head_depth = self._head_depth or self._depth

    def _names(self, uri: str, local: str) -> tuple[str, str]:
        """An element's namespace and name in the vocabulary; the namespace is "" if the element has no rows."""
        if uri in NAMESPACES:
            namespace = NAMESPACES[uri]
            # The vocabulary has SVG's elements in lower case, as in HTML; other names are case-sensitive, as in XML.
            return namespace, ascii_lower(local) if namespace == "svg" else local
        if self._format is None:
            return "", local
        namespace = xml_vocabulary.NAMESPACES.get(uri, "") if uri else self._format
        if self._body_depth and namespace == xml_vocabulary.BODY[0]:
            return "html", local  # the XHTML in RSS's body often has no namespace
        if (namespace, local) == xml_vocabulary.BODY:
            self._body_depth = self._depth
        return namespace, xml_vocabulary.qualified_name(namespace, local)

    def _has_xml_base(self, namespace: str) -> bool:
        """Whether `xml:base` counts on an element: in SVG (SVG 1.1 §5.3.1) and everywhere in a feed (RFC 4287 §2)."""
        return (namespace == "svg" and not self._ignores_bases) or self._format is not None

    @staticmethod
    def _is_data(namespace: str) -> bool:
        """Whether `xml_vocabulary` defines the rows of a namespace."""
        return namespace not in {"html", "svg", "mathml"}

    def _record_element(
        self, at: int, namespace: str, element: str, spans: list[tuple[str, str, int, int, int]]
    ) -> None:
        """Record the element's attributes; its text is recorded when the text ends."""
        values = {key: value for key, value, *_ in spans}
        if element == "meta" and namespace == "html" and self._head_depth and not self._templates:
            self._record_policy(at, spans, values)
        for key, value, start, end, quote in spans:
            is_base = key == "xml:base" and self._has_xml_base(namespace)
            row = XML_BASE if is_base else self._table.row(namespace, element, key, values)
            # A BASE element in a feed's entry does not belong to a page.
            if row is not None and not (row.role == "base" and self._format is not None):
                self._decode(value, start, end)
                self._push(row, start, end, at, quote=quote)
                self._take_link(row, value, values)
        row = self._table.row(namespace, element, "", values)
        if self._format is not None and xml_vocabulary.is_base64(self._table, namespace, element, values):
            end = self._tag_end(at)
            if self.data[end - 2 : end] != b"/>" and not self.data.startswith(b"</", end):
                self._base64.append(end)
        elif row is not None:
            self._text = (self._tag_end(at), at, row)

    def _record_policy(self, at: int, spans: list[tuple[str, str, int, int, int]], values: dict[str, str]) -> None:
        """Keep the policy that a meta in the head states (HTML §4.2.5.3)."""
        if ascii_lower(values.get("http-equiv", "")) == "content-security-policy":
            self.policies += ((at, start, end, quote) for key, _, start, end, quote in spans if key == "content")

    def _decode(self, value: str, start: int, end: int) -> None:
        """Keep the value as expat decodes it if it has entities that the document type declares.

        Raises `_RefusedError` for an undeclared entity.
        """
        entities = {name.decode("utf-8") for name in _ENTITY.findall(self.data, start, end)}
        if not entities <= self._entities:
            message = "an entity that the document does not declare"
            raise _RefusedError(message, start)
        if not entities <= _PREDEFINED:
            self.decoded[len(self.records)] = value

    def _raw_attributes(self, at: int) -> Iterator[tuple[bytes, int, int, int]]:
        """The attributes of the tag or processing instruction at `at`: name, value start, value end, quote."""
        match = _TAG.match(self.data, at)
        while match is not None:
            match = _ATTRIBUTE.match(self.data, match.end())
            if match is not None:
                group = 2 if match.start(2) >= 0 else 3
                yield match[1], *match.span(group), QUOTATION_MARK if group == 2 else APOSTROPHE

    def _attribute_spans(self, at: int, pairs: list[str]) -> list[tuple[str, str, int, int, int]]:
        """The tag's attributes: name (as in the vocabulary), decoded value, value start, value end, quote."""
        raw = (one[1:] for one in self._raw_attributes(at) if one[0] != b"xmlns" and not one[0].startswith(b"xmlns:"))
        found = []
        for name, value, span in zip(pairs[::2], pairs[1::2], raw, strict=False):
            uri, _, local = name.rpartition(" ")
            prefix = _PREFIXES.get(uri, uri + " ")
            found.append((prefix + local, value, *span))
        return found

    def _tag_end(self, at: int) -> int:
        """The position past the ">" of the start tag at `at`."""
        position = at
        for _name, _start, end, _quote in self._raw_attributes(at):
            position = end + 1
        return self.data.index(b">", position) + 1

    def _end_element(self, name: str) -> None:
        self._end_text(self._position())
        if name == _TEMPLATE:
            self._templates -= 1
        elif self._depth == self._head_depth:
            self._head_depth = 0
            self.head_count = len(self.records)
        if self._depth == self._body_depth:
            self._body_depth = 0
        if self._links is not None:
            self._links.end(self._depth)
        self._base_stack.pop()
        self._depth -= 1

    def _end_text(self, end: int) -> None:
        """Record the current text: it ends at the next tag, as in HTML's foreign content."""
        if self._text is None:
            return
        start, at, row = self._text
        self._text = None
        if self._is_data(row.namespace):
            self._end_data(start, end, at, row)
            return
        entities = _ENTITY.findall(_LITERAL.sub(b"", self.data[start:end]))
        # A text with other entities is skipped: its positions are not known.
        if start <= end and all(one.decode("utf-8") in _PREDEFINED for one in entities):
            self._push(row, start, end, at, text=True, foreign=True)

    def _end_data(self, start: int, end: int, at: int, row: Row) -> None:
        """Record the text of a format's own element.

        Skip a text with an entity that the document declares: the positions in it are not known.
        """
        text = self.data[start:end]
        if not text.strip():
            return
        for match in _ENTITY.finditer(_LITERAL.sub(b"", text)) if b"&" in text else ():
            name = match[1].decode("utf-8")
            if name not in _PREDEFINED and (name in self._entities or name not in _xhtml_entities()):
                self.left_alone.append((name, start))
                return
        self._push(row, start, end, at, text=True, foreign=True, sections=True)
        if self._links is not None and row.syntax == "url":
            self._take_link(row, XmlText(self.data, self.records[-1], STR, STR).text, {})

    def _take_link(self, row: Row, url: str, values: Mapping[str, str]) -> None:
        """Keep the URL of the current element if it is a link of the feed or an item. `values`: its attributes."""
        if self._links is not None:
            self._links.add_link(row, url, values, self._depth, self._base_stack[-1])


# The text of an XML element: runs of text and CDATA sections, read as one text and escaped each in its own way.


#: The contents of an element without children: CDATA sections, comments, instructions, runs of text (XML 1.0 §3.1).
_PIECES = re.compile(rb"<!\[CDATA\[(.*?)\]\]>|<!--.*?-->|<\?.*?\?>|([^<]++)", re.DOTALL)

#: The delimiters of a CDATA section. The closing delimiter is not allowed in text either (XML 1.0 §2.4).
_OPEN, _CLOSE = "<![CDATA[", "]]>"

#: Characters that XML forbids, even as references (XML 1.0 §2.2).
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class XmlText(Value):
    """The text of a record that has `sections`; see `Value`. The document is well-formed up to the record's end."""

    def __init__(self, data: bytes, record: Record, encoding: Encoding, output: Encoding) -> None:
        piece = record._replace(sections=False)
        pieces = []
        for match in _PIECES.finditer(data, record.start, record.end):
            for group, foreign in ((1, False), (2, True)):
                start, end = match.span(group)
                if start < end:
                    one = piece._replace(start=start, end=end, foreign=foreign)
                    pieces.append(Value(data, one, encoding, output, xml=True))
        self._pieces = pieces or [Value(data, piece._replace(end=piece.start), encoding, output, xml=True)]
        #: The start of each piece in the text.
        self._starts = [0, *accumulate(len(piece.text) for piece in self._pieces)]
        self.record = record
        self.encoding = encoding
        self._output = output
        self.xml = True
        self.raw: bytes = data[record.start : record.end]
        self.undecodable = False  # expat stops at bytes that are not UTF-8
        self._text = "".join(piece.text for piece in self._pieces)

    @property
    def text(self) -> str:
        """The decoded value."""
        return self._text

    def _piece(self, position: int) -> int:
        """The number of the piece with the character at `position`; at the end, the last piece's number."""
        return min(bisect_right(self._starts, position), len(self._pieces)) - 1

    def at(self, position: int) -> int:
        """The byte offset in the document of the character at a position in the text."""
        number = self._piece(position)
        return self._pieces[number].at(position - self._starts[number])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The byte offsets in the document of the text from `start` to `end`.

        They are in the same piece if the text is in one piece.
        """
        last = self._piece(max(start, end - 1))
        return self.at(start), self._pieces[last].at(end - self._starts[last])

    def write(self, text: str, start: int, end: int) -> bytes:
        """The bytes that replace the characters from `start` to `end`, so that the value reads `text` there.

        These characters can begin and end in pieces of different kinds. Then the last character of `text` is written as
        in the last piece, and the rest as in the first piece.
        """
        first, last = self._piece(start), self._piece(max(start, end - 1))
        piece, other = self._pieces[first], self._pieces[last]
        behind = piece.decoded.raw_at(start - self._starts[first])
        ahead = other.decoded.raw_at(end - self._starts[last])
        before, after = piece.source[max(0, behind - 2) : behind], other.source[ahead : ahead + 2]
        text = _FORBIDDEN.sub(lambda match: percent_encode(match[0], errors="surrogatepass"), text)
        write, write_last = (self._in_text if one.record.foreign else self._in_section for one in (piece, other))
        if piece.record.foreign == other.record.foreign:
            written = write(text, before, after)
        else:
            change = _OPEN if piece.record.foreign else _CLOSE
            written = write(text[:-1], before, "") + change + write_last(text[-1:], "", after)
        return self.encoding.encode(written, "strict")

    def _in_text(self, text: str, before: str, after: str) -> str:
        """The escaped `text` for a run of text. `before`, `after`: the adjacent source characters."""
        text = escape_text(text).replace("\r", "&#13;")
        if not text.isascii():
            text = "".join(character if self._can_stand(character) else f"&#{ord(character)};" for character in text)
        if _CLOSE not in before + text + after:
            return text
        return f"{text[:-1]}&#93;" if text else _OPEN + _CLOSE

    def _in_section(self, text: str, before: str, after: str) -> str:
        """The escaped `text` for a CDATA section. `before`, `after`: the adjacent source characters."""
        if text.isascii() and ">" not in text + after and "\r" not in text:
            return text
        written = []
        tail = before
        for character in text:
            if not self._can_stand(character) or character == "\r":
                written.append(f"{_CLOSE}&#{ord(character)};{_OPEN}")
                tail = ""
                continue
            if tail + character == _CLOSE:
                written.append(_CLOSE + _OPEN)
            written.append(character)
            tail = (tail + character)[-2:]
        if _CLOSE in tail + after:
            written.append(_CLOSE + _OPEN)
        return "".join(written)

    def _can_stand(self, character: str) -> bool:
        """Whether the document's encoding can encode a character."""
        return character.isascii() or self._can_encode(character)
