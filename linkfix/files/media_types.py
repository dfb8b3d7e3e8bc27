"""Media types: what a file's name, its first bytes, or a Content-Type field says."""

from __future__ import annotations

import os
import re
from functools import cache

from linkfix.files.xml_types import XML_HEADER, XML_SUFFIXES, is_xml_name, sniff_xml
from linkfix.lazy import lazy_pattern

__all__ = [
    "HEADER",
    "MEDIA_TYPES",
    "RESOURCE_HEADER",
    "ROBOTS",
    "SCRIPTS",
    "SERVED_SUFFIXES",
    "SUFFIXES",
    "content_type",
    "guess_media_type",
    "media_type",
    "media_type_of_suffix",
    "script_type",
    "sniff",
    "sniff_html",
    "source_type",
]

#: A name's last suffix (lower case) -> the media type of a document.
MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".shtml": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".webmanifest": "application/manifest+json",
}
#: The media type of a robots.txt: linkfix's own name for what servers send as text/plain.
ROBOTS = "text/x-robots"
#: Whole names (lower case) -> the media type of a document; "" where only the content can tell.
_NAMES = {"robots.txt": ROBOTS, "manifest.json": ""}
#: A name's last suffix (lower case) -> the media type of a script: its references are listed, and never rewritten.
SCRIPTS = {".js": "text/javascript", ".mjs": "text/javascript"}
#: The media type of a document -> the suffix to give its file: the first of `MEDIA_TYPES`.
SUFFIXES = {type_: suffix for suffix, type_ in reversed(MEDIA_TYPES.items())}

#: The suffixes of pages' sources -> their media type. Where a page is asked for, they are none.
_SOURCES = dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), "text/markdown")

#: Suffixes of programs whose output is saved under the program's name, and no suffix: the content decides.
SERVED_SUFFIXES = frozenset(
    {"", ".asp", ".aspx", ".cfm", ".cgi", ".do", ".jsp", ".jspx", ".php", ".php3", ".phtml", ".pl"}
)

#: MIME Sniffing §5.2: how many bytes of a resource decide its type.
RESOURCE_HEADER = 1445
#: How many bytes of a file decide what it is.
HEADER = max(RESOURCE_HEADER, XML_HEADER)
#: The suffixes that leave it to the content.
_UNDECIDED = SERVED_SUFFIXES | XML_SUFFIXES
#: MIME Sniffing §7.1 "rules for identifying an unknown MIME type": the rows whose result is text/html. Beyond them, any
#: white space ends a tag's name, and an XML declaration may come first, for XHTML that was served as HTML.
_HTML = lazy_pattern(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<\?xml [^>]*>[\t\n\f\r ]*)?"
    rb"<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[\t\n\f\r >]",
    re.IGNORECASE,
)
#: The source of a program, not its output.
_PROGRAM = lazy_pattern(rb"<\?(?!xml)|<%")

_CHARSET = lazy_pattern(r""";[ \t]*+charset[ \t]*+=[ \t]*+(?:"([^"\\]*+)"|([^\s;"]++))""", re.IGNORECASE)


def media_type(name: str) -> str | None:
    """The media type of a document that a file name (no folder) states, in any case of its letters.

    "" where only the content can tell, None where it is no document's name. A query that was saved in the name does not
    count (`page.html?q=1`, `page.html@q=1`), nor does a suffix added after one (`page.php?q=1.html`).

    >>> media_type("page.HTM?q=1"), media_type("view.php"), media_type("logo.png")
    ('text/html', '', None)
    """
    whole = name.lower()
    if "?" not in whole and "@" not in whole:  # what the rest gives, sooner
        if whole in _NAMES:
            return _NAMES[whole]
        suffix = os.path.splitext(whole)[1]
        return MEDIA_TYPES.get(suffix, "" if suffix in _UNDECIDED else None)
    path, plain = whole.partition("?")[0], _plain_name(whole)
    if plain in _NAMES:
        return _NAMES[plain]
    suffixes = [os.path.splitext(candidate)[1] for candidate in (plain, path)]
    for suffix in suffixes:
        if suffix in MEDIA_TYPES:
            return MEDIA_TYPES[suffix]
    is_undecided = (suffixes[0] or suffixes[1]) in _UNDECIDED
    return "" if is_undecided or os.path.splitext(whole)[1] in MEDIA_TYPES else None


