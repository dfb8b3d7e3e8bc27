"""References in a text with their spans: the result of each syntax."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple


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
