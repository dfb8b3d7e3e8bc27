"""`linkfix links --output`: the links of documents as one table in a file, or as a folder with a table per source."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

import click
import pyarrow as pa
import pyarrow.parquet as pq

from linkfix.arrow.batches import FILE_LINKS_SCHEMA, chosen_schema
from linkfix.arrow.reading import RowDocument, limit
from linkfix.arrow.tables import SINKS, LinkBatches, Write
from linkfix.cli.inputs import Input, chosen_files, documents, is_stream, read_job, sources
from linkfix.cli.options import output_file
from linkfix.cli.report import Progress, format_message, open_output, problem_lines
from linkfix.cli.run_options import run_settings
from linkfix.display import display_name, pluralize, visible, visible_path
from linkfix.document.document import Document
from linkfix.errors import InvalidOption
from linkfix.files import atomic, descriptors
from linkfix.files.descriptors import FilePath, join_inside
from linkfix.files.folder import EntryKind
from linkfix.html.vocabulary import HEADER_KINDS, MODULES
from linkfix.model import PROBLEMS
from linkfix.runs.convert import STOPS
from linkfix.runs.plan import InputPath, Job, RunSettings, plan
from linkfix.runs.reader import DocumentReader
from linkfix.runs.workers import core_count, map_in_order

# The work of `linkfix links --output`: tasks of one source or several documents, done in any process.


#: The largest number of problem lines that a task keeps.
_LINES = 100


class Task(NamedTuple):
    """A unit of work for a process."""

    jobs: tuple[Job, ...]
    """Some documents, or a container."""
    source: int
    """The index of the PATH that the jobs are from."""
    target: FilePath | None
    """The table of a container's links; None for the shared table of other documents."""
    part: str
    """The path of the temporary file for a part of the table; "" if the task writes the whole table."""
    within: tuple[int, int] | None = None
    """The start and end of the slice of a WARC file that is read, in bytes; None for the whole file."""

    @property
    def files(self) -> int:
        """The number of files that are read. Of the slices of a file, only the first counts."""
        return len(self.jobs) if not self.within or self.within[0] == 0 else 0

    @property
    def size(self) -> int:
        """The number of bytes that are read."""
        return self.within[1] - self.within[0] if self.within else sum(job.entry.size for job in self.jobs)


@dataclass
class TaskResult:
    """The counts and messages of a task, collected while its documents are read."""

    task: Task
    documents: int = 0
    links: int = 0
    problems: int = 0
    failed: bool = False
    """Whether a file could not be read, or the links could not be written."""
    stops: bool = False
    """Whether the run ends with this error, since every other table would have it too."""
    lines: list[str] = field(default_factory=list)
    """The messages, without those that are left out."""
    left_out: int = 0
    """The number of problems whose messages are left out."""

    def note(self, line: str, count: int = 1) -> None:
        """Count a problem, or several problems of one cause, and keep its message."""
        self.problems += count
        if len(self.lines) < _LINES:
            self.lines.append(line)
        else:
            self.left_out += count

    def messages(self) -> Iterator[str]:
        """The messages to print."""
        yield from self.lines
        if self.left_out:
            name = self.task.jobs[0].display_name if self.task.jobs else "(standard input)"
            yield format_message(name, f"and {pluralize(self.left_out, 'problem')} more")


