"""JavaScript's string literals, their values and escapes, and the start of regular expression literals.

ECMA-262 §12.9.4 (string literals), §12.9.5 (regular expression literals), and the tokens allowed before a regular
expression.
"""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

#: The line terminators of ECMA-262 §12.3, for use in a character class.
LINE_END = r"\n\r\u2028\u2029"

_ESCAPED = lazy_pattern(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,8})\}|(\r\n|[\n\r\u2028\u2029])|([\s\S]))"
)
_SINGLE = {"b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "0": "\0"}
_SURROGATE = lazy_pattern(r"[\ud800-\udfff]")
_SHORT_ESCAPES = {character: f"\\{character}" for character in "\"'`\\$"}
#: Characters that would end the string, the script or the CDATA section around it; and "${", which begins a
#: substitution.
_UNSAFE = lazy_pattern(r"[\"'`\\\x00-\x1f\x7f<>\u2028\u2029\ud800-\udfff]|\$(?=\{)")
_LARGEST = 0x10FFFF


def decode(raw: str) -> str:
    """The value of a string literal. `raw`: its contents without quotation marks."""
    if "\\" not in raw:
        return raw

    def unescape(found: re.Match[str]) -> str:
        two, four, point, line_end, other = found.groups()
        number = int(two or four or point or "0", 16)
        if line_end or number > _LARGEST:
            return ""
        return chr(number) if other is None else _SINGLE.get(other, other)

    value = _ESCAPED.sub(unescape, raw)
    if _SURROGATE.search(value):  # two escapes can form one character
        value = value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return value


def escape(url: str) -> str:
    """The URL as the contents of a string literal with any quotation marks, or of a template without substitutions."""
    return _UNSAFE.sub(lambda found: _SHORT_ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}", url)


#: The names that an expression can follow (ECMA-262 §12.7.2), when they are not names of properties.
_OPERATORS = (
    "return|typeof|case|do|else|in|instanceof|new|void|throw|delete|await|yield|default|(?<=[\\w$\\]}] )of|extends"
)
_ENDS_WITH_OPERATOR = lazy_pattern(rf"(?:\A|\.\.\.|(?<![\w$.\\#]))(?<![^\x00-\x7f])(?:{_OPERATORS})\Z")
#: Statements that have parentheses (ECMA-262 §14.6, §14.7, §14.11).
_ENDS_WITH_STATEMENT = lazy_pattern(r"(?:\A|(?<![\w$.\\#]))(?:if|while|with|for|for\s+await)\s*\Z")
_LOOK_BACK = 32
_NAME_OR_NUMBER = lazy_pattern(r"[\w$\\]|[^\x00-\x7f]")
#: After these characters, a brace begins an object, not a block. After ":" it can be either; blocks are more frequent.
_BEFORE_OBJECT = "=(,[?&|+-*%!~^<"
_ENDS_BEFORE_OBJECT = lazy_pattern(
    r"(?:\A|(?<![\w$.\\#]))(?:return|typeof|case|in|instanceof|new|void|throw|delete)\s*\Z"
)


def _before(text: str, end: int) -> str:
    return text[max(end - _LOOK_BACK, 0) : end]


def is_block(text: str, opening: int) -> bool:
    """Whether the brace at `opening` begins a block, not an object."""
    before = _before(text, opening).rstrip()
    return not (before.endswith(tuple(_BEFORE_OBJECT)) or _ENDS_BEFORE_OBJECT.search(before))


def is_after_operand(text: str, end: int, opening: int) -> bool:
    """Whether a "/" after a token that ends at `end` divides; otherwise it begins a regular expression.

    `opening`: the position of the opening bracket that was closed last. As in es-module-lexer, the text before a brace
    distinguishes a block from an object. A function in an expression is treated as a declaration, since nobody divides
    a function.
    """
    last = text[end - 1 : end]
    if not last or last in ";,<>=*%&|^!~?:([{":
        return False
    if last == ")":
        return _ENDS_WITH_STATEMENT.search(_before(text, opening)) is None
    if last == "}":
        return not is_block(text, opening)
    if last in "+-":
        return text[end - 2 : end - 1] == last
    if last == ".":
        return text[end - 2 : end - 1].isdigit()
    if _NAME_OR_NUMBER.match(last):
        return _ENDS_WITH_OPERATOR.search(_before(text, end)) is None
    return True
