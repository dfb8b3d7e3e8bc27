"""The text of an XML element: its runs of text and its CDATA sections, read as one and written each in its own way."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from urllib.parse import quote

from linkfix.encodings.encoding import Encoding
from linkfix.html.charrefs import escape_text
from linkfix.html.record import Record
from linkfix.html.values import Value

__all__ = ["XmlText"]

#: What an element without children has: CDATA sections, comments and instructions, runs of text (XML 1.0 §3.1).
_PIECES = re.compile(rb"<!\[CDATA\[(.*?)\]\]>|<!--.*?-->|<\?.*?\?>|([^<]++)", re.DOTALL)
#: What begins and ends a CDATA section. The latter must not stand in text either (XML 1.0 §2.4).
_OPEN, _CLOSE = "<![CDATA[", "]]>"
#: Characters that XML cannot have, not even as references (XML 1.0 §2.2).
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
        #: Where each piece begins in the text.
        self._starts = [0, *accumulate(len(piece.text) for piece in self._pieces)]
        self.record = record
        self.encoding = encoding
        self._output = output
        self.xml = True
        self.raw: bytes = data[record.start : record.end]
        self.undecodable = False  # expat ends at bytes that are not UTF-8
        self._text = "".join(piece.text for piece in self._pieces)

    @property
    def text(self) -> str:
        """The decoded value."""
        return self._text

    def _piece(self, position: int) -> int:
        """The number of the piece that has the character at `position`; the last one's at the end."""
        return min(bisect_right(self._starts, position), len(self._pieces)) - 1

    def at(self, position: int) -> int:
        """The byte offset in the document of the character at a position in the text."""
        number = self._piece(position)
        return self._pieces[number].at(position - self._starts[number])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The byte offsets in the document of the text from `start` to `end`: in one piece, if the text is."""
        last = self._piece(max(start, end - 1))
        return self.at(start), self._pieces[last].at(end - self._starts[last])

    def write(self, text: str, start: int, end: int) -> bytes:
        """The bytes that mean `text` where the characters from `start` to `end` of the text stand.

        Where these begin and end in pieces of different kinds, so does what is written: its last character is of the
        last one's kind, and all else of the first one's.
        """
        first, last = self._piece(start), self._piece(max(start, end - 1))
        piece, other = self._pieces[first], self._pieces[last]
        behind = piece.decoded.raw_at(start - self._starts[first])
        ahead = other.decoded.raw_at(end - self._starts[last])
        before, after = piece.source[max(0, behind - 2) : behind], other.source[ahead : ahead + 2]
        text = _FORBIDDEN.sub(lambda match: quote(match[0], errors="surrogatepass"), text)
        write, write_last = (self._in_text if one.record.foreign else self._in_section for one in (piece, other))
        if piece.record.foreign == other.record.foreign:
            written = write(text, before, after)
        else:
            change = _OPEN if piece.record.foreign else _CLOSE
            written = write(text[:-1], before, "") + change + write_last(text[-1:], "", after)
        return self.encoding.encode(written, "strict")

    def _in_text(self, text: str, before: str, after: str) -> str:
        """What means `text` in a run of text, between what stands there."""
        text = escape_text(text).replace("\r", "&#13;")
        if not text.isascii():
            text = "".join(character if self._can_stand(character) else f"&#{ord(character)};" for character in text)
        if _CLOSE not in before + text + after:
            return text
        return f"{text[:-1]}&#93;" if text else _OPEN + _CLOSE

    def _in_section(self, text: str, before: str, after: str) -> str:
        """What means `text` in a CDATA section, between what stands there."""
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
        """Whether the document's encoding has a character."""
        return character.isascii() or self._can_encode(character)
