"""`Saver.map_reference` for each saver: the original URL of a reference that it rewrote to name a saved file.

Instances of each class are called as `map_reference(reference, base)`; see `linkfix.model.Saver`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from linkfix.files.folder import INDEX_NAMES
from linkfix.files.references import FileReference, resolve_reference
from linkfix.saved.layout import Location
from linkfix.saved.neighbours import HTTrackMirror
from linkfix.urls import C0_CONTROL_OR_SPACE, strip_url, without_fragment

__all__ = ["FilesBeside", "HTTrackPage", "OwnFiles", "TeleportReferences", "WgetPage"]


def _folder(name: str) -> str:
    return name[: name.rfind("/") + 1]


def _host_and_path(url: str) -> tuple[str, str]:
    """Host and path of a URL; ("", "") for one that a resolver accepts and Python does not."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """A page that a browser saved: references into its NAME_files/ stay. In a page in such a folder, those to files
    beside it stay.
    """

    name: str
    """The page's name in the tree; "" where it is in no tree."""
    exists: Callable[[str], bool]
    """Whether the tree has a file of this name."""

    def __call__(self, reference: str, base: str | None) -> str | None:  # noqa: ARG002 - the common signature
        """Return "" for a reference to one of the page's own files."""
        folder = _folder(self.name)
        file = resolve_reference(strip_url(reference), folder)
        if file is None or not file.name.startswith(folder):
            return None
        first, slash, _ = file.name[len(folder) :].partition("/")
        stem = os.path.splitext(self.name[len(folder) :])[0]
        if slash and first.endswith("_files") and (not stem or first == f"{stem}_files" or self.exists(file.name)):
            return ""
        return "" if folder.endswith("_files/") and self.exists(file.name) else None


@dataclass(frozen=True, slots=True)
class FilesBeside:
    """A page whose own files are beside it or below: a relative reference to an existing file stays."""

    name: str
    """The page's name in the tree; "" where it is in no tree."""
    exists: Callable[[str], bool]
    """Whether the tree has a file of this name."""

    def __call__(self, reference: str, base: str | None) -> str | None:  # noqa: ARG002 - the common signature
        """Return "" for a reference to an existing file."""
        file = resolve_reference(strip_url(reference), _folder(self.name))
        return "" if file is not None and self.exists(file.name) else None


@dataclass(frozen=True, slots=True)
class _MirrorPage:
    """A page of a mirror."""

    name: str
    """Its name in the tree."""
    url: str | None
    """Its own URL, as browsers write it."""
    location: Location | None
    """Where it is in its mirror; None where that is not known."""
    exists: Callable[[str], bool]
    """Whether the tree has a file of this name."""
    url_of: Callable[[str], str | None]
    """The URL of the file of this name."""

    def file(self, reference: str, base: str | None) -> FileReference | None:
        """The file that a reference names, relative to the page or to the location of its BASE in the mirror."""
        folder: str | None = _folder(self.name)
        if base is not None and self.url is not None and without_fragment(base) != without_fragment(self.url):
            (own, _), (host, path) = _host_and_path(self.url), _host_and_path(base)
            if self.location is None or own != host:
                return None
            folder = self.location.folder_of(_folder(unquote(path.lstrip("/"))))
        return None if folder is None else resolve_reference(strip_url(reference), folder)


@dataclass(frozen=True, slots=True)
class WgetPage(_MirrorPage):
    """A page of a wget mirror. Without -k, its links are the original's, queries included. With it, links to files have
    no query, and name the file.
    """

    is_converted: bool = False
    """Whether -k is known to have converted its links."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """The URL of the file that the reference names."""
        file = self.file(reference, base)
        if file is None or file.query is not None or not self.exists(file.name):
            return None
        if not self.is_converted and file.name.rpartition("/")[2] == INDEX_NAMES[0]:
            return None  # it may be the original's reference
        url = self.url_of(file.name)
        return url + file.fragment if url else None


@dataclass(frozen=True, slots=True)
class HTTrackPage(_MirrorPage):
    """A page of an HTTrack mirror: all links to its files are relative, and their queries are part of the file."""

    mirror: HTTrackMirror | None = None
    """The mirror, where its index is there."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """The URL of the file that the reference names."""
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
    """A page that states the original URL of each rewritten reference, in an attribute."""

    urls: dict[str, str]
    """Reference -> its original URL."""

    def __call__(self, reference: str, base: str | None) -> str | None:  # noqa: ARG002 - the common signature
        """The original URL of the reference."""
        return self.urls.get(reference.strip(C0_CONTROL_OR_SPACE))
