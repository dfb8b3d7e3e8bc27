"""Unpacking of a container for reading: a folder whose pages a browser opens without a network.

The container is read twice. The first time gives each file its path, by its URL; the second time writes the files, with
references to each other. Nothing is fetched. Memory holds the URLs and paths of all parts, and one part; with several
processes, which convert documents, a few parts for each of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import BinaryIO, Literal, NamedTuple, TypeAlias, cast

from linkfix.containers.exchanges import Exchange, exchanges
from linkfix.containers.part import Container, Limits, Note, Part, container_problem
from linkfix.document.document import Document
from linkfix.document.from_file import fit_to_files, with_encoding
from linkfix.model import PAGE_TYPES, PROBLEMS, Envelope, Problem
from linkfix.runs.captured_files import CapturedFiles, FilesByUrl, PartFile, at_url
from linkfix.runs.index_page import ListedPage, index_page, title_of
from linkfix.runs.plan import RunSettings
from linkfix.runs.reader import DocumentReader, part_problem
from linkfix.runs.unpack import ManifestEntry, NoFiles, OutputFolder, has_name, manifest_entry
from linkfix.runs.workers import map_in_order
from linkfix.saved.url_map import BY_PATH
from linkfix.urls import hide_passwords, without_credentials

#: The references in the files: relative to each other, absolute, or as captured.
FileLinks: TypeAlias = Literal["relative", "absolute", "keep"]

#: The index page's name in the output folder, if no part has it.
INDEX = "index.html"

#: The smallest number of documents for which other processes are started: their start takes as long as ten documents.
_FEW = 16

#: The largest document that another process converts, in bytes: some documents wait for each process in memory.
_LARGEST = 1 << 22


class Unpacked(NamedTuple):
    """The result of unpacking a container."""

    rows: list[ManifestEntry]
    index_page: str
    """The path of the index page below the folder; "" for none."""


class _PartAt(NamedTuple):
    """A part, and the path of its file."""

    part: Part
    path: str


class _Made(NamedTuple):
    """The content of a file."""

    data: bytes
    title: str = ""
    links: int = 0
    problems: tuple[Problem, ...] = ()
    is_document: bool = False


class _Maker:
    """Makes the content of files. It is pickled for other processes, with its arguments alone."""

    def __init__(self, settings: RunSettings, by_url: FilesByUrl, links: FileLinks, name: str) -> None:
        """`name`: the container's name in messages."""
        self._arguments = settings, by_url, links, name
        self._by_url = by_url
        self._links = links
        self._name = name
        self._reader = DocumentReader(settings)

    def __reduce__(self) -> tuple[type[_Maker], tuple[object, ...]]:
        return _Maker, self._arguments

    def is_for_others(self, part: Part) -> bool:
        """Whether another process may make the file of a part: not if the part is no document, or has a list of names
        with it, or if much memory is needed for several parts like it.
        """
        is_document = part.media_type in self._reader.limits.media_types
        return self._links != "keep" and is_document and not part.files and len(part.data) <= _LARGEST

    def __call__(self, task: _PartAt) -> _Made:
        """The content of the file at a path."""
        part, path = task
        read = self._reader.part(part, self._name)
        if read is None or read.document is None:
            return _Made(part.data, problems=read.problems if read else ())
        document = read.document
        title = title_of(part.data, document.encoding) if part.media_type in PAGE_TYPES else ""
        if self._links == "keep":
            return _Made(part.data, title, is_document=True)
        data, envelope = part.data, document.envelope
        options = replace(document.options, lazy=True)
        if self._links == "relative":
            options = replace(options, locate=self._by_url.locator(path), base_element="drop-href")
            data = fit_to_files(document, lambda target: self._by_url.path_at(target) is not None)
        made = Document(data, envelope=envelope, options=options).convert()
        problems = (*read.problems, *made.problems)
        return _Made(with_encoding(made.data, document, envelope), title, made.links, problems, is_document=True)


@dataclass
class _FileOfPart:
    """A file that is listed after those before it, in the order of the container."""

    part: Part
    """Without its data."""
    place: PartFile
    noted: list[Problem]
    """The problems of the container that were found before it."""
    made: _Made | None = None
    """Without its data, which is written; None if another process still makes it."""
    size: int = 0


