"""The data types that all packages share: problems and their codes, envelopes, bases, links, options, rows.

*Reference*: the string in the document. *Base*: the URL that it is resolved against. *Target*: the absolute result.
*Layer*: the kind of source that the base comes from (RFC 3986 §5.1.1-§5.1.4). *Envelope*: the facts from outside the
document's bytes, such as its URL and media type.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypedDict, TypeVar

from linkfix.urls import hide_passwords

# The codes of faults of a document, a file or a reference, and the meaning of each.


PROBLEMS: dict[str, str] = {
    "no-base": "the reference is relative, and no base URL is known (give the URL of the page or its folder)",
    "message-base": "the message has no base URL, so the reference stays relative: give --url or --default-base",
    "unresolvable": "the reference cannot be parsed as a URL",
    "template-syntax": "the reference is a template placeholder, not a URL",
    "relative-target": "the target cannot be written as an absolute URL, since it would be read as relative (http:x)",
    "host-unwritable": "the target's host cannot be written here; give a base URL with an ASCII host (xn--…)",
    "excess-dots": "the reference has '..' segments above the root of its base URL (RFC 2396 §5.2 step 6G)",
    "undecodable": "the reference has bytes that are invalid in the document's encoding",
    "lone-surrogate": "the reference has half of a surrogate pair, which is no character: programs read U+FFFD",
    "base-unusable": "the href of the BASE element cannot be a base URL",
    "base-in-body": "the BASE element belongs in the head; move it there (RFC 1808 §10, RFC 2396 App. D)",
    "base-blocked": "the BASE element is ignored, because the page's Content-Security-Policy forbids it",
    "srcset-descriptor": "the descriptors of an image candidate are invalid, so browsers ignore the candidate",
    "css-bad-url": "the url() is not valid CSS (a bad-url-token)",
    "hyphen-at-line-end": "the hyphen at the end of the line may not be part of the reference (RFC 2396 App. E)",
    "json-syntax": "the text is not valid JSON",
    "import-map-key": "as an absolute URL, the key would have another meaning, so it and its duplicates stay unchanged",
    "srcdoc-depth": "srcdoc documents are nested more deeply than the limit",
    "xml-not-well-formed": "the XML is not well-formed, so everything after the error is skipped",
    "xml-entity": "the text contains an entity that the document declares, so it is skipped",
    "content-base64": "the feed contains a page in base64 (Atom 0.3), which linkfix does not decode and skips",
    "markdown-unread": "the Markdown, or a reference in it, cannot be parsed, so it is skipped",
    "charset-unknown": "browsers do not know the declared character encoding",
    "charset-late": "the meta charset is after the first 1,024 bytes, where browsers may not find it; move it up",
    "encoding-unsupported": "browsers do not decode this encoding and show U+FFFD (hz-gb-2312, iso-2022-kr, …)",
    "encoding-round-trip": "decoding and re-encoding the document would change it, so it is skipped",
    "binary": "the file is not text, so it is skipped",
    "too-large": "the document is larger than the limit, so it is skipped",
    "document-missing": "the row has no document",
    "column-type": "the column has the wrong type",
    "media-type": "linkfix does not read this media type, so the document is skipped",
    "time-limit": "the document takes longer than the time limit, so it is skipped",
    "process-ended": "the process that read the document ended, for lack of memory or because of a bug in linkfix",
    "links-too-large": "with its long base URL, the links would be many times the document's size, so it is skipped",
    "document-failed": "linkfix failed on the document, which is skipped; this is a bug in linkfix, please report it",
    "old-url-in-policy": "a Content-Security-Policy has the old host, and may block what links to the new one",
    "old-url-left": "the old URL stays where no link moves: in a script, a text or a comment, or with another scheme",
    "response-url": "the response has no absolute URL",
    "response-partial": "the response is only a part of a page, so it is skipped",
    "response-coded": "the body's content coding is not decoded, so the response is skipped",
    "not-html": "the body is not HTML, whatever its Content-Type says, so the response is skipped",
    "hook-feed": "the response is a feed, and its links stay; feeds are processed if media_types= has their type",
    "hook-twice": "the hook is installed twice; the second installation leaves the response unchanged",
    "hook-transport": "the transport replaces the client's own, and so its proxies, verify= and http2=; use install()",
    "hook-failed": "the hook failed, so the response is unchanged",
    "tree-left-alone": "the parser's library rejected the new value, so the old value stays",
    "marker-bad": "the URL that the saving program wrote into the page cannot be the URL of a page",
    "saved-file-missing": "the reference names a file that was saved with the page but is missing, so it stays",
    "sources-disagree": "two sources give different URLs for the page, or different base URLs",
    "extra-needed": "reading this file needs a package that is not installed, so it is skipped",
    "part-segmented": "the record continues in other records (WARC 1.1 §7), so it is not read",
    "payload-shared": "a revisit record reuses the page at another URL, where links differ, so it stays (--revisits)",
    "part-shared": "two parts have the same data in the file, and their links differ, so they stay unchanged",
    "part-url": "the archive or message gives no absolute URL for this part",
    "digest-unknown": "the digest has an unknown form and cannot be updated, so the changed record has no digest",
    "digest-wrong": "the digest does not match the original data, so it is not updated",
    "index-stale": "an index in the archive cannot be updated, so it may be out of date",
    "signature-dropped": "the signature of the archive does not match the changed archive, so it is removed",
    "mime-boundary": "the boundary of a multipart entity is missing, never occurs, or is not closed",
    "mime-header": "a MIME header is malformed",
    "mime-encoding": "the transfer encoding of a MIME part is unknown, or the part's data is invalid",
    "mime-limit": "the message exceeds a limit, so the rest is not read",
    "line-too-long": "the new URL would make the line longer than 998 bytes (RFC 5322 §2.1.1), so the old URL stays",
    "mime-left-alone": "the changed MIME part cannot be written, so the old part stays",
    "part-signed": "a signature covers a part, so it stays unchanged (--break-signatures changes it)",
    "signature-broken": "a signature covers changed content; it stays, but is no longer valid",
    "container-damaged": "the archive or message is damaged; its damaged parts are not read",
    "archive-unread": "linkfix does not read this format of archives of pages, so the file is skipped",
    "self-extracting": "the page is an archive that unpacks itself; its offsets must not change, so it stays unchanged",
    "too-many-parts": "the archive or message has more parts than the limit; the other parts are not read",
    "part-damaged": "the part is damaged, or its payload is missing, so it is not read",
    "part-encoding": "the encoding or compression of the part is unknown, so it is not read",
    "part-encrypted": "the part is encrypted, so it is not read",
    "part-missing": "the archive or message names a part, but does not contain its body",
    "part-name-repeated": "two parts of the archive or message have the same name",
    "embed-depth": "the file is in too many documents within each other, so it is not embedded",
    "embed-limit": "with this file, the single file would be larger than the limit, so it is not embedded",
    "part-too-large": "the decoded part is larger than the limit, so it is not read",
    "part-ratio": "the part decodes to many times its size, like a decompression bomb, so it is not read",
    "total-too-large": "the decoded parts together exceed the limit, so the rest is not read",
}

"""Code -> meaning. Codes are part of the public interface and never change their meaning."""

#: Code -> the options that can solve the problem, best first, by their names in Python: "url_map" is --url-map.
REMEDIES: dict[str, tuple[str, ...]] = {
    "no-base": ("url", "root_url", "url_map", "default_base"),
    "message-base": ("url", "default_base"),
    "excess-dots": ("excess_dots",),
    "undecodable": ("charset",),
    "charset-unknown": ("charset",),
    "charset-late": ("charset",),
    "encoding-round-trip": ("charset",),
    "srcdoc-depth": ("srcdoc_depth",),
    "too-large": ("max_size",),
    "marker-bad": ("url", "url_map"),
    "sources-disagree": ("url", "url_map"),
    "payload-shared": ("revisits",),
    "part-signed": ("break_signatures",),
    "embed-limit": ("max_size",),
    "part-too-large": ("max_size",),
    "part-ratio": ("max_ratio",),
    "total-too-large": ("max_total", "max_ratio"),
}


Html = TypeVar("Html", bytes, str)

"""The type of a document and of its conversion: bytes or str."""

DocumentKind: TypeAlias = Literal[
    "html",
    "xml",
    "css",
    "text",
    "webmanifest",
    "json-feed",
    "robots",
    "javascript",
    "markdown",
    "header",
    "http-header",
]

"""The kind of document, which decides whose syntax rules hold."""

ExcessDots: TypeAlias = Literal["keep", "drop", "error"]

"""The treatment of ".." segments that climb above the root (RFC 2396 §5.2 step 6G)."""

Scripting: TypeAlias = Literal["on", "off"]

"""Whether scripts run where a document is read."""

SameScheme: TypeAlias = Literal["absolute", "relative"]

"""The meaning of `http:g` on an http base (RFC 1808 §5.2, RFC 2396 §5.2 step 3, RFC 3986 §5.2.2)."""

FragmentMode: TypeAlias = Literal["keep", "absolutize"]

"""The treatment of same-document references."""

BaseElementMode: TypeAlias = Literal["keep", "drop-href", "empty", "remove", "insert", "ignore"]

"""The treatment of BASE elements. "keep": with an absolute href. "empty": with an empty href, which means the URL of
the document itself, for programs that need a BASE. "insert": add a BASE and rewrite no reference.
"ignore": they do not count, and stay as they are.
"""

FeedBase: TypeAlias = Literal["retrieval", "channel", "item"]

"""The base of the HTML in feeds: the feed's own base, the link of the channel, or the link of the item."""

