"""The data types of an audit: its options, the facts about each page, and its results.

A *page* is a document of the tree. File names are relative to the tree's root, with "/" between folders, on every
system. A reference is *checked* if the tree, or the reference's own text, shows whether it works.
"""

from __future__ import annotations

import enum
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, TypedDict

from linkfix.auditing.repository import Repository
from linkfix.auditing.source_ids import SourceIds
from linkfix.constraints import check_fields
from linkfix.model import HeadingIds, Layer, Options, SiteGenerator, SiteHost, Wikilinks


class FindingLevel(enum.StrEnum):
    """The severity of a finding, in the words of SARIF 2.1.0 §3.27.10."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """The rank: 0 for an error, 1 for a warning, 2 for a note."""
        return _RANKS[self]


_RANKS = {level: number for number, level in enumerate(FindingLevel)}


class Hint(NamedTuple):
    """A suggested fix for a finding."""

    text: str
    """The fix in words."""
    reference: str | None = None
    """The reference to write instead; None if it is not known."""
    certain: bool = False
    """Whether the fix is certainly right: `--fix` writes only certain fixes."""


CauseKind: TypeAlias = Literal["file", "fragment", "url", "other"]

"""The kind of a cause's text: a file of the tree; a page, "#" and its missing fragment; a URL; any other text."""


class RuleInfo(NamedTuple):
    """The facts about a rule that reports print. The meaning of a code or a name never changes."""

    code: str
    """"LF" and three digits; the first digit is the family."""
    name: str
    """The name: words with hyphens between them."""
    level: FindingLevel
    """The level of its findings. A finding may have a level of its own instead."""
    summary: str
    """The summary: one sentence."""
    help: str
    """The documentation: plain text in paragraphs, with indented examples."""
    opt_in: bool = False
    """Whether it runs only when it is selected."""
    cause_kind: CauseKind = "other"
    """The kind of text that the causes of its findings have."""


class SourcePlace(NamedTuple):
    """A place in the source of a built page."""

    path: str
    """The real path of the source."""
    line: int
    """The line that has the reference, from 1; 0 if it cannot be told."""


class Finding(NamedTuple):
    """A mistake that a rule found in one place.

    Text from documents and file names is unchanged, control characters included: reporters escape it.
    """

    code: str
    name: str
    """The name of the rule."""
    level: FindingLevel
    message: str
    path: str
    """The file's name in the tree; "" for a finding about the whole tree."""
    line: int
    """The line, from 1."""
    column: int
    """The column in characters, from 1."""
    end_line: int
    end_column: int
    """The column of the first character after the place. `end_line` is the line of that character."""
    start: int
    end: int
    """The place in the file on disk, in bytes. `start` and `end` are 0 for a finding about the whole file."""
    element: str
    """As in `linkfix.model.Link`, like the next three fields; "" or None for a finding that is not about a reference.
    """
    attribute: str
    reference: str
    target: str | None
    cause: str
    """The thing to fix. Findings with the same code and cause disappear together."""
    hint: Hint | None
    excerpt: str
    """The source line, clipped around the place."""
    fingerprint: str
    """A key that identifies the finding. It stays the same when other parts of the file change."""
    source: SourcePlace | None = None
    """The place in the source that the page is made from; None if it is not known."""


class Cause(NamedTuple):
    """Findings that one fix clears."""

    code: str
    name: str
    """The name of the rule."""
    level: FindingLevel
    """The worst level among the findings."""
    text: str
    findings: tuple[int, ...]
    """Indices into `Audit.findings`, ascending."""
    pages: int
    """The number of pages with these findings."""


@dataclass(slots=True)
class Folder:
    """The counts of one folder of the tree. Folders inside it are not included."""

    pages: int = 0
    links: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    """The value of a level -> the number of findings."""


