"""`Saver.map_reference` for each saver: returns the original URL of a reference that the saver rewrote.

Instances of each class are called as `map_reference(reference, base)`; see `linkfix.model.Saver`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from linkfix.files.folder import INDEX_NAMES, FileReference, readings, resolve_reference
from linkfix.saved.captures import capture_of
from linkfix.saved.companions import SUFFIXES, is_companion, name_key, page_stem
from linkfix.saved.neighbours import HTTrackMirror, Location, Surroundings
from linkfix.urls import C0_CONTROL_OR_SPACE, strip_url, without_fragment


def _folder(name: str) -> str:
    return name[: name.rfind("/") + 1]


def _host_and_path(url: str) -> tuple[str, str]:
    """Return the host and path of a URL; ("", "") for a URL that a resolver accepts but Python rejects."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path


class _SavedFiles(ABC):
    """Leaves references to files that were saved with a page unchanged, whether or not the files still exist."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self._last: tuple[str, bool | None] | None = None

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return "" for a reference to a file that was saved with the page."""
        return None if self._answer(reference) is None else ""

    def is_missing(self, reference: str) -> bool:
        """Whether a reference names a file that was saved with the page and is missing."""
        return self._answer(reference) is False

    def _answer(self, reference: str) -> bool | None:
        """Return the result of `_has`, cached for the last reference: both public methods are called in turn."""
        if self._last is None or self._last[0] != reference:
            self._last = reference, self._has(strip_url(reference))
        return self._last[1]

    @abstractmethod
    def _has(self, reference: str) -> bool | None:
        """Whether the file that a reference names exists; None if the file was not saved with the page."""


class OwnFiles(_SavedFiles):
    """A page that a browser saved, with its own files in a folder beside it. The page or the folder may have been
    renamed since. So any companion folder counts, unless the folder with the page's name exists and the other folder
    does not. If the page is itself in a companion folder, references to files beside it also count; browsers write
    them as "./name".
    """

    def __init__(self, around: Surroundings, *, only_dotted: bool = False) -> None:
        """`only_dotted`: whether only references that begin with "./" count."""
        super().__init__(around)
        self._only_dotted = only_dotted

    def _has(self, reference: str) -> bool | None:
        if self._only_dotted and not reference.startswith("./"):
            return None
        around = self.around
        folder = around.folder
        names = [name for name in readings(reference, folder) if name.startswith(folder)]
        own = [name for name in names if self._is_own(name[len(folder) :])]
        if any(map(around.has_file, own)):
            return True
        is_written_by_browser = any("/" in name[len(folder) :] for name in own) or reference.startswith("./")
        return not around.name if own and is_written_by_browser else None

    def _is_own(self, path: str) -> bool:
        """Whether a path, relative to the page's folder, is the path of one of the page's own files."""
        first, slash, _ = path.partition("/")
        if not slash:
            return self.around.is_in_companion
        return is_companion(first) and (self._is_companion_of_page(first) or not self._has_companion())

    def _is_companion_of_page(self, folder: str) -> bool:
        around = self.around
        return name_key(page_stem(folder)) == name_key(self._stem) or around.has_folder(around.folder + folder)

    def _has_companion(self) -> bool:
        """Whether a companion folder with the page's name exists."""
        around = self.around
        return bool(self._stem) and any(around.has_folder(around.folder + self._stem + suffix) for suffix in SUFFIXES)

    @property
    def _stem(self) -> str:
        return os.path.splitext(self.around.name[len(self.around.folder) :])[0]


class FilesBeside(_SavedFiles):
    """A page with its own files beside or below it. A relative reference to an existing file stays, and so does a
    relative reference into a companion folder.
    """

    def _has(self, reference: str) -> bool | None:
        around = self.around
        names = readings(reference, around.folder)
        if any(map(around.has_file, names)):
            return True
        below = [name[len(around.folder) :] for name in names if name.startswith(around.folder)]
        is_own = any(is_companion(path.partition("/")[0]) for path in below if "/" in path)
        return not around.name if is_own else None


@dataclass(frozen=True, slots=True)
class MirrorPage:
    """A page of a mirror."""

    name: str
    """The page's name in the tree."""
    url: str | None
    """The page's URL, normalized as browsers do; None if it is unknown."""
    location: Location | None
    """The page's location in the mirror; None if it is unknown."""
    exists: Callable[[str], bool]
    """Function that returns whether the tree has a file of this name."""
    url_of: Callable[[str], str | None]
    """Function that returns the URL of the file of this name; None if it is unknown."""

    def file(self, reference: str, base: str | None) -> FileReference | None:
        """Return the file that a reference names, relative to the page or to the location of its BASE in the mirror."""
        folder: str | None = _folder(self.name)
        if base is not None and self.url is not None and without_fragment(base) != without_fragment(self.url):
            (own, _), (host, path) = _host_and_path(self.url), _host_and_path(base)
            if self.location is None or own != host:
                return None
            folder = self.location.folder_of(_folder(unquote(path.lstrip("/"))))
        return None if folder is None else resolve_reference(strip_url(reference), folder)


@dataclass(frozen=True, slots=True)
class WgetPage:
    """A page of a wget mirror. Without -k, its links are the original links, with their queries. With -k, links to
    files have no query, and name the file.
    """

    page: MirrorPage
    is_converted: bool
    """Whether -k is known to have converted the page's links."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the URL of the file that the reference names."""
        page = self.page
        file = page.file(reference, base)
        if file is None or file.query is not None or not page.exists(file.name):
            return None
        if not self.is_converted and file.name.rpartition("/")[2] == INDEX_NAMES[0]:
            return None  # it may be the original reference
        url = page.url_of(file.name)
        return url + file.fragment if url else None


@dataclass(frozen=True, slots=True)
class HTTrackPage:
    """A page of an HTTrack mirror: all links to its files are relative, and their queries are part of the file."""

    page: MirrorPage
    mirror: HTTrackMirror | None
    """The mirror; None if it has no index."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the URL of the file that the reference names."""
        page = self.page
        file = page.file(reference, base)
        if file is None:
            return None
        url: str | None = None
        if self.mirror is not None:
            row = self.mirror.row(file.name)
            url = row[0] if row else self.mirror.failed(file.name)
        if url is None and page.exists(file.name):
            url = page.url_of(file.name)
            if url is None:
                return ""  # a file that HTTrack itself added
        if url is None or (file.query is not None and "?" not in url):
            return None  # a reference that HTTrack did not see
        return url + file.fragment


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page from an archive, if its URL in the archive is unknown. The links that the archive rewrote are on the
    archive's host, and so are all references that begin with a slash, unless a base says otherwise.
    """

    origin: str
    """The archive's scheme and host, with the slash after them."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the URL of a reference that begins with a slash."""
        text = strip_url(reference)
        if not text.startswith("/") or (base is not None and capture_of(text) is None):
            return None
        return self.origin.partition("//")[0] + text if text.startswith("//") else self.origin + text[1:]


@dataclass(frozen=True, slots=True)
class TeleportReferences:
    """A page that states the original URL of each rewritten reference in an attribute."""

    urls: dict[str, str]
    """A mapping of references to their original URLs."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the original URL of the reference."""
        return self.urls.get(reference.strip(C0_CONTROL_OR_SPACE))
