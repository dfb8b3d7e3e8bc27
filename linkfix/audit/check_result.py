"""Cached results of checking a reference, shared by all pages of a folder that contain the same raw reference.

Real pages repeat their references: hundreds of pages can name the same missing target. Results that depend on more of a
page than its folder and its encoding are not cached. `tests/audit/test_check_result.py` checks that the findings are
the same with and without the cache.
"""

from __future__ import annotations

from typing import NamedTuple

from linkfix.audit.page_document import PageDocument
from linkfix.audit.rule import Issue, LinkRule
from linkfix.audit.site import Destination, DestinationKind, Site
from linkfix.model import Layer, Link
from linkfix.saved.companions import is_companion
from linkfix.urls import scheme_of

#: The key of a result: a folder's URL, the number of a row, an encoding, and the raw value of an attribute.
Key = tuple[str, int, str, bytes]
#: The size of the cache of results.
_REMEMBERED = 1 << 16
#: The first bytes of references to the page itself, its query or its parameters; "&" begins a character reference.
_OF_THE_PAGE = b"#?;&"
#: A fragment directive (URL Fragment Text Directives §3.1) is not part of the fragment.
_DIRECTIVE = ":~:"


def fragment_of(target: str, place: Destination) -> str:
    """The fragment that a target identifies in its file, without a fragment directive.

    `place`: the destination of the target.
    """
    return (place.fragment or target.partition("#")[2]).partition(_DIRECTIVE)[0]


class CheckResult(NamedTuple):
    """The result of checking a reference."""

    link: Link
    place: Destination
    issues: tuple[tuple[LinkRule, Issue], ...]
    root_relative: bool
    only_inferred: bool
    """Whether the reference leads to a missing file only because of an inferred base URL."""
    fragment: bytes
    """The fragment, if the target is a file; b"" for none."""
    offset: int = 0
    """The offset of the reference from the beginning of the raw value, in bytes."""


class CheckResults:
    """The cache of results. `site`: the tree."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._known: dict[Key, CheckResult] = {}

    def keys_of(self, document: PageDocument) -> tuple[str, str] | None:
        """The common part of the keys of a page's references: its folder's URL and its encoding.

        None if a BASE element sets the base or if there is no base URL: then nothing is cached.
        """
        base = document.document_base
        if base.layer is Layer.EMBEDDED or base.url is None:
            return None
        folder = base.url.partition("#")[0].partition("?")[0].rpartition("/")[0]
        return folder, document.encoding.name

    @staticmethod
    def key(document: PageDocument, common: tuple[str, str] | None, number: int, raw: bytes) -> Key | None:
        """The key of a record with a raw value; None if the target depends on the page itself."""
        if common is None or not raw or raw[0] <= ord(" ") or raw[0] in _OF_THE_PAGE:
            return None
        folder, encoding = common
        return folder, document.row_number(number), encoding, raw

    def get(self, key: Key) -> CheckResult | None:
        """The cached result for a key; None if there is none."""
        return self._known.get(key)

    def remember(self, key: Key, result: CheckResult, document: PageDocument, number: int) -> None:
        """Cache a result, if it is the same on every page of the folder."""
        link = result.link
        if link.base != document.document_base.url or not self._is_same_in_folder(result, document, number):
            return
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = CheckResult(*result[:-1], link.start - document.start(number))

    def _is_same_in_folder(self, result: CheckResult, document: PageDocument, number: int) -> bool:
        link, place, issues, *_ = result
        if document.has_any_element(number) or any(issue.span is not None for _, issue in issues):
            return False
        if self._site.url.startswith("https:") and link.target is not None and link.target.startswith("http:"):
            return False  # mixed content: the result also depends on the tag
        if place.kind is DestinationKind.MISSING and is_companion(
            self._site.missing_folder(place.name).rpartition("/")[2]
        ):
            return False  # the files of a saved page
        # "http:?x" is relative to the page (URL standard §4.4, "special relative or authority state").
        return scheme_of(link.reference) is None or document.decider.resolver.is_absolute_reference(link.reference)
