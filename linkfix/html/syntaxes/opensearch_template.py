"""An OpenSearch URL template: syntax "opensearch-template" (OpenSearch 1.1, "OpenSearch URL template syntax")."""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

from .found import Found
from .url import trim, verbatim

#: A fixed part that ends like a dot segment, although the segment goes on: "..{x}".
_DOTS = lazy_pattern(r"(?:[^?#]*[/\\])?(?:\.|%2e){1,2}\Z", re.IGNORECASE)
#: A fixed part that ends within its host, which is then not known: "//ho{x}", "https:{x}".
_WITHIN_HOST = lazy_pattern(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2}[^/\\?#]*\Z|[A-Za-z][A-Za-z0-9+.-]*:\Z")


def _escape(url: str) -> str:
    return url.replace("{", "%7B")  # "}" alone does not end a parameter, and is read literally


def find(text: str) -> list[Found]:
    """Find the fixed part of a template: the text before its first parameter, such as `{searchTerms}`.

    Everything from the first "{" on stays unchanged. A template with a parameter at its beginning, in its host or after
    a dot segment has no fixed part: problem "template-syntax".
    """
    start, end = trim(text, 0, len(text))
    if start == end:
        return []
    brace = text.find("{", start, end)
    if brace < 0:
        return [Found(start, end, text[start:end], _escape)]
    fixed = text[start:brace]
    if not fixed or _WITHIN_HOST.match(fixed) or _DOTS.match(fixed):
        return [Found(start, end, text[start:end], verbatim, "fault", "template-syntax")]
    return [Found(start, start + len(fixed), fixed, _escape)]
