"""Runs that rewrite documents, for the commands that do: the place of results, the journal, and the report."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from linkfix.cli.help import ADVANCED, COMMON, OUTPUT, group
from linkfix.cli.inputs import (
    chosen_files,
    is_stream,
    open_stream,
    sources,
    warn_of_unmatched_rows,
)
from linkfix.cli.options import (
    JOURNAL,
    STDOUT,
    STDOUT_TAKES,
    field_options,
    is_typed,
    jobs_option,
    journal_mistakes,
    journal_root,
    make_output_folder,
    output_file,
    output_option,
    quiet_option,
)
from linkfix.cli.report import Progress, Remedies, Report, open_output, write_bytes, write_file
from linkfix.cli.report import is_stream as is_output_stream
from linkfix.cli.run_options import WRITE_URL_MAP
from linkfix.cli.settings import ExistingPath
from linkfix.containers import CONTAINERS, container, recognise
from linkfix.containers.formats import unread_problem
from linkfix.display import pluralize, visible, visible_path
from linkfix.errors import InvalidJournal
from linkfix.files import atomic
from linkfix.files.data_formats import JSON_FEED, JSON_SUFFIX, XML_DATA_TYPES, XML_PAGE_TYPES, XML_SUFFIXES, sniff_data
from linkfix.files.descriptors import is_inside
from linkfix.files.folder import HEAD_SIZE, EntryKind, selector
from linkfix.files.media_types import MEDIA_TYPES, is_binary, source_type, stated_type
from linkfix.model import PAGE_TYPES
from linkfix.runs.convert import Converter, FileOutcome, convert
from linkfix.runs.plan import InputPath, RunSettings, plan
from linkfix.runs.workers import core_count

if TYPE_CHECKING:  # imported by runs that have a journal
    from linkfix.runs.journal import Journal


class _CommandRow(NamedTuple):
    """A row of `_COMMANDS`."""

    done: str
    """The change of a link, in words."""
    to_do: str
    """The same before it is done."""
    containers: bool
    """See `RunSettings.containers`."""


_COMMANDS = {
    "absolutize": _CommandRow("made absolute", "to make absolute", containers=True),
    "relativize": _CommandRow("rewritten", "to rewrite", containers=False),
    "move": _CommandRow("moved", "to move", containers=False),
}

#: The options for the place of results, the journal and the report.
WRITING = (
    *group(
        COMMON,
        output_option(
            "FILE|DIR",
            "FILE, a name with a suffix: write the result of a single file here. DIR: write the results to this "
            "folder, and copy all other files. '-': standard output, for a single file.",
        ),
        click.option("-i", "--in-place", is_flag=True, help="Replace each file atomically by its result."),
        click.option("--dry-run", is_flag=True, help="Write nothing; list the files that would change."),
        click.option(
            "--diff",
            is_flag=True,
            help="Write nothing; print the changes as a unified diff, for 'patch -p1'. Of an archive, the diff of each "
            "part.",
        ),
        quiet_option("Print only errors."),
    ),
    *JOURNAL,
    *group(
        OUTPUT,
        click.option(
            "--resume",
            metavar="JOURNAL",
            type=ExistingPath(dir_okay=False),
            help="Resume a stopped run from its journal, which has its PATHs and options.",
        ),
        journal_root("is neither the folder of the journal nor inside it"),
        *field_options(
            RunSettings,
            keep_hard_links="Convert a file with several names (hard links) once, and keep all its names. With "
            "--in-place, such a file is overwritten instead of replaced.",
            preserve_times="Give each result the modification time of its source.",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(["text", "json"]),
            default="text",
            show_default=True,
            help="json: one object on standard output, with totals and an entry for each file.",
        ),
    ),
    *group(
        OUTPUT,
        WRITE_URL_MAP,
        click.option("-v", "--full/--no-full", help="Print every problem. By default, they are grouped by cause."),
    ),
    *group(ADVANCED, jobs_option("The number of processes.")),
)


def start(ctx: click.Context, make_settings: Callable[..., RunSettings]) -> None:
    """Run the command, or go on with the run of the journal that --resume names.

    `make_settings(inputs, **fields)`: the settings of the run, with the fields that the run decides.
    """
    parameters = ctx.params
    if parameters["resume"]:
        from linkfix.cli.journal import resume_parameters
        from linkfix.runs.journal import Journal

        with Journal(os.path.realpath(parameters["resume"])) as journal:
            resume_parameters(ctx, journal)
            _run(ctx, journal, make_settings)
    elif parameters["root"]:
        message = "--root is for a journal: add --resume JOURNAL"
        raise click.UsageError(message, ctx)
    elif not parameters["paths"]:
        raise click.MissingParameter(ctx=ctx, param_hint="'PATH...'", param_type="argument")
    else:
        _run(ctx, None, make_settings)


def _run(ctx: click.Context, journal: Journal | None, make_settings: Callable[..., RunSettings]) -> None:
    """Run the command, or go on with the run of a journal."""
    parameters = ctx.params
    named = parameters["output"]
    table = parameters["write_url_map"]
    single = len(parameters["paths"]) == 1
    found = sources(ctx, document=single)
    stream = is_stream(parameters["paths"][0])
    file = output_file(ctx) if single and found[0].name and not parameters["in_place"] else None
    is_alone = file is not None and (stream or is_output_stream(file))
    if single and found[0].name and not stream:
        _refuse_format(ctx, found[0], file)
    if file is not None and not is_alone:  # the folder of the file is that of the run
        parameters["output"], name = os.path.split(file)
        found[0] = found[0]._replace(output_name=name)
    elif is_alone or named == STDOUT:
        parameters["output"] = None
    _refuse_file_name(ctx, found)
    writes = bool(parameters["output"] or parameters["in_place"])
    maps_only = bool(table and not writes and not is_alone and named != STDOUT)
    preview = parameters["dry_run"] or parameters["diff"] or maps_only
    to_stdout = single and not writes and not preview
    mistakes = {
        "--output and --in-place cannot be combined: give only one of them": named and parameters["in_place"],
        f"{STDOUT_TAKES.format('a single document')}: for a folder or several files, give --output DIR or --in-place": (
            named == STDOUT and not (single and found[0].name)
        ),
        "for a folder or several files, give --output DIR or --in-place (or --dry-run, or --diff)": not (
            writes or preview or (single and found[0].name)
        ),
        "--write-url-map cannot be used for standard input: give --url": table and stream,
        "--output DIR, --in-place, --dry-run and --diff cannot be used for standard input: give --output FILE, "
        "a name with a suffix": stream and not to_stdout,
        "--format json prints to standard output, as does the document: give --output or --in-place": to_stdout
        and not file
        and parameters["form"] == "json",
        "--preserve-times and --keep-hard-links are for files that are written: add --output or --in-place": to_stdout
        and not file
        and is_typed(ctx, "preserve_times", "keep_hard_links"),
        "--quiet and --full cannot be combined: --full prints every problem, and --quiet none": is_typed(ctx, "quiet")
        and is_typed(ctx, "full"),
        "--format json and --diff cannot be combined: both print to standard output": parameters["diff"]
        and parameters["form"] == "json",
        f"{visible(table or '')} already exists: give it to --url-map, or give --write-url-map another name": table
        and table != STDOUT
        and os.path.lexists(table),
        f"{visible(table or '')} is the output too, or in its folder: give --write-url-map a file elsewhere": table
        and table != STDOUT
        and named
        and named != STDOUT
        and is_inside(os.path.realpath(table), os.path.realpath(named)),
        "--write-url-map - prints to standard output, as do --dry-run, --diff, --format json and the document: give a "
        "file": table == STDOUT
        and (to_stdout or parameters["dry_run"] or parameters["diff"] or parameters["form"] == "json"),
        f"{visible(table or '')} is in no existing folder: make its folder first": table
        and table != STDOUT
        and not Path(table).parent.is_dir(),
        **journal_mistakes(parameters, "--in-place", writes=parameters["in_place"]),
    }
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    suggests = bool(table) or not parameters["quiet"]
    containers = _COMMANDS[str(ctx.info_name)].containers
    settings = make_settings(found, dry_run=preview, suggest_urls=suggests, containers=containers)
    if not stream:
        warn_of_unmatched_rows(ctx, settings, found)
    converter = Converter(settings)
    converter.validate(parameters["url"] or found[0].tree.url)
    if to_stdout:
        _convert_one(ctx, converter, found[0], file, asked=named == STDOUT)
    elif settings.in_place and not settings.dry_run and not parameters["no_journal"]:
        _convert_with_journal(ctx, settings, found, journal)
    else:
        with chosen_files(ctx, sources=settings.sources) as chosen:
            plan(found, settings)  # raises for paths that cannot be combined
            if settings.output is not None and not settings.dry_run:
                make_output_folder(ctx, settings.output)
            outcomes = convert(found, settings, chosen=chosen, processes=_processes(ctx))
            report = _report_all(ctx, settings, found, outcomes)
        _write_url_map(ctx, found, report)
        report.finish()
        ctx.exit(report.exit_code(strict=parameters["strict"]))


def _refuse_format(ctx: click.Context, source: InputPath, file: str | None) -> None:
    """Raise `UsageError` for the only PATH of a command, which is a file, if its format is wrong for the command or for
    the output file, None for another output.
    """
    entry = next(source.entries(lambda _: True))
    _refuse_container(ctx, source, entry.format)
    if file is not None:
        _refuse_suffix(ctx, source, file, entry.format or entry.media_type)


def _refuse_container(ctx: click.Context, source: InputPath, format_: str) -> None:
    """Raise `UsageError` for the only PATH of a command that converts no archives and messages, if it is one.

    `format_`: the format of a container; "" for none.
    """
    if format_ in CONTAINERS and not _COMMANDS[str(ctx.info_name)].containers:
        message = f"{visible(source.display_name)} is an archive or a message, and 'linkfix {ctx.info_name}' rewrites "
        raise click.UsageError(message + "none: give a page or a folder", ctx)


def _refuse_file_name(ctx: click.Context, found: list[InputPath]) -> None:
    """Raise `UsageError` for the output of a folder or of several files, if it is a file or has a document's name."""
    output: str = ctx.params["output"] or ""
    if not output or (len(found) == 1 and found[0].name) or Path(output).is_dir():
        return
    suffixes = {*MEDIA_TYPES, *(one for row in CONTAINERS.values() for one in row.suffixes)}
    name, suffix = visible(output), _longest_suffix(output, suffixes) or Path(output).suffix
    is_written = "the output of a folder or of several files is a folder"
    if os.path.lexists(output.rstrip("/" + os.sep)):
        message = f"{name} is a file, and {is_written}: give another name"
        raise click.UsageError(message, ctx)
    if not output.endswith(("/", os.sep)) and (suffix.lower() in suffixes or source_type(output)):
        message = f"{name}: {is_written}: write {name[: -len(suffix)]} (or {name}/, if its name has a suffix)"
        raise click.UsageError(message, ctx)


