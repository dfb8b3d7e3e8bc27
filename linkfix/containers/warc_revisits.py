"""Revisit records (WARC 1.1 §6.7): captures whose payload is in another record.

Software that replays an archive finds that record by its URL (WARC-Refers-To-Target-URI, or the revisit's own) and the
payload's digest, which both records state. So where the payload changes, its revisits follow: they get the new digest,
and the HTTP fields that describe the new payload. A revisit of another URL can need other links: then it becomes a full
record, made here from its own headers and the payload.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from linkfix.containers.body_headers import BODY_HEADERS
from linkfix.containers.digests import digest, digest_fits, renew_digest
from linkfix.containers.http_body import EMPTY_LINE, HeaderBlock
from linkfix.containers.part import Report

__all__ = [
    "FullRecord",
    "NewPayload",
    "PayloadRecord",
    "RecordDigest",
    "RecordPlace",
    "RevisitOutcomes",
    "expand_revisit",
    "follow_payload",
    "is_revisit",
    "renew_header",
]

#: The fields that only revisit records have.
_REVISIT_FIELDS = ("warc-profile", "warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")
#: How a payload is coded in its message.
_CODINGS = ("content-encoding", "transfer-encoding")
#: RFC 9110 §15.4.5: the status line of an answer without the document that it is about.
_NOT_MODIFIED = b" 304"


class RecordPlace(NamedTuple):
    """Where a record is in a file."""

    offset: int
    """Where it, or the compressed member that it is in, begins in the file."""
    inner: int
    """Where it begins in the file's or the member's text."""


class PayloadRecord(NamedTuple):
    """A record with a document as its payload, or that revisits one."""

    place: RecordPlace
    digest: str
    """The payload's digest: a key of `digest_key`."""
    url: str
    """WARC-Target-URI."""
    refers_to: str | None
    """WARC-Refers-To-Target-URI of a revisit record, "" for none; None for a record that has the payload."""


class NewPayload(NamedTuple):
    """What a changed payload is, for the records that revisit it."""

    size: int
    """In bytes."""
    digests: Mapping[str, bytes]
    """Algorithm, as `hashlib` calls it -> its digest. Empty if the digest of the old payload is wrong, and stays."""
    fields: Mapping[str, tuple[str, str | None]]
    """Name in lower case -> the value that the record with the payload had in a field of `BODY_HEADERS`, and the one
    that it gets; None for a field that is dropped.
    """

    def digest(self, algorithm: str) -> bytes | None:
        """Its digest; None for an unknown algorithm."""
        return self.digests.get(algorithm.lower().replace("-", ""))


class FullRecord(NamedTuple):
    """A record that has a payload, as it is stored."""

    header: bytes
    """Its WARC header block."""
    http: bytes
    """Its HTTP header block; empty for a resource."""
    body: bytes
    """The rest of its content block."""


class RecordDigest(NamedTuple):
    """A digest in the header of a record whose content changes."""

    old: Sequence[Callable[[], bytes]] | None
    """The forms of the old content that it may describe; None if it is known to be right."""
    new: Callable[[str], bytes | None]
    """Algorithm -> the digest of the new content; None for an unknown algorithm."""


class RevisitOutcomes(Protocol):
    """What becomes of the payloads and revisit records of a file."""

    def sharer(self, place: RecordPlace) -> str | None:
        """The URL of a revisit for which the payload of the record at a place has to stay; None where it need not."""

    def outcome(self, place: RecordPlace) -> NewPayload | FullRecord | None:
        """What the revisit record at a place follows, or is made a full record from; None where it stays."""


def is_revisit(header: HeaderBlock) -> bool:
    """Whether a record with this WARC header is a revisit record."""
    return header.first("warc-type").lower() == "revisit"


def follow_payload(header: HeaderBlock, block: bytes, payload: NewPayload, report: Report, offset: int) -> bytes:
    """A revisit record, without the line ends after it, for the changed payload. `block`: its content block."""
    old_block = block
    ending = EMPTY_LINE.search(block) if block.startswith(b"HTTP/") else None
    if ending is not None:
        http = HeaderBlock(block[: ending.end()])
        fields: dict[str, str | None] = {}
        for name in filter(http.all, BODY_HEADERS):
            old, new = payload.fields.get(name, (None, None))
            fields[name] = new if old == ", ".join(http.all(name)) else None
        if http.all("content-length"):
            fields["content-length"] = str(payload.size)
        block = http.edit(fields) + block[ending.end() :]
    digests = {
        "warc-block-digest": RecordDigest((lambda: old_block,), lambda algorithm: digest(algorithm, block)),
        # Without a digest, that of the record with the payload is wrong, and stays. So it has to stay here.
        **({"warc-payload-digest": RecordDigest(None, payload.digest)} if payload.digests else {}),
    }
    return renew_header(header, len(block), digests, report, offset) + block


def expand_revisit(header: HeaderBlock, block: bytes, original: FullRecord) -> tuple[bytes, bytes]:
    """The header and the content block of the full record that a revisit record stands for.

    `block`: the content block of the revisit record.
    """
    of_original = HeaderBlock(original.header)
    ending = EMPTY_LINE.search(block) if block.startswith(b"HTTP/") else None
    head = original.http
    if ending is not None and head and _NOT_MODIFIED not in block[: block.find(b"\n")]:
        codings = HeaderBlock(original.http)
        head = HeaderBlock(block[: ending.end()]).edit(
            {name: ", ".join(codings.all(name)) or None for name in _CODINGS}
        )
    values: dict[str, str | None] = dict.fromkeys(_REVISIT_FIELDS)
    for name in ("warc-type", "content-type", "warc-truncated"):
        values[name] = of_original.first(name) or None
    identified = of_original.first("warc-identified-payload-type")
    if identified and not header.all("warc-identified-payload-type"):
        values["warc-identified-payload-type"] = identified
    full = head + original.body
    values["content-length"] = str(len(full))
    stated = header.first("warc-block-digest")
    if stated:
        fits = digest_fits(stated, lambda: block) is not False
        values["warc-block-digest"] = (
            renew_digest(stated, lambda algorithm: digest(algorithm, full)) if fits else stated
        )
    return header.edit(values), full


def renew_header(  # noqa: PLR0913, PLR0917 - a record and its new content
    header: HeaderBlock,
    length: int,
    digests: Mapping[str, RecordDigest],
    report: Report,
    offset: int,
    name: str = "",
) -> bytes:
    """The header of a record for a new content block of `length` bytes. `digests`: name of a field -> its digest.

    A digest that was right is renewed. A wrong one stays, and one of an unknown form is left out, which is reported:
    `offset` is the record's, `name` what messages call it.
    """
    values: dict[str, str | None] = {"content-length": str(length)}
    name = name or header.first("warc-record-id").strip("<>")
    for field, (old, new) in digests.items():
        stated = header.first(field)
        if stated and old is not None and digest_fits(stated, *old) is False:
            report("digest-wrong", f"{name}: {field} {stated[:80]!r} stays", offset)
        elif stated:
            values[field] = renew_digest(stated, new)
            if values[field] is None:
                report("digest-unknown", f"{name}: {field} {stated[:80]!r} is left out", offset)
    return header.edit(values)
