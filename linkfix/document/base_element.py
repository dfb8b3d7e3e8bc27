"""BASE elements: those of a document, text that only looks like one, the policies that a document states for them, and
their edits when it is converted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, cast

from linkfix.document.base import EMBEDDED, BaseElement, Policy, meta_policy, reason_dropped, reason_excluded
from linkfix.document.decide import Decider
from linkfix.document.references import Finder, Reference
from linkfix.encodings.encoding import Encoding
from linkfix.html.values import escape_attribute
from linkfix.kernels.constants import APOSTROPHE, QUOTATION_MARK
from linkfix.kernels.outline import Outline, Record
from linkfix.kernels.positions import Positions
from linkfix.kernels.splicer import Edit
from linkfix.kernels.tokenizer import Tokenizer, attributes, tag_end
from linkfix.model import Base, BaseElementMode, Candidate, Envelope, Row

if TYPE_CHECKING:
    from linkfix.document.outlines import AnyOutline

#: The place of a policy in a document; it has no references.
_POLICY = Row("meta", "content", "", "", "http-equiv=content-security-policy", "§4.2.5.3")


def base_elements(
    outline: AnyOutline,
    finder: Finder,
    positions: Positions | None,
    envelope: Envelope,
    mode: BaseElementMode,
) -> Iterator[tuple[int, BaseElement]]:
    """The BASE elements of a document that have an href, each with the number of its record.

    `positions`: None leaves `where` empty. `mode`: the option `base_element`.
    """
    for number in outline.bases:
        record = outline.record(number)
        href = finder.text(record)
        where = "" if positions is None else "line {}, column {}".format(*positions.of(record.tag_start))
        reason = reason_dropped(
            in_template=record.in_template, in_noscript=record.in_noscript, in_frameset=record.in_frameset
        ) or reason_excluded(href, envelope, mode)
        yield number, BaseElement(href, where, reason, record.tag_start, number >= outline.head_count)


def first_base_element(elements: Iterator[tuple[int, BaseElement]]) -> tuple[int, BaseElement | None]:
    """The first BASE element that can count, with the number of its record; -1 and None if there is none."""
    for number, element in elements:
        if not element.excluded:
            return number, element
    return -1, None


def stated_policies(outline: AnyOutline, finder: Finder, positions: Positions) -> list[Policy]:
    """The policies in a document's META elements that hold for its BASE elements."""
    found = []
    for tag_start, start, end, quote in outline.policies:
        content = finder.text(Record(_POLICY, start, end, tag_start, quote))
        line, column = positions.of(tag_start)
        policy = meta_policy(content, f"meta element in line {line}, column {column}", tag_start)
        if policy is not None:
            found.append(policy)
    return found


#: Matches ASCII text that is the same in an attribute's raw and decoded value, and has nothing to strip.
_AS_WRITTEN = re.compile(rb"[!#-%(-;=?-~]+").fullmatch
_QUOTES = frozenset({QUOTATION_MARK, APOSTROPHE})
_DECOY = re.compile(rb"<base[\t\n\f\r /]", re.IGNORECASE)
_NO_ELEMENT = "not a BASE element: it is in a comment, a script or other text, in SVG, or in an attribute"


def base_decoys(data: bytes, encoding: Encoding, seen: set[int], positions: Positions) -> list[Candidate]:
    """The texts that look like a BASE element with an href but are not elements, at most the first hundred.

    `seen`: the offsets of the tags of the document's BASE elements.
    """
    decoys: list[Candidate] = []
    if b"<base" not in data.lower():  # many times faster than the expression
        return decoys
    for match in islice(_DECOY.finditer(data), 100 + len(seen)):
        tag = data[match.start() : match.start() + 4096]
        href = next((attribute for attribute in attributes(tag, 0) if attribute.name == "href"), None)
        if match.start() not in seen and href is not None:
            line, column = positions.of(match.start())
            text = encoding.decode(tag[href.start : href.end])
            decoys.append(Candidate(EMBEDDED, text, f"line {line}, column {column}", _NO_ELEMENT, match.start()))
    return decoys


