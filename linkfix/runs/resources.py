"""The page to make a single file of, and the files that it shows: in a folder or in a container."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple
from urllib.parse import quote, unquote

from linkfix.containers.exchanges import exchanges
from linkfix.containers.part import Container, Limits, Note
from linkfix.display import clip
from linkfix.document.single_file import Resource
from linkfix.errors import LinkfixError
from linkfix.files.folder import FileTree
from linkfix.files.media_types import guess_media_type
from linkfix.model import PAGE_TYPES, Envelope
from linkfix.resolvers import RESOLVERS
from linkfix.runs.captured_files import CapturedFiles, FilesByUrl, at_url
from linkfix.runs.unpack import OutputFolder, has_name

#: The URL of a folder's or archive's root, so that references name its files (RFC 6761 §6.4: nobody has this host).
_ROOT = "https://files.invalid/"


class NoPage(LinkfixError):
    """Raised if a folder or container has no page, or not the one that is asked for."""


class Resources:
    """The files of a folder. `limit`: the largest file, in bytes."""

    def __init__(self, tree: FileTree, limit: int) -> None:
        self._tree = tree
        self._limit = limit

    def page(self, name: str) -> Resource:
        """The page with a name in the folder. Raises `NoPage`."""
        resource = self.find(_ROOT + quote(name, errors="surrogateescape"))
        if resource is None or resource.media_type not in PAGE_TYPES:
            message = f"{clip(name)} is no page"
            raise NoPage(message)
        return resource

    def find(self, url: str) -> Resource | None:
        """See `linkfix.document.single_file.Find`. No symbolic link is followed."""
        if not url.startswith(_ROOT):
            return None
        path = url[len(_ROOT) :]
        for name in dict.fromkeys((unquote(path, errors="surrogateescape"), unquote(path.partition("?")[0]))):
            data = self._read(name)
            if data is not None:
                media_type = guess_media_type(name, data)
                return Resource(data, media_type, Envelope(url, media_type=media_type or None), by_name=True)
        return None

    def _read(self, name: str) -> bytes | None:
        if not self._tree.has_file(name):
            return None
        try:
            with self._tree.open(name) as file:
                data = file.read(self._limit + 1)
        except OSError:
            return None
        return data if len(data) <= self._limit else None


class _Stored(NamedTuple):
    """A file of a container, in a temporary folder."""

    path: str
    media_type: str
    envelope: Envelope
    url: str
    name: str
    """The name of the part."""
    by_name: bool


class ContainerResources:
    """The files of a container, which are in a temporary folder meanwhile: see `container_resources`."""

    def __init__(self, tree: FileTree, by_url: FilesByUrl, stored: list[_Stored]) -> None:
        self._tree = tree
        self._by_url = by_url
        self._stored = {one.path: one for one in stored}
        self._names = {one.name: one for one in stored if one.by_name}

    def page(self, asked: str) -> Resource:
        """The page at a URL or with a name; "" for the main page. Raises `NoPage`."""
        pages = [one for one in self._stored.values() if one.media_type in PAGE_TYPES]
        if asked:
            path = self._by_url.path_at(RESOLVERS["whatwg"].normalize(asked) or asked)
            found = next((one for one in pages if one.path == path or one.name == asked), None)
        else:
            found = min(pages, key=_place, default=None)
        if found is None:
            known = ", ".join(clip(one.name if one.by_name else one.url or one.name) for one in pages[:_NAMED])
            message = f"it has no page {clip(asked)}: give one of {known}" if asked and known else "it has no page"
            raise NoPage(message)
        return self._resource(found)

    def find(self, url: str) -> Resource | None:
        """See `linkfix.document.single_file.Find`."""
        if url.startswith(_ROOT):
            name = unquote(url[len(_ROOT) :])
            found = self._names.get(name) or self._names.get(name.partition("?")[0])
        else:
            found = self._stored.get(self._by_url.path_at(url) or "")
        return None if found is None else self._resource(found)

    def _resource(self, stored: _Stored) -> Resource:
        with self._tree.open(stored.path) as file:
            data = file.read()
        envelope = stored.envelope
        if not stored.by_name:
            return Resource(data, stored.media_type, envelope)
        named = Envelope(_ROOT + quote(stored.name), envelope.charset, envelope.media_type)
        return Resource(data, stored.media_type, named, by_name=True, original=envelope)


#: The number of pages that a message names.
_NAMED = 3


def _place(page: _Stored) -> tuple[int, bool]:
    """The main page of an archive is an index near its root; that of another container is the first one."""
    if not page.by_name:
        return 0, False
    return page.name.count("/"), not page.name.rpartition("/")[2].lower().startswith("index.")


@contextmanager
def container_resources(
    container: Container, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits, at: str
) -> Iterator[ContainerResources]:
    """Yield the files of a container, in a temporary folder, which is removed afterwards. `at`: see `CapturedFiles`.

    Raises `NoCapture` and `OSError`.
    """
    with tempfile.TemporaryDirectory(prefix="linkfix-") as root:
        folder = OutputFolder(root, source, lambda _: None)
        files = CapturedFiles(exchanges(container, source, envelope, lambda _: None, limits), folder, at)
        stored = []
        for number, exchange in enumerate(exchanges(container, source, envelope, note, limits)):
            for file in files.files(number):
                if exchange.part is not None:
                    part = at_url(exchange.part, file.url)
                    folder.write(file.path, part.data)
                    fields = part.media_type, part.envelope, file.url, part.name, has_name(part)
                    stored.append(_Stored(file.path, *fields))
        yield ContainerResources(FileTree(os.path.realpath(root)), files.by_url, stored)