def _longest_suffix(name: str, suffixes: Iterable[str]) -> str:
    """The longest suffix of a name that is one of these; "" for none."""
    return max((one for one in suffixes if name.lower().endswith(one)), key=len, default="")


def _refuse_suffix(ctx: click.Context, source: InputPath, file: str, format_: str) -> None:
    """Raise `UsageError` for an output file that is named as another format, which it would not have.

    `format_`: the format of a container, or the media type of a document; "" for neither.
    """
    name = Path(file).name
    named = {
        one: format_name
        for format_name, row in CONTAINERS.items()
        for one in row.suffixes
        if name.lower().endswith(one) and not (one == ".zip" and format_ in CONTAINERS)  # most containers are one
    }
    of_format = CONTAINERS[format_].suffixes if format_ in CONTAINERS else ()
    suffix, own = Path(name.lower()).suffix, _longest_suffix(source.name, of_format) or Path(source.name).suffix
    # Compressed bytes stay compressed, and the suffix of a web archive says so.
    is_packed_alike = format_ not in {"warc", "arc"} or own not in of_format or own == max(named, key=len, default=own)
    is_packed = suffix in {".zip", ".gz"} and format_ in CONTAINERS
    if not named and not is_packed and (type_ := stated_type(name)):
        named[suffix] = type_
    if suffix in XML_SUFFIXES and (format_ in XML_PAGE_TYPES or format_ in XML_DATA_TYPES):
        return
    if suffix == JSON_SUFFIX and format_ in {MEDIA_TYPES[".webmanifest"], JSON_FEED}:
        return
    formats = {format_, *named.values()}
    fits = format_ in named.values() or formats <= PAGE_TYPES or suffix == own.lower()
    if not format_ or not named or (fits and is_packed_alike):
        return
    better = visible(name[: -len(max(named, key=len))] + own) if own else "a name that fits"
    message = f"{visible(name)} has the suffix of another format than {visible(source.display_name)}, which stays: "
    message += f"write {better}"
    raise click.UsageError(message, ctx)


