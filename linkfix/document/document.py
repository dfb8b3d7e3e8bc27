"""The pipeline: bytes -> encoding -> outline -> base -> references -> decisions -> edits -> bytes."""

from __future__ import annotations

import sys
from _thread import get_ident  # threading's, without the time that its import takes
from _weakref import ref  # weakref's, likewise
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Generic, Self, Unpack, cast

from linkfix.document.base import (
    EMBEDDED,
    BaseElement,
    Policy,
    blocking_policy,
    decided_base,
    establish,
    fallback_base,
    header_policies,
    href_base,
    inherited,
)
from linkfix.document.base_element import (
    BaseWriter,
    base_decoys,
    base_elements,
    first_base_element,
    stated_policies,
)
from linkfix.document.budget import BASES, DELIMITERS, Budget, longest_base
from linkfix.document.decide import MESSAGE, Decider, Decision, check_arguments, resolver_of
from linkfix.document.header_lines import fit_lines, header_base, stated_urls
from linkfix.document.outlines import outline_of
from linkfix.document.references import Finder, Occurrence, Reference
from linkfix.document.source import Source
from linkfix.encodings.character_references import decode
from linkfix.encodings.encoding import STR, Encoding
from linkfix.html.syntaxes import SYNTAXES, Found
from linkfix.html.syntaxes.url import verbatim
from linkfix.html.values import Value, code_points
from linkfix.html.vocabulary import (
    FALLBACK_ENCODING,
    HEADER_KINDS,
    LISTED_SYNTAXES,
    ON_REQUEST,
    WITHOUT_MARKUP,
    is_canonical,
    is_parsed_at_once,
    records_without_markup,
    row_index,
)
from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.columns import LinkColumns
from linkfix.kernels.outline import Outline, Record
from linkfix.kernels.positions import Positions
from linkfix.kernels.splicer import Edit, Splicer, keep_nonempty, splice
from linkfix.lazy import cached_value
from linkfix.model import (
    ANY_DIALECT,
    DEFAULT_OPTIONS,
    DOCUMENT_KEYWORDS,
    DOCUMENT_KINDS,
    PROBLEMS,
    Base,
    Conversion,
    DocumentKind,
    Envelope,
    Html,
    Link,
    MarkdownDialect,
    OptionFields,
    Options,
    Problem,
    make_options,
)
from linkfix.urls import excerpt

if TYPE_CHECKING:
    from linkfix.document.import_maps import ImportMaps
    from linkfix.document.outlines import AnyOutline
    from linkfix.html.json_feed import JsonFeedOutline
    from linkfix.html.xml_outline import XmlOutline

#: The syntaxes whose values are documents, or HTML that programs read as a part of the page -> a word for messages.
DOCUMENTS = {"srcdoc": "srcdoc", "html": "content", "conditional-comment": "comment"}

#: The places of documents whose BASE elements count; "" is none. Others belong to no page: programs ignore their BASE.
_WITH_BASES = frozenset({"", "srcdoc"})

#: The number of records, and the size of a record in bytes. If a document has more than `_MANY` records and they are
#: larger than the document, its outline is dropped before splicing; it can be rebuilt.
_MANY, _RECORD = 1 << 14, 40


