"""What a syntax finds in a text: references with their spans, and how a new URL is written in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple


class Found(NamedTuple):
    """A reference in a text: an attribute's decoded value, an element's text, a style sheet."""

    start: int
    """Where the reference begins in the text, without quotation marks."""
    end: int
    """Where it ends."""
    reference: str
    """The reference, its escapes decoded."""
    escape: Callable[[str], str]
    """Escapes a URL, so that the syntax reads it back where the reference was."""
    kind: Literal["url", "local", "abbreviated", "specifier", "bare", "scope", "fault"] = "url"
    """"local": a fragment that always means its own document (`#x` in SVG and CSS). "abbreviated": the scheme is
    missing (RFC 2396 Appendix F). "specifier": a module specifier that is a URL; one with a scheme is parsed without a
    base (HTML §8.1.6.2). "bare": one that is no URL: only an import map, or a script, says what it means. "scope": a
    URL that the base URLs of scripts are compared with; "" and "#x" mean its base, not the document. "fault": only a
    problem."""
    problem: str | None = None
    """A code of `linkfix.model.PROBLEMS`."""
    role: str = ""
    """What the reference is for, where that is not what the vocabulary's row of the place says."""


#: Finds the references in a text.
Finder = Callable[[str], list[Found]]
