"""Material of inputs: the project's fixtures, and the published facts in tests/vectors."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from linkfix.files import DATA_TYPES, GENERIC_TYPES, sniff_xml
from linkfix.model import HEADER_TYPE, HTTP_HEADER_TYPE

__all__ = ["DOCUMENT_TYPES", "containers", "documents"]

_CHECKOUT = Path(__file__).resolve().parents[1]
_FIXTURES = _CHECKOUT / "fixtures"
_FEEDS = _FIXTURES / "feeds"
_VECTORS = _CHECKOUT / "tests" / "vectors"

#: The suffixes of documents, and their media types.
DOCUMENT_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".xml": "application/xml",
    ".txt": "text/plain",
    ".webmanifest": "application/manifest+json",
    ".json": "application/feed+json",
    ".js": "text/javascript",
}
#: Documents of types that the fixtures lack.
_WRITTEN = {
    "application/manifest+json": (
        b'{"name": "x", "start_url": "../?a=%41", "scope": "/", "icons": [{"src": "a.png", "sizes": "any"}]}',
        b'{"shortcuts": [{"url": "b", "icons": [{"src": "\\u0063.png"}]}], "share_target": {"action": "d"}}',
        b'{"icons": [{"src": "a"}, {"src": "a"}], "protocol_handlers": [{"url": "/?q=%s"}], "start_url": ""}',
    ),
    "application/feed+json": (
        rb'{"version": "https:\/\/jsonfeed.org\/version\/1.1", "home_page_url": "\u002f?a=%41", "feed_url": "../f"}',
        rb'{"items": [{"url": "p\/1", "content_html": "<a href=\"x&amp;b\">\n\ud83d\ude00<img srcset=\"a 1x, b\">"}]}',
        rb'{"icon": "b", "icon":"c","items": [{"content_html": "<p style=\u0022x:url(d)\u0022>", "_x": {"url": "g"}}]}',
        rb'{"items": [{"content_html": "<iframe srcdoc=\"<a href=e>\">", "attachments": [{"url":""}]}],"next_url":"?"}',
    ),
    "text/x-robots": (
        b"User-agent: *\r\nDisallow: /a\r\nSitemap: /b.xml # c\r\nsitemap:https://h/d.xml\n",
        b"\xef\xbb\xbfSITEMAP :\tb.xml\rSitemap: c d\n#Sitemap: e",
    ),
    HEADER_TYPE: (
        b"Base: <URL:http://h/a/b>\r\nList-Help: <../c> (d, <e>),\r\n <mailto:f@g>\r\nContent-Location: h.html\r\n",
        b'Link: <i?j>; rel="k,l"; anchor="#m", </n>; title="<o>"\nURI: <p>, <q\n r>\nArchived-At:\n\t<s>\n\nBase: t\n',
        b'Content-Base: "http://h/"\nContent-Location: =?utf-8?q?=C3=A9?=\n =?utf-8?b?Yg==?= (u)\nLocation: v w\n',
    ),
    HTTP_HEADER_TYPE: (
        b"HTTP/1.1 302 Found\r\nLocation: ../a?b#c\r\nContent-Location: d e\r\nList-Help: <f>\r\n\r\nLink: <g>",
        b"HTTP/1.0 200\nLink: <a>; rel=next; anchor='b', <c>\nRefresh: 5; url='d'\nREFRESH: 0;url=e f\nBase: g\n\n",
    ),
    "text/javascript": (
        b"import a, {b as c} from './a.js';export * from \"/b.js\";import('../c.js');\n//# sourceMappingURL=a.map",
        b"x = `${import(`./e.js`)}` / /['\"]/.y; if (z) /'/.test(z); new URL('f.png', import.meta.url)\n<!-- it's\n",
    ),
}
_CONTAINER_TYPES = {".mht": "mime", ".eml": "mime", ".gz": "warc"}


def _rows(name: str) -> list[list[Any]]:
    lines = (_VECTORS / f"{name}.jsonl").read_text("ascii").splitlines()
    return [json.loads(line) for line in lines if not line.startswith("#")]


def _bytes(text: str) -> bytes:
    """The bytes of a text of a table: a code point each, where all are so small."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


@cache
def documents(media_type: str) -> list[bytes]:
    """Documents of a media type, in an order that is always the same."""
    paths = [path for path in sorted(_FIXTURES.rglob("*")) if _FEEDS not in path.parents]
    found = [path.read_bytes() for path in paths if DOCUMENT_TYPES.get(path.suffix) == media_type]
    found += _WRITTEN.get(media_type, ())
    if media_type == "text/html":
        found += [_bytes(row[1]) for name in ("tree-construction", "encoding") for row in _rows(name)]
        found += [_bytes(row[3]) for row in _rows("tokenizer")]
        found += [_bytes(row[1]) for row in _rows("savers") if row[0].endswith(".html")]
        for text, *_ in _rows("srcset"):
            found.append(b'<img srcset="' + _bytes(text.replace("&", "&amp;").replace('"', "&quot;")) + b'">')
        for text, *_ in _rows("refresh"):
            content = _bytes(text.replace("&", "&amp;").replace('"', "&quot;"))
            found.append(b'<meta http-equiv=refresh content="' + content + b'">')
    elif media_type in DATA_TYPES:
        feeds = [path.read_bytes() for path in sorted(_FEEDS.glob("*.xml"))]
        found += [one for one in feeds if media_type in GENERIC_TYPES or sniff_xml(one) == media_type]
    elif media_type == "text/plain":
        found += [_bytes(row[0]) for row in _rows("appendix-e")]
    return found


@cache
def containers(format_: str) -> list[bytes]:
    """Containers of a format."""
    found = [path.read_bytes() for path in sorted(_FIXTURES.rglob("*")) if _CONTAINER_TYPES.get(path.suffix) == format_]
    if format_ == "mime":
        found += [_bytes(row[1]) for row in _rows("mime")]
    return found
