"""The straight line: bytes -> encoding -> outline -> base -> links -> edits -> bytes. The only module that knows every
stage of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Unpack

from linkfix.audit.reference_index import Survey, one_by_one
from linkfix.document.base import BaseElement, check, document_url, establish, excluded, page, usable
from linkfix.document.base_element import BaseWriter, base_decoys
from linkfix.document.linker import Judged, Linker, Place, element_name, resolver_of
from linkfix.document.positions import Positions
from linkfix.document.source import Source
from linkfix.document.splicer import Edit, Splicer, plain_prefixes, splice, unemptied
from linkfix.encodings.encoding import Encoding
from linkfix.errors import InvalidOption
from linkfix.html.outline import Outline, Record
from linkfix.html.values import Value, code_points
from linkfix.html.vocabulary import WHOLE, row_index, row_table
from linkfix.html.xml_outline import XmlOutline
from linkfix.model import (
    DOCUMENT_KINDS,
    PROBLEMS,
    Base,
    Conversion,
    DocumentKind,
    Envelope,
    Layer,
    Link,
    OptionFields,
    Options,
    Problem,
)

__all__ = ["Document"]

_DEFAULT_OPTIONS = Options()


class Document:
    """One document: its base, its links, and itself with absolute links.

    `html`: bytes, or str (whose links are resolved as a UTF-8 document's; spans count code points).
    `url`: the retrieval URL, after redirects. `charset`: the transport's label. `media_type`: text/html,
    application/xhtml+xml, image/svg+xml, text/css or text/plain. `default_base`: the base of last resort. `envelope`:
    all of these, and the enclosing entities, in their place. `fields`: those of `Options`, beside `options`.

    A document's faults never raise: they are `problems`. Raises InvalidBase for a URL that is not absolute,
    UnknownCharset, UnknownSpec and InvalidOption.
    """

    def __init__(  # noqa: PLR0913 - the parts of an envelope
        self,
        html: bytes | str,
        *,
        url: str | None = None,
        charset: str | None = None,
        media_type: str | None = None,
        default_base: str | None = None,
        envelope: Envelope | None = None,
        options: Options | None = None,
        **fields: Unpack[OptionFields],
    ) -> None:
        chosen = options or _DEFAULT_OPTIONS
        self.options = chosen = replace(chosen, **fields) if fields else chosen
        self.envelope = envelope or Envelope(url, charset, media_type, default=default_base)
        self._resolver = resolver_of(chosen)
        for given in (self.envelope.url, self.envelope.default):
            if given is not None:
                check(given, self._resolver)
        kind = DOCUMENT_KINDS.get((self.envelope.media_type or "text/html").lower())
        if kind is None:
            message = f"media type {self.envelope.media_type!r}: linkfix reads {', '.join(DOCUMENT_KINDS)}"
            raise InvalidOption(message)
        self.kind: DocumentKind = kind
        self.source = Source(html, kind, self.envelope.charset)
        self.encoding: Encoding = self.source.encoding
        self._data = self.source.data
        self._working = self.source.working
        self._depth = 0
        self._elsewhere_outside = False
        self._looked = False
        self._noted: list[tuple[str, str, int]] = []
        if self.source.fault and self.encoding.name != "replacement":
            self._note(self.source.fault, 0, "" if self.source.fault == "binary" else self.encoding.name)

    def _note(self, code: str, offset: int, particular: str = "") -> None:
        message = f"{PROBLEMS[code]}: {particular}" if particular else PROBLEMS[code]
        self._noted.append((code, message, offset))

    # The stages

    @cached_property
    def _outline(self) -> Outline | XmlOutline:
        if self.kind == "xml":
            outline = XmlOutline(row_table(self.options), self._data, self.source.start)
            if outline.error is not None and self._data:
                self._note("xml-not-well-formed", outline.error[1], outline.error[0])
            return outline
        return Outline(row_index(self.options), self._data if self.kind == "html" else b"", 0)

    @cached_property
    def base(self) -> Base:
        """The document's base URL, the layer that gave it, and every other candidate with its reason.

        What only looks like a BASE element (at most the first hundred) is among them.
        """
        seen = {self._outline.record(number).tag_start for number in self._outline.bases}
        seen |= {original.start for original in self.envelope.saver.bases}
        decoys = base_decoys(self._data, self._working, seen, self.positions)
        return (
            replace(self.document_base, rejected=(*self.document_base.rejected, *decoys))
            if decoys
            else self.document_base
        )

    @cached_property
    def document_base(self) -> Base:
        """`base` without what only looks like a BASE element."""
        outline, elements = self._outline, self._base_elements
        base = establish(elements, self.envelope, self._resolver, self.encoding.name)
        first = self._first_base
        if first >= 0 and base.layer is not Layer.EMBEDDED:
            where = elements[outline.bases.index(first)].where
            reason = next(candidate.reason for candidate in base.rejected if candidate.where == where)
            self._note("base-unusable", outline.record(first).start, reason)
        return base

    @cached_property
    def _first_base(self) -> int:
        """The record of the first BASE element that can count, or -1."""
        pairs = zip(self._outline.bases, self._base_elements, strict=True)
        return next((number for number, element in pairs if not element.excluded), -1)

    @cached_property
    def _base_elements(self) -> list[BaseElement]:
        return [self._base_element(self._outline.record(number)) for number in self._outline.bases]

    def _base_element(self, record: Record) -> BaseElement:
        href = Value(self._data, record, self._working).text
        line, column = self.positions.of(record.tag_start)
        reason = "in a template" if record.in_template else excluded(href, self.envelope)
        return BaseElement(href, f"line {line}, column {column}", reason, record.tag_start)

    @cached_property
    def _elsewhere(self) -> bool:
        """Whether a BASE makes "#x" a reference to another document."""
        if self.document_base.layer is not Layer.EMBEDDED and not self._elsewhere_outside:
            return False
        own = document_url(self.envelope)
        return page(self.document_base.url) != page(own and usable(own, self._resolver))

    @cached_property
    def _linker(self) -> Linker:
        return Linker(
            self._data,
            self._working,
            self.encoding.name,
            self._resolver,
            self.options,
            self.document_base,
            document_url(self.envelope),
            elsewhere=self._elsewhere,
            base_at=max(self.document_base.start, 0),
            xml=self.kind == "xml",
            map_reference=self.envelope.saver.map_reference,
        )

    @cached_property
    def positions(self) -> Positions:
        """Lines and columns of `source.data`."""
        return Positions(self._data, self._working)

    def _count(self) -> int:
        return 1 if self.kind in WHOLE else self._outline.count

    def _record(self, number: int) -> Record:
        if self.kind in WHOLE:
            start = self.source.start
            return Record(WHOLE[self.kind], start, len(self._data), start, 0, text=True)
        return self._outline.record(number)

    def _judged(self, number: int) -> Iterator[tuple[Place, Judged]]:
        """The references of one record, srcdoc's excepted."""
        record = self._record(number)
        linker = self._linker
        if record.row.syntax == "srcdoc":
            return
        own = None
        outline = self._outline
        decoded = None
        if isinstance(outline, XmlOutline):
            own = self.document_base.url
            for reference in outline.own_bases.get(number, ()):
                own = self._resolver.resolve(own, reference).target or own
            decoded = outline.decoded.get(number)
        base = self.document_base.fallback if record.row.role == "base" else linker.base_of(record, own)
        # Chromium writes queries of CSS in attributes in UTF-8, and of style elements in the document's encoding.
        utf_8 = record.row.syntax == "text" or (record.row.syntax == "css" and not record.text)
        encoding = "utf-8" if utf_8 else None
        for place in linker.places(record, decoded):
            judged = linker.judge(
                place.found, record.row.role, base, undecodable=place.value.undecodable, encoding=encoding
            )
            if judged.problem is not None and record.row.role != "base":
                self._note(judged.problem, place.span()[0], place.found.reference)
            yield place, judged

    def _inner(self, number: int) -> tuple[Document, Value] | None:
        """The srcdoc document that a record holds, and the value that it is written in."""
        record = self._record(number)
        if record.row.syntax != "srcdoc":
            return None
        if self._depth >= self.options.srcdoc_depth:
            self._note("srcdoc-depth", record.start, f"{self.options.srcdoc_depth}")
            return None
        value = Value(self._data, record, self._working, xml=self.kind == "xml")
        line, _ = self.positions.of(record.tag_start)
        around = Envelope(
            base=self._linker.base_so_far(record),
            where=f"the document around the srcdoc of line {line}",
            parent=self.envelope,
        )
        inner = Document(value.text, envelope=around, options=self.options)
        inner._depth = self._depth + 1
        inner._elsewhere_outside = self._elsewhere
        return inner, value

    # Edits

    def _edits(self, number: int, counts: list[int]) -> list[Edit]:
        """What is written in place of one record; counts the references seen and rewritten."""
        record = self._record(number)
        if record.row.role == "base":
            return self._base_writer.edits(number, record)
        if record.row.syntax == "text" and not self.options.plain_text:
            return []
        nested = self._inner(number)
        if nested is not None:
            inner, value = nested
            position = code_points(inner._data)
            edits = []
            for start, end, text in inner._all_edits(counts):
                edits.append(
                    (
                        value.at(position(start)),
                        value.at(position(end)),
                        value.write(text.decode("utf-8", "surrogatepass")),
                    )
                )
            self._adopt(inner, value)
            return edits if record.quote else unemptied(record, edits)
        found: list[Edit] = []
        for place, judged in self._judged(number):
            counts[0] += place.found.kind != "fault"
            if judged.new is not None:
                counts[1] += 1
                found.append((*place.span(), place.write(judged.new)))
        return found

    def _all_edits(self, counts: list[int]) -> list[Edit]:
        if self.options.base_element == "insert" and self.kind == "html" and not self._depth:
            return self._insertion()
        return [edit for number in range(self._count()) for edit in self._edits(number, counts)]

    def _adopt(self, inner: Document, value: Value) -> None:
        """Takes over a srcdoc document's problems."""
        position = code_points(inner._data)
        for code, message, offset in inner._noted:
            self._noted.append((code, message, value.at(position(offset))))

    def _insertion(self) -> list[Edit]:
        if self.document_base.url is None:
            self._note("no-base", 0)
            return []
        return self._base_writer.insertion(self.document_base.url)

    @cached_property
    def _base_writer(self) -> BaseWriter:
        return BaseWriter(
            self._data, self._working, self._outline, self.document_base, self._first_base, self.options.base_element
        )

    # Results

    def at(self, url: str) -> Document:
        """The same document, retrieved from another URL. It is not scanned again."""
        other = Document(self.source.html, envelope=replace(self.envelope, url=url), options=self.options)
        other._outline = self._outline
        return other

    def convert(self) -> Conversion:
        """The document with absolute links, and what was done and noticed on the way."""
        counts = [0, 0]
        self._looked = True
        outline = self._outline
        looked_at = self.options.base_element == "insert" or self.envelope.saver.map_reference is not None
        if self.kind == "html" and isinstance(outline, Outline) and not looked_at:
            prefixes = plain_prefixes(self.options, self.document_base.url, elsewhere=self._elsewhere)
            splicer = Splicer(outline, prefixes, lambda number: self._edits(number, counts))
            data = splicer.run()
            counts[0] += splicer.seen
            counts[1] += splicer.rewritten
        else:
            data = splice(self._data, self._all_edits(counts))
        return Conversion(
            self.source.restore(data), counts[0], counts[1], self.problems, self.document_base, self.encoding.name
        )

    def absolutize(self, **fields: Unpack[OptionFields]) -> bytes | str:
        """The document with absolute links, of the type that came in.

        `fields`: those of `Options` that are to differ from the document's own this time.
        """
        if fields:
            other = Document(self.source.html, envelope=self.envelope, options=self.options, **fields)
            return other.convert().data
        return self.convert().data

    def rewrite(self, replace_link: Callable[[Link], str | None]) -> bytes | str:
        """The document with each link's reference replaced by what `replace_link(link)` returns; None leaves it."""
        edits = []
        unit = self.source.units()
        for link, (start, end), write in self._links(range(self._count())):
            new = replace_link(link._replace(start=unit(start), end=unit(end)))
            if new is not None and new != link.reference:
                edits.append((start, end, write(new)))
        return self.source.restore(splice(self._data, edits))

    @cached_property
    def links(self) -> list[Link]:
        """Every reference of the document, in document order, those of srcdoc documents included."""
        unit = self.source.units()
        found = self._links(range(self._count()))
        return [link._replace(start=unit(start), end=unit(end)) for link, (start, end), _write in found]

    @cached_property
    def survey(self) -> Survey:
        """The names that fragments can mean (with `Options.anchors`), and which records have the same reference."""
        outline = self._outline
        if self.kind == "html" and isinstance(outline, Outline):
            return Survey(outline)
        return one_by_one(self._data, [self._record(number) for number in range(self._count())])

    def is_srcdoc(self, number: int) -> bool:
        """Whether a record holds a document of its own."""
        return self._record(number).row.syntax == "srcdoc"

    def links_of(self, numbers: Iterable[int]) -> Iterator[Link]:
        """The links of some records, by their numbers in `survey`; spans are in bytes of `source.data`."""
        return (link for link, _span, _write in self._links(numbers))

    def _links(self, numbers: Iterable[int]) -> Iterator[tuple[Link, tuple[int, int], Callable[[str], bytes]]]:
        """Links with spans in the working data, and what writes a new URL in each one's place."""
        self._looked = True
        for number in numbers:
            nested = self._inner(number)
            if nested is not None:
                yield from self._inner_links(*nested)
                continue
            element = element_name(self._data, self._record(number), xml=self.kind == "xml")
            for place, judged in self._judged(number):
                if place.found.kind != "fault":
                    start, end = place.span()
                    yield self._link(element, start, end, place, judged), (start, end), place.write

    def _inner_links(
        self, inner: Document, value: Value
    ) -> Iterator[tuple[Link, tuple[int, int], Callable[[str], bytes]]]:
        position = code_points(inner._data)
        for link, (start, end), write in inner._links(range(inner._count())):
            outer = (value.at(position(start)), value.at(position(end)))
            line, column = self.positions.of(outer[0])
            moved = link._replace(start=outer[0], end=outer[1], line=line, column=column)
            yield moved, outer, partial(_write_inside, value, write)
        self._adopt(inner, value)

    def _link(self, element: str, start: int, end: int, place: Place, judged: Judged) -> Link:
        row = place.record.row
        line, column = self.positions.of(start)
        reference = place.found.reference
        return Link(element, *row[1:4], reference, judged.target, judged.base, start, end, line, column, judged.problem)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the document, in document order."""
        if not self._looked:
            deque(self._links(range(self._count())), maxlen=0)
        return self.noticed()

    def noticed(self) -> tuple[Problem, ...]:
        """The `problems` so far: a reference's is known once it was looked at."""
        if not self._noted and not self.encoding.problems:
            return ()
        unit = self.source.units()
        found = []
        for code, message, offset in sorted(set(self._noted), key=lambda noted: noted[2]):
            found.append(Problem(code, message, unit(offset), *self.positions.of(offset)))
        for code, message, offset in self.encoding.problems:
            found.append(Problem(code, message, offset, *self.positions.of(min(offset, len(self._data)))))
        return tuple(found)


def _write_inside(value: Value, write: Callable[[str], bytes], url: str) -> bytes:
    """The bytes that stand for `url` in a srcdoc document that `value` is."""
    return value.write(write(url).decode("utf-8", "surrogatepass"))
