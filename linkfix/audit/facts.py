"""What is kept of a page after it was read: IDs, counts and findings, but not its text."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.audit.model import Finding

__all__ = ["FragmentReferences", "ModuleFacts", "PageFacts", "RedirectPage"]


class RedirectPage(NamedTuple):
    """Where a page with a refresh redirects to."""

    number: int
    """Of the target among the tree's files; -1 where it is not in the tree."""
    name: str
    fragment: str
    """The fragment of the target."""
    carries: bool
    """Whether a script of the page carries the fragment of its own URL over."""


class FragmentReferences(NamedTuple):
    """The fragments that a page's references have, each file and fragment once."""

    files: array[int]
    """The numbers of the files."""
    fragments: bytes
    """The fragments, separated by NUL."""
    counts: array[int]
    """How many references have each."""

    @classmethod
    def of(cls, counts: dict[tuple[int, bytes], int]) -> FragmentReferences | None:
        """Those of a page, from file and fragment -> how many references have them; None for none."""
        if not counts:
            return None
        files, fragments = zip(*counts, strict=True)
        return cls(array("i", files), b"\0".join(fragments), array("i", counts.values()))

    def pairs(self) -> zip[tuple[int, bytes]]:
        """File and fragment, as the URL parser leaves it."""
        return zip(self.files, self.fragments.split(b"\0"), strict=True)


class ModuleFacts(NamedTuple):
    """The modules of one page or script."""

    imports: frozenset[int]
    """The numbers of the files that it imports or, if it has an import map, loads as modules."""
    names: tuple[Finding, ...]
    """Of a script: what is found about names that it imports, if an import map does not have them."""
    maps: tuple[tuple[str, str], ...]
    """Of a page: the texts of its import maps, with their base URLs."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of one page."""

    name: str
    size: int
    """Of the file, in bytes."""
    stamp: int
    """The time of the file's last change, in nanoseconds; 0 where it could not be read."""
    unread: str = ""
    """Why the page could not be checked; then all that follows but the findings is empty."""
    ids: bytes = b""
    """The IDs and names that fragments can identify, in UTF-8, separated by NUL."""
    media_type: str = ""
    redirect: RedirectPage | None = None
    """Where the page redirects to."""
    fragments: FragmentReferences | None = None
    """The fragments of its references that still have to be looked up."""
    findings: tuple[Finding, ...] = ()
    links: int = 0
    """How many references it has."""
    checked: int = 0
    """The number of those that were checked."""
    own_fragments: int = 0
    """How many references have a fragment that is an ID of the page itself."""
    unchecked: dict[str, int] = field(default_factory=dict)
    """Why references were not checked -> how many."""
    linked: frozenset[int] = frozenset()
    """The numbers of the files that it links to."""
    root_relative: int = 0
    """How many references begin with "/" and stay on the host."""
    root_relative_missing: dict[str, int] = field(default_factory=dict)
    """Those of them whose target is missing: target path -> how many."""
    hidden: dict[str, int] = field(default_factory=dict)
    """Why findings were left out -> how many."""
    is_generated: bool = False
    """Whether a program puts more into the page than was read, which can have more IDs."""
    modules: ModuleFacts | None = None
    """What is known of the modules that it imports, if it imports any or has an import map."""
