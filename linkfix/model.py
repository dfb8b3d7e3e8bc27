"""The nouns that every stage shares, and nothing that acts: imports nothing of linkfix but its errors.

Words are the standards': *reference* (the string in the document), *base*, *target* (the absolute result), *layer*
(which of RFC 3986 §5.1.1-§5.1.4 gave the base), *envelope* (what is known from outside the bytes).
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

__all__ = [
    "DOCUMENT_KINDS",
    "MARKUP_TYPES",
    "PAGE_TYPES",
    "PROBLEMS",
    "Base",
    "Candidate",
    "Conversion",
    "DocumentFields",
    "DocumentKind",
    "Envelope",
    "Layer",
    "Link",
    "OptionFields",
    "Options",
    "Problem",
    "Resolution",
    "Row",
    "Saver",
]


DocumentKind = Literal["html", "xml", "css", "text"]
#: The media types that linkfix reads, and whose rules hold for them.
DOCUMENT_KINDS: dict[str, DocumentKind] = {
    "text/html": "html",
    "application/xhtml+xml": "xml",
    "image/svg+xml": "xml",
    "text/css": "css",
    "text/plain": "text",
}
#: Those whose references mean to be links. A plain text only mentions them: it is looked at where that is asked for.
MARKUP_TYPES = frozenset(DOCUMENT_KINDS) - {"text/plain"}
#: Those of pages that people read.
PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class Layer(enum.StrEnum):
    """Where a base URL can come from, innermost first (RFC 1808 §3, RFC 2396 §5.1, RFC 3986 §5.1)."""

    EMBEDDED = "embedded"
    ENCAPSULATING = "encapsulating"
    RETRIEVAL = "retrieval"
    DEFAULT = "default"
    NONE = "none"


class Candidate(NamedTuple):
    """A base URL that was found and not used: which layer, what it said, where, and why it lost.

    `start`: where its tag begins, in bytes of the document's data (a str's: in UTF-8); -1 where it is no element.
    """

    layer: Layer
    reference: str
    where: str
    reason: str
    start: int = -1


@dataclass(frozen=True, slots=True)
class Saver:
    """What the program that saved a document did to its links."""

    name: str = ""
    """The program's name, for messages."""
    own_bases: frozenset[str] = frozenset()
    """The hrefs of BASE elements that it wrote itself, which say nothing of the original document."""
    bases: tuple[Candidate, ...] = ()
    """The original's BASE elements that it turned into comments, in tree order; their `reason` is empty."""
    map_reference: Callable[[str, str | None], str | None] | None = None
    """`map_reference(reference, base)`: the original URL of a relative reference that the program rewrote to name a
    file; "" where the file was saved with the document, and the reference stays; None where the reference means what
    it says."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is known of a document from outside its bytes.

    `url`: the retrieval URL, after redirects. `charset`: the transport's charset label (a Content-Type parameter).
    `media_type`: the transport's media type, without parameters. `base`: a base URL that this entity itself states
    (a srcdoc's container document; a MIME part's Content-Base), `where` says in words where that was found.
    `parent`: the enclosing entity's envelope. `default`: the base of last resort, the caller's (RFC 3986 §5.1.4).
    `rejected`: other retrieval URLs that were found, and why `url` came before them. `saver`: what the program that
    saved the document did to it.
    """

    url: str | None = None
    charset: str | None = None
    media_type: str | None = None
    base: str | None = None
    where: str = ""
    parent: Envelope | None = None
    default: str | None = None
    rejected: tuple[Candidate, ...] = ()
    saver: Saver = Saver()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How references are resolved and what is rewritten.

    `spec`: a resolver's name. `excess_dots`, `same_scheme`: the choices that its text leaves open; None: its own.
    `fragments`: "keep" leaves same-document references as they are, "absolutize" makes them absolute too.
    `normalize`: also rewrite references that are absolute already. `base_element`: what becomes of BASE elements.
    `plain_text`: also rewrite references that plain texts mention, relative and abbreviated ones, and look for texts
    among the parts of containers. `lazy`, `social`, `json_ld`: the opt-in groups of the vocabulary. `anchors`: the scan
    also looks for the names that fragments mean. `rows`: rows that the caller adds to the vocabulary. `keep(target)`: True leaves a reference with that target as it is. `srcdoc_depth`: how many srcdoc documents
    may stand inside each other before the inner ones are left alone.
    """

    spec: str = "whatwg"
    excess_dots: Literal["keep", "drop", "error"] | None = None
    same_scheme: Literal["absolute", "relative"] | None = None
    fragments: Literal["keep", "absolutize"] = "keep"
    normalize: bool = False
    base_element: Literal["keep", "drop-href", "remove", "insert"] = "keep"
    plain_text: bool = False
    lazy: bool = False
    social: bool = False
    json_ld: bool = False
    anchors: bool = False
    rows: tuple[Row, ...] = ()
    keep: Callable[[str], bool] | None = None
    srcdoc_depth: int = 8


class OptionFields(TypedDict, total=False):
    """The fields of `Options` as keywords of a function."""

    spec: str
    excess_dots: Literal["keep", "drop", "error"] | None
    same_scheme: Literal["absolute", "relative"] | None
    fragments: Literal["keep", "absolutize"]
    normalize: bool
    base_element: Literal["keep", "drop-href", "remove", "insert"]
    plain_text: bool
    lazy: bool
    social: bool
    json_ld: bool
    anchors: bool
    rows: tuple[Row, ...]
    keep: Callable[[str], bool] | None
    srcdoc_depth: int


class DocumentFields(OptionFields, total=False):
    """What a document takes beside its bytes and its URL, as keywords of a function."""

    charset: str | None
    media_type: str | None
    default_base: str | None
    envelope: Envelope | None


class Row(NamedTuple):
    """A row of the vocabulary: where a URL can stand, how it is written, and what it is for.

    `element` "*" means every element; `attribute` "" the element's text. `syntax` and `role`: see
    `linkfix.html.vocabulary`. `guard`: "" or a condition on the same tag, `name` (has that attribute) or
    `name=word word` (its value is one of these, ASCII case-insensitively). `namespace`: "html", "svg" or "mathml".
    """

    element: str
    attribute: str
    syntax: str
    role: str
    guard: str = ""
    section: str = ""
    namespace: str = "html"


@dataclass(frozen=True, slots=True)
class Base:
    """A document's base URL. `url` is None when no layer gave one. `str(base)` explains the decision.

    `fallback` is the *fallback base URL* (HTML §2.4.3): what the base would be without a BASE element. `start`: where
    the BASE element that decided begins, see `Candidate`.
    """

    url: str | None
    layer: Layer
    where: str
    rejected: tuple[Candidate, ...] = ()
    fallback: str | None = None
    start: int = -1

    def __str__(self) -> str:
        lines = [f"{self.url or '(none)'}  [{self.layer.value}: {self.where}]"]
        lines += [f"  not {c.reference!r}  [{c.layer.value}: {c.where}]: {c.reason}" for c in self.rejected]
        return "\n".join(lines)


class Resolution(NamedTuple):
    """What a resolver made of one reference. `str(resolution)` is the target.

    `target`: the absolute URL; None when there is none, and then `problem` is a code of `PROBLEMS`.
    `same_document`: the reference means the document that it stands in (RFC 2396 §4.2, RFC 3986 §4.4).
    """

    target: str | None
    same_document: bool = False
    problem: str | None = None

    def __str__(self) -> str:
        return self.target or ""


class Link(NamedTuple):
    """One reference at one place.

    `element` and `attribute` are lower case as HTML has them (`attribute` is "" for an element's text); `syntax` and
    `role` are words of the vocabulary. `reference` is decoded (character references, CSS or JSON escapes). `target` is
    the absolute URL or None; `base` the URL it was resolved against. `start:end` is the span of the reference alone,
    in bytes of a bytes document and in code points of a str; `line` and `column` count from 1, the column in
    characters. `problem` is a code of `PROBLEMS`, or None.
    """

    element: str
    attribute: str
    syntax: str
    role: str
    reference: str
    target: str | None
    base: str | None
    start: int
    end: int
    line: int
    column: int
    problem: str | None


class Problem(NamedTuple):
    """A fault of a document: a stable code of `PROBLEMS`, the particular, and where (see `Link` for the units)."""

    code: str
    message: str
    start: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """What absolutizing made of a document: the new data (of the type that went in), counts, and what went wrong.

    `links`: references seen; `rewritten`: references whose text changed. `encoding`: the document's, a name of the
    Encoding standard.
    """

    data: bytes | str
    links: int
    rewritten: int
    problems: tuple[Problem, ...]
    base: Base
    encoding: str


#: code -> what it means. Codes are part of the public interface and never change their meaning.
PROBLEMS: dict[str, str] = {
    "no-base": "a relative reference, and no layer gives a base URL",
    "unresolvable": "the reference cannot be parsed as a URL",
    "template-syntax": "the reference is a template's placeholder, not a URL",
    "excess-dots": "the reference climbs above the root of its base (RFC 2396 §5.2 6g)",
    "undecodable": "the reference has bytes that are not valid in the document's encoding",
    "base-unusable": "the BASE element's href is not usable as a base",
    "srcset-descriptor": "an image candidate has descriptors that make browsers drop it",
    "css-bad-url": "a url() that CSS reads as a bad-url-token",
    "hyphen-at-line-end": "the hyphen at the end of a line may or may not belong to the reference (RFC 2396 App. E)",
    "json-syntax": "the text is not JSON",
    "srcdoc-depth": "srcdoc documents are nested deeper than the limit",
    "xml-not-well-formed": "the XML is not well-formed; what follows the error is left alone",
    "charset-unknown": "the declared character encoding is not one that browsers know",
    "charset-late": "the meta charset lies beyond the first 1,024 bytes, where browsers may not see it",
    "encoding-unsupported": "the encoding is one that browsers replace by U+FFFD (hz-gb-2312, iso-2022-kr, …)",
    "encoding-round-trip": "the document does not survive decoding and encoding; it is left alone",
    "binary": "the file is not text; it is left alone",
    "too-large": "the document is larger than the limit; it is left alone",
    "response-url": "the response has no absolute URL",
    "response-partial": "the response is a part of a page; it is left alone",
    "response-coded": "the client left the body in its content coding; it is left alone",
    "not-html": "the body is not HTML, whatever its type says; it is left alone",
    "hook-twice": "the hook is installed twice; the second leaves the response alone",
    "hook-failed": "the hook failed; the response is left alone",
    "tree-left-alone": "the tree's library does not take the changed value; it is left as it was",
    "marker-bad": "the mark that a saver left does not name a URL that a page can come from",
    "sources-disagree": "two sources name different retrieval or base URLs",
    "extra-needed": "reading it needs a package that is not installed; it is left alone",
    "part-segmented": "a record that goes on in other records (WARC 1.1 §7); it is left alone",
    "part-url": "the container names no absolute URL for the part",
    "digest-unknown": "a digest in a form that cannot be renewed; what was changed is written without it",
    "index-stale": "an index of the archive cannot be renewed; what it says may no longer hold",
    "signature-dropped": "the archive was signed as it was; the signature is left out of the changed one",
    "mime-boundary": "a multipart entity's boundary is missing, never comes, or is not closed",
    "mime-header": "a MIME heading is not as it should be",
    "mime-encoding": "the transfer encoding of a MIME part is not known, or its data is not valid",
    "mime-limit": "the message goes beyond a limit; what lies there is left alone",
    "mime-left-alone": "the changed MIME part cannot be written; it is left as it was",
    "container-damaged": "the container is damaged; what cannot be read of it is copied as it is",
    "too-many-parts": "the container has more parts than the limit; those beyond it are copied as they are",
    "part-damaged": "a part of the container cannot be read; it is copied as it is",
    "part-encoding": "a part is encoded or compressed in a way that is not known; it is copied as it is",
    "part-encrypted": "a part is encrypted; it is copied as it is",
    "part-name-repeated": "two parts of the container have one name",
    "part-too-large": "a part is larger than the limit, decompressed; it is copied as it is",
}
