"""What stands in the tree at a URL: the tree as a server would serve it, by its names alone; no file is opened here.

The tree's root is served at `Site.url`. Names are compared byte for byte, as on a server's file system, whatever this
one does; that a name differs only in case is a finding of its own.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.audit.redirects import Redirect, Redirects
from linkfix.files.folder import INDEX_NAMES, FileTree
from linkfix.resolvers import RESOLVERS
from linkfix.schemes.uses import SPECIAL

__all__ = ["Place", "PlaceKind", "Site", "decoded"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)
#: Schemes of which a target is a place on some host.
_HOSTED = frozenset({*SPECIAL, "gopher"})
#: How savers write "?" and "/" of a query in a file's name: wget, wget for Windows, and as URLs do.
_QUERY_MARKS = ("?", "@", "%3F")
#: How many redirects a browser follows (Fetch §4.4 "HTTP-redirect fetch").
_REDIRECTS = 20


class PlaceKind(enum.Enum):
    """What a target is to the tree."""

    FILE = "a file of the tree"
    MISSING = "below the tree's URL, and not in the tree"
    CASE = "a file of the tree but for upper and lower case"
    NO_INDEX = "a folder of the tree without an index file"
    LEAVES = "a symbolic link that leads out of the tree, or in a circle"
    OUTSIDE = "on the tree's host, and not below the tree's URL"
    EXTERNAL = "another site"
    OPAQUE = "no place: mailto:, data:, javascript: and the like"
    NONE = "no target"


class Place(NamedTuple):
    """What a target is to the tree. `name`: the file or folder that is meant, "" where it lies elsewhere.

    `number`: of the file among the tree's files, -1 where it is none. `near`: for CASE, the name that is there; for
    LEAVES, the symbolic link. `fragment`: what a redirect leads to in the file, where it says so.
    """

    kind: PlaceKind
    name: str = ""
    number: int = -1
    near: str = ""
    fragment: str = ""


#: Where no redirect is looked for, unless it is forced.
_IS_THERE = frozenset({PlaceKind.FILE, PlaceKind.EXTERNAL, PlaceKind.OPAQUE})
_RESOLVER = RESOLVERS["whatwg"]
_NOWHERE = Place(PlaceKind.NONE)
_EXTERNAL = Place(PlaceKind.EXTERNAL)
_OPAQUE = Place(PlaceKind.OPAQUE)


class Site:
    """A tree's names. `files` and `folders` are names relative to the root ("" is the root), `dangling` those of
    symbolic links that lead nowhere in the tree -> why. `known`: `url` was given or inferred, and is not made up.

    `url`: the root's, ends with "/". `clean_urls`: "/a" stands for "/a.html" too.
    """

    def __init__(  # noqa: PLR0913 - what a tree has, and how it is served
        self,
        url: str,
        files: Sequence[str],
        folders: Iterable[str],
        *,
        dangling: Mapping[str, str] | None = None,
        known: bool = True,
        clean_urls: bool = False,
        redirects: Redirects | None = None,
    ) -> None:
        self.url = url
        origin = _ORIGIN.match(url)
        self.origin = origin[0] if origin else ""
        self.prefix = url[len(self.origin) :]
        self.files = files
        self.folders = frozenset(folders)
        self.dangling = dangling or {}
        self.known = known
        self.clean_urls = clean_urls
        self.redirects = redirects
        self.numbers: Mapping[str, int] = {name: number for number, name in enumerate(files)}
        self._tree = FileTree("", url)
        self._folded: dict[str, str] | None = None
        self._inner: dict[str, list[str]] | None = None
        self._queries = any(mark in name for name in files for mark in _QUERY_MARKS)

    def place(self, target: str | None) -> Place:
        """What an absolute URL is to the tree."""
        if target is None:
            return _NOWHERE
        url = target.partition("#")[0]
        if self.redirects is None:
            return self._at_url(url)
        fragment = ""
        seen = url
        for _ in range(_REDIRECTS + 1):
            rule = self._rule(self.redirects, url)
            place = self._at_url(url) if rule is None or not rule.force else _NOWHERE
            if rule is None or place.kind in _IS_THERE:
                return place._replace(fragment=fragment) if fragment else place
            url, _, own = rule.target.partition("#")
            fragment = own or fragment
            if rule.rewrites:
                return self._at_url(url)
        return Place(PlaceKind.LEAVES, decoded(seen[len(self.origin) :]))

    def _rule(self, redirects: Redirects, url: str) -> Redirect | None:
        """The rule for a URL, with an absolute target; none where that is the URL itself, as hosts have it."""
        rule = redirects.match(url[len(self.origin) :].partition("?")[0]) if self._is_own(url) else None
        if rule is None:
            return None
        target = _RESOLVER.resolve(self.url, rule.target).target or rule.target
        return None if target.rstrip("/") == url.rstrip("/") else rule._replace(target=target)

    def _at_url(self, url: str) -> Place:
        """What a URL without a fragment is to the tree, redirects aside."""
        if not self._is_own(url):
            return self._elsewhere(url)
        path, mark, query = url[len(self.origin) :].partition("?")
        if path + "/" == self.prefix:
            path = self.prefix
        if not path.startswith(self.prefix):
            return Place(PlaceKind.OUTSIDE, path)
        return self._named(path[len(self.prefix) :], mark, query)

    def _is_own(self, url: str) -> bool:
        return url.startswith(self.origin) and url[len(self.origin) : len(self.origin) + 1] in {"/", "?", ""}

    @staticmethod
    def _elsewhere(url: str) -> Place:
        scheme = url.partition(":")[0].lower()
        return _EXTERNAL if scheme in _HOSTED else _OPAQUE

    def _named(self, path: str, mark: str, query: str) -> Place:
        """What stands at a path below the root, percent-encoded as URLs are."""
        name = decoded(path)
        if mark and self._queries:
            saved = self._with_query(name, path, query)
            if saved is not None:
                return saved
        place = self._file(name)
        if place is not None:
            return place
        if "%" in path and path in self.numbers:  # a file whose name is written as in the URL: savers do that
            return self._at(path)
        folder = name.rstrip("/") if name.endswith("/") and not name.endswith("//") else name
        if folder in self.folders:
            return Place(PlaceKind.NO_INDEX, folder)
        left = self._left(name) if self.dangling else None
        if left is not None:
            return Place(PlaceKind.LEAVES, name, near=left)
        near = self.other_case(name)
        if near is not None:
            return Place(PlaceKind.CASE, name, self.numbers.get(near, -1), near)
        return Place(PlaceKind.MISSING, name)

    def _left(self, name: str) -> str | None:
        """The symbolic link that a name stands for or lies behind."""
        link = self.missing_folder(name) or name
        return link if link in self.dangling else None

    def _at(self, name: str) -> Place:
        return Place(PlaceKind.FILE, name, self.numbers[name])

    def _file(self, name: str) -> Place | None:
        """The file that a decoded path stands for: itself, the index of a folder, or its clean URL's."""
        if name in self.numbers:
            return self._at(name)
        folder = name.removesuffix("/")
        if folder in self.folders:
            for index in INDEX_NAMES:
                inner = f"{folder}/{index}" if folder else index
                if inner in self.numbers:
                    return self._at(inner)
        if self.clean_urls and folder and folder + ".html" in self.numbers:
            return self._at(folder + ".html")
        return None

    def _with_query(self, name: str, path: str, query: str) -> Place | None:
        """The file in whose name a saver kept the query; a folder's is its index file's."""
        plain = decoded(query)
        folder = name.removesuffix("/")
        indexes = [f"{folder}/{index}".lstrip("/") for index in INDEX_NAMES] if folder in self.folders else []
        for stem in dict.fromkeys((name, path, *indexes)):
            for mark in _QUERY_MARKS:
                for text in dict.fromkeys((query, plain, plain.replace("/", "%2F"))):
                    for suffix in ("", ".html"):
                        saved = f"{stem}{mark}{text}{suffix}"
                        if saved in self.numbers:
                            return self._at(saved)
        return None

    def other_case(self, name: str) -> str | None:
        """A file or folder with an index whose name differs from `name` in case alone."""
        if self._folded is None:
            self._folded = {}
            for one in (*self.folders, *self.files):
                self._folded[one.casefold()] = one
        bare = name.rstrip("/")
        near = self._folded.get(bare.casefold())
        if near is None or near == bare:
            return None
        place = self._file(near + name[len(bare) :])
        return place.name if place is not None else None

    def page_url(self, name: str) -> str:
        """The URL of a page: an index file's is its folder's, and "?" begins a query, where that leads to it."""
        url = _RESOLVER.resolve(None, self._tree.url_of(name) or "").target
        return url if url is not None and self.place(url).name == name else self.origin + self.url_path(name)

    def folder(self, url: str) -> str | None:
        """The folder of the tree that a base URL's relative references begin in; None where it is elsewhere."""
        path = url.partition("#")[0].partition("?")[0].rpartition("/")[0] + "/"
        if not path.startswith(self.url) or (self.redirects is not None and self.redirects.forced):
            return None
        name = decoded(path[len(self.url) : -1])
        return name if name in self.folders else None

    def number(self, name: str) -> int | None:
        """The number of the file that stands at a name: its own, its folder's index, or its clean URL's."""
        number = self.numbers.get(name)
        if number is None:
            place = self._file(name)
            number = place.number if place is not None else None
        return number

    def has(self, name: str) -> bool:
        """Whether a name is that of a file, or of a folder with an index."""
        return self._file(name) is not None

    def name_at_root(self, path: str) -> str | None:
        """The file that a URL's path would lead to if the tree were the root of its host."""
        place = self._file(decoded(path.lstrip("/")))
        return place.name if place is not None else None

    def missing_folder(self, name: str) -> str:
        """The outermost folder that a missing name lacks, or "" where only the file itself is missing."""
        end = name.find("/")
        while end >= 0:
            if name[:end] not in self.folders:
                return name[:end]
            end = name.find("/", end + 1)
        return ""

    def names_in(self, folder: str) -> tuple[str, ...]:
        """The names of the files in a folder, without it."""
        if self._inner is None:
            self._inner = {}
            for name in self.files:
                place, _, last = name.rpartition("/")
                self._inner.setdefault(place, []).append(last)
        return tuple(self._inner.get(folder, ()))

    def url_path(self, name: str) -> str:
        """The path of a URL for a name of the tree, from the host's root."""
        return self.prefix + quote_from_bytes(os.fsencode(name), "/!$&'()*+,;=:@")


def decoded(path: str) -> str:
    """A percent-encoded path as the name of a file."""
    return os.fsdecode(unquote_to_bytes(os.fsencode(path))) if "%" in path else path
