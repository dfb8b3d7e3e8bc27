"""A conversion in place whose journal has the old bytes of every file before the file is replaced.

Documents are converted in groups: the journal's records of a group are made durable together, and then its files are
replaced, by the process that converted them.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import BinaryIO, NamedTuple

from linkfix.files.atomic import Snapshot
from linkfix.files.descriptors import FilePath
from linkfix.files.window import Window
from linkfix.runs.convert import STOPS, Converter, FileOutcome, Ledger, removed_outcomes, web_archive, with_survey
from linkfix.runs.journal import GROUP_FILES, FileId, FinishedFile, Journal, JournalWriter, groups, with_record
from linkfix.runs.plan import InputPath, Job, RunSettings, plan
from linkfix.runs.undo import undo
from linkfix.runs.workers import FEW, map_in_order


def journal_roots(inputs: Iterable[InputPath]) -> list[str]:
    """The trees of a run, as the header of its journal has them."""
    return list(dict.fromkeys(one.tree.root for one in inputs))


def convert_with_journal(
    inputs: Sequence[InputPath],
    settings: RunSettings,
    journal: Journal,
    *,
    chosen: Callable[[str], bool] = lambda _: True,
    processes: int = 1,
) -> Generator[FileOutcome, None, None]:
    """Do a run in place that keeps a journal, or go on with one: files that it says need no second look are left out.

    `journal`: open, with the `journal_roots` of these inputs. Yields the outcomes of the others in the order of `plan`,
    and those of finished files in between. Raises what `plan` raises, and `InvalidJournal` before a file is changed.
    """
    converter = JournaledConverter(settings, journal.path, journal.header.roots)
    return _run(converter, plan(inputs, settings, chosen), lambda: plan(inputs, settings, chosen), journal, processes)


class _ConvertedGroup(NamedTuple):
    """The result of a group."""

    jobs: list[Job]
    outcomes: list[FileOutcome]
    """Empty where the process that converted it died."""
    reason: str = ""
    """Why it died."""


class JournaledConverter(Converter):
    """Converts groups of files in place. It is pickled with its settings, and opens the journal at its first use."""

    def __init__(self, settings: RunSettings, path: str, roots: Sequence[str]) -> None:
        """`path`, `roots`: of the journal, and the trees in its header."""
        super().__init__(settings)
        self._path = path
        self._roots = tuple(roots)
        self._held: dict[str, Callable[[], None]] = {}

    def __reduce__(self) -> tuple[type[JournaledConverter], tuple[object, ...]]:
        return JournaledConverter, (self.settings, self._path, self._roots)

    @cached_property
    def _journal(self) -> JournalWriter:
        return JournalWriter(self._path)

    def close(self) -> None:
        """Close the journal, if this process opened it."""
        journal = self.__dict__.pop("_journal", None)
        if journal is not None:
            journal.close()

    def convert_group(self, jobs: list[Job]) -> _ConvertedGroup:
        """Do the jobs of a group. Never raises: an error is an outcome."""
        before = [_status(job.path) for job in jobs]
        outcomes = [self(job) for job in jobs]
        held, self._held = self._held, {}
        reason = self._commit() if held else ""
        finished = []
        for number, job in enumerate(jobs):
            if job.path in held:
                outcomes[number] = self.attempt(job, partial(_replace, held[job.path], outcomes[number], reason))
            action = outcomes[number].action
            status = _status(job.path) if action == "converted" else before[number] if action == "same" else None
            if status is not None:
                finished.append(FinishedFile.of(self._file(job), status))
        if not reason:
            with contextlib.suppress(OSError):  # the files are only looked at again
                self._journal.finish(finished)
        return _ConvertedGroup(jobs, outcomes)

    def _commit(self) -> str:
        """Make the old bytes of files durable; returns why that failed, or ""."""
        try:
            self._journal.commit()
        except OSError as error:
            return f"the journal cannot be written: {error.strerror or error}"
        return ""

    def _file(self, job: Job) -> FileId:
        return FileId(self._roots.index(job.tree.root), job.entry.name)

    def _write_document(self, job: Job, target: FilePath, old: Snapshot, new: bytes) -> None:
        """Note the old bytes, and hold the new ones back until these are durable."""
        self._journal.record(self._file(job), Window(old.data), Window(new), old.status.st_mtime_ns)
        self._held[job.path] = partial(super()._write_document, job, target, old, new)

    def _rewrite_container(self, job: Job, target: FilePath, convert: Callable[[BinaryIO, BinaryIO], bool]) -> None:
        super()._rewrite_container(job, target, with_record(self._journal, self._file(job), convert))


def _replace(write: Callable[[], None], outcome: FileOutcome, reason: str) -> FileOutcome:
    """Replace a file, unless there is a reason against it."""
    if reason:
        return outcome._replace(action="failed", message=f"{reason} ({STOPS})", stops=True)
    write()
    return outcome


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _run(
    converter: JournaledConverter,
    jobs: Iterator[Job],
    all_jobs: Callable[[], Iterator[Job]],
    journal: Journal,
    processes: int,
) -> Generator[FileOutcome, None, None]:
    def lost(jobs: list[Job], reason: str) -> _ConvertedGroup:
        return _ConvertedGroup(jobs, [], reason)

    ledger = Ledger(converter.settings)
    finished: deque[FileOutcome] = deque()
    failed: set[str] = set()

    def unfinished() -> Iterator[Job]:
        for job in ledger.record(jobs):
            if _is_finished(job, journal):
                finished.append(FileOutcome("finished before", job.display_name, job.entry.size))
            else:
                yield job

    journal.check()
    _reopen_archives(all_jobs(), journal, keep_hard_links=converter.settings.keep_hard_links)
    work = converter.convert_group
    few = FEW // GROUP_FILES
    with contextlib.closing(converter), contextlib.ExitStack() as opened:
        waiting = with_survey(unfinished(), all_jobs, converter, opened)
        grouped = groups(waiting, lambda job: job.entry.size)
        done = map_in_order(work, grouped, processes=processes, lost=lost, few=few)
        for group in opened.enter_context(contextlib.closing(done)):
            yield from removed_outcomes(ledger)
            yield from _drain(finished)
            # Without outcomes, one of its files ended the process: each gets a process that has nothing else to lose.
            outcomes = group.outcomes or list(_one_by_one(work, group.jobs, lost))
            failed.update(outcome.display_name for outcome in outcomes if outcome.action == "failed")
            stopping = [outcome for outcome in outcomes if outcome.stops]
            yield from (outcome for outcome in outcomes if outcome not in stopping[1:])
            if stopping:
                return
        yield from removed_outcomes(ledger)
        yield from _drain(finished)
        for job, first in ledger.further:
            if first.display_name in failed:
                yield from _one_by_one(work, [job], lost)
            else:
                yield converter.link_again(job, first)


def _one_by_one(
    work: Callable[[list[Job]], _ConvertedGroup],
    jobs: Iterable[Job],
    lost: Callable[[list[Job], str], _ConvertedGroup],
) -> Iterator[FileOutcome]:
    """Do jobs, each in a process of its own."""
    for job in jobs:
        for alone in map_in_order(work, [[job]], processes=1, lost=lost, few=0):
            message = f"the process that converted the file died: {alone.reason}"
            yield from alone.outcomes or [FileOutcome("failed", job.display_name, job.entry.size, message)]


def _drain(outcomes: deque[FileOutcome]) -> Iterator[FileOutcome]:
    while outcomes:
        yield outcomes.popleft()


def _reopen_archives(jobs: Iterable[Job], journal: Journal, *, keep_hard_links: bool) -> None:
    """Give web archives their old bytes back where a run was stopped between them.

    The revisit records of one follow the pages of another, so that they are converted together, or not at all.
    """
    if not journal.changes:
        return
    archives = [job for job in jobs if web_archive(job) is not None]
    if not all(_is_finished(job, journal) for job in archives):
        files = {file for job in archives if (file := _file_id(job, journal)) is not None}
        deque(undo(journal, journal.header.roots, only=files, keep_hard_links=keep_hard_links), maxlen=0)


def _file_id(job: Job, journal: Journal) -> FileId | None:
    """A job's file, as the journal names it; None where it is in none of the journal's trees."""
    roots = journal.header.roots
    return FileId(roots.index(job.tree.root), job.entry.name) if job.tree.root in roots else None


def _is_finished(job: Job, journal: Journal) -> bool:
    """Whether the journal says that a file needs no second look, and it is still what it was then."""
    file = _file_id(job, journal)
    finished = journal.finished.get(file) if file is not None else None
    status = _status(job.path) if finished is not None else None
    return file is not None and status is not None and finished == FinishedFile.of(file, status)
