"""Values that are one URL: syntaxes "url" and "local-url"; and helpers for the other syntaxes."""

from __future__ import annotations

from linkfix.lazy import lazy_pattern
from linkfix.urls import C0_CONTROL_OR_SPACE

from .found import Found

#: A placeholder of a template: Jinja, Django, Liquid, Mustache, ERB, JSP, JavaScript, PHP. URLs do not contain such
#: placeholders: "{%41" is a brace and an encoded character, unless "%}" follows.
PLACEHOLDER = lazy_pattern(r"\{\{|\{%(?![0-9A-Fa-f]{2})|\{%[^{}]*%\}|<%|\$\{|<\?")

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
