"""MAFF (.maff): pages in a zip archive, each in a folder with an index.rdf that states the page's URL.

In the Mozilla Archive Format, `MAF:originalurl` is the page's retrieval URL, and `MAF:indexfilename` names the page's
file beside the index. `MAF:charset` is the encoding of a page that declares no encoding. The URLs of the page's other
files, including frames, are not stated. References to files of the archive stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from linkfix.containers import zipped
from linkfix.containers.part import (
    PartsFunction,
    RewriteFunction,
    absolute_url,
    container_problem,
    map_archive_reference,
)
from linkfix.containers.xml_elements import LARGEST, NotXml, elements
from linkfix.files.media_types import guess_media_type
from linkfix.html import sniffing
from linkfix.model import Envelope, Saver

_INDEX = "index.rdf"
_MAF = "http://maf.mozdev.org/metadata/rdf# "
_RESOURCE = "http://www.w3.org/1999/02/22-rdf-syntax-ns# resource"
_NAME = "MAFF"


class _IndexedPage(NamedTuple):
    """The facts that an index.rdf states about its page."""

    url: str | None
    charset: str | None
    where: str
    """The place that states the URL, in words."""


def _describer(archive: zipped.Archive, envelope: Envelope) -> zipped.Describe:
    pages = dict(_pages(archive))

    def describe(member: zipped.ZipMember, head: bytes) -> tuple[str, Envelope]:
        name = member.name
        media_type = guess_media_type(name, head)
        saver = Saver(_NAME, map_reference=partial(map_archive_reference, name, archive.files))
        page = pages.get(name)
        if page is None:
            return media_type, Envelope(media_type=media_type or None, saver=saver)
        declares_encoding = sniffing.sniff(head).source != "default"
        return media_type, Envelope(
            page.url,
            None if declares_encoding else page.charset,
            media_type or None,
            where=page.where,
            parent=envelope,
            saver=saver,
        )

    return describe


parts: PartsFunction = partial(zipped.parts, describer=_describer)
rewrite: RewriteFunction = partial(zipped.rewrite, describer=_describer)


def _pages(archive: zipped.Archive) -> Iterator[tuple[str, _IndexedPage]]:
    """Yield the pages that the indexes describe, each with its file's name."""
    for member in {member.name: member for member in archive.members}.values():
        folder, slash, last = member.name.rpartition("/")
        if last != _INDEX or "/" in folder:
            continue
        data = archive.read(member.name, LARGEST)
        if data is None:
            continue
        try:
            stated = _properties(data)
        except NotXml as error:
            archive.note(container_problem("part-damaged", member.offset, f"{member.name!r}: {error}"))
            continue
        url = absolute_url(stated.get("originalurl", ""))
        if url is None:
            detail = f"{member.name!r}: {stated.get('originalurl')!r}"
            archive.note(container_problem("part-url", member.offset, detail))
        page = folder + slash + (stated.get("indexfilename") or "index.html")
        yield page, _IndexedPage(url, stated.get("charset") or None, f"MAF:originalurl in {member.name}")


def _properties(rdf: bytes) -> dict[str, str]:
    """Return the properties of an index.rdf, by name in MAF's namespace."""
    found: dict[str, str] = {}
    for element in elements(rdf):
        if element.name.startswith(_MAF) and _RESOURCE in element.attributes:
            found.setdefault(element.name.removeprefix(_MAF), element.attributes[_RESOURCE])
    return found
