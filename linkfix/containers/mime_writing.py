"""Rewriting of the entities of a message: new bodies and headers as edits, and the signatures that they would break.

A change that would break a signature (DKIM, ARC, S/MIME, OpenPGP) is refused, unless the caller allows it. A body is
written in its own transfer encoding.

A line of 7bit or 8bit data has at most 998 bytes (RFC 5322 §2.1.1, RFC 2045 §2.7-§2.8), and 7bit data is ASCII. If the
new data would violate these rules, the body is written in quoted-printable, and the header is updated.
"""

from __future__ import annotations

import operator
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO, NamedTuple

from linkfix.comparison import common_prefix
from linkfix.containers.http_body import BODY_HEADERS, BodyCoverage, HeaderBlock, renew_body_headers
from linkfix.containers.mime_entities import Entity
from linkfix.containers.mime_transfer import IDENTITY, TRANSFER_ENCODINGS, to_quoted_printable
from linkfix.containers.part import Report
from linkfix.containers.pieces import count_lines, split_lines
from linkfix.files.window import Window, WindowEdit, WindowSpan
from linkfix.html.vocabulary import ANY_FIELD

# Signatures of mail, and the bytes of a message that they cover. Nothing is verified, because the keys are elsewhere.
#
# - DKIM (RFC 6376), ARC (RFC 8617) and DomainKeys (RFC 4870): fields of a message's header. They cover the message's
#   body, and the header fields in the tag h=. With the tag l= (RFC 6376 §3.5), they cover only the first l bytes of the
#   body.
# - S/MIME (RFC 8551) and PGP/MIME (RFC 3156): a multipart/signed. Its first part is covered, with the part's header.
#   Its second part is the signature. Mailing lists and gateways leave signatures elsewhere, which may cover any part
#   beside them.
# - S/MIME's application/pkcs7-mime (RFC 8551 §3.2): the data contains the signed or encrypted entity.
# - Cleartext signatures of OpenPGP (RFC 9580 §7): the lines between two armor headers of a text.


#: A mapping of the fields of header signatures, in lower case, to their names in messages.
_FIELDS = {
    "dkim-signature": "DKIM-Signature",
    "arc-message-signature": "ARC-Message-Signature",
    "domainkey-signature": "DomainKey-Signature",
}

#: The maximum number of signatures that are read in one header.
_SIGNATURES = 100

#: RFC 6376 §3.5: the tag l=.
_BODY_LENGTH = re.compile(rb"\d{1,76}")

_DOMAIN = re.compile(rb"[A-Za-z0-9_.-]{1,253}")

_WHITE_SPACE = re.compile(rb"[ \t]+")

_BEGIN = re.compile(rb"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\r?$", re.MULTILINE)

_END = re.compile(rb"^-----END PGP SIGNATURE-----", re.MULTILINE)

_PKCS7 = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})

#: A mapping of the object identifiers of content types (RFC 5652 §3) to the code and the detail of a problem. The
#: identifier is near the beginning of the data. Compressed data and lists of certificates are not documents either.
_CONTENT_TYPES = {
    bytes.fromhex("06092a864886f70d010702"): ("part-signed", "S/MIME signed data, which is not read"),
    bytes.fromhex("06092a864886f70d010703"): ("part-encrypted", "S/MIME"),
    bytes.fromhex("060b2a864886f70d0109100117"): ("part-encrypted", "S/MIME"),
    bytes.fromhex("060b2a864886f70d0109100109"): ("part-encoding", "S/MIME, compressed"),
}

_HEAD = 32


class Signature(NamedTuple):
    """A signature in a message."""

    name: str
    """The signature's name in messages."""
    owner: int
    """The index of the entity that the signature belongs to."""
    end: int
    """The byte offset in the file of the end of the covered bytes, which begin with the owner's body."""
    fields: frozenset[bytes] = frozenset()
    """The covered fields of the owner's header, in lower case."""


def find_signatures(raw: Window, entities: list[Entity]) -> dict[int, list[Signature]]:
    """Return the signatures of a message, by the index of their owner."""
    found: dict[int, list[Signature]] = {}
    for index, entity in enumerate(entities):
        for signature in _signatures(raw, entities, index, entity):
            found.setdefault(signature.owner, []).append(signature)
    return found


def _signatures(raw: Window, entities: list[Entity], index: int, entity: Entity) -> Iterator[Signature]:
    if entity.signatures and entity.is_message(index):
        yield from _header_signatures(raw, index, entity)
    if entity.media_type == "multipart/signed":
        yield Signature(f"multipart/signed ({entity.signed_by or 'unknown'})", index, entity.end)
    elif entity.signed_by and entity.parent >= 0 and entities[entity.parent].media_type != "multipart/signed":
        parent = entities[entity.parent]
        yield Signature(f"the signature in part {entity.number} ({entity.signed_by})", entity.parent, parent.end)