class Document(Generic[Html]):
    """One document: its base, its links, and its conversion to absolute links.

    `html`: bytes, or a str. The links of a str are resolved as in a UTF-8 document, and its spans count code points.
    `url`: the retrieval URL, after redirects. `charset`: the transport's encoding label. `media_type`: text/html, or
    another key of `linkfix.model.DOCUMENT_KINDS`. `default_base`: the base of last resort. `content_security_policy`:
    the value of the transport's header field. `envelope`: replaces all of these, and adds the enclosing entities.
    `options`: the options. `fields`: fields of `Options` that replace the fields in `options`.

    A document's faults never raise: they are `problems`. Raises InvalidBase for a URL that is not absolute,
    UnknownCharset, UnknownSpec and InvalidOption.
    """

    options: Options
    """The options for resolving and rewriting references."""
    envelope: Envelope
    """The facts about the document from outside."""
    kind: DocumentKind
    """The kind of document, which decides whose syntax rules hold; see `linkfix.model.DOCUMENT_KINDS`."""
    source: Source[Html]
    """The document as it came, and its working bytes."""
    encoding: Encoding
    """The document's character encoding, and the source that decided it."""
    budget: Budget | None = None
    """The limits on checking references; None: no limits. Set it before any other use of the document."""
    ask_longest_base: Callable[[], int] | None = None
    """Returns the maximum length of a base in characters, if an enclosing document or tree limits it. None: the limit
    follows from this document's own references.
    """
    wikilinks: str = ""
    """The program whose wikilinks are links in Markdown, as in `linkfix.auditing.model.AuditOptions`; "" for none."""
    dialect: MarkdownDialect = ANY_DIALECT
    """The dialect of Markdown."""
    _inherited_policies: Sequence[Policy] = ()
    """The policies of the enclosing documents, for a srcdoc document."""
    _inner_syntax = ""
    """For a document in another document, the syntax of its place; "" for any other."""
    _depth = 0
    """The number of enclosing documents, for a srcdoc document."""
    _references_seen = False
    """Whether every reference was checked, so that its problems are noted. Another thread may ask at any time."""

    def __init__(
        self,
        html: Html,
        *,
        url: str | None = None,
        charset: str | None = None,
        media_type: str | None = None,
        default_base: str | None = None,
        content_security_policy: str | None = None,
        envelope: Envelope | None = None,
        options: Options | None = None,
        **fields: Unpack[OptionFields],
    ) -> None:
        chosen = DEFAULT_OPTIONS if options is None else options
        chosen = make_options(fields, DOCUMENT_KEYWORDS, chosen) if fields else chosen
        facts = envelope or Envelope(
            url, charset, media_type, default=default_base, content_security_policy=content_security_policy
        )
        check_arguments(facts, chosen)
        self._begin(html, facts, chosen)

    @classmethod
    def of_checked(cls, html: Html, envelope: Envelope, options: Options) -> Self:
        """The document with an envelope and options that are checked already: small pages show the time of that."""
        document = cls.__new__(cls)
        document._begin(html, envelope, options)
        return document

    def _begin(self, html: Html, envelope: Envelope, options: Options) -> None:
        self.options = options
        self.envelope = envelope
        self._resolver = resolver_of(options)
        self.kind = DOCUMENT_KINDS[envelope.media_type.lower()] if envelope.media_type else "html"
        self.source = Source(html, self.kind, envelope.charset, envelope.identified_charset)
        self.encoding = self.source.encoding
        self._data: bytes = self.source.data
        self._working: Encoding = self.source.working
        self._noted: list[tuple[str, str, int]] = []
        self._positions: dict[int, Positions] = {}
        if self.source.fault and self.encoding.name != "replacement":
            self._note(self.source.fault, 0, self.encoding.name if self.source.fault == "encoding-round-trip" else "")

    def _note(self, code: str, offset: int, detail: str = "") -> None:
        message = f"{PROBLEMS[code]}: {detail}" if detail else PROBLEMS[code]
        self._noted.append((code, message, offset))

    @cached_value
    def _outline(self) -> AnyOutline:
        if self.kind == "html":
            return Outline(row_index(self.options), self._data, 0, self.options.scripting == "on")
        values = self._data, self.source.start, self._working, self.options, self._resolver
        is_mdx = self.envelope.media_type == "text/mdx"
        outline = outline_of(self.kind, *values, is_mdx=is_mdx, wikilinks=self.wikilinks, dialect=self.dialect)
        self._note_faults(outline)
        return outline

    def _note_faults(self, outline: AnyOutline) -> None:
        """Note the parts of the document that could not be read."""
        for code, offset, detail in () if isinstance(outline, Outline) or not self._data else outline.faults:
            self._note(code, offset, detail)

    @cached_value
    def base(self) -> Base:
        """The document's base URL, the layer that gave it, and every other candidate with its reason.

        The candidates include text that only looks like a BASE element (at most the first hundred).
        """
        seen = {self._outline.record(number).tag_start for number in self._outline.bases}
        seen |= {original.start for original in self.envelope.saver.bases}
        decoys = base_decoys(self._data, self._working, seen, self.positions)
        base = self.document_base
        return base._replace(rejected=base.rejected + tuple(decoys)) if decoys else base

    @cached_value
    def document_base(self) -> Base:
        """`base`, without candidates that only look like a BASE element."""
        base = self.decided_base
        if not self._has_bases:
            return base
        elements = (element for _, element in self._base_elements(self.positions))  # there can be very many
        return establish(elements, self.envelope, self._resolver, self.encoding.name, self._policies)

    @cached_value
    def decided_base(self) -> Base:
        """The base of the document. With BASE elements, `rejected` is empty and `where` may be; see `document_base`."""
        if self.kind == "header":
            return header_base(stated_urls(self._whole, self._finder), self.envelope, self._resolver)
        envelope = self.envelope
        if self.kind == "json-feed":  # its own values state bases
            envelope = envelope._replace(stated=envelope.stated + cast("JsonFeedOutline", self._outline).stated)
        fallback = fallback_base(envelope, self._resolver)
        if not self._has_bases:
            return fallback
        number, first = self._first_base
        base, reason = decided_base(first, fallback, envelope, self._resolver, self.encoding.name, self._policies)
        if first is not None and (reason or base.problem is not None):
            self._note(base.problem or "base-unusable", self._outline.record(number).start, reason)
        return base

    @property
    def _has_bases(self) -> bool:
        """Whether the document has BASE elements with an href, or had them before it was saved."""
        # no field of HTTP sets a base (RFC 9110 §8.7, RFC 8288 §3.2, Fetch)
        return self.kind not in HEADER_KINDS and bool(self._outline.bases or self.envelope.saver.bases)

    @cached_value
    def _policies(self) -> Sequence[Policy]:
        """The policies that hold for BASE elements, without the response's own policies."""
        if not self._outline.policies:
            return self._inherited_policies
        return [*self._inherited_policies, *stated_policies(self._outline, self._finder, self.positions)]

    @property
    def policy_tags(self) -> list[int]:
        """The offsets in the working data of META elements that state a Content-Security-Policy."""
        return [tag_start for tag_start, *_ in self._outline.policies]

    def _base_elements(self, positions: Positions | None) -> Iterator[tuple[int, BaseElement]]:
        return base_elements(self._outline, self._finder, positions, self.envelope, self.options.base_element)

    @cached_value
    def _first_base(self) -> tuple[int, BaseElement | None]:
        """The first BASE element that can count, without its place in words, and the index of its record, or -1."""
        return first_base_element(self._base_elements(None))

    def _first_base_stays(self, number: int) -> bool:
        """Whether record `number` is the BASE element that decides, and stays as it is."""
        first, element = self._first_base
        return number == first and element is not None and self.decider.leaves_base(element.href)

    @cached_value
    def _finder(self) -> Finder:
        fallback = None
        if self.kind in HEADER_KINDS and self.encoding.source == "default":
            fallback = FALLBACK_ENCODING
        xml, escapes = self.kind == "xml", self.options.escape_ampersands
        in_comment = self._inner_syntax == "conditional-comment"
        return Finder(
            self._data,
            self._working,
            self.source.output,
            xml=xml,
            json=self.kind == "json-feed",
            escapes=escapes,
            in_comment=in_comment,
            fallback=fallback,
        )

    @cached_value
    def decider(self) -> Decider:
        """The decider for the document's references."""
        return Decider(
            self.options,
            self.decided_base,
            self.envelope,
            query_encoding=self._query_encoding,
            longest_base=self._ask_longest_base(),
        )

    @cached_value
    def _query_encoding(self) -> str:
        """The encoding of queries in attributes: the document's encoding in HTML, XHTML and SVG, as in browsers.

        References in feeds and similar XML are IRIs (RFC 4287 §2), and Markdown is not a page yet: both use UTF-8.
        """
        if self.kind == "xml":
            return "utf-8" if cast("XmlOutline", self._outline).is_data else self.encoding.name
        return self.encoding.name if self.kind == "html" else "utf-8"

    def _ask_longest_base(self) -> Callable[[], int]:
        """Return a function for `_longest_base`. A weak reference keeps it from holding the document in a cycle."""
        if self.ask_longest_base is not None:
            return self.ask_longest_base
        document = ref(self)
        return lambda: BASES if (asked := document()) is None else asked._longest_base

    @cached_value
    def _longest_base(self) -> int:
        """The maximum length of a base, in characters, if the target of each reference repeats it."""
        count = 1
        for number in range(self._count()):
            record = self._record(number)
            if record.row.syntax in DOCUMENTS:
                value = self._data[record.start : record.end]
                # an upper bound of the number of references
                count += len(value) - len(value.translate(None, DELIMITERS.encode()))
            else:
                count += sum(1 for _ in self._finder.references(record, self._decoded(number)))
        return longest_base(count, len(self._data), BASES)

    def _decoded(self, number: int) -> str | None:
        """The value of a record if its outline has decoded it, else None."""
        return None if isinstance(self._outline, Outline) else self._outline.decoded.get(number)

    @property
    def positions(self) -> Positions:
        """The lines and columns of `source.data`, one object per thread, since it remembers the last offset."""
        thread = get_ident()
        found = self._positions.get(thread)
        if found is None:
            found = self._positions[thread] = Positions(self._data, self._working)
        return found

    def _count(self) -> int:
        return len(self._whole) if self.kind in WITHOUT_MARKUP else self._outline.count

    def _record(self, number: int) -> Record:
        return self._whole[number] if self.kind in WITHOUT_MARKUP else self._outline.record(number)

    @cached_value
    def _whole(self) -> list[Record]:
        """The records of a document without markup."""
        return records_without_markup(self.kind, self._data, self.source.start)

    @cached_value
    def import_maps(self) -> ImportMaps:
        """The import maps of a page."""
        from linkfix.document.import_maps import ImportMaps  # few documents have modules

        found = ImportMaps(self._resolver)
        for number in range(0 if self.kind in WITHOUT_MARKUP else self._count()):
            record = self._record(number)
            if record.row.syntax == "importmap" and not record.in_template:
                base = self.decider.base_for(record.row, keeps_fallback=self._keeps_fallback(record))
                if base:
                    found.add(self._finder.value(record).text, base)
        return found

    def _keeps_fallback(self, record: Record) -> bool:
        """Whether a record's references are parsed before the parser comes to the BASE element that decides."""
        return record.tag_start < self.decided_base.start and is_parsed_at_once(
            record.row, partial(self._finder.attribute, record)
        )

    def _is_parsed_before_base(self, number: int) -> bool:
        """`_keeps_fallback`, for an HTML record before the BASE element that decides."""
        outline = cast("Outline", self._outline)
        row = row_index(self.options).rows[outline.row_number(number)]
        return is_parsed_at_once(row, partial(self._finder.attribute_at, outline.tag_start(number)))

    @cached_value
    def records_before_base(self) -> int:
        """The number of HTML records before the BASE element that decides: they can have either of two bases."""
        base, outline = self.decided_base, self._outline
        if base.start < 0 or base.url == base.fallback or not isinstance(outline, Outline):
            return 0
        return bisect_left(range(outline.count), base.start, key=outline.tag_start)

    def _own_bases(self, number: int) -> tuple[str, ...]:
        """The values of `xml:base` that apply to a record, outermost first."""
        outline = self._outline
        return () if isinstance(outline, Outline) else outline.own_bases.get(number, ())

    def _decisions(self, number: int) -> Iterator[tuple[Reference, Decision]]:
        """The references of one record, without the references of inner documents."""
        record = self._record(number)
        row = record.row
        if row.syntax in DOCUMENTS:
            return
        own_bases = self._own_bases(number)
        decider = self.decider
        codebase = self._finder.attribute(record, "codebase") if row.role == "code" else None
        keeps_fallback = self._keeps_fallback(record)
        base = decider.base_for(row, keeps_fallback=keeps_fallback, own_bases=own_bases, codebase=codebase)
        decided = self._decided(record, base, self._finder.references(record, self._decoded(number)))
        if row.syntax == "importmap":
            from linkfix.document.import_maps import with_keys_in_values  # few documents have an import map

            decided = with_keys_in_values(decided)
        for reference, decision in decided:
            if decision.problem is not None and row.role != "base":
                self._note(decision.problem, reference.span()[0], reference.found.reference)
            if self.budget is not None:
                self.budget.spend(decision.target)
            yield reference, decision

    def _decided(
        self, record: Record, base: str | None, references: Iterable[Reference]
    ) -> Iterator[tuple[Reference, Decision]]:
        """The references of one record, each with its decision."""
        row = record.row
        if self.options.locate is not None and is_canonical(row, partial(self._finder.attribute, record)):
            row = row._replace(role="identifier")
        for reference in references:
            found = reference.found
            place = row._replace(role=found.role) if found.role else row
            decision = self.decider.decide(found, place, base, damage=reference.value.damage)
            if place.role == "module" and self.kind not in WITHOUT_MARKUP and base and self.import_maps:
                decision = Decision(self.import_maps.resolve(found.reference, base), base)
            new = decision.new
            if new is not None and not new.isascii() and not reference.can_write_host(new):
                decision = decision._replace(problem="host-unwritable", new=None)
            yield reference, decision

    def references(self, element: str | None = None) -> Iterator[tuple[Reference, Decision]]:
        """Every reference with its place in the working data, and its decision. The references of inner documents are
        omitted.

        `element`: the element name whose rows of the vocabulary to use; None: all rows.
        """
        for number in range(self._count()) if element is None else self._numbers_of(element):
            yield from self._decisions(number)

    def _numbers_of(self, element: str) -> list[int]:
        """The indexes of the records in an element's rows of the vocabulary."""
        outline = self._outline
        numbers = range(self._count())
        if self.kind in WITHOUT_MARKUP or not isinstance(outline, Outline):
            return [number for number in numbers if self._record(number).row.element == element]
        rows = {number for number, row in enumerate(row_index(self.options).rows) if row.element == element}
        return [number for number in numbers if outline.row_number(number) in rows]

    def _problems_so_far(self) -> tuple[Problem, ...]:
        """The `problems` known so far: a reference's problem is known once the reference was checked."""
        if not self._noted and not self.encoding.problems:
            return ()
        unit = self.source.units()
        found = []
        for code, message, offset in sorted(dict.fromkeys(self._noted), key=lambda noted: noted[2]):
            found.append(Problem(code, message, unit(offset), *self.positions.of(offset)))
        for code, message, offset in self.encoding.problems:
            found.append(Problem(code, message, offset, *self.positions.of(min(offset, len(self._data)))))
        return tuple(sorted(found, key=lambda problem: problem.start))

    def with_url(self, url: str) -> Self:
        """The same document, retrieved from another URL."""
        return self._with(self.envelope._replace(url=url))

    def with_base(self, base: Base, *, fragments_leave_page: bool | None = None) -> Self:
        """The same document with a base that is known from elsewhere, whatever its markup and envelope say.

        `fragments_leave_page`: whether "#x" refers to another document; None: if a BASE element makes it so.
        """
        other = self._with(self.envelope)
        other.document_base = other.decided_base = base
        other.decider = Decider(
            self.options,
            base,
            self.envelope,
            query_encoding=self._query_encoding,
            fragments_leave_page=fragments_leave_page,
            longest_base=other._ask_longest_base(),
        )
        return other

    def _with(self, envelope: Envelope) -> Self:
        other = type(self)(self.source.html, envelope=envelope, options=self.options)
        other._outline = self._outline
        other._note_faults(self._outline)
        return other

    def _inner_document(self, number: int) -> tuple[Document[str], Value] | None:
        """Return the document that a record holds (a srcdoc, an entry's content), and the value that contains it."""
        record = self._record(number)
        if record.row.syntax not in DOCUMENTS or record.start == record.end:  # an empty srcdoc is frequent
            return None
        if self._depth >= self.options.srcdoc_depth:
            self._note("srcdoc-depth", record.start, f"{self.options.srcdoc_depth}")
            return None
        value = self._finder.value(record)
        line, _ = self.positions.of(record.tag_start)
        own_bases = self._own_bases(number)
        base = self.decider.base_for(record.row, keeps_fallback=self._keeps_fallback(record), own_bases=own_bases)
        syntax = record.row.syntax
        where = f"the document around the {DOCUMENTS[syntax]} of line {line}"
        policies = inherited(self.envelope, self._policies)
        options = self.options
        if options.locate is not None and (
            syntax == "html" or base not in {self.decided_base.url, self.decided_base.fallback}
        ):
            options = replace(options, locate=None)  # its references are relative to another base than the document's
        inner = inner_document(
            value.text, syntax, base, where, self.envelope, self.decider, self._depth + 1, policies, options
        )
        inner.budget, inner.ask_longest_base = self.budget, self._ask_longest_base()
        return inner, value

    # Edits

    def _edits(self, number: int, counts: list[int]) -> list[Edit]:
        """Return the edits of one record, and count the references seen and rewritten."""
        if self.kind == "html" and self._outline.bases and self._first_base_stays(number):
            counts[0] += 1
            return []
        record = self._record(number)
        if record.row.role == "base":
            edits = self._base_writer.edits(number, record) if self._inner_syntax in _WITH_BASES else []
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
        base_url = self.decided_base.url
        if not base_url or base_url.startswith(MESSAGE):
            missing = "message-base" if base_url else "no-base"
            if all(code != missing for code, _, _ in self._noted):
                self._note(missing, 0)
            return []
        url, reason = href_base(base_url.replace("{", "%7B"), None, self._resolver)  # a URL, not a template
        if url is not None and not self.decider.is_base_of_its_own(url):
            url, reason = None, f"{self._resolver.name} would resolve it against the document's own URL"
        if url is None:
            self._note("base-unusable", 0, f"{excerpt(base_url)}: {reason}")
            return []
        policy = blocking_policy(url, header_policies(self.envelope.content_security_policy), self.decider.document_url)
        if policy is not None and self.decided_base.problem != "base-blocked":
            self._note("base-blocked", 0, f"the Content-Security-Policy does not allow {excerpt(url)} ({policy})")
        edits = self._base_writer.insertion(url)
        counts[1] += len(edits) if self.decided_base.layer is EMBEDDED else 0
        return self._edits_before(edits[0][0] if edits else self.decided_base.start, counts) + edits

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

    @cached_value
    def _base_writer(self) -> BaseWriter:
        return BaseWriter(self._finder, self._outline, self.decider, self._first_base[0])

    # Results

    def _forget_outline(self) -> None:
        """Drop the outline to save memory. The document is scanned again if it is used again."""
        for name in ("_outline", "_base_writer"):
            self.__dict__.pop(name, None)

    def convert(self) -> Conversion[Html]:
        """Convert the document to absolute links. Returns the new document, the counts and the problems."""
        counts = [0, 0]
        base = self.document_base  # the conversion can drop the outline
        data = self._converted(counts)
        return Conversion(data, counts[0], counts[1], self._problems_so_far(), base, self.encoding.name)

    def _converted(self, counts: list[int]) -> Html:
        """The document with absolute links. `counts`: the numbers of references seen and rewritten, to add to."""
        data = self._edited(counts)
        self._references_seen = True
        return self.source.restore(data)

    def _edited(self, counts: list[int]) -> bytes:
        """The working data with absolute links."""
        outline = self._outline
        if self.kind == "html" and not outline.count and self.options.base_element != "insert":
            return self._data  # nothing to decide
        if self.kind == "html" and isinstance(outline, Outline) and self.options.base_element != "insert":
            decider = self.decider
            keeps = decider.keeps
            before_base = self.records_before_base
            splicer = Splicer(
                self._data,
                lambda number: self._edits(number, counts),
                keeps,
                decider.empty_is_written,
                decider.percent_encoder(self._working),
                before_base > 0 and decider.bases_share_root,
            )
            several, of_base = ByteSpans(self._working.name_if_trailing), decider.plain(keeps)
            of_fallback = decider.plain(keeps, of_fallback=True) if before_base else (None, None)
            splicer.run(outline, several, of_base, of_fallback, before_base, self._is_parsed_before_base)
            counts[0] += splicer.seen
            counts[1] += splicer.rewritten
            if outline.count > _MANY and outline.count * _RECORD > len(self._data):
                del outline
                self._forget_outline()
            return splicer.apply()
        return splice(self._data, self._all_edits(counts))

    def absolutize(self, **fields: Unpack[OptionFields]) -> Html:
        """The document with absolute links, in the type of the input.

        `fields`: fields of `Options` that replace the document's own options for this call.
        """
        if fields:
            other = Document(self.source.html, envelope=self.envelope, options=self.options, **fields)
            return other.absolutize()
        return self._converted([0, 0])

    def rewrite(self, replace_link: Callable[[Link], str | None]) -> Html:
        """The document with each link's reference replaced by the result of `replace_link(link)`; None leaves it."""
        if not callable(replace_link):
            given = type(replace_link).__name__
            message = f"rewrite takes a function of links, such as lambda link: link.target, not {given}"
            raise TypeError(message)
        edits = []
        ignored = set(self._outline.bases) if self.options.base_element == "ignore" else ()
        for link, ((start, end), write) in self._links(ignored):
            new = replace_link(link)
            if new is None or new == link.reference:
                continue
            if not isinstance(new, str):
                message = f"the function for links must return a str or None, not {type(new).__name__}"
                raise TypeError(message)
            edits.append((start, end, write(new)))
        self._references_seen = True
        return self.source.restore(splice(self._data, edits))

    @cached_value
    def links(self) -> list[Link]:
        """Every reference of the document and of its srcdoc documents, in document order."""
        if self.kind == "html" and not self._outline.count:
            self._references_seen = True
            return []
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
        columns = LinkColumns(
            data,
            self.positions if places else None,
            self._finder.element_at,
            self._note,
            self._links_of,
            self._link_of_url,
            self._link_of_part,
            is_wide,
            room,
            self._working.decode,
            self.decider.percent_encoder(STR),
        )
        outline = self._outline if self.kind == "html" else None
        if isinstance(outline, Outline):
            several, of_base = ByteSpans(self._working.name_if_trailing), self.decider.plain_links()
            of_fallback = self.decider.plain_links(of_fallback=True) if outline.bases else None
            before_base, parsed = self.records_before_base, self._is_parsed_before_base
            columns.gather(outline, several, of_base, of_fallback, before_base, parsed)
        else:
            for number in range(self._count()):
                for link in self._links_of(number):
                    columns.add(link)
        self._references_seen = True
        return columns

    def _links_of(self, number: int) -> list[Link]:
        """The links of one record, with spans in the working data."""
        record = self._record(number)
        if record.row.role == "base" and isinstance(self._outline, Outline):
            value = self._data[record.start : record.end]
            if value.isascii():
                link = self._link_of_url(number, record.start, value)
                line, column = self.positions.of(link.start)
                return [link._replace(line=line, column=column)]
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
        """The link of a reference in a record of HTML; its line is 0."""
        base = self.decided_base.url
        is_base = record.row.role == "base"
        if is_base or record.tag_start < self.decided_base.start:
            base = self.decider.base_for(record.row, keeps_fallback=self._keeps_fallback(record))
        decision = self.decider.decide(found, record.row, base)
        if decision.problem is not None and not is_base:
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

    def _links(self, ignored: Collection[int]) -> Iterator[tuple[Link, tuple[tuple[int, int], Callable[[str], bytes]]]]:
        """Yield each link with its span in the working data and the function that writes a new URL there.

        `ignored`: the numbers of records to leave out.
        """
        unit, tag_unit = self.source.units(), self.source.units()  # each is fast for increasing offsets
        for link, span, write in self._occurrences(number for number in range(self._count()) if number not in ignored):
            start, end = unit(span[0]), unit(span[1])
            yield link._replace(start=start, end=end, tag_start=tag_unit(link.tag_start)), (span, write)

    def _occurrences(self, numbers: Iterable[int]) -> Iterator[Occurrence]:
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
                    yield Occurrence(link, span, reference.write)

    def _inner_occurrences(self, inner: Document[str], value: Value) -> Iterator[Occurrence]:
        # Both are fast for increasing offsets; tags need a converter of their own.
        position, tag_position = code_points(inner._data), code_points(inner._data)
        tags = self._finder.value(value.record)
        for link, (start, end), write in inner._occurrences(range(inner._count())):
            first, last = position(start), position(end)
            span = value.span(first, last)
            tag_start = tags.at(tag_position(link.tag_start))
            line, column = self.positions.of(span[0])
            moved = link._replace(start=span[0], end=span[1], line=line, column=column, tag_start=tag_start)
            yield Occurrence(moved, span, partial(value.write_within, write, first, last))
        self._adopt_problems(inner, value)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The faults of the document, in document order."""
        if not self._references_seen:
            self.link_columns()
        return self._problems_so_far()


def inner_document(
    text: str,
    syntax: str,
    base: str | None,
    where: str,
    around: Envelope,
    decider: Decider,
    depth: int,
    policies: Sequence[Policy],
    options: Options,
) -> Document[str]:
    """The document in a srcdoc attribute or in an entry of a feed, or the HTML in a script or a comment.

    `text`: the document. `syntax`: the syntax of its place, of `DOCUMENTS`. `base`: the base URL of the enclosing
    document at its element. `where`: the source of `base`, in words. `around`: the envelope of the enclosing document.
    `decider`: the decider of the enclosing document. `depth`: the number of enclosing documents. `policies`: the
    policies that it inherits from them. `options`: its own options.
    """
    envelope = Envelope(base=base, where=where, parent=around, inherits_base_element=decider.fragments_leave_page)
    if around.saver.maps_inner:
        envelope = envelope._replace(saver=around.saver)
    if options.base_element == "ignore":  # that is for the document around it
        options = replace(options, base_element="keep")
    document = Document.of_checked(text, envelope, options)
    document._depth = depth
    document._inherited_policies = policies
    document._inner_syntax = syntax
    if syntax not in _WITH_BASES:
        document.document_base = document.decided_base = fallback_base(envelope, decider.resolver)
        document._query_encoding = decider.query_encoding
    return document
