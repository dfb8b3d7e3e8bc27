"""What the heading of a MIME entity says: its fields, and the parameters, media types and URLs in them.

Fields are found, and values read, in one go each: no heading, however long or broken, takes more than linear time.
"""

from __future__ import annotations

import binascii
import re
from typing import NamedTuple

from linkfix.encodings.codecs import codec, get_encoding
from linkfix.text import undelimited

__all__ = ["MimeHeader", "heading", "media_type", "parameters", "token", "url"]

#: The fields that matter here, with their folded lines (RFC 5322 §2.2.3).
_FIELD = re.compile(
    rb"^(content-(?:type|transfer-encoding|base|location|id)|base|snapshot-content-location)[ \t]*+:"
    rb"([^\n]*+(?:\n[ \t][^\n]*+)*+)",
    re.IGNORECASE | re.MULTILINE,
)
#: A line that is neither a field, nor a folded one, nor what mailboxes put before a message.
_NO_FIELD = re.compile(rb"^(?![!-9;-~]++[ \t]*+:|[ \t]|>?From )(?=[^\r\n])", re.MULTILINE)
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
#: RFC 2557 §4.2: "[CFWS]" may follow a URI, and its §9.5 has words after a semicolon there.
_COMMENT = re.compile(rb"[ \t][;(]")


class MimeHeader(NamedTuple):
    """The fields of one heading.

    `fields`: name in lower case -> the values in order, as they are written, with line ends. `stray`: where the first
    line that is no field begins, in bytes from the heading's begin, or -1.
    """

    fields: dict[str, list[bytes]]
    stray: int

    def first(self, name: str) -> bytes | None:
        """The value that counts of a field that is allowed once: the first, as browsers and mail readers have it."""
        values = self.fields.get(name)
        return values[0] if values else None


def heading(text: bytes) -> MimeHeader:
    """Read a heading, without the empty line after it."""
    fields: dict[str, list[bytes]] = {}
    for match in _FIELD.finditer(text):
        fields.setdefault(match[1].lower().decode("ascii"), []).append(match[2])
    stray = _NO_FIELD.search(text)
    return MimeHeader(fields, stray.start() if stray else -1)


def _unfolded(value: bytes) -> bytes:
    return value.replace(b"\r\n", b"").replace(b"\n", b"").strip()


def media_type(value: bytes) -> str | None:
    """The media type of a Content-Type, lower case; None where the value has none (RFC 2045 §5.1)."""
    match = _TYPE.match(_unfolded(value))
    return f"{match[1].decode('latin-1')}/{match[2].decode('latin-1')}".lower() if match else None


def token(value: bytes) -> str:
    """The first token of a value, lower case, "" for none: a Content-Transfer-Encoding (RFC 2045 §6.1)."""
    match = _TOKEN.search(_unfolded(value))
    return match[0].decode("latin-1").lower() if match else ""


def parameters(value: bytes) -> dict[str, bytes]:
    """The parameters of a Content-Type: name in lower case -> value, with RFC 2231's pieces put together and decoded.

    The first of two with the same name counts.
    """
    pieces: dict[str, dict[int, bytes]] = {}
    for name, number, extended, written in _PARAMETER.findall(_unfolded(value)):
        text = _QUOTED_PAIR.sub(rb"\1", written[1:].removesuffix(b'"')) if written[:1] == b'"' else written
        if extended:
            if not number or int(number) == 0:
                text = text.split(b"'", 2)[-1]
            text = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text)
        pieces.setdefault(name.lower().decode("latin-1"), {}).setdefault(int(number or 0), text)
    return {name: b"".join(found[number] for number in sorted(found)) for name, found in pieces.items()}


def _decoded_word(match: re.Match[str]) -> str:
    name = get_encoding(match[1].encode("utf-8", "replace"))
    written = match[3].encode("utf-8", "replace")
    if name is None:
        return match[0]
    try:
        data = binascii.a2b_qp(written, header=True) if match[2] in "Qq" else binascii.a2b_base64(written)
    except binascii.Error:
        return match[0]
    return codec(name).decode(data)


def url(value: bytes) -> str:
    """The URL of a field, "" where it has none.

    White space of folding is removed (RFC 2017 §3.1, RFC 2557 §4.4.2), encoded-words are decoded (RFC 2557 §4.4.1), and
    so are the delimiters of `<URL:…>`, with all white space between them (RFC 1808 §3.1; Netscape wrote quotation
    marks). Other spaces are the URL's own: they become `%20`.
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
    text = _ENCODED_WORD.sub(_decoded_word, text if delimited is None else delimited).strip()
    return text.replace("\t", "").replace("\r", "").replace("\n", "").replace(" ", "%20")
