"""The interface of rules: input, output, the decorators that register them, and problems of pages as issues.

A rule is a decorated function in a module of `linkfix.auditing.rules`. The decorator determines the subject of the rule
(`link_rule`, `fragment_rule`, `page_rule`, `tree_rule`, `settings_rule`), and sets its code and level. The rule's name
is the name of the function, and its documentation is the function's docstring. A rule reads no file and keeps no state.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Never, Protocol, TypeVar
from urllib.parse import quote

from linkfix.auditing.hosts.rules import HostFault, HostFile
from linkfix.auditing.model import CauseKind, Finding, FindingLevel, Hint, Refresh, RuleInfo
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.site import Destination, DestinationKind, Site
from linkfix.auditing.unused import UnusedFile
from linkfix.lazy import lazy_pattern
from linkfix.model import Link, Problem

#: The characters, besides letters and digits, that are not percent-encoded in a fragment (URL standard §4.3).
_FRAGMENT = "!$&'()*+,-./:;=?@_~"

#: The substrings that decide which rules run on a reference. White space is included because browsers remove some of
#: it.
TELLING = frozenset({"//", "..", *"\t\n\f\r \\%?;:@{<"})

_TELLING = lazy_pattern("|".join(map(re.escape, sorted(TELLING))))

#: References longer than this, in characters, count as containing all substrings.
_LONG = 4096


#: The text of the hint for pages in UTF-8 that declare no encoding.
DECLARE_UTF_8 = 'write <meta charset="utf-8"> at the beginning of its head'


class Issue(NamedTuple):
    """A mistake that a rule reports about one link, page or tree."""

    message: str
    """One clause without a final stop. Reports print the reference beside it, so the message does not repeat it."""
    hint: Hint | None = None
    cause: str = ""
    """The thing to fix, if several findings of the rule can share it; "" stands for the reference."""
    span: tuple[int, int] | None = None
    """The place in the page's data, in bytes; None for the place of the link."""
    level: FindingLevel | None = None
    """The level; None for the rule's level."""
    link: Link | None = None
    """The link that an issue of a page is about; None for the page itself. A link rule leaves it out."""


class AuditedPage(NamedTuple):
    """A page, as rules see it."""

    name: str
    """Its name in the tree."""
    url: str
    document: PageDocument
    site: Site


@dataclass(slots=True, eq=False)  # equal only to itself, so that functions shared by several rules can cache by it
class AuditedLink:
    """A link of a page, and the destination of its target in the tree."""

    page: AuditedPage
    link: Link
    destination: Destination


class LinkTraits(NamedTuple):
    """The traits of a link that decide which rules run on it. Many links share few combinations of traits."""

    kind: DestinationKind
    """The kind of the link's destination."""
    problem: str | None
    role: str
    syntax: str
    element: str
    contained: frozenset[str]
    """The members of `TELLING` that its reference contains."""

    @classmethod
    def of(cls, audited: AuditedLink) -> LinkTraits:
        """The traits of a link."""
        element, _, syntax, role, reference, *_ = audited.link
        contained = frozenset(_TELLING.findall(reference)) if len(reference) < _LONG else TELLING
        return cls(audited.destination.kind, audited.link.problem, role, syntax, element, contained)


def containing(*texts: str) -> Callable[[LinkTraits], bool]:
    """A function for `concerns`: it accepts links whose reference contains any of the texts.

    `texts`: members of `TELLING`.
    """
    wanted = frozenset(texts)
    return lambda link: not wanted.isdisjoint(link.contained)


class FragmentStatus(enum.Enum):
    """The result of looking up a fragment (HTML §7.4.6.3 "find a potential indicated element").

    Redirect pages are followed, and scripts of the page are searched.
    """

    FOUND = "found"
    FOUND_AFTER_REDIRECT = "found, carried over by a redirect page"
    FOUND_IN_OTHER_CASE = "found by a host that ignores upper and lower case"
    FOUND_LINES = "a range of lines, both ends found"
    FOUND_IN_OTHER_SOURCE = "found in another source that the page may be made from"
    ONLY_IN_SCRIPT = "known only to a script of the page"
    TEXT_NOT_FOUND = "a text that was not found"
    LOST_IN_REDIRECT = "dropped by a redirect page"
    NOT_FOUND = "not found"
    NOT_A_PAGE = "not checked: not an HTML, SVG or Markdown page"
    UNREAD = "not checked: the page could not be read"
    TOO_LARGE = "not checked: the page is larger than --max-size"
    GENERATED = "not checked: a program adds content to the page"
    PART_OF_MEDIA = "not checked: a part of an image"
    TEXT_UNKNOWN = "not checked: the text of a redirect, of a very large page, or not of HTML"
    LEFT_THE_SITE = "not checked: the page redirects to another site"
    IN_A_CIRCLE = "not checked: the page redirects in a circle, or more than 20 times"


