"""Writing of a container's parts to a folder as they are, with a manifest of their URLs.

The names in a container are untrusted. All files stay inside the folder, their names are valid on every system, and no
two parts share a file.
"""

from __future__ import annotations

import errno
import io
import os
import re
import unicodedata
from collections.abc import Callable
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.containers.part import Container, Limits, Note, Part
from linkfix.display import UNSAFE, name_without_commands, visible, write_rows
from linkfix.document.base import fallback_base
from linkfix.document.decide import MESSAGE
from linkfix.errors import LinkfixError
from linkfix.files import atomic, descriptors
from linkfix.files.data_formats import JSON_FEED, JSON_SUFFIX, XML_DATA_TYPES, XML_SUFFIXES
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import INDEX_NAMES
from linkfix.files.media_types import MEDIA_TYPES, SUFFIXES, media_type_of_suffix, suffix_of_media_type
from linkfix.model import PAGE_TYPES, Envelope
from linkfix.resolvers import RESOLVERS
from linkfix.urls import SCHEME, hide_passwords, without_credentials

#: The manifest's name in the output folder.
MANIFEST = "manifest.csv"


_WHATWG = RESOLVERS["whatwg"]
_URL = re.compile(SCHEME + r":(?://([^/?#]*+))?([^?#]*+)(?:\?([^#]*+))?")
#: Characters that Windows forbids in names, and characters that output escapes.
_UNSAFE = dict.fromkeys((*UNSAFE, *map(ord, '<>:"|?*\\/')), "_")
#: Names of devices on Windows, with any suffix.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|\Z)", re.IGNORECASE
)
#: The longest name, in bytes. Systems allow 255; a number or the name of a temporary file needs the rest.
_LONGEST_NAME = 200
#: The longest path below the output folder, in bytes. Linux allows 4,096 for a whole path.
_LONGEST_PATH = 1000


class ManifestEntry(NamedTuple):
    """A row of the manifest. Unknown values are ""."""

    path: str
    """The file's path below the folder, with slashes."""
    url: str
    """The part's retrieval URL if references can be relative to it, else its fallback base URL.

    No URL in the manifest has a user name or password.
    """
    media_type: str
    """The media type that the container states."""
    base: str
    """The base URL that the part or its parent states, if it differs from `url`."""
    charset: str
    """The charset that the container states or implies."""
    wanted: str
    """The path that the part's name or URL asks for, if another path was used."""
    part: str
    """The part's name in the container."""
    time: str = ""
    """The time of the capture in UTC, as digits: YYYYMMDDhhmmss."""
    references: str = ""
    """`BY_PATH` if references in the file lead to other files of the folder: see `linkfix.saved.url_map`."""


class NoFiles(LinkfixError):
    """Raised if nothing in a container becomes a file."""

    def __init__(self) -> None:
        super().__init__("nothing in it can be read")


class OutputFolder:
    """A folder that a container's parts are written to.

    No link in the folder is followed. Existing files are replaced atomically, except the container itself: a part gets
    another name. Temporary files that a killed run left in a folder are removed before the folder is used, and
    `note_removed` receives the path of each. Raises `OSError`.
    """

    def __init__(self, folder: str, source: BinaryIO, note_removed: Callable[[str], None]) -> None:
        self._root = os.path.realpath(folder)
        self._source = source
        self._note_removed = note_removed
        self._names = PathAllocator()
        self._names.take([MANIFEST])
        self._ready: set[str] = set()
        os.makedirs(self._root, exist_ok=True)
        if self._is_input(MANIFEST):
            path = os.path.join(self._root, MANIFEST)
            raise FileExistsError(errno.EEXIST, "it is the input: give another folder", path)
        self._prepare(self._root)

    def take(self, wanted: list[str]) -> str:
        """Take a free path below the folder: the one that is wanted, or a safe one like it."""
        path = self._names.take(safe_path(wanted))
        while self._is_input(path):
            path = self._names.take(safe_path(wanted))
        return path

    def write(self, path: str, data: bytes) -> None:
        """Write a file."""
        target = os.path.join(self._root, *path.split("/"))
        self._prepare(os.path.dirname(target))
        atomic.write(FilePath(target, self._root), data)

    def write_manifest(self, rows: list[ManifestEntry]) -> None:
        """Write the manifest, after all other files."""
        text = io.StringIO(newline="")
        write_rows(text, [ManifestEntry._fields, *rows])
        self.write(MANIFEST, text.getvalue().encode())

    def _prepare(self, folder: str) -> None:
        if folder in self._ready:
            return
        descriptors.make_folder(folder, inside=self._root)
        self._ready.add(folder)
        for leftover in atomic.remove_leftovers(FilePath(folder, self._root)):
            self._note_removed(leftover)

    def _is_input(self, path: str) -> bool:
        """Whether a file that would be written is the container itself, under this or another name."""
        try:
            target = os.stat(os.path.join(self._root, *path.split("/")))
            return os.path.samestat(os.fstat(self._source.fileno()), target)
        except OSError:  # there is no such file; `io.UnsupportedOperation`: the container is no file
            return False