@dataclass(slots=True)
class Coverage:
    """The counts of files, pages and references."""

    files: int = 0
    """The number of files in the tree."""
    pages: int = 0
    """The number of documents that were checked."""
    bytes: int = 0
    """The size of these documents, in bytes."""
    links: int = 0
    """The number of references in these documents."""
    checked: int = 0
    """The number of references that were checked."""
    unchecked: Counter[str] = field(default_factory=Counter)
    """The reason that references were not checked -> the number of references."""
    unread: dict[str, str] = field(default_factory=dict)
    """The name of a document that could not be read -> the reason."""
    left_out: Counter[str] = field(default_factory=Counter)
    """A reason -> the number of documents, of any type, that were skipped for it. No option named them."""
    fragments: Counter[str] = field(default_factory=Counter)
    """The status of fragments in the tree, in words -> the number of references with such a fragment."""
    other: int = 0
    """The number of checked documents that are no pages: style sheets, scripts, feeds, images."""
    refused: set[str] = field(default_factory=set)
    """The names in `unread` that could not be read for a reason outside the file, such as missing permission."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit."""

    root: str
    """The folder, as the caller gave it; for an archive, its folder."""
    base_url: str
    """The URL that the folder is served at."""
    base_source: str
    """The source of that URL, in words."""
    base_layer: Layer
    """RETRIEVAL: the caller gave the URL. DEFAULT: it was inferred. NONE: it is made up, and reports must not show it.
    """
    findings: tuple[Finding, ...]
    """The findings, sorted by path, place and code."""
    causes: tuple[Cause, ...]
    """The causes, sorted by level, then by the number of findings, largest first."""
    coverage: Coverage
    rules: tuple[RuleInfo, ...]
    """The rules that ran."""
    folders: Mapping[str, Folder]
    """The name of a folder -> its counts."""
    hidden: Counter[str]
    """A reason ("baseline", "comment", "per-file-ignores", "unchanged") -> the number of findings left out for it."""
    seconds: float = 0.0
    """The wall time of the audit, in seconds."""
    files: Sequence[str] = ()
    """The names of all files in the folder, with "/" between folders, sorted."""
    pages: Collection[str] = ()
    """The names of the documents that were checked."""
    known: Collection[str] = ()
    """The fingerprints of the findings that were left out because a baseline contains them."""
    outdated: int = 0
    """The number of baseline entries whose findings no longer occur."""
    selected: Collection[str] = ()
    """The codes of the rules that were selected by name or code."""
    urls: tuple[str, ...] = ()
    """Each folder of an audit of several sites, and the URL that it is served at, in words."""
    unchecked_folders: tuple[str, ...] = ()
    """The folders of an audit of several folders in which no reference was checked."""
    settings: str = ""
    """The settings of site generators that the audit followed, with their files, in words; "" for none."""
    indexes: Sequence[str] = ()
    """The names of the files that the URL of a folder leads to."""
    repository: Repository | None = None
    """The repository whose URLs at its host lead to files of the folder; None if they lead to another site."""
    superseded: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    """The code of a rule about the whole tree -> the findings that its finding replaces."""
    archive: str = ""
    """The name of the archive that was audited in place of a folder: a file in `root`; "" for a folder."""

    def count(self, level: FindingLevel) -> int:
        """The number of findings of a level."""
        return sum(finding.level is level for finding in self.findings)


def sum_coverage(parts: Sequence[Coverage], prefixes: Sequence[str]) -> Coverage:
    """The coverage of several trees. `prefixes`: the beginnings of the names in each."""
    total = Coverage()
    for part, prefix in zip(parts, prefixes, strict=True):
        total.files += part.files
        total.pages += part.pages
        total.other += part.other
        total.bytes += part.bytes
        total.links += part.links
        total.checked += part.checked
        total.unchecked += part.unchecked
        total.unread |= {prefix + name: why for name, why in part.unread.items()}
        total.refused |= {(prefix + name).rstrip("/") for name in part.refused}
        total.fragments += part.fragments
        total.left_out += part.left_out
    return total


# The facts that are kept about a page after it was read: IDs, counts and findings, but not its text.