Layout: TypeAlias = Literal["wget", "httrack", "auto"]

"""The program that named the files and folders of saved pages. "auto": the program is detected."""

OtherLinks: TypeAlias = Literal["absolute", "keep"]

"""The treatment of links to documents that a run has no file of, if the others become relative."""

ArchivedLinks: TypeAlias = Literal["archive", "original"]

"""The targets of links in a page from a web archive: copies in the archive, or the original sites."""

RevisitMode: TypeAlias = Literal["keep", "expand"]

"""The treatment of a payload that a revisit record replays at another URL with other links. "keep": the payload stays
unchanged. "expand": the revisit becomes a full record.
"""

HeadingIds: TypeAlias = Literal["github", "gitlab", "bitbucket", "mkdocs", "pandoc", "vitepress", "any"]

"""The scheme for the IDs of Markdown headings. "any": the IDs of all schemes."""

SiteGenerator: TypeAlias = Literal[
    "vitepress",
    "docusaurus",
    "starlight",
    "mkdocs",
    "zensical",
    "mdbook",
    "hugo",
    "jekyll",
    "eleventy",
    "pelican",
    "sphinx",
    "none",
]

"""The generator of a site: a key of `linkfix.auditing.generators.profiles.PROFILES`, or "none"."""

Wikilinks: TypeAlias = Literal["obsidian", "quartz", "github", "mkdocs"]

