"""Media types: what a file's name, its first bytes, or a Content-Type header says."""

from __future__ import annotations

import mimetypes
import os
import re

__all__ = [
    "MEDIA_TYPES",
    "RESOURCE_HEADER",
    "SERVED",
    "content_type",
    "guess",
    "media_type",
    "sniff_html",
    "suffix_type",
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
}

#: Suffixes of programs whose output savers keep under the program's name, and no suffix: the content decides.
SERVED = frozenset({"", ".asp", ".aspx", ".cfm", ".cgi", ".do", ".jsp", ".jspx", ".php", ".php3", ".phtml", ".pl"})

#: MIME Sniffing §7.1 "rules for identifying an unknown MIME type": the rows whose result is text/html; any white space
#: ends a tag's name here, and the XML declaration of XHTML that was served as HTML may come first.
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<\?xml [^>]*>[\t\n\f\r ]*)?"
    rb"<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[\t\n\f\r >]",
    re.IGNORECASE,
)
#: The program itself, and not what it put out.
_PROGRAM = re.compile(rb"<\?(?!xml)|<%")
#: MIME Sniffing §5.2: how many bytes of a resource decide.
RESOURCE_HEADER = 1445

_CHARSET = re.compile(r""";[ \t]*+charset[ \t]*+=[ \t]*+(?:"([^"\\]*+)"|([^\s;"]++))""", re.IGNORECASE)
#: The table that Python comes with, the same on every system.
_SUFFIXES = mimetypes.MimeTypes()


def sniff_html(head: bytes) -> str | None:
    """`text/html` where the first bytes of a file are those of an HTML document (MIME Sniffing §7.1), else None."""
    return "text/html" if _HTML.match(head) and not _PROGRAM.search(head) else None


def media_type(name: str) -> str | None:
    """The media type that a file name (no folder) states: "" where only the content can tell, None for no document.

    Savers keep a query in the name: `page.html?q=1`, where that is no character of a name `page.html@q=1`, and either
    may have got a suffix more, `page.php?q=1.html`. Not case-sensitive.
    """
    whole = name.lower()
    path = whole.partition("?")[0]
    suffixes = [os.path.splitext(candidate)[1] for candidate in (path.partition("@")[0], path)]
    for suffix in suffixes:
        if suffix in MEDIA_TYPES:
            return MEDIA_TYPES[suffix]
    served = (suffixes[0] or suffixes[1]) in SERVED
    return "" if served or os.path.splitext(whole)[1] in MEDIA_TYPES else None


def content_type(value: str) -> tuple[str, str | None]:
    """The media type, lower case and without parameters, and the charset of a Content-Type (RFC 9110 §8.3.1)."""
    charset = _CHARSET.search(value)
    return value.partition(";")[0].strip().lower(), (charset and (charset[1] or charset[2])) or None


def guess(name: str, data: bytes) -> str:
    """The media type of a part that has nothing but a file name; "" for none."""
    stated = media_type(os.path.basename(name))
    if stated:
        return stated
    return (sniff_html(data[:RESOURCE_HEADER]) if stated == "" else None) or suffix_type(name)


def suffix_type(name: str) -> str:
    """The media type that a file name's last suffix stands for; "" for none."""
    return _SUFFIXES.types_map[True].get(os.path.splitext(name)[1].lower(), "")
