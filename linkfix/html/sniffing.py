"""A document's character encoding: what decides it, and where that stands.

The order is the standards': a byte order mark (Encoding §6, "decode"), the transport (HTML §13.2.3.2, CSS Syntax §3.2,
RFC 7303 §3), what the document itself declares, the format's default. Nothing is guessed from the text.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable

from linkfix.encodings.encoding import Encoding, EncodingSource
from linkfix.encodings.labels import get_encoding
from linkfix.html.prescan import Declaration, Label, get_an_xml_encoding, prescan
from linkfix.html.tokenizer import KINDS, Tokenizer
from linkfix.model import DocumentKind

__all__ = ["PRESCAN_BYTES", "sniff"]

#: How much of a document browsers are "encouraged" to look at for a declaration (HTML §13.2.3.2, CSS Syntax §3.2).
PRESCAN_BYTES = 1024
#: How far a meta is looked for in the head.
_HEAD_BYTES = 1 << 20
#: How far a meta is looked for only to report that it comes too late.
_LATE_BYTES = 65536
#: How much of a label that is none is repeated in a message, in bytes.
_SHOWN = 40

_BOMS = {
    b"\xef\xbb\xbf": Encoding("utf-8", "bom", "byte order mark", 3),
    b"\xfe\xff": Encoding("utf-16be", "bom", "byte order mark", 2),
    b"\xff\xfe": Encoding("utf-16le", "bom", "byte order mark", 2),
}
#: What does not end the head, for the search of a late meta.
_HEAD_END_TAGS = frozenset(b"script noscript style link meta object title base".split())
_HEAD_TAGS = _HEAD_END_TAGS | {b"html", b"head"}

_SOURCES: dict[str, EncodingSource] = {
    "transport charset": "transport",
    "meta charset": "meta",
    "meta http-equiv": "meta",
    "XML declaration": "xml-declaration",
    "UTF-16 XML declaration": "xml-declaration",
    "@charset": "css-charset",
}
#: XML 1.0 appendix F.1, "Without External Encoding Information".
_UTF_16_XML = {b"<\0?\0": "utf-16le", b"\0<\0?": "utf-16be"}
#: CSS Syntax §3.2, "determine the fallback encoding", step 2.
_AT_CHARSET = re.compile(rb'@charset "([\x00-\x21\x23-\x7F]*)";')


def sniff(data: bytes, *, transport: str | None = None, kind: DocumentKind = "html") -> Encoding:
    """The encoding of a document, and what is wrong with its declaration. Never raises on document content.

    `transport`: the label that the transport gives (a Content-Type's charset parameter). `kind`: whose rules hold.
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            return encoding
    declare, default = _KINDS[kind]
    unknown: list[Label] = []
    declaration = None
    if transport is not None:
        declaration = _transport(transport, unknown)
    if declaration is None:
        declaration, in_vain = declare(data)
        unknown += in_vain
    problems = [_unknown(label) for label in unknown]
    if declaration is None and kind == "html":
        declaration, late = _late(data, default.name)
        problems += late
    encoding = default if declaration is None else _declared(declaration)
    return dataclasses.replace(encoding, problems=(*encoding.problems, *problems)) if problems else encoding


def _html(data: bytes) -> tuple[Declaration | None, list[Label]]:
    return prescan(data, PRESCAN_BYTES)


def _xml(data: bytes) -> tuple[Declaration | None, list[Label]]:
    utf_16 = _UTF_16_XML.get(data[:4])
    if utf_16 is not None:
        return Declaration(utf_16, "UTF-16 XML declaration", 0), []
    unknown: list[Label] = []
    return get_an_xml_encoding(data, len(data), unknown), unknown


def _css(data: bytes) -> tuple[Declaration | None, list[Label]]:
    found = _AT_CHARSET.match(data, 0, PRESCAN_BYTES)
    if found is None:
        return None, []
    name = get_encoding(found[1])
    if name is None:
        return None, [Label(found[1], "@charset", found.start(1))]
    return Declaration("utf-8" if name.startswith("utf-16") else name, "@charset", found.start(1)), []


def _text(_data: bytes) -> tuple[Declaration | None, list[Label]]:
    return None, []  # a plain text declares nothing


_KINDS: dict[DocumentKind, tuple[Callable[[bytes], tuple[Declaration | None, list[Label]]], Encoding]] = {
    "html": (_html, Encoding("windows-1252", "default", "the default for HTML")),
    "xml": (_xml, Encoding("utf-8", "default", "the default for XML")),
    "css": (_css, Encoding("utf-8", "default", "the default for CSS")),
    "text": (_text, Encoding("utf-8", "default", "the default for plain text")),
}


def _transport(label: str, unknown: list[Label]) -> Declaration | None:
    given = label.encode("utf-8", "replace")
    name = get_encoding(given)
    if name is None:
        unknown.append(Label(given, "transport charset", 0))
        return None
    return Declaration(name, "transport charset", 0)


@functools.lru_cache(maxsize=1024)
def _declared(declaration: Declaration) -> Encoding:
    name, what, offset = declaration
    source = _SOURCES[what]
    where = what if source == "transport" else f"{what} at byte {offset}"
    unsupported = ("encoding-unsupported", f"{where}: an encoding that browsers replace by U+FFFD", offset)
    return Encoding(name, source, where, 0, (unsupported,) if name == "replacement" else ())


def _unknown(label: Label) -> tuple[str, str, int]:
    written = label.label[:_SHOWN].decode("utf-8", "replace")
    return "charset-unknown", f"{label.what}: {written!r} is no label of an encoding", label.offset


def _head_declaration(data: bytes) -> Declaration | None:
    """The first meta of the head that declares an encoding, wherever it is.

    Browsers restart with it: HTML §13.2.3.4, "change the encoding". As in Chromium, only the head counts.
    """
    tokenizer = Tokenizer(data, 0, min(len(data), _HEAD_BYTES))
    while True:
        kind = KINDS[tokenizer.next_tag(False)]  # noqa: FBT003 - compiled functions take no keywords
        name = data[tokenizer.name_start : tokenizer.name_end].lower()
        if kind == "EOF" or name not in (_HEAD_TAGS if kind == "start tag" else _HEAD_END_TAGS):
            return None
        while tokenizer.next_attribute():
            pass
        if kind != "start tag" or tokenizer.tag_end < 0:
            continue
        if name == b"meta":
            start = tokenizer.tag_start
            declaration, _ = prescan(data[start : tokenizer.tag_end], tokenizer.tag_end - start)
            if declaration is not None:
                return declaration._replace(offset=start + declaration.offset)
        elif name == b"script":
            tokenizer.script_text()
        elif name in {b"style", b"title"}:
            tokenizer.raw_text(name)


def _may_declare(data: bytes) -> bool:
    """Whether a meta that says "charset" stands in what is searched: a quick look before the slow one."""
    lower = data[:_LATE_BYTES].lower()
    at = lower.find(b"<meta")
    while at >= 0:
        if lower.find(b"charset", at, lower.find(b">", at)) >= 0:
            return True
        at = lower.find(b"<meta", at + 5)
    return False


def _late(data: bytes, chosen: str) -> tuple[Declaration | None, list[tuple[str, str, int]]]:
    """A meta beyond what is prescanned, if it counts all the same; and the problem of one that says something else."""
    if len(data) <= PRESCAN_BYTES:
        return None, []
    declaration = adopted = _head_declaration(data)
    if declaration is None and _may_declare(data):
        declaration, _ = prescan(data, _LATE_BYTES)
    if declaration is None or declaration.name == chosen or _SOURCES[declaration.what] != "meta":
        return adopted, []
    name, what, offset = declaration
    message = f"{what} at byte {offset} says {name}, beyond the first {PRESCAN_BYTES:,} bytes"
    message += "; who looks no further takes it" if adopted else " and the head; taken"
    return adopted, [("charset-late", f"{message} for {chosen}", offset)]