def _header_signatures(raw: Window, index: int, entity: Entity) -> Iterator[Signature]:
    """Yield the signatures in the header of a message."""
    body = _CanonicalBody(WindowSpan(raw, entity.body, entity.end))
    values = [(name, value) for field, name in _FIELDS.items() for value in entity.signatures.get(field, ())]
    for name, value in values[:_SIGNATURES]:
        tags = {tag.strip(): text.strip() for tag, _, text in (one.partition(b"=") for one in value.split(b";"))}
        end = entity.end
        if _BODY_LENGTH.fullmatch(tags.get(b"l", b"")):
            end = body.end_of_line(int(tags[b"l"]), is_relaxed=tags.get(b"c", b"").lower().endswith(b"/relaxed"))
        fields = frozenset(field.strip().lower() for field in tags.get(b"h", b"").split(b":"))
        domain = tags.get(b"d", b"")
        who = f" (d={domain.decode('ascii')})" if _DOMAIN.fullmatch(domain) else ""
        yield Signature(name + who, index, end, fields)
    if len(values) > _SIGNATURES:
        yield Signature(f"one of {len(values):,} signatures", index, entity.end)


class _CanonicalBody:
    """The lines of a message's body, and the length of each line in a canonical form (RFC 6376 §3.4.3, §3.4.4)."""

    def __init__(self, body: WindowSpan) -> None:
        self._body = body
        #: A mapping of "is the form relaxed" to the total lengths of the first 0, 1, 2, … lines: canonical, and stored.
        self._lengths: dict[bool, tuple[array[int], array[int]]] = {}

    def end_of_line(self, length: int, *, is_relaxed: bool) -> int:
        """Return the byte offset in the file of the end of the line that contains the canonical byte number `length`.

        `is_relaxed`: whether the canonical form is "relaxed".
        """
        if is_relaxed not in self._lengths:
            canonical_ends, ends = self._lengths[is_relaxed] = array("Q", [0]), array("Q", [0])
            for line in split_lines(self._body.pieces()):
                canonical_ends.append(canonical_ends[-1] + _canonical_length(line, is_relaxed=is_relaxed))
                ends.append(ends[-1] + len(line))
        canonical_ends, ends = self._lengths[is_relaxed]
        return self._body.start + ends[min(bisect_left(canonical_ends, length), len(ends) - 1)]


def _canonical_length(line: bytes, *, is_relaxed: bool) -> int:
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    return len(_WHITE_SPACE.sub(b" ", line).removesuffix(b" ") if is_relaxed else line) + len(b"\r\n")


def breaks_cleartext(old: bytes, new: bytes) -> bool:
    """Whether the new text breaks a cleartext signature of the old text."""
    at = kept = 0
    while begin := _BEGIN.search(old, at):
        end = _END.search(old, begin.end())
        if end is None:
            return False
        kept = new.find(memoryview(old)[begin.start() : end.end()], kept)
        if kept < 0:
            return True
        at = end.end()
    return False


def sealed_content(entity: Entity, data: bytes) -> tuple[str, str] | None:
    """Return the code and the detail of a problem if an entity's content is signed, encrypted or compressed as a whole;
    None otherwise.

    `data`: the decoded data of the entity.
    """
    if entity.media_type == "multipart/encrypted":
        return "part-encrypted", "multipart/encrypted"
    if entity.media_type not in _PKCS7:
        return None
    return next((told for identifier, told in _CONTENT_TYPES.items() if identifier in data[:_HEAD]), None)


_ENCODING = "content-transfer-encoding"

_LENGTH = "content-length"

#: The fields that describe the body of a MIME entity. Content-Encoding has no meaning there (RFC 2045 §6).
_DESCRIBING = [name for name, row in BODY_HEADERS.items() if row.covers is not BodyCoverage.CODINGS]

_EMPTY_LINE_AT_END = re.compile(rb"(?:\A|\n)\r?\n\Z")


class _WrittenEntity(NamedTuple):
    """An entity with new data."""

    header: bytes
    body: Window
    fields: frozenset[bytes]
    """The names of the changed header fields, in lower case."""


class _Unwritable(Exception):
    """Raised if an entity cannot have the new data. The text is the reason."""


