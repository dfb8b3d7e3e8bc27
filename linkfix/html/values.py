"""The text of a raw value, the byte offset of each position in it, and the raw value of a new text.

A value is decoded twice: from the document's encoding, and from character references. A new text is escaped and then
encoded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from urllib.parse import quote

from linkfix.encodings.character_references import Decoded, decode
from linkfix.encodings.encoding import Encoding
from linkfix.kernels.constants import APOSTROPHE, NO_VALUE, QUOTATION_MARK, UNQUOTED
from linkfix.kernels.outline import Record
from linkfix.lazy import cached_value, lazy_pattern

# Character references: escaping.


_ESCAPED_QUOTES = {QUOTATION_MARK: "&quot;", APOSTROPHE: "&#39;"}

_UNQUOTED = lazy_pattern("[\t\n\f\r >\"'<`]")


def has_bare_ampersands(raw: str) -> bool:
    """Whether a raw value has "&", but no "&amp;"."""
    return "&" in raw and "&amp;" not in raw


def escape_attribute(text: str, quote: int, *, bare_ampersands: bool = False, following: str = "") -> str:
    """The raw value of an attribute whose decoded value is `text`. `quote`: its quotation mark as a byte, or UNQUOTED.

    `bare_ampersands`: do not escape "&" where that is safe. `following`: the next character in the raw value.
    """
    if not bare_ampersands or decode(text + following).text != text + following:
        text = text.replace("&", "&amp;")
    if quote != UNQUOTED:
        return text.replace(chr(quote), _ESCAPED_QUOTES[quote]).replace(
            "\r", "&#13;"
        )  # §13.2.3.5: a CR would become LF
    return _UNQUOTED.sub(lambda match: f"&#{ord(match[0])};", text)


def separator(reference: str, raw: str, *, in_attribute: bool) -> str:
    """A semicolon if raw text after a character reference without a semicolon would change its meaning; else "".

    >>> separator("&quot", "https://h/", in_attribute=True), separator("&#39", "https://h/", in_attribute=True)
    (';', '')
    """
    if not reference or reference.endswith(";"):
        return ""
    longest = 40  # no name is longer; for digits, the first one decides
    ends = decode(reference + raw[:longest], in_attribute=in_attribute).raw_after
    return "" if ends and ends[0] == len(reference) else ";"


def escape_in_comment(raw: str, form: str, following: str) -> str:
    """The raw text `raw` without the ends of comments: `-->` and `--!>`. `form`: of an escaped character's number.

    `following`: the next character in the document.

    >>> escape_in_comment("a-->b--", "&#{};", ">")
    'a--&#62;b-&#45;'
    """
    raw = raw.replace(">", form.format(ord(">")))
    if raw[-1:] in {"-", "!"} and following in {">", "!", "-"}:
        return raw[:-1] + form.format(ord(raw[-1]))
    return raw


def escape_text(text: str) -> str:
    """The raw text of a foreign element whose decoded text is `text`."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# In no ASCII-compatible encoding is a trailing byte below 0x30, or from 0x3A to 0x3F. Syntaxes end references only at
# these bytes: ">" ends a tag in a srcdoc document.
_CHUNK = lazy_pattern(rb"[\x00-\x2f\x3a-\x3f]+|[^\x00-\x2f\x3a-\x3f]+")

_UTF_8_CHUNK = lazy_pattern(rb"[\x00-\x7f]+|[^\x00-\x7f]+")


def byte_offsets(raw: bytes, source: str, encoding: Encoding) -> Callable[[int], int]:
    """Return a function of i: the number of bytes of `raw` that encode the first i code points of `source`.

    `source`: the decoding of `raw`. The function is fast for ascending arguments. If `raw` has bytes that are not valid
    in the encoding, the function is exact only at delimiters (00 to 2F, 3A to 3F; in UTF-8, 00 to 7F). Elsewhere it
    returns the offset of a delimiter.
    """
    if len(raw) == len(source):
        return lambda position: position
    encoded = encoding.encode(source, "replace")
    # A lone surrogate of a str has the same number of bytes as U+FFFD.
    if encoded == raw or (encoding.source == "str" and len(encoded) == len(raw)):
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
    """Return a function of i: the number of code points in the first i bytes of the UTF-8 `data`.

    The function is fast for ascending arguments.
    """
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


def _in_json(text: str) -> str:
    import json  # few documents have such a character

    return json.dumps(text)[1:-1]


def _as_references(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)


#: A syntax -> the function that escapes a character that the encoding lacks, in an element's text.
_UNENCODABLE: Mapping[str, Callable[[str], str]] = {
    "css": lambda text: "".join(f"\\{ord(character):x} " for character in text),
    "html": _as_references,
    "conditional-comment": _as_references,
    "json": _in_json,
    "text": quote,
    "robots": quote,
    "source-map": quote,
    "css-source-map": quote,
    "markdown": quote,
}


