"""What a rule is: what it is given, what it returns, and the decorators that register it.

A rule is a decorated function in a module of `linkfix.audit.rules`. Its decorator says what it checks (`link_rule`,
`fragment_rule`, `page_rule`, `tree_rule`) and gives it a code and a level; its name is the function's, its
documentation the function's docstring. A rule reads no file and keeps no state.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Never, Protocol, TypeVar
from urllib.parse import quote

from linkfix.audit.model import CauseKind, Finding, Hint, Level, RuleInfo
from linkfix.audit.page_document import PageDocument
from linkfix.audit.site import Destination, DestinationKind, Site
from linkfix.lazy import lazy_pattern
from linkfix.model import Link

#: Characters of a fragment that are not percent-encoded, beside letters and digits (URL standard §4.3).
_FRAGMENT = "!$&'()*+,-./:;=?@_~"
#: What of a reference's text tells which rules can find something in it. White space, as browsers remove some of it.
TELLING = frozenset({"//", "..", *"\t\n\f\r \\%?;:@{<"})
_TELLING = lazy_pattern("|".join(map(re.escape, sorted(TELLING))))
#: Longer references, in characters, are taken to contain all of them.
_LONG = 4096


class Issue(NamedTuple):
    """What a rule reports about one link, page or tree."""

    message: str
    """One clause without a final stop. The reference is printed beside it and not repeated in it."""
    hint: Hint | None = None
    cause: str = ""
    """What has to be fixed, where several findings of the rule can have it in common; "" means the reference."""
    span: tuple[int, int] | None = None
    """The place in bytes of the page's data, where it is not the link's."""
    level: Level | None = None
    """The level, where it is not the rule's."""


class AuditedPage(NamedTuple):
    """A page, as rules see it."""

    name: str
    """Its name in the tree."""
    url: str
    document: PageDocument
    site: Site


@dataclass(slots=True, eq=False)  # equal to itself alone: what several rules ask of it is remembered
class AuditedLink:
    """A link of a page, and what its target is in the tree."""

    page: AuditedPage
    link: Link
    destination: Destination


class LinkTraits(NamedTuple):
    """What of a link tells which rules can find something in it: few combinations, for many links."""

    kind: DestinationKind
    """Of its destination."""
    problem: str | None
    role: str
    syntax: str
    element: str
    contained: frozenset[str]
    """Which of `TELLING` its reference contains."""

    @classmethod
    def of(cls, audited: AuditedLink) -> LinkTraits:
        """Those of a link."""
        element, _, syntax, role, reference, *_ = audited.link
        contained = frozenset(_TELLING.findall(reference)) if len(reference) < _LONG else TELLING
        return cls(audited.destination.kind, audited.link.problem, role, syntax, element, contained)


def containing(*texts: str) -> Callable[[LinkTraits], bool]:
    """For `concerns`: links whose reference contains one of some texts, which are of `TELLING`."""
    wanted = frozenset(texts)
    return lambda link: not wanted.isdisjoint(link.contained)


class FragmentStatus(enum.Enum):
    """What a fragment identifies (HTML §7.4.6.3 "find a potential indicated element"; redirect pages, scripts)."""

    PRESENT = "found"
    CARRIED = "found, carried over by a redirect page"
    LINES = "a range of lines, both ends found"
    SCRIPTED = "known only to a script of the page"
    DROPPED = "dropped by a redirect page"
    MISSING = "not found"
    UNCHECKED = "not checked: not an HTML or SVG page, or another site"


class MissingFragment(NamedTuple):
    """A link to a file of the tree in which the fragment was not found."""

    audited: AuditedLink
    file: str
    """The name of the file that the link leads to."""
    fragment: str
    """The fragment, percent-decoded."""
    status: FragmentStatus
    redirected_to: str = ""
    """The page that the file redirects to; "" where it does not."""
    suggestion: tuple[str, bool] | None = None
    """The ID that was probably meant, and whether that is certain."""
    script: str = ""
    """The name of the script's file that knows the fragment; "" where it is in the page itself."""

    @property
    def is_same_page(self) -> bool:
        """Whether the link leads to the page that it is in."""
        return self.file == self.audited.page.name

    def with_fragment(self, name: str) -> str:
        """The reference with another fragment."""
        return f"{self.audited.link.reference.partition('#')[0]}#{quote(name, safe=_FRAGMENT)}"


