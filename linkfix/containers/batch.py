"""Converting files: what a run is asked to do, planned as jobs, each done to a complete file or not at all.

`plan` lists, `Converter` does one job and never raises, `convert` does them all, on several cores.
"""

from __future__ import annotations

import dataclasses
import errno
import functools
import itertools
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, cast

from linkfix import files
from linkfix.containers.tree import Entry, Kind, Tree
from linkfix.diff import unified
from linkfix.errors import InvalidOption
from linkfix.model import Base, Conversion, Options, Problem
from linkfix.walker import Document
from linkfix.workers import ordered

__all__ = ["REPORTED", "Converter", "Job", "Outcome", "Source", "Task", "convert", "plan"]

#: How many problems of one document are kept; all are counted.
REPORTED = 1000

#: What became of a name. "same": a document that needed no change; "refused": left alone on purpose.
Action = Literal["converted", "same", "copied", "linked", "folder", "refused", "failed"]


class Source(NamedTuple):
    """One PATH of a run.

    `tree`: the folder PATH, or the folder that the file PATH is in. `name`: that file's name in it, "" for the whole
    tree. `shown`: PATH as it was given. `place`: the name by which it arrives in the output folder; a tree has "", its
    content is the output folder's content, unless there are several sources.
    `url`: the retrieval URL of a file PATH, where it is not `tree.url_of(name)`. `media_type`: of a file PATH whose
    name and content state none.
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
            return cls(Tree(real, tree_url), "", path)
        folder, name = os.path.split(real)
        return cls(Tree(folder, tree_url), name, path, os.path.basename(path), url, media_type)

    def entries(self, chosen: Callable[[str], bool]) -> Iterator[Entry]:
        """What there is to do: the one file, or every name of the tree, whose documents are those that are chosen."""
        if not self.name:
            yield from self.tree.entries(chosen=chosen)
            return
        entry = self.tree.entry(self.name)
        if entry.kind is Kind.OTHER and self.media_type:
            entry = entry._replace(kind=Kind.DOCUMENT, media_type=self.media_type)
        yield entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is done to each file. Nothing is written unless there is an `output` folder (a path) or `in_place`.

    `options.keep` is None: `keep_existing` makes one for each tree. `max_size` is in bytes. `diff`: outcomes say what
    would change, as a unified diff. `dry_run`: nothing is written after all, but counted.
    """

    options: Options = dataclasses.field(default_factory=Options)
    charset: str | None = None
    default_base: str | None = None
    max_size: int = 1 << 30
    keep_existing: bool = False
    output: str | None = None
    in_place: bool = False
    dry_run: bool = False
    diff: bool = False


class Job(NamedTuple):
    """One name of a source: where it is, what it is called in messages, and where its result goes (None: nowhere)."""

    entry: Entry
    path: str
    shown: str
    tree: Tree
    url: str | None
    target: str | None


class Outcome(NamedTuple):
    """What became of a job.

    `message`: why it was refused or failed. `links`, `rewritten`: counts of references. `problems`: the first
    `REPORTED` ones, of `problem_count`. `size` is in bytes. `diff`: of a task with `diff`, ready for `patch -p1`.
    """

    action: Action
    shown: str
    size: int = 0
    message: str = ""
    url: str | None = None
    base: Base | None = None
    encoding: str = ""
    links: int = 0
    rewritten: int = 0
    problem_count: int = 0
    problems: tuple[Problem, ...] = ()
    diff: bytes = b""

    @classmethod
    def of(cls, shown: str, data: bytes, made: Conversion, url: str | None) -> Outcome:
        """The outcome of a conversion of `data`."""
        return cls(
            action="same" if made.data == data else "converted",
            shown=shown,
            size=len(data),
            url=url,
            base=made.base,
            encoding=made.encoding,
            links=made.links,
            rewritten=made.rewritten,
            problem_count=len(made.problems),
            problems=made.problems[:REPORTED],
        )

    @classmethod
    def too_large(cls, shown: str, size: int, message: str) -> Outcome:
        """The outcome of a document that was left alone for its size."""
        return cls("same", shown, size, problem_count=1, problems=(Problem("too-large", message, 0, 1, 1),))


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


def convert(
    sources: Iterable[Source], task: Task, *, chosen: Callable[[str], bool] = lambda _: True, processes: int = 1
) -> Generator[Outcome, None, None]:
    """Do a run: yield what became of each name, in the order of `plan`, which see for what is raised."""
    return _run(plan(sources, task, chosen), task, processes)


