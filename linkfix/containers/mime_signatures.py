"""Signatures of mail, and which bytes of a message each covers. Nothing is verified: the keys are elsewhere.

- DKIM (RFC 6376), ARC (RFC 8617) and DomainKeys (RFC 4870): fields of a message's header. They cover its body, and the
  header fields in the tag h=. With the tag l= (RFC 6376 §3.5) they cover only so many bytes of the body.
- S/MIME (RFC 8551) and PGP/MIME (RFC 3156): a multipart/signed, whose first part is covered with its header, and whose
  second one is the signature. A signature elsewhere, as mailing lists and gateways leave it, may cover any part beside
  it.
- S/MIME's application/pkcs7-mime (RFC 8551 §3.2): the signed or encrypted entity is inside.
- Cleartext signatures of OpenPGP (RFC 9580 §7): the lines between two armor headers of a text.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from linkfix.containers.mime_entities import Entity
from linkfix.containers.pieces import split_lines
from linkfix.containers.window import Window, WindowSpan

__all__ = ["Signature", "breaks_cleartext", "find_signatures", "sealed_content"]

#: The field of a header signature in lower case -> its name.
_FIELDS = {
    "dkim-signature": "DKIM-Signature",
    "arc-message-signature": "ARC-Message-Signature",
    "domainkey-signature": "DomainKey-Signature",
}
#: How many signatures in one header are read.
_SIGNATURES = 100
#: RFC 6376 §3.5: the tag l=.
_LENGTH = re.compile(rb"\d{1,76}")
_DOMAIN = re.compile(rb"[A-Za-z0-9_.-]{1,253}")
_WHITE_SPACE = re.compile(rb"[ \t]+")

_BEGIN = re.compile(rb"^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\r?$", re.MULTILINE)
_END = re.compile(rb"^-----END PGP SIGNATURE-----", re.MULTILINE)

_PKCS7 = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
#: RFC 5652 §3: the object identifier of a content type, near the beginning of the data -> the code of the problem, and
#: what it is. What is only compressed or a list of certificates is no document either.
_CONTENT_TYPES = {
    bytes.fromhex("06092a864886f70d010702"): ("part-signed", "S/MIME signed data, which is not read"),
    bytes.fromhex("06092a864886f70d010703"): ("part-encrypted", "S/MIME"),
    bytes.fromhex("060b2a864886f70d0109100117"): ("part-encrypted", "S/MIME"),
    bytes.fromhex("060b2a864886f70d0109100109"): ("part-encoding", "S/MIME, compressed"),
}
_HEAD = 32


class Signature(NamedTuple):
    """A signature that a message has."""

    name: str
    """What messages call it."""
    owner: int
    """The index of the entity that it is of."""
    end: int
    """Where the bytes end that it covers, in bytes of the file. They begin with the owner's body."""
    fields: frozenset[bytes] = frozenset()
    """The fields of the owner's header that it covers, in lower case."""


def find_signatures(raw: Window, entities: list[Entity]) -> dict[int, list[Signature]]:
    """The signatures of a message, by the index of the entity that each is of."""
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
    """The signatures in the header of a message."""
    body = _CanonicalBody(WindowSpan(raw, entity.body, entity.end))
    values = [(name, value) for field, name in _FIELDS.items() for value in entity.signatures.get(field, ())]
    for name, value in values[:_SIGNATURES]:
        tags = {tag.strip(): text.strip() for tag, _, text in (one.partition(b"=") for one in value.split(b";"))}
        end = entity.end
        if _LENGTH.fullmatch(tags.get(b"l", b"")):
            end = body.end_of_line(int(tags[b"l"]), is_relaxed=tags.get(b"c", b"").lower().endswith(b"/relaxed"))
        fields = frozenset(field.strip().lower() for field in tags.get(b"h", b"").split(b":"))
        domain = tags.get(b"d", b"")
        who = f" (d={domain.decode('ascii')})" if _DOMAIN.fullmatch(domain) else ""
        yield Signature(name + who, index, end, fields)
    if len(values) > _SIGNATURES:
        yield Signature(f"one of {len(values):,} signatures", index, entity.end)


class _CanonicalBody:
    """The lines of a message's body, and how long each is in a canonical form (RFC 6376 §3.4.3, §3.4.4)."""

    def __init__(self, body: WindowSpan) -> None:
        self._body = body
        #: Whether the form is "relaxed" -> the lengths of the first 1, 2, … lines together: canonical, and as they are.
        self._lengths: dict[bool, tuple[array[int], array[int]]] = {}

    def end_of_line(self, length: int, *, is_relaxed: bool) -> int:
        """Where the line ends that has the last of the first `length` canonical bytes, in bytes of the file."""
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
    """Whether a cleartext signature of a text does not fit the new text."""
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
    """The code and the detail for an entity whose content is sealed in another form, None for others.

    `data`: the entity's data, decoded.
    """
    if entity.media_type == "multipart/encrypted":
        return "part-encrypted", "multipart/encrypted"
    if entity.media_type not in _PKCS7:
        return None
    return next((told for identifier, told in _CONTENT_TYPES.items() if identifier in data[:_HEAD]), None)
