"""What is found about a reference, remembered for all pages of a folder that have it written the same way.

Real pages repeat their references: what one page says about a missing target, hundreds of others say too. Whatever
depends on more of a page than its folder and its encoding is not remembered. `tests/audit/test_check_result.py` holds
that findings are the same with and without it.
"""

from __future__ import annotations

from typing import NamedTuple

from linkfix.audit.page_document import PageDocument
from linkfix.audit.rule import Issue, LinkRule
from linkfix.audit.site import Destination, DestinationKind, Site
from linkfix.model import Layer, Link
from linkfix.saved.companions import is_companion
from linkfix.urls import scheme_of

#: A folder's URL, the number of a row, an encoding, and the raw value of an attribute.
Key = tuple[str, int, str, bytes]
#: The number of results that are remembered.
_REMEMBERED = 1 << 16
#: What a reference to the page itself, its query or its parameters begins with, perhaps as a character reference.
_OF_THE_PAGE = b"#?;&"
#: A fragment directive (URL Fragment Text Directives §3.1) is not part of the fragment.
_DIRECTIVE = ":~:"


def fragment_of(target: str, place: Destination) -> str:
    """The fragment that a target means in the file of its place, without a fragment directive."""
    return (place.fragment or target.partition("#")[2]).partition(_DIRECTIVE)[0]


class CheckResult(NamedTuple):
    """What is found about a reference."""

    link: Link
    place: Destination
    issues: tuple[tuple[LinkRule, Issue], ...]
    root_relative: bool
    only_inferred: bool
    """Whether an inferred base URL alone makes it a reference to a file that is not there."""
    fragment: bytes
    """The fragment of a target that is a file; b"" for none."""
    offset: int = 0
    """How far behind the beginning of the raw value the reference begins."""


class CheckResults:
    """The results that are remembered. `site`: the tree."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._known: dict[Key, CheckResult] = {}

    def keys_of(self, document: PageDocument) -> tuple[str, str] | None:
        """What the keys of a page's references have in common: its folder's URL and its encoding.

        None where a BASE element decides, or nothing: then nothing is remembered.
        """
        base = document.document_base
        if base.layer is Layer.EMBEDDED or base.url is None:
            return None
        folder = base.url.partition("#")[0].partition("?")[0].rpartition("/")[0]
        return folder, document.encoding.name

    @staticmethod
    def key(document: PageDocument, common: tuple[str, str] | None, number: int, raw: bytes) -> Key | None:
        """The key of a record with a raw value; None where what it means depends on the page itself."""
        if common is None or not raw or raw[0] <= ord(" ") or raw[0] in _OF_THE_PAGE:
            return None
        folder, encoding = common
        return folder, document.row_number(number), encoding, raw

    def get(self, key: Key) -> CheckResult | None:
        """What is remembered."""
        return self._known.get(key)

    def remember(self, key: Key, result: CheckResult, document: PageDocument, number: int) -> None:
        """Remember a result, if it is the same on every page of the folder."""
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
            return False  # mixed content: the tag has a say
        if place.kind is DestinationKind.MISSING and is_companion(
            self._site.missing_folder(place.name).rpartition("/")[2]
        ):
            return False  # the files of a saved page
        # "http:?x" is relative to the page: URL standard §4.4, "special relative or authority state"
        return scheme_of(link.reference) is None or document.decider.resolver.is_absolute_reference(link.reference)
