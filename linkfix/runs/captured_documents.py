"""The captures of an archive, for programs that look up URLs in it: the audit.

The documents are written to a temporary folder, with names that the archive cannot choose. Nothing else is written.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from linkfix.containers import container
from linkfix.containers.exchanges import Exchange, exchanges
from linkfix.containers.part import HEADER_NAME, Limits, Part
from linkfix.document.base import fallback_base
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.model import DOCUMENT_KINDS, HTTP_HEADER_TYPE, MARKUP_TYPES, PAGE_TYPES, Envelope, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.runs.captured_files import CapturedFiles, FilesByUrl, at_url
from linkfix.runs.unpack import PathAllocator
from linkfix.urls import hide_passwords, without_credentials

_WHATWG = RESOLVERS["whatwg"]

#: The formats that a program writes that follows links.
_OF_CRAWLERS = frozenset({"warc", "wacz", "arc"})


class StoredCapture(NamedTuple):
    """A file of an archive, or the header of a response."""

    name: str
    """Its URL, or the name of its part: unique in the archive, without passwords."""
    url: str
    """The absolute URL of a document, or the base that its references are relative to; "" for none."""
    path: str
    """The path of the file with its bytes; "" if it is no document."""
    size: int
    """The size of the document, in bytes."""
    envelope: Envelope
    media_type: str
    status: int
    """The status code of the response; 0 in a container that is no web archive."""


class Captures:
    """The captures of an archive.

    `folder`: the folder of the documents. `is_crawl`: whether the program that made the archive follows links, so that
    the archive should have the pages that its pages link to.
    """

    def __init__(self, folder: str, files: FilesByUrl, *, is_crawl: bool) -> None:
        self.folder = folder
        self.is_crawl = is_crawl
        self.all: list[StoredCapture] = []
        self._files = files
        self._names: dict[str, str] = {}
        self._number_of: Counter[str] = Counter()
        self._own: dict[str, str | None] = {}
        """The base of each document without a URL -> its name; None for a base of several."""

    def add(self, path: str, url: str, part: Part, status: int) -> None:
        """Add a file. `path`: its path in `CapturedFiles`; "" for a header. Raises `OSError`."""
        name = hide_passwords(without_credentials(url)) + HEADER_NAME * (not path) if url else part.name
        self._number_of[name] += 1
        if self._number_of[name] > 1:
            name = f"{name} ({self._number_of[name]})"
        self._names[path] = name
        if not url and part.media_type in PAGE_TYPES:
            url = fallback_base(part.envelope, _WHATWG).url or ""
            self._own[url] = None if url in self._own else name
        is_document = part.media_type in DOCUMENT_KINDS
        stored = os.path.join(self.folder, str(len(self.all))) if is_document else ""
        if is_document:
            atomic.write(FilePath(stored, self.folder), part.data)
        size = len(part.data) * is_document
        self.all.append(StoredCapture(name, url, stored, size, part.envelope, part.media_type, status))

    def name_at(self, url: str) -> str | None:
        """The name of the file at a URL in the URL standard's serialization, after redirects; None for none."""
        path = self._files.path_at(url)
        return self._own.get(url) if path is None else self._names.get(path)

    def end_of_redirects(self, url: str) -> str | None:
        """The URL that the redirects from a URL lead to, itself without any; None if they form a circle."""
        return self._files.end_of_redirects(url)

    def status_at(self, url: str) -> int | None:
        """The status code of a response that is no file: without a body, or a redirect; None for no response."""
        return self._files.status_at(url)


@contextmanager
def captured_documents(path: str, format_: str, max_size: int, note: Callable[[Problem], None]) -> Iterator[Captures]:
    """The captures of an archive, until the context ends. Only the owner can read their files. Raises `OSError`.

    `format_`: a key of `CONTAINERS`. `max_size`: the maximum size of a document, in bytes. `note`: called with each
    problem of the archive.
    """
    with tempfile.TemporaryDirectory(prefix="linkfix-") as folder, open(path, "rb") as source:
        yield _read(os.path.realpath(folder), source, format_, max_size, note)


def _read(folder: str, source: BinaryIO, format_: str, max_size: int, note: Callable[[Problem], None]) -> Captures:
    limits = Limits(media_types=MARKUP_TYPES | {HTTP_HEADER_TYPE}, part=max_size)

    def read(note: Callable[[Problem], None]) -> Iterator[Exchange]:
        return exchanges(container(format_), source, Envelope(), note, limits)

    files = CapturedFiles(read(lambda _: None), PathAllocator())
    found = Captures(folder, files.by_url, is_crawl=format_ in _OF_CRAWLERS)
    for number, exchange in enumerate(read(note)):
        for file in files.files(number):
            if exchange.part is not None:
                found.add(file.path, file.url, at_url(exchange.part, file.url), file.status)
        if exchange.header is not None and files.is_used(number):
            found.add("", exchange.header.envelope.url or "", exchange.header, 0)
    return found