def _plain_name(name: str) -> str:
    """A name without the query that was saved in it."""
    return name.partition("?")[0].partition("@")[0]


def script_type(name: str) -> str:
    """The media type of a script that a file name (no folder) states; "" where it is no script's name.

    >>> script_type("app.js?v=2"), script_type("app.json")
    ('text/javascript', '')
    """
    return SCRIPTS.get(os.path.splitext(name.lower().partition("?")[0])[1], "")


def source_type(name: str) -> str | None:
    """The media type of the source of a page that a file name states; None where it is no source's name.

    >>> source_type("README.md"), source_type("index.html")
    ('text/markdown', None)
    """
    return _SOURCES.get(os.path.splitext(name)[1].lower())


def media_type_of_suffix(name: str) -> str:
    """The media type, of any kind of file, that a name's last suffix stands for; "" for none.

    >>> media_type_of_suffix("img/logo.PNG")
    'image/png'
    """
    return _all_suffixes().get(os.path.splitext(name)[1].lower(), "")


@cache
def _all_suffixes() -> dict[str, str]:
    """The table that Python comes with, the same on every system."""
    from mimetypes import MimeTypes  # noqa: PLC0415 - it takes milliseconds, and most runs ask for no other media type

    return MimeTypes().types_map[True]


def sniff_html(head: bytes) -> str | None:
    """`text/html` where a file's first bytes are those of an HTML document (MIME Sniffing §7.1), else None.

    >>> sniff_html(b"<!doctype html><title>x"), sniff_html(b"%PDF-1.7")
    ('text/html', None)
    """
    return "text/html" if _HTML.match(head) and not _PROGRAM.search(head) else None


#: What web application manifests have, and manifests of browser extensions and of build tools have not.
_WEB_MANIFEST = lazy_pattern(
    rb"""(?:\xef\xbb\xbf)?\s*\{(?=[\s\S]*?"(?:start_url"\s*:\s*"|icons"\s*:\s*\[|screenshots"\s*:\s*\[))"""
)
_OTHER_MANIFEST = lazy_pattern(rb'"(?:manifest_version|@context)"\s*:')


def sniff(name: str, head: bytes) -> str | None:
    """The media type of a file whose name (no folder) leaves it to the content: see `media_type`. None for no document.

    `head`: its first `HEADER` bytes. A file named as XML is a document where `sniff_xml` knows it; one with the name of
    a program can be HTML, too.

    >>> sniff("feed.php", b"<rss>"), sniff("a.php", b"<html>"), sniff("a.xml", b"<html>")
    ('application/rss+xml', 'text/html', None)
    >>> sniff("manifest.json", b'{"start_url": "/"}'), sniff("manifest.json", b'{"manifest_version": 3, "icons": []}')
    ('application/manifest+json', None)
    """
    if _plain_name(name.lower()) in _NAMES:
        is_manifest = _WEB_MANIFEST.match(head) and not _OTHER_MANIFEST.search(head)
        return MEDIA_TYPES[".webmanifest"] if is_manifest else None
    return sniff_xml(head) or (None if is_xml_name(name) else sniff_html(head[:RESOURCE_HEADER]))


def guess_media_type(name: str, data: bytes) -> str:
    """The media type of a file that states none, by its name and content; "" for none."""
    last = os.path.basename(name)
    stated = media_type(last)
    if stated:
        return stated
    sniffed = sniff(last, data[:HEADER]) if stated == "" else None
    return sniffed or media_type_of_suffix(name)


def content_type(value: str) -> tuple[str, str | None]:
    """The media type, lower case and without parameters, and the charset of a Content-Type (RFC 9110 §8.3.1).

    >>> content_type("Text/HTML; charset=utf-8")
    ('text/html', 'utf-8')
    """
    name, semicolon, _ = value.partition(";")
    charset = _CHARSET.search(value) if semicolon else None
    return name.strip().lower(), (charset and (charset[1] or charset[2])) or None
