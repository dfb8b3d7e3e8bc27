"""The media type of a response: what its header fields declare, and what its first bytes make of that.

Fetch §2.2.2 "extract a MIME type" reads all values of Content-Type, MIME Sniffing §7 determines the *computed MIME
type*. Chromium reads some values and first bytes as HTML that the standards do not; those are read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from linkfix.files.media_types import RESOURCE_HEADER
from linkfix.files.xml_types import GENERIC_TYPES, XML_HEADER, XML_PAGE_TYPES, page_type
from linkfix.lazy import lazy_pattern

__all__ = ["HEADER", "DeclaredType", "MimeType", "declared_type", "extract_mime_type", "is_binary"]

#: How many bytes decide a resource's type.
HEADER = max(RESOURCE_HEADER, XML_HEADER)

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # noqa: S105 - RFC 9110 §5.6.2, no password
#: Almost every value.
_PLAIN = lazy_pattern(rf"({_TOKEN}/{_TOKEN})(?:; ?charset=({_TOKEN}))?", re.IGNORECASE)
#: RFC 9110 §5.6.4. A string that does not end ends with the value (Fetch, "collect an HTTP quoted string").
_QUOTED = r'"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?$)'
#: A member of a list (Fetch §2.2.2 "get, decode, and split").
_MEMBER = lazy_pattern(rf'(?:[^",]++|{_QUOTED})*+')
#: MIME Sniffing §4.4. White space and "(" end a subtype, as in Chromium.
_ESSENCE = lazy_pattern(rf"[\t\n\r ]*+({_TOKEN}/{_TOKEN})(?=[\t\n\r ;(]|$)")
_PARAMETER = lazy_pattern(rf";[\t\n\r ]*+([^;=]*+)(?:=({_QUOTED}|[^;]*+))?[^;]*+")
_ESCAPE = lazy_pattern(r"\\([\s\S])")
_WHITE_SPACE = "\t\n\r "

#: Says nothing, and takes nothing's place (Fetch §2.2.2).
_ANY = "*/*"
#: MIME Sniffing §7: types that leave it to the content.
_UNKNOWN = frozenset({"", _ANY, "unknown/unknown", "application/unknown"})
#: Types that servers give whatever they do not know.
_INDISTINCT = frozenset(
    {"text/plain", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/download"}
)

_OPEN = _UNKNOWN | _INDISTINCT
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

#: MIME Sniffing §7.1, the rows whose result is text/html. Chromium does not ask for a space or ">" after the name.
_HTML = lazy_pattern(
    rb"[\t\n\f\r ]*+<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)",
    re.IGNORECASE,
)
#: The other rows, and those of §6.1, §6.2 and §6.4.
_SIGNATURES = tuple(
    (lazy_pattern(pattern, re.DOTALL), type_)
    for pattern, type_ in (
        (rb"[\t\n\f\r ]*+<\?xml", "text/xml"),
        (rb"%PDF-", "application/pdf"),
        (rb"%!PS-Adobe-", "application/postscript"),
        (rb"\xfe\xff|\xff\xfe|\xef\xbb\xbf", "text/plain"),
        (rb"\0\0[\x01\x02]\0", "image/x-icon"),
        (rb"BM", "image/bmp"),
        (rb"GIF8[79]a", "image/gif"),
        (rb"RIFF.{4}WEBPVP", "image/webp"),
        (rb"\x89PNG\r\n\x1a\n", "image/png"),
        (rb"\xff\xd8\xff", "image/jpeg"),
        (rb"FORM.{4}AIFF", "audio/aiff"),
        (rb"ID3", "audio/mpeg"),
        (rb"OggS\0", "application/ogg"),
        (rb"MThd\0\0\0\x06", "audio/midi"),
        (rb"RIFF.{4}AVI ", "video/avi"),
        (rb"RIFF.{4}WAVE", "audio/wave"),
        (rb"\0.{3}ftyp", "video/mp4"),
        (rb"\x1aE\xdf\xa3", "video/webm"),
        (rb"\x1f\x8b\x08", "application/x-gzip"),
        (rb"PK\x03\x04", "application/zip"),
        (rb"Rar \x1a\x07\0", "application/x-rar-compressed"),
    )
)
_BOMS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
#: MIME Sniffing §3: *binary data bytes*.
_BINARY = lazy_pattern(rb"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]")


class MimeType(NamedTuple):
    """What a Content-Type says."""

    essence: str = ""
    """Type and subtype, lower case; "" for none."""
    charset: str | None = None
    """The charset parameter, as it is written."""

    @property
    def is_unknown(self) -> bool:
        """Whether the content is to tell the type."""
        return self.essence in _UNKNOWN


class DeclaredType(NamedTuple):
    """What is declared of a resource's type."""

    own: MimeType = MimeType()
    """By its own header."""
    identified: MimeType = MimeType()
    """What a crawler found (WARC-Identified-Payload-Type)."""
    no_sniff: bool = False
    """Whether bytes must not make a page of an unknown type (Fetch §3.6, "X-Content-Type-Options")."""

    def media_type(self, head: bytes) -> str:
        """The media type; never "". `head`: the first `HEADER` bytes of the resource, decoded."""
        essence = self.own.essence
        head = head[:HEADER]
        if self._identified_counts and (essence in _OPEN or _HTML.match(head[:RESOURCE_HEADER])):
            essence = self.identified.essence
        if essence in _UNKNOWN:
            essence = _sniff(head[:RESOURCE_HEADER], no_sniff=self.no_sniff)
        elif essence == "text/plain" and not self.no_sniff and is_binary(head):
            essence = "application/octet-stream"  # MIME Sniffing §7.2
        return (page_type(head) or essence) if essence in GENERIC_TYPES else essence

    def may_be(self, wanted: Collection[str]) -> bool:
        """Whether there are first bytes that make it one of the `wanted` media types."""
        essences = self.essences
        if not essences.isdisjoint(wanted):
            return True
        if self.own.essence in _UNKNOWN:
            return "text/plain" in wanted if self.no_sniff else bool(wanted)
        return not essences.isdisjoint(GENERIC_TYPES) and not XML_PAGE_TYPES.isdisjoint(wanted)

    @property
    def essences(self) -> frozenset[str]:
        """The essences that are declared and may count; "" for none."""
        return frozenset({self.own.essence, self.identified.essence if self._identified_counts else self.own.essence})

    @property
    def _identified_counts(self) -> bool:
        """Whether what was identified can be the type: in place of none or an indistinct one, or, where it is HTML and
        the bytes look so, of any that is not.
        """
        own, identified = self.own.essence, self.identified.essence
        return identified not in _OPEN if own in _OPEN else own not in _HTML_TYPES and identified in _HTML_TYPES


