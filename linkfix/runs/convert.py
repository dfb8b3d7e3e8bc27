"""Converting files: each job of a plan leaves a complete file or none, on several cores."""

from __future__ import annotations

import array
import functools
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Literal, NamedTuple

from linkfix.containers import CONTAINERS, container
from linkfix.containers.formats import unread_problem
from linkfix.containers.part import Container, Part, RewriteFunction, Siblings
from linkfix.containers.web_archive import ArchiveFile, WebArchive
from linkfix.display import pluralize
from linkfix.document.relocation import UrlMoves
from linkfix.encodings.encoding import Encoding
from linkfix.files import atomic, descriptors
from linkfix.files.atomic import remove_leftovers
from linkfix.files.descriptors import FilePath, is_inside
from linkfix.files.folder import EntryKind, FileTree
from linkfix.files.media_types import AS_PAGE, SCRIPTS
from linkfix.kernels.positions import Positions
from linkfix.model import PROBLEMS, Base, Conversion, Envelope, Problem
from linkfix.runs.diff import difference
from linkfix.runs.plan import InputPath, Job, RunSettings, plan
from linkfix.runs.reader import DocumentReader, part_problem
from linkfix.runs.workers import map_in_order
from linkfix.urls import hide_passwords

if TYPE_CHECKING:
    from linkfix.runs.survey import FileRevisits, Survey
    from linkfix.saved.neighbours import HostFolder
    from linkfix.saved.retrieval import Suggestion


# The state of a run while its jobs go out: folders, leftovers of killed runs, further names of one file.


class Ledger:
    """Goes through the jobs of a run."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._tidied: set[str] = set()
        self._firsts: dict[tuple[tuple[int, int], EntryKind], Job] = {}
        self.removed: list[str] = []
        """The paths of leftovers that were removed, until they are taken."""
        self.folders: list[Job] = []
        """The jobs of folders, each before those of what is in it."""
        self.further: list[tuple[Job, Job]] = []
        """Jobs of further names of a file, which are held back, each with the job of its first name."""

    def record(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Yield the jobs that are to be done now; their folders are tidied before."""
        for job in jobs:
            is_folder = job.entry.kind is EntryKind.FOLDER
            if is_folder:
                self.folders.append(job)
            if job.target is not None:
                self._tidy(job.target if is_folder else os.path.dirname(job.target), job.target_root)
            first = self._first(job)
            if first is job:
                yield job
            else:
                self.further.append((job, first))

    def take_removed(self) -> list[str]:
        """The paths of leftovers that were removed since the last call."""
        removed, self.removed = self.removed, []
        return removed

    def _tidy(self, folder: str, root: str) -> None:
        if folder not in self._tidied and is_inside(folder, root):
            self._tidied.add(folder)
            self.removed += remove_leftovers(FilePath(folder, root))

    def _first(self, job: Job) -> Job:
        """The job of the first name of a job's file, where the names are to be kept together; else the job itself."""
        entry = job.entry
        if not self._settings.keep_hard_links or entry.identity is None:
            return job
        return self._firsts.setdefault((entry.identity, entry.kind), job)


# The outcome of each file of a run, and the counts of a container while it is converted.


#: The maximum number of problems of one document that are kept. All are counted.
REPORTED = 1000

#: The end of the message about an error that ends a run.
STOPS = "the run stops here, since other files would fail too"

#: The action on an entry. "same": a document that needed no change; "refused": left alone on purpose; "removed": a
#: temporary file that a killed run left behind; "finished before": before the run was stopped that is going on now.
Action = Literal["converted", "same", "copied", "linked", "folder", "refused", "failed", "removed", "finished before"]


class UnknownUrl(NamedTuple):
    """A document whose relative links stay, since its URL is not known."""

    name: str
    """The name of the document in its container; "" for a file."""
    links: int
    """The number of its links that stay relative."""
    suggestion: Suggestion | None
    """The URL that other options would find."""


