"""The elements and attributes of feeds, sitemaps, OpenSearch descriptions and browserconfig.xml that have URLs.

Rows are as in `linkfix.html.vocabulary`, but the namespace is a name from `NAMESPACES`. The name of an extension's
element has the extension's usual prefix, whatever prefix the document uses. Names are spelled as in the formats. Syntax
"html": the element's text is a separate HTML document.

Some elements and attributes have no row, since no reader follows them: Atom's `id` and `category scheme` (RFC 4287
§4.2.6: an IRI that is compared character by character), RSS's `guid` with `isPermaLink="false"`, `category domain`, and
`cloud`.
"""

from __future__ import annotations

from collections.abc import Mapping

from linkfix.html.vocabulary import RowTable, row_table
from linkfix.model import Options, Row

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
#: The syntax of a text that is an HTML document.
CONTENT = "html"
#: The element of RSS that holds an item's XHTML, with or without the XHTML namespace.
BODY = ("rss", "body")
#: The types of Atom's content that can have references.
_PAGES = frozenset({"html", "xhtml", "text/html", "application/xhtml+xml"})

#: A namespace's URI -> its name in the rows.
NAMESPACES = {
    "http://www.w3.org/2005/Atom": "atom",
    "http://purl.org/atom/ns#": "atom",
    "http://purl.org/rss/1.0/": "rss",
    "http://my.netscape.com/rdf/simple/0.9/": "rss",
    "http://channel.netscape.com/rdf/simple/0.9/": "rss",
    "http://backend.userland.com/rss2": "rss",
    RDF: "rdf",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://wellformedweb.org/CommentAPI/": "wfw",
    "http://wellformedweb.org/commentAPI/": "wfw",
    "http://wellformedweb.org/CommentAPI": "wfw",
    "http://search.yahoo.com/mrss/": "media",
    "http://search.yahoo.com/mrss": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
    "https://podcastindex.org/namespace/1.0": "podcast",
    "http://backend.userland.com/creativeCommonsRssModule": "creativeCommons",
    "http://purl.org/syndication/thread/1.0": "thr",
    "http://www.w3.org/2007/app": "app",
    "http://www.sitemaps.org/schemas/sitemap/0.9": "sitemap",
    "http://www.google.com/schemas/sitemap/0.84": "sitemap",
    "http://www.google.com/schemas/sitemap-image/1.1": "image",
    "http://www.google.com/schemas/sitemap-video/1.1": "video",
    "http://a9.com/-/spec/opensearch/1.1/": "opensearch",
    "http://a9.com/-/spec/opensearchdescription/1.1/": "opensearch",
    "http://a9.com/-/spec/opensearchdescription/1.0/": "opensearch",
    "http://www.mozilla.org/2006/browser/search/": "moz",
}
#: The elements of the Comment API by their names in lower case: feeds spell `commentRss` in many ways.
_COMMENT_API = {"comment": "comment", "commentrss": "commentRss"}
#: The namespaces of the formats themselves: their elements have no prefix in the rows.
_OWN = frozenset({"atom", "rss", "sitemap", "opensearch", "browserconfig"})

#: The name of a root element -> the root's possible namespaces, and the namespace of elements below it that have no
#: namespace. "": the root may have no namespace.
_ROOTS = {
    "rss": (frozenset({"", "rss"}), "rss"),
    "RDF": (frozenset({"rdf"}), ""),
    "feed": (frozenset({"atom"}), ""),
    "entry": (frozenset({"atom"}), ""),
    "urlset": (frozenset({"", "sitemap"}), "sitemap"),
    "sitemapindex": (frozenset({"", "sitemap"}), "sitemap"),
    "OpenSearchDescription": (frozenset({"", "opensearch"}), "opensearch"),
    "SearchPlugin": (frozenset({"moz"}), ""),
    "browserconfig": (frozenset({""}), "browserconfig"),
}

