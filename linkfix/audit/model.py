"""The results of an audit: findings, their causes, and what was covered.

A *page* is a document of the tree. Names of files are relative to the tree's root, with "/" between folders, on every
system. A reference is *checked* if the tree or its own text tells whether it works.
"""

from __future__ import annotations

import enum
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from linkfix.constraints import check_fields
from linkfix.model import Layer, Scripting


class Level(enum.StrEnum):
    """The severity of a finding, in the words of SARIF 2.1.0 §3.27.10."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for an error, 1 for a warning, 2 for a note."""
        return _RANKS[self]


_RANKS = {level: number for number, level in enumerate(Level)}


class Hint(NamedTuple):
    """How to fix a finding."""

    text: str
    """In words."""
    reference: str | None = None
    """The reference to write instead, where that is known."""
    certain: bool = False
    """Whether it is certainly right, so that `--fix` writes it."""


CauseKind: TypeAlias = Literal["file", "fragment", "url", "other"]

"""What a cause names: a file of the tree; a page, "#" and the fragment that it lacks; a URL; anything else."""


class RuleInfo(NamedTuple):
    """What reports print about a rule. The meaning of a code or a name never changes."""

    code: str
    """Three digits after LF; the first one is the family."""
    name: str
    """Words with hyphens between them."""
    level: Level
    """The level of its findings, unless one has its own."""
    summary: str
    """One sentence."""
    help: str
    """The documentation: plain text in paragraphs, with indented examples."""
    opt_in: bool = False
    """Whether it runs only when it is selected."""
    cause_kind: CauseKind = "other"
    """What the causes of its findings name."""


class Finding(NamedTuple):
    """What a rule found in one place.

    Text from documents and names of files is as it was there, control characters included: reporters escape it.
    """

    code: str
    name: str
    """The rule's."""
    level: Level
    message: str
    path: str
    """The file's name in the tree; "" for the tree."""
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    end_line: int
    end_column: int
    """Of the first character after the place."""
    start: int
    end: int
    """The place in bytes of the file as it is on disk; `start` and `end` are 0 for the file as a whole."""
    element: str
    """As in `linkfix.model.Link`, like the next three; "" or None where the finding is not about a reference."""
    attribute: str
    reference: str
    target: str | None
    cause: str
    """What has to be fixed: findings with the same code and cause disappear together."""
    hint: Hint | None
    excerpt: str
    """The source line, clipped around the place."""
    fingerprint: str
    """Identifies the finding, also when other parts of the file have changed."""


class Cause(NamedTuple):
    """Findings that one fix clears."""

    code: str
    name: str
    """The rule's."""
    level: Level
    """The worst level of the findings."""
    text: str
    findings: tuple[int, ...]
    """Indices of `Audit.findings`, ascending."""
    pages: int
    """How many pages have these findings."""


@dataclass(slots=True)
class Folder:
    """Counts of what is in one folder of the tree, without the folders in it."""

    pages: int = 0
    links: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    """The value of a level -> how many."""


@dataclass(slots=True)
class Coverage:
    """The counts of files, pages and references."""

    files: int = 0
    """Files of the tree."""
    pages: int = 0
    """Documents that were checked."""
    bytes: int = 0
    """Size of these documents."""
    links: int = 0
    """References in these documents."""
    checked: int = 0
    """References that were checked."""
    unchecked: Counter[str] = field(default_factory=Counter)
    """Why the others were not -> how many."""
    unread: dict[str, str] = field(default_factory=dict)
    """Names of documents that could not be read -> why."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Why files that look like pages were not read, and nobody asked for them -> how many."""
    fragments: Counter[str] = field(default_factory=Counter)
    """Whether the fragments of references into the tree were found, in words -> how many references."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit."""

    root: str
    """The folder, as it was given."""
    base_url: str
    """The URL that the folder is served at."""
    base_where: str
    """Where that is known from, in words."""
    base_layer: Layer
    """RETRIEVAL: the caller gave the URL. DEFAULT: it was inferred. NONE: it is made up, and must not be shown."""
    findings: tuple[Finding, ...]
    """Sorted by path, place and code."""
    causes: tuple[Cause, ...]
    """Sorted by level, then by the number of findings, largest first."""
    coverage: Coverage
    rules: tuple[RuleInfo, ...]
    """The rules that ran."""
    folders: Mapping[str, Folder]
    """By name."""
    hidden: Counter[str]
    """Why findings were left out ("baseline", "comment", "per-file-ignores", "unchanged") -> how many."""
    seconds: float = 0.0
    """Wall time."""
    files: Sequence[str] = ()
    """The names of all files in the folder, with "/" between folders, sorted."""
    pages: Collection[str] = ()
    """The names of the documents that were checked."""
    known: Collection[str] = ()
    """The fingerprints of findings that were left out because a baseline has them."""
    outdated: int = 0
    """How many entries of the baseline no longer occur."""
    selected: Collection[str] = ()
    """The codes of rules that were asked for."""

    def count(self, level: Level) -> int:
        """The number of findings of a level."""
        return sum(finding.level is level for finding in self.findings)


# What is kept of a page after it was read: IDs, counts and findings, but not its text.


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


# The options of an audit.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """The options of an audit. Raises InvalidOption for a wrong value."""

    base_url: str | None = None
    """The URL that the tree's root is served at; None: it is inferred."""
    select: tuple[str, ...] = ()
    """The rules that run: codes, beginnings of codes ("LF3"), names, or "all"."""
    ignore: tuple[str, ...] = ()
    """Rules that do not run."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Patterns as in .gitignore -> rules that are ignored in files that match."""
    ignore_target: tuple[str, ...] = ()
    """Patterns of targets whose findings are left out: see `linkfix.audit.selection`."""
    mounts: tuple[tuple[str, str], ...] = ()
    """Paths on the tree's host or URLs, and the folders that are served there: references may lead to their files."""
    clean_urls: bool = False
    """Whether the server answers "/a" with "/a.html"."""
    heading_ids: str | None = None
    """How the headings of Markdown get their IDs; None: as settings of MkDocs beside the tree say, else "any"."""
    charset: str | None = None
    """The encoding of the pages, as a Content-Type header would state it."""
    include: tuple[str, ...] = ()
    """Patterns of the files that are checked; other files are only targets."""
    exclude: tuple[str, ...] = ()
    """Patterns of files that are not checked."""
    include_ignored: bool = False
    """Whether files that git ignores, and those in `node_modules/`, are checked too."""
    max_size: int = 1 << 30
    """Files with more bytes are not checked."""
    processes: int = 1
    """The number of processes for a large tree."""
    known: Collection[str] = frozenset()
    """Fingerprints of findings that are left out."""
    only: Collection[str] | None = None
    """The names of the files whose findings are wanted; None: all."""
    lazy: bool = False
    """As in `linkfix.model.Options`, like the next two."""
    social: bool = False
    json_ld: bool = False
    scripting: Scripting | None = None
    """As in `linkfix.model.Options`."""

    def __post_init__(self) -> None:
        check_fields(self)
