"""JavaScript: the modules that a script imports; syntax "javascript".

The scanner finds the specifiers of static imports and of `export … from` (ECMA-262 §16.2.2, §16.2.3), which only
modules have. It finds the specifier of an `import()` with one string as its argument (§13.3.10). It also finds the file
of `new URL("file.png", import.meta.url)`, by which modules refer to files beside them. The tokens follow §12, so that
comments, strings, templates and regular expressions have no imports. JSX and TypeScript are not JavaScript: the scan
stops at the first character that does not begin a token.

Most scripts have no imports, and modules have their imports at the beginning. So a search from the end first finds the
last possible import, and the scanner reads no token after it.
"""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

from .json_data import URL_LIKE
from .url import Found, past

# JavaScript's string literals, their values and escapes, and the start of regular expression literals.
#
# ECMA-262 §12.9.4 (string literals), §12.9.5 (regular expression literals), and the tokens allowed before a regular
# expression.


#: The line terminators of ECMA-262 §12.3, for use in a character class.
LINE_END = r"\n\r\u2028\u2029"

_ESCAPED = lazy_pattern(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,8})\}|(\r\n|[\n\r\u2028\u2029])|([\s\S]))"
)

_SINGLE_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "0": "\0"}

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
        return chr(number) if other is None else _SINGLE_ESCAPES.get(other, other)

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


# Quantifiers of groups are possessive, so that each pattern takes linear time and needs no stack.
_COMMENT = r"//[^\n\r\u2028\u2029]*+|/\*(?:[^*]++|\*(?!/))*+\*/"

#: White space and comments.
_S = rf"(?:[\s\ufeff]++|{_COMMENT})*+"

_NAME_PART = r"(?:[\w$]|[^\x00-\x7f\s\ufeff]|\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]++\}))"

_ID = rf"{_NAME_PART}++"

_DOUBLE = r"(?:[^\"\\\n\r]++|\\(?:\r\n|[\s\S]))*+"

_SINGLE = r"(?:[^'\\\n\r]++|\\(?:\r\n|[\s\S]))*+"

_ANY_STRING = rf"(?:\"{_DOUBLE}\"|'{_SINGLE}')"

_SPECIFIER = rf"(?:\"(?P<double>{_DOUBLE})\"|'(?P<single>{_SINGLE})')"

_LITERAL = rf"(?:{_SPECIFIER}|`(?P<template>(?:[^`\\$\r]++|\\[^\r]|\$(?!\{{))*+)`)"

_FROM = rf"{_S}from(?!{_NAME_PART}){_S}{_SPECIFIER}"

_EXPORTED = rf"(?:{_ID}|{_ANY_STRING})"

_NAMED = rf"\{{{_S}(?:{_EXPORTED}{_S}(?:as(?!{_NAME_PART}){_S}{_EXPORTED}{_S})?(?:,{_S}|(?=\}})))*+\}}"

_NAMESPACE = rf"\*{_S}as(?!{_NAME_PART}){_S}{_EXPORTED}"

_CLAUSE = rf"(?:{_NAMESPACE}|{_NAMED}|{_ID}(?:{_S},{_S}(?:{_NAMESPACE}|{_NAMED}))?)"

#: `import defer * as a from "b"`, `import source a from "b"`: proposals of stage 3.
_PHASE = rf"(?:(?:defer|source)(?={_S}(?:\*|{_ID}{_S}from)){_S})?"

#: The specifier of an import for its effects only. Its groups have other names: a pattern can have each group once.
_ONLY = _SPECIFIER.replace("P<", "P<only_")

_ALL = rf"\*(?:{_S}as(?!{_NAME_PART}){_S}{_EXPORTED})?"

_STATIC = {
    "import": lazy_pattern(rf"import(?!{_NAME_PART}){_S}(?:{_PHASE}{_CLAUSE}{_FROM}|{_ONLY})"),
    "export": lazy_pattern(rf"export(?!{_NAME_PART}){_S}(?:{_NAMED}|{_ALL}){_FROM}"),
}

_DYNAMIC = lazy_pattern(rf"import{_S}(?:\.{_S}(?:defer|source){_S})?\({_S}{_LITERAL}{_S}[,)]")

_META_URL = lazy_pattern(rf"import{_S}\.{_S}meta{_S}\.{_S}url(?!{_NAME_PART}){_S}\)")

#: Before `import.meta.url`: a file with a suffix, below the script's folder or beside it.
_NEW_URL = lazy_pattern(rf"(?<![\w$.\\#])new\s++URL\s*+\(\s*+{_SPECIFIER}\s*+,\s*+\Z")