def unpack(
    container: Container,
    source: BinaryIO,
    envelope: Envelope,
    output_folder: str,
    note: Note,
    limits: Limits,
    *,
    note_removed: Callable[[str], None] = lambda _: None,
) -> list[ManifestEntry]:
    """Write the parts of a container and a manifest to a folder. Returns the manifest's rows.

    Parts of an archive whose files refer to each other keep their names. Other parts are named after their URL:
    `host/path`. See `OutputFolder`. Raises `NoFiles`; and `OSError`: files written before the
    error stay, without a manifest.
    """
    folder = OutputFolder(output_folder, source, note_removed)
    rows = []
    for number, part in enumerate(container.parts(source, envelope, note, limits)):
        wanted = wanted_path(part, part.envelope.url or part.envelope.base or "", number)
        path = folder.take(wanted)
        folder.write(path, part.data)
        rows.append(manifest_entry(part, path, "/".join(wanted)))
    if not rows:
        raise NoFiles
    folder.write_manifest(rows)
    return rows


def manifest_entry(part: Part, path: str, wanted: str) -> ManifestEntry:
    """The manifest's row of a part. `wanted`: the path that its name or URL asks for.

    A URL that only the message gives a meaning is not one of the file.
    """
    stated, base = (
        "" if url is None or url.startswith(MESSAGE) else url
        for url in (part.envelope.url, fallback_base(part.envelope, _WHATWG).url)
    )
    url = next((one for one in (stated, base) if one and _WHATWG.resolve(one, "x").target), "")
    return ManifestEntry(
        path,
        _written(url),
        part.media_type,
        _written(base) if base != _WHATWG.normalize(url) else "",
        part.envelope.charset or part.envelope.identified_charset or "",
        "" if path == wanted else hide_passwords(wanted),
        hide_passwords(part.name),
        part.time,
    )


def _written(url: str) -> str:
    """A URL for the manifest: without user name and password, and percent-encoded if output would escape it."""
    url = _without_passwords(url)
    return url if visible(url) == url else _WHATWG.normalize(url) or ""


#: The suffix of web app manifests. Pages refer to manifests by any name, so a manifest keeps the suffix that it has.
_ANY_NAME = ".webmanifest"


def wanted_path(part: Part, url: str, number: int) -> list[str]:
    """The path that a part asks for by its name in an archive or by its URL, as a list of segments.

    `url`: "" for none. `number`: of the part in its container.
    """
    if has_name(part):
        return hide_passwords(part.name).split("/")
    match = _URL.match(_without_passwords(url))
    if match is None:
        path = [f"part-{number + 1}"]
    else:
        path = [*filter(None, [match[1]]), *map(_unquote, match[2].removeprefix("/").split("/"))]
        path[-1] = path[-1] or INDEX_NAMES[0]
        if match[3]:
            path[-1] += "@" + _unquote(match[3])  # as wget does if names cannot contain a question mark
    return [*path[:-1], _with_suffix(path[-1], part.media_type)]


