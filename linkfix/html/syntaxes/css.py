"""CSS: style sheets, style attributes and presentation attributes alike; syntax "css".

The tokens are those of CSS Syntax Level 3 §4, on the text as it was before preprocessing (§3.3), so that spans are the
text's own. Tokens that hold no reference are passed over in bulk by one compiled expression; the scanner looks only at
comments, strings, escaped names, and the few names that a URL can follow. To know where a name starts is enough for
that: a run of name code points and escapes is one token, or numbers that end in a dimension, and only a run that is an
ident as a whole can equal a function's name.

What a URL can stand in (CSS Values 4 §4.5, CSS Cascade 5 §2, CSS Images 4 on `image-set()`): `url()` with and without
quotes, `src()`, `@import` with a string, and the strings of `image-set()` itself, which excludes those of a `type()`
in it. Whether the grammar allows them in that place is not asked: to correct a link that browsers ignore does no harm.
The URL of `@namespace` is a name and no reference (CSS Namespaces 3 §2).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from .css_skip import skip
from .found import Found
from .scan import past
from .url import verbatim

__all__ = ["find"]

# Building blocks. A quantifier that repeats a group is possessive, and a branch that consumes text cannot fail after
# that, so that each pattern is linear, needs no stack, and does not rely on restoring a failed iteration.
_SPACE = r"[\t\n\f\r ]"
_NAME = r"[^\x01-,./:-@\[-^`{-\x7f]"  # U+0000 is U+FFFD after preprocessing, a name code point
_INVALID_ESCAPE = r"\\[\n\f\r]"
_ESCAPE = rf"(?!{_INVALID_ESCAPE})\\(?:[0-9A-Fa-f]{{1,6}}(?:\r\n|{_SPACE})?|[^0-9A-Fa-f]|\Z)"
_STRING_ESCAPE = rf"\\(?:[0-9A-Fa-f]{{1,6}}(?:\r\n|{_SPACE})?|\r\n|[^0-9A-Fa-f]|\Z)"

_STRING = rf"(?:[^%s\\\n\f\r]++|{_STRING_ESCAPE})"

#: Inside `image-set()`, where blocks count, what the scanner need not see token by token.
_SKIP_IN_BLOCK = re.compile(
    rf"""
    (?:
        [\x01-\x20!$-&*-,.:;=>?^`|~\x7f]++
      | (?! [#@]?{_NAME}*+\\(?![\n\f\r]) | (?i:url|src|(?:-webkit-)?image-set)\( | @(?i:import|namespace)(?!{_NAME}) )
        (?: [#@]{_NAME}*+ | {_NAME}++ )
      | (?!/\*)/
      | <(?:!--)?
      | (?={_INVALID_ESCAPE})\\
    )*+
    """,
    re.ASCII | re.VERBOSE,
)
#: The longest name that matters, with a sign before it and one code point more that tells a longer name.
_LOOK_BACK = len("<!--@-webkit-image-set") + 1
_NAME_BEFORE = re.compile(rf"(?:<!--)?([#@]?{_NAME}*+)\Z")

_LINE_END_ESCAPE = re.compile(_INVALID_ESCAPE)

_NAME_TOKEN = re.compile(rf"([#@]?)((?:{_NAME}++|{_ESCAPE})++)")
_WHITE_SPACE = re.compile(rf"{_SPACE}*+")
_STRING_CONTENTS = {quote: re.compile(_STRING % quote + "*+") for quote in "\"'"}
_URL_TOKEN = re.compile(
    rf"""{_SPACE}*+((?:[^\x01-\x20"'()\\\x7f]++|{_ESCAPE})*+){_SPACE}*+(?:\)|\Z)""",
)
_BAD_URL_REMNANTS = re.compile(r"(?:[^)\\]++|\\[\s\S]?)*+")

_ESCAPED = re.compile(rf"\\(?:([0-9A-Fa-f]{{1,6}})(?:\r\n|{_SPACE})?|(\r\n|[\n\f\r])|([\s\S])|\Z)")
_REPLACED = re.compile(r"[\0\ud800-\udfff]")

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_URL_FUNCTIONS = ("url", "src")
_IMAGE_SETS = ("image-set", "-webkit-image-set")


def _decode(raw: str, at_end: str = "\ufffd") -> str:
    """The value of a name, a string or an unquoted URL (CSS Syntax 3 §3.3, §4.3.7).

    `at_end` is what a backslash at the end of the text stands for: U+FFFD, and in a string nothing.
    """

    def unescape(escape: re.Match[str]) -> str:
        digits, newline, character = escape.groups()
        if digits:
            code_point = int(digits, 16)
            return chr(code_point) if code_point <= sys.maxunicode else "\ufffd"
        return "" if newline else character or at_end

    value = _ESCAPED.sub(unescape, raw) if "\\" in raw else raw
    return _REPLACED.sub("\ufffd", value)


#: Written as hexadecimal escapes. `<` and `>` are among them so that a URL never ends the raw text element, or the
#: CDATA section, that the sheet is in.
_HEXADECIMAL = {code_point: f"\\{code_point:x} " for code_point in (*range(1, 0x20), ord("<"), ord(">"), 0x7F)}


def _escaper(backslash: str, hexadecimal: str = "") -> Callable[[str], str]:
    """An escape function in the manner of CSSOM §2.1, "serialize a string"."""
    table = _HEXADECIMAL | {ord(c): f"\\{c}" for c in backslash} | {ord(c): f"\\{ord(c):x} " for c in hexadecimal}

    def escape(url: str) -> str:
        return _REPLACED.sub("\ufffd", url).translate(table)

    return escape


_ESCAPE_IN_STRING = {'"': _escaper('"\\'), "'": _escaper("'\\")}
_escape_unquoted = _escaper("\"'()\\", " ")


def _last_candidate(text: str) -> int:
    """No reference begins in the text behind this position; -1 where there is none in it."""
    if "\\" in text:
        return len(text)  # a name may be written with escapes
    lower = text.lower() if text.isascii() else text.encode("utf-8", "surrogatepass").lower().decode("latin-1")
    last = max(map(lower.rfind, ("url(", "src(", "@import")))
    if "image-set(" in lower:
        return len(text)
    return last if last < 0 or text.isascii() else len(text)


#: The common case at one go: where no name goes on, `url()` of printable ASCII without escapes.
_PLAIN_URL = re.compile(
    r"[\t\n\f\r (),:;{}](?i:url)\([\t\n\f\r ]*+"
    r"""(?:(["'])([ !#-&(-\[\]-~]*+)\1|([!#-&*-\[\]-~]*+))"""
    r"[\t\n\f\r ]*+\)"
)


class _Scanner:
    """The state of one scan: the text, what was found, and the blocks that are open in an `image-set()`.

    `blocks` is empty outside of any `image-set()`; inside, it holds what ends each open block, and whether a string
    right in that block is a reference.
    """

    __slots__ = ("blocks", "found", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Found] = []
        self.blocks: list[tuple[str, bool]] = []

    def scan(self) -> list[Found]:
        position = 0
        last = _last_candidate(self.text)
        while True:
            if position > last:
                return self.found
            position = past(_SKIP_IN_BLOCK, self.text, position) if self.blocks else self.skip(position)
            if position == len(self.text):
                return self.found
            position = self.token(position)

    def skip(self, position: int) -> int:
        """Where the next token starts that is not passed over, outside of any `image-set()`."""
        text = self.text
        while True:
            stop = skip(text, position)
            plain = _PLAIN_URL.match(text, stop - 4) if stop - 4 >= position else None
            if plain:
                self.plain(plain)
                position = plain.end()
                continue
            if not text.startswith(("(", "\\"), stop):
                return stop
            if not _LINE_END_ESCAPE.match(text, stop):
                before = _NAME_BEFORE.search(text, max(position, stop - _LOOK_BACK), stop)
                start = before.start(1) if before else stop
                if start < stop or text[stop] == "\\":
                    return start
            position = stop + 1

    def plain(self, match: re.Match[str]) -> None:
        """The reference of a `_PLAIN_URL`."""
        quote, quoted, unquoted = match.groups()
        value = unquoted if quoted is None else quoted
        start = match.start(3 if quoted is None else 2)
        escape = _escape_unquoted if quoted is None else _ESCAPE_IN_STRING[quote]
        is_local = not value or value.startswith("#")
        self.found.append(Found(start, start + len(value), value, escape, "local" if is_local else "url"))

    def token(self, start: int) -> int:
        """Consume the token at `start`, one that is not passed over; return where it ends."""
        character = self.text[start]
        if character == "/":
            return self.comment(start)
        if character in _STRING_CONTENTS:
            is_reference = bool(self.blocks) and self.blocks[-1][1]
            return self.reference_string(start) if is_reference else self.string(start)[1]
        if character in _CLOSING:
            self.blocks.append((_CLOSING[character], False))
            return start + 1
        if character in ")]}":
            if self.blocks[-1][0] == character:
                self.blocks.pop()
            return start + 1
        return self.named(start)

    def comment(self, start: int) -> int:
        end = self.text.find("*/", start + 2)
        return end + 2 if end >= 0 else len(self.text)

    def gap(self, position: int) -> int:
        """Where the white space and comments at `position` end."""
        while True:
            position = past(_WHITE_SPACE, self.text, position)
            if not self.text.startswith("/*", position):
                return position
            position = self.comment(position)

    def string(self, start: int) -> tuple[int, int]:
        """Where the string at `start` ends, without its quote and with it; equal where it has none."""
        quote = self.text[start]
        end = past(_STRING_CONTENTS[quote], self.text, start + 1)
        return end, end + 1 if self.text.startswith(quote, end) else end

    def reference_string(self, start: int) -> int:
        """Find the reference that the string at `start` is, if there is a string; return where it ends."""
        quote = self.text[start : start + 1]
        if quote not in _STRING_CONTENTS:
            return start
        end, position = self.string(start)
        if end == position < len(self.text):
            self.fault(start + 1, end)
        else:
            self.reference(start + 1, end, _ESCAPE_IN_STRING[quote], at_end="")
        return position

    def reference(self, start: int, end: int, escape: Callable[[str], str], at_end: str) -> None:
        """A URL that starts with "#" is local; an empty one is invalid, so it stays too (CSS Values 4 §4.5)."""
        value = _decode(self.text[start:end], at_end)
        is_local = not value or value.startswith("#")
        self.found.append(Found(start, end, value, escape, "local" if is_local else "url"))

    def fault(self, start: int, end: int) -> None:
        self.found.append(Found(start, end, self.text[start:end], verbatim, "fault", "css-bad-url"))

    def name(self, start: int) -> tuple[str, str, int]:
        """The name at `start`: its sign ("#", "@" or none), its value in lower case, where it ends; empty if none."""
        token = _NAME_TOKEN.match(self.text, start)
        if token is None:
            return "", "", start
        name = _decode(token[2])
        return token[1], name.lower() if name.isascii() else name, token.end()

    def named(self, start: int) -> int:
        """Consume the name at `start`, and what belongs to it where a URL can follow."""
        sign, name, end = self.name(start)
        if sign == "@" and name == "import":
            return self.reference_string(self.gap(end))
        if sign == "@" and name == "namespace":
            return self.namespace(end)
        if not sign and self.text.startswith("(", end):
            return self.function(name, end + 1)
        return end

    def namespace(self, position: int) -> int:
        """Consume `<prefix>? [ <string> | <url> ]`, of which nothing is a reference."""
        known = len(self.found)
        position = self.gap(position)
        sign, name, end = self.name(position)
        if name and not sign and not self.text.startswith("(", end):
            position = self.gap(end)
            sign, name, end = self.name(position)
        if name in _URL_FUNCTIONS and not sign and self.text.startswith("(", end):
            position = self.function(name, end + 1)
        else:
            position = self.reference_string(position)
        del self.found[known:]
        return position

    def function(self, name: str, position: int) -> int:
        """Consume a function's start, and its first argument where that is a URL (CSS Syntax 3 §4.3.4)."""
        if name == "url":
            argument = past(_WHITE_SPACE, self.text, position)
            if self.text[argument : argument + 1] not in _STRING_CONTENTS:
                return self.unquoted_url(position)
            self.open(is_image_set=False)
            return self.reference_string(argument)
        self.open(is_image_set=name in _IMAGE_SETS)
        return self.reference_string(self.gap(position)) if name == "src" else position

    def open(self, *, is_image_set: bool) -> None:
        """Enter a function, where that matters: an `image-set()`, or anything in one."""
        if is_image_set or self.blocks:
            self.blocks.append((")", is_image_set))

    def unquoted_url(self, start: int) -> int:
        """Consume a url token, or a bad URL with its remnants (CSS Syntax 3 §4.3.6, §4.3.14)."""
        token = _URL_TOKEN.match(self.text, start)
        if token:
            self.reference(token.start(1), token.end(1), _escape_unquoted, at_end="\ufffd")
            return token.end()
        start = past(_WHITE_SPACE, self.text, start)
        end = past(_BAD_URL_REMNANTS, self.text, start)
        self.fault(start, end)
        return min(end + 1, len(self.text))


def find(text: str) -> list[Found]:
    """Find the references of a style sheet, of a declaration list or of a value.

    A URL that is empty or a fragment alone is kind "local". A bad URL, and a bad string where a URL is due, is kind
    "fault" with problem "css-bad-url"; its `reference` is the text as it stands.
    """
    return _Scanner(text).scan()
