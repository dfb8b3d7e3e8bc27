"""The map of a run's files: the file at each URL, and the references from one file to another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.document.relocation import relative_path
from linkfix.files.folder import INDEX_NAMES
from linkfix.resolvers import RESOLVERS

#: RFC 3986 §3.3: the characters of a path that need no escape.
_IN_PATH = "/!$&'()*+,;=:@"


class _Key(NamedTuple):
    """A URL as it is compared: with its escapes decoded, and without http or https."""

    host: str
    """The rest of the URL before the path."""
    path: str
    query: str | None
    """None for no query."""


def _key(url: str) -> _Key | None:
    """The key of a URL in the URL standard's serialization; None if it is not http, https or file."""
    scheme, _, rest = url.partition("#")[0].partition("://")
    if scheme not in {"http", "https", "file"}:
        return None
    before, mark, query = rest.partition("?")
    host, slash, path = before.partition("/")
    host = host if scheme != "file" else "file:"
    return _Key(host, os.fsdecode(unquote_to_bytes(slash + path)), query if mark else None)


class _File(NamedTuple):
    """A file of a folder."""

    name: str
    any_query: bool
    """Whether its URL with any query is its URL too."""


class FileMap:
    """The files of folders by their URLs: `file_map.locator(root, name)(url)` is a reference from one to another.

    `index_names`: whether a reference to a folder's URL has the name of the folder's index file.

    http and https URLs are equal, since a site has the same pages at both, and layouts of folders do not tell which.
    References lead from no folder to another one that is given beside it: the output may be only one of them.
    """

    def __init__(self, *, index_names: bool = True) -> None:
        self._index_names = index_names
        self._files: dict[str, dict[_Key, _File]] = {}
        """Folder -> its files by their URLs."""

    def add(self, root: str, url: str | None, name: str, *, any_query: bool) -> None:
        """Add the file of a folder. The first one of a URL counts.

        `any_query`: whether the server ignores queries, as servers of files do. A mirror has files for some queries.
        """
        key = _key(RESOLVERS["whatwg"].normalize(url) or "") if url else None
        if key is None:
            return
        files, file = self._files.setdefault(root, {}), _File(name, any_query)
        files.setdefault(key, file)
        if key.query is not None:  # savers keep the query in a name, and servers of files read the name as a path
            path = f"{key.path}?{os.fsdecode(unquote_to_bytes(key.query))}"
            files.setdefault(key._replace(path=path, query=None), file)
        last = name.rpartition("/")[2]
        if key.path.endswith("/") and last.lower() in INDEX_NAMES:
            files.setdefault(key._replace(path=key.path + last), file)

    def __len__(self) -> int:
        """The number of URLs."""
        return sum(map(len, self._files.values()))

    def locator(self, root: str, name: str) -> Callable[[str], str | None]:
        """A function for `Options.locate`: the references in the file `name` of a folder."""
        return partial(self._reference, self._files.get(root, {}), name)

    def _reference(self, files: Mapping[_Key, _File], own: str, target: str) -> str | None:
        document, mark, fragment = target.partition("#")
        key = _key(document)
        if key is None:
            return None
        query = ""
        found = files.get(key)
        if found is None and key.query is not None:
            key, query = key._replace(query=None), f"?{key.query}"
            found = files.get(key)
        if found is None and not key.path.endswith("/"):  # servers add a slash to the name of a folder
            key = key._replace(path=key.path + "/")
            found = files.get(key)
        if found is None or (query and not found.any_query):
            return None
        name = found.name
        if name == own and mark and not query:
            return mark + fragment
        folder, slash, last = name.rpartition("/")
        if not self._index_names and last.lower() in INDEX_NAMES and key.path.endswith("/"):
            name = folder + slash
        return relative_path(_quote(own), _quote(name)) + query + mark + fragment


def _quote(path: str) -> str:
    return quote_from_bytes(os.fsencode(path), _IN_PATH)