"""The program whose wikilinks (`[[Page]]`) are links in Markdown: a key of `linkfix.markdown.heading_ids.WIKIS`."""

SiteHost: TypeAlias = Literal[
    "netlify", "vercel", "github-pages", "cloudflare", "cloudflare-workers", "firebase", "azure", "apache", "none"
]

"""The host of a site: a key of `linkfix.auditing.hosts.find.HOST_KINDS`. "none": no file of a host counts."""

#: The media type of a message's header (RFC 6522 §4).
HEADER_TYPE = "text/rfc822-headers"

#: The media type of the header of an HTTP message (RFC 9112 §10.1), without its body.
HTTP_HEADER_TYPE = "message/http"

#: The media types of headers, which are no documents of their own.
HEADER_TYPES = frozenset({HEADER_TYPE, HTTP_HEADER_TYPE})

#: The media type of a JSON Feed (JSON Feed 1.1, "Discovery"). Many servers send application/json.
JSON_FEED_TYPE = "application/feed+json"

#: The media types that linkfix reads, each with its kind of document. A server sends robots.txt as text/plain.
DOCUMENT_KINDS: dict[str, DocumentKind] = {
    "text/html": "html",
    "application/xhtml+xml": "xml",
    "image/svg+xml": "xml",
    "application/rss+xml": "xml",
    "application/atom+xml": "xml",
    "application/opensearchdescription+xml": "xml",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/css": "css",
    "text/plain": "text",
    "application/manifest+json": "webmanifest",
    JSON_FEED_TYPE: "json-feed",
    "text/x-robots": "robots",
    "text/javascript": "javascript",
    "text/markdown": "markdown",
    "text/mdx": "markdown",
    HEADER_TYPE: "header",
    HTTP_HEADER_TYPE: "http-header",
}

#: The media types of the sources of pages.
SOURCE_TYPES = frozenset({"text/markdown", "text/mdx"})

