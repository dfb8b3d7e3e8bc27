"""What a run is asked to do: its sources, the task, and the jobs that they make; what cannot go together is refused."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.containers import FORMATS
from linkfix.errors import InvalidOption
from linkfix.files import atomic as files
from linkfix.files.folder import Entry, EntryKind, Tree
from linkfix.model import Options
from linkfix.saved.url_map import UrlMap

__all__ = ["Job", "Source", "Task", "plan"]

#: The kinds that are jobs where no file is copied.
_WITHOUT_OUTPUT = frozenset({EntryKind.DOCUMENT, EntryKind.CONTAINER, EntryKind.REFUSED, EntryKind.FAILED})


class Source(NamedTuple):
    """One PATH of a run.

    `tree`: the folder PATH, or the folder that the file PATH is in. `name`: that file's name in it, "" for the whole
    tree. `shown`: PATH as it was given. `place`: the name by which it arrives in the output folder; a tree has "", its
    content is the output folder's content, unless there are several sources. `url`: the retrieval URL that was given
    for a file PATH. `media_type`: of a file PATH whose name and content state none.
    """

    tree: Tree
    name: str
    shown: str
    place: str = ""
    url: str | None = None
    media_type: str = ""

    @classmethod
    def of(cls, path: str, *, tree_url: str | None = None, url: str | None = None, media_type: str = "") -> Source:
        """The source at a path. A symbolic link that is named outright is followed."""
        real = os.path.realpath(path)
        if os.path.isdir(real):
            return cls(Tree(real, tree_url, FORMATS), "", path)
        folder, name = os.path.split(real)
        return cls(Tree(folder, tree_url, FORMATS), name, path, os.path.basename(path), url, media_type)

    def entries(self, chosen: Callable[[str], bool]) -> Iterator[Entry]:
        """What there is to do: the one file, or every name of the tree, whose documents are those that are chosen."""
        if not self.name:
            yield from self.tree.entries(chosen=chosen)
            return
        entry = self.tree.entry(self.name, outright=True)
        if entry.kind is EntryKind.OTHER and self.media_type:
            entry = entry._replace(kind=EntryKind.DOCUMENT, media_type=self.media_type)
        yield entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is done to each file. Nothing is written unless there is an `output` folder (a path) or `in_place`.

    `options.keep` is None: `keep_existing` makes one for each tree, `keep_parts` for each container. `max_size` is in
    bytes, of a document; a container has no limit, its parts have this one. `url_map`, `layout`, `trust_canonical`: see
    `linkfix.saved.retrieval.Retrieval`. `diff`: outcomes say what would change, as a unified diff. `dry_run`: nothing
    is written after all, but counted.
    """

    options: Options = field(default_factory=Options)
    charset: str | None = None
    default_base: str | None = None
    max_size: int = 1 << 30
    keep_existing: bool = False
    keep_parts: bool = True
    url_map: UrlMap | None = None
    layout: str | None = None
    trust_canonical: bool = False
    output: str | None = None
    in_place: bool = False
    dry_run: bool = False
    diff: bool = False


class Job(NamedTuple):
    """One name of a source: where it is, what it is called in messages, and where its result goes (None: nowhere).

    `url`: that was given for it.
    """

    entry: Entry
    path: str
    shown: str
    tree: Tree
    url: str | None
    target: str | None


def plan(sources: Iterable[Source], task: Task, chosen: Callable[[str], bool] = lambda _: True) -> Iterator[Job]:
    """The jobs of a run, as the folders are read. Without an output folder, only documents and faults are jobs.

    Raises `InvalidOption` at once where two sources are the same or lie in each other, where two arrive at one place,
    and where an input and the output folder lie in each other.
    """
    sources = list(sources)
    if len(sources) > 1:
        sources = [source._replace(place=source.place or os.path.basename(source.tree.root)) for source in sources]
    _refuse_overlaps(sources, task)
    return _jobs(sources, task, chosen)


def _jobs(sources: list[Source], task: Task, chosen: Callable[[str], bool]) -> Iterator[Job]:
    for source in sources:
        for entry in source.entries(chosen):
            if task.output is None and entry.kind not in _WITHOUT_OUTPUT:
                continue
            path = source.tree.path(entry.name)
            inner = "" if source.name else entry.name
            target = path if task.in_place and not task.dry_run else None
            if task.output is not None and not task.dry_run:
                target = os.path.join(task.output, *filter(None, (source.place, *inner.split("/"))))
            shown = os.path.join(source.shown, *inner.split("/")) if inner else source.shown
            yield Job(entry, path, shown, source.tree, source.url, target)


def _refuse_overlaps(sources: list[Source], task: Task) -> None:
    inputs = sorted((os.path.join(source.tree.path(source.name), ""), source.shown) for source in sources)
    for (outer, first), (inner, second) in itertools.pairwise(inputs):
        if inner.startswith(outer):
            message = f"{second} is {'given twice' if inner == outer else f'in {first}'}: give each file once"
            raise InvalidOption(message)
    if task.output is None:
        return
    output = os.path.realpath(task.output)
    arrivals: dict[str, str] = {}
    for source in sources:
        other = arrivals.setdefault(os.path.join(output, source.place).rstrip(os.sep), source.shown)
        if other is not source.shown:
            message = f"{other} and {source.shown} would have the same place in {task.output}: convert one at a time"
            raise InvalidOption(message)
    for path, shown in inputs:
        if files.inside(output, path) or any(folder in arrivals for folder in _upward(path)):
            message = f"the output folder {task.output} and the input {shown} lie in each other: choose another"
            raise InvalidOption(message)


def _upward(path: str) -> Iterator[str]:
    """A path and the folders that it is in, but for the root of the file system."""
    while path.rstrip(os.sep) and path != os.path.dirname(path):
        path = path.rstrip(os.sep)
        yield path
        path = os.path.dirname(path)
