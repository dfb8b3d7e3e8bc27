"""Revisit records (WARC 1.1 §6.7): records without a payload, which refer to an earlier record with the same payload.

Replay software finds the earlier record by its URL (WARC-Refers-To-Target-URI, or the revisit's own URL) and by the
digest of the payload, which both records state. If linkfix changes the payload, its revisits get the new digest and the
HTTP fields that describe the new payload. A revisit with another URL may have another base, and so need other links. It
becomes a full record then: its own headers with the old payload, which is rewritten like any other record.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from linkfix.containers.digests import digest, digest_fits, renew_digest
from linkfix.containers.http_body import BODY_HEADERS, HeaderBlock
from linkfix.containers.part import Report
from linkfix.urls import excerpt

#: The fields that occur only in revisit records.
_REVISIT_FIELDS = ("warc-profile", "warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")

#: The fields that state the codings of a payload in its message.
_CODINGS = ("content-encoding", "transfer-encoding")

#: RFC 9110 §15.4.5: part of the status line of a response without the document (304 Not Modified).
_NOT_MODIFIED = b" 304"


class RecordPlace(NamedTuple):
    """The place of a record in a file."""

    offset: int
    """The offset in the file of the record, or of the compressed member that contains it."""
    inner: int
    """The offset of the record in the text of the file or of the member."""


class PayloadRecord(NamedTuple):
    """A record with a document as its payload, or a revisit of such a record."""

    place: RecordPlace
    digest: str
    """The payload's digest: a key of `digest_key`."""
    url: str
    """The WARC-Target-URI."""
    refers_to: str | None
    """The WARC-Refers-To-Target-URI of a revisit record, or ""; None for a record with the payload."""


class NewPayload(NamedTuple):
    """The facts about a changed payload that the records which revisit it need."""

    size: int
    """The size in bytes."""
    digests: Mapping[str, bytes]
    """The digests, by algorithm as `hashlib` names it. Empty if the digest of the old payload is wrong, and stays."""
    fields: Mapping[str, tuple[str, str | None]]
    """The fields of `BODY_HEADERS` in the record with the payload: a mapping of names in lower case to the old and the
    new value. The new value of a dropped field is None.
    """

    def digest(self, algorithm: str) -> bytes | None:
        """Return the digest; None for an unknown algorithm."""
        return self.digests.get(algorithm.lower().replace("-", ""))


class FullRecord(NamedTuple):
    """A record with a payload, as it is stored."""

    header: bytes
    """The WARC header block."""
    http: bytes
    """The HTTP header block; empty for a resource."""
    body: bytes
    """The rest of the content block."""


class RecordDigest(NamedTuple):
    """A digest in the header of a record with changed content."""

    old: Sequence[Callable[[], Iterable[bytes]]] | None
    """Functions that return the forms of the old content that the digest may describe; None if the digest is right."""
    new: Callable[[str], bytes | None]
    """Function that returns the digest of the new content by an algorithm; None for an unknown algorithm."""


class RevisitOutcomes(Protocol):
    """The changes of the payloads and revisit records of a file."""

    def sharer(self, place: RecordPlace) -> str | None:
        """Return the URL of a revisit that requires the payload of the record at a place to stay; None if the payload
        may change.
        """

    def outcome(self, place: RecordPlace) -> NewPayload | FullRecord | None:
        """Return the new payload that the revisit record at a place follows, or the record that it becomes a copy of;
        None if the revisit record stays.
        """


def is_revisit(header: HeaderBlock) -> bool:
    """Whether a record with this WARC header is a revisit record."""
    return header.first("warc-type").lower() == "revisit"


def follow_payload(
    header: HeaderBlock, block: bytes, payload: NewPayload, report: Report, offset: int, head: bytes | None = None
) -> bytes:
    """Return a revisit record for the changed payload, without the line ends after it.

    `block`: the content block of the revisit record. `head`: its new HTTP header; None if the header's URLs stay.
    """
    old_block = block
    http = HeaderBlock.read(block) if block.startswith(b"HTTP/") else None
    if http is not None:
        fields: dict[str, str | None] = {}
        for name, stated in http.joined(BODY_HEADERS).items():
            old, new = payload.fields.get(name, (None, None))
            fields[name] = new if old == stated else None
        if http.all("content-length"):
            fields["content-length"] = str(payload.size)
        written = http if head is None else HeaderBlock(head)
        block = written.edit(fields) + block[len(http.block) :]
    digests = {
        "warc-block-digest": RecordDigest((lambda: [old_block],), lambda algorithm: digest(algorithm, block)),
        # If there are no digests, the digest in the record with the payload is wrong and stays. So it must stay here.
        **({"warc-payload-digest": RecordDigest(None, payload.digest)} if payload.digests else {}),
    }
    return renew_header(header, len(block), digests, report, offset) + block