#: The media types whose links are always rewritten. The references of plain texts, scripts and headers are listed on
#: request; the sources of pages are read where a page names them.
MARKUP_TYPES = frozenset(DOCUMENT_KINDS) - {"text/plain", "text/javascript", *SOURCE_TYPES, *HEADER_TYPES}

#: The media types of feeds.
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", JSON_FEED_TYPE})

#: The media types of web pages.
PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class Layer(enum.StrEnum):
    """The layers that a base URL can come from, innermost first (RFC 1808 §3, RFC 2396 §5.1, RFC 3986 §5.1)."""

    EMBEDDED = "embedded"
    ENCAPSULATING = "encapsulating"
    RETRIEVAL = "retrieval"
    DEFAULT = "default"
    NONE = "none"


class BaseSource(enum.StrEnum):
    """The sources of base URLs. Each specification decides which sources count (`linkfix.document.base`)."""

    BASE_ELEMENT = "BASE element"
    BASE_ELEMENT_IN_HEAD = "BASE element in the head"
    ENCLOSING_DOCUMENT = "enclosing document"
    CONTENT_BASE = "Content-Base"
    CONTENT_LOCATION = "Content-Location"
    BASE_FIELD = "Base"
    RETRIEVAL = "retrieval URL"
    FEED = "URL that a JSON Feed states"
    CALLER = "default of the caller"
    THIS_MESSAGE = "thismessage:/"
    EMPTY = "empty string"


class StatedBase(NamedTuple):
    """A base URL that an entity's header states, or that its kind of entity has by definition."""

    source: BaseSource
    url: str
    """An absolute URL."""
    where: str
    """The place of the URL, in words."""


class Candidate(NamedTuple):
    """A base URL that was found but not used."""

    layer: Layer
    """The layer that it belongs to."""
    reference: str
    """The URL as it is written."""
    where: str
    """The place of the URL, in words."""
    reason: str
    """The reason why it was not used."""
    start: int = -1
    """The offset of its tag, in bytes of the document's data (of a str: in UTF-8); -1 if it is not from an element."""


class Saver(NamedTuple):
    """The program that saved a document, and its changes to the document's links."""

    name: str = ""
    """The program's name, for messages."""
    own_bases: frozenset[str] = frozenset()
    """The hrefs of BASE elements that the program added. They say nothing about the original."""
    bases: tuple[Candidate, ...] = ()
    """The original BASE elements that the program turned into comments, in tree order; their `reason` is empty."""
    map_reference: Callable[[str, str | None], str | None] | None = None
    """Maps a relative reference and its base to the original URL, for links that the program pointed at a file beside
    the document. Returns "" if the file was saved with the document, so that the reference must stay. Returns None for
    any other link.
    """
    is_missing: Callable[[str], bool] | None = None
    """Whether a reference that must stay names a file that was not saved with the document."""
    maps_absolute: bool = False
    """Whether `map_reference` maps absolute references too, such as those that a web archive rewrote."""
    archive: str = ""
    """The name of the web archive that served the document, for messages; "" for other documents."""
    maps_inner: bool = False
    """Whether `map_reference` maps the references of srcdoc documents too."""


