"""From the raw bytes of a value to its text and back: where each code point stands, and how a new text is written.

A value passes two decodings, the document's encoding and character references. A span of the text is a span of the
bytes after both are undone; a new text is escaped and then encoded.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from urllib.parse import quote

from linkfix.encodings.encoding import Encoding
from linkfix.html.charrefs import Decoded, decode, escape_attribute, escape_text
from linkfix.html.outline import Record

__all__ = ["Value", "byte_offsets", "code_points"]

# No trailing byte of any ASCII-compatible encoding is below 0x30, and syntaxes end references only there or at quotes.
_CHUNK = re.compile(rb"[\x00-\x2f]+|[^\x00-\x2f]+")
_UTF_8_CHUNK = re.compile(rb"[\x00-\x7f]+|[^\x00-\x7f]+")


def byte_offsets(raw: bytes, source: str, encoding: Encoding) -> Callable[[int], int]:
    """How many bytes of `raw` the first i code points of `source`, its decoding, take.

    The function that is returned is quick for arguments that never fall. Where `raw` has bytes that are not valid in
    the encoding, offsets are exact at delimiters (all of 00 to 2F; in UTF-8, of 00 to 7F) and lie at one elsewhere.
    """
    if len(raw) == len(source):
        return lambda position: position
    if encoding.encode(source, "replace") == raw:
        done = [0, 0]

        def offset(position: int) -> int:
            if position < done[0]:
                done[:] = [0, 0]
            done[1] += len(encoding.encode(source[done[0] : position], "replace"))
            done[0] = position
            return done[1]

        return offset
    starts, ends = [0], [0]
    for match in (_UTF_8_CHUNK if encoding.name == "utf-8" else _CHUNK).finditer(raw):
        starts.append(starts[-1] + len(encoding.decode(match[0])))
        ends.append(match.end())

    def chunk_offset(position: int) -> int:
        number = bisect_right(starts, position) - 1
        return min(ends[number] + position - starts[number], ends[min(number + 1, len(ends) - 1)])

    return chunk_offset


def code_points(data: bytes) -> Callable[[int], int]:
    """How many code points the first i bytes of the UTF-8 `data` are; quick for arguments that never fall."""
    if data.isascii():
        return lambda offset: offset
    done = [0, 0]

    def count(offset: int) -> int:
        if offset < done[0]:
            done[:] = [0, 0]
        done[1] += len(data[done[0] : offset].decode("utf-8", "surrogatepass"))
        done[0] = offset
        return done[1]

    return count


#: What stands for a character that the encoding does not have, in an element's text.
_UNENCODABLE: Mapping[str, Callable[[str], str]] = {
    "css": lambda text: "".join(f"\\{ord(character):x} " for character in text),
    "json": lambda text: json.dumps(text)[1:-1],
    "text": quote,
}


class Value:
    """A record's value: its text, the byte span of a span of the text, and the bytes that stand for a new text.

    `text` is given where the record's own decoding does not tell it (entities that an XML document declares); only the
    value as a whole has a place then.
    `undecodable`: the raw bytes are not all valid in the encoding.
    """

    def __init__(
        self, data: bytes, record: Record, encoding: Encoding, *, xml: bool = False, text: str | None = None
    ) -> None:
        self.record = record
        self.encoding = encoding
        self.xml = xml
        self.raw: bytes = data[record.start : record.end]
        ascii_only = self.raw.isascii()
        self.source: str = self.raw.decode("ascii") if ascii_only else encoding.decode(self.raw)
        self.undecodable: bool = (
            not ascii_only and "\ufffd" in self.source and encoding.encode(self.source, "replace") != self.raw
        )
        if text is not None:
            self.decoded: Decoded = Decoded(text, (len(text),), (len(self.source),))
        elif record.text and not record.foreign:
            self.decoded = Decoded(self.source)
        else:
            self.decoded = decode(self.source, in_attribute=not record.text)
        self._offset: Callable[[int], int] | None = None

    @property
    def text(self) -> str:
        """The decoded value."""
        return self.decoded.text

    def at(self, position: int) -> int:
        """The document's byte offset of a position of the text."""
        if self._offset is None:
            self._offset = byte_offsets(self.raw, self.source, self.encoding)
        return self.record.start + self._offset(self.decoded.raw_at(position))

    def write(self, text: str) -> bytes:
        """The bytes that stand for `text` in this value."""
        record = self.record
        if not record.text:
            if record.quote == 1:  # an attribute without a value
                text = '="' + escape_attribute(text, 34) + '"'
            elif not record.quote and record.start == record.end:
                text = '"' + escape_attribute(text, 34) + '"'
            else:
                text = escape_attribute(text, record.quote, "" if self.xml else self.source)
            return self._encode(text.replace("<", "&lt;") if self.xml else text, "xmlcharrefreplace")
        if record.foreign:
            return self._encode(escape_text(text), "xmlcharrefreplace")
        return self._encode(text, record.row.syntax if record.row.syntax in _UNENCODABLE else "json")

    def _encode(self, text: str, errors: str) -> bytes:
        if text.isascii():
            return text.encode("ascii")
        if errors in _UNENCODABLE:
            escape = _UNENCODABLE[errors]
            text = "".join(c if self._has(c) else escape(c) for c in text)
            errors = "strict"
        return self.encoding.encode(text, errors)

    def _has(self, character: str) -> bool:
        try:
            self.encoding.encode(character)
        except UnicodeEncodeError:
            return False
        return True
