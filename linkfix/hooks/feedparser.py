"""Hook for feedparser: feeds with absolute links, also where feedparser leaves them relative.

    import linkfix.hooks.feedparser

    feed = linkfix.hooks.feedparser.parse(response.content, str(response.url), response.headers)

feedparser leaves enclosures, `srcset` and Media RSS relative, and does not read `xml:base` in the content of entries.
"""

from __future__ import annotations

import io
from typing import Any, Unpack

from linkfix.errors import Needs

with Needs("linkfix.hooks.feedparser", "feedparser"):
    import feedparser

from linkfix.document.document import Document
from linkfix.encodings.encoding import get_encoding
from linkfix.files.data_formats import sniff_xml
from linkfix.files.media_types import HEADER, extract_mime_type
from linkfix.hooks.generic import Headers, header_pairs
from linkfix.hooks.response import wrong_argument
from linkfix.model import Envelope, OptionFields, make_options

__all__ = ["parse"]

_CALL = "linkfix.hooks.feedparser.parse"
#: The keywords of `parse`, besides the fields of `Options`.
_KEYWORDS = ("url", "headers", "sanitize_html")


def parse(
    feed: bytes | str,
    url: str | None = None,
    headers: Headers | None = None,
    *,
    sanitize_html: bool | None = None,
    **fields: Unpack[OptionFields],
) -> Any:
    """Make the links of a feed absolute, and return the result of `feedparser.parse` for it.

    `feed`: RSS or Atom, content codings decoded. It is never taken for a URL or the name of a file, as feedparser does.
    `url`: the URL of the feed after redirects. `headers`: the header fields of the response; only the Content-Type is
    read. `sanitize_html`: as in `feedparser.parse`. `fields`: fields of `linkfix.Options`; by default, references to
    fragments become absolute, as in feedparser. Raises InvalidBase, InvalidOption and UnknownSpec for wrong values, and
    TypeError for other objects.

    >>> rss = b"<rss version='2.0'><channel><item><enclosure url='a.mp3'/></item></channel></rss>"
    >>> parse(rss, "https://example.com/feed/").entries[0].enclosures[0].href
    'https://example.com/feed/a.mp3'
    """
    if not isinstance(feed, bytes | str):
        raise wrong_argument(_CALL, "a feed as bytes or str", feed, "")
    chosen: OptionFields = {"fragments": "absolutize"}
    chosen.update(fields)
    options = make_options(chosen, _KEYWORDS)
    data = feed.encode("utf-8", "replace") if isinstance(feed, str) else feed
    pairs = () if headers is None else header_pairs(headers, _CALL)
    declared = extract_mime_type([value for name, value in pairs if name.lower() == "content-type"])
    charset = "utf-8" if isinstance(feed, str) else declared.charset
    encoding = get_encoding(charset) if charset is not None else None
    type_ = sniff_xml(data[:HEADER]) or "application/xml"
    document = Document(data, envelope=Envelope(url, encoding, type_), options=options)
    made = document.convert().data
    fields_of_feed = {"content-type": f"{type_}; charset={document.encoding.name}"}
    if url is not None:
        fields_of_feed["content-location"] = url
    return feedparser.parse(io.BytesIO(made), response_headers=fields_of_feed, sanitize_html=sanitize_html)
