"""The URLs that WARC files have captured. A reference to one of them works when the archive is replayed.

A set of hashes, on disk. Memory use stays small, whatever the number of URLs, and all processes that convert files can
read it.
"""

from __future__ import annotations

import hashlib
import mmap
import sqlite3
import sys
from bisect import bisect_left
from functools import lru_cache
from pathlib import Path

from linkfix.containers.part import url_forms

#: The bytes of a hash. Of ten million URLs, two have the same hash with a probability of 1 in 300,000.
_HASH = 8

#: The number of lookups that are remembered: pages of a site have many references in common.
_REMEMBERED = 1 << 16


class CapturedUrlsWriter:
    """Collects captured URLs. A temporary database on disk sorts them."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.executescript(
            "PRAGMA journal_mode = OFF; CREATE TABLE captured(hash PRIMARY KEY) WITHOUT ROWID;"
        )

    def add(self, url: str) -> None:
        """Add a URL."""
        values = [[_hash(form)] for form in url_forms(url)]
        self._database.executemany("INSERT OR IGNORE INTO captured VALUES (?)", values)

    def write(self, path: str) -> None:
        """Write the file that `CapturedUrls` reads."""
        with open(path, "wb") as file:
            found = self._database.execute("SELECT hash FROM captured ORDER BY hash")
            file.writelines(_written(number) for (number,) in found)

    def close(self) -> None:
        """Delete the database."""
        self._database.close()


class CapturedUrls:
    """The URLs without their fragments in the file at a path: `linkfix.containers.part.Siblings`."""

    def __init__(self, path: str) -> None:
        self._hashes = memoryview(b"")
        if Path(path).stat().st_size:
            with open(path, "rb") as file:
                self._hashes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        self._hashes = self._hashes.cast("q")
        self._contains = lru_cache(maxsize=_REMEMBERED)(self._look_up)

    def __contains__(self, url: object) -> bool:
        """Whether a URL was captured."""
        return isinstance(url, str) and self._contains(url)

    def _look_up(self, url: str) -> bool:
        wanted = _hash(url)
        place = bisect_left(self._hashes, wanted)
        return place < len(self._hashes) and self._hashes[place] == wanted


def _hash(url: str) -> int:
    """Return a signed number, as SQLite stores it."""
    made = hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=_HASH)
    return int.from_bytes(made.digest(), sys.byteorder, signed=True)


def _written(number: int) -> bytes:
    return number.to_bytes(_HASH, sys.byteorder, signed=True)