#: The statuses of fragments that are reported.
REPORTED_STATUSES = frozenset(
    {
        FragmentStatus.NOT_FOUND,
        FragmentStatus.LOST_IN_REDIRECT,
        FragmentStatus.ONLY_IN_SCRIPT,
        FragmentStatus.FOUND_IN_OTHER_CASE,
        FragmentStatus.TEXT_NOT_FOUND,
    }
)


class FragmentResult(NamedTuple):
    """The result for one fragment of one file."""

    status: FragmentStatus
    redirected_to: str = ""
    """The page that the file redirects to; "" if it does not redirect."""
    suggestion: tuple[str, bool] | None = None
    """The ID that was probably intended, and whether that is certain; None if no ID is similar."""
    script: str = ""
    """The name of the script file that contains the fragment; "" for a script in the page itself."""
    reason: str = ""
    """The reason that a fragment which is no ID was not found, as a clause; "" if it is an ID."""
    source: str = ""
    """Another source that the page may be made from, and that has the fragment; "" for none."""
    misread_as: str = ""
    """The encoding that browsers assume, if the fragment would be found if the page were read as UTF-8; else ""."""


class MissingFragment(NamedTuple):
    """A link whose fragment was not found in the file that it leads to."""

    audited: AuditedLink
    file: str
    """The name of the file or folder that the link leads to."""
    fragment: str
    """The fragment, percent-decoded."""
    result: FragmentResult

    @property
    def is_same_page(self) -> bool:
        """Whether the link leads to its own page."""
        return self.file == self.audited.page.name

    def with_fragment(self, name: str) -> str:
        """The reference with another fragment."""
        return f"{self.audited.link.reference.partition('#')[0]}#{quote(name, safe=_FRAGMENT)}"


class AuditedSettings(NamedTuple):
    """A file of settings, as rules see it."""

    file: HostFile
    faults: tuple[HostFault, ...]
    """Its parts that are not valid, in order."""


class MissingPath(NamedTuple):
    """The references of a tree to one missing path."""

    number: int
    """The number of these references."""
    page: str
    """The name of the first page with such a reference."""


@dataclass(frozen=True, slots=True, eq=False)  # equal only to itself, so that functions can cache by it
class TreeFacts:
    """The facts about the tree after all of its pages were read."""

    pages: tuple[str, ...]
    """The names of its HTML pages, sorted."""
    linked: frozenset[str]
    """The names of the pages that another page links to."""
    entry: frozenset[str]
    """The names of the pages through which readers enter the tree."""
    root_relative: int
    """The number of references that begin with "/" and stay on the host."""
    root_relative_missing: dict[str, MissingPath]
    """The path of a missing target -> the references to it that begin with "/", if no rule explains them."""
    failing: int
    """The number of references whose target is missing."""
    suffixless: dict[str, MissingPath]
    """The name of a missing target that would be a page with its suffix -> the references to it."""
    site: Site
    refreshes: Mapping[str, Refresh]
    """The name of a page -> the refresh by which it certainly loads a page at once, perhaps itself."""
    unused: Callable[[], Mapping[str, UnusedFile]]
    """A search for the files that nothing refers to: by name."""


CheckT = TypeVar("CheckT", bound=Callable[..., object])

