r"""References in plain text: finding them, and removing the delimiters around them.

RFC 2396 Appendix E defines the delimiters of URIs in text, Appendix F abbreviated references. Nothing here resolves a
reference or depends on documents.

The search stops at the colon after a scheme, and at the beginning of an abbreviated reference. The text before that
position shows the delimiter. Each character is read a bounded number of times.

>>> from linkfix import text
>>> [found.reference for found in text.find("It is, as I said, in <URL:http://www.w3.org/\n  Addressing/>.")]
['http://www.w3.org/Addressing/']
>>> text.strip_delimiters("<URL:../x>")
'../x'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from linkfix.errors import check_str
from linkfix.lazy import lazy_pattern
from linkfix.schemes.uses import SPECIAL
from linkfix.urls import SCHEME

__all__ = ["Delimiter", "TextReference", "complete", "escape", "find", "strip_delimiters", "undelimited"]

# The references in a text.

#: The delimiters of a reference: angle brackets, double quotes, or white space and punctuation.
Delimiter: TypeAlias = Literal["brackets", "quotes", "space"]


class TextReference(NamedTuple):
    """A reference in a text."""

    reference: str
    """The reference, without white space and line breaks."""
    start: int
    """`text[start:end]` is the reference as written, in code points, without delimiters and prefix."""
    end: int
    """See `start`."""
    delimiter: Delimiter
    """The kind of delimiters around the reference."""
    completed: str | None = None
    """The URL that an abbreviated reference stands for; None for other references."""
    alternatives: tuple[str, ...] = ()
    """Other readings, since a hyphen at the end of a line "may or may not actually be part of the URI" (Appendix E).

    Between delimiters: the reference without such hyphens. Otherwise: the reference continued on the next line, with
    the hyphen and without it.
    """

    @property
    def hyphen(self) -> bool:
        """Whether a hyphen at the end of a line makes the reference ambiguous."""
        return bool(self.alternatives)


#: The length from which a name is not a scheme, in characters.
_LONGEST_SCHEME = 64
#: The maximum white space between an opening bracket and its reference, in code points.
_BEFORE = 80
#: The maximum number of open brackets in a reference; another bracket ends the reference.
_DEEPEST = 1000

#: RFC 3986 §3.1, for `str.rstrip`.
_SCHEME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."
#: RFC 2396 §2.4.3 "control", "space", "delims" and "unwise", except "[" and "]", which a host may have (RFC 2732 §3).
_EXCLUDED = r"\s\x00-\x20\x7f-\x9f<>\"{}|\\^`"
#: Non-ASCII characters that end a reference: dashes, quotes, brackets and sentence marks of general, CJK and fullwidth
#: punctuation. Letters, symbols, joiners and shorter dashes may be part of an IRI (RFC 3987 §2.2).
_PUNCTUATION = (
    "\xa1\xab\xbb\xbf"
    r"\u200b\u200e\u200f\u2014-\u206f"
    r"\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb"
    r"\ufe10-\ufe1f\ufe30-\ufe6f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
#: Punctuation that does not belong to an undelimited reference at its end.
_TRAILING = ".,;:!?'([\u2010\u2011\u2012\u2013"
#: Characters around an emphasized word, which may also be part of a URI.
_EMPHASIS = "*_~"
_OPENED_BY = {")": "(", "]": "["}

_ENDS = {
    "brackets": lazy_pattern(rf"[{_EXCLUDED}]"),
    "quotes": lazy_pattern(rf"[{_EXCLUDED}]"),
    "space": lazy_pattern(rf"[{_EXCLUDED}{_PUNCTUATION}']"),
}
_BRACKETS = lazy_pattern(r"[()\[\]]")
_RUN = lazy_pattern(rf"[^{_EXCLUDED}{_PUNCTUATION}()\[\]]*+")
_RUN_IN_APOSTROPHES = lazy_pattern(rf"[^{_EXCLUDED}{_PUNCTUATION}()\[\]']*+")
_LINE_BREAK = r"[ \t]*+(?:\r\n?|\n)[ \t]*+"
#: A delimited reference, which white space without an empty line (in brackets) or a line break (in quotes) may break.
_DELIMITED: dict[Delimiter, re.Pattern[str]] = {
    "brackets": lazy_pattern(rf"([^{_EXCLUDED}]++(?:(?:{_LINE_BREAK}|[ \t]++)[^{_EXCLUDED}]++)*+)\s*+>"),
    "quotes": lazy_pattern(rf'([^{_EXCLUDED}]++(?:{_LINE_BREAK}[^{_EXCLUDED}]++)*+)"'),
}
_INDENTED_BREAK = lazy_pattern(_LINE_BREAK)
_HYPHEN_BEFORE_BREAK = lazy_pattern(rf"-{_LINE_BREAK}")
_WHITE_SPACE = lazy_pattern(r"\s*+")

#: The end of a scheme, or of a prefix; white space may follow a prefix.
_SCHEME_END = lazy_pattern(r":(?<=[A-Za-z0-9+.-]:)(?:(?=[^\s:])|(?<=[uU][rR][lLiI]:))")
_SCHEME_END_OR_ABBREVIATED = lazy_pattern(
    r"""[:wWfF] (?:
        (?<=[A-Za-z0-9+.-]:) (?: (?=[^\s:]) | (?<=[uU][rR][lLiI]:) )
      | (?<![\w@./\\+-].) (?: (?<=[wW])[wW]{2} | (?<=[fF])[tT][pP] ) [0-9]{0,3}+ \. (?=[^\W_])
    )""",
    re.VERBOSE,
)
#: The host (RFC 1034 §3.1: at most 253 characters) and port of an abbreviated reference.
_AUTHORITY = lazy_pattern(r"((?:www|ftp)[0-9]{0,3}+\.[\w.-]{1,253}+)(:[0-9]{1,5}+(?!\w))?+(?!@)", re.IGNORECASE)
#: The characters that end an authority (RFC 2396 §3.2); "" is the end of the text.
_AFTER_AUTHORITY = frozenset({"", "/", "?", "#"})
#: The minimum number of labels of a host: "www.example.com".
_LABELS = 3
_SHORTEST_TOP = 2
#: Appendix F: "most hostnames beginning with 'www' are likely to have a URL prefix of 'http://'".
_COMPLETIONS = {"w": "http://", "f": "ftp://"}

_PREFIXES = frozenset({"url", "uri"})
#: Schemes that people also write in capitals; other capitals before a colon are labels ("INFO:root").
_IN_CAPITALS = frozenset({"mailto", "urn"})
#: After these characters, "name:" without "//" is part of something else: `/path:x`, `std::data:x`.
_WITHIN = lazy_pattern(r"(?:[\w/\\@$#&%~]|::)\Z")
#: URL standard: the special schemes whose URLs always have a host.
_WITH_HOST = frozenset(SPECIAL) - {"file"}
#: The first character of an authority.
_HOST = lazy_pattern(r"[\w\[%]")


def find(text: str, *, abbreviated: bool = False) -> list[TextReference]:
    """Find the references in a plain text, in order, by RFC 2396 Appendix E.

    A URI is found between angle brackets (with or without the prefix `URL:` or `URI:`), between double quotes, and
    between white space. A URI between white space excludes trailing punctuation and unmatched closing brackets. A name
    before a colon is a scheme if `//` follows or if IANA has registered it. A relative reference is found only between
    delimiters and after a prefix. With `abbreviated`, references such as `www.w3.org/Addressing/` are found too
    (Appendix F). Mail addresses are not references. Time is linear in the length of `text`.

    >>> [found.reference for found in find("(See http://a.example/b_(c), or <URL:../d>.)")]
    ['http://a.example/b_(c)', '../d']
    >>> find("www.w3.org/Addressing/.", abbreviated=True)[0].completed
    'http://www.w3.org/Addressing/'
    """
    check_str("text", text)
    return list(_iterate(text, abbreviated=abbreviated))


def complete(reference: str) -> str | None:
    """The URL that an abbreviated reference stands for (RFC 2396 Appendix F); None for any other reference.

    Names that begin with "www" get the prefix `http://`, and names that begin with "ftp" get `ftp://`. The appendix
    calls this a heuristic.

    >>> complete("www.w3.org/Addressing/"), complete("w3.org")
    ('http://www.w3.org/Addressing/', None)
    """
    check_str("reference", reference)
    length = _authority(reference)
    if not length or reference[length : length + 1] not in _AFTER_AUTHORITY:
        return None
    return _COMPLETIONS[reference[0].lower()] + reference


def escape(url: str, delimiter: Delimiter) -> str:
    """Percent-encode the characters of `url` that would end the URL between these delimiters.

    >>> escape("http://a.example/b c_(d).", "space")
    'http://a.example/b%20c_(d)%2E'
    """
    check_str("URL", url)
    escaped = _ENDS[delimiter].sub(_percent_encoded, url)
    if delimiter != "space":
        return escaped
    if any(_token_end(escaped + closing, 0) != len(escaped) for closing in _OPENED_BY):  # an unmatched bracket
        escaped = _BRACKETS.sub(_percent_encoded, escaped)
    kept = len(escaped.rstrip(_TRAILING + _EMPHASIS))
    return escaped[:kept] + "".join(f"%{byte:02X}" for byte in escaped[kept:].encode())


def _percent_encoded(match: re.Match[str]) -> str:
    return quote(match[0], safe="", errors="surrogatepass")


def _iterate(text: str, *, abbreviated: bool) -> Iterator[TextReference]:
    places = _SCHEME_END_OR_ABBREVIATED if abbreviated else _SCHEME_END
    done = 0
    while place := places.search(text, done):
        at = place.start()
        found = _at_colon(text, at, done) if place[0] == ":" else _at_host(text, at, done)
        if found is None:
            done = place.end()
            continue
        done = found.end
        yield found._replace(completed=complete(found.reference)) if abbreviated else found


def _at_colon(text: str, colon: int, done: int) -> TextReference | None:
    """The reference whose scheme or prefix ends at a colon; None if there is none. It cannot begin before `done`."""
    before = text[max(done, colon - _LONGEST_SCHEME) : colon]
    run = before[len(before.rstrip(_SCHEME_CHARACTERS)) :]
    if not 1 < len(run) < _LONGEST_SCHEME:
        return None
    start = colon - len(run)
    if run.lower() in _PREFIXES:
        delimiter = _delimiter(text, start, done)
        at = _end(_WHITE_SPACE, text, colon + 1)
        return None if delimiter == "space" else _find_delimited(text, at, at, delimiter)
    slashes = text.startswith("//", colon + 1)
    scheme = _scheme_before_slashes(run) if slashes else _scheme(run, text, colon)
    content = colon + (3 if slashes else 1)
    if not scheme or (slashes and scheme.lower() in _WITH_HOST and not _HOST.match(text, content)):
        return None
    delimiter = "space" if len(scheme) < len(run) else _delimiter(text, start, done)
    found = None if delimiter == "space" else _find_delimited(text, start, content, delimiter)
    if found is None and (slashes or scheme.islower() or scheme.lower() in _IN_CAPITALS):
        found = _find_undelimited(text, colon - len(scheme), content)
    return found


def _at_host(text: str, start: int, done: int) -> TextReference | None:
    """The abbreviated reference that begins at `start`; None if there is none."""
    delimiter = _delimiter(text, start, done)
    found = None if delimiter == "space" else _find_delimited(text, start, start, delimiter)
    if found is not None and complete(found.reference) is not None:
        return found
    found = _find_undelimited(text, start, start)
    length = _authority(found.reference) if found is not None else 0
    if found is None or not length:
        return None
    if found.reference[length : length + 1] in _AFTER_AUTHORITY:
        return found
    return found._replace(reference=found.reference[:length], end=start + length, alternatives=())


def _delimiter(text: str, start: int, done: int) -> Delimiter:
    """The delimiter before a reference or its prefix."""
    before = text[max(done, start - _BEFORE) : start]
    if before.endswith('"'):
        return "quotes"
    return "brackets" if before.rstrip().endswith("<") else "space"


def _scheme_before_slashes(run: str) -> str:
    """The scheme at the end of a run of scheme characters before "//": any valid scheme name, or ""."""
    scheme = run.lstrip("+-.0123456789")
    last = scheme.rpartition(".")[2]  # "…the end.http://"
    found = last if last != scheme and _is_registered(last.lower()) else scheme
    return found if len(found) > 1 else ""  # "C://"


def _scheme(run: str, text: str, colon: int) -> str:
    """The scheme before a colon without "//": a registered scheme whose URIs can omit "//", or ""."""
    scheme = run.lower()
    if not _is_registered(scheme) or text.startswith(":", colon + 1):
        return ""
    if scheme in _WITH_HOST or (scheme == "file" and not text.startswith("/", colon + 1)):  # RFC 8089 §2: file:/path
        return ""
    start = colon - len(run)
    return "" if _WITHIN.search(text[max(0, start - 2) : start]) else run


@lru_cache(maxsize=4096)
def _is_registered(scheme: str) -> bool:
    from linkfix.schemes.registry import lookup  # not needed for a text without a colon

    return lookup(scheme) is not None


def _find_delimited(text: str, start: int, content: int, delimiter: Delimiter) -> TextReference | None:
    """The reference from `start` to its closing delimiter; None if the delimiter is missing or `content` is its end."""
    match = _DELIMITED[delimiter].match(text, start)
    if match is None or match.end(1) <= content:
        return None
    written = match[1]
    without_hyphens = _HYPHEN_BEFORE_BREAK.sub("", written)
    alternatives = ("".join(without_hyphens.split()),) if without_hyphens != written else ()
    return TextReference("".join(written.split()), start, match.end(1), delimiter, None, alternatives)


def _find_undelimited(text: str, start: int, content: int) -> TextReference | None:
    """The reference from `start` to white space; None if only punctuation follows `content`."""
    before = text[start - 1 : start]
    in_apostrophes = before == "'"
    emphasis = before if before and before in _EMPHASIS else ""
    reference = text[start : _token_end(text, start, in_apostrophes=in_apostrophes)].rstrip(_TRAILING + emphasis)
    end = start + len(reference)
    if end <= content:
        return None
    return TextReference(reference, start, end, "space", None, _continuation(text, reference, end))


def _continuation(text: str, reference: str, end: int) -> tuple[str, ...]:
    """The other readings of a reference that ends with a hyphen at the end of a line."""
    line_break = _INDENTED_BREAK.match(text, end) if reference.endswith("-") else None
    if line_break is None:
        return ()
    more = text[line_break.end() : _token_end(text, line_break.end())].rstrip(_TRAILING)
    return (reference + more, reference[:-1] + more) if more and "://" not in more else ()


def _token_end(text: str, start: int, *, in_apostrophes: bool = False) -> int:
    """The end of a reference's characters. A closing bracket without its opening bracket ends the reference."""
    run = _RUN_IN_APOSTROPHES if in_apostrophes else _RUN
    opened: list[str] = []
    at = _end(run, text, start)
    while at < len(text):
        mark = text[at]
        if mark in "([" and len(opened) < _DEEPEST:
            opened.append(mark)
        elif opened and opened[-1] == _OPENED_BY.get(mark):
            opened.pop()
        else:
            break
        at = _end(run, text, at + 1)
    return at