def _write_url_map(ctx: click.Context, found: list[InputPath], report: Report) -> None:
    """Write the table of the documents without a known URL, if the command asks for it."""
    path = ctx.params["write_url_map"]
    if not path:
        return
    from linkfix.saved.retrieval import Suggestion
    from linkfix.saved.url_map import BlankRow, blank_map  # few runs write one

    folder = os.path.realpath(Path(path).parent)
    root = found[0].display_name if len(found) == 1 and not found[0].name else None
    rows = []
    for name, one in report.unknown:
        if one.name:
            row_path = f"{name}!{one.name}"
        else:
            row_path = os.path.relpath(name, root) if root else os.path.relpath(os.path.realpath(name), folder)
        rows.append(BlankRow(row_path, "", *(one.suggestion or Suggestion("", "", "")), one.links))
    if path == STDOUT:
        write_bytes(blank_map(rows))
    else:
        write_file(path, blank_map(rows), quiet=ctx.params["quiet"])
    if not ctx.params["quiet"]:
        name = "the table" if path == STDOUT else visible_path(path)
        todo = "fill in the column url, and give the table to --url-map" if rows else "every URL is known"
        click.echo(f"{name}: {pluralize(len(rows), 'document')} without a known URL: {todo}", err=True)


def _convert_one(ctx: click.Context, converter: Converter, source: InputPath, file: str | None, *, asked: bool) -> None:
    """Convert one document to a file, or to standard output. `asked`: the command line names that."""
    parameters = ctx.params

    def check(head: bytes) -> None:
        if not file and not asked and is_binary(head) and sys.stdout.isatty():
            message = f"{visible(source.display_name)} is binary, and would be printed to a terminal: redirect the "
            raise click.UsageError(message + "output, or give --output DIR", ctx)
        if is_stream(parameters["paths"][0]) and not parameters["media_type"]:
            _refuse_container(ctx, source, recognise(head, ""))
        if file and is_stream(parameters["paths"][0]):  # that of other files is known before
            _refuse_suffix(ctx, source, file, recognise(head, "") or sniff_data(head) or "text/html")

    report = _report(ctx, converter.settings, [source], Progress(drawn=False, measure=int))
    with open_output(file, quiet=parameters["quiet"]) as out:
        outcome = _convert_document(converter, source, parameters["paths"][0], parameters["media_type"], check, out)
    report.add(outcome)
    _write_url_map(ctx, [source], report)
    report.finish()
    ctx.exit(report.exit_code(strict=parameters["strict"]))


