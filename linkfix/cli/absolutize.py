"""`linkfix absolutize`: documents and trees of saved pages, converted byte for byte."""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import click
from click.core import ParameterSource

from linkfix.cli import COMMANDS
from linkfix.cli.inputs import is_stream, opened, paths_argument, sources
from linkfix.cli.options import DOCUMENT, FOUND, ORIGIN, RESOLVER, STRICT, options, task
from linkfix.cli.progress import Progress
from linkfix.cli.report import Report, put
from linkfix.cli.settings import configurable
from linkfix.containers import container
from linkfix.containers.part import Container
from linkfix.files import atomic
from linkfix.files.folder import EntryKind, selector
from linkfix.model import Envelope
from linkfix.runs.convert import Converter, FileOutcome, convert
from linkfix.runs.plan import InputPath, RunSettings, plan
from linkfix.runs.workers import core_count

__all__ = ["command"]

_REWRITING = (
    click.option(
        "--fragments",
        type=click.Choice(["keep", "absolutize"]),
        default="keep",
        show_default=True,
        help="What becomes of references to the same document ('#top').",
    ),
    click.option("--normalize/--no-normalize", help="Also rewrite references that are absolute, to their normal form."),
    click.option(
        "--base-element",
        type=click.Choice(["keep", "drop-href", "remove", "insert"]),
        default="keep",
        show_default=True,
        help="Keep BASE with an absolute href, drop the href, remove BASE; or insert one instead of rewriting links.",
    ),
    click.option(
        "--plain-text/--no-plain-text",
        help="Also in plain text (a PATH that ends in .txt, a part): <URL:../x>, www.example.com.",
    ),
    click.option(
        "--keep-parts/--no-keep-parts",
        default=True,
        show_default=True,
        help="Leave references to other parts of the same message, which work offline.",
    ),
    click.option(
        "--keep-existing/--no-keep-existing", help="Leave references to files that are in the tree (needs --base-url)."
    ),
)

_WRITING = (
    click.option(
        "--output",
        metavar="DIR",
        type=click.Path(file_okay=False, path_type=str),
        help="Write the whole tree to this folder; files that are no documents are copied.",
    ),
    click.option("--in-place", is_flag=True, help="Replace the files themselves, each in one step."),
    click.option("--dry-run", is_flag=True, help="Write nothing; say what would change."),
    click.option("--diff", is_flag=True, help="Write nothing; print what would change, for 'patch -p1'."),
    click.option("--jobs", type=click.IntRange(1), metavar="N", help="How many processes work.  [default: the cores]"),
    click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="json: one document on standard output, with totals and a row a file.",
    ),
    click.option("--quiet/--no-quiet", help="Say nothing but errors."),
)