def has_name(part: Part) -> bool:
    """Whether a part is a file of an archive whose files refer to each other by their names."""
    return part.envelope.saver.map_reference is not None


#: Suffixes of media types, where Python's table has none or another first.
_SUFFIXES = {
    **SUFFIXES,
    JSON_FEED: JSON_SUFFIX,
    "text/javascript": ".js",
    "application/javascript": ".js",
    "application/x-javascript": ".js",
    "image/jpeg": ".jpg",
    "image/x-icon": ".ico",
    "image/vnd.microsoft.icon": ".ico",
    "font/woff": ".woff",
    "font/woff2": ".woff2",
    "text/plain": ".txt",
}

#: Kinds of media types whose programs tell one type from another by the first bytes, whatever the suffix.
_SNIFFED = ("image/", "audio/", "video/", "font/")

#: Media types of files that browsers show as pages.
_ACTIVE = frozenset({*PAGE_TYPES, "image/svg+xml", *XML_DATA_TYPES})


def _with_suffix(name: str, type_: str) -> str:
    """A file name whose last suffix tells browsers and linkfix its media type, whatever query is in the name."""
    last = os.path.splitext(name)[1].lower()
    own = media_type_of_suffix(name)
    suffix = _SUFFIXES.get(type_, ".xml" if type_ in XML_DATA_TYPES else "")
    if type_ in XML_DATA_TYPES:
        has_suffix = last in {suffix, *XML_SUFFIXES}
    elif type_ in SUFFIXES and suffix != _ANY_NAME:
        has_suffix = MEDIA_TYPES.get(last) == type_
    else:
        is_alike = own == type_ or own.startswith(_SNIFFED) == type_.startswith(_SNIFFED)
        has_suffix = bool(own) and is_alike and own not in _ACTIVE
        suffix = suffix or suffix_of_media_type(type_) or (".bin" if own in _ACTIVE and type_ else "")
    return name if has_suffix else name + suffix


def _without_passwords(url: str) -> str:
    """A URL without its user name and password, and without the passwords of URLs in it."""
    return hide_passwords(without_credentials(url))


def _unquote(text: str) -> str:
    """Percent-decode text if the result is UTF-8, and hide the passwords of the URLs in the result."""
    try:
        return hide_passwords(unquote_to_bytes(text).decode("utf-8"))
    except UnicodeDecodeError:
        return text


def safe_path(path: list[str]) -> list[str]:
    """The nearest path that is valid on every system and stays inside the folder."""
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
    # The manifest must name the file exactly. But like all output, it escapes commands of CI services.
    name = name_without_commands(segment.translate(_UNSAFE)).strip(" ").rstrip(". ") or "_"
    if _DEVICE.match(name) or atomic.is_temporary(name):
        name = "_" + name
    stem, suffix = os.path.splitext(name)
    suffix = _cut(suffix, _LONGEST_NAME // 4)
    return _cut(stem, _LONGEST_NAME - len(suffix.encode())) + suffix


def _cut(text: str, length: int) -> str:
    """The beginning of a text, at most `length` bytes of UTF-8."""
    return text.encode()[:length].decode("utf-8", "ignore")


class PathAllocator:
    """Chooses a unique path for each file. Names that differ only in case or Unicode normalization count as equal."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._folders: dict[str, str] = {}
        self._next: dict[str, int] = {}

    def take(self, path: list[str]) -> str:
        """Take a free path: `path`, or `path` with numbers added to its names. Files share folders, but no paths."""
        folder = ""
        for name in path[:-1]:
            key = _fold(f"{folder}{name}")
            if key not in self._folders:
                self._folders[key] = self._free(folder, name) + "/"
            folder = self._folders[key]
        return self._free(folder, path[-1])

    def _free(self, folder: str, name: str) -> str:
        stem, suffix = os.path.splitext(name)
        path = folder + name
        key = _fold(path)
        while _fold(path) in self._taken:
            self._next[key] = self._next.get(key, 1) + 1
            path = f"{folder}{stem}-{self._next[key]}{suffix}"
        self._taken.add(_fold(path))
        return path


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
