"""A meta refresh is written so that browsers find no URL in it, or another one than is meant.

`content` is a time, a semicolon or comma, and a URL, which may have `url=` before it and quotes around it (HTML
§4.2.5.3). Without a time that is a number and not negative the refresh is ignored; without the "=" the word "url" is
part of the URL; a quote that has no mate becomes part of it, or lets it go on to the end.

Fails::

    <meta http-equiv="refresh" content="url=other.html">

Fails::

    <meta http-equiv="refresh" content="0; url='other.html">

Passes::

    <meta http-equiv="refresh" content="0; url=other.html">

Passes::

    <meta http-equiv="refresh" content="30">
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import Issue, Page
from linkfix.html.outline import Outline, RowIndex
from linkfix.html.syntaxes.refresh import find
from linkfix.html.values import Value
from linkfix.html.vocabulary import ROWS

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF502"
LEVEL = Level.WARNING

#: Steps 3-9 of the shared declarative refresh steps: the time, and what has to come after it.
_TIME = re.compile(r"[\t\n\f\r ]*+(?:[0-9]++|(?=\.))[0-9.]*+")
_AFTER_TIME = "\t\n\f\r ;,"
_URL_WORD = re.compile(r"url(?:[\t\n\f\r ]|:)", re.IGNORECASE)
_QUOTES = ("'", '"')

_HINT = Hint('write content="0; url=…", the URL without quotes')


@cache
def _index() -> RowIndex:
    return RowIndex([row for row in ROWS if row.syntax == "refresh"])


def check_page(page: Page) -> Iterator[Issue]:
    """Report refresh pragmas that do not say what they seem to."""
    document = page.document
    source = document.source
    if document.kind != "html" or b"refresh" not in source.data.lower():
        return
    outline = Outline(_index(), source.data, source.start)
    for number in range(outline.count):
        record = outline.record(number)
        text = Value(source.data, record, source.working).text
        message = "" if record.in_template else _fault(text)
        if message:
            yield Issue(message, _HINT, text, (record.start, record.end))


def _fault(text: str) -> str:
    """What is wrong with a refresh pragma's content, or ""."""
    time = _TIME.match(text)
    if time is None:
        return _without_time(text.strip("\t\n\f\r "))
    if time.end() < len(text) and text[time.end()] not in _AFTER_TIME:
        return "the refresh is ignored: neither ';' nor ',' nor a space stands after the time"
    found = find(text)
    if not found:
        return ""
    start, _, url = found[0][:3]
    quote = text[:start].rstrip()[-1:]
    if quote in _QUOTES and quote not in text[start:]:
        return "the quote before the URL has no mate, and the URL goes on to the end"
    if not url:
        return "the URL is empty, so that the page loads itself again and again"
    if _URL_WORD.match(url):
        return "'=' is missing after 'url', which becomes part of the URL"
    if url.endswith(_QUOTES) and quote not in _QUOTES:
        return "the quote after the URL has no mate and becomes part of the URL"
    return ""


def _without_time(text: str) -> str:
    if not text:
        return ""
    if text.startswith("-"):
        return "the refresh is ignored: its time is negative"
    return "the refresh is ignored: it does not begin with a time in seconds"
