"""The URL that a tree is served at: given by the caller, inferred from its pages, or made up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote_from_bytes

from linkfix.audit.listing import Listing, PageFile
from linkfix.document.document import Document
from linkfix.errors import InvalidBase
from linkfix.files import atomic
from linkfix.files.folder import INDEX_NAMES
from linkfix.html.tokenizer import attributes
from linkfix.model import PAGE_TYPES, Layer
from linkfix.saved.root_url import root_url

__all__ = ["MADE_UP", "TreeUrl", "find_tree_url"]

#: The root of some host (RFC 6761 §6.4: the name is nobody's).
MADE_UP = "http://tree.invalid/"
#: How many pages are sampled, and how large they may be, in bytes.
_SAMPLE = 12
_SIZE = 1 << 20


class TreeUrl(NamedTuple):
    """A tree's URL: see `linkfix.audit.model.Audit`."""

    url: str
    """The URL of the root, with a final slash."""
    where: str
    """Where it was found, in words."""
    layer: Layer
    """RETRIEVAL: given. DEFAULT: inferred. NONE: made up."""


def find_tree_url(listing: Listing, base_url: str | None) -> TreeUrl:
    """The URL of a tree's root. Raises `InvalidBase` for a `base_url` that is not that of a folder."""
    if base_url is not None:
        return TreeUrl(root_url(base_url), "--root-url", Layer.RETRIEVAL)
    sample = list(_sample(listing.pages))
    votes = Counter(url for page in sample if (url := _canonical_root(page)))
    # One that differs from the others is from a page that was copied from another site with its head.
    if len(votes) == 1 and votes.total() > 1:
        where = f"the canonical links of {votes.total()} of {len(sample)} pages"
        return TreeUrl(next(iter(votes)), where, Layer.DEFAULT)
    return TreeUrl(MADE_UP, "not known: the tree is taken for the root of a host", Layer.NONE)


def _sample(pages: list[PageFile]) -> Iterator[PageFile]:
    """A sample of pages from all over the tree."""
    html = [page for page in pages if page.media_type in PAGE_TYPES and page.size <= _SIZE]
    return iter(html[:: max(1, len(html) // _SAMPLE)][:_SAMPLE])


def _canonical_root(page: PageFile) -> str | None:
    """The root's URL by a page's canonical link, where that ends as the page's name does."""
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
            return _root(decision.target or "", page.name)
    return None


def _is_canonical(data: bytes, tag_start: int) -> bool:
    """Whether a tag says rel=canonical."""
    values = (data[one.start : one.end] for one in attributes(data, tag_start) if one.name == "rel")
    return b"canonical" in next(values, b"").lower().split()


def _root(url: str, name: str) -> str | None:
    """What is left of a page's URL before its name in the tree."""
    if not url.startswith(("http://", "https://")):
        return None
    for ending in _endings(name):
        if url.endswith("/" + ending):
            try:
                return root_url(url[: len(url) - len(ending)])
            except InvalidBase:
                return None
    return None


def _endings(name: str) -> Iterable[str]:
    """How a page's URL may end: its name, its folder, its name without the suffix."""
    path = quote_from_bytes(name.encode("utf-8", "surrogateescape"), "/!$&'()*+,;=:@")
    folder, _, last = path.rpartition("/")
    yield path
    if last in INDEX_NAMES:
        yield f"{folder}/" if folder else ""
    elif "." in last:
        yield path.rpartition(".")[0]
