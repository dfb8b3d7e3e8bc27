"""The header of a MIME entity: its fields, and the media types, parameters and URLs in them.

Fields and values are each read in one pass: no header, however long or broken, takes more than linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from linkfix.html.header_fields import FALLBACK_ENCODING, HEADER_FIELDS, field_pattern
from linkfix.html.syntaxes.header_field import read_url

__all__ = [
    "SIGNATURE_FIELDS",
    "MimeHeader",
    "parse_header",
    "parse_media_type",
    "parse_parameters",
    "parse_token",
    "parse_url",
]

#: The fields that hold a signature of the message.
SIGNATURE_FIELDS = ("dkim-signature", "domainkey-signature", "arc-message-signature")
#: The fields that are read here, beside those with URLs.
_OTHERS = ("content-type", "content-transfer-encoding", "content-id")
_FIELD = field_pattern({*HEADER_FIELDS, *_OTHERS, *SIGNATURE_FIELDS})
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


def parse_url(value: bytes) -> str:
    """The URL of a field, "" where it has none: see `linkfix.html.syntaxes.header_field.read_url`.

    The value is UTF-8, or else in `FALLBACK_ENCODING`.
    """
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = FALLBACK_ENCODING.decode(value)
    read = read_url(text)
    return "" if read is None else read.reference