def _convert_document(
    converter: Converter,
    source: InputPath,
    path: str,
    media_type: str | None,
    check: Callable[[bytes], None],
    out: BinaryIO,
) -> FileOutcome:
    """Convert a document to a stream. `check(head)`: raises for what must not be printed."""
    limit = converter.settings.max_size
    if is_stream(path):
        with open_stream(path, limit, media_type) as stream:
            check(stream.head)
            if stream.container is not None:
                envelope = converter.container_envelope(None, path, source.url)
                return converter.convert_container(stream.container, stream.file, out, envelope, source.display_name)
            if stream.problem is not None:
                size = _copy(itertools.chain([stream.data], _chunks(stream.file)), out)
                return FileOutcome.unread(source.display_name, size, stream.problem)
            if len(stream.data) > limit:
                size = _copy(itertools.chain([stream.data], _chunks(stream.file)), out)
                return FileOutcome.too_large(source.display_name, size, f"larger than {limit:,} bytes")
            new, outcome = converter.convert_document(
                stream.data, stream.media_type, source.display_name, name=path, url=source.url
            )
    else:
        entry = next(source.entries(lambda _: True))
        with Path(path).open("rb") as file:
            check(file.read(HEAD_SIZE))
            file.seek(0)
            if entry.kind is EntryKind.CONTAINER:
                is_page = CONTAINERS[entry.format].is_page
                envelope = converter.container_envelope(source.tree, source.name, source.url, is_page=is_page)
                format_ = container(entry.format)
                where = source.tree.file(source.name)
                return converter.convert_container(format_, file, out, envelope, source.display_name, path=where)
            if entry.kind is EntryKind.UNREAD:
                problem = unread_problem(entry.text, entry.problem)
                return FileOutcome.unread(source.display_name, _copy(_chunks(file), out), problem)
            if entry.size > limit:
                size = _copy(_chunks(file), out)
                return FileOutcome.too_large(source.display_name, size, f"larger than {limit:,} bytes")
        data = atomic.read(source.tree.file(source.name), limit=limit).data
        new, outcome = converter.convert_document(
            data,
            entry.media_type or "text/html",
            source.display_name,
            tree=source.tree,
            name=source.name,
            url=source.url,
        )
    out.write(new)
    return outcome


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(1 << 20), b"")


