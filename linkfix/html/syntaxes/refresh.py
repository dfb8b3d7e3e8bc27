"""The `content` of a refresh pragma, or a Refresh header: syntax "refresh" (HTML, shared declarative refresh steps)."""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

from .found import Found
from .url import trim, verbatim

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


def find(text: str) -> list[Found]:
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