def expand_revisit(header: HeaderBlock, block: bytes, original: FullRecord) -> tuple[bytes, bytes]:
    """Return the header and the content block of the full record that a revisit record stands for.

    `block`: the content block of the revisit record.
    `original`: the record with the payload.
    """
    of_original = HeaderBlock(original.header)
    http = HeaderBlock.read(block) if block.startswith(b"HTTP/") else None
    head = original.http
    if http is not None and head and _NOT_MODIFIED not in block[: block.find(b"\n")]:
        codings = HeaderBlock(original.http).joined(_CODINGS)
        head = http.edit({name: codings.get(name) or None for name in _CODINGS})
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
        fits = digest_fits(stated, lambda: [block]) is not False
        values["warc-block-digest"] = (
            renew_digest(stated, lambda algorithm: digest(algorithm, full)) if fits else stated
        )
    return header.edit(values), full


def renew_header(
    header: HeaderBlock,
    length: int,
    digests: Mapping[str, RecordDigest],
    report: Report,
    offset: int,
    name: str = "",
) -> bytes:
    """Return the header of a record for a new content block of `length` bytes.

    A right digest is renewed. A wrong digest stays, and a digest of an unknown form is removed. Both are reported.

    `digests`: the digests, by name of the field.
    `offset`: the byte offset of the record, for problems.
    `name`: the record's name in messages; "" for its WARC-Record-ID.
    """
    values: dict[str, str | None] = {"content-length": str(length)}
    name = name or header.first("warc-record-id").strip("<>")
    for field, (old, new) in digests.items():
        stated = header.first(field)
        if stated and old is not None and digest_fits(stated, *old) is False:
            report("digest-wrong", f"{name}: {field} {excerpt(stated, 80)!r} stays", offset)
        elif stated:
            values[field] = renew_digest(stated, new)
            if values[field] is None:
                report("digest-unknown", f"{name}: {field} {excerpt(stated, 80)!r} is omitted", offset)
    return header.edit(values)


# A database on disk with the payloads and revisit records of a set of WARC files, and their changes.
#
# Memory use stays small, whatever the number of records, and all processes that convert files can read the database.
# It is filled in two steps. First all records are added. Then, for each revisited payload, the database stores whether
# the payload changes, and the revisits of other URLs for which the changed payload is wrong.


#: `revisited`: the URL whose records a revisit can be replayed from. It is NULL if the revisit may refer to any record
#: with its payload's digest. `size` of a payload is NULL if the payload does not change.
_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE originals(file, place, inner, digest, url, PRIMARY KEY(file, place, inner)) WITHOUT ROWID;
CREATE TABLE revisits(
    file, place, inner, digest, url, refers_to, revisited, PRIMARY KEY(file, place, inner)
) WITHOUT ROWID;
CREATE TABLE payloads(digest, url, size, digests, fields, sharer, PRIMARY KEY(digest, url)) WITHOUT ROWID;
CREATE TABLE full_records(digest PRIMARY KEY, header, http, body);
CREATE TABLE expanded(digest, url, PRIMARY KEY(digest, url)) WITHOUT ROWID;
"""

_ADD_REVISIT = "INSERT OR IGNORE INTO revisits VALUES (?, ?, ?, ?, ?, ?, NULL)"

_ADD_ORIGINAL = "INSERT OR IGNORE INTO originals VALUES (?, ?, ?, ?, ?)"

_COMPLETE = """
CREATE INDEX originals_of ON originals(digest, url);
CREATE INDEX revisits_of ON revisits(digest, url);
UPDATE revisits SET revisited = CASE
    WHEN EXISTS(SELECT 1 FROM originals o WHERE o.digest = revisits.digest AND o.url = refers_to) THEN refers_to
    WHEN EXISTS(SELECT 1 FROM originals o WHERE o.digest = revisits.digest AND o.url = revisits.url) THEN revisits.url
END;
"""

#: The records of a file with a revisited payload, in the order of the file.
_REVISITED = """
SELECT o.place, o.inner, o.digest, o.url FROM originals o
WHERE o.file = ? AND EXISTS(
    SELECT 1 FROM revisits r WHERE r.digest = o.digest AND (r.revisited = o.url OR r.revisited IS NULL)
) ORDER BY o.place, o.inner
"""

_SHARERS = """
SELECT DISTINCT url FROM revisits
WHERE digest = ? AND url != ? AND (revisited = ? OR revisited IS NULL) ORDER BY url
"""

_SHARER = """
SELECT sharer FROM originals JOIN payloads USING (digest, url) WHERE file = ? AND place = ? AND inner = ?
"""

_REVISIT = "SELECT digest, url, revisited FROM revisits WHERE file = ? AND place = ? AND inner = ?"

_FULL_RECORD = "SELECT header, http, body FROM expanded JOIN full_records USING (digest) WHERE digest = ? AND url = ?"

_PAYLOADS = "SELECT size, digests, fields, sharer FROM payloads WHERE digest = ? AND (url = ? OR ? IS NULL)"


def _key(file: str) -> bytes:
    """Return the key of a file's name in the database, which accepts no surrogates."""
    return file.encode("utf-8", "backslashreplace")


