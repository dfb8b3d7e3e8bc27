"""Converting files: each job of a plan leaves a complete file or none, on several cores."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import BinaryIO, ClassVar, Literal, NamedTuple

from linkfix.containers import container
from linkfix.containers.part import Container, Part
from linkfix.display import pluralize
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import EntryKind, FileTree
from linkfix.model import Base, Conversion, Envelope, Problem
from linkfix.runs.diff import difference
from linkfix.runs.ledger import Ledger
from linkfix.runs.plan import InputPath, Job, RunSettings, plan
from linkfix.runs.reader import DocumentReader, part_problem
from linkfix.runs.workers import map_in_order

__all__ = ["REPORTED", "Converter", "FileOutcome", "convert"]

#: How many problems of one document are kept; all are counted.
REPORTED = 1000

#: What was done with an entry. "same": a document that needed no change; "refused": left alone on purpose; "removed": a
#: temporary file that a killed run left behind.
Action = Literal["converted", "same", "copied", "linked", "folder", "refused", "failed", "removed"]


class FileOutcome(NamedTuple):
    """The result of a job. A container's counts are those of its documents; it has no base, encoding and diff."""

    action: Action
    display_name: str
    """What messages call the file."""
    size: int = 0
    """In bytes, before conversion."""
    message: str = ""
    """Why it was refused or failed."""
    url: str | None = None
    """Its retrieval URL."""
    base: Base | None = None
    """Its document base URL."""
    encoding: str = ""
    """A name of the Encoding standard."""
    links: int = 0
    """How many references it has."""
    rewritten: int = 0
    """How many of them were changed."""
    problem_count: int = 0
    problems: tuple[Problem, ...] = ()
    """The first `REPORTED` problems."""
    separated: bool = False
    """Whether it was replaced in place, and had other names (hard links), which are not names of the new file."""
    diff: bytes = b""
    """A unified diff for `patch -p1`, where the settings ask for one."""

    @classmethod
    def of(cls, display_name: str, data: bytes, made: Conversion[bytes], url: str | None) -> FileOutcome:
        """The outcome of a conversion of `data`."""
        return cls(
            action="same" if made.data == data else "converted",
            display_name=display_name,
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
    def too_large(cls, display_name: str, size: int, message: str) -> FileOutcome:
        """The outcome of a document that was left alone because of its size."""
        return cls("same", display_name, size, problem_count=1, problems=(Problem("too-large", message, 0, 1, 1),))


@dataclasses.dataclass(slots=True)
class _ContainerCounts:
    """What is counted while a container is converted."""

    links: int = 0
    rewritten: int = 0
    changed: bool = False
    problem_count: int = 0
    problems: list[Problem] = dataclasses.field(default_factory=list)

    def note(self, problem: Problem) -> None:
        self.problem_count += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)

    def outcome(self, display_name: str, size: int, url: str | None) -> FileOutcome:
        return FileOutcome(
            action="converted" if self.changed else "same",
            display_name=display_name,
            size=size,
            url=url,
            links=self.links,
            rewritten=self.rewritten,
            problem_count=self.problem_count,
            problems=tuple(self.problems),
        )


def convert(
    inputs: Iterable[InputPath],
    settings: RunSettings,
    *,
    chosen: Callable[[str], bool] = lambda _: True,
    processes: int = 1,
) -> Generator[FileOutcome, None, None]:
    """Do a run: yield the outcome of each job, in the order of `plan`. Raises what `plan` raises.

    What killed runs left behind in the folders that are written to is removed first, and is an outcome too. Further
    names of a file (hard links) that are kept with its first one come last.
    """
    return _run(plan(inputs, settings, chosen), settings, processes)