_TABLE = """
    atom | link                        | href      | url  | hyperlink |              | RFC 4287 §4.2.7.1
    atom | content                     | src       | url  | resource  |              | RFC 4287 §4.1.3.2
    atom | icon,logo                   |           | url  | resource  |              | RFC 4287 §4.2.5, §4.2.8
    atom | uri                         |           | url  | metadata  |              | RFC 4287 §3.2.2
    atom | url                         |           | url  | metadata  |              | Atom 0.3 §3.2.2
    atom | generator                   | uri,url   | url  | metadata  |              | RFC 4287 §4.2.4
    atom | content,summary,title       |           | html | document  | type=html text/html | RFC 4287 §3.1.1.2
    atom | subtitle,rights             |           | html | document  | type=html    | RFC 4287 §3.1.1.2
    atom | tagline,info,copyright      |           | html | document  | type=text/html | Atom 0.3 §4
    rss  | link                        |           | url  | hyperlink |              | RSS 2.0
    rss  | comments,docs               |           | url  | hyperlink |              | RSS 2.0
    rss  | url                         |           | url  | resource  |              | RSS 2.0, RSS 1.0 §5.4.2
    rss  | guid                        |           | url  | metadata  | !isPermaLink=false | RSS 2.0
    rss  | enclosure,source            | url       | url  | resource  |              | RSS 2.0
    rss  | description                 |           | html | document  |              | RSS 2.0
    rss  | body,fullitem               |           | html | document  |              | UserLand, RSS 0.9x
    rss  | channel,image,item,textinput | rdf:about | url | metadata  |              | RSS 1.0 §5
    rss  | image,textinput             | rdf:resource | url | metadata |             | RSS 1.0 §5.3
    rdf  | rdf:li                      | rdf:resource,resource | url | metadata |    | RSS 1.0 §5.3.5
    content | content:encoded          |           | html | document  |              | RSS 1.0 Modules: Content
    wfw  | wfw:comment,wfw:commentRss  |           | url  | hyperlink |              | Well-Formed Web
    media | media:content,media:thumbnail,media:player | url | url | resource |      | Media RSS 1.5.1
    media | media:embed                | url       | url  | resource  |              | Media RSS 1.5.1
    media | media:subTitle,media:peerLink | href   | url  | resource  |              | Media RSS 1.5.1
    media | media:license              | href      | url  | metadata  |              | Media RSS 1.5.1
    media | media:title,media:description |        | html | document  | type=html    | Media RSS 1.5.1
    itunes | itunes:image              | href      | url  | resource  |              | Apple Podcasts
    itunes | itunes:new-feed-url       |           | url  | hyperlink |              | Apple Podcasts
    googleplay | googleplay:image      | href      | url  | resource  |              | Google Play podcasts
    podcast | podcast:transcript,podcast:chapters,podcast:funding | url | url | hyperlink | | Podcast namespace 1.0
    podcast | podcast:person           | href,img  | url  | metadata  |              | Podcast namespace 1.0
    creativeCommons | creativeCommons:license |    | url  | metadata  |              | creativeCommons RSS module
    thr  | thr:in-reply-to             | href,source | url | metadata |              | RFC 4685 §3
    app  | app:collection              | href      | url  | metadata  |              | RFC 5023 §8.3.3
    sitemap | loc                      |           | url  | hyperlink |              | sitemaps.org
    image | image:loc                  |           | url  | resource  |              | Google image sitemaps
    image | image:license              |           | url  | metadata  |              | Google image sitemaps
    video | video:thumbnail_loc,video:content_loc,video:player_loc | | url | resource | | Google video sitemaps
    opensearch | Url                   | template  | opensearch-template | hyperlink | | OpenSearch 1.1
    opensearch | Image                 |           | url  | resource  |              | OpenSearch 1.1
    moz  | moz:Url                     | template  | opensearch-template | hyperlink | | Mozilla search plugins
    moz  | moz:Image                   |           | url  | resource  |              | Mozilla search plugins
    moz  | moz:SearchForm              |           | url  | hyperlink |              | Mozilla search plugins
    moz  | moz:UpdateUrl,moz:IconUpdateUrl |       | url  | metadata  |              | Mozilla search plugins
    browserconfig | square70x70logo,square150x150logo | src | url | resource |       | Browser configuration schema
    browserconfig | wide310x150logo,square310x310logo,TileImage | src | url | resource | | Browser configuration schema
    browserconfig | polling-uri,polling-uri2,polling-uri3 | src | url | resource |   | Browser configuration schema
    browserconfig | polling-uri4,polling-uri5,badge | src | url | resource |         | Browser configuration schema
"""


def _rows() -> tuple[Row, ...]:
    rows = []
    for line in _TABLE.strip().splitlines():
        namespace, elements, attributes, syntax, role, guard, section = (cell.strip() for cell in line.split("|"))
        rows += [
            Row(element, attribute, syntax, role, guard, section, namespace)
            for element in elements.split(",")
            for attribute in attributes.split(",")
        ]
    return tuple(rows)


ROWS = _rows()


def format_of(uri: str, name: str) -> str | None:
    """The namespace for elements without a namespace below a root element; None if the root's format is unknown.

    `uri`: the root's namespace. `name`: the root's local name.
    """
    namespaces, inherited = _ROOTS.get(name, (frozenset(), ""))
    return inherited if (NAMESPACES.get(uri, "?") if uri else "") in namespaces else None


def qualified_name(namespace: str, local: str) -> str:
    """An element's name in the rows."""
    if namespace == "wfw":
        local = _COMMENT_API.get(local.lower(), local)
    return local if namespace in _OWN else f"{namespace}:{local}"


def xml_table(options: Options) -> RowTable:
    """The vocabulary of XML documents for `options`: the vocabulary of pages, and the rows of this module."""
    return row_table(options, ROWS)


def is_base64(table: RowTable, namespace: str, element: str, values: Mapping[str, str]) -> bool:
    """Whether the text of a feed's element is a page in base64 (Atom 0.3 §3.1.2). `values`: its attributes."""
    if values.get("mode") != "base64" or values.get("type", "").strip().lower() not in _PAGES:
        return False
    return any(row.syntax == CONTENT for row in table.rows(namespace, element, ""))
