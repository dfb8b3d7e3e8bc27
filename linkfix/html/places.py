"""The markup around a byte of a page: a tag, a script, or neither.

Text that looks like a script or a tag can be in a comment, in an attribute's value or in a textarea.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from linkfix.kernels.tokenizer import KINDS, Tokenizer, attributes

#: The elements other than script whose text has no markup (HTML §13.2.6.4), for a browser that runs no scripts.
RAW_TEXT_ELEMENTS = frozenset(b"iframe noembed noframes style textarea title xmp".split())
#: The values in use of a script's type attribute that make browsers run it (HTML §4.12.1).
_SCRIPT_TYPES = frozenset({b"", b"text/javascript", b"application/javascript", b"module"})


class Place(NamedTuple):
    """The tag, script or text around a byte."""

    kind: Literal["tag", "script", "text", "other"]
    """"tag": a start tag; "script": the text of a script that browsers run; "text": text or a comment between tags;
    "other": the text of an element without markup, an end tag, or an unfinished tag at the end of the page."""
    start: int
    """The start of the tag or of the script's text, in bytes; -1 for other kinds."""
    end: int
    """The end of the tag or of the script's text, in bytes; -1 for other kinds."""


_TEXT, _OTHER = Place("text", -1, -1), Place("other", -1, -1)


def place_at(data: bytes, offset: int) -> Place:
    """The place of the byte at an offset of a page in an ASCII-compatible encoding.

    >>> place_at(b"<p><script>x()</script>", 11)
    Place(kind='script', start=11, end=14)
    >>> place_at(b'<!-- <a href="x"> -->', 7).kind
    'text'
    """
    tokenizer = Tokenizer(data, 0, len(data))
    while tokenizer.position <= offset:
        kind = KINDS[tokenizer.next_tag(False)]
        name, start = data[tokenizer.name_start : tokenizer.name_end].lower(), tokenizer.tag_start
        if kind == "EOF" or start > offset:
            return _TEXT
        while tokenizer.next_attribute():
            pass
        if kind == "end tag" or tokenizer.tag_end < 0:
            continue
        if tokenizer.tag_end > offset:
            return Place("tag", start, tokenizer.tag_end)
        if name == b"script":
            text = tokenizer.position
            end = tokenizer.script_text()
            if text <= offset < end:
                return Place("script", text, end) if _is_run(data, start) else _OTHER
        elif name in RAW_TEXT_ELEMENTS:
            tokenizer.raw_text(name)
        elif name == b"plaintext":
            break
    return _OTHER


def _is_run(data: bytes, tag_start: int) -> bool:
    types = [data[one.start : one.end] for one in attributes(data, tag_start) if one.name == "type"]
    return not types or types[0].strip().lower() in _SCRIPT_TYPES


def is_attribute_at(data: bytes, offset: int) -> bool:
    """Whether a start tag, or an attribute's name in a start tag, begins at an offset of a page."""
    place = place_at(data, offset)
    return place.kind == "tag" and (
        place.start == offset or any(one.name_start == offset for one in attributes(data, place.start))
    )
