"""Converting files: each job of a plan done to a complete file or not at all, on several cores."""

from __future__ import annotations

import dataclasses
import errno
import functools
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import BinaryIO, ClassVar, Literal, NamedTuple

from linkfix.containers import container
from linkfix.containers.part import Container, Part
from linkfix.display import pluralize
from linkfix.files import atomic as files
from linkfix.files.folder import EntryKind, Tree
from linkfix.model import Base, Conversion, Envelope, Problem
from linkfix.runs.diff import difference
from linkfix.runs.plan import Job, Source, Task, plan
from linkfix.runs.reader import Reader, named
from linkfix.runs.workers import ordered

__all__ = ["REPORTED", "Converter", "Outcome", "convert"]

#: How many problems of one document are kept; all are counted.
REPORTED = 1000

#: What became of a name. "same": a document that needed no change; "refused": left alone on purpose.
Action = Literal["converted", "same", "copied", "linked", "folder", "refused", "failed"]


class Outcome(NamedTuple):
    """What became of a job. A container has the counts of its documents, and no base, encoding and diff.

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
    def of(cls, shown: str, data: bytes, made: Conversion[bytes], url: str | None) -> Outcome:
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


@dataclasses.dataclass(slots=True)
class _Sums:
    """What is counted as a container is gone through."""

    links: int = 0
    rewritten: int = 0
    changed: bool = False
    problem_count: int = 0
    problems: list[Problem] = dataclasses.field(default_factory=list)

    def note(self, problem: Problem) -> None:
        self.problem_count += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)

    def outcome(self, shown: str, size: int, url: str | None) -> Outcome:
        return Outcome(
            action="converted" if self.changed else "same",
            shown=shown,
            size=size,
            url=url,
            links=self.links,
            rewritten=self.rewritten,
            problem_count=self.problem_count,
            problems=tuple(self.problems),
        )


def convert(
    sources: Iterable[Source], task: Task, *, chosen: Callable[[str], bool] = lambda _: True, processes: int = 1
) -> Generator[Outcome, None, None]:
    """Do a run: yield what became of each name, in the order of `plan`, which see for what is raised."""
    return _run(plan(sources, task, chosen), task, processes)


class Converter:
    """Does one job of a task at a time; holds no more than that one file. Pickled with its task alone."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._reader = Reader(task)
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

    def conversion(
        self, data: bytes, media_type: str, *, tree: Tree | None = None, name: str = "", url: str | None = None
    ) -> tuple[Conversion[bytes], str | None]:
        """Convert one document by the task's options, see `Reader.document`; also its retrieval URL."""
        options = self.task.options
        if tree is not None and self.task.keep_existing:
            if tree not in self._keepers:
                self._keepers[tree] = functools.lru_cache(maxsize=1 << 16)(tree.holds)
            options = dataclasses.replace(options, keep=self._keepers[tree])
        document, problems = self._reader.document(data, media_type, tree=tree, name=name, url=url, options=options)
        made = document.convert()
        if problems:
            made = dataclasses.replace(made, problems=problems + made.problems)
        return made, document.envelope.url

    def contained(
        self, container: Container, source: BinaryIO, out: BinaryIO, envelope: Envelope, shown: str
    ) -> Outcome:
        """Copy a container, which must be seekable, with its documents converted.

        `shown`: what messages and a map of URLs call it. Raises what the streams raise.
        """
        sums = _Sums()

        def change(part: Part) -> bytes | None:
            read = self._reader.part(part, shown)
            if read is None:
                return None
            for problem in read.problems:
                sums.note(named(problem, part))
            if read.document is None:
                return None
            made = read.document.convert()
            sums.links += made.links
            sums.rewritten += made.rewritten
            for problem in made.problems:
                sums.note(named(problem, part))
            if made.data == part.data:
                return None
            sums.changed = True
            return made.data

        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        container.rewrite(source, out, envelope, change, sums.note, self._reader.limits)
        return sums.outcome(shown, size, envelope.url)

    def validate(self, url: str | None) -> None:
        """See `Reader.validate`."""
        self._reader.validate(url)

    def around(self, tree: Tree | None, name: str, url: str | None) -> Envelope:
        """See `Reader.around`."""
        return self._reader.around(tree, name, url)

    def _document(self, job: Job) -> Outcome:
        try:
            data, status = files.read(job.path, limit=self.task.max_size)
        except files.FileTooLarge as error:
            self._other(job)
            return Outcome.too_large(job.shown, job.entry.size, str(error.strerror))
        made, url = self.conversion(data, job.entry.media_type, tree=job.tree, name=job.entry.name, url=job.url)
        new = made.data
        if job.target and new != data:
            self._prepare(job.target)
            files.write(job.target, new, like=job.path, expected=status if self.task.in_place else None)
        elif job.target and not self.task.in_place:
            self._other(job)
        outcome = Outcome.of(job.shown, data, made, url)
        return outcome._replace(diff=difference(job.shown, data, new, made.encoding)) if self.task.diff else outcome

    def _container(self, job: Job) -> Outcome:
        envelope = self.around(job.tree, job.entry.name, job.url)
        outcome = Outcome("copied", job.shown, job.entry.size)

        def convert(source: BinaryIO, out: BinaryIO) -> bool:
            nonlocal outcome
            outcome = self.contained(container(job.entry.format), source, out, envelope, job.shown)
            return outcome.action == "converted"

        if job.target:
            self._prepare(job.target)
            files.rewrite(job.path, job.target, convert)
        else:
            with open(job.path, "rb") as source, open(os.devnull, "wb") as nowhere:
                convert(source, nowhere)
        if self.task.diff and outcome.rewritten:
            message = (
                f"a container has no diff; {outcome.rewritten:,} of {pluralize(outcome.links, 'link')} would change"
            )
            return outcome._replace(message=message)
        return outcome

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

    _ACTIONS: ClassVar[dict[EntryKind, Callable[[Converter, Job], Outcome]]] = {
        EntryKind.DOCUMENT: _document,
        EntryKind.CONTAINER: _container,
        EntryKind.OTHER: _other,
        EntryKind.LINK: _link,
        EntryKind.FOLDER: _folder,
        EntryKind.REFUSED: _refused,
        EntryKind.FAILED: _failed,
    }


def _run(jobs: Iterator[Job], task: Task, processes: int) -> Generator[Outcome, None, None]:
    folders: list[Job] = []

    def noted() -> Iterator[Job]:
        for job in jobs:
            if job.entry.kind is EntryKind.FOLDER:
                folders.append(job)
            yield job

    def lost(job: Job, reason: str) -> Outcome:
        return Outcome("failed", job.shown, job.entry.size, f"the process that converted it died: {reason}")

    for outcome in ordered(Converter(task), noted(), processes=processes, lost=lost):
        if outcome.action != "folder":
            yield outcome
    # Only now: a folder that may not be written to could not have been filled, and filling it changes its times.
    for job in reversed(folders):
        try:
            if job.target and os.path.isdir(job.target):
                shutil.copystat(job.path, job.target)
        except OSError as error:
            yield Outcome("failed", job.shown, message=error.strerror or str(error))
