"""References found in a text, the result of each syntax; and the syntaxes of a URL and of a list of URLs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from linkfix.lazy import lazy_pattern
from linkfix.urls import C0_CONTROL_OR_SPACE


class Found(NamedTuple):
    """A reference in a text: an attribute's decoded value, an element's text, a style sheet."""

    start: int
    """The start of the reference in the text, without quotation marks."""
    end: int
    """The end of the reference in the text."""
    reference: str
    """The reference, with its escapes decoded."""
    escape: Callable[[str], str]
    """A function that escapes a URL, so that the syntax reads it back in place of the reference."""
    kind: Literal["url", "local", "abbreviated", "specifier", "bare", "scope", "fault"] = "url"
    """"local": a fragment that always means its own document (`#x` in SVG and CSS). "abbreviated": the scheme is
    missing (RFC 2396 Appendix F). "specifier": a module specifier that is a URL; with a scheme, it is parsed without a
    base (HTML §8.1.6.2). "bare": a reference that is not a URL; only an import map or a script defines its meaning.
    "scope": a URL to compare with the base URLs of scripts; "" and "#x" mean its base, not the document. "fault": only
    a problem, no reference."""
    problem: str | None = None
    """A code of `linkfix.model.PROBLEMS`."""
    role: str = ""
    """The role of the reference, if it differs from the role in the vocabulary's row; else ""."""


#: A function that finds the references in a text.
Finder = Callable[[str], list[Found]]


# A helper for the scanners in this package.


def past(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The end of the match of `pattern` at `position`, or `position` if it does not match."""
    match = pattern.match(text, position)
    return match.end() if match else position


#: A placeholder of a template: Jinja, Django, Liquid, Mustache, ERB, JSP, JavaScript, PHP. URLs do not contain such
#: placeholders: "{%41" and "<%41" are an encoded character after another one, unless "%}" or "%>" follows.
PLACEHOLDER = lazy_pattern(r"\{\{|\{%(?![0-9A-Fa-f]{2})|\{%[^{}]*%\}|<%(?![0-9A-Fa-f]{2})|<%[^<>]*%>|\$\{|<\?")

#: A placeholder with a number or a name that a script replaces in a lazy loader's attribute: `{width}`, `{0}`.
SCRIPT_PLACEHOLDER = lazy_pattern(r"\{( ?[A-Za-z0-9_.:|-]++ ?)\}")


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of `text[start:end]` without leading and trailing C0 controls and spaces."""
    value = text[start:end]
    start = end - len(value.lstrip(C0_CONTROL_OR_SPACE))
    return start, max(start, end - len(value) + len(value.rstrip(C0_CONTROL_OR_SPACE)))


def verbatim(url: str) -> str:
    """The escape function of a syntax without escapes: `url` itself."""
    return url


def find(text: str) -> list[Found]:
    """Find the whole text as one reference: a URL potentially surrounded by spaces (HTML §2.4.1).

    Tabs and newlines inside the URL stay in the reference; the URL parser removes them. An empty value has an empty
    reference.
    """
    start, end = trim(text, 0, len(text))
    return [Found(start, end, text[start:end], verbatim)]


def find_local(text: str) -> list[Found]:
    """Find the whole text as one reference; a fragment alone means its own document.

    SVG's `href` attributes work like this: a *same-document URL reference* is recognized by its leading "#", without
    the base URL (SVG 2 §16.1.2).
    """
    start, end = trim(text, 0, len(text))
    return [Found(start, end, text[start:end], verbatim, "local" if text.startswith("#", start) else "url")]


# An ID or name that a fragment can refer to (HTML §7.4.6.3, "find a potential indicated element"): syntax "anchor".


def find_nothing(_text: str) -> list[Found]:
    """Find nothing: the name is not a reference."""
    return []


# Lists of URLs: syntaxes "space-list" (`ping`, object's `archive`) and "comma-list" (applet's `archive`).


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


# An OpenSearch URL template: syntax "opensearch-template" (OpenSearch 1.1, "OpenSearch URL template syntax").


#: A fixed part that ends like a dot segment, although the segment goes on: "..{x}".
_DOTS = lazy_pattern(r"(?:[^?#]*[/\\])?(?:\.|%2e){1,2}\Z", re.IGNORECASE)

#: A fixed part that ends within its host, which is then not known: "//ho{x}", "https:{x}".
_WITHIN_HOST = lazy_pattern(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2}[^/\\?#]*\Z|[A-Za-z][A-Za-z0-9+.-]*:\Z")


def _escape_brace(url: str) -> str:
    return url.replace("{", "%7B")  # "}" alone does not end a parameter, and is read literally


def find_in_template(text: str) -> list[Found]:
    """Find the fixed part of a template: the text before its first parameter, such as `{searchTerms}`.

    Everything from the first "{" on stays unchanged. A template with a parameter at its beginning, in its host or after
    a dot segment has no fixed part: problem "template-syntax".
    """
    start, end = trim(text, 0, len(text))
    if start == end:
        return []
    brace = text.find("{", start, end)
    if brace < 0:
        return [Found(start, end, text[start:end], _escape_brace)]
    fixed = text[start:brace]
    if not fixed or _WITHIN_HOST.match(fixed) or _DOTS.match(fixed):
        return [Found(start, end, text[start:end], verbatim, "fault", "template-syntax")]
    return [Found(start, start + len(fixed), fixed, _escape_brace)]


# The `content` of a refresh pragma, or a Refresh header: syntax "refresh" (HTML, shared declarative refresh steps).


#: Steps 3-11.8 of the shared declarative refresh steps, up to the start of the URL.
_BEFORE_URL = lazy_pattern(
    r"""
    [\t\n\f\r ]*+
    (?: [0-9]++ | (?=\.) )  [0-9.]*+        # the time; its fraction is ignored
    (?=[\t\n\f\r ;,])  [\t\n\f\r ]*+  [;,]?+  [\t\n\f\r ]*+
    (?=[\s\S])                              # the text ends after the time: no URL
    (?: [Uu][Rr][Ll] [\t\n\f\r ]*+ = [\t\n\f\r ]*+ )?
    (["']?+)
    """,
    re.VERBOSE,
)


def _escape_double_quote(url: str) -> str:
    return url.replace('"', "%22")


def _escape_single_quote(url: str) -> str:
    return url.replace("'", "%27")


#: An unquoted URL needs no escape: an absolute URL begins neither with a quotation mark nor with "url=".
_ESCAPES = {"": verbatim, '"': _escape_double_quote, "'": _escape_single_quote}


def find_in_refresh(text: str) -> list[Found]:
    """Find the URL to refresh to (HTML §4.2.5.3).

    There is none if the steps return early or the value is only a time.
    """
    before = _BEFORE_URL.match(text)
    if before is None:
        return []
    quote = before[1]
    end = text.find(quote, before.end()) if quote else -1
    start, end = trim(text, before.end(), end if end >= 0 else len(text))
    return [Found(start, end, text[start:end], _ESCAPES[quote])]
