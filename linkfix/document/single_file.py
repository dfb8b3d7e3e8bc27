"""One HTML file of a page and all that it shows: style sheets, fonts, pictures and frames, as data: URLs.

Nothing is fetched. What a style sheet or frame refers to is embedded in it before it is embedded itself. Each embedding
counts towards the largest size, so that files that contain each other many times over take bounded time and memory.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from linkfix.document.document import Document
from linkfix.document.from_file import fit_to_files, in_head, with_encoding
from linkfix.kernels.tokenizer import attributes
from linkfix.model import MARKUP_TYPES, PAGE_TYPES, PROBLEMS, Envelope, Link, Options, Problem
from linkfix.urls import excerpt, hide_passwords, without_fragment

#: Scripts run, or a policy in the page stops them.
Scripts: TypeAlias = Literal["drop", "keep"]

#: Of each srcset, the largest picture or all.
Images: TypeAlias = Literal["one", "all"]

#: The maximum number of documents around an embedded one: of style sheets that import others, and of frames.
_DEPTH = 16

#: The elements with a page in them.
_FRAMES = frozenset({"iframe", "frame", "object", "embed"})

#: The relations of a LINK to what is shown.
_RELATIONS = frozenset({"stylesheet", "icon", "apple-touch-icon"})

#: The elements whose resources are embedded neither: an appcache; parameters of plug-ins; and elements of SVG that use
#: an element of another document, which browsers do not take from data: URLs (SVG 2 §16.1.3).
_NOT_EMBEDDED = frozenset({"html", "param", "layer", "ilayer", "use", "tref", "textpath", "mpath"})

#: Stops all scripts, event handlers and javascript: URLs (CSP3 §6.6).
_NO_SCRIPTS = b"""<meta http-equiv="Content-Security-Policy" content="script-src 'none'"/>"""


#: In the place of a document around this one.
_NOTHING = "data:,"


class Resource(NamedTuple):
    """A file that a page can show."""

    data: bytes
    media_type: str
    envelope: Envelope
    """Its URL and encoding, and the envelopes around it."""
    by_name: bool = False
    """Whether its references name files. Those that are not embedded stay as they are, unless `original` is known; of
    others, they become absolute.
    """
    original: Envelope | None = None
    """Its envelope in an archive, if its references name files there."""


#: A function that returns the file at a URL without a fragment; None for none.
Find: TypeAlias = Callable[[str], Resource | None]


class SingleFile:
    """Makes single files. `max_size`: the largest number of bytes of all embedded files together, as they are written.

    `note`: called with each problem; it is a problem of the document that `name` names.
    """

    def __init__(
        self,
        find: Find,
        note: Callable[[Problem], None],
        *,
        max_size: int,
        scripts: Scripts = "drop",
        images: Images = "one",
    ) -> None:
        self._find = find
        self._note = note
        self._left = max_size
        self._scripts = scripts
        self._images = images
        #: The URLs of the documents around the one that is made.
        self._around: list[str] = []
        #: The data: URL of each file, by its URL and the encoding around it.
        self._made: dict[tuple[str, str], str | None] = {}

    def page(self, page: Resource) -> bytes:
        """A page with all that it shows."""
        self._around.append(without_fragment(page.envelope.url) or "")
        document = Document(page.data, envelope=page.envelope)
        data = self._embed(document, page)
        self._around.pop()
        return with_encoding(data, document, page.envelope)

    def _embed(self, document: Document[bytes], resource: Resource) -> bytes:
        """A document with what it refers to."""
        is_page = document.kind == "html" or resource.media_type in PAGE_TYPES
        data, envelope = document.source.html, document.envelope
        if document.kind == "html":
            one = self._images == "one"
            data = fit_to_files(
                document, lambda url: self._find(without_fragment(url) or "") is not None, one_candidate=one
            )
        if not resource.by_name:
            options = Options(base_element="drop-href")
            data = Document(data, envelope=envelope, options=options).convert().data
        absolute = Document(data, envelope=envelope)
        data = absolute.rewrite(lambda link: self._replacement(link, absolute))
        if resource.original is not None:
            data = Document(data, envelope=resource.original).convert().data
        return in_head(data, _NO_SCRIPTS) if is_page and self._scripts == "drop" else data

    def _replacement(self, link: Link, document: Document[bytes]) -> str | None:
        """The data: URL to write in place of a link; None if the link stays."""
        if link.role != "resource" or link.target is None or link.element in _NOT_EMBEDDED:
            return None
        if link.element == "script" and self._scripts == "drop":
            return None
        if link.element == "link" and _RELATIONS.isdisjoint(_relations(document.source.data, link)):
            return None
        url, mark, fragment = link.target.partition("#")
        made = self._data_url(url, link, document.encoding.name)
        return None if made is None else made + mark + fragment

    def _data_url(self, url: str, link: Link, encoding: str) -> str | None:
        resource = self._find(url)
        if resource is None or (resource.media_type in PAGE_TYPES and link.element not in _FRAMES):
            return None
        if url in self._around:
            return _NOTHING  # as in browsers: no document is in itself (HTML §4.8.5, CSS Cascade §2.2)
        if len(self._around) >= _DEPTH:
            self._report("embed-depth", url, link)
            return None
        key = url, encoding
        if key not in self._made:
            self._made[key] = self._encode(resource, url, encoding)
        made = self._made[key]
        if made is None or len(made) > self._left:
            self._report("embed-limit", url, link)
            return None
        self._left -= len(made)
        return made

    def _encode(self, resource: Resource, url: str, encoding: str) -> str | None:
        """The data: URL of a file; None if it is too large. `encoding`: of the document around it."""
        data, type_ = resource.data, resource.media_type or "application/octet-stream"
        if len(data) > self._left:
            return None
        if type_ in MARKUP_TYPES:
            document = Document(data, envelope=resource.envelope)
            if document.kind == "css" and document.encoding.source == "default":
                envelope = resource.envelope._replace(charset=encoding)  # CSS Syntax §3.2 "environment encoding"
                document = Document(data, envelope=envelope)
            self._around.append(url)
            data = self._embed(document, resource)
            self._around.pop()
            type_ = f"{type_};charset={document.encoding.name}"
        elif type_.startswith("text/") or "javascript" in type_:
            type_ = f"{type_};charset={resource.envelope.charset or encoding}"
        return f"data:{type_};base64,{base64.b64encode(data).decode()}"

    def _report(self, code: str, url: str, link: Link) -> None:
        detail = excerpt(hide_passwords(url))
        self._note(Problem(code, f"{PROBLEMS[code]}: {detail}", link.start, link.line, link.column))


def _relations(data: bytes, link: Link) -> set[str]:
    """The values of the attribute rel of a LINK."""
    if data[link.tag_start : link.tag_start + 1] != b"<":  # in a srcdoc with escapes
        return {"stylesheet"}
    rel = next((one for one in attributes(data, link.tag_start) if one.name == "rel"), None)
    return set() if rel is None else set(data[rel.start : rel.end].lower().decode("latin-1").split())
