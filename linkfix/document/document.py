"""The pipeline: bytes -> encoding -> outline -> base -> references -> decisions -> edits -> bytes.

Its first half is `linkfix.document.scanned`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple, Unpack

from linkfix.document.base import Policy, blocking_policy, fallback_base, header_policies, href_base, inherited
from linkfix.document.base_element import BaseWriter
from linkfix.document.columns import LinkColumns
from linkfix.document.decide import Decider
from linkfix.document.header_lines import fit_lines
from linkfix.document.scanned import DOCUMENTS, ScannedDocument
from linkfix.document.splicer import Edit, Splicer, keep_nonempty, splice
from linkfix.html.outline import Outline
from linkfix.html.record import Record
from linkfix.html.syntaxes import SYNTAXES, Found
from linkfix.html.syntaxes.byte_spans import ByteSpans
from linkfix.html.syntaxes.url import verbatim
from linkfix.html.values import Value, code_points, decode
from linkfix.html.vocabulary import LISTED_SYNTAXES, ON_REQUEST, is_parsed_at_once
from linkfix.model import Conversion, Envelope, Html, Layer, Link, OptionFields, Problem
from linkfix.urls import excerpt

#: The number of records, and the size of a record in bytes. If a document has more than `_MANY` records and they are
#: larger than the document, its outline is dropped before splicing; it can be rebuilt.
_MANY, _RECORD = 1 << 14, 40


class _Occurrence(NamedTuple):
    """A link in the working data."""

    link: Link
    """The link, with offsets in the working data."""
    span: tuple[int, int]
    """The span of its reference, in bytes."""
    write: Callable[[str], bytes]
    """Returns the bytes of a URL, as written in this place."""


class Document(ScannedDocument[Html]):
    """One document: its base, its links, and its conversion to absolute links.

    `html`: bytes, or a str. The links of a str are resolved as in a UTF-8 document, and its spans count code points.
    `url`: the retrieval URL, after redirects. `charset`: the transport's encoding label. `media_type`: text/html, or
    another key of `linkfix.model.DOCUMENT_KINDS`. `default_base`: the base of last resort. `content_security_policy`:
    the value of the transport's header field. `envelope`: replaces all of these, and adds the enclosing entities.
    `options`: the options. `fields`: fields of `Options` that replace the fields in `options`.

    A document's faults never raise: they are `problems`. Raises InvalidBase for a URL that is not absolute,
    UnknownCharset, UnknownSpec and InvalidOption.
    """

    _depth = 0
    """The number of enclosing documents, for a srcdoc document."""
    _references_seen = False
    """Whether every reference was checked, so that its problems are noted. Another thread may ask at any time."""

    def _inner_document(self, number: int) -> tuple[Document[str], Value] | None:
        """Return the document that a record holds (a srcdoc, an entry's content), and the value that contains it."""
        record = self._record(number)
        if record.row.syntax not in DOCUMENTS:
            return None
        if self._depth >= self.options.srcdoc_depth:
            self._note("srcdoc-depth", record.start, f"{self.options.srcdoc_depth}")
            return None
        value = self._finder.value(record)
        line, _ = self.positions.of(record.tag_start)
        own_bases = self._own_bases(number)
        base = self.decider.base_for(record.row, keeps_fallback=self._keeps_fallback(record), own_bases=own_bases)
        is_srcdoc = record.row.syntax == "srcdoc"
        where = f"the document around the {'srcdoc' if is_srcdoc else 'content'} of line {line}"
        policies = inherited(self.envelope, self._policies)
        inner = srcdoc_document(value.text, base, where, self.envelope, self.decider, self._depth + 1, policies)
        inner.budget, inner.ask_longest_base = self.budget, self._ask_longest_base()
        if not is_srcdoc:  # its BASE elements belong to no page, and feed readers ignore them
            inner.document_base = fallback_base(inner.envelope, self._resolver)
        return inner, value

    # Edits

    def _edits(self, number: int, counts: list[int]) -> list[Edit]:
        """Return the edits of one record, and count the references seen and rewritten."""
        record = self._record(number)
        if record.row.role == "base":
            edits = self._base_writer.edits(number, record)
            counts[0] += 1
            counts[1] += len(edits) if self.options.base_element == "keep" else 0
            return edits
        option = ON_REQUEST.get(record.row.syntax)
        if option and not getattr(self.options, option):
            return []
        if record.row.syntax in LISTED_SYNTAXES and not record.row.element:
            counts[0] += sum(1 for reference in self._finder.references(record) if reference.found.kind != "fault")
            return []
        nested = self._inner_document(number)
        if nested is not None:
            inner, value = nested
            position = code_points(inner._data)
            edits = []
            for start, end, text in inner._all_edits(counts):
                first, last = position(start), position(end)
                written = value.write(text.decode("utf-8", "surrogatepass"), first, last)
                first, last = value.span(first, last)
                edits.append((first, last, written))
            self._adopt_problems(inner, value)
            return edits if record.quote or record.text else keep_nonempty(record, edits)
        found: list[Edit] = []
        for reference, decision in self._decisions(number):
            counts[0] += reference.found.kind != "fault"
            if decision.new is not None:
                counts[1] += 1
                start, end = reference.span()
                found.append((start, end, reference.write(decision.new)))
        if self.kind == "header":
            fitted = fit_lines(self._data, record, found, self._note)
            counts[1] -= len(found) - len(fitted)
            return fitted
        return found

    def _all_edits(self, counts: list[int]) -> list[Edit]:
        if self.options.base_element == "insert" and self.kind == "html" and not self._depth:
            counts[0] += sum(1 for _ in self._occurrences(range(self._count())))
            return self._insertion(counts)
        return [edit for number in range(self._count()) for edit in self._edits(number, counts)]

    def _adopt_problems(self, inner: Document[str], value: Value) -> None:
        """Add an inner document's problems to the problems of this document."""
        position = code_points(inner._data)
        for code, message, offset in inner._noted:
            self._noted.append((code, message, value.at(position(offset))))

    def _insertion(self, counts: list[int]) -> list[Edit]:
        base_url = self.document_base.url
        if not base_url or not self.decider.base_can_go:
            missing = "message-base" if base_url else "no-base"
            if all(code != missing for code, _, _ in self._noted):
                self._note(missing, 0)
            return []
        url, reason = href_base(base_url, None, self._resolver)
        if url is not None and not self.decider.is_base_of_its_own(url):
            url, reason = None, f"{self._resolver.name} would resolve it against the document's own URL"
        if url is None:
            self._note("base-unusable", 0, f"{excerpt(base_url)}: {reason}")
            return []
        policy = blocking_policy(url, header_policies(self.envelope.content_security_policy), self.decider.document_url)
        if policy is not None and self.document_base.problem != "base-blocked":
            self._note("base-blocked", 0, f"the Content-Security-Policy does not allow {excerpt(url)} ({policy})")
        edits = self._base_writer.insertion(url)
        counts[1] += len(edits) if self.document_base.layer is Layer.EMBEDDED else 0
        return self._edits_before(edits[0][0] if edits else self.document_base.start, counts) + edits

    def _edits_before(self, end: int, counts: list[int]) -> list[Edit]:
        """Return the edits of references that are parsed before the parser reaches a BASE at `end`."""
        edits: list[Edit] = []
        rewritten = [0, 0]
        for number in range(self._count()):
            record = self._record(number)
            if record.tag_start >= end:
                break
            if is_parsed_at_once(record.row, partial(self._finder.attribute, record)):
                edits += self._edits(number, rewritten)
        counts[1] += rewritten[1]
        return edits

    @cached_property
    def _base_writer(self) -> BaseWriter:
        return BaseWriter(self._finder, self._outline, self.decider, self._first_base)

    # Results

    def _forget_outline(self) -> None:
        """Drop the outline to save memory. The document is scanned again if it is used again."""
        for name in ("_outline", "_base_writer"):
            self.__dict__.pop(name, None)

    def convert(self) -> Conversion[Html]:
        """Convert the document to absolute links. Returns the new document, the counts and the problems."""
        counts = [0, 0]
        outline = self._outline
        if self.kind == "html" and isinstance(outline, Outline) and self.options.base_element != "insert":
            decider, spans = self.decider, ByteSpans(self._working.has_ascii_trails)
            splicer = Splicer(
                self._data,
                decider.plain(),
                decider.plain(escaped=False),
                spans,
                lambda number: self._edits(number, counts),
                self.records_before_base,
            )
            splicer.run(outline)
            counts[0] += splicer.seen
            counts[1] += splicer.rewritten
            if outline.count > _MANY and outline.count * _RECORD > len(self._data):
                del outline
                self._forget_outline()
            data = splicer.apply()
        else:
            data = splice(self._data, self._all_edits(counts))
        self._references_seen = True
        return Conversion(
            self.source.restore(data), counts[0], counts[1], self.problems, self.document_base, self.encoding.name
        )

    def absolutize(self, **fields: Unpack[OptionFields]) -> Html:
        """The document with absolute links, in the type of the input.

        `fields`: fields of `Options` that replace the document's own options for this call.
        """
        if fields:
            other = Document(self.source.html, envelope=self.envelope, options=self.options, **fields)
            return other.convert().data
        return self.convert().data

    def rewrite(self, replace_link: Callable[[Link], str | None]) -> Html:
        """The document with each link's reference replaced by the result of `replace_link(link)`; None leaves it."""
        edits = []
        for link, ((start, end), write) in self._links():
            new = replace_link(link)
            if new is None or new == link.reference:
                continue
            if not isinstance(new, str):
                message = f"the function for links must return a str or None, not {type(new).__name__}"
                raise TypeError(message)
            edits.append((start, end, write(new)))
        self._references_seen = True
        return self.source.restore(splice(self._data, edits))

    @cached_property
    def links(self) -> list[Link]:
        """Every reference of the document and of its srcdoc documents, in document order."""
        links = self.link_columns().links()
        units = self.column_units
        if units is None:
            return links
        unit, tag_unit = units(), units()
        return [
            link._replace(start=unit(link.start), end=unit(link.end), tag_start=tag_unit(link.tag_start))
            for link in links
        ]

    @property
    def column_units(self) -> Callable[[], Callable[[int], int]] | None:
        """A factory for functions that convert the offsets of `link_columns` to offsets of `links`. The functions are
        fast for increasing offsets. None if the offsets are equal, or if the columns convert them.
        """
        return None if self._data is self.source.html or isinstance(self.source.html, str) else self.source.units

    def link_columns(self, *, places: bool = True) -> LinkColumns:
        """The links as columns of numbers; offsets are in bytes of the working data.

        `places`: whether to include lines and columns.
        """
        data = self._data
        is_wide = isinstance(self.source.html, str) and not data.isascii()
        room = sys.maxsize if self.budget is None else self.budget.left
        positions = self.positions if places else None
        columns = LinkColumns(data, positions, self._finder.element_at, self._note, is_wide, room)
        outline = self._outline if self.kind == "html" else None
        first = self._count() if outline is None else self.records_before_base
        for number in range(first):
            for link in self._links_of(number):
                columns.add(link)
        if isinstance(outline, Outline):
            several, plain = ByteSpans(self._working.has_ascii_trails), self.decider.plain_links()
            columns.gather(outline, plain, several, self._links_of, self._link_of_url, self._link_of_part, first)
        self._references_seen = True
        return columns

    def _links_of(self, number: int) -> list[Link]:
        """The links of one record, with spans in the working data."""
        return [found.link for found in self._occurrences((number,))]

    def _link_of_url(self, number: int, start: int, value: bytes) -> Link:
        """The link of an HTML record whose raw value is one URL, as in `_links_of`; its line can be 0."""
        if not value.isascii():
            return self._links_of(number)[0]
        record = self._record(number)
        decoded = decode(value.decode("ascii"))
        (found,) = SYNTAXES[record.row.syntax](decoded.text)
        start, end = start + decoded.raw_at(found.start), start + decoded.raw_at(found.end)
        return self._decided_link(record, found, start, end)

    def _link_of_part(self, number: int, start: int, value: bytes) -> Link:
        """The link of one of the URLs in a record's value, as in `_links_of`; its line can be 0.

        `value`: the URL's bytes, in ASCII, without CSS escapes.
        """
        record = self._record(number)
        text = value.decode("ascii")
        if not record.text:
            text = decode(text).text
        is_local = record.row.syntax == "css" and (not text or text.startswith("#"))
        found = Found(0, len(text), text, verbatim, "local" if is_local else "url")
        return self._decided_link(record, found, start, start + len(value))

    def _decided_link(self, record: Record, found: Found, start: int, end: int) -> Link:
        """The link of a reference in a record, resolved against the document's base; its line is 0."""
        decision = self.decider.decide(found, record.row, self.document_base.url)
        if decision.problem is not None:
            self._note(decision.problem, start, found.reference)
        if self.budget is not None:
            self.budget.spend(decision.target)
        return Link(
            *record.row[:4],
            found.reference,
            decision.target,
            decision.base,
            start,
            end,
            0,
            0,
            decision.problem,
            record.tag_start,
        )

    def _links(self) -> Iterator[tuple[Link, tuple[tuple[int, int], Callable[[str], bytes]]]]:
        """Yield each link with its span in the working data and the function that writes a new URL there."""
        unit, tag_unit = self.source.units(), self.source.units()  # each is fast for increasing offsets
        for link, span, write in self._occurrences(range(self._count())):
            start, end = unit(span[0]), unit(span[1])
            yield link._replace(start=start, end=end, tag_start=tag_unit(link.tag_start)), (span, write)

    def _occurrences(self, numbers: Iterable[int]) -> Iterator[_Occurrence]:
        """The references of some records, with their spans in the working data."""
        for number in numbers:
            nested = self._inner_document(number)
            if nested is not None:
                yield from self._inner_occurrences(*nested)
                continue
            record = self._record(number)
            element = self._finder.element_name(record)
            _, attribute, syntax, role = record.row[:4]
            for reference, decision in self._decisions(number):
                if reference.found.kind != "fault":
                    span = reference.span()
                    line, column = self.positions.of(span[0])
                    link = Link(
                        element,
                        attribute,
                        syntax,
                        reference.found.role or role,
                        reference.found.reference,
                        decision.target,
                        decision.base,
                        *span,
                        line,
                        column,
                        decision.problem,
                        record.tag_start,
                    )
                    yield _Occurrence(link, span, reference.write)

    def _inner_occurrences(self, inner: Document[str], value: Value) -> Iterator[_Occurrence]:
        # Both are fast for increasing offsets; tags need a converter of their own.
        position, tag_position = code_points(inner._data), code_points(inner._data)
        tags = self._finder.value(value.record)
        for link, (start, end), write in inner._occurrences(range(inner._count())):
            first, last = position(start), position(end)
            span = value.span(first, last)
            tag_start = tags.at(tag_position(link.tag_start))
            line, column = self.positions.of(span[0])
            moved = link._replace(start=span[0], end=span[1], line=line, column=column, tag_start=tag_start)
            yield _Occurrence(moved, span, partial(value.write_within, write, first, last))
        self._adopt_problems(inner, value)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The faults of the document, in document order."""
        if not self._references_seen:
            self.link_columns()
        return self._problems_so_far()


def srcdoc_document(
    text: str,
    base: str | None,
    where: str,
    around: Envelope,
    decider: Decider,
    depth: int,
    policies: Sequence[Policy],
) -> Document[str]:
    """The document in a srcdoc attribute, or in an entry of a feed.

    `text`: the document. `base`: the base URL of the enclosing document at its element. `where`: the source of `base`,
    in words. `around`: the envelope of the enclosing document. `decider`: the decider of the enclosing document.
    `depth`: the number of enclosing documents. `policies`: the policies that it inherits from them.
    """
    envelope = Envelope(base=base, where=where, parent=around, inherits_base_element=decider.fragments_leave_page)
    document = Document(text, envelope=envelope, options=decider.options)
    document._depth = depth
    document._inherited_policies = policies
    return document