def _authority(reference: str) -> int:
    """The length of the host and port of an abbreviated reference; 0 for any other reference."""
    match = _AUTHORITY.match(reference)
    if match is None:
        return 0
    host = match[1].rstrip(".-")
    labels = host.split(".")
    top = labels[-1]
    if len(labels) < _LABELS or not all(labels) or len(top) < _SHORTEST_TOP or not (top.isalpha() or "--" in top):
        return 0
    return match.end() if host == match[1] else len(host)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """The end of the match of a pattern that always matches."""
    match = pattern.match(text, at)
    return match.end() if match else at


# Removal of the delimiters around a reference (RFC 2396 Appendix E).

_SPACE_RUN = lazy_pattern(r"\s+")
_BREAK_AND_SPACES = lazy_pattern(r"\s*[\t\n\r]\s*")
#: An opening delimiter, an optional prefix, the reference, and the closing delimiter, which may be missing.
_IN_DELIMITERS = lazy_pattern(
    r"""
    \s*+ (?:
        < \s*+ (?: UR[LI]: )?+ ([^<>]*+) >?+
      | " \s*+ (?: UR[LI]: )?+ ([^"]*+) "?+
      | [“„] \s*+ (?: UR[LI]: )?+ ([^“”]*+) [“”]?+      # typographic quotes of word processors
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: Punctuation of the sentence after the closing delimiter.
_AFTER = lazy_pattern(r"[\s.,;:!?)]*+\Z")
_PREFIXED = lazy_pattern(rf"(?i:UR[LI]):(?=\s*+{SCHEME}:)")
_ABSOLUTE = lazy_pattern(rf"{SCHEME}:")


def undelimited(text: str) -> str | None:
    """The delimited reference at the beginning of `text`, without any white space; None if there is no delimiter.

    Delimiters are angle brackets and double quotes, optionally followed by the prefix `URL:` or `URI:` (RFC 1808 §3.1,
    RFC 2396 Appendix E, RFC 3986 Appendix C). The closing delimiter may be missing; text after it is ignored.
    """
    check_str("text", text)
    span = delimited_span(text)
    return None if span is None else _SPACE_RUN.sub("", text[span[0] : span[1]])


def delimited_span(text: str) -> tuple[int, int] | None:
    """The start and end of the delimited reference in `text`, without white space at its ends; None if no delimiter."""
    match = _IN_DELIMITERS.match(text)
    if match is None:
        return None
    start, end = match.span(match.lastindex or 0)
    reference = text[start:end]
    start = end - len(reference.lstrip())
    return start, max(start, start + len(reference.strip()))


def strip_delimiters(user_input: str) -> str:
    r"""The reference that a person typed or pasted, without delimiters and embedded white space (RFC 2396 Appendix E).

    As the appendix says, all white space is removed from a delimited reference and from an absolute URI. A relative
    reference without delimiters may be a file name: it keeps the spaces within a line, and loses line breaks, tabs, and
    the white space around them.

    >>> strip_delimiters(' <URL:http://www.ics.uci.edu/pub/ietf/uri/\n   historical.html#WARNING>. ')
    'http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING'
    >>> strip_delimiters('"http://www.w3.org/ Addressing/"'), strip_delimiters("My Page.html")
    ('http://www.w3.org/Addressing/', 'My Page.html')
    """
    check_str("text", user_input)
    match = _IN_DELIMITERS.match(user_input)
    if match and _AFTER.match(user_input, match.end()):
        return _SPACE_RUN.sub("", match[match.lastindex or 0])
    text = user_input.strip()
    prefix = _PREFIXED.match(text)
    text = text[prefix.end() :].lstrip() if prefix else text
    return (_SPACE_RUN if _ABSOLUTE.match(text) else _BREAK_AND_SPACES).sub("", text)
