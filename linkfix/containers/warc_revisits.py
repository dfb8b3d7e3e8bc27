"""Revisit records (WARC 1.1 §6.7): captures whose payload is in another record.

Software that replays an archive finds that record by its URL (WARC-Refers-To-Target-URI, or the revisit's own) and the
payload's digest, which both records state. So where the payload changes, its revisits follow: they get the new digest,
and the HTTP fields that describe the new payload. A revisit of another URL can need other links: then it becomes a full
record, made here from its own headers and the payload.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from linkfix.containers.digests import digest, digest_fits, renew_digest
from linkfix.containers.http_body import BODY_HEADERS, EMPTY_LINE, HeaderBlock
from linkfix.containers.part import Report

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


def renew_header(
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


# The payloads and revisit records of a set of WARC files, and what becomes of them, in a database on disk.
#
# Memory stays small however many records there are, and the processes that convert the files read it together.
# It is filled in two steps. First all records are added. Then, for each payload that some record revisits, it is stored
# whether it changes, and for which revisits of other URLs the changed one is wrong.


#: `revisited`: the URL whose records a revisit can be replayed from; NULL where all with its payload's digest may be
#: meant. `size` of a payload is NULL where it does not change.
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

#: The records of a file, in its order, whose payload is revisited.
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
    """What a file's name is in the database, which takes no surrogates."""
    return file.encode("utf-8", "backslashreplace")


class RevisitedPayload(NamedTuple):
    """A payload that some record revisits, and a record that it is in."""

    place: RecordPlace
    digest: str
    """A key of `digest_key`."""
    url: str
    """The WARC-Target-URI of the record."""


class RevisitIndex:
    """Fills the database, which must not exist, at a path."""

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
        """Find what each revisit record refers to. Returns whether any refers to a record that was added."""
        self._database.executescript(_COMPLETE + "BEGIN;")
        found = "SELECT EXISTS(SELECT 1 FROM revisits JOIN originals USING (digest))"
        return bool(self._database.execute(found).fetchone()[0])

    def revisited(self, file: str) -> Iterator[RevisitedPayload]:
        """The payloads in a file that are revisited and not stored yet, in the file's order."""
        for place, inner, stated, url in self._database.execute(_REVISITED, [_key(file)]):
            known = self._database.execute("SELECT 1 FROM payloads WHERE digest = ? AND url = ?", [stated, url])
            if known.fetchone() is None:
                yield RevisitedPayload(RecordPlace(place, inner), stated, url)

    def sharers(self, payload: RevisitedPayload) -> Iterator[str]:
        """The other URLs at which a payload is replayed."""
        values = [payload.digest, payload.url, payload.url]
        return (url for (url,) in self._database.execute(_SHARERS, values))

    def store(self, payload: RevisitedPayload, new: NewPayload | None, sharer: str | None = None) -> None:
        """Store what becomes of a payload: it changes, does not change, or stays because of a revisit of `sharer`."""
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
        """Write what is not written yet."""
        self._database.commit()
        self._database.close()


class StoredOutcomes:
    """`RevisitOutcomes` of a file, from the database at a path. Close it."""

    def __init__(self, path: str, file: str) -> None:
        #: Whether any of its revisit records changes, of those that were asked for.
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
