"""LF501 to LF504: values of attributes and texts of elements that their syntax forbids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.rule import AuditedPage, Issue, has_problems, page_rule, problem_issues
from linkfix.html.syntaxes.url import find_in_refresh
from linkfix.html.values import Value
from linkfix.html.vocabulary import ROWS, index_rows
from linkfix.kernels.names import RowIndex
from linkfix.kernels.outline import Outline
from linkfix.lazy import lazy_pattern


@page_rule("LF501", FindingLevel.ERROR, concerns=has_problems)
def malformed_srcset(page: AuditedPage) -> Iterator[Issue]:
    """Browsers ignore an image candidate of a srcset because of its descriptors.

    A candidate is a URL with one width (`480w`) or one density (`2x`). A space inside the URL, an unknown unit, `0w`,
    or both descriptors make the candidate invalid (HTML §4.8.4.2.1, "parse a srcset attribute").

    Fails::

        <img srcset="picture.png 2q, picture.png 2x" src="picture.png" alt="">

    Passes::

        <img srcset="picture.png 1x, picture.png 2x" src="picture.png" alt="">
    """
    return problem_issues(page, {"srcset-descriptor": b"\t\n\f\r ,\"'>"})


#: Steps 3-9 of the shared declarative refresh steps: the time, and the characters that may follow it.
_TIME = lazy_pattern(r"[\t\n\f\r ]*+(?:[0-9]++|(?=\.))[0-9.]*+")
_AFTER_TIME = "\t\n\f\r ;,"
_URL_WORD = lazy_pattern(r"url(?:[\t\n\f\r ]|:)", re.IGNORECASE)
_QUOTES = ("'", '"')


@cache
def _refresh_index() -> RowIndex:
    return index_rows([row for row in ROWS if row.syntax == "refresh"])


@page_rule("LF502", FindingLevel.WARNING)
def malformed_refresh(page: AuditedPage) -> Iterator[Issue]:
    """The meta refresh has no URL, or not the URL that its author intended.

    `content` is a time, a semicolon or comma, and a URL, which may have `url=` before it and quotes around it (HTML
    §4.2.5.3). Without a valid time, a number that is not negative, browsers ignore the refresh. Without the "=", the
    word "url" is part of the URL. An unmatched quote becomes part of the URL, or extends it to the end of the value.

    Fails::

        <meta http-equiv="refresh" content="url=other.html">

    Fails::

        <meta http-equiv="refresh" content="0; url='other.html">

    Fails::

        <meta http-equiv="refresh" content="0">

    Passes::

        <meta http-equiv="refresh" content="0; url=other.html">

    Passes::

        <meta http-equiv="refresh" content="30">
    """
    document = page.document
    source = document.source
    if document.kind != "html" or (document.options.scripting != "on" and not document.reference_index.has_refresh):
        return  # if scripts are on, the index lacks the content of noscript
    hint = Hint('write content="0; url=…", the URL without quotes')
    outline = Outline(_refresh_index(), source.data, source.start)
    for number in range(outline.count):
        record = outline.record(number)
        text = Value(source.data, record, source.working).text
        message = "" if record.in_template else _refresh_fault(text)
        if message:
            yield Issue(message, hint, text, (record.start, record.end))


def _refresh_fault(text: str) -> str:
    """The fault in the content of a refresh, as a clause; "" for none."""
    time = _TIME.match(text)
    if time is None:
        return _time_fault(text.strip("\t\n\f\r "))
    if time.end() < len(text) and text[time.end()] not in _AFTER_TIME:
        return "the refresh is ignored: after the time, ';', ',' or a space is missing"
    found = find_in_refresh(text)
    if not found:
        is_at_once = not time[0].strip("\t\n\f\r 0")
        return "the time is 0 and there is no URL, so the page reloads itself again and again" if is_at_once else ""
    start, _, url = found[0][:3]
    quote = text[:start].rstrip()[-1:]
    if quote in _QUOTES and quote not in text[start:]:
        return "the quote before the URL is not closed, so the URL extends to the end of the value"
    if not url:
        return "the URL is empty, so the page reloads itself again and again"
    if _URL_WORD.match(url):
        return "'=' is missing after 'url', so 'url' becomes part of the URL"
    if url.endswith(_QUOTES) and quote not in _QUOTES:
        return "the quote after the URL has no opening quote and becomes part of the URL"
    return ""


def _time_fault(text: str) -> str:
    if not text:
        return ""
    if text.startswith("-"):
        return "the refresh is ignored: its time is negative"
    return "the refresh is ignored: it does not begin with a time in seconds"


@page_rule("LF503", FindingLevel.ERROR, concerns=has_problems)
def malformed_import_map(page: AuditedPage) -> Iterator[Issue]:
    """An import map, speculation rules, JSON-LD or a web app manifest is not valid JSON.

    Browsers ignore it completely. Without the import map, modules that are imported by bare names do not load (HTML
    §8.1.6.1, "parse an import map string"). Without the manifest, the application cannot be installed. The finding
    points to the place where parsing stops. JSON-LD is checked only with --json-ld.

    Fails::

        <script type="importmap">{"imports": {"app": "./app.js",}}</script>

    Passes::

        <script type="importmap">{"imports": {"app": "https://host.example/app.js"}}</script>
    """
    return problem_issues(page, {"json-syntax": b"\t\n\r ,:]}<"})


@page_rule("LF504", FindingLevel.WARNING, concerns=has_problems)
def malformed_css(page: AuditedPage) -> Iterator[Issue]:
    """A url() in CSS is malformed.

    White space, quotes or "(" inside an unquoted url() make it a *bad URL* (CSS Syntax 3 §4.3.14), and browsers ignore
    the declaration. Inside quotes, these characters are allowed.

    Fails::

        <p style="background: url(my picture.png)">text</p>

    Passes::

        <p style="background: url('picture.png')">text</p>
    """
    hint = Hint("put the URL in quotes, and percent-encode spaces")
    return problem_issues(page, {"css-bad-url": b")\n\r;}"}, hint)
