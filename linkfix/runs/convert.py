"""Converting files: each job of a plan leaves a complete file or none, on several cores."""

from __future__ import annotations

import array
import dataclasses
import functools
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from typing import BinaryIO, ClassVar, Literal, NamedTuple

from linkfix.containers import container
from linkfix.containers.part import Container, Part, RewriteFunction
from linkfix.containers.web_archive import WebArchive
from linkfix.display import pluralize
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import EntryKind, FileTree
from linkfix.model import Base, Conversion, Envelope, Problem
from linkfix.runs.diff import difference
from linkfix.runs.plan import InputPath, Job, RunSettings, plan
from linkfix.runs.reader import DocumentReader, part_problem, unread_problem
from linkfix.runs.revisits import ArchiveFile, FileRevisits, Revisits, survey
from linkfix.runs.workers import map_in_order

__all__ = ["REPORTED", "Converter", "FileOutcome", "convert"]

#: How many problems of one document are kept; all are counted.
REPORTED = 1000

#: What was done with an entry. "same": a document that needed no change; "refused": left alone on purpose.
Action = Literal["converted", "same", "copied", "linked", "folder", "refused", "failed"]


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
    def unread(cls, display_name: str, size: int, text: str) -> FileOutcome:
        """The outcome of an archive in a format that is not read. `text`: what it is and what to do."""
        return cls("copied", display_name, size, problem_count=1, problems=(unread_problem(text),))

    @classmethod
    def too_large(cls, display_name: str, size: int, message: str) -> FileOutcome:
        """The outcome of a document that was left alone because of its size."""
        return cls("same", display_name, size, problem_count=1, problems=(Problem("too-large", message, 0, 1, 1),))


