"""The URL that a folder is served at: given by the caller, inferred from its pages, or made up.

It is inferred from the settings of a generator, the canonical links of a sample of pages, robots.txt and the sitemap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote_from_bytes

from linkfix.auditing.generators.model import NO_SETTINGS, SiteSettings
from linkfix.auditing.listing import Listing, PageFile
from linkfix.auditing.private_hosts import private_host_of
from linkfix.auditing.site import INDEXES, SERVED_SCHEMES, percent_decode
from linkfix.display import visible
from linkfix.document.document import Document
from linkfix.errors import InvalidBase
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.kernels.tokenizer import attributes
from linkfix.lazy import lazy_pattern
from linkfix.model import PAGE_TYPES, Layer
from linkfix.resolvers import root_url

#: The made-up URL of a tree at an unknown URL. RFC 6761 §6.4 reserves the name: it belongs to nobody.
MADE_UP = "http://tree.invalid/"

#: The number of pages in the sample, and the largest size of such a page, in bytes.
_SAMPLE = 12

_SIZE = 1 << 20

_UNKNOWN = "not known: the folder is treated as the root of a host"

#: The sitemap that generators write, and an address in it (sitemaps.org, "XML tag definitions").
_SITEMAP = "sitemap.xml"

_ADDRESS = lazy_pattern(rb"<loc>\s*(https?://[^\s<]+)")

#: A line of robots.txt that names a sitemap by its URL (sitemaps.org, "Specifying the Sitemap location").
_ROBOTS = "robots.txt"

_SITEMAP_LINE = lazy_pattern(rb"^[ \t]*sitemap[ \t]*:[ \t]*(https?://[^\s#]+)", re.IGNORECASE | re.MULTILINE)

#: The number of addresses of a sitemap that are read, the least number that has to lead to files of the tree, and their
#: least share: a sitemap can be older than the tree.
_ADDRESSES = 200

_LEAST = 2

#: The length in bytes of the longest address that counts.
_LONGEST = 2000

_SHARE = 0.5


class TreeUrl(NamedTuple):
    """A tree's URL: see `linkfix.auditing.model.Audit`."""

    url: str
    """The URL of the root, with a final slash."""
    where: str
    """The source of the URL, in words."""
    layer: Layer
    """RETRIEVAL: the caller gave it. DEFAULT: it was inferred. NONE: it is made up."""


def find_tree_url(
    listing: Listing,
    base_url: str | None,
    settings: SiteSettings = NO_SETTINGS,
    indexes: Collection[str] = INDEXES,
) -> TreeUrl:
    """The URL of a tree's root. Raises `InvalidBase` if `base_url` is not the URL of a folder that a server serves.

    `settings`: the settings of the generator. `indexes`: the names of index files. If a development server wrote its
    own address into the pages, only the path of that address counts.
    """
    found = _find(listing, base_url, settings, indexes)
    private = private_host_of(found.url) if found.layer is Layer.DEFAULT else None
    if private is None or not private.is_own_computer:
        return found
    return TreeUrl(MADE_UP + _path(found.url)[1:], _UNKNOWN, Layer.NONE)


def _find(
    listing: Listing,
    base_url: str | None,
    settings: SiteSettings,
    indexes: Collection[str],
) -> TreeUrl:
    """As `find_tree_url`. The pages are what is served, so settings that they contradict are wrong."""
    if base_url is not None:
        root = root_url(base_url, indexes)
        if not root.startswith((*SERVED_SCHEMES, "file://")):  # pages are also read from a disk
            message = f"{base_url!r} is not a URL at which pages are served: give an http:, https: or file: URL"
            raise InvalidBase(message)
        return TreeUrl(root, "--root-url", Layer.RETRIEVAL)
    sample = list(_sample(listing.pages))
    votes = Counter(url for page in sample if (url := _canonical_root(page, indexes)))
    addresses = _in_sitemap(listing)
    stated = [*votes, *(f"{url}/" for url in addresses[:1])]  # a folder may be named without its final slash
    if settings.url and votes.keys() <= {settings.url} and all(url.startswith(settings.url) for url in stated):
        return TreeUrl(settings.url, f"the settings of {settings.file}", Layer.DEFAULT)
    if settings.path and not settings.url and not votes and all(_path(url).startswith(settings.path) for url in stated):
        return TreeUrl(MADE_UP + settings.path[1:], _UNKNOWN, Layer.NONE)
    # A different vote comes from a page that was copied from another site together with its head.
    if len(votes) == 1 and votes.total() > 1:
        where = f"the canonical links of {votes.total()} of {len(sample)} pages"
        return TreeUrl(next(iter(votes)), where, Layer.DEFAULT)
    if not votes:
        return _by_addresses(listing, addresses, indexes) or TreeUrl(MADE_UP, _UNKNOWN, Layer.NONE)
    return TreeUrl(MADE_UP, _UNKNOWN, Layer.NONE)


