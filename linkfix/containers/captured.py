"""The URLs that WARC files have captured. A reference to one of them works when the archive is replayed."""

from __future__ import annotations

import hashlib
import sqlite3
from functools import lru_cache

from linkfix.containers.part import url_forms

#: The bytes of a hash. Of ten million URLs, two have the same hash with a probability of 1 in 300,000.
_HASH = 8

#: The number of lookups that are remembered: pages of a site have many references in common.
_REMEMBERED = 1 << 16


class CapturedUrls:
    """A set of URLs without their fragments, in a database at a path: `linkfix.containers.part.Siblings`.

    Memory use stays small, whatever the number of URLs, and several processes can read the database.
    """

    def __init__(self, path: str) -> None:
        self._database = sqlite3.connect(path)
        self._database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE IF NOT EXISTS captured(hash PRIMARY KEY) WITHOUT ROWID;"
        )
        self._contains = lru_cache(maxsize=_REMEMBERED)(self._look_up)

    def add(self, url: str) -> None:
        """Add a URL, before the first lookup."""
        values = [[_hash(form)] for form in url_forms(url)]
        self._database.executemany("INSERT OR IGNORE INTO captured VALUES (?)", values)

    def __contains__(self, url: object) -> bool:
        """Whether a URL was captured."""
        return isinstance(url, str) and self._contains(url)

    def _look_up(self, url: str) -> bool:
        found = self._database.execute("SELECT 1 FROM captured WHERE hash = ?", [_hash(url)])
        return found.fetchone() is not None

    def close(self) -> None:
        """Commit all changes and close the database."""
        self._database.commit()
        self._database.close()


def _hash(url: str) -> bytes:
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=_HASH).digest()