class Envelope(NamedTuple):
    """The facts about a document that do not come from its own bytes."""

    url: str | None = None
    """The retrieval URL, after redirects."""
    charset: str | None = None
    """The charset parameter of the transport's Content-Type: a label of the Encoding standard."""
    media_type: str | None = None
    """The transport's media type, without parameters."""
    base: str | None = None
    """The base URL of the enclosing document: the page around a srcdoc, or around a frame that was saved with it."""
    where: str = ""
    """The place of `base`, or else of `url`, in words."""
    parent: Envelope | None = None
    """The envelope of the enclosing entity."""
    default: str | None = None
    """The caller's base of last resort (RFC 3986 §5.1.4)."""
    rejected: tuple[Candidate, ...] = ()
    """The other URLs that were found, each with the reason why it does not count. They are other retrieval URLs, and
    header fields that cannot be a base.
    """
    saver: Saver = Saver()
    """The program that saved the document."""
    content_security_policy: str | None = None
    """The value of the response's Content-Security-Policy header field: several fields joined with commas (RFC 9110
    §5.3). A BASE element does not count if the directive base-uri forbids it.
    """
    inherits_base_element: bool = False
    """Whether a BASE element of an enclosing document can have set `base`, so that "#x" can mean another document."""
    stated: tuple[StatedBase, ...] = ()
    """The base URLs that the entity's header states, in any order. The specification decides which of them count."""
    identified_charset: str | None = None
    """The encoding that a crawler found, from WARC-Identified-Payload-Type, as a label. It counts if neither the
    transport nor the document states an encoding.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options for resolving and rewriting references."""

    spec: str = "whatwg"
    """The specification for resolving references: fielding1994, rfc1808, rfc2396, rfc3986 or whatwg."""
    excess_dots: ExcessDots | None = None
    """The treatment of ".." segments above the root. None: as in the specification's own examples."""
    same_scheme: SameScheme | None = None
    """The meaning of `http:g` on an http base. None: as in the specification's own examples."""
    fragments: FragmentMode = "keep"
    """Whether same-document references stay as they are or become absolute too."""
    normalize: bool = False
    """Also rewrite absolute references, in the specification's normal form."""
    base_element: BaseElementMode = "keep"
    """The treatment of BASE elements."""
    feed_base: FeedBase = "retrieval"
    """The base of the HTML in feeds: the feed's own base, the link of its channel, or the link of the item."""
    placeholders: tuple[str, ...] = ()
    """Patterns of placeholders that a program fills in later: `*|*|*`, `%%*%%`. "*" is any text; a
    pattern has other characters too. A relative reference that contains one stays as it is.
    """
    escape_ampersands: bool = False
    """Write "&" as "&amp;" in every rewritten link in HTML, for readers that take "&region" for "®ion"."""
    scripting: Scripting | None = None
    """"on": scripts run, so BASE in `noscript` does not count. None: the value that a hook knows, else "off"."""
    plain_text: bool = False
    """Also rewrite references in plain text, and read the text parts of containers."""
    header_fields: bool = False
    """Also rewrite URLs in the header fields of messages and archived responses, and read their headers."""
    lazy: bool = False
    """Also rewrite the `data-*` attributes of lazy loaders."""
    social: bool = False
    """Also rewrite the meta elements of Open Graph and Twitter."""
    json_ld: bool = False
    """Also rewrite the URLs in JSON-LD."""
    templates: bool = False
    """Also rewrite the HTML in scripts of template libraries (`<script type=text/html>`)."""
    object_params: bool = False
    """Also rewrite the URLs in `param` elements for plug-ins (`<param name=movie>`)."""
    conditional_comments: bool = False
    """Also rewrite the HTML in conditional comments (`<!--[if mso]>`), and VML (`<v:fill src>`)."""
    anchors: bool = False
    """Also find the names that fragments refer to. They are not links; only the audit needs them."""
    rows: tuple[Row, ...] = ()
    """Rows to add to the vocabulary."""
    keep: Callable[[str], bool] | None = None
    """A function that receives a target; if it returns True, the reference stays as it is. A reference whose target
    depends on a BASE that is removed does not stay.
    """
    locate: Callable[[str], str | None] | None = None
    """A function that receives a target and returns the reference to write, relative to the document, or None to write
    the target. BASE must go (`base_element`). References inside another base, such as `xml:base`, become absolute; so
    do those that only name a URL: the canonical link, and all of feeds and sitemaps.
    """
    move: Callable[[str], str] | None = None
    """A function that receives a URL and returns its new URL; the same URL if it does not move. References then lead
    to the new URLs, and keep their form.
    """
    srcdoc_depth: int = 8
    """The maximum nesting depth of srcdoc documents. Deeper documents are left alone."""


#: The options without arguments: one object, so that functions recognize checked options by their identity.
DEFAULT_OPTIONS = Options()


class OptionFields(TypedDict, total=False):
    """The fields of `Options` as keywords of a function."""

    spec: str
    excess_dots: ExcessDots | None
    same_scheme: SameScheme | None
    fragments: FragmentMode
    normalize: bool
    base_element: BaseElementMode
    feed_base: FeedBase
    placeholders: tuple[str, ...]
    escape_ampersands: bool
    scripting: Scripting | None
    plain_text: bool
    header_fields: bool
    lazy: bool
    social: bool
    json_ld: bool
    templates: bool
    object_params: bool
    conditional_comments: bool
    anchors: bool
    rows: tuple[Row, ...]
    keep: Callable[[str], bool] | None
    locate: Callable[[str], str | None] | None
    move: Callable[[str], str] | None
    srcdoc_depth: int


