"""Unpacking of a container for reading: a folder whose pages a browser opens without a network.

The container is read twice. The first time gives each file its path, by its URL; the second time writes the files, with
references to each other. Nothing is fetched. Memory holds one part, and the URLs and paths of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO, Literal, NamedTuple, TypeAlias

from linkfix.containers.exchanges import Exchange, exchanges
from linkfix.containers.part import Container, Limits, Note, Part
from linkfix.document.document import Document
from linkfix.document.from_file import fit_to_files, with_encoding
from linkfix.model import PAGE_TYPES, Envelope
from linkfix.runs.captured_files import CapturedFiles, PartFile, at_url
from linkfix.runs.index_page import ListedPage, index_page, title_of
from linkfix.runs.plan import RunSettings
from linkfix.runs.reader import DocumentReader, part_problem
from linkfix.runs.unpack import ManifestEntry, OutputFolder, has_name, manifest_entry
from linkfix.saved.url_map import BY_PATH
from linkfix.urls import hide_passwords, without_credentials

#: The references in the files: relative to each other, absolute, or as captured.
FileLinks: TypeAlias = Literal["relative", "absolute", "keep"]

#: The index page's name in the output folder, if no part has it.
INDEX = "index.html"


class Unpacked(NamedTuple):
    """The result of unpacking a container."""

    rows: list[ManifestEntry]
    index_page: str
    """The path of the index page below the folder; "" for none."""


class Unpacker:
    """Unpacks a container for reading. `advance`: called with the number of bytes and links of each file."""

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
        self._advance = advance
        settings = RunSettings(max_size=limits.part, max_ratio=limits.ratio, max_total=limits.total, keep_parts=False)
        self._reader = DocumentReader(settings)

    def unpack(
        self, output_folder: str, note: Note, *, note_removed: Callable[[str], None] = lambda _: None
    ) -> Unpacked:
        """Write the files, an index page and a manifest to a folder. See `OutputFolder`.

        Raises `OSError`: files written before the error stay, without a manifest.
        """
        folder = OutputFolder(output_folder, self._source, note_removed)
        files = CapturedFiles.of(self._read(lambda _: None), folder, self._at)
        index = folder.take([INDEX])
        rows: list[ManifestEntry] = []
        pages: list[ListedPage] = []
        for number, exchange in enumerate(self._read(note)):
            for file in files.files(number):
                if exchange.part is None:
                    continue
                part = at_url(exchange.part, file.url)
                data, title, is_document = self._convert(part, file, files, note)
                folder.write(file.path, data)
                row = manifest_entry(part, file.path, file.wanted)._replace(time=file.time)
                if is_document and self._links == "relative" and not has_name(part):
                    own_url = row.url if file.url.partition(":")[0] not in {"", "cid"} else ""
                    row = row._replace(url=own_url, references=BY_PATH)
                rows.append(row)
                if part.media_type in PAGE_TYPES:
                    pages.append(ListedPage(file.path, title, _shown(file.url), file.time, len(data)))
        folder.write(index, index_page(self._name, pages))
        rows.append(ManifestEntry(index, "", "text/html", "", "utf-8", "", "", references=BY_PATH))
        folder.write_manifest(rows)
        return Unpacked(rows, index)

    def _convert(self, part: Part, file: PartFile, files: CapturedFiles, note: Note) -> tuple[bytes, str, bool]:
        """The bytes of a file, its title, and whether it is a document."""
        read = self._reader.part(part, self._name)
        if read is None or read.document is None:
            for problem in read.problems if read else ():
                note(part_problem(problem, part))
            self._advance(len(part.data), 0)
            return part.data, "", False
        document = read.document
        title = title_of(part.data, document.encoding) if part.media_type in PAGE_TYPES else ""
        if self._links == "keep":
            self._advance(len(part.data), 0)
            return part.data, title, True
        data = part.data
        envelope = document.envelope
        options = replace(document.options, lazy=True)
        if self._links == "relative":
            options = replace(options, locate=files.locator(file.path), base_element="drop-href")
            data = fit_to_files(document, lambda target: files.path_at(target) is not None)
        made = Document(data, envelope=envelope, options=options).convert()
        for problem in (*read.problems, *made.problems):
            note(part_problem(problem, part))
        self._advance(len(data), made.links)
        return with_encoding(made.data, document, envelope), title, True


def _shown(url: str) -> str:
    """A URL without passwords."""
    return hide_passwords(without_credentials(url))