class RedirectPage(NamedTuple):
    """The target of a page that redirects with a refresh."""

    number: int
    """The number of the target among the tree's files; -1 if the target is not in the tree."""
    name: str
    fragment: str
    """The fragment of the target."""
    passes_fragment_on: bool
    """Whether a script of the page passes the fragment of the page's own URL on."""


class Refresh(NamedTuple):
    """The refresh of a page that certainly loads a file of the tree without delay."""

    number: int
    """The number of the file, perhaps of the page itself."""
    name: str
    finding: Finding
    """A finding at its place, without a rule and a message."""
    exempt: frozenset[str]
    """The codes of the rules whose findings a comment hides there."""


class FragmentReferences(NamedTuple):
    """The fragments in a page's references: each pair of file and fragment once."""

    files: array[int]
    """The numbers of the files."""
    fragments: bytes
    """The fragments, separated by NUL."""
    counts: array[int]
    """The number of references for each pair."""

    @classmethod
    def of(cls, counts: dict[tuple[int, bytes], int]) -> FragmentReferences | None:
        """The fragments of a page, or None if `counts` is empty.

        `counts`: number of the file and fragment -> number of references with both.
        """
        if not counts:
            return None
        files, fragments = zip(*counts, strict=True)
        return cls(array("i", files), b"\0".join(fragments), array("i", counts.values()))

    def pairs(self) -> zip[tuple[int, bytes]]:
        """The pairs of file number and fragment. Fragments are as the URL parser leaves them."""
        return zip(self.files, self.fragments.split(b"\0"), strict=True)


class ModuleFacts(NamedTuple):
    """The modules of one page or script."""

    imports: frozenset[int]
    """The numbers of the files that it imports. A page with an import map also has the files that it loads as modules.
    """
    names: tuple[Finding, ...]
    """The findings about imported names, to report if an import map lacks these names. Empty for a page."""
    maps: tuple[tuple[str, str], ...]
    """The text and the base URL of each import map. Empty for a script."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts about one page."""

    name: str
    size: int
    """The size of the file, in bytes."""
    stamp: int
    """The time of the file's last change, in nanoseconds; 0 if the file could not be read."""
    unread: str = ""
    """The reason that the page was not checked; "" if it was checked.

    If there is a reason, all later fields but `findings` are empty.
    """
    ids: bytes = b""
    """The IDs and names in HTML that fragments can refer to, in UTF-8, separated by NUL."""
    source_ids: SourceIds | None = None
    """The parts that the other IDs of a Markdown page are made of; None for any other page."""
    media_type: str = ""
    encoding: str = ""
    """The name of the encoding that browsers assume, if the page declares none and this is not UTF-8; else ""."""
    redirect: RedirectPage | None = None
    """The target of the page's redirect; None if it does not redirect."""
    refresh: Refresh | None = None
    """The refresh that certainly loads a file of the tree without delay; None for no such refresh."""
    fragments: FragmentReferences | None = None
    """The fragments of its references that still have to be looked up in other pages."""
    findings: tuple[Finding, ...] = ()
    links: int = 0
    """The number of references in the page."""
    checked: int = 0
    """The number of references that were checked."""
    own_fragments: int = 0
    """The number of references whose fragment is an ID of the page itself."""
    unchecked: dict[str, int] = field(default_factory=dict)
    """The reason that references were not checked -> the number of references."""
    linked: frozenset[int] = frozenset()
    """The numbers of the files that the page links to."""
    root_relative: int = 0
    """The number of references that begin with "/" and stay on the host."""
    root_relative_missing: dict[str, int] = field(default_factory=dict)
    """The path of a missing target -> the number of references to it that begin with "/"."""
    failing: int = 0
    """The number of references whose target is missing."""
    suffixless: dict[str, int] = field(default_factory=dict)
    """The name of a missing target that would be a page with its suffix -> the number of references to it."""
    hidden: dict[str, int] = field(default_factory=dict)
    """The reason that findings were left out -> the number of findings."""
    is_refused: bool = False
    """Whether the reason is outside the file, such as missing permission; neither its content nor an option."""
    is_too_large: bool = False
    """Whether the reason is the file's size."""
    is_generated: bool = False
    """Whether a program adds content to the page that was not read. Such content can have more IDs."""
    modules: ModuleFacts | None = None
    """The facts about its modules; None if the page imports no module and has no import map."""
    mistake: str = ""
    """The mistake in an option of the audit that the page brought to light: it ends the audit."""


