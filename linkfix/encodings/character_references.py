"""Character references in HTML (§13.2.5.72-84): decoding with positions. `linkfix.html.values` escapes."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

_REFERENCE = lazy_pattern(r"&(?:#(?:[xX]([0-9a-fA-F]++)|([0-9]++));?|([A-Za-z0-9]{1,40}+)(;?))(?=(=?))")

#: §13.2.5.80: code points of C1 controls are read as windows-1252.
_C1 = {n: bytes([n]).decode("cp1252", "ignore") or chr(n) for n in range(0x80, 0xA0)}

#: Names of references that need no semicolon (§13.5 has each of them twice).
LEGACY_NAMES = frozenset(
    """
    Aacute aacute Acirc acirc acute AElig aelig Agrave agrave AMP amp Aring aring Atilde atilde Auml auml brvbar
    Ccedil ccedil cedil cent COPY copy curren deg divide Eacute eacute Ecirc ecirc Egrave egrave ETH eth Euml euml
    frac12 frac14 frac34 GT gt Iacute iacute Icirc icirc iexcl Igrave igrave iquest Iuml iuml laquo LT lt macr micro
    middot nbsp not Ntilde ntilde Oacute oacute Ocirc ocirc Ograve ograve ordf ordm Oslash oslash Otilde otilde Ouml
    ouml para plusmn pound QUOT quot raquo REG reg sect shy sup1 sup2 sup3 szlig THORN thorn times Uacute uacute
    Ucirc ucirc Ugrave ugrave uml Uuml uuml Yacute yacute yen yuml
    """.split()
)

_LONGEST_LEGACY = max(map(len, LEGACY_NAMES))


class Decoded(NamedTuple):
    """A text whose character references are decoded."""

    text: str
    """The decoded text."""
    after: tuple[int, ...] = ()
    """The positions in `text` where a decoded reference ends."""
    raw_after: tuple[int, ...] = ()
    """The position in the raw text where each of these references ends."""

    def raw_at(self, position: int) -> int:
        """The position in the raw text for a position in `text`; for the length of `text`, the raw text's end."""
        number = bisect_right(self.after, position) - 1
        if number < 0:
            return position
        return self.raw_after[number] + position - self.after[number]

    def reference_before(self, raw: str, position: int) -> str:
        """The character reference that ends at a position in `text`; "" if none does. `raw`: the raw text."""
        number = bisect_right(self.after, position) - 1
        if number < 0 or self.after[number] != position:
            return ""
        end = self.raw_after[number]
        return raw[raw.rindex("&", 0, end) : end]


@cache
def _texts() -> dict[str, str]:
    """The text of each named character reference; names include the semicolon, if they have one (§13.5)."""
    from html.entities import html5  # a large table, and most references are &amp;

    return html5


def _numeric(digits: str, radix: int) -> str:
    """The text of a numeric character reference (§13.2.5.80, numeric character reference end state)."""
    digits = digits.lstrip("0")
    if not digits or len(digits) > 7:
        return "\ufffd"
    code = int(digits, radix)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return _C1.get(code) or chr(code)


def _named_reference(name: str, semicolon: str, equals: str, in_attribute: bool) -> tuple[str, int] | None:
    """The text of a named reference, and the number of characters of name and semicolon that the reference uses.

    None if it is not a reference (§13.2.5.73, named character reference state).
    """
    if semicolon and name == "amp":
        return "&", 4
    texts = _texts()
    if semicolon and name + ";" in texts:
        return texts[name + ";"], len(name) + 1
    for length in range(min(len(name), _LONGEST_LEGACY), 1, -1):
        if name[:length] in LEGACY_NAMES:
            followed = length < len(name) or (equals and not semicolon)
            return None if in_attribute and followed else (texts[name[:length]], length)
    return None


def decode(raw: str, *, in_attribute: bool = True) -> Decoded:
    """Decode the character references of an attribute's value, or of text (`in_attribute=False`).

    U+0000 becomes U+FFFD, as in every value (§13.2.5.36).

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
            named = _named_reference(name, semicolon, equals, in_attribute)
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