class LinkWork:
    """Does a task: writes the links of its documents to a file. Pickling keeps only the arguments.

    `schema`: columns of `FILE_LINKS_SCHEMA`. `about`: a text that is stored in each table.
    """

    def __init__(self, settings: RunSettings, schema: pa.Schema, about: str) -> None:
        self.settings = settings
        self.schema = schema
        self.about = about
        self._reader = DocumentReader(settings)

    def __reduce__(self) -> tuple[type[LinkWork], tuple[object, ...]]:
        return LinkWork, (self.settings, self.schema, self.about)

    def __call__(self, task: Task) -> TaskResult:
        """Do a task. Never raises."""
        result = TaskResult(task)
        try:
            if task.part:
                with Path(task.part).open("wb") as file:
                    self._write(result, file, ".arrow")
            elif task.target is not None:
                descriptors.make_folder(str(Path(task.target.path).parent), inside=task.target.root)
                with atomic.create(task.target, replace=True) as file:
                    self._write(result, file, ".parquet")
        except OSError as error:
            result.failed = True
            if task.part:
                Path(task.part).unlink(missing_ok=True)  # a missing part marks the table as incomplete
            result.stops = atomic.will_recur(error, task.target and task.target.root)
            written = task.part or (task.target and task.target.path)
            message = f"{error.strerror or error}: {error.filename or written}{f' ({STOPS})' if result.stops else ''}"
            result.note(format_message(task.jobs[0].display_name, message))
        return result

    def _write(self, result: TaskResult, file: BinaryIO, suffix: str) -> None:
        task = result.task
        with SINKS[suffix](file, self.schema, self.about) as write:
            rows = LinkRows(self.schema, write, result)
            for job in task.jobs:
                try:
                    rows.add(read_job(self._reader, job, self.settings.max_size, task.within))
                except OSError as error:
                    if task.target is not None:
                        raise
                    result.failed = result.failed or not isinstance(error, atomic.FileTooLarge)
                    result.note(format_message(job.display_name, error.strerror or str(error)))
            rows.finish()


class LinkRows:
    """Writes the links of documents as rows. `schema`: columns of `FILE_LINKS_SCHEMA`."""

    def __init__(self, schema: pa.Schema, write: Write, counts: TaskResult) -> None:
        self._write = write
        self._counts = counts
        self._batches = LinkBatches(schema, [])

    def add(self, inputs: Iterator[Input]) -> None:
        """Add the links of documents."""
        counts = self._counts
        for name, document, message, failed, noted in inputs:
            for line, count in problem_lines(name, noted):
                counts.note(line, count)
            if document is not None:
                counts.documents += document.kind not in HEADER_KINDS
                self._add_document(name, document)
            elif message or failed:
                counts.failed = counts.failed or failed
                counts.note(format_message(name, message))

    def _add_document(self, name: str, document: Document[bytes]) -> None:
        counts = self._counts
        size = len(document.source.html)
        row = RowDocument(lambda: (document, None), document.envelope.url, size)
        limit(document, size)
        found, full = self._batches.add(row, display_name(name))
        if row.fault is not None:
            code, detail = row.fault
            counts.failed = counts.failed or code == "document-failed"
            counts.note(format_message(name, f"{PROBLEMS[code]}: {detail} [{code}]"))
        if found is None:
            return
        self._give(full)
        counts.links += found.count
        in_links = {link.problem for link in found.others}
        others = [problem for problem in document.problems if problem.code not in in_links]  # the table has the rest
        counts.problems += len(document.problems) - len(others)
        for line, number in problem_lines(name, others):
            counts.note(line, number)

    def _give(self, batches: Iterable[pa.RecordBatch]) -> None:
        for batch in batches:
            self._write(batch)

    def finish(self) -> None:
        """Write the remaining rows."""
        self._give(self._batches.rest())


#: The name, without suffix, of the table for all documents of a folder that are in no container.
_DOCUMENTS = "documents"

#: The limits of a task, in documents and in bytes.
_TASK_FILES, _TASK_BYTES = 256, 1 << 25

#: The size of a slice of a larger WARC file, in bytes. Each slice is a task.
_SLICE_BYTES = 1 << 26

_FILES = f"a file whose name ends in {', '.join(SINKS)}"

#: The parameters that do not affect the content of a table, and `columns`, which the schema states.
_ELSEWHERE = frozenset({"paths", "output", "jobs", "form", "strict", "columns"})


