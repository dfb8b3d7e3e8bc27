"""Lists of URLs: syntaxes "space-list" (`ping`, object's `archive`) and "comma-list" (applet's `archive`)."""

from __future__ import annotations

from linkfix.lazy import lazy_pattern

from .found import Found
from .url import trim

_SPACE_SEPARATED_TOKEN = lazy_pattern(r"[^\t\n\f\r ]+")
_COMMA_SEPARATED_TOKEN = lazy_pattern(r"[^,]+")

_ESCAPED_WHITE_SPACE = {ord(character): f"%{ord(character):02X}" for character in "\t\n\f\r "}


def _escape_white_space(url: str) -> str:
    return url.translate(_ESCAPED_WHITE_SPACE)


def _escape_comma(url: str) -> str:
    return url.replace(",", "%2C")


def find_space_separated(text: str) -> list[Found]:
    """Find the tokens of a set of space-separated tokens (HTML §2.3.7): each is a reference."""
    return [
        Found(token.start(), token.end(), token[0], _escape_white_space)
        for token in _SPACE_SEPARATED_TOKEN.finditer(text)
    ]


def find_comma_separated(text: str) -> list[Found]:
    """Find the tokens of a set of comma-separated tokens (HTML §2.3.8): each non-empty token is a reference."""
    spans = (trim(text, *token.span()) for token in _COMMA_SEPARATED_TOKEN.finditer(text))
    return [Found(start, end, text[start:end], _escape_comma) for start, end in spans if start < end]
