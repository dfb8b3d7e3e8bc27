"""The data formats with links that programs read: which one a file has, by its first bytes.

They are feeds, sitemaps and descriptions in XML, JSON Feed, and XML with a style sheet.
"""

from __future__ import annotations

import os
import re

from linkfix.lazy import lazy_pattern

#: The media types that any XML can have.
GENERIC_TYPES = frozenset({"application/xml", "text/xml"})

#: The media types of XML that programs read, and no browser shows as a page.
XML_DATA_TYPES = GENERIC_TYPES | {
    "application/rss+xml",
    "application/atom+xml",
    "application/opensearchdescription+xml",
}

#: The media type of a JSON Feed (JSON Feed 1.1, "Discovery").
JSON_FEED = "application/feed+json"

#: The media type that JSON of any kind can have.
JSON = "application/json"

#: The media types of all that programs read, and no browser shows as a page.
DATA_TYPES = XML_DATA_TYPES | {JSON_FEED}

#: Suffixes of any XML: the content decides.
XML_SUFFIXES = frozenset({".xml", ".rdf"})

#: The suffix of any JSON: likewise.
JSON_SUFFIX = ".json"

#: The number of bytes of a file that are searched for its root element.
XML_HEADER = 4096

_WHITE_SPACE_BYTES = b"\t\n\r "

#: The beginnings and ends of markup before the root element (XML 1.0 §2.8). `_DOCTYPE` matches a document type.
_BEFORE_ROOT = ((b"<?", b"?>"), (b"<!--", b"-->"))

#: The instruction that names a style sheet (Associating Style Sheets with XML §3).
_STYLESHEET = lazy_pattern(rb"<\?xml-stylesheet[\t\n\r ]")

#: A document type without an internal subset, and with one.
_DOCTYPE = lazy_pattern(rb"<!DOCTYPE[^>\[]*+(?:>|\[.*?\][\t\n\r ]*>)", re.DOTALL)

_ROOT = lazy_pattern(rb"<(?:[^\t\n\r />:]++:)?([A-Za-z]++)(?=[\t\n\r />])[^>]*+")

#: Byte order marks and XML declarations of UTF-16 -> its codec (XML 1.0 appendix F).
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}

_RSS = "application/rss+xml"

_ATOM = "application/atom+xml"

_OPENSEARCH = "application/opensearchdescription+xml"

_OTHER = "application/xml"

#: A root's name -> its media type, and the namespaces of which its tag has to name one, if any.
_ROOTS: dict[bytes, tuple[str, tuple[bytes, ...]]] = {
    b"rss": (_RSS, ()),
    b"RDF": (_RSS, (b"http://purl.org/rss/1.0/", b".netscape.com/rdf/simple/0.9/")),
    b"feed": (_ATOM, (b"http://www.w3.org/2005/Atom", b"http://purl.org/atom/ns#")),
    b"entry": (_ATOM, (b"http://www.w3.org/2005/Atom", b"http://purl.org/atom/ns#")),
    b"OpenSearchDescription": (_OPENSEARCH, ()),
    b"SearchPlugin": (_OPENSEARCH, (b"http://www.mozilla.org/2006/browser/search/",)),
    b"urlset": (_OTHER, ()),
    b"sitemapindex": (_OTHER, ()),
    b"browserconfig": (_OTHER, ()),
}

#: The same, of what browsers show as a page or picture, whichever XML it is served as.
_PAGE_ROOTS = {
    b"html": ("application/xhtml+xml", b"http://www.w3.org/1999/xhtml"),
    b"svg": ("image/svg+xml", b"http://www.w3.org/2000/svg"),
}

#: The media types that `page_type` gives.
XML_PAGE_TYPES = frozenset(type_ for type_, _ in _PAGE_ROOTS.values())


def is_xml_name(name: str) -> bool:
    """Whether a file name (no folder) is that of any XML, in any case of its letters; a saved query does not count.

    >>> is_xml_name("Feed.XML"), is_xml_name("feed.xml?page=2"), is_xml_name("feed.html")
    (True, True, False)
    """
    whole = name.lower()
    path = whole.partition("?")[0]
    return any(os.path.splitext(one)[1] in XML_SUFFIXES for one in (whole, path, path.partition("@")[0]))


def sniff_xml(head: bytes) -> str | None:
    """The media type of a feed, sitemap, OpenSearch description or browserconfig.xml, by a file's first bytes.

    "application/xml" for XML that names a style sheet; None for all else, and where the root's tag does not begin in
    the first `XML_HEADER` bytes.

    >>> sniff_xml(b"<?xml version='1.0'?><rss version='2.0'>"), sniff_xml(b"<project>"), sniff_xml(b"<urlset>")
    ('application/rss+xml', None, 'application/xml')
    """
    root, has_style_sheet = find_root(head)
    other = _OTHER if has_style_sheet else None
    type_, namespaces = _ROOTS.get(root[1], (other, ())) if root is not None else (other, ())
    return type_ if not namespaces or (root and any(one in root[0] for one in namespaces)) else other


def page_type(head: bytes) -> str | None:
    """The media type of an XHTML page or SVG picture, by the first bytes of an XML document; None for all else.

    >>> page_type(b"<html xmlns='http://www.w3.org/1999/xhtml'>"), page_type(b"<html>")
    ('application/xhtml+xml', None)
    """
    root, _ = find_root(head)
    type_, namespace = _PAGE_ROOTS.get(root[1], (None, b"")) if root is not None else (None, b"")
    return type_ if root is not None and namespace in root[0] else None


def find_root(head: bytes) -> tuple[re.Match[bytes] | None, bool]:
    """The start tag of a file's root element, None where it does not begin in the first `XML_HEADER` bytes; and whether
    an instruction before it names a style sheet.
    """
    head = head[:XML_HEADER]
    codec = _UTF_16.get(head[:2])
    if codec is not None:
        head = head.decode(codec, "ignore").lstrip("\ufeff").encode("utf-8", "ignore")
    head = head.removeprefix(b"\xef\xbb\xbf")
    at = 0
    has_style_sheet = False
    while True:
        at = len(head) - len(head[at:].lstrip(_WHITE_SPACE_BYTES))
        for start, end in _BEFORE_ROOT:
            if head.startswith(start, at):
                has_style_sheet = has_style_sheet or _STYLESHEET.match(head, at) is not None
                at = head.find(end, at + len(start)) + len(end)
                if at < len(end):
                    return None, False
                break
        else:
            doctype = _DOCTYPE.match(head, at)
            if doctype is None:
                break
            at = doctype.end()
    return _ROOT.match(head, at), has_style_sheet


#: An object with the member "version" of a JSON Feed. PHP writes "\\/" for "/".
_JSON_FEED = lazy_pattern(
    rb"""(?:\xef\xbb\xbf)?\s*+\{(?=[\s\S]*?"version"\s*:\s*"https?:\\?/\\?/jsonfeed\.org\\?/version\\?/1)"""
)


def sniff_json_feed(head: bytes) -> str | None:
    """The media type of a JSON Feed, by a file's first `XML_HEADER` bytes; None for all else.

    >>> sniff_json_feed(b'{"version": "https://jsonfeed.org/version/1.1"}'), sniff_json_feed(b'{"version": "1.1"}')
    ('application/feed+json', None)
    """
    return JSON_FEED if _JSON_FEED.match(head[:XML_HEADER]) else None


def sniff_data(head: bytes) -> str | None:
    """The media type of a JSON Feed, or of XML as in `sniff_xml`."""
    return sniff_xml(head) or sniff_json_feed(head)