class MissingPath(NamedTuple):
    """The references of a tree to one path that is missing."""

    number: int
    """How many there are."""
    page: str
    """The name of the first page that has one."""


@dataclass(frozen=True, slots=True)
class TreeFacts:
    """What is known of the tree when all of its pages have been read."""

    pages: tuple[str, ...]
    """The names of its HTML pages, sorted."""
    linked: frozenset[str]
    """The names of the pages that another page links to."""
    entry: frozenset[str]
    """The names of the pages where readers enter the tree."""
    root_relative: int
    """How many references begin with "/" and stay on the host."""
    root_relative_missing: dict[str, MissingPath]
    """Those of them whose target is missing, by their target's path."""
    site: Site


CheckT = TypeVar("CheckT", bound=Callable[..., object])
#: What `concerns` is asked about.
SubjectT_co = TypeVar("SubjectT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Rule(Generic[CheckT]):
    """A rule. Its subclass says what it checks."""

    info: RuleInfo
    check: CheckT
    """The function; returns the issues that it finds."""
    supersedes: Callable[[Finding], bool] | None = None
    """Which findings of other rules are left out of a report in which this rule has a finding."""
    reports_unread: bool = False
    """Whether files that could not be read at all are reported under this rule."""
    concerns: Callable[[Any], bool] | None = None
    """For a rule about links or pages: tells the traits of links (`LinkTraits`) or the pages in which it can find
    something, quicker than the rule; None: all."""

    @classmethod
    def register(
        cls,
        code: str,
        level: Level,
        *,
        opt_in: bool = False,
        supersedes: Callable[[Finding], bool] | None = None,
        reports_unread: bool = False,
        concerns: Callable[[Any], bool] | None = None,
        cause_kind: CauseKind = "other",
    ) -> Callable[[CheckT], CheckT]:
        """A decorator that makes a rule of a function."""

        def decorate(check: CheckT) -> CheckT:
            text = _documentation(check)
            summary = text.partition("\n\n")[0].replace("\n", " ")
            info = RuleInfo(code, check.__name__.replace("_", "-"), level, summary, text, opt_in, cause_kind)
            REGISTERED.append(cls(info, check, supersedes, reports_unread, concerns))
            return check

        return decorate


def _documentation(function: object) -> str:
    """The docstring without its indentation, as `inspect.getdoc` gives it, which takes longer to import. The line
    of the closing quotation marks has the indentation of all lines; from Python 3.13 on there is none.
    """
    text = function.__doc__ or ""
    _, newline, indentation = text.rpartition("\n")
    return text.replace(newline + indentation, newline).strip() if indentation.isspace() else text.strip()


class Registration(Protocol[CheckT, SubjectT_co]):
    """`Rule.register` for the functions of one kind."""

    def __call__(
        self,
        code: str,
        level: Level,
        *,
        opt_in: bool = False,
        supersedes: Callable[[Finding], bool] | None = None,
        reports_unread: bool = False,
        concerns: Callable[[SubjectT_co], bool] | None = None,
        cause_kind: CauseKind = "other",
    ) -> Callable[[CheckT], CheckT]:
        """See `Rule.register`."""


class LinkRule(Rule[Callable[[AuditedLink], Issue | None]]):
    """Checks one link."""


class FragmentRule(Rule[Callable[[MissingFragment], Issue | None]]):
    """Checks one link whose fragment was not found, when all pages have been read."""


class PageRule(Rule[Callable[[AuditedPage], Iterable[Issue]]]):
    """Checks one page."""


class TreeRule(Rule[Callable[[TreeFacts], Iterable[tuple[str, Issue]]]]):
    """Checks the whole tree, when all pages have been read; returns names of files ("" is the tree) with issues."""


#: The rules of the modules that have been imported; `linkfix.audit.rules.rules` imports them all.
REGISTERED: list[Rule[Any]] = []

link_rule: Registration[Callable[[AuditedLink], Issue | None], LinkTraits] = LinkRule.register
fragment_rule: Registration[Callable[[MissingFragment], Issue | None], Never] = FragmentRule.register
page_rule: Registration[Callable[[AuditedPage], Iterable[Issue]], PageDocument] = PageRule.register
tree_rule: Registration[Callable[[TreeFacts], Iterable[tuple[str, Issue]]], Never] = TreeRule.register
