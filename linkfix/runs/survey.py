"""The survey of a run: all its WARC files are read before the first one is converted.

It finds the captured URLs: references to them work in the archive, and can stay. And it decides about revisit records.
If a payload changes, its revisit records change with it. A revisit at another URL may need other links than the changed
payload has. Then either the payload stays unchanged ("keep"), or the revisit becomes a full record with its own links
("expand").
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

from linkfix.containers.captured import CapturedUrls, CapturedUrlsWriter
from linkfix.containers.part import Limits, Part, Siblings, absolute_url
from linkfix.containers.warc import StoredDocument, document_at, payload_records
from linkfix.containers.warc_revisits import RevisitedPayload, RevisitIndex, StoredOutcomes
from linkfix.containers.web_archive import ArchiveFile, WarcFile
from linkfix.model import RevisitMode

#: The largest body that is stored to expand revisits, in bytes. A larger body does not fit into the database.
_LARGEST_BODY = 1 << 29


class FileRevisits:
    """The outcomes for the revisit records of a file: an `OutcomesOf`. Close it after use."""

    def __init__(self, path: str, display_name: str) -> None:
        self._path = path
        self._name = display_name
        self._opened: list[StoredOutcomes] = []

    def __call__(self, key: str) -> StoredOutcomes | None:
        """The outcomes for a WARC file with the key `WarcFile.key`; None if no revisit record of the run matters."""
        if not self._path:
            return None
        self._opened.append(StoredOutcomes(self._path, _name(self._name, key)))
        return self._opened[-1]

    @property
    def changed(self) -> bool:
        """Whether a revisit record changed in any WARC file that was requested."""
        return any(outcomes.changed for outcomes in self._opened)

    def close(self) -> None:
        """Close the database."""
        for outcomes in self._opened:
            outcomes.close()


class Survey(NamedTuple):
    """The result of the survey of a run. It can be pickled."""

    path: str = ""
    """The path of the database of revisits; "" if no revisit record refers to a record of the run."""
    captured_path: str = ""
    """The path of the database of captured URLs; "" if they are not wanted."""

    def of(self, display_name: str) -> FileRevisits:
        """The outcomes for the revisit records of a file."""
        return FileRevisits(self.path, display_name)

    def captured(self) -> Siblings:
        """The URLs that the WARC files of the run have captured; none if they are not wanted."""
        return CapturedUrls(self.captured_path) if self.captured_path else frozenset()


def _name(display_name: str, key: str) -> str:
    return f"{display_name}!{key}"


@contextmanager
def survey(
    files: Iterable[ArchiveFile],
    change: Callable[[Part, str], bytes | None],
    limits: Limits,
    mode: RevisitMode,
    *,
    keep_parts: bool,
) -> Iterator[Survey]:
    """Survey some files. Each file is read at most twice. The result is valid until the context ends.

    `change(part, display_name)`: returns the new data of a part of a file; None if the part stays unchanged.
    `keep_parts`: whether captured URLs are wanted.
    """
    files = list(files)
    with tempfile.TemporaryDirectory(prefix="linkfix-") as folder:
        path = os.path.join(folder, "revisits")
        made = Survey(captured_path=os.path.join(folder, "captured") if keep_parts else "")
        with closing(RevisitIndex(path)) as index, closing(CapturedUrlsWriter()) as captured:
            for file, archive in _archives(files, limits):
                records = payload_records(archive.source, limits, captured.add if keep_parts else None)
                index.add(_name(file.display_name, archive.key), records)
            if keep_parts:
                captured.write(made.captured_path)
            found = index.complete()
            for file, archive in _archives(files, limits) if found else ():
                _Decisions(index, file, archive, change, limits, mode, made.captured()).store()
        yield made._replace(path=path) if found else made


def _archives(files: list[ArchiveFile], limits: Limits) -> Iterator[tuple[ArchiveFile, WarcFile]]:
    """All readable WARC files. Errors are reported later, during conversion."""
    for file in files:
        with suppress(OSError), file.open() as source:
            for archive in file.format.archives(source, limits):
                yield file, archive


class _Decisions:
    """Decides how each revisited payload of a WARC file is rewritten."""

    def __init__(
        self,
        index: RevisitIndex,
        file: ArchiveFile,
        archive: WarcFile,
        change: Callable[[Part, str], bytes | None],
        limits: Limits,
        mode: RevisitMode,
        captured: Siblings,
    ) -> None:
        self._index = index
        self._file = file
        self._archive = archive
        self._change = change
        self._limits = limits
        self._mode = mode
        self._captured = captured

    def store(self) -> None:
        """Store the decisions in the index."""
        for payload in self._index.revisited(_name(self._file.display_name, self._archive.key)):
            document = document_at(self._archive.source, payload.place, self._file.envelope, self._limits)
            if document is not None:
                self._store(payload, document)

    def _store(self, payload: RevisitedPayload, document: StoredDocument) -> None:
        new = self._convert(document.part)
        changed = None if new == document.part.data or document.must_stay else document.changed(new)
        expands = self._mode == "expand" and len(document.record.body) <= _LARGEST_BODY and not document.must_stay
        if expands:
            self._index.expand(payload, document.record, self._others(payload, document, new))
        sharer = None if changed is None or expands else next(self._others(payload, document, new), None)
        self._index.store(payload, changed, sharer)

    def _others(self, payload: RevisitedPayload, document: StoredDocument, new: bytes) -> Iterator[str]:
        """The URLs of the revisits that need other links than the converted payload `new` has."""
        for url in self._index.sharers(payload):
            envelope = document.part.envelope._replace(url=absolute_url(url.replace(" ", "%20")))
            if self._convert(document.part._replace(envelope=envelope)) != new:
                yield url

    def _convert(self, part: Part) -> bytes:
        part = part._replace(siblings=self._captured)
        if self._archive.name:
            part = part._replace(name=f"{self._archive.name} {part.name}")
        new = self._change(part, self._file.display_name)
        return part.data if new is None else new
