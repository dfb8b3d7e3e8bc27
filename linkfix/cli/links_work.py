"""The work of `linkfix links --output`: one source or some documents at a time, in any process."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from linkfix.arrow.link_batches import LinkBatches
from linkfix.arrow.reading import RowDocument, limit
from linkfix.arrow.schemas import LINKS_SCHEMA, chosen_schema
from linkfix.arrow.sinks import SINKS, Write
from linkfix.cli.inputs import Input, read_job
from linkfix.cli.report import format_message, problem_lines
from linkfix.display import display_name, pluralize
from linkfix.document.document import Document
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.model import PROBLEMS
from linkfix.runs.plan import Job, RunSettings
from linkfix.runs.reader import DocumentReader

__all__ = ["FILE_SCHEMA", "Counts", "LinkRows", "LinkWork", "Task", "TaskResult"]

#: The columns of a file: the document's name, and those of `LINKS_SCHEMA`.
FILE_SCHEMA: pa.Schema = pa.schema([("path", pa.string()), *LINKS_SCHEMA])
#: How many lines of problems are kept of a task.
_LINES = 100


class Task(NamedTuple):
    """What a process does at a time."""

    jobs: tuple[Job, ...]
    """Some documents, or a container."""
    source: int
    """The number of the PATH that they are from."""
    target: FilePath | None
    """The file that has the links of a container when they are complete; None: that of other documents."""
    part: str
    """The path of the part of that file which is written; "" for all of it."""
    within: tuple[int, int] | None = None
    """The slice of a WARC file that is read."""

    @property
    def files(self) -> int:
        """How many files are read; a slice counts where its file begins."""
        return len(self.jobs) if not self.within or self.within[0] == 0 else 0

    @property
    def size(self) -> int:
        """How many bytes of files are read."""
        return self.within[1] - self.within[0] if self.within else sum(job.entry.size for job in self.jobs)


class TaskResult(NamedTuple):
    """What became of a task."""

    task: Task
    lines: tuple[str, ...]
    """What is to be said."""
    documents: int = 0
    links: int = 0
    problems: int = 0
    failed: bool = False
    """Whether a file could not be read, or the links not be written."""


class Counts:
    """What is counted, and said, while documents are read."""

    def __init__(self) -> None:
        self.documents: int = 0
        self.links: int = 0
        self.problems: int = 0
        self.failed = False
        self.lines: list[str] = []
        self._left_out = 0

    def note(self, line: str, count: int = 1) -> None:
        """Count a problem, or several of one cause, and keep what is said of it."""
        self.problems += count
        if len(self.lines) < _LINES:
            self.lines.append(line)
        else:
            self._left_out += count

    def result(self, task: Task) -> TaskResult:
        """The result of a task."""
        if self._left_out:
            name = task.jobs[0].display_name if task.jobs else "(standard input)"
            self.lines.append(format_message(name, f"and {pluralize(self._left_out, 'problem')} more"))
        return TaskResult(task, tuple(self.lines), self.documents, self.links, self.problems, self.failed)


class LinkWork:
    """Does a task: writes the links of its documents to a file. It is pickled with its settings alone.

    `columns`: those of `FILE_SCHEMA` that are asked for. `about`: is stored in files that are complete.
    """

    def __init__(self, settings: RunSettings, columns: Sequence[str] | None, about: str) -> None:
        self.settings = settings
        self.columns = columns
        self.about = about
        self.schema: pa.Schema = chosen_schema(FILE_SCHEMA, columns)
        self._reader = DocumentReader(settings)

    def __reduce__(self) -> tuple[type[LinkWork], tuple[object, ...]]:
        return LinkWork, (self.settings, self.columns, self.about)

    def __call__(self, task: Task) -> TaskResult:
        """Do a task. Never raises."""
        counts = Counts()
        try:
            if task.part:
                with Path(task.part).open("wb") as file:
                    self._write(task, file, ".arrow", counts)
            elif task.target is not None:
                atomic.make_folder(str(Path(task.target.path).parent), inside=task.target.root)
                with atomic.create(task.target, replace=True) as file:
                    self._write(task, file, ".parquet", counts)
        except OSError as error:
            counts.failed = True
            if task.part:
                Path(task.part).unlink(missing_ok=True)  # the file that it would be a part of is not complete
            counts.note(format_message(task.jobs[0].display_name, error.strerror or str(error)))
        return counts.result(task)

    def _write(self, task: Task, file: BinaryIO, suffix: str, counts: Counts) -> None:
        with SINKS[suffix](file, self.schema, self.about) as write:
            rows = LinkRows(self.schema, write, counts)
            for job in task.jobs:
                try:
                    rows.add(read_job(self._reader, job, self.settings.max_size, task.within))
                except OSError as error:
                    if task.target is not None:
                        raise
                    counts.failed = counts.failed or not isinstance(error, atomic.FileTooLarge)
                    counts.note(format_message(job.display_name, error.strerror or str(error)))
            rows.finish()


class LinkRows:
    """Writes the links of documents as rows of a schema, whose columns are of `FILE_SCHEMA`."""

    def __init__(self, schema: pa.Schema, write: Write, counts: Counts) -> None:
        self._schema = schema
        self._write = write
        self._counts = counts
        self._paths = _Paths() if "path" in schema.names else None
        columns = [name for name in schema.names if name != "path"]
        self._batches = LinkBatches(columns or ["start"], [])  # a batch without columns has no rows

    def add(self, inputs: Iterator[Input]) -> None:
        """Add the links of what is read."""
        counts = self._counts
        for name, document, message, failed, noted in inputs:
            for line, count in problem_lines(name, noted):
                counts.note(line, count)
            if document is not None:
                counts.documents += document.kind != "header"
                self._add_document(name, document)
            elif message or failed:
                counts.failed = counts.failed or failed
                counts.note(format_message(name, message))

    def _add_document(self, name: str, document: Document[bytes]) -> None:
        counts = self._counts
        path = b"" if self._paths is None else display_name(name).encode("utf-8", "replace")
        size = len(document.source.html)
        row = RowDocument(lambda: (document, None), document.envelope.url, size)
        limit(document, size)
        found, full = self._batches.add(row, len(path))
        if row.fault is not None:
            code, detail = row.fault
            counts.failed = counts.failed or code == "document-failed"
            counts.note(format_message(name, f"{PROBLEMS[code]}: {detail} [{code}]"))
        if found is None:
            return
        self._give(full, path, found.count)
        counts.links += found.count
        in_links = {link.problem for link in found.others}
        others = [problem for problem in document.problems if problem.code not in in_links]  # the table has those
        counts.problems += len(document.problems) - len(others)
        for line, number in problem_lines(name, others):
            counts.note(line, number)

    def _give(self, batches: Iterable[pa.RecordBatch], path: bytes = b"", count: int = 0) -> None:
        """Write batches, the last rows of which, and of those that come later, are so many of a document."""
        paths = self._paths
        if paths is None:
            for batch in batches:
                self._write(batch.select(self._schema.names))
            return
        for batch in batches:
            own = batch.num_rows - paths.count
            paths.add(path, own)
            count -= own
            columns = dict(zip(batch.schema.names, batch.columns, strict=True)) | {"path": paths.take()}
            self._write(pa.record_batch([columns[name] for name in self._schema.names], schema=self._schema))
        paths.add(path, count)

    def finish(self) -> None:
        """Write what is left."""
        self._give(self._batches.rest())


class _Paths:
    """A column of the paths of documents, each as often as it has links.

    It is made of its bytes: `pyarrow.array` would import pandas first, where that is installed.
    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.count = 0
        self._texts: list[bytes] = []
        self._offsets = array("i", [0])

    def add(self, path: bytes, count: int) -> None:
        """Add a path so many times."""
        begin, length = self._offsets[-1], len(path)
        self._texts.append(path * count)
        self._offsets.extend([begin + length * number for number in range(1, count + 1)])
        self.count += count

    def take(self) -> pa.Array:
        """The column. It is empty after that."""
        buffers = [None, pa.py_buffer(self._offsets), pa.py_buffer(b"".join(self._texts))]
        column = pa.Array.from_buffers(pa.string(), self.count, buffers, 0)
        self._clear()
        return column