def declared_type(fields: Callable[[str], Iterable[str]], identified: Iterable[str] = ()) -> DeclaredType:
    """What is declared of a resource's type.

    `fields`: gives the values of all header fields of a name (lower case), in order. `identified`: what a crawler
    found.
    """
    options = _members(", ".join(fields("x-content-type-options")))
    no_sniff = bool(options) and options[0].strip(_WHITE_SPACE).lower() == "nosniff"
    return DeclaredType(extract_mime_type(fields("content-type")), extract_mime_type(identified), no_sniff)


def extract_mime_type(values: Iterable[str]) -> MimeType:
    """The MIME type of the values of all Content-Type fields, in order (Fetch §2.2.2 "extract a MIME type").

    >>> extract_mime_type(["text/html; charset=utf-8, text/html", "*/*"])
    MimeType(essence='text/html', charset='utf-8')
    >>> extract_mime_type(["html"])
    MimeType(essence='', charset=None)
    """
    found = MimeType()
    for value in values:
        if plain := _PLAIN.fullmatch(value):
            found = _follow(found, MimeType(plain[1].lower(), plain[2]))
            continue
        for member in _members(value):
            if essence := _ESSENCE.match(member):
                found = _follow(found, MimeType(essence[1].lower(), _charset(member, essence.end())))
    return found


def _follow(before: MimeType, found: MimeType) -> MimeType:
    """The MIME type where `found` is the value after those that gave `before`."""
    if found.essence == _ANY and before.essence not in {"", _ANY}:
        return before
    is_same = found.essence == before.essence
    return found._replace(charset=before.charset) if is_same and found.charset is None else found


def _members(value: str) -> list[str]:
    """The members of a list."""
    if not value:
        return []
    if "," not in value:
        return [value]
    members = []
    at = 0
    while member := _MEMBER.match(value, at):
        members.append(member[0])
        at = member.end() + 1
        if at > len(value):
            break
    return members


def _charset(member: str, start: int) -> str | None:
    """The first charset parameter of a MIME type whose essence ends at `start`; None where it has none, or no value."""
    at = member.find(";", start)
    while at >= 0 and (parameter := _PARAMETER.match(member, at)):
        at = parameter.end()
        value = parameter[2]
        if parameter[1].lower() == "charset" and value:
            if not value.startswith('"'):
                return value.rstrip(_WHITE_SPACE) or None
            return _ESCAPE.sub(r"\1", value[1:].removesuffix('"')) or None
    return None


def is_binary(head: bytes) -> bool:
    """Whether a resource is no text (MIME Sniffing §7.2 "rules for distinguishing if a resource is text or binary")."""
    return not head.startswith(_BOMS) and _BINARY.search(head[:RESOURCE_HEADER]) is not None


def _sniff(head: bytes, *, no_sniff: bool) -> str:
    """The type of a resource that has none (MIME Sniffing §7.1 "rules for identifying an unknown MIME type")."""
    if no_sniff:
        return "text/plain"  # as in browsers: what else it may be is no page
    if _HTML.match(head):
        return "text/html"
    for pattern, type_ in _SIGNATURES:
        if pattern.match(head):
            return type_
    return "application/octet-stream" if is_binary(head) else "text/plain"