class BaseWriter:
    """Writes the BASE elements of one document, following `Options.base_element`.

    `finder`: finds the document's references. `decider`: decides about them. `first`: the index of the record of the
    first BASE that can count, or -1.
    """

    def __init__(
        self,
        finder: Finder,
        outline: AnyOutline,
        decider: Decider,
        first: int,
    ) -> None:
        self.finder = finder
        self.data: bytes = finder.data
        self.outline = outline
        self.decider = decider
        self.base: Base = decider.base
        self.first = first

    def edits(self, number: int, record: Record) -> list[Edit]:
        """The edits of one BASE element or of its href; none if the element is not in the tree."""
        if record.in_template or record.in_frameset or record.in_noscript:
            return []
        how = self.decider.options.base_element if self.decider.base_can_go else "keep"
        if how == "remove":
            return [(record.tag_start, tag_end(self.data, record.tag_start), b"")]
        if how in {"drop-href", "empty"}:
            spans = attribute_spans(self.data, record.tag_start, b"href")
            first = b' href=""' if how == "empty" else b""
            return [(start, end, b"" if number else first) for number, (start, end) in enumerate(spans)]
        is_blocked = self.base.problem == "base-blocked"
        if not self.base.url or number != self.first or not (is_blocked or self.base.layer is EMBEDDED):
            return []
        raw = self.data[record.start : record.end]
        is_base = raw.isascii() and b"&" not in raw and raw.decode("ascii") == self.base.url
        if is_base and self.decider.options.move is None:
            return []  # most often, the href is the base as it stands
        if record.quote in _QUOTES and not is_blocked and _AS_WRITTEN(raw) and isinstance(self.outline, Outline):
            url = self.decider.base_href(raw.decode("ascii"))
            if url is None or _AS_WRITTEN(url.encode()):  # a shortcut for most documents
                return [] if url is None else [(record.start, record.end, url.encode())]
        href = self._href(number, record)
        url = (self.decider.blocked_href if is_blocked else self.decider.base_href)(href.found.reference)
        return [] if url is None else [(*href.span(), href.write(url))]

    def _href(self, number: int, record: Record) -> Reference:
        decoded = None if isinstance(self.outline, Outline) else self.outline.decoded.get(number)
        return next(self.finder.references(record, decoded))

    def insertion(self, url: str) -> list[Edit]:
        """The edits that give an HTML document a BASE with `url`, so that no reference need be rewritten."""
        if self.base.layer is EMBEDDED:
            return self.edits(self.first, self.outline.record(self.first))
        outline = cast("Outline", self.outline)
        if self.first >= 0:  # it is unusable, and the first BASE with an href counts: the new one goes before it
            first = outline.record(self.first)
            at = first.tag_start
            if self.base.problem == "base-blocked" and (not outline.policies or at < outline.policies[0][0]):
                # The response blocks this BASE, and any other. In a copy without the response, it can have the URL
                # itself.
                href = self._href(self.first, first)
                return [] if href.found.reference == url else [(*href.span(), href.write(url))]
        else:
            at = self._head_content(outline)
        if outline.policies:  # policies do not hold for elements before them
            at = min(at, outline.policies[0][0])
        element = f'<base href="{escape_attribute(url, 34)}">'
        return [(at, at, self.finder.encoding.encode(element, "xmlcharrefreplace"))]

    def _head_content(self, outline: Outline) -> int:
        """The start of the head's content: after the tags of html and head, if these are the document's first tags.
        After other tags, they open nothing, and the BASE would be in a body, which a frameset can replace.
        """
        at = outline.doctype_end or self.finder.encoding.bom
        tokenizer = Tokenizer(self.data, at, len(self.data))
        while at < max(outline.html_end, outline.head_end):
            tokenizer.next_tag(False)
            while tokenizer.next_attribute():
                pass
            if tokenizer.position not in {outline.html_end, outline.head_end}:
                break
            at = tokenizer.position
        return at


def attribute_spans(data: bytes, tag_start: int, name: bytes) -> list[tuple[int, int]]:
    """The span of every attribute of a tag with that name (lower case). If only the first were removed, the next would
    count.

    A span includes the white space before the attribute, if the text after it does not need it.
    """
    tokenizer = Tokenizer(data, tag_start, len(data))
    tokenizer.next_tag(False)
    spans = []
    while tokenizer.next_attribute():
        start = tokenizer.attribute_start
        if data[start : tokenizer.attribute_end].lower() != name:
            continue
        end = tokenizer.value_end + (tokenizer.quote in {34, 39})
        if data[end] in b"\t\n\f\r />":
            start = tag_start + len(data[tag_start:start].rstrip(b"\t\n\f\r "))
        spans.append((start, end))
    return spans
