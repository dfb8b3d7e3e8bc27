"""New data for the entities of a message: bodies in their own transfer encoding, and header fields that describe them.

A line of 7bit or 8bit data has 998 bytes at most (RFC 5322 §2.1.1, RFC 2045 §2.7-§2.8), and 7bit data is ASCII. Where
that would be so no longer, the body is written in quoted-printable, and the header says so.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from linkfix.common_prefix import common_prefix
from linkfix.containers.body_headers import BODY_HEADERS, BodyCoverage, renew_body_headers
from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.mime_entities import Entity
from linkfix.containers.mime_quoted_printable import to_quoted_printable
from linkfix.containers.mime_signatures import Signature, breaks_cleartext, find_signatures
from linkfix.containers.mime_transfer import IDENTITY, TRANSFER_ENCODINGS
from linkfix.containers.part import Report
from linkfix.containers.pieces import count_lines
from linkfix.containers.window import Window, WindowSpan
from linkfix.named_tuple import NamedTuple

__all__ = ["Edit", "MessageWriter"]

_ENCODING = "content-transfer-encoding"
_LENGTH = "content-length"
#: The fields that describe the body of a MIME entity, where Content-Encoding has no meaning (RFC 2045 §6).
_DESCRIBING = [name for name, row in BODY_HEADERS.items() if row.covers is not BodyCoverage.CODINGS]
_EMPTY_LINE_AT_END = re.compile(rb"(?:\A|\n)\r?\n\Z")


class Edit(NamedTuple):
    """What is written in place of a span of the message, which has bytes from `start` to `end`."""

    start: int
    end: int
    pieces: Iterable[bytes]


class _WrittenEntity(NamedTuple):
    """An entity with new data."""

    header: bytes
    body: Window
    fields: frozenset[bytes]
    """The header fields that were changed, in lower case."""


class _Unwritable(Exception):
    """An entity cannot have the new data; its text says why."""


class MessageWriter:
    """Gives entities of one message new data."""

    def __init__(  # noqa: PLR0913 - a message, and what is done with it
        self,
        raw: Window,
        entities: list[Entity],
        name: Callable[[int], str],
        report: Report,
        file: BinaryIO,
        *,
        may_break: bool,
    ) -> None:
        """`name` gives what messages call the entity of an index. `file`: has a new body for a while. `may_break`: see
        `Limits.break_signatures`.
        """
        self._raw = raw
        self._file = file
        self._entities = entities
        self._name = name
        self._report = report
        self._may_break = may_break
        self._signatures = find_signatures(raw, entities)
        self._broken: set[Signature] = set()
        #: Index of an entity in which another changed -> its header without Content-Length; None where it has none.
        self._shortened: dict[int, bytes | None] = {}

    def rewrite(self, index: int, old: bytes, new: bytes) -> list[Edit]:
        """The edits of the message that give an entity `new` data in place of `old`, in order. Read them before the
        next call. Those of the headers of enclosing entities come first, and are repeated for each entity in these.

        None, with a problem, where the entity has to stay as it is.
        """
        entity = self._entities[index]
        told: list[tuple[str, str]] = []
        try:
            made = self._write(index, old, new, lambda *one: told.append(one))
            self._check_framing(index, made.body)
        except _Unwritable as reason:
            self._report("mime-left-alone", f"{self._name(index)}: {reason}", entity.body)
            return []
        headers = {outer: header for outer in self._around(index) if (header := self._shorten(outer)) is not None}
        fields = dict.fromkeys(headers, frozenset({_LENGTH.encode()})) | {index: made.fields}
        broken = list(self._broken_by(index, made, fields))
        if breaks_cleartext(old, new):
            broken.append(Signature("an OpenPGP cleartext signature", index, entity.end))
        if broken and not self._may_break:
            names = ", ".join(map(self._describe, broken))
            self._report("part-signed", f"{self._name(index)}: {names}", entity.body)
            return []
        for signature in broken:
            if signature not in self._broken:
                self._broken.add(signature)
                self._report("signature-broken", self._describe(signature), self._entities[signature.owner].start)
        for code, detail in told:
            self._report(code, f"{self._name(index)}: {detail}", entity.start)
        edits = sorted(Edit(*self._header_span(outer), (header,)) for outer, header in headers.items())
        start, body = self._header_span(index)
        if made.header != self._raw.read(start, body - start):
            edits.append(Edit(start, body, (made.header,)))
        # An empty body may share the empty line with the delimiter, to which the line end belongs.
        shares = made.body.size and self._raw.read(entity.end, 2) == b"--"
        last = (WindowSpan(self._raw, start, body).line_end(),) if shares else ()
        return [*edits, Edit(body, entity.end, chain(made.body.pieces(0, made.body.size), last))]

    def _header_span(self, index: int) -> tuple[int, int]:
        return self._entities[index].start, self._entities[index].body

    def _header(self, index: int) -> bytes:
        return WindowSpan(self._raw, *self._header_span(index)).read()

    def _store(self, pieces: Iterable[bytes]) -> Window:
        """See `linkfix.containers.mime_transfer.Store`."""
        self._file.seek(0)
        self._file.truncate()
        for piece in pieces:
            self._file.write(piece)
        return Window(self._file)

    def _around(self, index: int) -> Iterator[int]:
        """The entities that enclose one, outward."""
        while (index := self._entities[index].parent) >= 0:
            yield index

    def _describe(self, signature: Signature) -> str:
        return f"{signature.name} of {self._name(signature.owner)}"

    def _write(self, index: int, old: bytes, new: bytes, tell: Callable[[str, str], None]) -> _WrittenEntity:
        """An entity with new data. Raises `_Unwritable`."""
        entity = self._entities[index]
        header, old_body = self._header(index), WindowSpan(self._raw, entity.body, entity.end)
        block = _fields_of(header)
        values: dict[str, str | None] = {}
        body = TRANSFER_ENCODINGS[entity.transfer].rewrite(old_body, old, new, self._store)
        if body is None:
            self._check_encodable(index, header, block)
            body = self._store(to_quoted_printable(new, old_body.line_end()))
            values[_ENCODING] = "quoted-printable"
        stated = {name: ", ".join(block.all(name)) for name in _DESCRIBING if block.all(name)}
        values |= renew_body_headers(stated, [old], new, tell)
        if _LENGTH in stated:
            # MIME has no such field. Mailboxes count the encoded body in it, and HTTP the data.
            lengths = {str(len(old)): str(len(new)), str(entity.end - entity.body): str(body.size)}
            values[_LENGTH] = lengths.get(stated[_LENGTH])
        made = block.edit(values)[1:] if values else header
        if header.strip() and not made.strip():
            reason = "no field of its header would be left"
            raise _Unwritable(reason)
        return _WrittenEntity(made, body, frozenset(name.encode() for name in values))

    def _check_encodable(self, index: int, header: bytes, block: HeaderBlock) -> None:
        """Raise `_Unwritable` where an entity's transfer encoding cannot become quoted-printable."""
        entity = self._entities[index]
        reason = f"the new data cannot be written in its {entity.transfer}"
        if entity.transfer not in IDENTITY:
            raise _Unwritable(reason)
        obstacles = {
            f"{entity.media_type} cannot be encoded (RFC 2045 §6.4)": entity.media_type.startswith(
                ("multipart/", "message/")
            ),
            "no empty line ends its header": not _EMPTY_LINE_AT_END.search(header),
            "it has no MIME-Version (RFC 2045 §4)": entity.is_message(index) and not block.first("mime-version"),
        }
        for obstacle, stands in obstacles.items():
            if stands:
                reason += f", nor in quoted-printable: {obstacle}"
                raise _Unwritable(reason)

    def _check_framing(self, index: int, body: Window) -> None:
        """Raise `_Unwritable` where the message would have other entities with this body."""
        entity = self._entities[index]
        boundaries = (self._entities[outer].boundary for outer in self._around(index))
        delimiters = [b"--" + boundary for boundary in boundaries if boundary]
        before = count_lines(self._raw.pieces(entity.body, entity.end), delimiters)
        if any(map(operator.gt, count_lines(body.pieces(0, body.size), delimiters), before)):
            reason = "the new data has a delimiter of the message"
            raise _Unwritable(reason)
        # Only markup is sure to be no continuation of a header without an empty line.
        if not _EMPTY_LINE_AT_END.search(self._header(index)) and body.read(0, 1) != b"<":
            reason = "no empty line ends its header"
            raise _Unwritable(reason)

    def _shorten(self, index: int) -> bytes | None:
        """The header of an entity in which another changed, without the Content-Length that is wrong then."""
        if index not in self._shortened:
            block = _fields_of(self._header(index))
            self._shortened[index] = block.edit({_LENGTH: None})[1:] if block.all(_LENGTH) else None
        return self._shortened[index]

    def _broken_by(self, index: int, made: _WrittenEntity, fields: dict[int, frozenset[bytes]]) -> Iterator[Signature]:
        """The signatures that cover a byte that changes. `fields`: index of an entity -> its changed header fields."""
        if not self._signatures:
            return
        entity = self._entities[index]
        first = self._first_change(entity, made.body)
        for owner in (index, *self._around(index)):
            changed = fields.get(owner)
            for signature in self._signatures.get(owner, ()):
                if first < signature.end or (changed and changed & signature.fields):
                    yield signature
            if changed:
                first = self._entities[owner].start

    def _first_change(self, entity: Entity, body: Window) -> int:
        """Where an entity's body differs first from the new one, in bytes of the file."""
        at = 0
        for piece in body.pieces(0, body.size):
            start = entity.body + at
            same = common_prefix(piece, self._raw.read(start, min(len(piece), entity.end - start)))
            at += same
            if same < len(piece):
                break
        return entity.body + at


def _fields_of(header: bytes) -> HeaderBlock:
    """The fields of a header, whose block in the result begins with a line end: MIME has no start line."""
    return HeaderBlock(b"\n" + header)