class Unpacker:
    """Unpacks a container for reading. `advance`: called with the number of bytes and links of each file.

    The files are the same with any number of processes.
    """

    def __init__(
        self,
        container: Container,
        source: BinaryIO,
        envelope: Envelope,
        limits: Limits,
        *,
        links: FileLinks = "relative",
        at: str = "",
        name: str = "",
        processes: int = 1,
        advance: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        """`at`: the first digits of a time; see `CapturedFiles`. `name`: the container's name in messages."""
        self._read: Callable[[Note], Iterator[Exchange]] = lambda note: exchanges(
            container, source, envelope, note, limits
        )
        self._source = source
        self._links = links
        self._at = at
        self._name = name
        self._processes = processes
        self._advance = advance
        self._settings = RunSettings(
            max_size=limits.part, max_ratio=limits.ratio, max_total=limits.total, keep_parts=False
        )

    def unpack(
        self, output_folder: str, note: Note, *, note_removed: Callable[[str], None] = lambda _: None
    ) -> Unpacked:
        """Write the files, an index page and a manifest to a folder. See `OutputFolder`.

        Raises `NoCapture`; `NoFiles`, after all problems are noted; and `OSError`: files written before the error stay,
        without a manifest.
        """
        folder = OutputFolder(output_folder, self._source, note_removed)
        files = CapturedFiles(self._read(lambda _: None), folder, self._at)
        if not files:
            for _ in self._parts(files, note):
                pass
            raise NoFiles
        index = folder.take([INDEX])
        rows: list[ManifestEntry] = []
        pages: list[ListedPage] = []

        def add(file: _FileOfPart, made: _Made) -> None:
            part, (url, path, wanted, time, _) = file.part, file.place
            row = manifest_entry(part, path, wanted)._replace(time=time)
            if made.is_document and self._links == "relative" and not has_name(part):
                own_url = row.url if url.partition(":")[0] not in {"", "cid"} else ""
                row = row._replace(url=own_url, references=BY_PATH)
            rows.append(row)
            if part.media_type in PAGE_TYPES:
                pages.append(ListedPage(path, made.title, _shown(url), time, file.size))

        self._write_files(files, folder, note, add)
        folder.write(index, index_page(self._name, pages))
        rows.append(ManifestEntry(index, "", "text/html", "", "utf-8", "", "", references=BY_PATH))
        folder.write_manifest(rows)
        return Unpacked(rows, index)

    def _parts(self, files: CapturedFiles, note: Note) -> Iterator[tuple[Part, PartFile]]:
        """Yield each part that becomes a file, with the file's place, in the order of the container."""
        for number, exchange in enumerate(self._read(note)):
            if files.lacks_payload(number):
                detail = f"{_shown(exchange.urls[0])}: a revisit record of a record that is not in the archive"
                note(container_problem("part-missing", 0, detail))
            for place in files.files(number) if exchange.part is not None else ():
                yield at_url(cast("Part", exchange.part), place.url)._replace(siblings=frozenset()), place

    def _write_files(
        self, files: CapturedFiles, folder: OutputFolder, note: Note, add: Callable[[_FileOfPart, _Made], None]
    ) -> None:
        """Write the files. Report problems, and call `add` for each file, in the order of the container."""
        maker = _Maker(self._settings, files.by_url, self._links, self._name)
        waiting: deque[_FileOfPart] = deque()
        noted: list[Problem] = []

        def finish(file: _FileOfPart, made: _Made) -> None:
            folder.write(file.place.path, made.data)
            file.made, file.size = made._replace(data=b""), len(made.data)
            while waiting and (first := waiting[0]).made is not None:
                waiting.popleft()
                for problem in (*first.noted, *(part_problem(one, first.part) for one in first.made.problems)):
                    note(problem)
                self._advance(first.size, first.made.links)
                add(first, first.made)

        def tasks() -> Iterator[_PartAt]:
            """Yield what another process can make, and write everything else."""
            for part, place in self._parts(files, noted.append):
                file, task = _FileOfPart(part._replace(data=b""), place, noted.copy()), _PartAt(part, place.path)
                noted.clear()
                waiting.append(file)
                if maker.is_for_others(part):
                    yield task
                else:
                    finish(file, maker(task))

        made = map_in_order(maker, tasks(), processes=self._processes, lost=_lost, few=_FEW, weight=_weight)
        with closing(made) as results:
            for result in results:
                finish(next(file for file in waiting if file.made is None), result)
        for problem in noted:
            note(problem)


def _weight(task: _PartAt) -> float:
    """Which part of a message to a process a task fills."""
    return max(1 / 16, len(task.part.data) / (1 << 18))


def _lost(task: _PartAt, reason: str) -> _Made:
    """The content of a file whose process died: it stays as captured."""
    code = "process-ended"
    return _Made(task.part.data, problems=(Problem(code, f"{PROBLEMS[code]}: {reason}", 0, 1, 1),))


def _shown(url: str) -> str:
    """A URL without passwords."""
    return hide_passwords(without_credentials(url))
