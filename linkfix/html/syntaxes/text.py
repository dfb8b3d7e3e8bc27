"""The syntaxes "text", "robots", "source-map" and "css-source-map": URLs in texts and comments of code."""

from __future__ import annotations

from functools import partial

from linkfix.lazy import lazy_pattern

from .url import Found


def find_in_text(text: str) -> list[Found]:
    """Find the references in a text, including abbreviated references: see `linkfix.text.find`.

    A reference with an ambiguous hyphen at the end of a line has problem "hyphen-at-line-end".
    """
    from linkfix import text as plain_text  # its regular expressions are slow to compile

    return [
        Found(
            one.start,
            one.end,
            one.reference,
            partial(plain_text.escape, delimiter=one.delimiter),
            "url" if one.completed is None else "abbreviated",
            "hyphen-at-line-end" if one.hyphen else None,
        )
        for one in plain_text.find(text, abbreviated=True)
    ]


# robots.txt: syntax "robots" (RFC 9309; `Sitemap` lines by https://www.sitemaps.org/protocol.html#submit_robots).
#
# The paths of `Allow` and `Disallow` lines are patterns to compare URLs with, not references.


#: RFC 9309 §2.2: a line's name in any case, white space around the colon; the value ends at "#" or at the line's end.
_SITEMAP = lazy_pattern(r"(?:\A|(?<=[\r\n]))[ \t]*+[Ss][Ii][Tt][Ee][Mm][Aa][Pp][ \t]*+:[ \t]*+([^#\r\n]*+)")

_UNSAFE_IN_SITEMAP = lazy_pattern(r"[#\r\n\ud800-\udfff]|\s++\Z")


def _escape_sitemap(url: str) -> str:
    """The URL, with characters escaped that would end it in a `Sitemap` line."""
    from urllib.parse import quote  # nothing is written on most runs

    return _UNSAFE_IN_SITEMAP.sub(lambda character: quote(character[0], errors="replace"), url)


def find_in_robots(text: str) -> list[Found]:
    """Find the URLs of the `Sitemap` lines."""
    found = []
    for line in _SITEMAP.finditer(text):
        url = line[1].rstrip()
        if url:
            found.append(Found(line.start(1), line.start(1) + len(url), url, _escape_sitemap))
    return found


# The comment at the end of a script or style sheet that names its source map: syntaxes "source-map", "css-source-map".
#
# ECMA-426 §11.1.2 ("linking generated code to source maps"): the last comment that is exactly `# sourceMappingURL=…`,
# followed only by comments and white space; "@" in place of "#" is the older form. As in browsers, a URL with a
# quotation mark does not count: such a comment is in a string of the code. A comment before a backtick does not count
# either. A `data:` URL, which is the map itself, is left out.


_NAME = "sourceMappingURL="

_NAME_BYTES = _NAME.encode()

#: The maximum length of a comment before the name, with its white space, in characters or bytes.
_BEFORE = 64

_OPENING = lazy_pattern(r"/([/*])[#@]\s*+\Z")

_OPENING_BYTES = lazy_pattern(rb"/[/*][#@]\s*+\Z")

_VALUE = {
    "/": lazy_pattern(r"([^\s\"'`]++)[^\S\n\r\u2028\u2029]*+(?=[\n\r\u2028\u2029]|\Z)"),
    "*": lazy_pattern(r"((?:[^\s\"'`*]++|\*(?!/))++)\s*+\*/"),
}

#: The text allowed after the comment: comments without a backtick, and white space.
_REST = lazy_pattern(r"(?:\s++|\ufeff|//[^\n\r\u2028\u2029`]*+(?!`)|/\*(?:[^*`]++|\*(?!/))*+\*/)*+\Z")

_UNSAFE_IN_COMMENT = lazy_pattern(r"[\s\x00-\x20\"'`*\x7f\ud800-\udfff]")


def comment_start(data: bytes) -> int:
    """The start of the comment that `find_in_script` or `find_in_css` checks, in bytes; -1 if there is none.

    `data`: the text in an ASCII-compatible encoding.
    """
    at = data.rfind(_NAME_BYTES)
    before = _OPENING_BYTES.search(data[max(at - _BEFORE, 0) : at]) if at >= 0 else None
    return at - (before.end() - before.start()) if before is not None else -1


def _escape_source_map(url: str) -> str:
    """The URL, with characters escaped that would end it in the comment."""
    from urllib.parse import quote  # nothing is written on most runs

    return _UNSAFE_IN_COMMENT.sub(lambda character: quote(character[0], safe="", errors="replace"), url)


def _find_source_map(text: str, kinds: str) -> list[Found]:
    at = text.rfind(_NAME)
    opening = _OPENING.search(text[max(at - _BEFORE, 0) : at]) if at >= 0 else None
    if opening is None or opening[1] not in kinds:
        return []
    start = at + len(_NAME)
    value = _VALUE[opening[1]].match(text, start)
    if value is None or text[start : start + 5].lower() == "data:" or not _REST.match(text, value.end()):
        return []
    return [Found(start, value.end(1), value[1], _escape_source_map)]


def find_in_script(text: str) -> list[Found]:
    """Find the URL of the source map of a script."""
    return _find_source_map(text, "/*")


def find_in_css(text: str) -> list[Found]:
    """Find the URL of the source map of a style sheet, which has only one form of comment."""
    return _find_source_map(text, "*")
