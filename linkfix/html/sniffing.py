"""A document's character encoding (HTML §13.2.3.2, "encoding sniffing"), and the source that decides it.

The order is the standards': a byte order mark (Encoding §6, "decode"), the transport (HTML §13.2.3.2, CSS Syntax §3.2,
RFC 7303 §3), the document's own declaration, the likely encoding (from an earlier visit: here, from a crawler), the
format's default. Nothing is guessed from the text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from linkfix.encodings.encoding import Encoding, EncodingSource, get_encoding
from linkfix.kernels.prescan import Declaration, Label, get_an_xml_encoding, may_declare, prescan, prescan_head
from linkfix.lazy import lazy_pattern
from linkfix.model import DocumentKind
from linkfix.urls import excerpt

#: The number of bytes that browsers search for a declaration (HTML §13.2.3.2, CSS Syntax §3.2).
PRESCAN_BYTES = 1024
#: The maximum number of bytes of a head to search for a meta.
_HEAD_BYTES = 1 << 20
#: The maximum number of bytes to search for a meta that browsers ignore; such a meta is only reported.
_LATE_BYTES = 65536
#: The maximum number of characters of an unknown label that a message quotes.
_QUOTED = 40

_BOMS = {
    b"\xef\xbb\xbf": Encoding("utf-8", "bom", "byte order mark", 3),
    b"\xfe\xff": Encoding("utf-16be", "bom", "byte order mark", 2),
    b"\xff\xfe": Encoding("utf-16le", "bom", "byte order mark", 2),
}
#: The first bytes of byte order marks.
_BOM_STARTS = frozenset(b"\xef\xfe\xff")
#: `Declaration.origin` -> the encoding's source.
_SOURCES: dict[str, EncodingSource] = {
    "transport charset": "transport",
    "WARC-Identified-Payload-Type": "identified",
    "meta charset": "meta",
    "meta http-equiv": "meta",
    "XML declaration": "xml-declaration",
    "UTF-16 XML declaration": "xml-declaration",
    "@charset": "css-charset",
}
#: XML 1.0 appendix F.1, "Without External Encoding Information".
_UTF_16_XML = {b"<\0?\0": "utf-16le", b"\0<\0?": "utf-16be"}
#: CSS Syntax §3.2, "determine the fallback encoding", step 2.
_AT_CHARSET = lazy_pattern(rb'@charset "([\x00-\x21\x23-\x7F]*)";')


def sniff(
    data: bytes, *, transport: str | None = None, kind: DocumentKind = "html", identified: str | None = None
) -> Encoding:
    """The encoding of a document, with the problems of its declaration. Never raises for a document.

    `transport`: the label from the transport (the charset parameter of a Content-Type). `kind`: the document's format.
    `identified`: the label that a crawler found.
    """
    if data and data[0] in _BOM_STARTS:
        for mark, encoding in _BOMS.items():
            if data.startswith(mark):
                return encoding
    find_declaration, default = _KINDS[kind]
    unknown: list[Label] = []
    declaration = None
    if transport is not None:
        declaration = _stated(transport, "transport charset", unknown)
    if declaration is None:
        declaration, ignored = find_declaration(data)
        unknown += ignored
    before = None
    if declaration is None and identified is not None:
        before = _stated(identified, "WARC-Identified-Payload-Type", unknown)
    problems = [_unknown_label(label) for label in unknown] if unknown else []
    if declaration is None and len(data) > PRESCAN_BYTES and kind == "html":
        declaration, late_problems = _late_meta(data, default.name if before is None else before.name)
        problems += late_problems
    declaration = declaration or before
    encoding = default if declaration is None else _declared_encoding(declaration)
    return replace(encoding, problems=(*encoding.problems, *problems)) if problems else encoding


def _find_in_html(data: bytes) -> tuple[Declaration | None, list[Label]]:
    return prescan(data, PRESCAN_BYTES)


def _find_in_xml(data: bytes) -> tuple[Declaration | None, list[Label]]:
    utf_16 = _UTF_16_XML.get(data[:4])
    if utf_16 is not None:
        return Declaration(utf_16, "UTF-16 XML declaration", 0), []
    unknown: list[Label] = []
    return get_an_xml_encoding(data, len(data), unknown), unknown


def _find_in_css(data: bytes) -> tuple[Declaration | None, list[Label]]:
    found = _AT_CHARSET.match(data, 0, PRESCAN_BYTES)
    if found is None:
        return None, []
    name = get_encoding(found[1])
    if name is None:
        return None, [Label(found[1], "@charset", found.start(1))]
    return Declaration("utf-8" if name.startswith("utf-16") else name, "@charset", found.start(1)), []


def _find_none(_data: bytes) -> tuple[Declaration | None, list[Label]]:
    return None, []  # the format has no declaration


#: A format -> the function that finds its declaration of an encoding, and its default encoding.
_KINDS: dict[DocumentKind, tuple[Callable[[bytes], tuple[Declaration | None, list[Label]]], Encoding]] = {
    "html": (_find_in_html, Encoding("windows-1252", "default", "the default for HTML")),
    "xml": (_find_in_xml, Encoding("utf-8", "default", "the default for XML")),
    "css": (_find_in_css, Encoding("utf-8", "default", "the default for CSS")),
    "text": (_find_none, Encoding("utf-8", "default", "the default for plain text")),
    "webmanifest": (_find_none, Encoding("utf-8", "default", "the default for JSON")),
    "json-feed": (_find_none, Encoding("utf-8", "default", "the default for JSON")),
    "robots": (_find_none, Encoding("utf-8", "default", "the default for robots.txt")),
    "javascript": (_find_none, Encoding("utf-8", "default", "the default for modules")),
    "markdown": (_find_none, Encoding("utf-8", "default", "the default for Markdown")),
    "header": (_find_none, Encoding("utf-8", "default", "the default for headers")),
    "http-header": (_find_none, Encoding("utf-8", "default", "the default for headers")),
}


def _stated(text: str, origin: str, unknown: list[Label]) -> Declaration | None:
    """The declaration by a label from outside the document; None if the label is unknown."""
    name = get_encoding(text)
    if name is None:
        unknown.append(Label(text.encode("utf-8", "replace"), origin, 0))
        return None
    return Declaration(name, origin, 0)


@functools.lru_cache(maxsize=1024)
def _declared_encoding(declaration: Declaration) -> Encoding:
    name, origin, offset = declaration
    source = _SOURCES[origin]
    where = origin if source in {"transport", "identified"} else f"{origin} at byte {offset}"
    unsupported = ("encoding-unsupported", f"{where}: browsers do not support this encoding", offset)
    return Encoding(name, source, where, 0, (unsupported,) if name == "replacement" else ())


def _unknown_label(label: Label) -> tuple[str, str, int]:
    quoted = excerpt(label.label.decode("utf-8", "replace"), _QUOTED)
    return "charset-unknown", f"{label.origin}: unknown encoding label {quoted!r}", label.offset


def _late_meta(data: bytes, chosen: str) -> tuple[Declaration | None, list[tuple[str, str, int]]]:
    """The declaration of a meta after the prescanned bytes, if browsers use it, and the problems to report.

    `chosen`: the document's encoding without this declaration.
    """
    declaration = used = prescan_head(data, min(len(data), _HEAD_BYTES))
    if declaration is None and may_declare(data, _LATE_BYTES):
        declaration, _ = prescan(data, _LATE_BYTES)
    if declaration is None or declaration.name == chosen or _SOURCES[declaration.origin] != "meta":
        return used, []
    name, origin, offset = declaration
    message = f"{origin} at byte {offset} declares {name} after the first {PRESCAN_BYTES:,} bytes"
    message += "; a parser that does not start again uses" if used else " and outside the head; browsers use"
    return used, [("charset-late", f"{message} {chosen}", offset)]
