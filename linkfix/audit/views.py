"""The tree as references mean it: those of pages, and those of the sources that pages are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from linkfix.audit.dot_segments import excess_dots
from linkfix.audit.site import Destination, DestinationKind, Site
from linkfix.audit.sources import is_file_name, sphinx_folders
from linkfix.model import Link

__all__ = ["View", "page_view", "source_view"]

#: How many destinations are remembered.
_REMEMBERED = 1 << 16
#: With which programs the URL of a folder without an index may show its files, as on GitHub: schemes of heading IDs.
_SHOWING_FOLDERS = frozenset({"any", "github"})
#: Those for which there is nothing outside the tree.
_CLOSED = frozenset({"mkdocs"})


class View(NamedTuple):
    """What references mean in a tree."""

    site: Site
    destination: Callable[[str | None], Destination]
    """What a URL without its fragment is in the tree."""
    may_leave: bool = False
    """Whether ".." may lead to files around the tree."""
    sphinx: tuple[str, ...] = ()
    """How the names begin that are in folders of Sphinx: sources there refer to labels, too, and to what it makes."""

    def place_of(self, link: Link) -> Destination:
        """What the target of a link is in the tree."""
        if self.may_leave and excess_dots(link) is not None:
            return Destination(DestinationKind.AROUND)
        place = self.destination(None if link.target is None else link.target.partition("#")[0])
        if place.kind is DestinationKind.MISSING and link.syntax == "markdown" and self.is_of_sphinx(place.name):
            return place if is_file_name(place.name) else place._replace(kind=DestinationKind.LABEL)
        return place

    def is_of_sphinx(self, name: str) -> bool:
        """Whether a name is in a folder that Sphinx builds a site of."""
        return name.startswith(self.sphinx)


def page_view(site: Site) -> View:
    """The tree as pages see it."""
    return View(site, lru_cache(maxsize=_REMEMBERED)(site.destination))


def source_view(site: Site, heading_ids: str) -> View:
    """The tree as sources see it. `heading_ids`: as in `AuditOptions`, for who builds pages of them."""
    sources = site.with_sources(shows_folders=heading_ids in _SHOWING_FOLDERS)
    view = page_view(sources)
    return view._replace(may_leave=heading_ids not in _CLOSED, sphinx=tuple(sphinx_folders(site.numbers)))
