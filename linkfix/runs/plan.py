"""The plan of a run: input paths, settings, and the jobs that follow from them. Overlapping paths are refused."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict, Unpack

from linkfix.constraints import check_fields
from linkfix.containers import FORMATS
from linkfix.containers.part import MAX_RATIO, MAX_TOTAL
from linkfix.errors import InvalidOption
from linkfix.files.descriptors import FilePath, is_inside, join_inside
from linkfix.files.folder import Entry, EntryKind, FileTree
from linkfix.files.media_types import source_type
from linkfix.model import ArchivedLinks, Layout, Options, OtherLinks, RevisitMode

if TYPE_CHECKING:
    from linkfix.runs.file_map import FileMap
    from linkfix.runs.survey import Survey
    from linkfix.saved.url_map import UrlMap


#: The kinds of entries that are jobs where no output folder wants copies.
_WITHOUT_OUTPUT = frozenset(
    {EntryKind.DOCUMENT, EntryKind.CONTAINER, EntryKind.UNREAD, EntryKind.REFUSED, EntryKind.FAILED}
)
#: The kinds of entries that are files and can be read.
FILES = frozenset({EntryKind.DOCUMENT, EntryKind.CONTAINER, EntryKind.UNREAD, EntryKind.OTHER})


class FileFields(TypedDict, total=False):
    """The URL and media type given for a file: see `InputPath`."""

    media_type: str
    forced_type: str


class InputPath(NamedTuple):
    """One PATH of a run: a folder or a file."""

    tree: FileTree
    """The folder, or the folder that holds the file."""
    name: str
    """The file's name in `tree`; "" for the whole tree."""
    display_name: str
    """PATH as it was given."""
    output_name: str = ""
    """Its name in the output folder. "" for a single tree, whose contents become those of the output folder."""
    url: str | None = None
    """The retrieval URL given for a file."""
    media_type: str = ""
    """Of a file whose name and content state none, and may be a document."""
    forced_type: str = ""
    """The media type of a file, whatever its name and content say."""

    @classmethod
    def of(
        cls, path: str, *, tree_url: str | None = None, url: str | None = None, **of_file: Unpack[FileFields]
    ) -> Self:
        """The input at a path. A symbolic link is followed here, since the caller named it. `of_file`: fields of the
        same names.
        """
        real = os.path.realpath(path)
        if os.path.isdir(real):
            return cls(FileTree(real, tree_url, FORMATS), "", path)
        folder, name = os.path.split(real)
        return cls(FileTree(folder, tree_url, FORMATS), name, path, os.path.basename(path), url, **of_file)

    def entries(self, chosen: Callable[[str], bool]) -> Iterator[Entry]:
        """The one file, or every entry of the tree; documents and containers are those that `chosen` accepts."""
        if not self.name:
            yield from self.tree.entries(chosen=chosen)
            return
        entry = self.tree.entry(self.name, explicit=True)
        if self.forced_type and entry.kind in FILES:
            entry = entry._replace(kind=EntryKind.DOCUMENT, media_type=self.forced_type)
        elif entry.kind is EntryKind.OTHER and self.media_type and entry.problem:
            entry = entry._replace(kind=EntryKind.UNREAD)
        elif entry.kind is EntryKind.OTHER and self.media_type:
            entry = entry._replace(kind=EntryKind.DOCUMENT, media_type=entry.media_type or self.media_type)
        yield entry


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of a run: reading, conversion, and the place of results (`output`, `in_place`, or none).

    Raises InvalidOption for a wrong value.
    """

    options: Options = field(default_factory=Options)
    """`options.keep` must be None: `keep_existing` sets one for each tree, `keep_parts` one for each container."""
    charset: str | None = None
    """The encoding of documents that the transport would state: for all files, and for parts that state none."""
    default_base: str | None = None
    """The base URL of last resort."""
    max_size: int = 1 << 30
    """The largest document or part of a container, in bytes; a container itself has no limit."""
    max_ratio: int = MAX_RATIO
    """See `linkfix.containers.part.Limits.ratio`."""
    max_total: int = MAX_TOTAL
    """The maximum number of bytes of all parts of a container, decoded."""
    keep_existing: bool = False
    """Whether references to files of the tree stay as they are."""
    keep_parts: bool = True
    """Whether references to other parts of the same container, or to what the run's WARC files have captured, stay as
    they are.
    """
    break_signatures: bool = False
    """See `linkfix.containers.part.Limits`."""
    url_map: UrlMap | None = None
    """See `linkfix.saved.retrieval.Retrieval`."""
    layout: Layout | None = None
    """See `linkfix.saved.retrieval.Retrieval`."""
    trust_canonical: bool = False
    """See `linkfix.saved.retrieval.Retrieval`."""
    archived_links: ArchivedLinks = "archive"
    """See `linkfix.saved.retrieval.Retrieval`."""
    suggest_urls: bool = False
    """Whether outcomes have the URLs that other options would find for documents without one."""
    revisits: RevisitMode = "keep"
    """The treatment of a payload that a revisit record of a WARC file replays at another URL, with other links."""
    output: str | None = None
    """The folder that results are written to."""
    in_place: bool = False
    """Whether files are replaced by their conversion."""
    dry_run: bool = False
    """Whether nothing is written after all, and changes are only counted."""
    keep_hard_links: bool = False
    """Whether names of one file are converted once, for the first of them, and stay names of one file."""
    preserve_times: bool = False
    """Whether converted files keep the times of what they were made from."""
    diff: bool = False
    """Whether outcomes hold a unified diff of what would change."""
    files: FileMap | None = None
    """The files that references become relative to; None: references become absolute."""
    on_host: bool = False
    """Whether references to the host of their document become relative, whether or not there is a file."""
    others: OtherLinks = "absolute"
    """The treatment of the other references, if some become relative."""
    sources: bool = False
    """Whether the Markdown files of folders are documents too."""
    containers: bool = True
    """Whether archives and messages are converted. They record what was at a URL, so that a move is none of theirs."""

    def __post_init__(self) -> None:
        check_fields(self)


class Job(NamedTuple):
    """One entry of an input, and what to do with it."""

    entry: Entry
    path: str
    """Its path on disk."""
    display_name: str
    """Its name in messages."""
    tree: FileTree
    url: str | None
    """The retrieval URL given for it."""
    target: str | None
    """The path that its result is written to; None for none."""
    target_root: str = ""
    """The folder that the user named, which `target` is in."""
    survey: Survey | None = None
    """The survey of the run's WARC files; None for other files, and if there was no survey."""

    @property
    def source(self) -> FilePath:
        """Its path on disk, below its tree."""
        return FilePath(self.path, self.tree.root)

    @property
    def destination(self) -> FilePath | None:
        """The path of its result, below the folder that the user named; None if no result is written."""
        return None if self.target is None else FilePath(self.target, self.target_root)