@click.command(
    "absolutize",
    short_help=COMMANDS["absolutize"].summary,
    epilog="Example: linkfix absolutize saved/ --base-url https://example.com/docs/ --output absolute/",
)
@paths_argument
@options(DOCUMENT, ORIGIN, RESOLVER, _REWRITING, FOUND, _WRITING, STRICT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Make the links of documents and of trees of saved pages absolute.

    PATH is a document, a container of documents (MHTML, WARC, EPUB, ...), a folder of them, or '-' for standard input.
    One goes to standard output, unless --output or --in-place says otherwise. Nothing but the bytes of the links
    changes.
    """
    parameters = ctx.params
    writes = bool(parameters["output"] or parameters["in_place"])
    preview = parameters["dry_run"] or parameters["diff"]
    single = len(parameters["paths"]) == 1
    to_stdout = single and not writes and not preview
    found = sources(ctx, document=to_stdout)
    stream = is_stream(parameters["paths"][0])
    rules = {
        "--output and --in-place contradict each other: give one of them": parameters["output"]
        and parameters["in_place"],
        "a folder, or several files, need --output DIR or --in-place (or --dry-run, --diff)": not (
            writes or preview or (single and found[0].name)
        ),
        "standard input goes to standard output: --output, --in-place, --dry-run and --diff are for files": stream
        and not to_stdout,
        "--format json and the document would both go to standard output: give --output or --in-place": to_stdout
        and parameters["form"] == "json",
        "--format json and --diff would both go to standard output: give one of them": parameters["diff"]
        and parameters["form"] == "json",
        "--keep-existing needs --base-url, the URL of the tree": not found[0].tree.url
        and parameters["keep_existing"]
        and ctx.get_parameter_source("keep_existing") is ParameterSource.COMMANDLINE,
    }
    for message, broken in rules.items():
        if broken:
            raise click.UsageError(message, ctx)
    work = task(parameters, dry_run=preview)
    converter = Converter(work)
    converter.convert_document(b"", "text/html", url=parameters["url"] or found[0].tree.url)
    if to_stdout:
        _one(ctx, converter, found[0])
    else:
        _all(ctx, work, found)


def _one(ctx: click.Context, converter: Converter, source: InputPath) -> None:
    """Convert one document to standard output."""
    parameters = ctx.params
    report = _report(ctx, Progress(drawn=False, measure=int))
    report.add(_written(converter, source, parameters["paths"][0]))
    report.finish()
    ctx.exit(report.exit_code(strict=parameters["strict"]))


def _written(converter: Converter, source: InputPath, path: str) -> FileOutcome:
    limit = converter.settings.max_size
    if is_stream(path):
        with opened(path, limit) as stream:
            if stream.container is not None:
                envelope = converter.container_envelope(None, path, source.url)
                return _container(converter, stream.container, stream.file, envelope, source.display_name)
            if len(stream.data) > limit:
                return _passed(source.display_name, itertools.chain([stream.data], _chunks(stream.file)), limit)
            made, url = converter.convert_document(stream.data, "text/html", name=path, url=source.url)
            data = stream.data
    else:
        entry = next(source.entries(lambda _: True))
        with Path(path).open("rb") as file:
            if entry.kind is EntryKind.CONTAINER:
                envelope = converter.container_envelope(source.tree, source.name, source.url)
                return _container(converter, container(entry.format), file, envelope, source.display_name)
            if entry.size > limit:
                return _passed(source.display_name, _chunks(file), limit)
        data = atomic.read(source.tree.path(source.name), limit=limit).data
        media_type = entry.media_type or "text/html"
        made, url = converter.convert_document(data, media_type, tree=source.tree, name=source.name, url=source.url)
    put(cast("bytes", made.data))
    return FileOutcome.of(source.display_name, data, made, url)


def _container(converter: Converter, chosen: Container, file: BinaryIO, envelope: Envelope, shown: str) -> FileOutcome:
    """Convert a container to standard output, as it is read."""
    sys.stdout.flush()
    # Where it is not buffered, one call may write a part.
    out = io.BufferedWriter(cast("io.RawIOBase", sys.stdout.buffer))
    try:
        return converter.convert_container(chosen, file, cast("BinaryIO", out), envelope, shown)
    finally:
        out.detach()


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(1 << 20), b"")


def _passed(shown: str, chunks: Iterable[bytes], limit: int) -> FileOutcome:
    """Write what is too large as it is."""
    size = 0
    for chunk in chunks:
        put(chunk)
        size += len(chunk)
    return FileOutcome.too_large(shown, size, f"larger than {limit:,} bytes")


def _all(ctx: click.Context, task: RunSettings, found: list[InputPath]) -> None:
    """Convert files to files."""
    parameters = ctx.params
    chosen = selector(parameters["include"], parameters["exclude"])
    prints = parameters["form"] == "json" or task.dry_run
    drawn = sys.stderr.isatty() and not parameters["quiet"] and not (prints and sys.stdout.isatty())
    outcomes = convert(found, task, chosen=chosen, processes=parameters["jobs"] or core_count())

    def measure() -> int:
        return sum(job.entry.size for job in plan(found, task, chosen))

    with Progress(drawn=drawn, measure=measure) as progress, contextlib.closing(outcomes):
        report = _report(ctx, progress)
        for outcome in outcomes:
            report.add(outcome)
    report.finish()
    ctx.exit(report.exit_code(strict=parameters["strict"]))


def _report(ctx: click.Context, progress: Progress) -> Report:
    parameters = ctx.params
    return Report(
        progress,
        machine=parameters["form"] == "json",
        listing=parameters["dry_run"],
        quiet=parameters["quiet"],
        dry_run=parameters["dry_run"] or parameters["diff"],
    )