@dataclasses.dataclass(slots=True)
class _ContainerCounts:
    """What is counted while a container is converted."""

    links: int = 0
    rewritten: array.array[int] = dataclasses.field(default_factory=lambda: array.array("Q"))
    """For each part that was changed, how many of its references were."""
    revisits_changed: bool = False
    """Whether a revisit record was changed."""
    problem_count: int = 0
    problems: list[Problem] = dataclasses.field(default_factory=list)

    def note(self, problem: Problem) -> None:
        self.problem_count += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)

    def leave_alone(self, count: int) -> None:
        del self.rewritten[len(self.rewritten) - count :]

    def outcome(self, display_name: str, size: int, url: str | None) -> FileOutcome:
        return FileOutcome(
            action="converted" if self.rewritten or self.revisits_changed else "same",
            display_name=display_name,
            size=size,
            url=url,
            links=self.links,
            rewritten=sum(self.rewritten),
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
    """Do a run: yield the outcome of each job, in the order of `plan`. Raises what `plan` raises."""
    inputs = list(inputs)
    return _run(plan(inputs, settings, chosen), lambda: plan(inputs, settings, chosen), Converter(settings), processes)


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

    def convert_container(  # noqa: PLR0913, PLR0917 - a container, and what is known of it
        self,
        container: Container,
        source: BinaryIO,
        out: BinaryIO,
        envelope: Envelope,
        display_name: str,
        revisits: Revisits | None = None,
    ) -> FileOutcome:
        """Copy a container, which must be seekable, and convert its documents.

        `display_name`: what messages and the URL map call it. `revisits`: see `Job`. Raises what the streams raise.
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
            for problem in made.problems:
                counts.note(part_problem(problem, part))
            if made.data == part.data:
                return None
            counts.rewritten.append(made.rewritten)
            return made.data

        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        limits = self._reader.limits
        with ExitStack() as opened:
            rewrite: RewriteFunction = container.rewrite
            outcomes: FileRevisits | None = None
            if isinstance(container, WebArchive):
                if revisits is None:
                    alone = ArchiveFile(display_name, container, envelope, lambda: nullcontext(source))
                    revisits = opened.enter_context(self.survey([alone]))
                outcomes = opened.enter_context(closing(revisits.of(display_name)))
                rewrite = functools.partial(container.rewrite, revisits=outcomes)
            rewrite(source, out, envelope, change, counts.note, limits, leave_alone=counts.leave_alone)
            counts.revisits_changed = outcomes is not None and outcomes.changed
        return counts.outcome(display_name, size, envelope.url)

    def survey(self, files: Iterable[ArchiveFile]) -> AbstractContextManager[Revisits]:
        """What becomes of the revisit records of some files."""
        return survey(files, self._absolutize, self._reader.limits, self.settings.revisits)

    def _absolutize(self, part: Part, display_name: str) -> bytes | None:
        """A part with absolute links, without counting anything; None where it is no document."""
        read = self._reader.part(part, display_name)
        return read.document.absolutize() if read is not None and read.document is not None else None

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
            atomic.write(job.destination, new, like=job.source, expected=status if self.settings.in_place else None)
        elif job.target and not self.settings.in_place:
            self._other(job)
        diff = difference(job.display_name, data, new, made.encoding) if self.settings.diff else b""
        return FileOutcome.of(job.display_name, data, made, url)._replace(diff=diff)

    def _container(self, job: Job) -> FileOutcome:
        envelope = self.container_envelope(job.tree, job.entry.name, job.url)
        outcome = FileOutcome("copied", job.display_name, job.entry.size)

        def convert(source: BinaryIO, out: BinaryIO) -> bool:
            nonlocal outcome
            format_ = container(job.entry.format)
            outcome = self.convert_container(format_, source, out, envelope, job.display_name, job.revisits)
            return outcome.action == "converted"

        if job.destination:
            self._prepare(job.destination)
            atomic.rewrite(job.source, job.destination, convert)
        else:
            with atomic.open_file(job.source) as source, open(os.devnull, "wb") as nowhere:
                convert(source, nowhere)
        if self.settings.diff and outcome.rewritten:
            message = (
                f"a container has no diff; {outcome.rewritten:,} of {pluralize(outcome.links, 'link')} would change"
            )
            return outcome._replace(message=message)
        return outcome

    def _other(self, job: Job) -> FileOutcome:
        if job.destination and not self.settings.in_place:
            self._prepare(job.destination)
            atomic.copy(job.source, job.destination)
        return FileOutcome("copied", job.display_name, job.entry.size)

    def _unread(self, job: Job) -> FileOutcome:
        self._other(job)
        return FileOutcome.unread(job.display_name, job.entry.size, job.entry.text)

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
        EntryKind.UNREAD: _unread,
        EntryKind.OTHER: _other,
        EntryKind.LINK: _link,
        EntryKind.FOLDER: _folder,
        EntryKind.REFUSED: _refuse,
        EntryKind.FAILED: _fail,
    }


def _with_revisits(
    jobs: Iterator[Job], all_jobs: Callable[[], Iterator[Job]], converter: Converter, opened: ExitStack
) -> Iterator[Job]:
    """The jobs. At the first WARC file among them, all those of the run are surveyed, before any of them is replaced.

    What the survey found is there until `opened` closes.
    """
    revisits: Revisits | None = None
    for job in jobs:
        if _web_archive(job) is None:
            yield job
            continue
        if revisits is None:
            files = filter(None, (_archive_file(other, converter) for other in all_jobs()))
            revisits = opened.enter_context(converter.survey(files))
        yield job._replace(revisits=revisits)


def _web_archive(job: Job) -> WebArchive | None:
    """The format of a job's file, where that can hold WARC files."""
    found = container(job.entry.format) if job.entry.kind is EntryKind.CONTAINER else None
    return found if isinstance(found, WebArchive) else None


def _archive_file(job: Job, converter: Converter) -> ArchiveFile | None:
    format_ = _web_archive(job)
    if format_ is None:
        return None
    envelope = converter.container_envelope(job.tree, job.entry.name, job.url)
    return ArchiveFile(job.display_name, format_, envelope, functools.partial(atomic.open_file, job.source))


def _run(
    jobs: Iterator[Job], all_jobs: Callable[[], Iterator[Job]], converter: Converter, processes: int
) -> Generator[FileOutcome, None, None]:
    folders: list[Job] = []

    def remember_folders(jobs: Iterator[Job]) -> Iterator[Job]:
        for job in jobs:
            if job.entry.kind is EntryKind.FOLDER:
                folders.append(job)
            yield job

    def lost(job: Job, reason: str) -> FileOutcome:
        return FileOutcome("failed", job.display_name, job.entry.size, f"the process that converted it died: {reason}")

    with ExitStack() as opened:
        jobs = remember_folders(_with_revisits(jobs, all_jobs, converter, opened))
        for outcome in map_in_order(converter, jobs, processes=processes, lost=lost):
            if outcome.action != "folder":
                yield outcome
    # Last, since a read-only folder cannot be filled, and filling a folder changes its times.
    for job in reversed(folders):
        try:
            if job.destination and os.path.isdir(job.destination.path):
                atomic.copy_folder_metadata(job.source, job.destination)
        except OSError as error:
            yield FileOutcome("failed", job.display_name, message=error.strerror or str(error))