class FileOutcome(NamedTuple):
    """The result of a job. A container's counts are those of its documents; it has no base, encoding and diff."""

    action: Action
    display_name: str
    """The file's name in messages."""
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
    """The number of its references."""
    rewritten: int = 0
    """The number of its references that were changed."""
    codes: Mapping[str, int] = {}
    """The number of problems by code."""
    problems: tuple[Problem, ...] = ()
    """The first `REPORTED` problems."""
    separated: bool = False
    """Whether it was replaced in place, and had other names (hard links), which are not names of the new file."""
    diff: bytes = b""
    """A unified diff, where the settings ask for one: for `patch -p1`; of a container, that of each part."""
    unknown: tuple[UnknownUrl, ...] = ()
    """The documents whose relative links stay, since their URLs are not known."""
    host_folder: HostFolder | None = None
    """The folder that tells the file's URL, as `layout` "auto" found it. Its path begins as `display_name`."""
    archive: str = ""
    """The name of the web archive that served a page."""
    left_container: bool = False
    """Whether the file is an archive or a message, and stays since the run converts none."""

    @property
    def problem_count(self) -> int:
        """The number of problems, reported or not."""
        return sum(self.codes.values())

    stops: bool = False
    """Whether the run ends with this error, since every other file would have it too."""

    @classmethod
    def of(cls, display_name: str, data: bytes, made: Conversion[bytes], envelope: Envelope) -> FileOutcome:
        """The outcome of a conversion of `data`."""
        return cls(
            action="same" if made.data == data else "converted",
            display_name=display_name,
            size=len(data),
            url=envelope.url,
            base=made.base,
            encoding=made.encoding,
            links=made.links,
            rewritten=made.rewritten,
            codes=Counter(problem.code for problem in made.problems) if made.problems else {},
            problems=made.problems[:REPORTED],
            archive=envelope.saver.archive,
        )

    @classmethod
    def unread(cls, display_name: str, size: int, problem: Problem) -> FileOutcome:
        """The outcome of an archive in a format that is not read, or of a file that is no page."""
        return cls("copied", display_name, size, codes={problem.code: 1}, problems=(problem,))

    @classmethod
    def too_large(cls, display_name: str, size: int, message: str) -> FileOutcome:
        """The outcome of a document that was left alone because of its size."""
        problem = Problem("too-large", message, 0, 1, 1)
        return cls("same", display_name, size, codes={problem.code: 1}, problems=(problem,))


#: No diff of a part is added to that of a container which has so many bytes. It is kept in memory.
_LARGEST_DIFF = 1 << 26


