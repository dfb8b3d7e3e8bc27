"""Character references (HTML §13.2.5.72-84): decoding with the positions kept, and escaping."""

from __future__ import annotations

import re
from bisect import bisect_right
from html.entities import html5
from typing import NamedTuple

__all__ = ["Decoded", "decode", "escape_attribute", "escape_text"]

_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]++)|([0-9]++));?|([A-Za-z0-9]{1,40}+)(;?))(?=(=?))")

#: §13.2.5.80: code points of C1 controls mean what windows-1252 has there.
_C1 = {n: bytes([n]).decode("cp1252", "ignore") or chr(n) for n in range(0x80, 0xA0)}
#: Names that are references without a semicolon too, at most so long.
_LEGACY = {name: text for name, text in html5.items() if not name.endswith(";")}
_LONGEST_LEGACY = max(map(len, _LEGACY))


class Decoded(NamedTuple):
    """A text without its character references; `raw_at(i)` is where its i-th code point began in the raw text."""

    text: str
    after: tuple[int, ...] = ()
    raw_after: tuple[int, ...] = ()

    def raw_at(self, position: int) -> int:
        """The raw position of a position of `text` (its length means the raw text's end)."""
        number = bisect_right(self.after, position) - 1
        if number < 0:
            return position
        return self.raw_after[number] + position - self.after[number]


def _numeric(digits: str, radix: int) -> str:
    """§13.2.5.80 numeric character reference end state."""
    digits = digits.lstrip("0")
    if not digits or len(digits) > 7:
        return "\ufffd"
    code = int(digits, radix)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return _C1.get(code) or chr(code)


def _named(name: str, semicolon: str, equals: str, in_attribute: bool) -> tuple[str, int] | None:
    """§13.2.5.73 named character reference state: the text and how much of name and semicolon it takes."""
    if semicolon and name + ";" in html5:
        return html5[name + ";"], len(name) + 1
    for length in range(min(len(name), _LONGEST_LEGACY), 1, -1):
        if name[:length] in _LEGACY:
            followed = length < len(name) or (equals and not semicolon)
            return None if in_attribute and followed else (_LEGACY[name[:length]], length)
    return None


def decode(raw: str, *, in_attribute: bool = True) -> Decoded:
    """Decodes the character references of an attribute's value, or of text (`in_attribute=False`).

    U+0000 becomes U+FFFD, as it does in every value (§13.2.5.36).

    >>> decode("?a=1&copy=3&amp;b&#x2e;").text
    '?a=1&copy=3&b.'
    """
    if "\0" in raw:
        raw = raw.replace("\0", "\ufffd")
    if "&" not in raw:
        return Decoded(raw)
    pieces: list[str] = []
    after: list[int] = []
    raw_after: list[int] = []
    length = done = 0
    for match in _REFERENCE.finditer(raw):
        hexadecimal, decimal, name, semicolon, equals = match.groups()
        end = match.end()
        if name is None:
            text = _numeric(hexadecimal, 16) if hexadecimal else _numeric(decimal, 10)
        else:
            named = _named(name, semicolon, equals, in_attribute)
            if named is None:
                continue
            text = named[0]
            end = match.start() + 1 + named[1]
        pieces += (raw[done : match.start()], text)
        length += match.start() - done + len(text)
        after.append(length)
        raw_after.append(end)
        done = end
    pieces.append(raw[done:])
    return Decoded("".join(pieces), tuple(after), tuple(raw_after))


_QUOTED = {34: "&quot;", 39: "&#39;"}
_UNQUOTED = re.compile("[\t\n\f\r >\"'<`]")


def escape_attribute(text: str, quote: int, like: str = "") -> str:
    """`text` as the raw value of an attribute with that quote (34, 39; 0 for none).

    `like` is the raw value that it replaces: where that wrote "&" bare, so does the new one, if it reads back the same.
    """
    bare = "&" in like and "&amp;" not in like and decode(text).text == text
    if not bare:
        text = text.replace("&", "&amp;")
    if quote:
        return text.replace(chr(quote), _QUOTED[quote]).replace("\r", "&#13;")  # §13.2.3.5 makes a bare CR LF
    return _UNQUOTED.sub(lambda match: f"&#{ord(match[0])};", text)


def escape_text(text: str) -> str:
    """`text` as the text of a foreign element."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
