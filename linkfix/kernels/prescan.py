"""The prescan for an HTML document's encoding: HTML §13.2.3.2, "prescan a byte stream to determine its encoding".

The steps are the standard's. Besides the encoding, they return the position of its declaration and the unknown labels,
which they ignored. Offsets are in bytes, from the start of the data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.encoding import get_encoding
from linkfix.kernels.names import NameTable
from linkfix.kernels.tokenizer import Tokenizer
from linkfix.lazy import lazy_pattern

if not cython.compiled:
    from linkfix.kernels.bytesearch import begins_with, find_byte
    from linkfix.kernels.constants import EQUALS, EXCLAMATION_MARK, GREATER_THAN, LESS_THAN, QUESTION_MARK, SLASH
    from linkfix.kernels.tokenizer import EOF, START


class Label(NamedTuple):
    """An unknown encoding label."""

    label: bytes
    """The label as written."""
    origin: str
    """The kind of declaration: "meta charset", "transport charset", …"""
    offset: int
    """The start of the label."""


class Declaration(NamedTuple):
    """A declaration of an encoding."""

    name: str
    """The encoding's name, in lower case."""
    origin: str
    """The kind of declaration: "meta charset", "XML declaration", …"""
    offset: int
    """The start of the label."""


# Classes of bytes, as bits.
SPACE = 1  # ASCII whitespace
SPACE_OR_SLASH = 2
ENDS_NAME = 4  # ASCII whitespace / > =
ENDS_UNQUOTED = 8  # ASCII whitespace >
QUOTE = 16
ALPHA = 32