#: Keywords of other libraries, each with the one that is meant.
_OTHER_KEYWORDS = {"base": "default_base", "base_url": "url", "content_type": "media_type", "encoding": "charset"}


def make_options(fields: Mapping[str, Any], keywords: Collection[str] = (), options: Options | None = None) -> Options:
    """Return options with these fields, and the other fields of `options`. Raises TypeError for an unknown name.

    `keywords`: the other keywords of the caller's function, for the message.
    """
    given = options or DEFAULT_OPTIONS
    try:
        return replace(given, **fields) if fields else given
    except TypeError:
        unknown = next((name for name in fields if name not in Options.__annotations__), None)
        if unknown is None:
            raise
    raise unknown_keyword(unknown, [*keywords, *Options.__annotations__], _OTHER_KEYWORDS)


def unknown_keyword(name: str, known: Collection[str], others: Mapping[str, str]) -> TypeError:
    """The error for an unknown keyword. `known`: all keywords. `others`: other words, each with the keyword meant.

    >>> unknown_keyword("job", ["jobs", "rows"], {})
    TypeError("unexpected keyword argument 'job': did you mean 'jobs'?")
    """
    import difflib  # for an error alone

    meant = others.get(name)
    near = [meant] if meant in known else difflib.get_close_matches(name, known, 1)
    message = f"unexpected keyword argument {name!r}: "
    message += f"did you mean {near[0]!r}?" if near else f"the keywords are {', '.join(known)}"
    return TypeError(message)


class DocumentFields(OptionFields, total=False):
    """The keywords of a function that takes a document, besides its data and URL: see `Envelope` and `Options`."""

    charset: str | None
    media_type: str | None
    default_base: str | None
    """`Envelope.default`."""
    content_security_policy: str | None
    envelope: Envelope | None
    """The envelope, instead of the URL and the four fields above."""


#: The keywords of a function that takes a document, besides the fields of `Options`.
DOCUMENT_KEYWORDS: tuple[str, ...] = (
    "url",
    *sorted(DocumentFields.__annotations__.keys() - OptionFields.__annotations__),
)


class MarkdownDialect(NamedTuple):
    """The Markdown that a program reads besides CommonMark and GFM's tables."""

    has_spaces: bool = False
    """Whether destinations can have spaces, as in Python-Markdown."""
    in_html: bool = False
    """Whether the content of elements with the attribute `markdown` is Markdown, as in Python-Markdown."""
    blocks: tuple[str, ...] = ("!!!", "???", "===")
    """The marks of blocks of Python-Markdown. Their indented content is text, not code."""
    has_math: bool = False
    """Whether `$x$` and `$$x$$` are math, as on GitHub and GitLab."""
    has_tags: bool = False
    """Whether a destination may have tags of templates, which are filled in first: `{% link a.md %}`."""
    bare_urls: str = ""
    """The host and the path of URLs that are links without any mark (GFM §6.9), in lower case; "" for none."""
    comment: str = ""
    """The mark of lines that are comments, as "%" of MyST; "" for none."""


#: The dialect of a program that is not known.
ANY_DIALECT = MarkdownDialect()


class Row(NamedTuple):
    """A row of the vocabulary: a place for a URL, its syntax and its role."""

    element: str
    """The element's name; "*": every element."""
    attribute: str
    """The attribute's name; "": the element's text."""
    syntax: str
    """The syntax of the references: see `linkfix.html.vocabulary`."""
    role: str
    """The purpose of the references: see `linkfix.html.vocabulary`."""
    guard: str = ""
    """A condition on the same tag. `name`: the tag has that attribute. `name=word word`: the attribute has one of these
    values (ASCII case-insensitive). A leading "!", in feeds, negates the condition. "": no condition.
    """
    section: str = ""
    """The section of the specification."""
    namespace: str = "html"
    """The element's namespace: html, svg, mathml, or one of `linkfix.html.xml_vocabulary`."""
    parsed: str = ""
    """The time of parsing. "at once": before any later BASE. `name=word word`: at once if the attribute has one of
    these values. "": on use.
    """


