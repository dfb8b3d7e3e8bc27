"""What is kept of a page when it was read: identifiers and findings, never its text."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.audit.model import Finding

__all__ = ["PageFacts", "Stub", "Wanted"]


class Stub(NamedTuple):
    """A page that sends its readers on at once: where to, and whether a script of it takes the fragment along.

    `number`: of the file among the tree's files, -1 where it is elsewhere. `fragment`: of the new target.
    """

    number: int
    name: str
    fragment: str
    carries: bool


class Wanted(NamedTuple):
    """Fragments that a page's references mean, once each: the numbers of their files, themselves, NUL between, and how
    many references mean each.
    """

    files: array[int]
    fragments: bytes
    counts: array[int]

    def pairs(self) -> zip[tuple[int, bytes]]:
        """File and fragment, decoded only as far as the URL parser does it."""
        return zip(self.files, self.fragments.split(b"\0"), strict=True)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What one page tells. `unread`: why it could not be judged, and then all else is empty.

    `ids`: the names that fragments can mean, in UTF-8, NUL between. `links`: counts of references, `judged` of those
    whose targets the tree tells; `unjudged`: why not -> how many. `own_fragments`: how many references mean a name of
    the page itself that is there. `linked`: numbers of the pages that it links to.
    `root_relative`: how many references begin with "/"; `root_relative_missing`: target path -> how many of them.
    `hidden`: why findings were left out -> how many.
    """

    name: str
    size: int
    stamp: int
    unread: str = ""
    ids: bytes = b""
    media_type: str = ""
    stub: Stub | None = None
    wanted: Wanted | None = None
    findings: tuple[Finding, ...] = ()
    links: int = 0
    judged: int = 0
    own_fragments: int = 0
    unjudged: Counter[str] = field(default_factory=Counter)
    linked: frozenset[int] = frozenset()
    root_relative: int = 0
    root_relative_missing: dict[str, int] = field(default_factory=dict)
    hidden: Counter[str] = field(default_factory=Counter)