def _by_addresses(listing: Listing, addresses: list[str], indexes: Collection[str]) -> TreeUrl | None:
    """The root's URL according to robots.txt and the sitemap; None if they name none, or differ.

    A robots.txt counts that names a sitemap of the tree. Addresses of a sitemap count if they are all below one URL,
    and most of them lead to files of the tree there.
    """
    found: dict[str, str] = {}
    for url in _matches(listing, _ROBOTS, _SITEMAP_LINE):
        name = percent_decode(url.rpartition("/")[2])
        if name in listing.files and (root := _root(url, name, indexes)):
            found[root] = f"the address of {visible(name)} in {_ROBOTS}"
    if not found:
        endings = {ending for name in listing.files for ending in _endings(name, indexes)}
        roots = Counter(root for url in addresses for root in _roots(url, endings, indexes))
        (root, number), *others = [*roots.most_common(2), ("", 0)][:2]
        least = max(_LEAST, len(addresses) * _SHARE)
        if number < least or any(other == number for _, other in others):
            return None
        found[root] = f"{number} addresses in {_SITEMAP}"
    root, where = next(iter(found.items()))
    if len(found) > 1 or not all(f"{url}/".startswith(root) for url in addresses):
        return None
    return TreeUrl(root, where, Layer.DEFAULT)


def _roots(url: str, endings: Collection[str], indexes: Collection[str]) -> Iterator[str]:
    """The roots at which an address would lead to a file of the tree."""
    parts = url.partition("?")[0].split("/")
    for number in range(len("//") + 1, len(parts)):
        if "/".join(parts[number:]) in endings:
            try:
                yield root_url("/".join(parts[:number]) + "/", indexes)
            except InvalidBase:
                return


def _in_sitemap(listing: Listing) -> list[str]:
    """The first addresses in the tree's sitemap."""
    return _matches(listing, _SITEMAP, _ADDRESS)


def _matches(listing: Listing, name: str, pattern: re.Pattern[bytes]) -> list[str]:
    """The first group of the first matches in a file of the tree; none if there is no such file."""
    if name not in listing.files:
        return []
    try:
        with atomic.open_file(FilePath(f"{listing.root}/{name}", listing.root)) as file:
            data = file.read(_SIZE)
    except OSError:
        return []
    found = (match[1] for match in islice(pattern.finditer(data), _ADDRESSES))
    return [url.decode("utf-8", "replace") for url in found if len(url) <= _LONGEST]


def _path(url: str) -> str:
    return "/" + url.partition("://")[2].partition("/")[2]


def _sample(pages: list[PageFile]) -> Iterator[PageFile]:
    """A sample of the tree's pages, evenly spread over their list."""
    html = [page for page in pages if page.media_type in PAGE_TYPES and page.size <= _SIZE]
    return iter(html[:: max(1, len(html) // _SAMPLE)][:_SAMPLE])


def _canonical_root(page: PageFile, indexes: Collection[str]) -> str | None:
    """The root's URL according to a page's canonical link; None if the link does not end in the page's name."""
    try:
        document = Document(atomic.read(page.file, limit=_SIZE).data, media_type=page.media_type)
    except OSError:
        return None
    data = document.source.data
    if b"canonical" not in data.lower():
        return None
    for reference, decision in document.references("link"):
        record = reference.record
        if record.row.attribute == "href" and not record.in_template and _is_canonical(data, record.tag_start):
            return _root(decision.target or "", page.name, indexes)
    return None


def _is_canonical(data: bytes, tag_start: int) -> bool:
    """Whether a tag has `rel=canonical`."""
    values = (data[one.start : one.end] for one in attributes(data, tag_start) if one.name == "rel")
    return b"canonical" in next(values, b"").lower().split()


def _root(url: str, name: str, indexes: Collection[str]) -> str | None:
    """The part of a page's URL before the page's name in the tree; None if the URL does not end in that name."""
    if not url.startswith(SERVED_SCHEMES):
        return None
    for ending in _endings(name, indexes):
        if url.endswith("/" + ending):
            try:
                return root_url(url[: len(url) - len(ending)], indexes)
            except InvalidBase:
                return None
    return None


def _endings(name: str, indexes: Collection[str]) -> Iterable[str]:
    """The possible ends of a page's URL: its name, its folder, its name without the suffix.

    Hosts redirect from a folder without a slash, and some from a page with one.
    """
    path = quote_from_bytes(name.encode("utf-8", "surrogateescape"), "/!$&'()*+,;=:@")
    folder, _, last = path.rpartition("/")
    yield path
    if last in indexes:
        yield from (f"{folder}/", folder) if folder else ("",)
    elif "." in last:
        stem = path.rpartition(".")[0]
        yield from (stem, f"{stem}/")