def write_tables(ctx: click.Context) -> int:
    """Write the file or folder of --output. Returns the exit code. Raises `UsageError` and `LinkfixError`."""
    parameters = ctx.params
    schema = chosen_schema(FILE_LINKS_SCHEMA, _names(parameters["columns"]))
    about = json.dumps({"columns": schema.names} | _options(parameters), default=str, sort_keys=True)
    output: str = parameters["output"]
    file = output_file(ctx, suffixes=SINKS)
    suffix = Path(output).suffix.lower()
    if file is not None and suffix not in SINKS:
        message = (
            f"{visible(output)} has no suffix that chooses a format: give {_FILES}, or --format for standard output"
        )
        raise click.UsageError(message, ctx)
    if is_stream(parameters["paths"][0]):
        if file is None:
            message = f"standard input needs a single table: give --output {_FILES}"
            raise click.UsageError(message, ctx)
        return _TableRun(ctx, schema, about).write_stream(file, suffix)
    work = LinkWork(_settings(parameters), schema, about)
    found = sources(ctx, document=len(parameters["paths"]) == 1)
    with chosen_files(ctx) as chosen:
        run = _TableRun(ctx, schema, about, chosen)
        with run.progress(found, work.settings):
            if file is not None:
                return run.write_file(work, found, file, suffix)
            return run.write_folder(work, found, output)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _options(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters that affect the content of a table."""
    return {name: value for name, value in parameters.items() if name not in _ELSEWHERE and value not in {None, ()}}


def _settings(parameters: dict[str, Any]) -> RunSettings:
    settings = run_settings(parameters | {"plain_text": True, "header_fields": True}, output=None)
    return replace(settings, options=replace(settings.options, rows=(*MODULES, *settings.options.rows)))


class _TableRun:
    """A run of the command, with its counts and messages."""

    def __init__(
        self, ctx: click.Context, schema: pa.Schema, about: str, chosen: Callable[[str], bool] = lambda _: True
    ) -> None:
        """`chosen`: see `linkfix.cli.inputs.chosen_files`."""
        self._ctx = ctx
        self._schema = schema
        self._about = about
        self._chosen = chosen
        self._processes = int(ctx.params["jobs"] or core_count())
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._documents = self._links = self._problems = self._passed_over = 0
        self._failed = False

    def progress(self, found: list[InputPath], settings: RunSettings) -> AbstractContextManager[object]:
        """Show progress while the block runs, on a terminal."""

        def measure() -> int:
            return sum(job.entry.size for job in plan(found, settings, self._chosen, scripts=True))

        self._progress = Progress(drawn=sys.stderr.isatty(), measure=measure)
        return self._progress

    def write_stream(self, output: str, suffix: str) -> int:
        """Write the links of standard input or another stream to a file."""
        result = TaskResult(Task((), 0, None, ""))
        with open_output(output, quiet=False) as file, SINKS[suffix](file, self._schema, self._about) as write:
            rows = LinkRows(self._schema, write, result)
            rows.add(documents(self._ctx, listed=True))
            rows.finish()
        self._add(result)
        return self._finish()

    def write_file(self, work: LinkWork, found: list[InputPath], output: str, suffix: str) -> int:
        """Write all links to a file."""
        jobs = ((0, job) for job in plan(found, work.settings, self._chosen, scripts=True))
        with (
            suppress(_Incomplete),
            self._results(work, lambda part: _tasks(jobs, part, _no_target, sliced=self._processes > 1)) as results,
            open_output(output, quiet=False) as file,
            SINKS[suffix](file, self._schema, self._about) as write,
        ):
            for result in results:
                self._add(result)
                if result.stops:
                    raise _Incomplete
                _move(result.task.part, write)
        return self._finish()

    def write_folder(self, work: LinkWork, found: list[InputPath], output: str) -> int:
        """Write a table for each container, and a table for the other documents of each PATH."""
        folder = _TableFolder(found, output, self._about)
        jobs = self._jobs(work, found, folder)
        Path(output).mkdir(parents=True, exist_ok=True)
        with (
            self._results(work, lambda part: _tasks(jobs, part, folder.target, sliced=self._processes > 1)) as results,
            _TableParts(folder, self._schema, self._about) as loose,
            _TableParts(folder, self._schema, self._about) as slices,
        ):
            for result in results:
                self._add(result)
                if result.stops:
                    break
                if result.task.part:  # slices of a container may come between the tasks of other documents
                    (slices if result.task.within else loose).add(result)
        return self._finish()

    def _jobs(self, work: LinkWork, found: list[InputPath], folder: _TableFolder) -> Iterator[tuple[int, Job]]:
        """The jobs without an up-to-date table, each with the index of its PATH."""
        numbers = {id(one.tree): number for number, one in enumerate(found)}
        known: dict[int, bool] = {}
        for job in plan(found, work.settings, self._chosen, scripts=True):
            number = numbers[id(job.tree)]
            is_container = job.entry.kind is EntryKind.CONTAINER
            target = folder.target(number, job) if is_container else folder.documents(number)
            folder.tidy(target)
            if is_container:
                is_done = folder.has_newer(target, [job.path])
            else:
                if number not in known:
                    loose = (
                        one.path
                        for one in plan([found[number]], work.settings, self._chosen, scripts=True)
                        if one.entry.kind is not EntryKind.CONTAINER
                    )
                    known[number] = folder.has_newer(target, loose)
                is_done = known[number]
            if is_done:
                self._passed_over += 1
            else:
                yield number, job

    @contextmanager
    def _results(
        self, work: LinkWork, tasks: Callable[[Callable[[], str]], Iterable[Task]]
    ) -> Iterator[Iterator[TaskResult]]:
        """The results of tasks, in order. `tasks` receives a function that returns a path for a part."""
        with tempfile.TemporaryDirectory(prefix="linkfix-") as folder:
            numbers = iter(range(sys.maxsize))
            results = map_in_order(
                work,
                tasks(lambda: str(Path(folder, f"{next(numbers)}.arrow"))),
                processes=self._processes,
                lost=_lost,
                few=2,
            )
            try:
                yield results
            finally:
                results.close()

    def _add(self, result: TaskResult) -> None:
        """Count a result, and print its messages."""
        self._documents += result.documents
        self._links += result.links
        self._problems += result.problems
        self._failed = self._failed or result.failed
        for line in result.messages():
            if self._progress is None:
                click.echo(line, err=True)
            else:
                self._progress.say(line)
        if self._progress is not None:
            self._progress.advance(size=result.task.size, links=result.links, files=result.task.files)

    def _finish(self) -> int:
        """Print the summary line. Returns the exit code."""
        parts = [
            pluralize(self._documents, "document"),
            pluralize(self._links, "link"),
            *([f"{pluralize(self._passed_over, 'file')} skipped"] if self._passed_over else []),
            pluralize(self._problems, "problem"),
        ]
        click.echo(f"{', '.join(parts)} in {time.monotonic() - self._started:.2f} s", err=True)
        return 2 if self._failed else int(self._ctx.params["strict"] and self._problems > 0)


def _no_target(_number: int, _job: Job) -> None:
    return None


def _tasks(
    jobs: Iterable[tuple[int, Job]],
    part: Callable[[], str],
    target: Callable[[int, Job], FilePath | None],
    *,
    sliced: bool,
) -> Iterator[Task]:
    """The tasks for jobs: documents are grouped, a container is a task of its own.

    `jobs`: each with the index of its PATH. `part`: returns the path for a part of a table. `target`: returns the table
    of a container, or None. `sliced`: divide a large WARC file into several tasks.
    """
    together: list[Job] = []
    of, size = -1, 0
    for number, job in jobs:
        is_container = job.entry.kind is EntryKind.CONTAINER
        own = target(number, job) if is_container else None
        if (
            together
            and own is None
            and (is_container or number != of or size > _TASK_BYTES or len(together) == _TASK_FILES)
        ):
            yield Task(tuple(together), of, None, part())
            together, size = [], 0
        slices = _slices(job) if is_container and sliced else []
        if slices:
            yield from (Task((job,), number, own, part(), within) for within in slices)
        elif is_container:
            yield Task((job,), number, own, "" if own else part())
        else:
            together.append(job)
            of, size = number, size + job.entry.size
    if together:
        yield Task(tuple(together), of, None, part())


def _slices(job: Job) -> list[tuple[int, int]]:
    """The slices of a large WARC file, in bytes; [] for any other file."""
    size = job.entry.size
    if job.entry.format != "warc" or size <= _SLICE_BYTES:
        return []
    return [(start, min(start + _SLICE_BYTES, size)) for start in range(0, size, _SLICE_BYTES)]


def _lost(task: Task, reason: str) -> TaskResult:
    """The result of a task whose process died."""
    names = (visible_path(job.display_name) for job in task.jobs[:1])
    more = f" and {pluralize(len(task.jobs) - 1, 'file')} more" if len(task.jobs) > 1 else ""
    line = f"{next(names)}{more}: the process that read it ended with {reason}; its links are missing"
    return TaskResult(task, problems=1, failed=True, lines=[line])


def _move(part: str, write: Write) -> None:
    """Write the rows of a part, and remove the part. If a process died, the part is missing or incomplete."""
    with suppress(FileNotFoundError), pa.OSFile(part, "rb") as file:
        with suppress(pa.ArrowInvalid), pa.ipc.open_file(file) as reader:  # invalid if a process died while writing
            for number in range(reader.num_record_batches):
                write(reader.get_batch(number).replace_schema_metadata(None))
        Path(part).unlink()


class _TableFolder:
    """The tables of an output folder. Raises `InvalidOption` if two sources would have the same table."""

    def __init__(self, found: list[InputPath], output: str, about: str) -> None:
        self._found = found
        self._output = output
        self._about = about
        self._tidied: set[str] = set()
        several = len(found) > 1
        #: The folder of the output files for each PATH, below the output folder.
        self._before = ["" if one.name or not several else Path(one.tree.root).name for one in found]
        pairs = zip(found, self._before, strict=True)
        names = [Path(one.name).name or before for one, before in pairs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            message = f"two PATHs are named {twice!r} and need the same tables in {output}: write one at a time"
            raise InvalidOption(message)

    def target(self, number: int, job: Job) -> FilePath:
        """The path of the table for a container. `number`: the index of its PATH."""
        return self._path(join_inside(self._before[number], job.entry.name))

    def documents(self, number: int) -> FilePath:
        """The path of the table for the documents that are in no container. `number`: the index of their PATH."""
        name = self._found[number].name
        return self._path(name or join_inside(self._before[number], _DOCUMENTS))

    def _path(self, name: str) -> FilePath:
        return FilePath(join_inside(self._output, f"{name}.parquet"), self._output)

    def tidy(self, target: FilePath) -> None:
        """Remove temporary files that killed runs left in the folder of a file, once per folder."""
        folder = str(Path(target.path).parent)
        if folder not in self._tidied:
            self._tidied.add(folder)
            atomic.remove_leftovers(FilePath(folder, target.root))

    def has_newer(self, target: FilePath, sources: Iterable[str]) -> bool:
        """Whether a table exists and is newer than all its sources. Raises `InvalidOption` if it was written with other
        columns or options.
        """
        try:
            made = Path(target.path).stat().st_mtime_ns
            stated = (pq.read_schema(os.fspath(target)).metadata or {}).get(b"linkfix", b"").decode()
        except FileNotFoundError:
            return False
        except (OSError, pa.ArrowInvalid):
            stated = ""
        if stated != self._about:
            message = f"{target.path} was written with other columns or options: choose another folder"
            raise InvalidOption(message)
        return all(Path(source).stat().st_mtime_ns < made for source in sources)


class _TableParts:
    """Joins the parts of tables. A table is complete when the next table begins, or the block ends."""

    def __init__(self, folder: _TableFolder, schema: pa.Schema, about: str) -> None:
        self._folder = folder
        self._schema = schema
        self._about = about
        self._stack = ExitStack()
        self._target: FilePath | None = None
        self._write: Write | None = None
        self._is_whole = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            self._is_whole = False
        self._close()

    def add(self, result: TaskResult) -> None:
        """Add the part of a table that a task wrote."""
        task = result.task
        target = task.target or self._folder.documents(task.source)
        if self._write is None or target != self._target:
            self._close()
            self._target = target
            descriptors.make_folder(str(Path(target.path).parent), inside=target.root)
            file = self._stack.enter_context(atomic.create(target, replace=True))
            self._write = self._stack.enter_context(SINKS[".parquet"](file, self._schema, self._about))
        self._is_whole = self._is_whole and Path(task.part).exists()
        _move(task.part, self._write)

    def _close(self) -> None:
        """Complete the table, or discard it if a part is missing."""
        stack, self._stack = self._stack, ExitStack()
        is_whole, self._is_whole, self._write = self._is_whole, True, None
        if is_whole:
            stack.close()
        else:
            with suppress(_Incomplete), stack:
                raise _Incomplete


class _Incomplete(Exception):
    """A part of a table is missing."""
