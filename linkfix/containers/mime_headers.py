"""The header of a MIME entity: its fields, and the media types, parameters and URLs in them.

Fields and values are each read in one pass: no header, however long or broken, takes more than linear time.
"""

from __future__ import annotations

import binascii
import re

from linkfix.encodings.codecs import codec
from linkfix.encodings.labels import get_encoding
from linkfix.named_tuple import NamedTuple
from linkfix.text import undelimited

__all__ = ["MimeHeader", "parse_header", "parse_media_type", "parse_parameters", "parse_token", "parse_url"]

#: The fields that are read here, with their folded lines (RFC 5322 §2.2.3).
_FIELD = re.compile(
    rb"^(content-(?:type|transfer-encoding|base|location|id)|base|snapshot-content-location"
    rb"|(?:dkim|domainkey|arc-message)-signature)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)",
    re.IGNORECASE | re.MULTILINE,
)
#: A line that is neither a field, nor folded, nor the "From " line that mailboxes put before a message.
_STRAY_LINE = re.compile(rb"^(?![!-9;-~]++[ \t]*+:|[ \t]|>?From )(?=[^\r\n])", re.MULTILINE)
#: RFC 2045 §5.1, RFC 2231 §3-§4: `name=value`, `name*0=…`, `name*=charset'language'…`, `name*0*=…`.
_PARAMETER = re.compile(
    rb';[ \t]*+([^\s;="*]++)(?:\*(\d{1,3}))?(\*)?[ \t]*+=[ \t]*+("(?:[^"\\]|\\.)*+"?|[^\s;]*+)', re.DOTALL
)
_QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_TYPE = re.compile(rb"\s*([^\s;/()]++)\s*+/\s*+([^\s;/()]++)(?=[\s;(]|\Z)")
_TOKEN = re.compile(rb'[^\s;()"]++')
#: RFC 2047 §2; the language is RFC 2231's (§5).
_ENCODED_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([QqBb])\?([^?\s]*)\?=")
_BETWEEN_ENCODED_WORDS = re.compile(rb"(?<=\?=)[ \t]+(?==\?)")
#: RFC 2557 §4.2: "[CFWS]" may follow a URI; in the example of §9.5, a semicolon and words do.
_COMMENT = re.compile(rb"[ \t][;(]")


class MimeHeader(NamedTuple):
    """The fields of one header."""

    fields: dict[str, list[bytes]]
    """Name in lower case -> its raw values in order, with line ends."""
    stray: int
    """Where the first line that is no field begins, in bytes from the header's beginning; -1 for none."""

    def first(self, name: str) -> bytes | None:
        """The first value of a field; of one that is allowed once, browsers and mail readers take that."""
        values = self.fields.get(name)
        return values[0] if values else None


def parse_header(text: bytes) -> MimeHeader:
    """Read a header, without the empty line after it."""
    fields: dict[str, list[bytes]] = {}
    for match in _FIELD.finditer(text):
        fields.setdefault(match[1].lower().decode("ascii"), []).append(match[2])
    stray = _STRAY_LINE.search(text)
    return MimeHeader(fields, stray.start() if stray else -1)


def _unfold(value: bytes) -> bytes:
    return value.replace(b"\r\n", b"").replace(b"\n", b"").strip()


def parse_media_type(value: bytes) -> str | None:
    """The media type of a Content-Type, in lower case; None where the value has none (RFC 2045 §5.1)."""
    match = _TYPE.match(_unfold(value))
    return f"{match[1].decode('latin-1')}/{match[2].decode('latin-1')}".lower() if match else None


def parse_token(value: bytes) -> str:
    """The first token of a value, in lower case, "" for none: a Content-Transfer-Encoding (RFC 2045 §6.1)."""
    match = _TOKEN.search(_unfold(value))
    return match[0].decode("latin-1").lower() if match else ""


def parse_parameters(value: bytes) -> dict[str, bytes]:
    """The parameters of a Content-Type: name in lower case -> value, with RFC 2231's pieces joined and decoded.

    The first of two with the same name counts.
    """
    pieces: dict[str, dict[int, bytes]] = {}
    for name, number, extended, written in _PARAMETER.findall(_unfold(value)):
        text = _QUOTED_PAIR.sub(rb"\1", written[1:].removesuffix(b'"')) if written[:1] == b'"' else written
        if extended:
            if not number or int(number) == 0:
                text = text.split(b"'", 2)[-1]
            text = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text)
        pieces.setdefault(name.lower().decode("latin-1"), {}).setdefault(int(number or 0), text)
    return {name: b"".join(found[number] for number in sorted(found)) for name, found in pieces.items()}


def _decode_word(match: re.Match[str]) -> str:
    name = get_encoding(match[1].encode("utf-8", "replace"))
    written = match[3].encode("utf-8", "replace")
    if name is None:
        return match[0]
    try:
        data = binascii.a2b_qp(written, header=True) if match[2] in "Qq" else binascii.a2b_base64(written)
    except binascii.Error:
        return match[0]
    return codec(name).decode(data)


def parse_url(value: bytes) -> str:
    r"""The URL of a field, "" where it has none.

    The white space of folding is removed (RFC 2017 §3.1, RFC 2557 §4.4.2), encoded-words are decoded (RFC 2557 §4.4.1),
    and the delimiters of `<URL:…>` are removed, with all white space between them (RFC 1808 §3.1; Netscape wrote
    quotation marks). Other spaces belong to the URL and become `%20`.

    >>> parse_url(b" <URL:http://h/a\n b>"), parse_url(b" a b.html ")
    ('http://h/ab', 'a%20b.html')
    """
    pieces = []
    for line in value.split(b"\n"):
        comment = _COMMENT.search(line.rstrip(), 1)
        pieces.append((line[: comment.start()] if comment else line).strip())
        if comment:
            break
    joined = _BETWEEN_ENCODED_WORDS.sub(b"", b"".join(pieces))
    try:
        text = joined.decode("utf-8")
    except UnicodeDecodeError:
        text = joined.decode("latin-1")
    delimited = undelimited(text)
    text = _ENCODED_WORD.sub(_decode_word, text if delimited is None else delimited).strip()
    return text.replace("\t", "").replace("\r", "").replace("\n", "").replace(" ", "%20")
