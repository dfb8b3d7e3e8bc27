"""What becomes of the revisit records of a run: its WARC files are surveyed before the first of them is converted.

A payload that changes is followed by its revisits. Where one of another URL needs other links than the changed payload
has, either the payload stays ("keep"), or the revisit becomes a full record with links of its own ("expand").
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from linkfix.containers.common import absolute_url
from linkfix.containers.part import Limits, Part
from linkfix.containers.warc import StoredDocument, document_at, payload_records
from linkfix.containers.warc_revisits import RevisitedPayload, RevisitIndex, StoredOutcomes
from linkfix.containers.web_archive import ArchiveFile, WarcFile

RevisitMode: TypeAlias = Literal["keep", "expand"]
"""What becomes of a payload that a revisit record replays at another URL with other links: it is kept as it is, or the
revisit is expanded to a full record.
"""

#: The largest body that is stored for revisits to become full records, in bytes: more does not fit the database.
_LARGEST_BODY = 1 << 29


class FileRevisits:
    """What becomes of the revisit records of a file: an `OutcomesOf`. Close it."""

    def __init__(self, path: str, display_name: str) -> None:
        self._path = path
        self._name = display_name
        self._opened: list[StoredOutcomes] = []

    def __call__(self, key: str) -> StoredOutcomes | None:
        """What becomes of those of one of its WARC files (`WarcFile.key`); None where nothing does."""
        if not self._path:
            return None
        self._opened.append(StoredOutcomes(self._path, _name(self._name, key)))
        return self._opened[-1]

    @property
    def changed(self) -> bool:
        """Whether any of them changed, of those that were asked for."""
        return any(outcomes.changed for outcomes in self._opened)

    def close(self) -> None:
        """Close the database."""
        for outcomes in self._opened:
            outcomes.close()


class Revisits(NamedTuple):
    """What was found for the files of a run. It can be pickled."""

    path: str = ""
    """Where the database is; "" where no record revisits one of the run."""

    def of(self, display_name: str) -> FileRevisits:
        """What becomes of the revisit records of a file."""
        return FileRevisits(self.path, display_name)


def _name(display_name: str, key: str) -> str:
    return f"{display_name}!{key}"


@contextmanager
def survey(
    files: Iterable[ArchiveFile], change: Callable[[Part, str], bytes | None], limits: Limits, mode: RevisitMode
) -> Iterator[Revisits]:
    """Find what becomes of the revisit records in some files, which are read twice at most. The result lasts as long as
    the context.

    `change(part, display_name)`: the new data of a part of a file; None where it stays.
    """
    files = list(files)
    with tempfile.TemporaryDirectory(prefix="linkfix-") as folder:
        path = os.path.join(folder, "revisits")
        with closing(RevisitIndex(path)) as index:
            for file, archive in _archives(files, limits):
                index.add(_name(file.display_name, archive.key), payload_records(archive.source, limits))
            found = index.complete()
            for file, archive in _archives(files, limits) if found else ():
                _Decisions(index, file, archive, change, limits, mode).store()
        yield Revisits(path if found else "")


def _archives(files: list[ArchiveFile], limits: Limits) -> Iterator[tuple[ArchiveFile, WarcFile]]:
    """The WARC files in the files that can be read: what is wrong with others is told when they are converted."""
    for file in files:
        with suppress(OSError), file.open() as source:
            for archive in file.format.archives(source, limits):
                yield file, archive


class _Decisions:
    """What becomes of the revisited payloads of a WARC file."""

    def __init__(
        self,
        index: RevisitIndex,
        file: ArchiveFile,
        archive: WarcFile,
        change: Callable[[Part, str], bytes | None],
        limits: Limits,
        mode: RevisitMode,
    ) -> None:
        self._index = index
        self._file = file
        self._archive = archive
        self._change = change
        self._limits = limits
        self._mode = mode

    def store(self) -> None:
        """Store them in the index."""
        for payload in self._index.revisited(_name(self._file.display_name, self._archive.key)):
            document = document_at(self._archive.source, payload.place, self._file.envelope, self._limits)
            if document is not None:
                self._store(payload, document)

    def _store(self, payload: RevisitedPayload, document: StoredDocument) -> None:
        new = self._convert(document.part)
        if new == document.part.data or document.must_stay:
            self._index.store(payload, None)
            return
        others = self._others(payload, document, new)
        if self._mode == "expand" and len(document.record.body) <= _LARGEST_BODY:
            self._index.expand(payload, document.record, others)
            self._index.store(payload, document.changed(new))
        else:
            self._index.store(payload, document.changed(new), next(others, None))

    def _others(self, payload: RevisitedPayload, document: StoredDocument, new: bytes) -> Iterator[str]:
        """The URLs of revisits that need other links than the payload has when it is `new`."""
        for url in self._index.sharers(payload):
            envelope = replace(document.part.envelope, url=absolute_url(url.replace(" ", "%20")))
            if self._convert(document.part._replace(envelope=envelope)) != new:
                yield url

    def _convert(self, part: Part) -> bytes:
        if self._archive.name:
            part = part._replace(name=f"{self._archive.name} {part.name}")
        new = self._change(part, self._file.display_name)
        return part.data if new is None else new
