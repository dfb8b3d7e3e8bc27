"""CSS: style sheets, style attributes and presentation attributes alike; syntax "css".

The tokens follow CSS Syntax Level 3 §4, on the text before preprocessing (§3.3), so that spans are correct. Tokens
without a reference are skipped in bulk (`css_skip`). The scanner reads only comments, strings, escaped names, and the
few names that a URL can follow. It only needs the start of a name: a run of name code points and escapes is one token,
or numbers that end in a dimension. Only a run that is an ident as a whole can equal a function's name.

References are (CSS Values 4 §4.5, CSS Cascade 5 §2, CSS Images 4 on `image-set()`): `url()` with and without quotes,
`src()`, the string of `@import`, and the strings directly in `image-set()`, but not the string of a `type()` in it.
References count even where the grammar does not allow them: rewriting a URL that browsers ignore does no harm. The URL
of `@namespace` is a name, not a reference (CSS Namespaces 3 §2).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from linkfix.kernels.css_skip import skip
from linkfix.lazy import lazy_pattern

from .url import Found, past, verbatim

# Quantifiers of groups are possessive, and a branch that has consumed text cannot fail, so that each pattern takes
# linear time and needs no stack.
_SPACE = r"[\t\n\f\r ]"
_NAME = r"[^\x01-,./:-@\[-^`{-\x7f]"  # U+0000 is U+FFFD after preprocessing, a name code point
_INVALID_ESCAPE = r"\\[\n\f\r]"
_ESCAPE = rf"(?!{_INVALID_ESCAPE})\\(?:[0-9A-Fa-f]{{1,6}}(?:\r\n|{_SPACE})?|[^0-9A-Fa-f]|\Z)"
_STRING_ESCAPE = rf"\\(?:[0-9A-Fa-f]{{1,6}}(?:\r\n|{_SPACE})?|\r\n|[^0-9A-Fa-f]|\Z)"

_STRING = rf"(?:[^%s\\\n\f\r]++|{_STRING_ESCAPE})"

#: The tokens in an `image-set()` that are neither blocks nor the start of a reference.
_SKIP_IN_BLOCK = lazy_pattern(
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
#: The length of the longest relevant name, plus one code point that shows whether a name is longer.
_LOOK_BACK = len("<!--@-webkit-image-set") + 1
_NAME_BEFORE = lazy_pattern(rf"(?:<!--)?([#@]?{_NAME}*+)\Z")

_LINE_END_ESCAPE = lazy_pattern(_INVALID_ESCAPE)

_NAME_TOKEN = lazy_pattern(rf"([#@]?)((?:{_NAME}++|{_ESCAPE})++)")
_WHITE_SPACE = lazy_pattern(rf"{_SPACE}*+")
_STRING_CONTENTS = {quote: lazy_pattern(_STRING % quote + "*+") for quote in "\"'"}
_URL_TOKEN = lazy_pattern(
    rf"""{_SPACE}*+((?:[^\x01-\x20"'()\\\x7f]++|{_ESCAPE})*+){_SPACE}*+(?:\)|\Z)""",
)
_BAD_URL_REMNANTS = lazy_pattern(r"(?:[^)\\]++|\\[\s\S]?)*+")

_ESCAPED = lazy_pattern(rf"\\(?:([0-9A-Fa-f]{{1,6}})(?:\r\n|{_SPACE})?|(\r\n|[\n\f\r])|([\s\S])|\Z)")
_REPLACED = lazy_pattern(r"[\0\ud800-\udfff]")

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_URL_FUNCTIONS = ("url", "src")
_IMAGE_SETS = ("image-set", "-webkit-image-set")


def _decode(raw: str, at_end: str = "\ufffd") -> str:
    """Decode the escapes of a name, a string or an unquoted URL (CSS Syntax 3 §3.3, §4.3.7).

    `at_end`: the value of a backslash at the end of the text: U+FFFD, or "" in a string.
    """

    def unescape(escape: re.Match[str]) -> str:
        digits, newline, character = escape.groups()
        if digits:
            code_point = int(digits, 16)
            return chr(code_point) if code_point <= sys.maxunicode else "\ufffd"
        return "" if newline else character or at_end

    value = _ESCAPED.sub(unescape, raw) if "\\" in raw else raw
    return _REPLACED.sub("\ufffd", value)


#: Characters that become hexadecimal escapes. They include `<` and `>`, so that a URL cannot end the raw text element
#: or the CDATA section around the style sheet.
_HEXADECIMAL = {code_point: f"\\{code_point:x} " for code_point in (*range(1, 0x20), ord("<"), ord(">"), 0x7F)}


def _escaper(backslash: str, hexadecimal: str = "") -> Callable[[str], str]:
    """Return an escape function like CSSOM §2.1, "serialize a string"."""
    table = _HEXADECIMAL | {ord(c): f"\\{c}" for c in backslash} | {ord(c): f"\\{ord(c):x} " for c in hexadecimal}

    def escape(url: str) -> str:
        return _REPLACED.sub("\ufffd", url).translate(table)

    return escape


_ESCAPE_IN_STRING = {'"': _escaper('"\\'), "'": _escaper("'\\")}
_escape_unquoted = _escaper("\"'()\\", " ")


def _last_candidate(text: str) -> int:
    """The position after which no reference begins; -1 if the text has no reference."""
    if "\\" in text:
        return len(text)  # a name can have escapes
    lower = text.lower() if text.isascii() else text.encode("utf-8", "surrogatepass").lower().decode("latin-1")
    last = max(map(lower.rfind, ("url(", "src(", "@import")))
    if "image-set(" in lower:
        return len(text)
    return last if last < 0 or text.isascii() else len(text)


#: The common case: `url()` of printable ASCII without escapes, after a delimiter.
_PLAIN_URL = lazy_pattern(
    r"[\t\n\f\r (),:;{}](?i:url)\([\t\n\f\r ]*+"
    r"""(?:(["'])([ !#-&(-\[\]-~]*+)\1|([!#-&*-\[\]-~]*+))"""
    r"[\t\n\f\r ]*+\)"
)


class _CssScanner:
    """The state of the scanner: the text, the references found, and the open blocks of an `image-set()`.

    `blocks` is empty outside `image-set()`. Inside, it has a pair for each open block: the character that closes the
    block, and whether a string directly in the block is a reference.
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
        """The position of the next token that cannot be skipped, outside `image-set()`."""
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
        """Add the reference of a `_PLAIN_URL`."""
        quote, quoted, unquoted = match.groups()
        value = unquoted if quoted is None else quoted
        start = match.start(3 if quoted is None else 2)
        escape = _escape_unquoted if quoted is None else _ESCAPE_IN_STRING[quote]
        is_local = not value or value.startswith("#")
        self.found.append(Found(start, start + len(value), value, escape, "local" if is_local else "url"))

    def token(self, start: int) -> int:
        """Consume the token at `start`; return its end."""
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

    def skip_space_and_comments(self, position: int) -> int:
        """The position after whitespace and comments."""
        while True:
            position = past(_WHITE_SPACE, self.text, position)
            if not self.text.startswith("/*", position):
                return position
            position = self.comment(position)

    def string(self, start: int) -> tuple[int, int]:
        """The ends of the string at `start`, without and with its closing quotation mark; equal if it has none."""
        quote = self.text[start]
        end = past(_STRING_CONTENTS[quote], self.text, start + 1)
        return end, end + 1 if self.text.startswith(quote, end) else end

    def reference_string(self, start: int) -> int:
        """Add the string at `start`, if any, as a reference; return its end."""
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
        """Add a reference. It is local if it starts with "#" or is empty (invalid; CSS Values 4 §4.5)."""
        value = _decode(self.text[start:end], at_end)
        is_local = not value or value.startswith("#")
        self.found.append(Found(start, end, value, escape, "local" if is_local else "url"))

    def fault(self, start: int, end: int) -> None:
        self.found.append(Found(start, end, self.text[start:end], verbatim, "fault", "css-bad-url"))

    def name(self, start: int) -> tuple[str, str, int]:
        """The name at `start`: the sign before it ("#", "@" or ""), its value in lower case, its end. Empty if none."""
        token = _NAME_TOKEN.match(self.text, start)
        if token is None:
            return "", "", start
        name = _decode(token[2])
        return token[1], name.lower() if name.isascii() else name, token.end()

    def named(self, start: int) -> int:
        """Consume the name at `start`, and the tokens after it that can be a URL."""
        sign, name, end = self.name(start)
        if sign == "@" and name == "import":
            return self.reference_string(self.skip_space_and_comments(end))
        if sign == "@" and name == "namespace":
            return self.namespace(end)
        if not sign and self.text.startswith("(", end):
            return self.function(name, end + 1)
        return end

    def namespace(self, position: int) -> int:
        """Consume `<prefix>? [ <string> | <url> ]`, which has no reference."""
        known = len(self.found)
        position = self.skip_space_and_comments(position)
        sign, name, end = self.name(position)
        if name and not sign and not self.text.startswith("(", end):
            position = self.skip_space_and_comments(end)
            sign, name, end = self.name(position)
        if name in _URL_FUNCTIONS and not sign and self.text.startswith("(", end):
            position = self.function(name, end + 1)
        else:
            position = self.reference_string(position)
        del self.found[known:]
        return position

    def function(self, name: str, position: int) -> int:
        """Consume the start of a function, and its first argument if the argument is a URL (CSS Syntax 3 §4.3.4)."""
        if name == "url":
            argument = past(_WHITE_SPACE, self.text, position)
            if self.text[argument : argument + 1] not in _STRING_CONTENTS:
                return self.unquoted_url(position)
            self.open(is_image_set=False)
            return self.reference_string(argument)
        self.open(is_image_set=name in _IMAGE_SETS)
        return self.reference_string(self.skip_space_and_comments(position)) if name == "src" else position

    def open(self, *, is_image_set: bool) -> None:
        """Open the block of an `image-set()`, or of any function in an `image-set()`."""
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
    """Find the references of a style sheet, a declaration list or a value.

    A URL that is empty or only a fragment has kind "local". A bad URL, or a bad string in place of a URL, has kind
    "fault" and problem "css-bad-url"; its `reference` is the raw text.
    """
    return _CssScanner(text).scan()
