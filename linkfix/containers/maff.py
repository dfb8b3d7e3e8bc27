"""MAFF (.maff): pages in a zip archive, a folder for each, with an index.rdf that says where the page came from.

The Mozilla Archive Format's `MAF:originalurl` is the page's retrieval URL, `MAF:indexfilename` names the page's file
beside the index, `MAF:charset` is the encoding of a page that declares none. Nothing says where the page's other files
came from, its frames among them: they have no URL. References to files of the archive stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from linkfix.containers import zipped
from linkfix.containers.common import absolute_url, container_problem, map_archive_reference
from linkfix.containers.xml_elements import NotXml, elements
from linkfix.files.media_types import guess_media_type
from linkfix.html import sniffing
from linkfix.model import Envelope, Saver

__all__ = ["SUFFIXES", "parts", "recognise", "rewrite"]

SUFFIXES = (".maff",)

_INDEX = "index.rdf"
_MAF = "http://maf.mozdev.org/metadata/rdf# "
_RESOURCE = "http://www.w3.org/1999/02/22-rdf-syntax-ns# resource"
_NAME = "MAFF"


class _IndexedPage(NamedTuple):
    """What an index.rdf says of its page."""

    url: str | None
    charset: str | None
    where: str


def recognise(head: bytes, name: str) -> bool:
    """Whether it is a zip archive that is called a MAFF file."""
    return zipped.is_zip(head) and name.lower().endswith(SUFFIXES)


def _describer(archive: zipped.Archive, envelope: Envelope) -> zipped.Describe:
    pages = dict(_pages(archive))

    def describe(member: zipped.ZipMember, data: bytes) -> tuple[str, Envelope]:
        name = member.name
        media_type = guess_media_type(name, data)
        saver = Saver(_NAME, map_reference=partial(map_archive_reference, name, archive.files))
        page = pages.get(name)
        if page is None:
            return media_type, Envelope(media_type=media_type or None, saver=saver)
        declared = page.charset is None or sniffing.sniff(data).source != "default"
        return media_type, Envelope(
            page.url,
            None if declared else page.charset,
            media_type or None,
            where=page.where,
            parent=envelope,
            saver=saver,
        )

    return describe


parts = partial(zipped.parts, describer=_describer)
rewrite = partial(zipped.rewrite, describer=_describer)


def _pages(archive: zipped.Archive) -> Iterator[tuple[str, _IndexedPage]]:
    """The pages that the indexes name, by the names of their files."""
    for member in {member.name: member for member in archive.members}.values():
        folder, slash, last = member.name.rpartition("/")
        if last != _INDEX or "/" in folder:
            continue
        data = archive.read(member.name)
        if data is None:
            continue
        try:
            said = _said(data)
        except NotXml as error:
            archive.note(container_problem("part-damaged", member.offset, f"{member.name!r}: {error}"))
            continue
        url = absolute_url(said.get("originalurl", ""))
        if url is None:
            archive.note(container_problem("part-url", member.offset, f"{member.name!r}: {said.get('originalurl')!r}"))
        page = folder + slash + (said.get("indexfilename") or "index.html")
        yield page, _IndexedPage(url, said.get("charset") or None, f"MAF:originalurl in {member.name}")


def _said(rdf: bytes) -> dict[str, str]:
    """What an index.rdf says: the names of MAF's properties -> their values."""
    found: dict[str, str] = {}
    for element in elements(rdf):
        if element.name.startswith(_MAF) and _RESOURCE in element.attributes:
            found.setdefault(element.name.removeprefix(_MAF), element.attributes[_RESOURCE])
    return found