# The options of an audit.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """The options of an audit. Raises InvalidOption for a wrong value."""

    base_url: str | None = None
    """The URL that the tree's root is served at; None to infer it."""
    select: tuple[str, ...] = ()
    """The rules that run: codes, beginnings of codes ("LF3"), names, or "all"."""
    ignore: tuple[str, ...] = ()
    """The rules that do not run, in the same forms."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Patterns as in .gitignore -> rules that are ignored in matching files."""
    ignore_target: tuple[str, ...] = ()
    """Patterns of targets whose findings are left out: see `linkfix.auditing.selection`."""
    allow_host: tuple[str, ...] = ()
    """Private hosts that references may lead to: see `linkfix.auditing.private_hosts.AllowedHosts`."""
    external_results: str | None = None
    """The path of a JSON report of lychee on references to other sites; None for none."""
    mounts: tuple[tuple[str, str], ...] = ()
    """The folders that are served beside the tree, each with a URL or a path on the tree's host.

    References may lead to files in these folders.
    """
    clean_urls: bool | None = None
    """Whether the server answers "/a" with "/a.html". None: follow the settings of the generator, else False."""
    host: SiteHost | None = None
    """The host of the site, whose files and rules count. None: infer it from its files and from the URL."""
    indexes: tuple[str, ...] | None = None
    """The names of the files that the URL of a folder leads to, the first that exists; empty: none. None: the names
    that servers look for by default.
    """
    site: SiteGenerator | None = None
    """The generator of the site: its settings count, and its conventions for the URLs of sources. None: infer it;
    "none": there is none.
    """
    heading_ids: HeadingIds | None = None
    """The scheme for the IDs of Markdown headings. None: follow the MkDocs settings beside the tree, else "any"."""
    wikilinks: Wikilinks | None = None
    """The program whose wikilinks (`[[Page]]`) are links in Markdown. None: they are text."""
    charset: str | None = None
    """The encoding of all pages, as a Content-Type header field would state it."""
    replacements: tuple[str, ...] = ()
    """Replacements of references before they are judged, in order: see `linkfix.auditing.selection`."""
    include: tuple[str, ...] = ()
    """Patterns of the files to check. Other files are only targets."""
    exclude: tuple[str, ...] = ()
    """Patterns of files not to check."""
    include_ignored: bool = False
    """Whether to check files that git ignores and files in `node_modules/`, too."""
    max_size: int = 1 << 30
    """The largest size of a file to check, in bytes."""
    processes: int = 1
    """The number of processes for a large tree."""
    known: Collection[str] = frozenset()
    """The fingerprints of known findings, which are left out."""
    only: Collection[str] | None = None
    """The names of the files to report findings in; None for all files."""
    options: Options = field(default=Options())
    """The options for reading references. The audit sets `anchors`, and adds to `rows`."""

    def __post_init__(self) -> None:
        check_fields(self)


class AuditFields(TypedDict, total=False):
    """The fields of `AuditOptions` but `base_url`, as keywords of a function."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...]
    ignore_target: tuple[str, ...]
    allow_host: tuple[str, ...]
    external_results: str | None
    mounts: tuple[tuple[str, str], ...]
    clean_urls: bool | None
    host: SiteHost | None
    indexes: tuple[str, ...] | None
    site: SiteGenerator | None
    heading_ids: HeadingIds | None
    wikilinks: Wikilinks | None
    charset: str | None
    replacements: tuple[str, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    include_ignored: bool
    max_size: int
    processes: int
    known: Collection[str]
    only: Collection[str] | None
    options: Options
