"""What a run remembers of its jobs as they go out: folders, leftovers of killed runs, further names of one file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from linkfix.files.atomic import remove_leftovers
from linkfix.files.descriptors import FilePath, is_inside
from linkfix.files.folder import EntryKind
from linkfix.runs.plan import Job, RunSettings

__all__ = ["Ledger"]


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