class Base(NamedTuple):
    """A document's base URL. `str(base)` explains how it was found."""

    url: str | None
    """The base URL. None if no layer gave one; "" for the empty base of RFC 1808 §3.4."""
    layer: Layer
    """The layer that gave it."""
    where: str
    """The place of the base URL, in words."""
    rejected: tuple[Candidate, ...] = ()
    """The other candidates, each with the reason why it was not used."""
    fallback: str | None = None
    """The *fallback base URL* (HTML §2.4.3): the base URL without any BASE element."""
    start: int = -1
    """The offset of the BASE element that decided, in the units of `Candidate.start`; -1 if none did."""
    problem: str | None = None
    """A code of `PROBLEMS` if the first BASE element that can count gives no base. The reason is in `rejected`."""

    def __str__(self) -> str:
        url = "(empty)" if self.url == "" else self.url or "(none)"
        lines = [f"{url}  [{self.layer.value}: {self.where}]"]
        lines += [f"  not {c.reference!r}  [{c.layer.value}: {c.where}]: {c.reason}" for c in self.rejected]
        return "\n".join(lines)


class Resolution(NamedTuple):
    """The result of resolving a reference. `str(resolution)` is the target, or the reason for its absence."""

    target: str | None
    """The absolute URL, or None."""
    same_document: bool = False
    """Whether the reference refers to the document that contains it (RFC 2396 §4.2, RFC 3986 §4.4)."""
    problem: str | None = None
    """A code of `PROBLEMS` if there is no target."""

    def __str__(self) -> str:
        if self.target is not None:
            return self.target
        return f"(none): {PROBLEMS[self.problem]} [{self.problem}]" if self.problem in PROBLEMS else "(none)"


class Link(NamedTuple):
    """A reference at one place. Offsets are in bytes for a bytes document, and in code points for a str."""

    element: str
    """The element's name: in lower case for HTML, as written in feeds and other XML."""
    attribute: str
    """The attribute's name, in lower case; "" for the element's text."""
    syntax: str
    """The syntax of the value: a word of the vocabulary."""
    role: str
    """The purpose of the reference: a word of the vocabulary."""
    reference: str
    """The reference, with character references and escapes of CSS or JSON decoded."""
    target: str | None
    """The absolute URL, or None."""
    base: str | None
    """The URL that the reference was resolved against."""
    start: int
    """The offset of the reference's first character."""
    end: int
    """The offset of the reference's end."""
    line: int
    """The line of `start`, from 1."""
    column: int
    """The column of `start`, from 1, in characters."""
    problem: str | None
    """A code of `PROBLEMS`, or None."""
    tag_start: int = 0
    """The offset of the tag that contains the reference, or whose text contains it."""


#: The fields of `Link` that are numbers.
LINK_NUMBERS = ("start", "end", "line", "column", "tag_start")

#: The possible columns of a table of links: the document's path, the page's URL, and the fields of `Link`; columns of
#: numbers come last.
LINK_COLUMNS = ("path", "page", *(name for name in Link._fields if name not in LINK_NUMBERS), *LINK_NUMBERS)


class _ProblemFields(NamedTuple):
    code: str
    """A code of `PROBLEMS`."""
    message: str
    """The sentence of `PROBLEMS`, followed by the detail; "…" stands for the passwords of URLs."""
    start: int
    """The offset of the fault: in bytes for a bytes document, in code points for a str."""
    line: int
    """The line, from 1."""
    column: int
    """The column, from 1, in characters."""


class Problem(_ProblemFields):
    """A fault of a document. Its message has no passwords of URLs: problems are logged."""

    __slots__ = ()

    def __new__(cls, code: str, message: str, start: int, line: int, column: int) -> Self:
        """Hide the passwords in the message."""
        return super().__new__(cls, code, hide_passwords(message), start, line, column)

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override] # typeshed types it by function
        """Called by `_replace`."""
        return cls(*iterable)

    @property
    def detail(self) -> str:
        """The end of the message, after the sentence of `PROBLEMS`; "" for no more than the sentence."""
        return self.message.partition(f"{PROBLEMS[self.code]}: ")[2]


class Conversion(NamedTuple, Generic[Html]):
    """The result of making a document's links absolute."""

    data: Html
    """The document with absolute links, in the type of the input."""
    links: int
    """The number of references."""
    rewritten: int
    """The number of references that were changed."""
    problems: tuple[Problem, ...]
    """The faults of the document, in document order."""
    base: Base
    """The document's base URL."""
    encoding: str
    """The document's encoding, by its name in the Encoding standard."""
