"""`linkfix unpack`: makes a folder of an archive or message, to be read without a network or as it was captured."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast, get_args

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import COMMON, INPUT, Command, group, options
from linkfix.cli.inputs import STDIN, Stream, is_stream, open_stream
from linkfix.cli.options import (
    DECODING,
    STDOUT,
    STDOUT_TAKES,
    STRICT,
    is_typed,
    max_size_option,
    output_file,
    output_option,
    quiet_option,
)
from linkfix.cli.report import Progress, print_problems, removed_line
from linkfix.cli.settings import ExistingPath, ParamType, configurable
from linkfix.containers import CONTAINERS, container, recognise
from linkfix.containers.captures import digits_of_time
from linkfix.containers.formats import explain_unread
from linkfix.containers.part import Container, Limits, Note
from linkfix.display import pluralize, visible
from linkfix.files.folder import HEAD_SIZE
from linkfix.model import Envelope, Problem
from linkfix.runs.convert import ContainerCounts
from linkfix.runs.offline import FileLinks, Unpacked, Unpacker
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


class CaptureTime(ParamType[str]):
    """A time in UTC or its beginning, such as 2024-05 or 20240501120000. The value is its digits."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the digits."""
        text = str(value).strip()
        digits = digits_of_time(text) if "T" in text else _TIME_MARKS.sub("", text)
        if not _DIGITS.fullmatch(digits):
            self.fail(
                f"{text!r} is not a time: give a time such as 2024-05-31T12:00:00Z, or its beginning.", param, ctx
            )
        return digits


_TIME_MARKS = re.compile("[-: TZ]")

#: A year and what may follow it, two digits each: month, day, hour, minute, second.
_DIGITS = re.compile(r"[0-9]{4}(?:[0-9]{2}){0,5}")


@click.command(
    "unpack",
    short_help=COMMANDS["unpack"].summary,
    cls=Command,
    examples={
        "Read a web archive without a network": "linkfix unpack crawl.wacz -o crawl/",
        "Make absolute links of its pages again": "linkfix absolutize crawl/ --url-map crawl/manifest.csv -o pages/",
        "Extract the parts of a message as they are": "linkfix unpack page.mhtml --raw -o page/",
    },
)
@click.argument("path", metavar="FILE", type=ExistingPath(dir_okay=False, allow_dash=True))
@options(
    group(
        COMMON,
        output_option("DIR", "Write the files and their table, manifest.csv, to this folder.", required=True),
        click.option("--url", metavar="URL", help="The URL of FILE."),
        click.option(
            "--links",
            type=click.Choice(get_args(FileLinks)),
            default="relative",
            show_default=True,
            help="The links between the files. relative: to each other's files; all others are absolute. absolute: to "
            "the original URLs. keep: as captured.",
        ),
        click.option(
            "--at",
            metavar="TIME",
            type=CaptureTime(),
            help="Of each URL in a web archive, take the latest capture at or before this time (UTC), such as 2024-05 "
            "or 2024-05-31T12:00:00Z.",
        ),
        click.option(
            "--raw",
            is_flag=True,
            help="Extract all documents as they are, every capture of a URL too, without an index page.",
        ),
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
    """Make a folder of an archive or message, which a browser opens without a network.

    Every page and every file that was captured becomes a file, named after its URL. Links between them lead to the
    files, and other links are absolute. index.html lists the pages. Nothing is fetched, and scripts are not rewritten.

    FILE is an MHTML file, an email message, a WARC, WACZ, HAR, MAFF or EPUB file, a zip archive of a page, or '-' for
    standard input. Other commands read the table, manifest.csv, with --url-map. The exit code is 2 if --max-ratio or
    --max-total stops the extraction before all parts are written.
    """
    parameters = ctx.params
    quiet = parameters["quiet"]
    _check(ctx, output)
    name = "(standard input)" if path == STDIN else path
    counts = ContainerCounts()
    is_complete = True
    removed: list[str] = []

    def note(problem: Problem) -> None:
        nonlocal is_complete
        is_complete = is_complete and problem.code != "total-too-large"
        counts.note(problem)

    with _container(path) as found:
        _refuse(ctx, found, name)
        try:
            made = _unpack(ctx, found, name, note, removed.append)
        finally:  # also if it was stopped, or the disk is full
            if not quiet:
                print_problems(name, counts.problems, counts.problem_count - len(counts.problems))
    if not quiet:
        if removed:
            click.echo(removed_line(len(removed)), err=True)
        where = visible(str(Path(output, MANIFEST)))
        files, problems = pluralize(len(made.rows), "file"), pluralize(counts.problem_count, "problem")
        page = f"; open {visible(str(Path(output, made.index_page)))}" if made.index_page else ""
        click.echo(f"{files}, {problems}; their URLs are in {where}{page}", err=True)
    ctx.exit(int(parameters["strict"] and counts.problem_count > 0) if is_complete else 2)


def _check(ctx: click.Context, output: str) -> None:
    """Raise for wrong options."""
    if output == STDOUT:
        message = f"{STDOUT_TAKES.format('no folder of files')}: give --output DIR"
        raise click.UsageError(message, ctx)
    if output_file(ctx) is not None:
        message = (
            f"{visible(output)} names a file, and unpack writes a folder of files: give --output {visible(output)}/"
        )
        raise click.UsageError(message, ctx)
    if ctx.params["raw"] and (ctx.params["at"] or is_typed(ctx, "links")):
        message = "--raw extracts all captures with their links as they are: leave out --at and --links, or --raw"
        raise click.UsageError(message, ctx)
    Retrieval(url=ctx.params["url"])  # raises for an invalid URL


def _refuse(ctx: click.Context, found: Stream, name: str) -> None:
    """Raise for a file that is no container."""
    if found.unread:
        message = f"{visible(name)} is {found.unread}"
        raise click.UsageError(message, ctx)
    if found.container is None:
        message = f"{visible(name)} is not an archive or message: unpack reads {', '.join(CONTAINERS)}"
        raise click.UsageError(message, ctx)


def _unpack(ctx: click.Context, found: Stream, name: str, note: Note, note_removed: Callable[[str], None]) -> Unpacked:
    parameters = ctx.params
    container, output, envelope = cast("Container", found.container), parameters["output"], Envelope(parameters["url"])
    part, ratio, total = (parameters[name] for name in ("max_size", "max_ratio", "max_total"))
    limits = Limits(part=part, ratio=ratio, total=total)
    if parameters["raw"]:
        rows = unpack(container, found.file, envelope, output, note, limits, note_removed=note_removed)
        return Unpacked(rows, "")
    with Progress(drawn=sys.stderr.isatty() and not parameters["quiet"], measure=int) as progress:
        unpacker = Unpacker(
            container,
            found.file,
            envelope,
            limits,
            links=parameters["links"],
            at=parameters["at"] or "",
            name=name,
            advance=lambda size, links: progress.advance(size=size, links=links),
        )
        return unpacker.unpack(output, note, note_removed=note_removed)