class MessageWriter:
    """Writes new data for the entities of one message."""

    def __init__(
        self,
        raw: Window,
        entities: list[Entity],
        name: Callable[[int], str],
        report: Report,
        file: BinaryIO,
        *,
        may_break: bool,
    ) -> None:
        """`name`: function that returns the name of an entity in messages, from its index.
        `file`: temporary storage for a new body.
        `may_break`: see `Limits.break_signatures`.
        """
        self._raw = raw
        self._file = file
        self._entities = entities
        self._name = name
        self._report = report
        self._may_break = may_break
        self._signatures = find_signatures(raw, entities)
        self._broken: set[Signature] = set()
        #: The new headers, by the index of the entity.
        self._headers: dict[int, bytes] = {}
        #: The headers without Content-Length, by the index of the entity; None for a header that lacks this field.
        self._shortened: dict[int, bytes | None] = {}
        #: The index of the first entity whose header `headers` has not yielded yet.
        self._given = 0

    def rewrite_header(self, index: int, old: bytes, new: bytes) -> bool:
        """Set the new header of an entity. Only values of fields may differ. A field that a signature covers stays
        unchanged, with a problem. Return whether any field changes.

        `headers` yields the new header later. Call this method before `rewrite`.
        """
        entity = self._entities[index]
        shortened = self._shorten_around(index)
        lengths = dict.fromkeys(shortened, frozenset({_LENGTH.encode()}))
        changed = sorted(changed_fields(old, new))
        covered = {
            name: broken
            for name in changed
            if (broken := list(self._broken_by(index, entity.end, lengths | {index: frozenset({name})})))
        }
        if covered:
            names = ", ".join(name.decode("ascii") for name in covered)
            broken = list(dict.fromkeys(signature for found in covered.values() for signature in found))
            if not self._may_change(f"{names} of {self._name(index)}", broken, entity.start):
                new = _with_fields_of(old, new, frozenset(covered))
        if new == old:
            return False
        self._set_headers(shortened | {index: new})
        return True

    def _set_headers(self, headers: dict[int, bytes]) -> None:
        self._headers |= headers
        for index in headers:
            self._shortened.pop(index, None)

    def headers(self, stop: int) -> Iterator[WindowEdit]:
        """Yield the edits for the new headers of the entities before index `stop`. Each edit is yielded only once."""
        for index in range(self._given, stop):
            if index in self._headers:
                yield WindowEdit(*self._header_span(index), (self._headers[index],))
        self._given = max(self._given, stop)

    def rewrite(self, index: int, old: bytes, new: bytes) -> list[WindowEdit]:
        """Return the edits that replace the data `old` of an entity by `new`, in order. Edits of preceding headers come
        first. If the entity has to stay unchanged, report a problem and return no edits.

        Consume the edits before the next call.
        """
        entity = self._entities[index]
        told: list[tuple[str, str]] = []
        try:
            made = self._write(index, old, new, lambda *one: told.append(one))
            self._check_framing(index, made.body)
        except _Unwritable as reason:
            self._report("mime-left-alone", f"{self._name(index)}: {reason}", entity.body)
            return []
        shortened = self._shorten_around(index)
        fields = dict.fromkeys(shortened, frozenset({_LENGTH.encode()})) | {index: made.fields}
        broken = list(self._broken_by(index, self._first_change(entity, made.body), fields))
        if breaks_cleartext(old, new):
            broken.append(Signature("an OpenPGP cleartext signature", index, entity.end))
        if not self._may_change(self._name(index), broken, entity.body):
            return []
        for code, detail in told:
            self._report(code, f"{self._name(index)}: {detail}", entity.start)
        start, body = self._header_span(index)
        self._set_headers(shortened | ({} if made.header == self._header(index) else {index: made.header}))
        # An empty body may share its line end with the delimiter: the empty line after the header belongs to both.
        shares = made.body.size and self._raw.read(entity.end, 2) == b"--"
        last = (WindowSpan(self._raw, start, body).line_end(),) if shares else ()
        return [
            *self.headers(index + 1),
            WindowEdit(body, entity.end, chain(made.body.pieces(0, made.body.size), last)),
        ]

    def _may_change(self, name: str, broken: list[Signature], offset: int) -> bool:
        """Whether `name` may change although this breaks the signatures `broken`. Reports a problem in either case."""
        if broken and not self._may_break:
            signatures = ", ".join(map(self._describe, broken))
            self._report("part-signed", f"{name}: {signatures}", offset)
            return False
        for signature in broken:
            if signature not in self._broken:
                self._broken.add(signature)
                self._report("signature-broken", self._describe(signature), self._entities[signature.owner].start)
        return True

    def _header_span(self, index: int) -> tuple[int, int]:
        return self._entities[index].start, self._entities[index].body

    def _header(self, index: int) -> bytes:
        """Return the header of an entity, with the changes so far."""
        return self._headers.get(index) or WindowSpan(self._raw, *self._header_span(index)).read()

    def _store(self, pieces: Iterable[bytes]) -> Window:
        """See `linkfix.containers.mime_transfer.Store`."""
        self._file.seek(0)
        self._file.truncate()
        for piece in pieces:
            self._file.write(piece)
        return Window(self._file)

    def _around(self, index: int) -> Iterator[int]:
        """Yield the indexes of the entities that enclose an entity, from the inside out."""
        while (index := self._entities[index].parent) >= 0:
            yield index

    def _describe(self, signature: Signature) -> str:
        return f"{signature.name} of {self._name(signature.owner)}"

    def _write(self, index: int, old: bytes, new: bytes, tell: Callable[[str, str], None]) -> _WrittenEntity:
        """Return an entity with new data. Raises `_Unwritable`."""
        entity = self._entities[index]
        header, old_body = self._header(index), WindowSpan(self._raw, entity.body, entity.end)
        block = HeaderBlock(header, has_start_line=False)
        values: dict[str, str | None] = {}
        body = TRANSFER_ENCODINGS[entity.transfer].rewrite(old_body, old, new, self._store)
        if body is None:
            self._check_encodable(index, header, block)
            body = self._store(to_quoted_printable(new, old_body.line_end()))
            values[_ENCODING] = "quoted-printable"
        stated = block.joined(_DESCRIBING)
        values |= renew_body_headers(stated, [old], new, tell)
        if _LENGTH in stated:
            # MIME has no Content-Length. In mailboxes it is the length of the encoded body, in HTTP that of the data.
            lengths = {str(len(old)): str(len(new)), str(entity.end - entity.body): str(body.size)}
            values[_LENGTH] = lengths.get(stated[_LENGTH])
        made = block.edit(values)
        if header.strip() and not made.strip():
            reason = "its header would have no field left"
            raise _Unwritable(reason)
        return _WrittenEntity(made, body, frozenset(name.encode() for name in values))

    def _check_encodable(self, index: int, header: bytes, block: HeaderBlock) -> None:
        """Raise `_Unwritable` if an entity's transfer encoding cannot become quoted-printable."""
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
        """Raise `_Unwritable` if the new body would change the entities of the message."""
        entity = self._entities[index]
        boundaries = (self._entities[outer].boundary for outer in self._around(index))
        delimiters = [b"--" + boundary for boundary in boundaries if boundary]
        before = count_lines(self._raw.pieces(entity.body, entity.end), delimiters)
        if any(map(operator.gt, count_lines(body.pieces(0, body.size), delimiters), before)):
            reason = "the new data has a delimiter of the message"
            raise _Unwritable(reason)
        # Without an empty line, only markup is certain not to continue the header.
        if not _EMPTY_LINE_AT_END.search(self._header(index)) and body.read(0, 1) != b"<":
            reason = "no empty line ends its header"
            raise _Unwritable(reason)

    def _shorten_around(self, index: int) -> dict[int, bytes]:
        """Return the headers of the entities around a changed entity, without Content-Length, which is now wrong."""
        return {outer: header for outer in self._around(index) if (header := self._shorten(outer)) is not None}

    def _shorten(self, index: int) -> bytes | None:
        if index not in self._shortened:
            block = HeaderBlock(self._header(index), has_start_line=False)
            self._shortened[index] = block.edit({_LENGTH: None}) if block.all(_LENGTH) else None
        return self._shortened[index]

    def _broken_by(self, index: int, first: int, fields: dict[int, frozenset[bytes]]) -> Iterator[Signature]:
        """Yield the signatures that cover a changed byte.

        `first`: the offset of the first changed byte of the entity's body; the body's end if the body does not change.
        `fields`: the changed header fields, by the index of the entity.
        """
        if not self._signatures:
            return
        for owner in (index, *self._around(index)):
            changed = fields.get(owner)
            for signature in self._signatures.get(owner, ()):
                if first < signature.end or (changed and changed & signature.fields):
                    yield signature
            if changed:
                first = self._entities[owner].start

    def _first_change(self, entity: Entity, body: Window) -> int:
        """Return the byte offset in the file at which an entity's body first differs from the new body."""
        at = 0
        for piece in body.pieces(0, body.size):
            start = entity.body + at
            same = common_prefix(piece, self._raw.read(start, min(len(piece), entity.end - start)))
            at += same
            if same < len(piece):
                break
        return entity.body + at


def changed_fields(old: bytes, new: bytes) -> frozenset[bytes]:
    """Return the names, in lower case, of the fields that differ in two headers with the same fields."""
    pairs = zip(ANY_FIELD.finditer(old), ANY_FIELD.finditer(new), strict=True)
    return frozenset(before[1].lower() for before, after in pairs if before[0] != after[0])


def _with_fields_of(old: bytes, new: bytes, names: frozenset[bytes]) -> bytes:
    """Return the new header with the named fields as in the old header. Both headers have the same fields."""
    values = iter([match[0] for match in ANY_FIELD.finditer(old)])

    def choose(match: re.Match[bytes]) -> bytes:
        before = next(values)
        return before if match[1].lower() in names else match[0]

    return ANY_FIELD.sub(choose, new)
