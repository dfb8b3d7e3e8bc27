"""Folders that are served beside the tree: a distribution's /usr/share/javascript, or a copy of another site."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linkfix.auditing.listing import Listing, PageFile, list_tree
from linkfix.auditing.site import INDEXES, SERVED_SCHEMES, Site
from linkfix.display import visible
from linkfix.errors import InvalidOption
from linkfix.files.descriptors import FilePath
from linkfix.resolvers import RESOLVERS


class Tree(NamedTuple):
    """A folder and its URL."""

    url: str
    """The URL of the folder, or a path on the host of the first tree."""
    folder: str


class MountedFolder(NamedTuple):
    """A folder and its URL."""

    label: str
    """The prefix of its file names in reports: the path or URL as the caller gave it, without the final slash."""
    site: Site
    listing: Listing

    def page(self, name: str) -> PageFile | None:
        """The page with a name that begins with the label; None if the name is not a page. Raises `OSError`."""
        found = self.listing.page_at(self._inner(name))
        return found and found._replace(name=name)

    def holds(self, name: str) -> bool:
        """Whether a name begins with the label of this folder."""
        return name.startswith(f"{self.label}/")

    def path(self, name: str) -> FilePath:
        """The path of a file of this folder. `name`: begins with the label."""
        return self.listing.file(self._inner(name))

    def _inner(self, name: str) -> str:
        return name[len(self.label) + 1 :]


def mounted_folders(
    mounts: Iterable[tuple[str, str]], url: str, *, clean_urls: bool, indexes: Sequence[str] = INDEXES
) -> list[MountedFolder]:
    """List the mounted folders.

    `mounts`: pairs of a path or URL and a folder. `url`: the URL of the tree; the paths are on its host. The other
    arguments: as in `Site`.

    Raises InvalidOption if a path or URL is invalid, if a folder does not exist, or if two folders have one URL.
    """
    found: dict[str, MountedFolder] = {}
    for prefix, folder in mounts:
        label = prefix.rstrip("/")
        if not (prefix.startswith(SERVED_SCHEMES) or (prefix.startswith("/") and not prefix.startswith("//"))):
            message = f"mount {visible(prefix)}: begin with a slash, or give an http: or https: URL"
            raise InvalidOption(message)
        if not os.path.isdir(folder):
            message = f"mount {visible(prefix)}: {visible(folder)} is not a folder: give one that exists"
            raise InvalidOption(message)
        target = RESOLVERS["whatwg"].resolve(url, f"{label}/").target
        if target is None or "?" in target or "#" in target or label.endswith(":"):
            message = (
                f"mount {visible(prefix)}: this is not the URL of a folder: give one such as https://example.com/docs/"
            )
            raise InvalidOption(message)
        if target in found:
            message = f"mount {visible(prefix)}: another folder is mounted there: give each its own URL"
            raise InvalidOption(message)
        listing = list_tree(os.path.realpath(folder), lambda _name: False)
        site = Site(
            target,
            listing.files,
            listing.folders,
            dangling=listing.dangling,
            unread=listing.failed,
            clean_urls=clean_urls,
            indexes=indexes,
        )
        found[target] = MountedFolder(label, site, listing)
    return list(found.values())
