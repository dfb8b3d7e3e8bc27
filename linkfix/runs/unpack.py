"""A container's parts as files of a folder, with a manifest that says where each came from.

Names come from the container, which anybody can have written: what is made of them stays in the folder, on every
system, and no two parts get one file.
"""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import unicodedata
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.containers.part import Container, Limits, Note, Part
from linkfix.document.base import fallback_base
from linkfix.files import atomic as files
from linkfix.files.folder import INDEX_NAMES
from linkfix.files.media_types import media_type, suffix_type
from linkfix.model import Envelope
from linkfix.resolvers import RESOLVERS
from linkfix.urls import SCHEME

__all__ = ["MANIFEST", "Row", "unpack"]

#: The manifest's name in the output folder.
MANIFEST = "manifest.csv"

_WHATWG = RESOLVERS["whatwg"]
#: A document's media type -> the suffix by which it is known again.
_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "image/svg+xml": ".svg",
    "text/css": ".css",
}
_URL = re.compile(SCHEME + r":(?://(?:[^/?#@]*+@)?([^/?#]*+))?([^?#]*+)(?:\?([^#]*+))?")
#: What Windows does not have in names, what no name should have, and halves of characters.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\/\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')
#: Names that are devices on Windows, with any suffix.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|\Z)", re.IGNORECASE
)
#: Bytes of a name, where systems have 255: a number is put into it, and a temporary file's name is longer.
_LONGEST_NAME = 200
#: Bytes of a path below the output folder, where Linux has 4,096 in all.
_LONGEST_PATH = 1000


class Row(NamedTuple):
    """A row of the manifest; "" where nothing is known.

    `path`: of the file, below the folder, with slashes. `url`: what its references are relative to unless the document
    says otherwise: its own retrieval URL where one can be relative to it, else that of what enclosed it. `media_type`,
    `base` (that the part or what encloses it states, where it is not the retrieval URL), `charset`: what was known from
    outside. `wanted`: the path
    that its name or URL asks for, where another had to be taken. `part`: what the container calls it.
    """

    path: str
    url: str
    media_type: str
    base: str
    charset: str
    wanted: str
    part: str


def unpack(  # noqa: PLR0913, PLR0917 - a container, what it is read with, and where to
    container: Container, source: BinaryIO, envelope: Envelope, output_folder: str, note: Note, limits: Limits
) -> list[Row]:
    """Write the parts of a container as files of a folder, and the manifest beside them; return its rows.

    Parts of an archive whose files refer to each other by their names keep these, others are called as their URL is:
    `host/path`. Files that are there are replaced, each by a complete one. Raises `OSError`; what was written until
    then stays, without a manifest.
    """
    root = os.path.realpath(output_folder)
    os.makedirs(root, exist_ok=True)
    names = _Names()
    names.take([MANIFEST])
    rows = []
    ready: set[str] = set()
    for number, part in enumerate(container.parts(source, envelope, note, limits)):
        wanted = _wanted(part, number)
        path = names.take(_safe(wanted))
        target = os.path.join(root, *path.split("/"))
        _prepare(os.path.dirname(target), root, ready)
        files.write(target, part.data)
        rows.append(_row(part, path, "/".join(wanted)))
    files.write(os.path.join(root, MANIFEST), _csv(rows))
    return rows


def _row(part: Part, path: str, wanted: str) -> Row:
    stated = part.envelope.url or ""
    base = fallback_base(part.envelope, _WHATWG).url or ""
    url = next((one for one in (stated, base) if one and _WHATWG.resolve(one, "x").target), "")
    return Row(
        path,
        url,
        part.media_type,
        base if base != _WHATWG.normalize(url) else "",
        part.envelope.charset or "",
        "" if path == wanted else wanted,
        part.name,
    )


def _csv(rows: list[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _prepare(folder: str, root: str, ready: set[str]) -> None:
    """Make a folder, which no link that stands in the output folder may lead out of it."""
    if folder in ready:
        return
    if not files.inside(os.path.realpath(folder), root):
        raise OSError(errno.EPERM, "a symbolic link leads out of the output folder", folder)
    os.makedirs(folder, exist_ok=True)
    ready.add(folder)


def _wanted(part: Part, number: int) -> list[str]:
    """The path that a part asks for, folder by folder."""
    named = part.envelope.saver.map_reference is not None
    url = None if named else _URL.match(part.envelope.url or part.envelope.base or "")
    if url is None:
        path = (part.name if named else f"part-{number + 1}").split("/")
    else:
        path = [url[1] or "", *map(_unquoted, url[2].split("/"))]
        path[-1] = path[-1] or INDEX_NAMES[0]
        if url[3]:
            path[-1] += "@" + _unquoted(url[3])  # as wget writes it where names cannot have a question mark
    suffix = _SUFFIXES.get(part.media_type, "")
    known = media_type(path[-1]) == part.media_type if suffix else bool(suffix_type(path[-1]))
    return path if named or known else [*path[:-1], path[-1] + suffix]


def _unquoted(text: str) -> str:
    """Percent-decoded, where that is UTF-8."""
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        return text


def _safe(path: list[str]) -> list[str]:
    """A path that every system can have, and that leads nowhere else."""
    segments = [segment for segment in path if segment not in {"", ".", ".."}]
    *folders, last = [_safe_name(segment) for segment in segments] or ["part"]
    length = len(last.encode())
    kept = []
    for folder in folders:
        length += len(folder.encode()) + 1
        if length > _LONGEST_PATH:
            break
        kept.append(folder)
    return [*kept, last]


def _safe_name(segment: str) -> str:
    name = _UNSAFE.sub("_", segment).strip(" ").rstrip(". ") or "_"
    if _DEVICE.match(name) or files.is_temporary(name):
        name = "_" + name
    stem, suffix = os.path.splitext(name)
    suffix = _cut(suffix, _LONGEST_NAME // 4)
    return _cut(stem, _LONGEST_NAME - len(suffix.encode())) + suffix


def _cut(text: str, length: int) -> str:
    """The first characters of a text, as many as `length` bytes of UTF-8 hold."""
    return text.encode()[:length].decode("utf-8", "ignore")


class _Names:
    """Which paths are taken. Names that differ in case alone, or in how a character is composed, are one name."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._folders: dict[str, str] = {}
        self._next: dict[str, int] = {}

    def take(self, path: list[str]) -> str:
        """A path that is not taken: this one, or one with numbers in it. Folders are shared, files never."""
        folder = ""
        for name in path[:-1]:
            key = _folded(f"{folder}{name}")
            if key not in self._folders:
                self._folders[key] = self._free(folder, name) + "/"
            folder = self._folders[key]
        return self._free(folder, path[-1])

    def _free(self, folder: str, name: str) -> str:
        stem, suffix = os.path.splitext(name)
        path = folder + name
        key = _folded(path)
        while _folded(path) in self._taken:
            self._next[key] = self._next.get(key, 1) + 1
            path = f"{folder}{stem}-{self._next[key]}{suffix}"
        self._taken.add(_folded(path))
        return path


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