def _classes() -> bytes:
    table = bytearray(256)
    for bits, members in (
        (SPACE | SPACE_OR_SLASH | ENDS_NAME | ENDS_UNQUOTED, b"\t\n\f\r "),
        (SPACE_OR_SLASH | ENDS_NAME, b"/"),
        (ENDS_NAME | ENDS_UNQUOTED, b">"),
        (ENDS_NAME, b"="),
        (QUOTE, b"\"'"),
        (ALPHA, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    ):
        for byte in members:
            table[byte] = bits
    return bytes(table)


CLASS = _classes()

#: Step 2, "prescan for UTF-16 XML declarations".
UTF_16_XML = {b"<\0?\0x\0": "utf-16le", b"\0<\0?\0x": "utf-16be"}

#: The encodings that replace declared encodings: steps 14 and 15 of `<meta`, step 17 of the XML encoding.
NOT_UTF_16 = {"utf-16le": "utf-8", "utf-16be": "utf-8"}
REPLACEMENTS = {
    "meta charset": {**NOT_UTF_16, "x-user-defined": "windows-1252"},
    "meta http-equiv": {**NOT_UTF_16, "x-user-defined": "windows-1252"},
    "XML declaration": NOT_UTF_16,
}

#: Extracting an encoding from a meta's content: steps 2 to 5, and the end of an unquoted value in step 6.
CHARSET = lazy_pattern(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)
UNQUOTED_END = lazy_pattern(rb"[\t\n\f\r ;]")
#: "Get an XML encoding", steps 5 to 15.
XML_ENCODING = lazy_pattern(rb"encoding[\x00-\x20]*=[\x00-\x20]*([\"'])([^\x00-\x20]*?)\1")

#: The tags that do not end the head. Of the end tags, those of the first eight names do not.
HEAD_TAGS = NameTable("meta script style title noscript link object base html head".split())
META_TAG, SCRIPT_TAG, STYLE_TAG, TITLE_TAG, LAST_END_TAG = 1, 2, 3, 4, 8


def prescan(data: bytes, end: int) -> tuple[Declaration | None, list[Label]]:
    """The encoding that data[:end] declares, if any, and the unknown labels before it.

    `end`: the standard's end condition, usually 1,024 bytes. Linear in `end`; never raises.
    """
    end = min(end, len(data))
    unknown: list[Label] = []
    utf_16 = UTF_16_XML.get(data[: min(end, 6)])
    if utf_16 is not None:
        return Declaration(utf_16, "UTF-16 XML declaration", 0), unknown
    return _scan(data, end, unknown) or get_an_xml_encoding(data, end, unknown), unknown


def prescan_head(data: bytes, end: int) -> Declaration | None:
    """The first meta in the head that declares an encoding, at any offset in data[:end].

    Browsers restart parsing with this encoding (HTML §13.2.3.4, "change the encoding"); Chromium only for the head.
    """
    tokenizer = Tokenizer(data, 0, end)
    while True:
        kind = tokenizer.next_tag(False)
        if kind == EOF:
            return None
        name = HEAD_TAGS.find(data, tokenizer.name_start, tokenizer.name_end)
        if not name or (kind != START and name > LAST_END_TAG):
            return None
        while tokenizer.next_attribute():
            pass
        if kind != START or tokenizer.tag_end < 0:
            continue
        if name == META_TAG:
            declaration, _ = _meta(data, tokenizer.name_end, tokenizer.tag_end, [])
            if declaration is not None:
                return declaration
        elif name == SCRIPT_TAG:
            tokenizer.script_text()
        elif name in (STYLE_TAG, TITLE_TAG):
            tokenizer.raw_text(b"style" if name == STYLE_TAG else b"title")


def may_declare(data: bytes, end: int) -> bool:
    """Whether a meta in data[:end] contains the word "charset": a fast test before the prescan."""
    end = min(end, len(data))
    at = find_byte(data, LESS_THAN, 0, end)
    while at < end:
        after = at + 1
        if begins_with(data, at, end, b"<meta"):
            after = find_byte(data, GREATER_THAN, at, end)
            if b"charset" in data[at:after].lower():
                return True
        at = find_byte(data, LESS_THAN, after, end)
    return False


def _scan(data: bytes, end: int, unknown: list[Label]) -> Declaration | None:
    """Run the steps labelled *loop* and *next byte*."""
    at = find_byte(data, LESS_THAN, 0, end)
    while 0 <= at < end - 1:
        following = data[at + 1]
        if CLASS[following] & ALPHA:
            if _is_meta(data, at, end):
                found, at = _meta(data, at + 5, end, unknown)
                if found is not None:
                    return found
            else:
                at = _skip_tag(data, at + 1, end)
        elif following == SLASH and at + 2 < end and CLASS[data[at + 2]] & ALPHA:
            at = _skip_tag(data, at + 2, end)
        elif following == EXCLAMATION_MARK and begins_with(data, at, end, b"<!--"):
            at = data.find(b"-->", at + 2, end)
        elif following in (EXCLAMATION_MARK, SLASH, QUESTION_MARK):
            at = find_byte(data, GREATER_THAN, at + 2, end)
        if at < 0:
            return None
        at = find_byte(data, LESS_THAN, at + 1, end)
    return None


def _is_meta(data: bytes, at: int, end: int) -> bool:
    """Whether `<meta` and ASCII whitespace or a slash are at `at`."""
    return at + 5 < end and bool(CLASS[data[at + 5]] & SPACE_OR_SLASH) and begins_with(data, at, end, b"<meta")


def _skip_tag(data: bytes, at: int, end: int) -> int:
    """The position of the `>` of the tag whose name is at `at`; -1 if the data end before it."""
    while at < end and not CLASS[data[at]] & ENDS_UNQUOTED:
        at += 1
    name_start, name_end = at, end
    while at >= 0 and name_start < name_end:
        name_start, name_end, _, _, at = _get_an_attribute(data, at, end)
    return at


def _get_an_attribute(data: bytes, at: int, end: int) -> tuple[int, int, int, int, int]:
    """The start and end of the next attribute's name and value, and the position after it.

    Without an attribute, the name is empty and the position is the position of the `>`. It is -1 if the data end first.
    """
    while at < end and CLASS[data[at]] & SPACE_OR_SLASH:
        at += 1
    name = at
    if at < end and data[at] != GREATER_THAN:
        at += 1  # a name can begin with "="
        while at < end and not CLASS[data[at]] & ENDS_NAME:
            at += 1
    name_end = at
    if name < name_end:
        while at < end and CLASS[data[at]] & SPACE:
            at += 1
    if at >= end or name == name_end or data[at] != EQUALS:
        return name, name_end, at, at, at if at < end else -1
    at += 1
    while at < end and CLASS[data[at]] & SPACE:
        at += 1
    value = at
    if at < end and CLASS[data[at]] & QUOTE:
        at = find_byte(data, data[at], value + 1, end)
        return name, name_end, value + 1, at, at + 1 if at < end else -1
    while at < end and not CLASS[data[at]] & ENDS_UNQUOTED:
        at += 1
    return name, name_end, value, at, at if at < end else -1


def _meta(data: bytes, at: int, end: int, unknown: list[Label]) -> tuple[Declaration | None, int]:
    """Run the steps for `<meta`: return its declaration, and the position of its `>`, or -1 if the data end first."""
    charset = charset_end = content = content_end = pragma = pragma_end = -1
    while True:
        name_start, name_end, value, value_end, at = _get_an_attribute(data, at, end)
        if at < 0:
            return None, at
        if name_start == name_end:
            break
        length = name_end - name_start
        if length == 7:  # "charset" or "content"
            if charset < 0 and begins_with(data, name_start, name_end, b"charset"):
                charset, charset_end = value, value_end
            elif content < 0 and begins_with(data, name_start, name_end, b"content"):
                content, content_end = value, value_end
        elif length == 10 and pragma < 0 and begins_with(data, name_start, name_end, b"http-equiv"):
            pragma, pragma_end = value, value_end
    if charset >= 0:
        return _get_an_encoding(data, charset, charset_end, "meta charset", unknown), at
    if content >= 0 and data[pragma:pragma_end].lower() == b"content-type":
        return _extract(data, content, content_end, unknown), at
    return None, at


def _extract(data: bytes, start: int, end: int, unknown: list[Label]) -> Declaration | None:
    """The encoding declared by a meta's content data[start:end].

    HTML §2.5.3, "extracting a character encoding from a meta element".
    """
    found = CHARSET.search(data, start, end)
    if found is None or found.end() == end:
        return None
    start = found.end()
    if CLASS[data[start]] & QUOTE:
        start += 1
        end = data.find(data[start - 1], start, end)
    else:
        after = UNQUOTED_END.search(data, start, end)
        end = after.start() if after else end
    return _get_an_encoding(data, start, end, "meta http-equiv", unknown) if end >= 0 else None


def get_an_xml_encoding(data: bytes, end: int, unknown: list[Label]) -> Declaration | None:
    """Run the steps "get an XML encoding" for data[:end]. An unknown label is appended to `unknown`."""
    declaration_end = data.find(b">", 0, end) if data.startswith(b"<?xml") else -1
    at = data.find(b"encoding", 0, max(declaration_end, 0))
    found = XML_ENCODING.match(data, at, end) if at >= 0 else None
    return _get_an_encoding(data, found.start(2), found.end(2), "XML declaration", unknown) if found else None


def _get_an_encoding(data: bytes, start: int, end: int, origin: str, unknown: list[Label]) -> Declaration | None:
    label = data[start:end]
    name = get_encoding(label)
    if name is None:
        unknown.append(Label(label, origin, start))
        return None
    return Declaration(REPLACEMENTS[origin].get(name, name), origin, start)
