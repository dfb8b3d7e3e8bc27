"""The captures of an archive as the audit sees them: a tree whose names are URLs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from linkfix.auditing.listing import Listing, PageFile
from linkfix.auditing.served import MADE_UP, TreeUrl
from linkfix.auditing.site import Destination, DestinationKind, Site, origin_of
from linkfix.display import pluralize
from linkfix.model import PAGE_TYPES, Layer
from linkfix.urls import without_credentials

if TYPE_CHECKING:
    from linkfix.runs.captured_documents import Captures

#: The beginnings of URLs of parts of messages (RFC 2392, RFC 2557 §5).
_OF_MESSAGES = ("cid:", "mid:", "thismessage:")

#: The number of hosts that a report names.
_SHOWN = 5

#: The lowest status codes of a success, a redirect and an error (RFC 9110 §15), and that of a part.
_OK = 200
_REDIRECT = 300
_ERROR = 400
_PARTIAL = 206


def captured_listing(captures: Captures, chosen: Callable[[str], bool]) -> Listing:
    """The names of all captures. `chosen`: whether the document with a name may be checked.

    Documents that report an error are not checked.
    """
    listing = Listing(captures.folder)
    folders = {""}
    for number, one in enumerate(captures.all):
        listing.files.append(one.name)
        folders.add(one.name.rpartition("/")[0])
        if not one.path:
            continue
        identity = (0, number)
        page = PageFile(one.name, one.size, one.media_type, identity, one.path, captures.folder, one.envelope)
        listing.documents[one.name] = page
        if one.status >= _ERROR:
            listing.left_out["the response reports an error"] += 1
        elif chosen(one.name):
            listing.pages.append(page)
            listing.size += one.size
    listing.folders = sorted(folders)
    return listing


def captured_url(captures: Captures) -> TreeUrl:
    """The host of most pages. An audit needs a URL for a tree; the pages of an archive have their own ones."""
    origin = next(iter(_origins(captures)), "")
    return TreeUrl(f"{origin}/", "its captures", Layer.RETRIEVAL) if origin else TreeUrl(MADE_UP, "", Layer.NONE)


def captured_hosts(captures: Captures) -> tuple[str, ...]:
    """The hosts of the pages, in words, as in `Audit.urls`; none for a single host."""
    origins = _origins(captures)
    more = (pluralize(len(origins) - _SHOWN, "more host"),) if len(origins) > _SHOWN else ()
    return (*origins[:_SHOWN], *more) if len(origins) > 1 else ()


def _origins(captures: Captures) -> list[str]:
    """The hosts of the pages, those with https: first: on their pages, more rules apply."""
    found = Counter(
        origin_of(without_credentials(one.url))
        for one in captures.all
        if one.media_type in PAGE_TYPES and one.status < _ERROR
    )
    found.pop("", None)
    return sorted(found, key=lambda origin: (not origin.startswith("https:"), -found[origin]))


class CapturedSite(Site):
    """The captures of an archive: each at its own URL, on any number of hosts."""

    is_captured = True

    def __init__(self, captures: Captures, listing: Listing) -> None:
        super().__init__(captured_url(captures).url, listing.files, listing.folders)
        self._captures = captures
        self._urls = {one.name: one.url for one in captures.all}
        self._statuses = {one.name: one.status for one in captures.all}
        self._origins = frozenset(_origins(captures)) if captures.is_crawl else frozenset()

    def destination(self, target: str | None) -> Destination:
        """The destination of an absolute URL."""
        if target is None:
            return Destination(DestinationKind.NONE)
        captures, url = self._captures, target.partition("#")[0]
        name = captures.name_at(url)
        if name is None:
            final = captures.end_of_redirects(url)
            if final is None:
                return Destination(DestinationKind.UNFOLLOWED, url)
            url = final
        status = captures.status_at(url) if name is None else self._statuses[name]
        if status is not None and status >= _ERROR:
            return Destination(DestinationKind.ERROR_RESPONSE, url, near=str(status))
        if name is not None:
            return Destination(DestinationKind.FILE, name, self.numbers[name])
        found = self._outside(url)
        if found.kind is not DestinationKind.EXTERNAL and not url.startswith(_OF_MESSAGES):
            return found
        is_usable = status is not None and _OK <= status < _REDIRECT and status != _PARTIAL
        return Destination(DestinationKind.EMPTY if is_usable else DestinationKind.UNCAPTURED, url)

    def should_have(self, url: str) -> bool:
        """Whether the archive should have the page at a URL: a crawler captured pages of its host."""
        return origin_of(without_credentials(url)) in self._origins

    def page_url(self, name: str) -> str:
        """The URL of a capture."""
        return self._urls[name]

    def folder(self, url: str) -> str | None:
        """None: see `Site.folder`."""
        return None