class Converter:
    """Does one job at a time, with one file in memory. It is pickled with its settings alone."""

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self._reader = DocumentReader(settings)
        self._keepers: dict[FileTree, Callable[[str], bool]] = {}
        self._ready: set[str] = set()

    def __reduce__(self) -> tuple[type[Converter], tuple[RunSettings]]:
        return Converter, (self.settings,)

    def __call__(self, job: Job) -> FileOutcome:
        """Do a job. Never raises: an error is an outcome, and the other jobs go on."""
        try:
            return self._ACTIONS[job.entry.kind](self, job)
        except OSError as error:
            is_other_file = error.filename not in {None, job.path, job.target}
            message = (error.strerror or str(error)) + (f": {error.filename}" if is_other_file else "")
        except MemoryError:
            message = "not enough memory"
        except Exception as error:  # noqa: BLE001  # a fault of linkfix in one file is no reason to stop the others
            message = f"internal error, please report it: {type(error).__name__}: {error}"
        return FileOutcome("failed", job.display_name, job.entry.size, message)

    def convert_document(
        self, data: bytes, media_type: str, *, tree: FileTree | None = None, name: str = "", url: str | None = None
    ) -> tuple[Conversion[bytes], str | None]:
        """Convert a document, and give its retrieval URL too. For the arguments see `DocumentReader.document`."""
        options = self.settings.options
        if tree is not None and self.settings.keep_existing:
            if tree not in self._keepers:
                self._keepers[tree] = functools.lru_cache(maxsize=1 << 16)(tree.has_url)
            options = dataclasses.replace(options, keep=self._keepers[tree])
        document, problems = self._reader.document(data, media_type, tree=tree, name=name, url=url, options=options)
        made = document.convert()
        if problems:
            made = dataclasses.replace(made, problems=problems + made.problems)
        return made, document.envelope.url

    def convert_container(
        self, container: Container, source: BinaryIO, out: BinaryIO, envelope: Envelope, display_name: str
    ) -> FileOutcome:
        """Copy a container, which must be seekable, and convert its documents.

        `display_name`: what messages and the URL map call it. Raises what the streams raise.
        """
        counts = _ContainerCounts()

        def change(part: Part) -> bytes | None:
            read = self._reader.part(part, display_name)
            if read is None:
                return None
            for problem in read.problems:
                counts.note(part_problem(problem, part))
            if read.document is None:
                return None
            made = read.document.convert()
            counts.links += made.links
            counts.rewritten += made.rewritten
            for problem in made.problems:
                counts.note(part_problem(problem, part))
            if made.data == part.data:
                return None
            counts.changed = True
            return made.data

        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        container.rewrite(source, out, envelope, change, counts.note, self._reader.limits)
        return counts.outcome(display_name, size, envelope.url)

    def validate(self, url: str | None) -> None:
        """See `DocumentReader.validate`."""
        self._reader.validate(url)

    def container_envelope(self, tree: FileTree | None, name: str, url: str | None) -> Envelope:
        """See `DocumentReader.container_envelope`."""
        return self._reader.container_envelope(tree, name, url)

    def _document(self, job: Job) -> FileOutcome:
        try:
            data, status = atomic.read(job.source, limit=self.settings.max_size)
        except atomic.FileTooLarge as error:
            self._other(job)
            return FileOutcome.too_large(job.display_name, job.entry.size, str(error.strerror))
        made, url = self.convert_document(data, job.entry.media_type, tree=job.tree, name=job.entry.name, url=job.url)
        new = made.data
        if job.destination and new != data:
            self._prepare(job.destination)
            atomic.write(
                job.destination,
                new,
                like=job.source,
                expected=status if self.settings.in_place else None,
                keep_hard_links=self.settings.keep_hard_links and self.settings.in_place,
                preserve_times=self.settings.preserve_times,
            )
        elif job.target and not self.settings.in_place:
            self._other(job)
        diff = difference(job.display_name, data, new, made.encoding) if self.settings.diff else b""
        return self._with_separation(job, FileOutcome.of(job.display_name, data, made, url)._replace(diff=diff))

    def _with_separation(self, job: Job, outcome: FileOutcome) -> FileOutcome:
        separates = self.settings.in_place and not self.settings.keep_hard_links and job.entry.identity is not None
        return outcome._replace(separated=separates and outcome.action == "converted")

    def _container(self, job: Job) -> FileOutcome:
        envelope = self.container_envelope(job.tree, job.entry.name, job.url)
        outcome = FileOutcome("copied", job.display_name, job.entry.size)

        def convert(source: BinaryIO, out: BinaryIO) -> bool:
            nonlocal outcome
            outcome = self.convert_container(container(job.entry.format), source, out, envelope, job.display_name)
            return outcome.action == "converted"

        if job.destination:
            self._prepare(job.destination)
            settings = self.settings
            atomic.rewrite(
                job.source,
                job.destination,
                convert,
                keep_hard_links=settings.keep_hard_links and settings.in_place,
                preserve_times=settings.preserve_times,
            )
        else:
            with atomic.open_file(job.source) as source, open(os.devnull, "wb") as nowhere:
                convert(source, nowhere)
        if self.settings.diff and outcome.rewritten:
            message = (
                f"a container has no diff; {outcome.rewritten:,} of {pluralize(outcome.links, 'link')} would change"
            )
            return outcome._replace(message=message)
        return self._with_separation(job, outcome)

    def link_again(self, job: Job, first: Job) -> FileOutcome:
        """Make the target of a job another name of the target of an earlier one, whose source is the same file.

        Does the job as any other where that is not possible.
        """
        try:
            if job.destination and first.destination and not self.settings.in_place:
                self._prepare(job.destination)
                atomic.hard_link(first.destination, job.destination)
        except OSError:
            return self(job)
        return FileOutcome("linked", job.display_name)

    def _other(self, job: Job) -> FileOutcome:
        if job.destination and not self.settings.in_place:
            self._prepare(job.destination)
            atomic.copy(job.source, job.destination)
        return FileOutcome("copied", job.display_name, job.entry.size)

    def _link(self, job: Job) -> FileOutcome:
        if job.destination:
            self._prepare(job.destination)
            atomic.link(job.entry.text, job.destination)
        return FileOutcome("linked", job.display_name)

    def _folder(self, job: Job) -> FileOutcome:
        if job.target:
            self._make_folder(job.target)
        return FileOutcome("folder", job.display_name)

    def _refuse(self, job: Job) -> FileOutcome:
        return FileOutcome("refused", job.display_name, message=job.entry.text)

    def _fail(self, job: Job) -> FileOutcome:
        return FileOutcome("failed", job.display_name, message=job.entry.text)

    def _prepare(self, target: FilePath) -> None:
        """Make the folder of `target`."""
        self._make_folder(os.path.dirname(target.path))

    def _make_folder(self, folder: str) -> None:
        if self.settings.output is not None and folder not in self._ready:
            atomic.make_folder(folder, inside=self.settings.output)
            self._ready.add(folder)

    _ACTIONS: ClassVar[dict[EntryKind, Callable[[Converter, Job], FileOutcome]]] = {
        EntryKind.DOCUMENT: _document,
        EntryKind.CONTAINER: _container,
        EntryKind.OTHER: _other,
        EntryKind.LINK: _link,
        EntryKind.FOLDER: _folder,
        EntryKind.REFUSED: _refuse,
        EntryKind.FAILED: _fail,
    }


def _run(jobs: Iterator[Job], settings: RunSettings, processes: int) -> Generator[FileOutcome, None, None]:
    def lost(job: Job, reason: str) -> FileOutcome:
        return FileOutcome("failed", job.display_name, job.entry.size, f"the process that converted it died: {reason}")

    ledger = Ledger(settings)
    converter = Converter(settings)
    failed: set[str] = set()
    for outcome in map_in_order(converter, ledger.record(jobs), processes=processes, lost=lost):
        for path in ledger.take_removed():
            yield FileOutcome("removed", path, message="left behind by a run that was killed: removed")
        if outcome.action == "failed":
            failed.add(outcome.display_name)
        if outcome.action != "folder":
            yield outcome
    for job, first in ledger.further:
        yield converter(job) if first.display_name in failed else converter.link_again(job, first)
    # Last, since a read-only folder cannot be filled, and filling a folder changes its times.
    for job in reversed(ledger.folders):
        try:
            if job.destination and os.path.isdir(job.destination.path):
                atomic.copy_folder_metadata(job.source, job.destination)
        except OSError as error:
            yield FileOutcome("failed", job.display_name, message=error.strerror or str(error))