def _copy(chunks: Iterable[bytes], out: BinaryIO) -> int:
    """Copy what is left alone. Returns its size."""
    size = 0
    for chunk in chunks:
        out.write(chunk)
        size += len(chunk)
    return size


def _processes(ctx: click.Context) -> int:
    return int(ctx.params["jobs"] or core_count())


def _report_all(
    ctx: click.Context, settings: RunSettings, found: list[InputPath], outcomes: Generator[FileOutcome, None, None]
) -> Report:
    """Convert to files, and report what becomes of them."""
    parameters = ctx.params
    prints = parameters["form"] == "json" or settings.dry_run
    drawn = sys.stderr.isatty() and not parameters["quiet"] and not (prints and sys.stdout.isatty())

    def measure() -> int:
        chosen = selector(parameters["include"], parameters["exclude"])
        return sum(job.entry.size for job in plan(found, settings, chosen))

    with Progress(drawn=drawn, measure=measure) as progress, contextlib.closing(outcomes):
        report = _report(ctx, settings, found, progress)
        for outcome in outcomes:
            report.add(outcome)
    return report


def _convert_with_journal(
    ctx: click.Context, settings: RunSettings, found: list[InputPath], journal: Journal | None
) -> None:
    """Convert in place, and keep a journal, or go on with one."""
    from linkfix.cli.journal import announce_resumption, make_journal, undo_hint
    from linkfix.runs.journal import Journal
    from linkfix.runs.journaled import convert_with_journal, journal_roots
    from linkfix.runs.undo import remove_without_effect

    roots = journal_roots(found)
    plan(found, settings)  # raises for paths that cannot be combined
    with contextlib.ExitStack() as stack:
        chosen = stack.enter_context(chosen_files(ctx, sources=settings.sources))
        if journal is None:
            folders = [one.tree.root for one in found if not one.name]
            path = make_journal(ctx, roots, found[0].tree.path(found[0].name), folders)
            journal = stack.enter_context(Journal(path))
        elif list(journal.header.roots) != roots:
            message = f"{journal.path} cannot be used: its PATHs lead to other folders now; start a new run"
            raise InvalidJournal(message)
        else:
            announce_resumption(ctx, journal)
        journal.share()
        outcomes = convert_with_journal(found, settings, journal, chosen=chosen, processes=_processes(ctx))
        try:
            report = _report_all(ctx, settings, found, outcomes)
        except BaseException as error:
            outcomes.close()
            journal.close()
            if not remove_without_effect(journal.path) and isinstance(error, KeyboardInterrupt):
                click.echo(undo_hint(journal.path, roots, resume=True), err=True)
            raise
        journal.close()
        is_needed = report.has_changed or not remove_without_effect(journal.path)  # files that failed may have changed
        _write_url_map(ctx, found, report)
        report.finish(journal.path if is_needed else None)
        if is_needed and not ctx.params["quiet"]:
            click.echo(undo_hint(journal.path, roots, resume=report.is_stopped), err=True)
    ctx.exit(report.exit_code(strict=ctx.params["strict"]))


def _report(ctx: click.Context, settings: RunSettings, found: list[InputPath], progress: Progress) -> Report:
    """The report of a run."""
    parameters = ctx.params
    single = len(found) == 1 and bool(found[0].name)
    unsuited = {"root_url", "url_map"} if single else {"url"}
    if single or parameters["write_url_map"]:
        unsuited.add("write_url_map")
    options = {str(option.name) for option in ctx.command.params} - unsuited
    root = None if single else found[0].display_name if len(found) == 1 else ""
    words = _COMMANDS[str(ctx.info_name)]._asdict()
    return Report(progress, parameters, Remedies(options), root, dry_run=settings.dry_run, **words)