class Value:
    """The value of a record: its text, the byte offsets of positions in it, and the raw value of a new text.

    `output`: the encoding of the output document, if it differs from the encoding of `data`.
    `escapes`: write "&" as "&amp;" even where HTML allows both. XML (`xml`) always requires it.
    `in_comment`: the value is in a comment, which a new text must not end.
    `text`: the decoded value, if it has entities that an XML document declares. Then only its start and end have
    offsets.
    `undecodable`: the raw value has bytes that are not valid in the encoding.
    """

    def __init__(
        self,
        data: bytes,
        record: Record,
        encoding: Encoding,
        output: Encoding | None = None,
        *,
        xml: bool = False,
        escapes: bool = False,
        in_comment: bool = False,
        text: str | None = None,
    ) -> None:
        self.record = record
        self.encoding = encoding
        self._output = output or encoding
        self.xml = xml
        self._escapes = escapes or xml
        self._in_comment = in_comment
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
    def damage(self) -> str:
        """The problem of references in which the value has U+FFFD; "" if the value says U+FFFD itself, or nowhere."""
        if not self.undecodable:
            return ""
        return "lone-surrogate" if self.encoding.source == "str" else "undecodable"

    @property
    def text(self) -> str:
        """The decoded value."""
        return self.decoded.text

    def at(self, position: int) -> int:
        """The byte offset in the document of a position in the text."""
        if self._offset is None:
            self._offset = byte_offsets(self.raw, self.source, self.encoding)
        return self.record.start + self._offset(self.decoded.raw_at(position))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The byte offsets in the document of the text from `start` to `end`."""
        return self.at(start), self.at(end)

    @cached_value
    def _bare_ampersands(self) -> bool:
        return not self._escapes and has_bare_ampersands(self.source)

    def write(self, text: str, start: int, end: int) -> bytes:
        """The bytes that replace the characters from `start` to `end`, so that the value reads `text` there."""
        record = self.record
        if not record.text:
            if record.quote == NO_VALUE:
                text = '="' + escape_attribute(text, QUOTATION_MARK) + '"'
            elif record.quote == UNQUOTED and record.start == record.end:
                text = '"' + escape_attribute(text, QUOTATION_MARK) + '"'
            else:
                after = self.decoded.raw_at(end)
                following = self.source[after : after + 1]
                bare = self._bare_ampersands
                text = escape_attribute(text, record.quote, bare_ampersands=bare, following=following)
                text = self._separator(start, text) + text
            if self._in_comment:
                text = escape_in_comment(text, "&#{};", self._following(end))
            return self._encode(text.replace("<", "&lt;") if self.xml else text, "xmlcharrefreplace")
        if record.foreign:
            text = escape_text(text)
            return self._encode(self._separator(start, text) + text, "xmlcharrefreplace")
        if self._in_comment:
            text = escape_in_comment(text, "%{:02X}", self._following(end))  # a URL in CSS, JSON or a script
        return self._encode(text, record.row.syntax if record.row.syntax in _UNENCODABLE else "json")

    def _following(self, end: int) -> str:
        """The character after the raw text that ends at `end`: after an unquoted value, potentially the tag's end."""
        after = self.decoded.raw_at(end)
        is_unquoted = not self.record.text and self.record.quote == UNQUOTED
        return self.source[after : after + 1] or (">" if is_unquoted else "")

    def can_write(self, text: str) -> bool:
        """Whether the encoding has all characters of `text`, or the place another way to write them than "%"."""
        escapes = self.record.text and not self.record.foreign
        if not escapes or _UNENCODABLE.get(self.record.row.syntax) is not quote:
            return True
        return all(map(self._can_encode, text))

    def write_within(self, write: Callable[[str], bytes], start: int, end: int, url: str) -> bytes:
        """The bytes that `Value.write` returns for the result of `write(url)`: the value is a document with `url`."""
        return self.write(write(url).decode("utf-8", "surrogatepass"), start, end)

    def _separator(self, start: int, raw: str) -> str:
        """The separator between a character reference that ends at `start` and the raw text written there."""
        reference = self.decoded.reference_before(self.source, start)
        return separator(reference, raw, in_attribute=not self.record.text)

    def _encode(self, text: str, errors: str) -> bytes:
        if text.isascii():
            return text.encode("ascii")
        if errors in _UNENCODABLE:
            escape = _UNENCODABLE[errors]
            text = "".join(c if self._can_encode(c) else escape(c) for c in text)
            errors = "strict"
        return self.encoding.encode(text, errors)

    def _can_encode(self, character: str) -> bool:
        try:
            self._output.encode(character)
        except UnicodeEncodeError:
            return False
        return True