_IS_FILE = lazy_pattern(r"[^?#]*[^/?#.][^/?#]*\.\w+(?:[?#]|\Z)")

#: The maximum distance of the file before `import.meta.url`, in characters.
_LONGEST_FILE = 1024

#: White space without comments.
_W = r"[\s\ufeff]*+"

#: Patterns for a possible import, at its keyword. They match too much; the scanner rejects false matches.
_CANDIDATE = {
    "import": lazy_pattern(
        rf"import(?:{_W}(?:[\"'{{*/]|\({_W}[\"'`/]|\.{_W}(?:defer|source|meta{_W}\.{_W}(?:url|/)|/))"
        rf"|[\s\ufeff]++{_ID}{_W}(?:[,/*]|from(?!{_NAME_PART})|{_ID}{_W}[f/]))"
    ),
    "export": lazy_pattern(rf"export{_W}(?:[*/]|\{{[^{{}}/\"']*+(?:[/\"']|\}}{_W}(?:/|from)))"),
}

_IS_NAME_PART = lazy_pattern(_NAME_PART + r"|[\\#]")

#: Code without tokens that the scanner must check. `_RUN_BEFORE_HTML` also stops at HTML-like comments (ECMA-262 Annex
#: B.1.1).
_RUN = lazy_pattern(r"[^\"'`/(){}]*+")

_RUN_BEFORE_HTML = lazy_pattern(r"(?:[^\"'`/(){}<-]++|<(?!!--)|-(?!->))*+")

_STRINGS = {'"': lazy_pattern(rf"\"{_DOUBLE}\""), "'": lazy_pattern(rf"'{_SINGLE}'")}

_TEMPLATE = lazy_pattern(r"(?:[^`\\$]++|\\[\s\S]|\$(?!\{))*+(?:`|\$\{)")

_LINE = lazy_pattern(rf"[^{LINE_END}]*+")

_REGULAR_EXPRESSION = lazy_pattern(
    rf"/(?:[^\\/\[{LINE_END}]++|\\[^{LINE_END}]|\[(?:[^\]\\{LINE_END}]++|\\[^{LINE_END}])*+\])++/[\w$]*+"
)

#: The maximum number of characters to check before a token.
_NEAR = 64

#: Specifiers that browsers load as URLs; other schemes (`node:fs`) name a program's own modules.
_LOADED = lazy_pattern(r"\.{0,2}/|[\x00-\x20]*(?:https?|file|data|blob):", re.IGNORECASE)


def _last_candidate(text: str) -> int:
    """The position of the last possible import; -1 if the text has none."""
    found = -1
    for keyword, candidate in _CANDIDATE.items():
        at = text.rfind(keyword)
        while at > found and not candidate.match(text, at):
            at = text.rfind(keyword, 0, at)
        found = max(found, at)
    return found


class _NoTokenError(Exception):
    """No token begins at this position: the text is not JavaScript, or the scanner does not understand it."""


