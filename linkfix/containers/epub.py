"""EPUB: a publication's documents in a zip archive.

Each reading system assigns a URL of its own to the archive's root (EPUB 3.3 §4.2.5). So a relative reference has no
absolute form. It names a file of the publication, and stays. A BASE element in a document counts, as in reading
systems. The package document's dc:source and dc:identifier identify the publication, and are not a base.

A file that META-INF/signatures.xml signs (EPUB 3.3 §4.2.6.3.6) stays unchanged, unless signatures may be broken.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO
from urllib.parse import unquote

from linkfix.containers import zipped
from linkfix.containers.part import (
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    PartsFunction,
    container_problem,
    ignore_count,
)
from linkfix.containers.xml_elements import LARGEST, NotXml, XmlElement, elements
from linkfix.files.media_types import guess_media_type
from linkfix.model import Envelope, Saver

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_SIGNATURES = "META-INF/signatures.xml"


def _describer(archive: zipped.Archive, _envelope: Envelope) -> zipped.Describe:
    media_types = _manifest(archive)
    encrypted = _named_files(archive, _ENCRYPTION)
    saver = Saver("EPUB", map_reference=_map_reference)

    def describe(member: zipped.ZipMember, head: bytes) -> tuple[str, Envelope] | None:
        if member.name in encrypted:
            archive.note(container_problem("part-encrypted", member.offset, repr(member.name)))
            return None
        media_type = media_types.get(member.name) or guess_media_type(member.name, head)
        return media_type, Envelope(media_type=media_type or None, saver=saver)

    return describe


parts: PartsFunction = partial(zipped.parts, describer=_describer)


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
    """See `Container.rewrite`."""
    signed: set[str] = set()

    def describer(archive: zipped.Archive, envelope: Envelope) -> zipped.Describe:
        signed.update(_named_files(archive, _SIGNATURES))
        return _describer(archive, envelope)

    def change_unsigned(part: Part) -> bytes | None:
        new = change(part)
        if new is None or new == part.data or part.name not in signed:
            return new
        code = "signature-broken" if limits.break_signatures else "part-signed"
        note(container_problem(code, 0, f"{part.name!r} in {_SIGNATURES}"))
        if limits.break_signatures:
            return new
        leave_alone(1)
        return None

    zipped.rewrite(source, out, envelope, change_unsigned, note, limits, describer, leave_alone=leave_alone)


def _named_files(archive: zipped.Archive, name: str) -> set[str]:
    """Return the files that a file of META-INF names in `URI` attributes. Their base is the archive's root."""
    return {_path("", uri) for element in _elements(archive, name) for uri in _values(element, "URI")}


def _map_reference(_reference: str, base: str | None) -> str | None:
    """`Saver.map_reference`: without a BASE element, every relative reference names a file of the publication."""
    return "" if base is None else None


def _manifest(archive: zipped.Archive) -> dict[str, str]:
    """Return the media types that package documents state, by file name (EPUB 3.3 §5.6)."""
    found: dict[str, str] = {}
    packages = {path for rootfile in _elements(archive, _CONTAINER) for path in _values(rootfile, "full-path")}
    for package in sorted(packages):
        for item in _elements(archive, package):
            for href, media_type in zip(_values(item, "href"), _values(item, "media-type"), strict=False):
                found[_path(posixpath.dirname(package), href)] = media_type.strip().lower()
    return found


def _elements(archive: zipped.Archive, name: str) -> Iterator[XmlElement]:
    data = archive.read(name, LARGEST)
    try:
        if data is not None:
            yield from elements(data)
    except NotXml as error:
        archive.note(container_problem("part-damaged", 0, f"{name!r}: {error}"))


def _values(element: XmlElement, attribute: str) -> list[str]:
    return [element.attributes[attribute]] if attribute in element.attributes else []


def _path(folder: str, href: str) -> str:
    """Return the name of the file that a reference from a folder names. No file is above the root (EPUB 3.3 §4.2.5)."""
    path = unquote(href.partition("#")[0].partition("?")[0])
    return posixpath.normpath("/" + posixpath.join(folder, path)).lstrip("/")