#: The type of the argument of `concerns`.
SubjectT_co = TypeVar("SubjectT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Rule(Generic[CheckT]):
    """A rule. The subclass determines the subject of the check."""

    info: RuleInfo
    check: CheckT
    """The rule's function; it returns the issues that it finds."""
    supersedes: Callable[[Finding, TreeFacts], bool] | None = None
    """A test for findings of other rules. If this rule has a finding, the report omits the findings that pass the test.
    """
    reports_unread: bool = False
    """Whether unreadable files are reported under this rule."""
    reads_texts: bool = False
    """Whether the rule is about text fragments, which are compared with the texts of pages only if it runs."""
    finds_detours: bool = False
    """Whether the rule is about references that work, which are then all judged by the rules."""
    reports_templates: bool = False
    """Whether templates that were not filled in are reported under this rule."""
    reports_hosts: bool = False
    """Whether the rule is about private hosts, which `--allow-host` allows."""
    reads_results: bool = False
    """Whether the rule needs the results of a link checker (`--external-results`)."""
    concerns: Callable[[Any], bool] | None = None
    """A quick test whether the rule can find something in a link or page; None to run the rule on every link or page.

    The argument is the link's traits (`LinkTraits`) or the page.
    """

    @classmethod
    def register(
        cls,
        code: str,
        level: FindingLevel,
        *,
        opt_in: bool = False,
        supersedes: Callable[[Finding, TreeFacts], bool] | None = None,
        reports_unread: bool = False,
        reads_texts: bool = False,
        finds_detours: bool = False,
        reports_templates: bool = False,
        reports_hosts: bool = False,
        reads_results: bool = False,
        concerns: Callable[[Any], bool] | None = None,
        cause_kind: CauseKind = "other",
    ) -> Callable[[CheckT], CheckT]:
        """Return a decorator that registers a function as a rule."""

        def decorate(check: CheckT) -> CheckT:
            text = _documentation(check)
            summary = text.partition("\n\n")[0].replace("\n", " ")
            info = RuleInfo(code, check.__name__.replace("_", "-"), level, summary, text, opt_in, cause_kind)
            marks = (reports_unread, reads_texts, finds_detours, reports_templates, reports_hosts, reads_results)
            REGISTERED.append(cls(info, check, supersedes, *marks, concerns))
            return check

        return decorate


def _documentation(function: object) -> str:
    """The docstring without its indentation, as `inspect.getdoc` returns it; `inspect` takes longer to import.

    The line of the closing quotation marks has the indentation of all lines. From Python 3.13 on there is no
    indentation.
    """
    text = function.__doc__ or ""
    _, newline, indentation = text.rpartition("\n")
    return text.replace(newline + indentation, newline).strip() if indentation.isspace() else text.strip()


class Registration(Protocol[CheckT, SubjectT_co]):
    """`Rule.register` for the functions of one kind."""

    def __call__(
        self,
        code: str,
        level: FindingLevel,
        *,
        opt_in: bool = False,
        supersedes: Callable[[Finding, TreeFacts], bool] | None = None,
        reports_unread: bool = False,
        reads_texts: bool = False,
        finds_detours: bool = False,
        reports_templates: bool = False,
        reports_hosts: bool = False,
        reads_results: bool = False,
        concerns: Callable[[SubjectT_co], bool] | None = None,
        cause_kind: CauseKind = "other",
    ) -> Callable[[CheckT], CheckT]:
        """See `Rule.register`."""


class LinkRule(Rule[Callable[[AuditedLink], Issue | None]]):
    """A rule that checks one link."""


class FragmentRule(Rule[Callable[[MissingFragment], Issue | None]]):
    """A rule that checks one link whose fragment was not found. It runs after all pages were read."""


class PageRule(Rule[Callable[[AuditedPage], Iterable[Issue]]]):
    """A rule that checks one page."""


class TreeRule(Rule[Callable[[TreeFacts], Iterable[tuple[str | Refresh, Issue]]]]):
    """A rule that checks the whole tree. It runs after all pages were read.

    It returns pairs of a place and an issue: the refresh of a page, or the name of a file; "" is the name of the tree.
    """


class SettingsRule(Rule[Callable[[AuditedSettings], Iterable[Issue]]]):
    """A rule that checks a file of settings: of a host, or of a site generator."""


#: The rules of the modules that have been imported; `linkfix.auditing.rules.rules` imports them all.
REGISTERED: list[Rule[Any]] = []

link_rule: Registration[Callable[[AuditedLink], Issue | None], LinkTraits] = LinkRule.register

fragment_rule: Registration[Callable[[MissingFragment], Issue | None], Never] = FragmentRule.register

page_rule: Registration[Callable[[AuditedPage], Iterable[Issue]], PageDocument] = PageRule.register

tree_rule: Registration[Callable[[TreeFacts], Iterable[tuple[str | Refresh, Issue]]], Never] = TreeRule.register

settings_rule: Registration[Callable[[AuditedSettings], Iterable[Issue]], Never] = SettingsRule.register


# The problems of a page as issues, for the rules about values and documents.


@lru_cache(maxsize=1)
def _problems(document: PageDocument) -> tuple[Problem, ...]:
    return document.problems_so_far()


def has_problems(document: PageDocument) -> bool:
    """Whether `problem_issues` can yield an issue for a page."""
    return bool(_problems(document))


def problem_issues(page: AuditedPage, ends: dict[str, bytes], hint: Hint | None = None) -> Iterator[Issue]:
    """Yield an issue for each problem of the page whose code is in `ends`.

    `ends`: code -> the bytes that end the place of the problem. Without such bytes, the place is empty.
    """
    document = page.document
    found = [problem for problem in _problems(document) if problem.code in ends]
    if not found:
        return
    data = document.source.data
    offset = _data_offsets(document)
    for problem in sorted(found, key=lambda problem: problem.start):
        start = min(offset(problem.start), len(data))
        stops = ends[problem.code]
        end = min(start + bool(stops), len(data))
        while stops and end < len(data) and data[end] not in stops:
            end += 1
        yield Issue(problem.message, hint, problem.detail or page.name, (start, end))


def _data_offsets(document: PageDocument) -> Callable[[int], int]:
    """Return a function from an offset in the file, as in problems, to an offset in the page's data.

    Call the function with ascending offsets.
    """
    source = document.source
    if source.data is source.html:
        return lambda offset: offset
    html, encoding = source.html, document.encoding
    done = [encoding.bom, 0]

    def data_offset(offset: int) -> int:
        piece = html[done[0] : offset]
        text = piece if isinstance(piece, str) else encoding.decode(piece)
        done[1] += len(text.encode("utf-8", "surrogatepass"))
        done[0] = max(offset, done[0])
        return done[1]

    return data_offset
