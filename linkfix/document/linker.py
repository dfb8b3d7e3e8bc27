"""From a record of the outline to its references: decode, find, resolve, and decide what is written in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from linkfix.encodings.encoding import Encoding
from linkfix.errors import InvalidOption
from linkfix.html.charrefs import decode
from linkfix.html.outline import Record
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.found import Found
from linkfix.html.syntaxes.url import PLACEHOLDER
from linkfix.html.tokenizer import attributes
from linkfix.html.values import Value
from linkfix.model import Base, Options
from linkfix.resolvers import ExcessDots, Resolver, SameScheme, resolver
from linkfix.schemes.uses import SPECIAL

__all__ = ["READ_AT_ONCE", "Judged", "Linker", "Place", "element_name", "is_absolute_reference", "resolver_of"]

_SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]*):([/\\]{0,2})", re.IGNORECASE)
#: References that every resolver makes their own targets: no dot segments, nothing to encode, a host of plain labels.
#: A data: URL counts as such too, whatever it holds: some are megabytes.
_SETTLED = re.compile(
    r"https?://(?:(?!xn--)[a-z0-9-]+\.)+[a-z]{2,9}(?=/)(?![^?#]*(?:/\.|%2[eE]))[!#-&(-;=?-\[\]_a-z~]*\Z|data:"
)
#: Syntaxes whose URLs are parsed as soon as their element is (HTML §4.2.5.3, §4.12.1.1), against the base so far.
READ_AT_ONCE = frozenset({"refresh", "importmap", "speculationrules"})
_REMOVED = str.maketrans("", "", "\t\n\r")  # URL standard §4.4: the parser removes tab and newline
# The pieces of a foreign element's text: CDATA sections, and what stands between them and other markup.
_PIECES = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<[^>]*+>?|([^<]+)", re.DOTALL)


class Place(NamedTuple):
    """A reference in the document: the record and value that it stands in, and what its syntax found."""

    record: Record
    value: Value
    found: Found

    def span(self) -> tuple[int, int]:
        """The reference's bytes."""
        return self.value.at(self.found.start), self.value.at(self.found.end)

    def write(self, url: str) -> bytes:
        """The bytes that stand for `url` in this place."""
        text = self.found.escape(url)
        record = self.record
        if not text and not record.quote and not record.text and self.span() == (record.start, record.end):
            return b'""'  # an unquoted value cannot be empty
        return self.value.write(text)


class Judged(NamedTuple):
    """What a reference means: its target and the base it was resolved against; a problem's code; and `new`, the URL
    that is written in its place, or None where it stays as it is.
    """

    target: str | None
    base: str | None
    problem: str | None = None
    new: str | None = None


@lru_cache(maxsize=64)
def _resolver(
    spec: str, excess_dots: ExcessDots | None, same_scheme: SameScheme | None, fragments: str, base_element: str
) -> Resolver:
    if fragments not in {"keep", "absolutize"}:
        message = f"fragments={fragments!r}: it is 'keep' or 'absolutize'"
        raise InvalidOption(message)
    if base_element not in {"keep", "drop-href", "remove", "insert"}:
        message = f"base_element={base_element!r}: it is 'keep', 'drop-href', 'remove' or 'insert'"
        raise InvalidOption(message)
    return resolver(spec, excess_dots=excess_dots, same_scheme=same_scheme)


def resolver_of(options: Options) -> Resolver:
    """The resolver that `options` ask for. Raises UnknownSpec and InvalidOption."""
    return _resolver(options.spec, options.excess_dots, options.same_scheme, options.fragments, options.base_element)


def is_absolute_reference(reference: str) -> bool:
    """Whether a reference means the same against every base.

    "http:x" does not: where the base is http too, it is relative; so with every special scheme (URL standard §4.4).
    """
    match = _SCHEME.match(reference[:256].translate(_REMOVED))
    return match is not None and (match[1].lower() not in SPECIAL or len(match[2]) == len("//"))


