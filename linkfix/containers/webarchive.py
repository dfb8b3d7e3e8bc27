"""Safari's web archives (.webarchive): a page and its resources in a property list, binary or XML.

WebMainResource is the page, WebSubresources are its resources, and WebSubframeArchives are the archives of its frames.
WebResourceURL is the retrieval URL of a resource, WebResourceMIMEType its media type, and WebResourceTextEncodingName
the encoding that its text was read in. References to resources of the archive work offline.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import BinaryIO, NamedTuple

from linkfix.containers.part import (
    Allowance,
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    absolute_url,
    container_problem,
    ignore_count,
)
from linkfix.containers.pieces import NotBase64, join_pieces
from linkfix.containers.property_lists import DataSpan, InvalidPropertyList, Value, property_list
from linkfix.files.media_types import HEADER, declared_type
from linkfix.files.window import Window, open_window
from linkfix.model import Envelope
from linkfix.urls import without_fragment

_MAIN, _OTHERS, _FRAMES = "WebMainResource", "WebSubresources", "WebSubframeArchives"

_DATA = "WebResourceData"

_URL, _TYPE, _ENCODING = "WebResourceURL", "WebResourceMIMEType", "WebResourceTextEncodingName"

_WANTED = frozenset({_MAIN, _OTHERS, _FRAMES, _DATA, _URL, _TYPE, _ENCODING})


class _SavedResource(NamedTuple):
    """A resource of an archive."""

    name: str
    """Its name in messages: the path of its value in the property list."""
    data: DataSpan
    url: str
    media_type: str
    encoding: str


class _SafariArchive:
    """Reads an archive."""

    def __init__(self, raw: Window, envelope: Envelope, note: Note, limits: Limits) -> None:
        self._list = property_list(raw)
        self._raw = raw
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._allowance = Allowance(limits, raw.size)
        self._resources: list[_SavedResource] = []
        try:
            root = self._list.value(_WANTED)
        except InvalidPropertyList as error:
            self._report("container-damaged", error.offset, f"the property list cannot be read: {error.detail}")
        else:
            if not isinstance(root, dict) or _MAIN not in root:
                self._report("container-damaged", 0, f"it has no {_MAIN}")
            self._resources += self._read_archive(root, "")
        # In the order of the file, which is read and written once.
        self._resources.sort(key=attrgetter("data.start"))
        urls = {absolute_url(resource.url) for resource in self._resources} - {None}
        self._siblings = frozenset(str(without_fragment(url)) for url in urls)

    def _report(self, code: str, offset: int, detail: str) -> None:
        self._note(container_problem(code, offset, detail))

    def _read_archive(self, archive: Value, path: str) -> Iterator[_SavedResource]:
        if not isinstance(archive, dict):
            return
        others, frames = archive.get(_OTHERS), archive.get(_FRAMES)
        resources = [(f"{path}{_MAIN}", archive.get(_MAIN))]
        if isinstance(others, list):
            resources += [(f"{path}{_OTHERS}[{number}]", one) for number, one in enumerate(others)]
        for name, resource in resources:
            if isinstance(resource, dict):
                data = resource.get(_DATA)
                texts = [text if isinstance(text := resource.get(key), str) else "" for key in (_URL, _TYPE, _ENCODING)]
                if isinstance(data, DataSpan):
                    yield _SavedResource(name, data, *texts)
                else:
                    self._report("part-missing", 0, f"{name}: {texts[0]!r}")
        if isinstance(frames, list):
            for number, frame in enumerate(frames):
                yield from self._read_archive(frame, f"{path}{_FRAMES}[{number}].")

    def parts(self) -> Iterator[Part]:
        """Yield the resources that can be read."""
        for resource in self._allowed():
            part = self._part(resource)
            if part is not None:
                yield part

    def _allowed(self) -> Iterator[_SavedResource]:
        for number, resource in enumerate(self._resources):
            if self._allowance.is_spent:
                return
            if number == self._limits.parts:
                self._report("too-many-parts", resource.data.start, f"more than {self._limits.parts:,}")
                return
            yield resource

    def _part(self, resource: _SavedResource) -> Part | None:
        """Return a resource as a part; None if it cannot be read."""
        name, data, url, media_type, encoding = resource
        try:
            content = join_pieces(self._list.pieces(data), self._allowance.limit(data.size))
        except NotBase64:
            self._report("part-damaged", data.start, f"{name}: not base64")
            return None
        if content is None:
            reached = self._allowance.reached(data.size)
            self._report(reached.code, data.start, f"{name}: {reached.detail}")
            return None
        self._allowance.spend(len(content))
        stated = absolute_url(url)
        if stated is None:
            self._report("part-url", data.start, f"{name}: {url!r}")
        type_ = declared_type(lambda field: [media_type] if field == "content-type" and media_type else [])
        media_type = type_.media_type(content[:HEADER])
        envelope = Envelope(
            stated,
            encoding or None,
            media_type,
            where=_URL if stated else "",
            parent=self._envelope,
        )
        return Part(name, content, media_type, envelope, self._siblings)

    def copy(self, out: BinaryIO, change: Change, leave_alone: LeaveAlone) -> None:
        """Write the archive, with the resources that `change` changes."""
        # Changed data is kept until all of it is known: the offsets of a binary list depend on it.
        changed: list[tuple[DataSpan, bytes]] = []
        count = 0
        for data, sharing in groupby(self._allowed(), attrgetter("data")):
            parts = [part for resource in sharing if (part := self._part(resource)) is not None]
            made = [(part.data, change(part)) for part in parts]
            new = {old if one is None else one for old, one in made}
            if len(new) > 1:
                leave_alone(sum(one is not None for _, one in made))
                names = ", ".join(part.name for part in parts)
                self._report("part-shared", data.start, names)
            elif made and (one := new.pop()) != made[0][0]:
                changed.append((data, one))
                count += len(made)
        try:
            edits = list(self._list.edits(changed)) if changed else []
        except InvalidPropertyList as error:
            leave_alone(count)
            self._report("container-damaged", error.offset, error.detail)
            edits = []
        out.writelines(self._raw.edited(edits))


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the resources of an archive; see `Container.parts`. Memory holds one resource."""
    with open_window(source) as raw:
        yield from _SafariArchive(raw, envelope, note, limits).parts()


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,
) -> None:
    """Copy an archive, with the resources that `change` changes; see `Container.rewrite`. Memory holds these."""
    with open_window(source) as raw:
        _SafariArchive(raw, envelope, note, limits).copy(out, change, leave_alone)
