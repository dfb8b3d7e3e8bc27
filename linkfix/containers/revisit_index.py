"""The payloads and revisit records of a set of WARC files, and what becomes of them, in a database on disk.

Memory stays small however many records there are, and the processes that convert the files read it together.
It is filled in two steps. First all records are added. Then, for each payload that some record revisits, it is stored
whether it changes, and for which revisits of other URLs the changed one is wrong.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from linkfix.containers.warc_revisits import FullRecord, NewPayload, PayloadRecord, RecordPlace

__all__ = ["RevisitIndex", "RevisitedPayload", "StoredOutcomes"]

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
        for place, inner, digest, url in self._database.execute(_REVISITED, [_key(file)]):
            known = self._database.execute("SELECT 1 FROM payloads WHERE digest = ? AND url = ?", [digest, url])
            if known.fetchone() is None:
                yield RevisitedPayload(RecordPlace(place, inner), digest, url)

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
