"""The header of a message: its lines after new URLs are written, and the base that its fields state for its links.

A line has at most 998 bytes, without the line end (RFC 5322 §2.1.1). A URL that makes a line too long is folded if
readers of its field ignore white space there. This holds inside the angle brackets of List-Help and similar fields (RFC
2369 §2), Archived-At (RFC 5064 §2.1) and Base (RFC 1808 §3.1). It also holds in Content-Location and Content-Base (RFC
2557 §4.4.2). In all other fields a URL cannot be folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from linkfix.document.base import fallback_base
from linkfix.document.references import Finder
from linkfix.html.vocabulary import BASE_FIELDS
from linkfix.kernels.outline import Record
from linkfix.kernels.splicer import Edit
from linkfix.model import Base, BaseSource, Envelope, StatedBase
from linkfix.resolvers import Resolver
from linkfix.urls import SCHEME, excerpt

_MOST = 998

#: The bytes of a folded URL per line, so that the line has the 78 bytes that RFC 5322 §2.1.1 recommends.
_PIECE = 76

_UNFOLDABLE = frozenset({"header-links"})


class _LineStart(NamedTuple):
    """The beginning of a line."""

    length: int = 0
    is_blank: bool = True
    """Whether it contains only white space."""

    def after(self, text: bytes) -> _LineStart:
        """The beginning of the last line after `text` is added."""
        newline = text.rfind(b"\n")
        begun = _LineStart() if newline >= 0 else self
        text = text[newline + 1 :]
        return _LineStart(begun.length + len(text), begun.is_blank and not text.strip())


class _OldLine(NamedTuple):
    """A line of a header, in bytes, without its line end."""

    start: int = 0
    end: int = 0

    @classmethod
    def at(cls, data: bytes, offset: int) -> _OldLine:
        """The line that contains the byte at `offset`."""
        newline = data.find(b"\n", offset)
        end = len(data) if newline < 0 else newline
        return cls(data.rfind(b"\n", 0, offset) + 1, max(offset, end - data.endswith(b"\r", 0, end)))


def _fold(url: bytes, line_end: bytes, before: _LineStart, after: int) -> bytes | None:
    """Fold a URL: once before it if that is enough, else many times within it. None if no folding helps.

    `after`: the number of bytes after the URL in its line.
    """
    fold = line_end + b" "
    # A folded line is not blank (RFC 5322 §3.2.2).
    if not before.is_blank and len(b" ") + len(url) + after <= _MOST:
        return fold + url
    if len(b" ") + _PIECE + after > _MOST:
        return None
    pieces = fold.join(url[at : at + _PIECE] for at in range(0, len(url), _PIECE))
    return pieces if before.is_blank else fold + pieces


def fit_lines(data: bytes, record: Record, edits: list[Edit], note: Callable[[str, int, str], None]) -> list[Edit]:
    """The edits of a field, with URLs folded if their lines would be too long.

    An edit is left out if folding is not possible; then `note` is called with a problem's code, the offset and the URL.
    Lines that are already too long may grow. `data`: the header. `record`: the value of the field. `edits`: the edits,
    in order.
    """
    row = record.row
    is_foldable = row.syntax not in _UNFOLDABLE and "mail" in row.namespace.split()
    line_end = b"\r\n" if data.startswith(b"\r\n", record.end) or b"\r\n" in data[record.start : record.end] else b"\n"
    fitted: list[Edit] = []
    done, line = record.tag_start, _LineStart()
    first = last = _OldLine()  # the lines of `data` that contain the URL's start and end
    for start, end, url in edits:
        line = line.after(data[done:start])
        first = last if start < last.end else _OldLine.at(data, start)
        last = first if end < first.end else _OldLine.at(data, end)
        rest = last.end - end
        written: bytes | None = url
        if line.length + len(url) + rest > _MOST >= first.end - first.start:
            written = _fold(url, line_end, line, rest) if is_foldable else None
        if written is None:
            note("line-too-long", start, excerpt(url.decode("ascii")))
            done = start
        else:
            fitted.append((start, end, written))
            line = line.after(written)
            done = end
    return fitted


# The base URL of the links in a message's header (RFC 1808 §3.1, RFC 2110 §4.2, RFC 2557 §4.2).
#
# It is also the base of the message's body: first the header's statements, then the enclosing entities, in the order of
# the specification. Content-Location itself cannot use it. A relative Content-Location is resolved against the other
# fields of the header, or else against the enclosing entities.


#: A hierarchical URL, which can be a base. "cid:", "about:" and "data:" URLs only name an entity.
HIERARCHICAL = re.compile(rf"{SCHEME}:/")


def _stated(source: BaseSource, url: str | None) -> tuple[StatedBase, ...]:
    """The base that a field of the header states, or nothing if it is not usable."""
    if url is None or not HIERARCHICAL.match(url):
        return ()
    return (StatedBase(source, url, f"{source} of the header"),)


def stated_urls(records: Iterable[Record], finder: Finder) -> dict[str, str]:
    """The first reference of each field that can state a base. Keys are field names in lower case."""
    stated: dict[str, str] = {}
    for record in records:
        if record.row.attribute in BASE_FIELDS:
            for reference in finder.references(record):
                stated.setdefault(record.row.attribute, reference.found.reference)
    return stated


def header_base(stated: Mapping[str, str], envelope: Envelope, resolver: Resolver) -> Base:
    """The base of the links in a header. Its `fallback` is the base of Content-Location and similar fields.

    `stated`: the references in the header's fields, by field name in lower case. `envelope`: the header's envelope.
    """
    fields: tuple[StatedBase, ...] = ()
    for source in (BaseSource.CONTENT_BASE, BaseSource.BASE_FIELD):
        fields += _stated(source, stated.get(source.lower()))
    fallback = fallback_base(Envelope(stated=fields, parent=envelope), resolver)
    location = stated.get("content-location")
    target = None if location is None else resolver.resolve(fallback.url, location).target
    fields += _stated(BaseSource.CONTENT_LOCATION, target)
    return fallback_base(Envelope(stated=fields, parent=envelope), resolver)._replace(fallback=fallback.url)
