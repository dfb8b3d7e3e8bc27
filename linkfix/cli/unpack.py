"""`linkfix unpack`: extracts the parts of a container as files, with a table of their URLs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import COMMON, INPUT, Command, group, options
from linkfix.cli.inputs import STDIN, Stream, is_stream, open_stream
from linkfix.cli.options import (
    DECODING,
    STDOUT,
    STDOUT_TAKES,
    STRICT,
    max_size_option,
    output_file,
    output_option,
    quiet_option,
)
from linkfix.cli.report import print_problems, removed_line
from linkfix.cli.settings import ExistingPath, configurable
from linkfix.containers import CONTAINERS, container, recognise
from linkfix.containers.formats import explain_unread
from linkfix.containers.part import Limits
from linkfix.display import pluralize, visible
from linkfix.files.atomic import opener_beside
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import HEAD_SIZE
from linkfix.model import Envelope, Problem
from linkfix.runs.convert import ContainerCounts
from linkfix.runs.unpack import MANIFEST, unpack
from linkfix.saved.retrieval import Retrieval


@contextmanager
def _container(path: str) -> Iterator[Stream]:
    if is_stream(path):
        with open_stream(path, 0) as stream:
            yield stream
        return
    with Path(path).open("rb") as file:
        head = file.read(HEAD_SIZE)
        found = recognise(head, path)
        file.seek(0)
        yield Stream(container(found) if found else None, file, unread="" if found else explain_unread(head, path))


@click.command(
    "unpack",
    short_help=COMMANDS["unpack"].summary,
    cls=Command,
    examples={
        "Extract a saved page": "linkfix unpack page.mhtml -o page/",
        "List the links of its parts": "linkfix unpack page.mhtml -o page/ "
        "&& linkfix links page/ --url-map page/manifest.csv",
    },
)
@click.argument("path", metavar="FILE", type=ExistingPath(dir_okay=False, allow_dash=True))
@options(
    group(
        COMMON,
        output_option("DIR", "Write the files and their table, manifest.csv, to this folder.", required=True),
        click.option("--url", metavar="URL", help="The URL of FILE."),
        quiet_option("Print only errors."),
    ),
    group(
        INPUT,
        max_size_option("Skip larger parts."),
    ),
    DECODING,
    STRICT,
)
@configurable
@click.pass_context
def command(ctx: click.Context, /, path: str, output: str, **_: object) -> None:
    """Extract the parts of an archive or message, with a table of their URLs.

    FILE is an MHTML file, an email message, a WARC, ARC, WACZ, HAR, zipped HAR, MAFF, EPUB or .webarchive file, a
    zip archive of a page, or '-' for standard input. Other commands read the table, manifest.csv, with --url-map. The
    exit code is 2 if --max-ratio or --max-total stops the extraction before all parts are written.
    """
    parameters = ctx.params
    url, quiet = parameters["url"], parameters["quiet"]
    if output == STDOUT:
        message = f"{STDOUT_TAKES.format('no folder of files')}: give --output DIR"
        raise click.UsageError(message, ctx)
    if output_file(ctx) is not None:
        message = (
            f"{visible(output)} names a file, and unpack writes a folder of files: give --output {visible(output)}/"
        )
        raise click.UsageError(message, ctx)
    Retrieval(url=url)  # raises for an invalid URL
    name = "(standard input)" if path == STDIN else path
    counts = ContainerCounts()
    is_complete = True
    removed: list[str] = []

    def note(problem: Problem) -> None:
        nonlocal is_complete
        is_complete = is_complete and problem.code != "total-too-large"
        counts.note(problem)

    with _container(path) as found:
        if found.unread:
            message = f"{visible(name)} is {found.unread}"
            raise click.UsageError(message, ctx)
        if found.container is None:
            message = f"{visible(name)} is not an archive or message: unpack reads {', '.join(CONTAINERS)}"
            raise click.UsageError(message, ctx)
        part, ratio, total = (parameters[name] for name in ("max_size", "max_ratio", "max_total"))
        beside = None
        if not is_stream(path):
            real = os.path.realpath(path)
            beside = opener_beside(FilePath(real, str(Path(real).parent)))
        limits = Limits(part=part, ratio=ratio, total=total, beside=beside)
        envelope = Envelope(url=url)
        try:
            rows = unpack(found.container, found.file, envelope, output, note, limits, note_removed=removed.append)
        finally:  # also if it was stopped, or the disk is full
            if not quiet:
                print_problems(name, counts.problems, counts.problem_count - len(counts.problems))
    if not quiet:
        if removed:
            click.echo(removed_line(len(removed)), err=True)
        where = visible(str(Path(output, MANIFEST)))
        files, problems = pluralize(len(rows), "file"), pluralize(counts.problem_count, "problem")
        click.echo(f"{files}, {problems}; their URLs are in {where}", err=True)
    ctx.exit(int(parameters["strict"] and counts.problem_count > 0) if is_complete else 2)
