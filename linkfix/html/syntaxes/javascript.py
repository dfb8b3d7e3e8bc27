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

from .found import Found
from .import_map import URL_LIKE
from .javascript_text import LINE_END, decode, escape, is_after_operand
from .scan import past

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
