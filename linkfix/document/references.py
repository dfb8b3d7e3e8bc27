"""Find the references of a record of the outline, each with its bytes and a way to write a new URL there.

`linkfix.document.decide` decides the target of a reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from linkfix.encodings.character_references import decode
from linkfix.encodings.encoding import Encoding
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.url import Found
from linkfix.html.values import Value
from linkfix.kernels.constants import AMPERSAND
from linkfix.kernels.outline import Record
from linkfix.kernels.tokenizer import find_attribute
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.resolvers.common import split as split_uri

# The pieces of a foreign element's text: CDATA sections, and the text between them and other markup. "<" is text if no
# tag, comment or instruction begins with it (HTML §13.2.5.6).
_PIECES = lazy_pattern(
    rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<[A-Za-z/!?][^>]*+>?|((?:[^<]++|<(?![A-Za-z/!?]))++)", re.DOTALL
)


class Reference(NamedTuple):
    """A reference in a document."""

    record: Record
    """The place of the reference."""
    value: Value
    """The value of that place, or the piece of it that contains the reference."""
    found: Found
    """The reference as its syntax found it in the value."""

    def span(self) -> tuple[int, int]:
        """The span of the reference, in bytes."""
        return self.value.span(self.found.start, self.found.end)

    def can_write_host(self, url: str) -> bool:
        """Whether the host of `url` stays as it is when written in this place.

        Some places have only percent-encoding for characters that the encoding lacks. RFC 3986 §3.2.2 decodes a
        percent-encoded host; earlier specifications do not have it, and resolvers compare hosts as they are written.
        """
        authority = split_uri(url).authority or ""
        written = self.found.escape(authority)
        return written.count("%") == authority.count("%") and self.value.can_write(written)

    def write(self, url: str) -> bytes:
        """The bytes of `url`, as written in this place."""
        text = self.found.escape(url)
        record = self.record
        if not text and not record.quote and not record.text and self.span() == (record.start, record.end):
            return b'""'  # an unquoted value cannot be empty
        return self.value.write(text, self.found.start, self.found.end)


def _is_its_text(raw: bytes) -> bool:
    """Whether a raw value of HTML is ASCII, and needs no decoding."""
    # Python finds an integer in bytes in a tenth of the time that it takes for b"&".
    return AMPERSAND not in raw and 0 not in raw and raw.isascii()


class Finder:
    """Finds the references of one document.

    `encoding`: the encoding of `data`. `output`: the encoding of the final document. `xml`: whether XML's rules hold.
    `json`: whether values are strings in JSON.
    `escapes`, `in_comment`: as in `Value`. `fallback`: the encoding of values that are not UTF-8; None: `encoding`.
    """

    def __init__(
        self,
        data: bytes,
        encoding: Encoding,
        output: Encoding,
        *,
        xml: bool,
        json: bool = False,
        escapes: bool = False,
        in_comment: bool = False,
        fallback: Encoding | None = None,
    ) -> None:
        self.data: bytes = data
        self.encoding: Encoding = encoding
        self._output = output
        self._xml = xml
        self._json = json
        self._escapes = escapes
        self._in_comment = in_comment
        self._fallback = fallback

    def references(self, record: Record, text: str | None = None) -> Iterator[Reference]:
        """A record's references. `text` is its decoded value if only the XML parser knows it."""
        find = SYNTAXES[record.row.syntax]
        for value in self._values(record, text):
            for found in find(value.text) if text is None else _as_whole_value(find(text), text):
                yield Reference(record, value, found)

    def _values(self, record: Record, text: str | None) -> Iterator[Value]:
        """The values of a record: one, or for a foreign element's text one per CDATA section and run of text."""
        if record.sections:
            value = self.value(record)
            if value.text.strip():
                yield value
            return
        if not (record.text and record.foreign):
            yield self.value(record, text)
            return
        for match in _PIECES.finditer(self.data, record.start, record.end):
            for group, foreign in ((1, False), (2, True)):
                start, end = match.span(group)
                if start < end:
                    yield self.value(record._replace(start=start, end=end, foreign=foreign))

    def text(self, record: Record) -> str:
        """The text of a record's value."""
        raw = self.data[record.start : record.end]
        is_html = not (self._xml or self._json)
        return raw.decode("ascii") if is_html and _is_its_text(raw) else self.value(record).text

    def value(self, record: Record, text: str | None = None) -> Value:
        """A record's value as one text."""
        if record.sections:
            from linkfix.html.xml_outline import XmlText  # few documents are feeds

            return XmlText(self.data, record, self.encoding, self._output)
        if self._json:
            from linkfix.html.json_feed import JsonText  # likewise

            return JsonText(self.data, record, self.encoding, self._output)
        if self._fallback is not None and not _is_utf_8(self.data[record.start : record.end]):
            return Value(self.data, record, self._fallback)
        return Value(
            self.data,
            record,
            self.encoding,
            self._output,
            xml=self._xml,
            escapes=self._escapes,
            in_comment=self._in_comment,
            text=text,
        )

    def attribute(self, record: Record, name: str) -> str | None:
        """The decoded value of another attribute of the record's tag."""
        return self.attribute_at(record.tag_start, name)

    def attribute_at(self, tag_start: int, name: str) -> str | None:
        """The decoded value of an attribute of the tag at `tag_start`."""
        start, end = find_attribute(self.data, tag_start, name.encode())
        if start < 0:
            return None
        raw = self.data[start:end]
        return raw.decode("ascii") if _is_its_text(raw) else decode(self.encoding.decode(raw)).text

    def element_name(self, record: Record) -> str:
        """The name of a record's element, from the vocabulary or the tag: in lower case, in XML without prefix."""
        row = record.row
        return row.element if row.element != "*" else self.element_at(record.tag_start, row.namespace)

    def element_at(self, tag_start: int, namespace: str) -> str:
        """The name of the element whose tag begins at `tag_start`: in lower case, in XML without prefix.

        `namespace`: the element's namespace, as in the vocabulary.
        """
        data = self.data
        end = tag_start + 1
        stops: Sequence[int] = b"\t\n\f\r />"
        while end < len(data) and data[end] not in stops:
            end += 1
        name = data[tag_start + 1 : end].lower().decode("utf-8", "replace")
        if self._xml:
            return name.rpartition(":")[2]
        if name == "image" and namespace == "html":
            return "img"  # HTML §13.2.6.4.7, 'A start tag whose tag name is "image"'
        return name.replace("\0", "\ufffd")  # HTML §13.2.5.8


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _as_whole_value(found: list[Found], text: str) -> list[Found]:
    """The only reference of a value whose parts have no offsets of their own. The whole value is written with it."""
    if len(found) != 1:
        return []
    one = found[0]
    before, after = text[: one.start], text[one.end :]
    return [one._replace(start=0, end=len(text), escape=lambda url: f"{before}{one.escape(url)}{after}")]


class Occurrence(NamedTuple):
    """A link in the working data."""

    link: Link
    """The link, with offsets in the working data."""
    span: tuple[int, int]
    """The span of its reference, in bytes."""
    write: Callable[[str], bytes]
    """Returns the bytes of a URL, as written in this place."""
