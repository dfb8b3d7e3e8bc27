"""What a syntax finds in a value: references with their spans, and how to put a new URL in each one's place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

__all__ = ["Finder", "Found"]


class Found(NamedTuple):
    """One reference in a text (an attribute's decoded value, an element's text, a style sheet).

    `text[start:end]` is the reference as written (without quotes); `reference` is it decoded. `escape(url)` gives the
    text that stands for `url` in that place, so that the syntax reads back `url`. `kind`: "url"; "local" for a
    fragment that always means the document that it stands in (SVG and CSS `#x`); "abbreviated" for one without its
    scheme (RFC 2396 Appendix F); "fault" where there is no reference, only a problem. `problem` is a code of
    `linkfix.model.PROBLEMS`.
    """

    start: int
    end: int
    reference: str
    escape: Callable[[str], str]
    kind: Literal["url", "local", "abbreviated", "fault"] = "url"
    problem: str | None = None


Finder = Callable[[str], list[Found]]
