"""What a file is that a caller names, where neither its name nor its first bytes say that it is a document."""

from __future__ import annotations

import os
from typing import NamedTuple

from linkfix.files.media_types import SERVED_SUFFIXES, media_type_of_suffix, source_type
from linkfix.files.mime_sniffing import DeclaredType, is_binary
from linkfix.files.xml_types import GENERIC_TYPES, is_xml_name
from linkfix.lazy import lazy_pattern

__all__ = ["AS_PAGE", "OtherFile", "other_file", "type_if_named"]

#: What to do where a file is no page.
AS_PAGE = "--media-type text/html reads it as a page"

#: Suffixes of plain texts (RFC 2046 §4.1).
_TEXT_SUFFIXES = (".txt", ".text")
#: Suffixes that Python's table lacks, or has another meaning for -> the media type. "": the content tells.
_OTHERS = {
    suffix: type_
    for type_, suffixes in {
        "application/json": ".geojson .har .ipynb .json5 .jsonc .jsonl .jsonld .map .ndjson",
        "application/toml": ".toml",
        "application/yaml": ".yaml .yml",
        "text/javascript": ".cjs .cts .jsx .mts .ts .tsx",
        "text/x-scss": ".less .sass .scss .styl",
        "text/x-source": ".cc .cpp .cs .go .hpp .java .kt .lua .r .rb .rs .scala .sql .swift",
        "text/x-script": ".bash .bat .cmd .fish .ps1 .zsh",
        "text/x-config": ".cfg .conf .env .ini .lock .properties",
        "font/woff2": ".woff2",
        "image/avif": ".avif",
        "image/webp": ".webp",
        # Pages are saved under these names, and templates have them.
        "": ".a .bin .dot .me .ms .o .obj .sgm .sgml .src .t .tr",
    }.items()
    for suffix in suffixes.split()
} | dict.fromkeys(SERVED_SUFFIXES, "")
#: RFC 8259 §2, the beginnings that no template language has: `{"`, `{}`, `["`, `[{"`.
_JSON = lazy_pattern(rb'(?:\xef\xbb\xbf)?[\t\n\r ]*+(?:\{[\t\n\r ]*+["}]|\[[\t\n\r ]*+(?:"|\{[\t\n\r ]*+["}]))')
#: The first bytes of texts -> the media type.
_TEXTS = (
    (_JSON, "application/json"),
    (lazy_pattern(rb"#!"), "text/x-script"),
    (lazy_pattern(rb"%YAML "), "application/yaml"),
)

#: Formats that may begin like text, and do not begin as a text may.
_SIGNED_TEXTS = frozenset({"application/pdf", "application/postscript", "image/gif"})


def type_if_named(name: str, *, is_html: bool) -> str:
    """The media type of a file that is a document where a caller names it; "" for none. `is_html`: as it looks."""
    if is_xml_name(name) or _type_of_name(name) in GENERIC_TYPES:
        return "application/xml"
    if name.lower().endswith(_TEXT_SUFFIXES):
        return "" if is_html else "text/plain"
    return source_type(name) or ""


class OtherFile(NamedTuple):
    """A file that is no page."""

    problem: str
    """The code of the problem that this is."""
    media_type: str

    @property
    def text(self) -> str:
        """What it is, and what to do."""
        return f"{self.media_type}; {AS_PAGE}" if self.problem == "media-type" else self.media_type


def other_file(name: str, head: bytes) -> OtherFile | None:
    """What a file is that is no page; None for one that may be, such as a fragment of HTML. `head`: its first bytes.

    >>> other_file("feed.json", b"{}"), other_file("header.tmpl", b"<ul>")
    (OtherFile(problem='media-type', media_type='application/json'), None)
    >>> other_file("logo", b"GIF89a"), other_file("feed.json", b"<!doctype html>")
    (OtherFile(problem='media-type', media_type='image/gif'), None)
    """
    sniffed = DeclaredType().media_type(head)
    if sniffed == "text/html":
        return None
    if is_binary(head):
        return OtherFile("binary", _type_of_name(name) or sniffed)
    type_ = _type_of_name(name) or next((type_ for pattern, type_ in _TEXTS if pattern.match(head)), "")
    if not type_ and sniffed in _SIGNED_TEXTS:
        type_ = sniffed
    return OtherFile("media-type", type_) if type_ else None


def _type_of_name(name: str) -> str:
    """The media type that a name's suffix stands for; a saved query does not count (`app.js?v=1`)."""
    for one in dict.fromkeys((name, name.partition("?")[0])):
        suffix = os.path.splitext(one.lower())[1]
        if type_ := _OTHERS[suffix] if suffix in _OTHERS else media_type_of_suffix(one):
            return type_
    return ""