class RevisitedPayload(NamedTuple):
    """A payload that a record revisits, and the place of a record that contains it."""

    place: RecordPlace
    digest: str
    """A key of `digest_key`."""
    url: str
    """The WARC-Target-URI of the record."""


class RevisitIndex:
    """Creates and fills the database at a path. The file must not exist."""

    def __init__(self, path: str) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(_SCHEMA + "BEGIN;")

    def add(self, file: str, records: Iterable[PayloadRecord]) -> None:
        """Add the records of a file."""
        cursor = self._database.cursor()
        for record in records:
            values = [_key(file), *record.place, record.digest, record.url]
            if record.refers_to is None:
                cursor.execute(_ADD_ORIGINAL, values)
            else:
                cursor.execute(_ADD_REVISIT, [*values, record.refers_to])

    def complete(self) -> bool:
        """Find the record that each revisit record refers to. Return whether any revisit refers to an added record."""
        self._database.executescript(_COMPLETE + "BEGIN;")
        found = "SELECT EXISTS(SELECT 1 FROM revisits JOIN originals USING (digest))"
        return bool(self._database.execute(found).fetchone()[0])

    def revisited(self, file: str) -> Iterator[RevisitedPayload]:
        """Yield the revisited payloads in a file that are not stored yet, in the order of the file."""
        for place, inner, stated, url in self._database.execute(_REVISITED, [_key(file)]):
            known = self._database.execute("SELECT 1 FROM payloads WHERE digest = ? AND url = ?", [stated, url])
            if known.fetchone() is None:
                yield RevisitedPayload(RecordPlace(place, inner), stated, url)

    def sharers(self, payload: RevisitedPayload) -> Iterator[str]:
        """Yield the other URLs at which a payload is replayed."""
        values = [payload.digest, payload.url, payload.url]
        return (url for (url,) in self._database.execute(_SHARERS, values))

    def store(self, payload: RevisitedPayload, new: NewPayload | None, sharer: str | None = None) -> None:
        """Store the outcome of a payload.

        `new`: the changed payload; None if it does not change.
        `sharer`: the URL of a revisit that requires the payload to stay; None if there is no such revisit.
        """
        digests = {name: value.hex() for name, value in new.digests.items()} if new else {}
        values = [new and new.size, json.dumps(digests), json.dumps(dict(new.fields) if new else {}), sharer]
        place = [payload.digest, payload.url]
        self._database.execute("INSERT OR IGNORE INTO payloads VALUES (?, ?, ?, ?, ?, ?)", [*place, *values])

    def expand(self, payload: RevisitedPayload, record: FullRecord, urls: Iterable[str]) -> None:
        """Store that the revisits of these URLs become full records with the payload of `record`."""
        stored = [payload.digest, *record]
        self._database.execute("INSERT OR IGNORE INTO full_records VALUES (?, ?, ?, ?)", stored)
        pairs = ((payload.digest, url) for url in urls)
        self._database.executemany("INSERT OR IGNORE INTO expanded VALUES (?, ?)", pairs)

    def close(self) -> None:
        """Commit all changes and close the database."""
        self._database.commit()
        self._database.close()


class StoredOutcomes:
    """`RevisitOutcomes` of a file, from the database at a path. Call `close` at the end."""

    def __init__(self, path: str, file: str) -> None:
        #: Whether `outcome` has returned a change for any revisit record of the file.
        self.changed: bool = False
        self._database = sqlite3.connect(path)
        self._file = _key(file)

    def sharer(self, place: RecordPlace) -> str | None:
        """See `RevisitOutcomes`."""
        found = self._database.execute(_SHARER, [self._file, *place]).fetchone()
        return found[0] if found else None

    def outcome(self, place: RecordPlace) -> NewPayload | FullRecord | None:
        """See `RevisitOutcomes`."""
        found = self._outcome(place)
        self.changed = self.changed or found is not None
        return found

    def _outcome(self, place: RecordPlace) -> NewPayload | FullRecord | None:
        found = self._database.execute(_REVISIT, [self._file, *place]).fetchone()
        if found is None:
            return None
        digest, url, revisited = found
        full = self._database.execute(_FULL_RECORD, [digest, url]).fetchone()
        if full is not None:
            return FullRecord(*full)
        rows = self._database.execute(_PAYLOADS, [digest, revisited, revisited]).fetchall()
        if not rows or any(size is None or sharer is not None for size, _, _, sharer in rows):
            return None
        size, digests, fields, _ = rows[0]
        made = {name: bytes.fromhex(value) for name, value in json.loads(digests).items()}
        return NewPayload(size, made, {name: (old, new) for name, (old, new) in json.loads(fields).items()})

    def close(self) -> None:
        """Close the database."""
        self._database.close()
