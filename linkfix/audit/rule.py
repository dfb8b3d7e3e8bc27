"""What a rule is, what it is shown, and what it says.

A rule is a module of `linkfix.audit.rules`: its docstring is its documentation, `CODE` and `LEVEL` are its own, its
name is the module's; it has one of the functions `check_link`, `check_fragment`, `check_page` and `check_tree`. It is
shown one thing and says what is wrong with that; it reads no file and remembers nothing.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from linkfix.audit.model import Hint, Level
from linkfix.audit.page_document import PageDocument
from linkfix.audit.site import Place, PlaceKind, Site
from linkfix.model import Link

__all__ = ["FragmentFate", "Issue", "LostFragment", "Page", "Place", "PlaceKind", "Seen", "TreeFacts"]

#: What stands in a fragment as it is, beside letters and digits (URL standard §4.3).
_FRAGMENT = "!$&'()*+,-./:;=?@_~"


class Issue(NamedTuple):
    """What a rule says. `message` is one sentence without a final stop; it quotes nothing that is shown beside it.

    `cause`: what has to be mended, where other findings of the rule may have the same; "" stands for the reference.
    `span`: in bytes of the page's data, where it is not the link's. `level`: where it is not the rule's own.
    """

    message: str
    hint: Hint | None = None
    cause: str = ""
    span: tuple[int, int] | None = None
    level: Level | None = None


class Page(NamedTuple):
    """A page: its name in the tree, its URL there, and itself, whose references were looked at but for plainly good
    ones. `site` knows the tree's names.
    """

    name: str
    url: str
    document: PageDocument
    site: Site


class Seen(NamedTuple):
    """A reference where it stands, and what its target is to the tree."""

    page: Page
    link: Link
    place: Place


class FragmentFate(enum.Enum):
    """What becomes of a fragment (HTML §7.4.6.3 "find a potential indicated element", and what pages do besides)."""

    PRESENT = "there"
    CARRIED = "carried on by a redirect page, and there"
    LINES = "a range of lines that are there"
    SCRIPTED = "known to a script of the page alone"
    DROPPED = "dropped by a redirect page"
    DEAD = "nowhere"
    UNJUDGED = "not judged: for the file's type, or another site, to tell"


class LostFragment(NamedTuple):
    """A reference whose file is there and whose fragment is not.

    `name`: the file; `fragment`: decoded; `onto`: the page that a redirect leads to, "" where `name` is none. `near`:
    the id that was probably meant, and whether there is no doubt.
    """

    seen: Seen
    name: str
    fragment: str
    fate: FragmentFate
    onto: str
    near: tuple[str, bool] | None

    @property
    def own(self) -> bool:
        """Whether the reference means the page that it stands in."""
        return self.name == self.seen.page.name

    def with_fragment(self, name: str) -> str:
        """The reference with another name after its "#"."""
        return f"{self.seen.link.reference.partition('#')[0]}#{quote(name, safe=_FRAGMENT)}"


@dataclass(frozen=True, slots=True)
class TreeFacts:
    """What is known of the tree when all of it was read.

    `pages`: the names of its HTML pages, sorted. `linked`: those that another page links to. `entry`: where readers
    come in. `root_relative`: how many references begin with "/", and `root_relative_missing`: those that lead nowhere,
    target path -> how many. `site` knows the tree's names.
    """

    pages: tuple[str, ...]
    linked: frozenset[str]
    entry: frozenset[str]
    root_relative: int
    root_relative_missing: dict[str, int]
    site: Site
