"""Where references lead that a saver made to lead to its own files.

Instances of each class are called as `Saver.map_reference` is (see `linkfix.model`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from linkfix.document.base import page
from linkfix.files.folder import INDEX_NAMES
from linkfix.saved.layout import Location
from linkfix.saved.neighbours import HTTrackMirror
from linkfix.urls import C0_CONTROL_OR_SPACE, strip_url

__all__ = ["FilesBeside", "HTTrackMirrorPage", "OwnFiles", "TeleportReferences", "WgetMirror"]

#: No file's name is longer: Linux's PATH_MAX, the largest of any system.
_LONGEST = 4096


class _File(NamedTuple):
    """A file that a reference names: its name in the tree; the reference's query, or None; its fragment with `#`."""

    name: str
    query: str | None
    fragment: str


def _file(reference: str, folder: str) -> _File | None:
    """The file that a path-relative reference names, seen from a folder of the tree ("" or with a final slash)."""
    reference = strip_url(reference)
    before, mark, after = reference.partition("#")
    path, question, query = before.partition("?")
    path = path.replace("\\", "/")
    if not path or path.startswith("/") or len(path) > _LONGEST:
        return None
    names: list[str] = []
    for segment in (folder + path).split("/"):
        name = os.fsdecode(unquote_to_bytes(segment))
        if name == "..":
            if not names:
                return None
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    whole = "/".join(names)
    if path.endswith("/") or not whole or "\0" in whole:
        return None
    return _File(whole, query if question else None, mark + after)


def _folder(name: str) -> str:
    return name[: name.rfind("/") + 1]


def _parts(url: str) -> tuple[str, str]:
    """Host and path of a URL; a resolver may let through one that is none to Python."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path


def _segments(folder: str) -> str:
    """A folder's name as the path of a reference."""
    return folder.replace("%", "%25")


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """A page that a browser saved: what is in its NAME_files/ stays; so does what is beside a page in such a folder.

    `name`: the page's in the tree, "" where there is none. `exists(name)`: whether the tree has such a file.
    """

    name: str
    exists: Callable[[str], bool]

    def __call__(self, reference: str, base: str | None) -> str | None:  # noqa: ARG002 - as all are called
        """The empty string for a reference to the page's own files."""
        folder = _folder(self.name)
        file = _file(reference, _segments(folder))
        if file is None or not file.name.startswith(folder):
            return None
        first, slash, _ = file.name[len(folder) :].partition("/")
        stem = os.path.splitext(self.name[len(folder) :])[0]
        if slash and first.endswith("_files") and (not stem or first == f"{stem}_files" or self.exists(file.name)):
            return ""
        return "" if folder.endswith("_files/") and self.exists(file.name) else None


@dataclass(frozen=True, slots=True)
class FilesBeside:
    """A page whose own files are beside it or below: a relative reference to a file that is there stays."""

    name: str
    exists: Callable[[str], bool]

    def __call__(self, reference: str, base: str | None) -> str | None:  # noqa: ARG002 - as all are called
        """The empty string for a reference to a file that is there."""
        file = _file(reference, _segments(_folder(self.name)))
        return "" if file is not None and self.exists(file.name) else None


@dataclass(frozen=True, slots=True)
class _MirrorPage:
    """A page of a mirror. `url`: its own, as browsers write it; `location`: where its host's folder is, None where that
    is not known; `url_of(name)`: the URL of another file.
    """

    name: str
    url: str | None
    location: Location | None
    exists: Callable[[str], bool]
    url_of: Callable[[str], str | None]

    def file(self, reference: str, base: str | None) -> _File | None:
        """The file that a reference leads to: seen from the page, or from the place of a BASE in the mirror."""
        folder: str | None = _folder(self.name)
        if base is not None and self.url is not None and page(base) != page(self.url):
            (own, _), (host, path) = _parts(self.url), _parts(base)
            if self.location is None or own != host:
                return None
            folder = self.location.folder_of(_folder(unquote(path.lstrip("/"))))
        return None if folder is None else _file(reference, _segments(folder))


@dataclass(frozen=True, slots=True)
class WgetMirror(_MirrorPage):
    """A page of a wget mirror. Without -k its links are the original's, and a query is one; with it, links to files
    have none, and lead to what the file's name says. `converted`: it is known to be one of those.
    """

    converted: bool = False

    def __call__(self, reference: str, base: str | None) -> str | None:
        """The URL of the file that the reference leads to."""
        file = self.file(reference, base)
        if file is None or file.query is not None or not self.exists(file.name):
            return None
        if not self.converted and file.name.rpartition("/")[2] == INDEX_NAMES[0]:
            return None  # as the original has it, it may be
        url = self.url_of(file.name)
        return url + file.fragment if url else None


@dataclass(frozen=True, slots=True)
class HTTrackMirrorPage(_MirrorPage):
    """A page of an HTTrack mirror: all links to files of it are relative; the query of one says nothing more."""

    mirror: HTTrackMirror | None = None

    def __call__(self, reference: str, base: str | None) -> str | None:
        """The URL of the file that the reference leads to."""
        file = self.file(reference, base)
        if file is None:
            return None
        url: str | None = None
        if self.mirror is not None:
            row = self.mirror.row(file.name)
            url = row[0] if row else self.mirror.failed(file.name)
        if url is None and self.exists(file.name):
            url = self.url_of(file.name)
            if url is None:
                return ""  # a file of HTTrack's own
        if url is None or (file.query is not None and "?" not in url):
            return None  # a reference that HTTrack did not see
        return url + file.fragment


@dataclass(frozen=True, slots=True)
class TeleportReferences:
    """A page that says of each rewritten reference what it was. `urls`: reference -> URL."""

    urls: dict[str, str]

    def __call__(self, reference: str, base: str | None) -> str | None:  # noqa: ARG002 - as all are called
        """What the reference was."""
        return self.urls.get(reference.strip(C0_CONTROL_OR_SPACE))