class Converter:
    """Does one job of a task at a time; holds no more than that one file. Pickled with its task alone."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._keepers: dict[Tree, Callable[[str], bool]] = {}
        self._ready: set[str] = set()

    def __reduce__(self) -> tuple[type[Converter], tuple[Task]]:
        return Converter, (self.task,)

    def __call__(self, job: Job) -> Outcome:
        """Do a job. Never raises: an error is an outcome, and the next job can be done."""
        try:
            return self._ACTIONS[job.entry.kind](self, job)
        except OSError as error:
            elsewhere = error.filename not in {None, job.path, job.target}
            message = (error.strerror or str(error)) + (f": {error.filename}" if elsewhere else "")
        except MemoryError:
            message = "not enough memory"
        except Exception as error:  # noqa: BLE001  # a fault of linkfix in one file is no reason to stop the others
            message = f"internal error, please report it: {type(error).__name__}: {error}"
        return Outcome("failed", job.shown, job.entry.size, message)

    def conversion(self, data: bytes, *, url: str | None, media_type: str, tree: Tree | None = None) -> Conversion:
        """Convert one document by the task's options. Raises `LinkfixError` for what the caller did wrong."""
        options = self.task.options
        if tree is not None and self.task.keep_existing:
            if tree not in self._keepers:
                self._keepers[tree] = functools.lru_cache(maxsize=1 << 16)(tree.holds)
            options = dataclasses.replace(options, keep=self._keepers[tree])
        document = Document(
            data,
            url=url,
            charset=self.task.charset,
            media_type=media_type,
            default_base=self.task.default_base,
            options=options,
        )
        return document.convert()

    def _document(self, job: Job) -> Outcome:
        try:
            data, status = files.read(job.path, limit=self.task.max_size)
        except files.FileTooLarge as error:
            self._other(job)
            return Outcome.too_large(job.shown, job.entry.size, str(error.strerror))
        made = self.conversion(data, url=job.url, media_type=job.entry.media_type, tree=job.tree)
        new = cast("bytes", made.data)
        if job.target and new != data:
            self._prepare(job.target)
            files.write(job.target, new, like=job.path, expected=status if self.task.in_place else None)
        elif job.target and not self.task.in_place:
            self._other(job)
        outcome = Outcome.of(job.shown, data, made, job.url)
        return outcome._replace(diff=_diff(job.shown, data, new, made.encoding)) if self.task.diff else outcome

    def _other(self, job: Job) -> Outcome:
        if job.target and not self.task.in_place:
            self._prepare(job.target)
            files.copy(job.path, job.target)
        return Outcome("copied", job.shown, job.entry.size)

    def _link(self, job: Job) -> Outcome:
        if job.target:
            self._prepare(job.target)
            files.link(job.entry.text, job.target)
        return Outcome("linked", job.shown)

    def _folder(self, job: Job) -> Outcome:
        if job.target:
            self._prepare(os.path.join(job.target, ""))
        return Outcome("folder", job.shown)

    def _refused(self, job: Job) -> Outcome:
        return Outcome("refused", job.shown, message=job.entry.text)

    def _failed(self, job: Job) -> Outcome:
        return Outcome("failed", job.shown, message=job.entry.text)

    def _prepare(self, target: str) -> None:
        """Make the folder of `target`, which no link that stands in the output folder may lead out of it."""
        folder = os.path.dirname(target)
        if self.task.output is None or folder in self._ready:
            return
        if not files.inside(os.path.realpath(folder), os.path.realpath(self.task.output)):
            raise OSError(errno.EPERM, "a symbolic link leads out of the output folder", folder)
        os.makedirs(folder, exist_ok=True)
        self._ready.add(folder)

    _ACTIONS: ClassVar[dict[Kind, Callable[[Converter, Job], Outcome]]] = {
        Kind.DOCUMENT: _document,
        Kind.OTHER: _other,
        Kind.LINK: _link,
        Kind.FOLDER: _folder,
        Kind.REFUSED: _refused,
        Kind.FAILED: _failed,
    }


def _diff(name: str, old: bytes, new: bytes, encoding: str) -> bytes:
    """UTF-16 has no lines of bytes: it is shown in UTF-8."""
    if encoding.upper().startswith("UTF-16"):
        old, new = (data.decode(encoding, "replace").encode() for data in (old, new))
    return unified(name, old, new)


#: The kinds that are jobs where no file is copied.
_WITHOUT_OUTPUT = frozenset({Kind.DOCUMENT, Kind.REFUSED, Kind.FAILED})


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
            yield Job(entry, path, shown, source.tree, source.url or source.tree.url_of(entry.name), target)


def _run(jobs: Iterator[Job], task: Task, processes: int) -> Generator[Outcome, None, None]:
    folders: list[tuple[str, str]] = []

    def noted() -> Iterator[Job]:
        for job in jobs:
            if job.entry.kind is Kind.FOLDER and job.target:
                folders.append((job.path, job.target))
            yield job

    def lost(job: Job, reason: str) -> Outcome:
        return Outcome("failed", job.shown, job.entry.size, f"the process that converted it died: {reason}")

    for outcome in ordered(Converter(task), noted(), processes=processes, lost=lost):
        if outcome.action != "folder":
            yield outcome
    # Only now: a folder that may not be written to could not have been filled, and filling it changes its times.
    for path, target in reversed(folders):
        try:
            shutil.copystat(path, target)
        except OSError as error:
            yield Outcome("failed", path, 0, error.strerror or str(error))


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
