"""The types that all stages share.

*Reference*: the string in the document. *Base*: the URL that it is resolved against. *Target*: the absolute result.
*Layer*: the layer of RFC 3986 §5.1.1-§5.1.4 that gave the base. *Envelope*: the facts from outside the document's
bytes.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypedDict, TypeVar

from linkfix.urls import hide_passwords

# The codes of faults of a document, a file or a reference, and the meaning of each.


PROBLEMS: dict[str, str] = {
    "no-base": "the reference is relative, and no layer gives a base URL",
    "message-base": "the message states no base URL, so the reference stays: give --url or --default-base",
    "unresolvable": "the reference cannot be parsed as a URL",
    "template-syntax": "the reference is a template placeholder, not a URL",
    "relative-target": "the target has the base's scheme and no authority: written there, it would be relative again",
    "host-unwritable": "the place has no way to write the target's host: give the base with an ASCII host (xn--…)",
    "excess-dots": "the reference climbs above the root of its base (RFC 2396 §5.2 step 6G)",
    "undecodable": "the reference contains bytes that are not valid in the document's encoding",
    "base-unusable": "the BASE element's href is not usable as a base",
    "base-in-body": "the BASE element belongs in the head (RFC 1808 §10, RFC 2396 App. D): move it there",
    "base-blocked": "a BASE element that the page's own policy blocks does not count",
    "srcset-descriptor": "an image candidate has invalid descriptors, so browsers ignore it",
    "css-bad-url": "the url() is not valid CSS (a bad-url-token)",
    "hyphen-at-line-end": "the hyphen at the end of the line may or may not belong to the reference (RFC 2396 App. E)",
    "json-syntax": "the text is not valid JSON",
    "import-map-key": "the key would mean something else if it were absolute; it and the keys that equal it stay",
    "srcdoc-depth": "srcdoc documents are nested deeper than the limit",
    "xml-not-well-formed": "the XML is not well-formed; everything after the error is left alone",
    "xml-entity": "the text has an entity that the document declares; it is left alone",
    "content-base64": "the feed has a page in base64 (Atom 0.3), which is not decoded; it is left alone",
    "markdown-unread": "the Markdown, or a reference in it, cannot be read; it is left alone",
    "charset-unknown": "the declared character encoding is unknown to browsers",
    "charset-late": "the meta charset is beyond the first 1,024 bytes, where browsers may not see it",
    "encoding-unsupported": "browsers do not decode this encoding, and show U+FFFD (hz-gb-2312, iso-2022-kr, …)",
    "encoding-round-trip": "decoding and encoding the document gives other bytes; it is left alone",
    "binary": "the file is not text; it is left alone",
    "too-large": "the document is larger than the limit; it is left alone",
    "document-missing": "the row has no document",
    "column-type": "the column has a type that cannot be read as what it is for",
    "media-type": "linkfix does not read documents of this media type; it is left alone",
    "time-limit": "the document takes longer than the limit; it is left alone",
    "process-ended": "the process that read the document ended, for lack of memory or by a fault of linkfix",
    "links-too-large": "a long base in each link would make many times the size of the document; it is left alone",
    "document-failed": "linkfix failed on the document, which is a fault of linkfix; it is left alone",
    "response-url": "the response has no absolute URL",
    "response-partial": "the response is only a part of a page; it is left alone",
    "response-coded": "the client did not decode the body's content coding; it is left alone",
    "not-html": "the body is not HTML, whatever its Content-Type says; it is left alone",
    "hook-twice": "the hook is installed twice; the second one leaves the response unchanged",
    "hook-transport": "the transport replaces the client's, with its proxies, verify= and http2=; install() keeps them",
    "hook-failed": "the hook failed; the response is left alone",
    "tree-left-alone": "the tree's library rejected the new value; the old one is kept",
    "marker-bad": "the saver's mark does not name a URL that a page can come from",
    "saved-file-missing": "the file was saved with the page and is not beside it; the reference stays",
    "sources-disagree": "two sources give different retrieval or base URLs",
    "extra-needed": "a package needed to read it is not installed; it is left alone",
    "part-segmented": "the record continues in other records (WARC 1.1 §7); it is left alone",
    "payload-shared": "a revisit record shows the page at another URL, where its links differ; the page is left alone",
    "part-url": "the container gives no absolute URL for the part",
    "digest-unknown": "the digest has an unknown form and cannot be renewed; the changed record is written without it",
    "digest-wrong": "the digest does not fit what it describes; it is not renewed",
    "index-stale": "an index of the archive cannot be updated; it may be out of date",
    "signature-dropped": "the archive was signed; the signature does not fit the changed archive and is removed",
    "mime-boundary": "the boundary of a multipart entity is missing, never occurs, or is not closed",
    "mime-header": "a MIME header is malformed",
    "mime-encoding": "the transfer encoding of a MIME part is unknown, or its data is not valid",
    "mime-limit": "the message exceeds a limit; what is beyond it is left alone",
    "line-too-long": "the new URL would make a line of the header longer than 998 bytes (RFC 5322 §2.1.1); it stays",
    "mime-left-alone": "the changed MIME part cannot be written; it is left alone",
    "part-signed": "a part is covered by a signature, which a change would break; it is left alone",
    "signature-broken": "a signature covers what was changed; it stays, and is not valid any more",
    "container-damaged": "the container is damaged; what cannot be read is copied unchanged",
    "archive-unread": "the file is an archive of pages in a format that linkfix does not read; it is left alone",
    "self-extracting": "the page is an archive that unpacks itself, and its offsets must not change; it is left alone",
    "too-many-parts": "the container has more parts than the limit; those beyond it are copied unchanged",
    "part-damaged": "a part of the container cannot be read; it is copied unchanged",
    "part-encoding": "the encoding or compression of a part is unknown; it is copied unchanged",
    "part-encrypted": "a part is encrypted; it is copied unchanged",
    "part-missing": "the container does not have the body of a part that it names",
    "part-name-repeated": "two parts of the container have the same name",
    "part-too-large": "a part is larger than the limit when decompressed; it is copied unchanged",
    "part-ratio": "a part decodes to many times its size, as a decompression bomb does; it is copied unchanged",
    "total-too-large": "the decoded parts of the container exceed the limit; those beyond it are copied unchanged",
}

"""Code -> meaning. Codes are part of the public interface and never change their meaning."""


Html = TypeVar("Html", bytes, str)

"""The type of a document and of its conversion: bytes or str."""

DocumentKind: TypeAlias = Literal[
    "html", "xml", "css", "text", "webmanifest", "robots", "javascript", "markdown", "header"
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

BaseElementMode: TypeAlias = Literal["keep", "drop-href", "remove", "insert"]

"""The treatment of BASE elements. "keep": with an absolute href. "insert": add a BASE and rewrite no reference."""

#: The media type of a message's header (RFC 6522 §4).
HEADER_TYPE = "text/rfc822-headers"

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
    "text/x-robots": "robots",
    "text/javascript": "javascript",
    "text/markdown": "markdown",
    HEADER_TYPE: "header",
}

#: The media types whose links are always rewritten. The references of plain texts, scripts and headers are listed on
#: request; the sources of pages are read where a page names them.
MARKUP_TYPES = frozenset(DOCUMENT_KINDS) - {"text/plain", "text/javascript", "text/markdown", HEADER_TYPE}

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


@dataclass(frozen=True, slots=True)
class Saver:
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


@dataclass(frozen=True, slots=True)
class Envelope:
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
    escape_ampersands: bool = False
    """Write "&" as "&amp;" in every rewritten link in HTML, for readers that take "&region" for "®ion"."""
    scripting: Scripting | None = None
    """"on": scripts run, so BASE in `noscript` does not count. None: the value that a hook knows, else "off"."""
    plain_text: bool = False
    """Also rewrite references in plain text, and read the text parts of containers."""
    header_fields: bool = False
    """Also rewrite URLs in the header fields of messages, and read the headers of messages and of their parts."""
    lazy: bool = False
    """Also rewrite the `data-*` attributes of lazy loaders."""
    social: bool = False
    """Also rewrite the meta elements of Open Graph and Twitter."""
    json_ld: bool = False
    """Also rewrite the URLs in JSON-LD."""
    anchors: bool = False
    """Also find the names that fragments refer to. They are not links; only the audit needs them."""
    rows: tuple[Row, ...] = ()
    """Rows to add to the vocabulary."""
    keep: Callable[[str], bool] | None = None
    """A function that receives a target; if it returns True, the reference stays as it is."""
    srcdoc_depth: int = 8
    """The maximum nesting depth of srcdoc documents. Deeper documents are left alone."""


class OptionFields(TypedDict, total=False):
    """The fields of `Options` as keywords of a function."""

    spec: str
    excess_dots: ExcessDots | None
    same_scheme: SameScheme | None
    fragments: FragmentMode
    normalize: bool
    base_element: BaseElementMode
    escape_ampersands: bool
    scripting: Scripting | None
    plain_text: bool
    header_fields: bool
    lazy: bool
    social: bool
    json_ld: bool
    anchors: bool
    rows: tuple[Row, ...]
    keep: Callable[[str], bool] | None
    srcdoc_depth: int


class DocumentFields(OptionFields, total=False):
    """The keywords of a function that takes a document, besides its data and URL: see `Envelope` and `Options`."""

    charset: str | None
    media_type: str | None
    default_base: str | None
    """`Envelope.default`."""
    content_security_policy: str | None
    envelope: Envelope | None
    """The envelope, instead of the URL and the four fields above."""


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


@dataclass(frozen=True, slots=True)
class Base:
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


@dataclass(frozen=True, slots=True)
class Conversion(Generic[Html]):
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