def plan(
    inputs: Iterable[InputPath],
    settings: RunSettings,
    chosen: Callable[[str], bool] = lambda _: True,
    *,
    scripts: bool = False,
) -> Iterator[Job]:
    """Yield the jobs of a run while its folders are read.

    Without an output folder, only documents, containers, archives that are not read and errors are jobs; with
    `scripts`, these are documents too: their references can be listed, and a conversion copies them. Raises
    `InvalidOption` at once where two inputs are the same or overlap, where two would be written to the same place, and
    where an input and the output folder overlap.
    """
    inputs = list(inputs)
    if len(inputs) > 1:
        inputs = [one._replace(output_name=one.output_name or os.path.basename(one.tree.root)) for one in inputs]
    _refuse_overlaps(inputs, settings)
    return _jobs(inputs, settings, chosen, scripts=scripts)


def _jobs(
    inputs: list[InputPath], settings: RunSettings, chosen: Callable[[str], bool], *, scripts: bool
) -> Iterator[Job]:
    writes = not settings.dry_run
    for one in inputs:
        output = join_inside(settings.output, one.output_name) if settings.output is not None and writes else None
        target_root = settings.output or one.tree.root
        for found in one.entries(chosen):
            entry = found
            if found.kind is EntryKind.OTHER and (scripts and found.media_type):
                entry = found._replace(kind=EntryKind.DOCUMENT)
            elif found.kind is EntryKind.OTHER and settings.sources and (source := source_type(found.name)):
                entry = found._replace(kind=EntryKind.DOCUMENT, media_type=source)
            if settings.output is None and entry.kind not in _WITHOUT_OUTPUT:
                continue
            path = one.tree.path(entry.name)
            inner = "" if one.name else entry.name
            target = (
                join_inside(output, inner) if output is not None else path if settings.in_place and writes else None
            )
            yield Job(entry, path, join_inside(one.display_name, inner), one.tree, one.url, target, target_root)


def _refuse_overlaps(inputs: list[InputPath], settings: RunSettings) -> None:
    paths = sorted((os.path.join(one.tree.path(one.name), ""), one.display_name) for one in inputs)
    for (outer, first), (inner, second) in itertools.pairwise(paths):
        if inner.startswith(outer):
            message = f"{second} is {'given twice' if inner == outer else f'in {first}'}: give each file once"
            raise InvalidOption(message)
    if settings.output is None:
        return
    output = os.path.realpath(settings.output)
    arrivals: dict[str, str] = {}
    for one in inputs:
        other = arrivals.setdefault(os.path.join(output, one.output_name).rstrip(os.sep), one.display_name)
        if other is not one.display_name:
            message = (
                f"{other} and {one.display_name} would be written to the same place in {settings.output}: "
                "convert one at a time"
            )
            raise InvalidOption(message)
    for path, display_name in paths:
        if is_inside(output, path) or any(folder in arrivals for folder in _ancestors(path)):
            message = f"the output folder {settings.output} and the input {display_name} overlap: choose another folder"
            raise InvalidOption(message)


def _ancestors(path: str) -> Iterator[str]:
    """A path and the folders above it, without the root of the file system."""
    while path.rstrip(os.sep) and path != os.path.dirname(path):
        path = path.rstrip(os.sep)
        yield path
        path = os.path.dirname(path)
