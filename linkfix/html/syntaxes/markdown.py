r"""The destination of a link in Markdown: syntax "markdown" (CommonMark §6.3, "link destination").

The value is the destination without angle brackets around it. Syntax "wikilink" is the page in `[[Page]]`.
"""

from __future__ import annotations

import re
import unicodedata
from html.entities import html5

from linkfix.lazy import lazy_pattern

from .url import Found, trim, verbatim

_PUNCTUATION = r"!\"#$%&'()*+,./:;<=>?@\[\\\]^_`{|}~-"
#: CommonMark §2.4 "Backslash escapes" and §2.5 "Entity and numeric character references".
_ESCAPE = lazy_pattern(
    rf"\\([{_PUNCTUATION}])|(&(?:#[xX][0-9a-fA-F]{{1,6}}|#[0-9]{{1,7}}|[A-Za-z][A-Za-z0-9]{{1,31}});)"
)
#: Characters of a URL that would begin a character reference or an escape, or end a table's cell.
_AMBIGUOUS = lazy_pattern(rf"\\(?=[{_PUNCTUATION}]|\Z)|&(?=#?[A-Za-z0-9]+;)|\|")
#: Characters that a destination with or without angle brackets cannot contain, or that end a construct around it.
_FORBIDDEN = lazy_pattern(r"[\x00-\x20\x7f<>`]")
_PARENTHESES = lazy_pattern(r"[()]")
#: The maximum nesting of parentheses; CommonMark lets an implementation limit it.
_DEEPEST = 32
#: The last code point.
_LAST = 0x10FFFF


def find(text: str) -> list[Found]:
    r"""Find the whole text as one reference, with backslash escapes and character references decoded.

    >>> find(r"a\_b&amp;c")[0].reference
    'a_b&c'
    """
    start, end = trim(text, 0, len(text))
    return [Found(start, end, unescape(text[start:end]), escape)]


def find_wikilink(text: str) -> list[Found]:
    """Find the page of a wikilink, without its label and white space around it. It has no escapes.

    It is no URL: the names of files decide about its target. So it is never written.
    """
    start, end = trim(text, 0, len(text))
    return [Found(start, end, text[start:end], verbatim)]


def unescape(text: str) -> str:
    """A destination with backslash escapes and character references decoded."""
    return _ESCAPE.sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    name = match[2][1:]
    if not name.startswith("#"):
        return html5.get(name, match[2])
    digits = name[1:-1]
    code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    if code == 0 or code > _LAST or unicodedata.category(chr(code)) == "Cs":
        return "\ufffd"
    return chr(code)


def escape(url: str) -> str:
    r"""The destination that `find` reads back as the URL, with or without angle brackets, also in a table.

    >>> escape("a(b)c|d e)")
    'a\\(b\\)c\\|d%20e\\)'
    """
    text = _FORBIDDEN.sub(lambda match: f"%{ord(match[0]):02X}", url)
    text = _AMBIGUOUS.sub(r"\\\g<0>", text)
    return text if _is_balanced(text) else _PARENTHESES.sub(r"\\\g<0>", text)


def _is_balanced(text: str) -> bool:
    depth = 0
    for match in _PARENTHESES.finditer(text):
        depth += 1 if match[0] == "(" else -1
        if not 0 <= depth < _DEEPEST:
            return False
    return depth == 0