class _Scanner:
    """The state of the scanner: the text, the imports found, and the open brackets.

    `last`: the position after which no import begins. `brackets`: the positions of the open brackets; -1 for a
    template's substitution. `opening`: the position of the opening bracket that was closed last. `end`: the end of the
    last token.
    """

    __slots__ = ("brackets", "end", "found", "keywords", "last", "opening", "run", "text")

    def __init__(self, text: str, last: int) -> None:
        self.text = text
        self.last = last
        self.found: list[Found] = []
        self.brackets: list[int] = []
        self.opening = 0
        self.end = 0
        #: The next position of each keyword, or the end of the text.
        self.keywords = {"import": -1, "export": -1}
        has_html_comments = "<!--" in text or "-->" in text
        self.run = _RUN_BEFORE_HTML if has_html_comments else _RUN

    def scan(self) -> list[Found]:
        text = self.text
        position = past(_LINE, text, 0) if text.startswith("#!") else 0
        stop = at = -1
        keyword = ""
        try:
            while position <= self.last:
                if stop < position:
                    stop = past(self.run, text, position)
                if at < position:
                    keyword, at = self.next_keyword(position)
                if at < stop:
                    position = self.keyword(keyword, position, at)
                elif stop == len(text):
                    break
                else:
                    position = self.token(position, stop)
        except _NoTokenError:
            pass
        return self.found

    def next_keyword(self, position: int) -> tuple[str, int]:
        """The next keyword and its position; the position is the end of the text if none follows."""
        for keyword, known in self.keywords.items():
            if known < position:
                at = self.text.find(keyword, position)
                self.keywords[keyword] = at if at >= 0 else len(self.text)
        return min(self.keywords.items(), key=lambda item: item[1])

    def token(self, position: int, start: int) -> int:
        """Consume the token at `start`, with the code before it from `position` on; return the token's end."""
        text = self.text
        character = text[start]
        if character == "/":
            code = len(text[position:start].rstrip(" \t\n\r\f\v\xa0\ufeff\u2028\u2029"))
            if code:
                self.end = position + code
            return self.slash(start)
        if character in "<-":
            return self.html_comment(start)
        if character == "`":
            return self.template(start + 1)
        if character in "({":
            self.brackets.append(start)
            end = start + 1
        elif character in ")}":
            if not self.brackets:
                raise _NoTokenError
            self.opening = self.brackets.pop()
            if self.opening < 0:
                return self.template(start + 1)
            end = start + 1
        else:
            string = _STRINGS[character].match(text, start)
            if string is None:
                raise _NoTokenError
            end = string.end()
        self.end = end
        return end

    def slash(self, start: int) -> int:
        """Consume a comment, a regular expression or a "/"."""
        text = self.text
        if text.startswith("//", start):
            return past(_LINE, text, start)
        if text.startswith("/*", start):
            end = text.find("*/", start + 2)
            if end < 0:
                raise _NoTokenError
            return end + 2
        if is_after_operand(text, self.end, self.opening):
            self.end = start + 1
        else:
            expression = _REGULAR_EXPRESSION.match(text, start)
            if expression is None:
                raise _NoTokenError
            self.end = expression.end()
        return self.end

    def html_comment(self, start: int) -> int:
        """Consume `<!--` or `-->` at the beginning of a line, with the rest of the line; elsewhere they are operators.

        In a script that is not a module, `<!--` begins a comment anywhere in a line, but nobody writes that.
        """
        line = self.text[max(start - _NEAR, 0) : start].rstrip(" \t\ufeff")
        if not line or line[-1] in "\n\r\u2028\u2029":
            return past(_LINE, self.text, start)
        return start + 1

    def template(self, start: int) -> int:
        """Consume a template from `start` on, up to its end or to its next substitution."""
        piece = _TEMPLATE.match(self.text, start)
        if piece is None:
            raise _NoTokenError
        self.end = piece.end()
        if piece[0].endswith("{"):
            self.brackets.append(-1)
        return self.end

    def keyword(self, keyword: str, position: int, start: int) -> int:
        """Check the keyword at `start`, with the code before it from `position` on; return the next position."""
        text = self.text
        end = start + len(keyword)
        before = text[max(start - _NEAR, position) : start].rstrip() or text[max(self.end - _NEAR, 0) : self.end]
        self.end = end
        is_property = before.endswith(".") and not before.endswith("...")
        if is_property or (start and _IS_NAME_PART.match(text, start - 1)):
            return end
        static = None if self.brackets else _STATIC[keyword].match(text, start)
        if static is not None:
            self.module(static)
            self.end = static.end()
            return self.end
        if keyword == "import":
            dynamic = _DYNAMIC.match(text, start)
            if dynamic is not None:
                self.module(dynamic)
            elif _META_URL.match(text, start):
                self.file(start)
        return end

    def module(self, match: re.Match[str]) -> None:
        """Add the module that a match specifies."""
        group = match.lastgroup or ""
        start, end = match.span(group)
        specifier = decode(match[group])
        is_url = _LOADED.match(specifier) and URL_LIKE.match(specifier)
        self.found.append(Found(start, end, specifier, escape, "specifier" if is_url else "bare"))

    def file(self, meta: int) -> None:
        """Add the file of a `new URL(…)` whose `import.meta.url` begins at `meta`."""
        before = max(meta - _LONGEST_FILE, 0)
        match = _NEW_URL.search(self.text, before, meta)
        if match is None:
            return
        group = match.lastgroup or ""
        start, end = match.span(group)
        reference = decode(match[group])
        if _IS_FILE.match(reference):
            self.found.append(Found(start, end, reference, escape, role="resource"))


def find(text: str) -> list[Found]:
    """Find the modules that a script imports, and the files that it names by its own URL.

    A specifier that is not a URL, or that has a scheme browsers do not load, has kind "bare".
    """
    last = _last_candidate(text)
    return _Scanner(text, last).scan() if last >= 0 else []