@dataclass(slots=True)
class ContainerCounts:
    """The counts of a container while it is converted."""

    links: int = 0
    rewritten: array.array[int] = field(default_factory=lambda: array.array("Q"))
    """For each part that was changed, how many of its references were."""
    revisits_changed: bool = False
    """Whether a revisit record was changed."""
    codes: Counter[str] = field(default_factory=Counter)
    """The number of problems by code."""
    problems: list[Problem] = field(default_factory=list)
    unknown: list[UnknownUrl] = field(default_factory=list)
    archive: str = ""
    diffs: list[bytes] = field(default_factory=list)
    """For each part that was changed, its unified diff, if the settings ask for one; b"" beyond `_LARGEST_DIFF`."""
    _diff_size: int = 0

    @property
    def problem_count(self) -> int:
        """The number of problems, kept or not."""
        return self.codes.total()

    def add_change(self, part: Part, made: Conversion[bytes], container: str | None) -> None:
        """Count a changed part. `container`: the name of the container in a diff; None for no diff."""
        self.rewritten.append(made.rewritten)
        if container is not None:
            name = f"{container}!{hide_passwords(part.name)}"
            has_room = self._diff_size < _LARGEST_DIFF
            diff = difference(name, part.data, made.data, made.encoding) if has_room else b""
            self._diff_size += len(diff)
            self.diffs.append(diff)

    def note(self, problem: Problem) -> None:
        """Count a problem."""
        self.codes[problem.code] += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)

    def leave_alone(self, count: int) -> None:
        """Forget the last parts that were changed: they are not written."""
        del self.rewritten[len(self.rewritten) - count :]
        del self.diffs[max(len(self.diffs) - count, 0) :]

    def outcome(self, display_name: str, size: int, url: str | None) -> FileOutcome:
        """The container's outcome."""
        return FileOutcome(
            action="converted" if self.rewritten or self.revisits_changed else "same",
            display_name=display_name,
            size=size,
            url=url,
            links=self.links,
            rewritten=sum(self.rewritten),
            codes=self.codes,
            problems=tuple(self.problems),
            unknown=tuple(self.unknown),
            archive=self.archive,
            diff=b"".join(self.diffs),
            message=f"the diff has no more room for {pluralize(left, 'part')}"
            if (left := self.diffs.count(b""))
            else "",
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
    inputs = list(inputs)
    return _run(plan(inputs, settings, chosen), lambda: plan(inputs, settings, chosen), Converter(settings), processes)


#: The media types of documents whose references are listed, and never rewritten.
_LISTED = frozenset(SCRIPTS.values())


class Converter:
    """Does one job at a time, with one file in memory. It is pickled with its settings alone."""

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self._reader = DocumentReader(settings)
        self._keepers: dict[FileTree, Callable[[str], bool]] = {}
        self._ready: set[str] = set()

    def __reduce__(self) -> tuple[type[Converter], tuple[object, ...]]:
        return Converter, (self.settings,)

    def __call__(self, job: Job) -> FileOutcome:
        """Do a job. Never raises: an error is an outcome, and the other jobs go on."""
        try:
            if job.entry.kind is EntryKind.DOCUMENT:
                return self._document(job)
            return self._ACTIONS[job.entry.kind](self, job)
        except Exception as error:  # noqa: BLE001 - see `_failure`
            return self._failure(job, error)

    def attempt(self, job: Job, work: Callable[[], FileOutcome]) -> FileOutcome:
        """Do some work for a job. Never raises: an error is an outcome."""
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - see `_failure`
            return self._failure(job, error)

    def _failure(self, job: Job, error: Exception) -> FileOutcome:
        """The outcome of a job that failed. A fault of linkfix in one file is no reason to stop the others."""
        stops = atomic.will_recur(error, self.settings.output)
        if isinstance(error, OSError):
            is_other_file = error.filename not in {None, job.path}
            message = (error.strerror or str(error)) + (f": {error.filename}" if is_other_file else "")
        elif isinstance(error, MemoryError):
            message = "not enough memory"
        else:
            message = f"internal error, please report it: {type(error).__name__}: {error}"
        message += f" ({STOPS})" if stops else ""
        return FileOutcome("failed", job.display_name, job.entry.size, message, stops=stops)

    def convert_document(
        self,
        data: bytes,
        media_type: str,
        display_name: str,
        *,
        tree: FileTree | None = None,
        name: str = "",
        url: str | None = None,
    ) -> tuple[bytes, FileOutcome]:
        """Convert a document. Returns the new document and the outcome.

        `display_name`: its name in messages. For the other arguments see `DocumentReader.document`.
        """
        options = self.settings.options
        if tree is not None and self.settings.keep_existing:
            if tree not in self._keepers:
                self._keepers[tree] = functools.lru_cache(maxsize=1 << 16)(tree.has_url)
            options = replace(options, keep=self._keepers[tree])
        if self.settings.others == "keep":
            options = replace(options, keep=_keep_all)
        if tree is not None and self.settings.files is not None:
            options = replace(options, locate=self.settings.files.locator(tree.root, name))
        document, problems = self._reader.document(data, media_type, tree=tree, name=name, url=url, options=options)
        made = document.convert()
        if media_type in _LISTED:
            problems = (
                *problems,
                unread_problem(f"{media_type}; 'linkfix links' lists its references; {AS_PAGE}", "media-type"),
            )
        if isinstance(options.move, UrlMoves):
            problems += tuple(_old_urls(options.move, made.data, document.encoding))
        if problems:
            made = made._replace(problems=problems + made.problems)
        outcome = FileOutcome.of(display_name, data, made, document.envelope)
        found = self._reader.host_folder(tree, name) if tree is not None else None
        if found is not None:
            folder = (display_name.removesuffix(name) + found.folder).rstrip("/")
            outcome = outcome._replace(host_folder=found._replace(folder=folder))
        if links := _homeless(outcome.codes, document.envelope):
            suggestion = self._reader.suggest(tree, name, data, media_type)
            outcome = outcome._replace(unknown=(UnknownUrl("", links, suggestion),))
        return made.data, outcome

    def convert_container(
        self,
        container: Container,
        source: BinaryIO,
        out: BinaryIO,
        envelope: Envelope,
        display_name: str,
        surveyed: Survey | None = None,
        *,
        path: FilePath | None = None,
    ) -> FileOutcome:
        """Copy a container, which must be seekable, and convert its documents.

        `display_name`: what messages and the URL map call it. `surveyed`: see `Job.survey`. `path`: where it is on
        disk, if it is a file. Raises what the streams raise.
        """
        counts = ContainerCounts()
        captured: Siblings | None = None

        def change(part: Part) -> bytes | None:
            known = part if captured is None else part._replace(siblings=captured)
            return self._change_part(known, display_name, counts)

        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        limits = self._reader.limits_of(path)
        with ExitStack() as opened:
            rewrite: RewriteFunction = container.rewrite
            outcomes: FileRevisits | None = None
            if isinstance(container, WebArchive):
                if surveyed is None:
                    alone = ArchiveFile(display_name, container, envelope, lambda: nullcontext(source))
                    surveyed = opened.enter_context(self.survey([alone]))
                outcomes = opened.enter_context(closing(surveyed.of(display_name)))
                captured = surveyed.captured()
                rewrite = functools.partial(container.rewrite, revisits=outcomes)
            rewrite(source, out, envelope, change, counts.note, limits, leave_alone=counts.leave_alone)
            counts.revisits_changed = outcomes is not None and outcomes.changed
        return counts.outcome(display_name, size, envelope.url)

    def _change_part(self, part: Part, display_name: str, counts: ContainerCounts) -> bytes | None:
        """Return the new data of a part, or None if it stays, and count it. `display_name`: the container's name."""
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
        envelope = read.document.envelope
        counts.archive = counts.archive or envelope.saver.archive
        if links := _homeless(Counter(problem.code for problem in made.problems), envelope):
            suggestion = self._reader.suggest(None, "", part.data, part.media_type)
            counts.unknown.append(UnknownUrl(part.name, links, suggestion))
        if made.data == part.data:
            return None
        counts.add_change(part, made, display_name if self.settings.diff else None)
        return made.data

    def survey(self, files: Iterable[ArchiveFile]) -> AbstractContextManager[Survey]:
        """See `linkfix.runs.survey.survey`."""
        from linkfix.runs.survey import survey

        settings = self.settings
        return survey(files, self._absolutize, self._reader.limits, settings.revisits, keep_parts=settings.keep_parts)

    def _absolutize(self, part: Part, display_name: str) -> bytes | None:
        """A part with absolute links, without counting anything; None where it is no document."""
        read = self._reader.part(part, display_name)
        return read.document.absolutize() if read is not None and read.document is not None else None

    def validate(self, url: str | None) -> None:
        """See `DocumentReader.validate`."""
        self._reader.validate(url)

    def container_envelope(
        self, tree: FileTree | None, name: str, url: str | None, *, is_page: bool = False
    ) -> Envelope:
        """See `DocumentReader.container_envelope`."""
        return self._reader.container_envelope(tree, name, url, is_page=is_page)

    def _document(self, job: Job) -> FileOutcome:
        try:
            read = atomic.read(job.source, limit=self.settings.max_size, attributes=job.target is not None)
        except atomic.FileTooLarge as error:
            self._other(job)
            return FileOutcome.too_large(job.display_name, job.entry.size, str(error.strerror))
        data = read.data
        new, outcome = self.convert_document(
            data, job.entry.media_type, job.display_name, tree=job.tree, name=job.entry.name, url=job.url
        )
        destination = job.destination
        if destination is not None and outcome.action == "converted":
            self._prepare(destination)
            self._write_document(job, destination, read, new)
        elif job.target and not self.settings.in_place:
            self._other(job)
        if self.settings.diff:
            outcome = outcome._replace(diff=difference(job.display_name, data, new, outcome.encoding))
        return self._with_separation(job, outcome)

    def _with_separation(self, job: Job, outcome: FileOutcome) -> FileOutcome:
        separates = self.settings.in_place and not self.settings.keep_hard_links and job.entry.identity is not None
        return outcome._replace(separated=True) if separates and outcome.action == "converted" else outcome

    def _write_document(self, job: Job, target: FilePath, old: atomic.Snapshot, new: bytes) -> None:
        """Write the new content of a document."""
        atomic.write(
            target,
            new,
            like=old,
            expected=old.status if self.settings.in_place else None,
            keep_hard_links=self.settings.keep_hard_links and self.settings.in_place,
            preserve_times=self.settings.preserve_times,
        )

    def _rewrite_container(self, job: Job, target: FilePath, convert: Callable[[BinaryIO, BinaryIO], bool]) -> None:
        """Write a container: see `linkfix.files.atomic.rewrite`."""
        keep = self.settings.keep_hard_links and self.settings.in_place
        atomic.rewrite(job.source, target, convert, keep_hard_links=keep, preserve_times=self.settings.preserve_times)

    def _container(self, job: Job) -> FileOutcome:
        if not self.settings.containers:
            return self._other(job)._replace(left_container=True)
        is_page = CONTAINERS[job.entry.format].is_page
        envelope = self.container_envelope(job.tree, job.entry.name, job.url, is_page=is_page)
        outcome = FileOutcome("copied", job.display_name, job.entry.size)

        def convert(source: BinaryIO, out: BinaryIO) -> bool:
            nonlocal outcome
            format_ = container(job.entry.format)
            outcome = self.convert_container(
                format_, source, out, envelope, job.display_name, job.survey, path=job.source
            )
            return outcome.action == "converted"

        if job.destination:
            self._prepare(job.destination)
            self._rewrite_container(job, job.destination, convert)
        else:
            with atomic.open_file(job.source) as source, open(os.devnull, "wb") as nowhere:
                convert(source, nowhere)
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

    def _unread(self, job: Job) -> FileOutcome:
        self._other(job)
        problem = unread_problem(job.entry.text, job.entry.problem)
        return FileOutcome.unread(job.display_name, job.entry.size, problem)

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
        if self.settings.output is not None:
            self._make_folder(os.path.dirname(target.path))

    def _make_folder(self, folder: str) -> None:
        if self.settings.output is not None and folder not in self._ready:
            descriptors.make_folder(folder, inside=self.settings.output)
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


def _old_urls(moves: UrlMoves, data: bytes, encoding: Encoding) -> Iterator[Problem]:
    """A problem for each old URL that a converted document still has."""
    positions = Positions(data, encoding)
    for start, in_policy in moves.old_urls(data):
        code = "old-url-in-policy" if in_policy else "old-url-left"
        yield Problem(code, PROBLEMS[code], start, *positions.of(start))


def _keep_all(_target: str) -> bool:
    return True


def _homeless(codes: Mapping[str, int], envelope: Envelope) -> int:
    """The number of links that stay relative since the document's URL is not known."""
    return codes.get("no-base", 0) if envelope.url is None else 0


def removed_outcomes(ledger: Ledger) -> Iterator[FileOutcome]:
    """The leftovers of killed runs that were removed since the last call."""
    for path in ledger.take_removed():
        yield FileOutcome("removed", path, message="left behind by a run that was killed: removed")


def with_survey(
    jobs: Iterator[Job], all_jobs: Callable[[], Iterator[Job]], converter: Converter, opened: ExitStack
) -> Iterator[Job]:
    """The jobs. At the first WARC file among them, all those of the run are surveyed, before any of them is replaced.

    What the survey found is there until `opened` closes.
    """
    survey: Survey | None = None
    for job in jobs:
        if web_archive(job) is None:
            yield job
            continue
        if survey is None:
            files = filter(None, (_archive_file(other, converter) for other in all_jobs()))
            survey = opened.enter_context(converter.survey(files))
        yield job._replace(survey=survey)


def web_archive(job: Job) -> WebArchive | None:
    """The format of a job's file, where that can hold WARC files."""
    if job.entry.kind is not EntryKind.CONTAINER:
        return None
    found = container(job.entry.format)
    return found if isinstance(found, WebArchive) else None


def _archive_file(job: Job, converter: Converter) -> ArchiveFile | None:
    format_ = web_archive(job)
    if format_ is None:
        return None
    envelope = converter.container_envelope(job.tree, job.entry.name, job.url)
    return ArchiveFile(job.display_name, format_, envelope, functools.partial(atomic.open_file, job.source))


def _weight(job: Job) -> float:
    """Which part of a message to a process a job fills: sixteen small files go together, a large one alone."""
    return max(1 / 16, job.entry.size / (1 << 18))


def _run(
    jobs: Iterator[Job], all_jobs: Callable[[], Iterator[Job]], converter: Converter, processes: int
) -> Generator[FileOutcome, None, None]:
    def lost(job: Job, reason: str) -> FileOutcome:
        return FileOutcome(
            "failed", job.display_name, job.entry.size, f"the process that converted the file died: {reason}"
        )

    ledger = Ledger(converter.settings)
    failed: set[str] = set()
    with ExitStack() as opened:
        jobs = with_survey(ledger.record(jobs), all_jobs, converter, opened)
        outcomes = map_in_order(converter, jobs, processes=processes, lost=lost, weight=_weight)
        for outcome in opened.enter_context(closing(outcomes)):
            if ledger.removed:
                yield from removed_outcomes(ledger)
            if outcome.action == "failed":
                failed.add(outcome.display_name)
            if outcome.action != "folder":
                yield outcome
            if outcome.stops:
                return
        for job, first in ledger.further:
            yield converter(job) if first.display_name in failed else converter.link_again(job, first)
    yield from _finish_folders(ledger)


def _finish_folders(ledger: Ledger) -> Iterator[FileOutcome]:
    """Give new folders the metadata of their sources; yield the errors.

    This comes last, since a read-only folder cannot be filled, and filling a folder changes its times.
    """
    for job in reversed(ledger.folders):
        try:
            if job.destination and os.path.isdir(job.destination.path):
                atomic.copy_folder_metadata(job.source, job.destination)
        except OSError as error:
            yield FileOutcome("failed", job.display_name, message=error.strerror or str(error))
