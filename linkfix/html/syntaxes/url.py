"""One URL: the whole value is a reference, as the URL parser reads it.

Syntaxes "url" and "local-url"; also what the other syntaxes share of the URL parser's view of a text.
"""

from __future__ import annotations

import re

from linkfix.urls import C0_CONTROL_OR_SPACE

from .found import Found

__all__ = ["PLACEHOLDER", "find", "find_local", "trim", "verbatim"]

#: A template's placeholder: Jinja, Django, Liquid, Mustache, ERB, JSP, JavaScript, PHP. No URL is written so.
PLACEHOLDER = re.compile(r"\{\{|\{%|<%|\$\{|<\?")


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span within `text[start:end]` that is left when C0 controls and spaces at both ends are removed."""
    value = text[start:end]
    start = end - len(value.lstrip(C0_CONTROL_OR_SPACE))
    return start, max(start, end - len(value) + len(value.rstrip(C0_CONTROL_OR_SPACE)))


def verbatim(url: str) -> str:
    """Escape nothing: `url` stands for itself."""
    return url


def find(text: str) -> list[Found]:
    """Find the one reference that `text` is: a URL potentially surrounded by spaces (HTML §2.4.1).

    Tabs and newlines inside it stay in the reference: to remove them is the URL parser's business. An empty value
    gives an empty reference.
    """
    start, end = trim(text, 0, len(text))
    return [Found(start, end, text[start:end], verbatim)]


def find_local(text: str) -> list[Found]:
    """Find the one reference that `text` is, where a fragment alone means the document that it stands in.

    That is the rule for SVG's `href` attributes: a *same-document URL reference* is recognized by its leading "#",
    before the base URL is looked at (SVG 2 §16.1.2).
    """
    start, end = trim(text, 0, len(text))
    return [Found(start, end, text[start:end], verbatim, "local" if text.startswith("#", start) else "url")]