class Linker:
    """Finds and judges the references of one document.

    `elsewhere`: a BASE element makes "#x" a reference to another document than the one that it stands in. `base_at`:
    where the BASE element that decides begins, 0 where none does. `map_reference`: see `linkfix.model.Saver`.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a document is
        self,
        data: bytes,
        encoding: Encoding,
        query_encoding: str,
        resolver: Resolver,
        options: Options,
        base: Base,
        document_url: str | None,
        *,
        elsewhere: bool = False,
        base_at: int = 0,
        xml: bool = False,
        map_reference: Callable[[str, str | None], str | None] | None = None,
    ) -> None:
        self.data = data
        self.encoding = encoding
        self.query_encoding = query_encoding
        self.resolver = resolver
        self.options = options
        self.base = base
        self.document_url = document_url
        self.xml = xml
        self.elsewhere = elsewhere
        self.base_at = base_at
        self.map_reference = map_reference

    def _attribute(self, record: Record, name: str) -> str | None:
        """The decoded value of another attribute of the record's tag."""
        for attribute in attributes(self.data, record.tag_start):
            if attribute.name == name:
                return decode(self.encoding.decode(self.data[attribute.start : attribute.end])).text
        return None

    def values(self, record: Record, text: str | None = None) -> Iterator[Value]:
        """The record's value; for a foreign element's text, one for each CDATA section and run of text."""
        if not (record.text and record.foreign):
            yield Value(self.data, record, self.encoding, xml=self.xml, text=text)
            return
        for match in _PIECES.finditer(self.data, record.start, record.end):
            for group, foreign in ((1, False), (2, True)):
                start, end = match.span(group)
                if start < end:
                    piece = record._replace(start=start, end=end, foreign=foreign)
                    yield Value(self.data, piece, self.encoding, xml=self.xml)

    def places(self, record: Record, text: str | None = None) -> Iterator[Place]:
        """The record's references; `text` is its decoded value where the XML parser alone knows that."""
        find = SYNTAXES[record.row.syntax]
        for value in self.values(record, text):
            for found in find(value.text) if text is None else _whole(find(text), text):
                yield Place(record, value, found)

    def base_so_far(self, record: Record) -> str | None:
        """The base at the time when a parser meets a record's element: a BASE that comes later does not count yet."""
        return self.base.fallback if record.tag_start < self.base_at else self.base.url

    def base_of(self, record: Record, own: str | None) -> str | None:
        """The base that a record's references are resolved against; `own` is what xml:base makes of the document's."""
        base = own or (self.base_so_far(record) if record.row.syntax in READ_AT_ONCE else self.base.url)
        if record.row.role != "code":
            return base
        # HTML 4.01 §13.3: object's and applet's codebase
        codebase = self._attribute(record, "codebase")
        target = self.resolver.resolve(base, codebase, self.query_encoding).target if codebase else None
        return target if target and self.resolver.is_absolute(target) else base

    def judge(
        self, found: Found, role: str, base: str | None, *, undecodable: bool = False, encoding: str | None = None
    ) -> Judged:
        """What a reference means, and what is to be written in its place.

        `undecodable`: its value has bytes that are not valid in the document's encoding. `encoding`: the one that the
        reference's query is written in, if it is not the document's.
        """
        reference = found.reference
        if found.kind == "fault":
            return Judged(None, base, found.problem)
        if found.kind == "local":
            url = self.document_url or base
            return Judged(self.resolver.resolve(url, reference, self.query_encoding).target if url else None, url)
        if not reference:
            return self._judge_empty(role, base)
        if found.kind == "abbreviated":
            from linkfix.text import complete  # noqa: PLC0415 - of plain text alone

            target = self.resolver.resolve(None, complete(reference) or reference).target
            return Judged(target, None, found.problem if target else "unresolvable", None if found.problem else target)
        if not self.options.normalize and _SETTLED.match(reference):
            return Judged(reference, base, found.problem)
        judged = self._judge_url(reference, base, encoding or self.query_encoding)
        if judged.problem is None and found.problem is not None:
            new = None if found.problem == "hyphen-at-line-end" else judged.new  # what it is, a reader has to say
            return judged._replace(problem=found.problem, new=new)
        if judged.problem is None and undecodable and "\ufffd" in reference:
            return judged._replace(problem="undecodable")
        return judged

    def _judge_url(self, reference: str, base: str | None, encoding: str) -> Judged:
        """What a reference that is not empty means."""
        absolute = is_absolute_reference(reference)
        if not absolute and PLACEHOLDER.search(reference):
            return Judged(None, base, "template-syntax")
        mapped = self.map_reference(reference, base) if self.map_reference is not None and not absolute else None
        if mapped == "":
            return Judged(None, base)
        resolution = self.resolver.resolve(base, reference if mapped is None else mapped, encoding)
        target = resolution.target
        if target is None:
            # "#top" means this document whether or not its URL is known.
            return Judged(None, base, None if base is None and reference.startswith("#") else resolution.problem)
        new: str | None = target
        if absolute:
            new = target if self.options.normalize else None
        elif resolution.same_document or reference.startswith("#"):
            new = target if self.elsewhere or self.options.fragments == "absolutize" else None
        elif self.options.keep is not None and self.options.keep(target):
            new = None
        if new is not None and self.options.normalize:
            new = self.resolver.normalize(new)
        return Judged(target, base, None, None if new == reference else new)

    def _judge_empty(self, role: str, base: str | None) -> Judged:
        """An empty reference: a hyperlink's is the base, a form's the document, and for others nothing is fetched.

        URL standard; HTML §4.10.22.3 step 12.
        """
        if role in {"hyperlink", "base"}:
            target = self.resolver.resolve(base, "", self.query_encoding).target if base else None
        else:
            target = self.document_url or base if role == "form" else None
        leaves = self.options.base_element in {"drop-href", "remove"} and self.elsewhere and role == "hyperlink"
        wanted = leaves or self.options.fragments == "absolutize"
        return Judged(target, base, None, target if wanted and target else None)


def _whole(found: list[Found], text: str) -> list[Found]:
    """The only reference of a value whose parts have no places of their own: it is written with all of the value."""
    if len(found) != 1:
        return []
    one = found[0]
    before, after = text[: one.start], text[one.end :]
    return [one._replace(start=0, end=len(text), escape=lambda url: f"{before}{one.escape(url)}{after}")]


def element_name(data: bytes, record: Record, *, xml: bool) -> str:
    """The name of a record's element, lower case, without prefix in XML; the vocabulary's where that is one."""
    if record.row.element != "*":
        return record.row.element
    end = record.tag_start + 1
    stops: Sequence[int] = b"\t\n\f\r />"
    while end < len(data) and data[end] not in stops:
        end += 1
    name = data[record.tag_start + 1 : end].lower().decode("utf-8", "replace")
    return name.rpartition(":")[2] if xml else name
