"""Folders that are served beside the tree, such as a distribution's /usr/share/javascript, or another site's copy."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from linkfix.audit.listing import Listing, PageFile, list_tree
from linkfix.audit.site import Site
from linkfix.display import visible
from linkfix.errors import InvalidOption
from linkfix.files.descriptors import FilePath
from linkfix.resolvers import RESOLVERS

__all__ = ["MountedFolder", "Tree", "mounted_folders"]

_SCHEMES = ("http://", "https://")


class Tree(NamedTuple):
    """A folder, and where it is served."""

    url: str
    """A URL, or a path on the host of the first tree."""
    folder: str


class MountedFolder(NamedTuple):
    """A folder, and where it is served."""

    label: str
    """How the names of its files begin in reports: what was asked for, without the final slash."""
    site: Site
    listing: Listing

    def page(self, name: str) -> PageFile | None:
        """The page of that name, which begins with the label; None for another file."""
        found = next((page for page in self.listing.pages if page.name == self._inner(name)), None)
        return found and found._replace(name=name)

    def holds(self, name: str) -> bool:
        """Whether a name is one of its files."""
        return name.startswith(f"{self.label}/")

    def path(self, name: str) -> FilePath:
        """The path of a file whose name begins with the label."""
        return FilePath(f"{self.listing.root}/{self._inner(name)}", self.listing.root)

    def _inner(self, name: str) -> str:
        return name[len(self.label) + 1 :]


def mounted_folders(mounts: Iterable[tuple[str, str]], url: str, *, clean_urls: bool) -> list[MountedFolder]:
    """List the folders of `mounts`, each a path or URL and a folder. `url`: of the tree, whose host paths are on.

    Raises InvalidOption for what is no path or URL, what is no folder, and for two folders at one URL.
    """
    found: dict[str, MountedFolder] = {}
    for prefix, folder in mounts:
        label = prefix.rstrip("/")
        if not (prefix.startswith(_SCHEMES) or (prefix.startswith("/") and not prefix.startswith("//"))):
            message = f"mount {visible(prefix)}: begin with a slash, or give an http: or https: URL"
            raise InvalidOption(message)
        if not Path(folder).is_dir():
            message = f"mount {visible(prefix)}: {visible(folder)} is not a folder"
            raise InvalidOption(message)
        target = RESOLVERS["whatwg"].resolve(url, f"{label}/").target
        if target is None or "?" in target or "#" in target or label.endswith(":"):
            message = f"mount {visible(prefix)}: this is not the URL of a folder"
            raise InvalidOption(message)
        if target in found:
            message = f"mount {visible(prefix)}: another folder is mounted there"
            raise InvalidOption(message)
        listing = list_tree(os.path.realpath(folder))
        site = Site(
            target, listing.files, listing.folders, dangling=listing.dangling, known=True, clean_urls=clean_urls
        )
        found[target] = MountedFolder(label, site, listing)
    return list(found.values())
