"""`linkfix unpack`: makes a folder of an archive or message, to be read without a network or as it was captured."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, cast, get_args

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import ADVANCED, COMMON, INPUT, REWRITING, Command, group, options
from linkfix.cli.inputs import STDIN, Stream, is_stream, open_stream
from linkfix.cli.options import (
    DECODING,
    STDOUT,
    STDOUT_TAKES,
    STRICT,
    is_typed,
    jobs_option,
    max_size_option,
    output_file,
    output_option,
    quiet_option,
)
from linkfix.cli.report import Progress, open_output, print_problems, removed_line
from linkfix.cli.settings import ExistingPath, ParamType, configurable
from linkfix.containers import CONTAINERS, container, recognise
from linkfix.containers.exchanges import has_captures
from linkfix.containers.formats import explain_unread
from linkfix.containers.part import Container, Limits, Note, digits_of_time
from linkfix.display import pluralize, visible
from linkfix.document.single_file import Images, Scripts, SingleFile
from linkfix.files.atomic import opener_beside
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import HEAD_SIZE, FileTree
from linkfix.model import Envelope, Problem
from linkfix.runs.captured_files import NoCapture
from linkfix.runs.convert import ContainerCounts
from linkfix.runs.offline import FileLinks, Unpacked, Unpacker
from linkfix.runs.resources import ContainerResources, NoPage, Resources, container_resources
from linkfix.runs.unpack import MANIFEST, NoFiles, unpack
from linkfix.runs.workers import core_count
from linkfix.saved.retrieval import Retrieval


@contextmanager
def _container(path: str) -> Iterator[Stream]:
    if is_stream(path):
        with open_stream(path, 0) as stream:
            yield stream
        return
    if Path(path).is_dir():
        yield Stream(None, io.BytesIO())
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
        if not _is_time(digits):
            self.fail(
                f"{text!r} is not a time: give a time such as 2024-05-31T12:00:00Z, or its beginning.", param, ctx
            )
        return digits


_TIME_MARKS = re.compile("[-: TZ]")

#: A year and what may follow it, two digits each: month, day, hour, minute, second.
_DIGITS = re.compile(r"[0-9]{4}(?:[0-9]{2}){0,5}")


def _is_time(digits: str) -> bool:
    """Whether digits are the beginning of a time that exists."""
    if not _DIGITS.fullmatch(digits):
        return False
    first = digits + "00000101000000"[len(digits) :]
    try:
        return bool(datetime.strptime(first, "%Y%m%d%H%M%S"))  # noqa: DTZ007 - the time is in UTC
    except ValueError:
        return False


@click.command(
    "unpack",
    short_help=COMMANDS["unpack"].summary,
    cls=Command,
    examples={
        "Read a web archive without a network": "linkfix unpack crawl.warc.gz -o crawl/",
        "Make absolute links of its pages again": "linkfix absolutize crawl/ --url-map crawl/manifest.csv -o pages/",
        "Make one HTML file of a saved page and its files": "linkfix unpack page.mhtml --single-file -o page.html",
        "Extract the parts of a message as they are": "linkfix unpack page.mhtml --raw -o page/",
    },
)
@click.argument("path", metavar="FILE", type=ExistingPath(allow_dash=True))
@options(
    group(
        COMMON,
        output_option(
            "PATH",
            "Write the files and their table, manifest.csv, to this folder. They replace files of the same names. With "
            "--single-file, write the page to this file.",
            required=True,
        ),
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
        click.option(
            "--single-file",
            is_flag=True,
            help="Write one HTML file: a page with its style sheets, fonts, pictures and frames. FILE can also be a "
            "saved page, or the folder of one.",
        ),
        click.option(
            "--page",
            metavar="URL|NAME",
            help="The page of --single-file: its URL, or its name in the archive or folder. Without it, the "
            "main page is taken.",
        ),
        quiet_option("Print only errors."),
    ),
    group(
        REWRITING,
        click.option(
            "--scripts",
            type=click.Choice(get_args(Scripts)),
            default="drop",
            show_default=True,
            help="The scripts of a single file. drop: they do not run. keep: they are embedded.",
        ),
        click.option(
            "--images",
            type=click.Choice(get_args(Images)),
            default="one",
            show_default=True,
            help="The pictures of a srcset in a single file. one: the largest.",
        ),
    ),
    group(
        INPUT,
        max_size_option("Skip larger parts."),
    ),
    group(ADVANCED, jobs_option("The number of processes that convert documents.")),
    DECODING,
    STRICT,
)
@configurable
@click.pass_context
def command(ctx: click.Context, /, path: str, output: str, **_: object) -> None:
    """Make a folder of an archive or message, which a browser opens without a network.

    Every page and every file that was captured becomes a file, named after its URL. Links between them lead to the
    files, and other links are absolute. index.html lists the pages. Nothing is fetched, and scripts are not rewritten.

    FILE is an MHTML file, an email message, a WARC, ARC, WACZ, HAR, zipped HAR, MAFF, EPUB or .webarchive file, a
    zip archive of a page, or '-' for standard input. Other commands read the table, manifest.csv, with --url-map. The
    exit code is 2 if --max-ratio or --max-total stops the extraction before all parts are written.
    """
    parameters = ctx.params
    quiet = parameters["quiet"]
    _check(ctx, path, output)
    name = "(standard input)" if path == STDIN else path
    counts = ContainerCounts()
    is_complete = True
    removed: list[str] = []

    def note(problem: Problem) -> None:
        nonlocal is_complete
        is_complete = is_complete and problem.code != "total-too-large"
        counts.note(problem)

    with _container(path) as found:
        if found.unread or not parameters["single_file"]:
            _refuse(ctx, found, name)
        _refuse_time(ctx, found, name)
        try:
            if parameters["single_file"]:
                said = _write_single_file(ctx, found, note)
            else:
                said = _unpack(ctx, found, name, note, removed.append)
        except (NoPage, NoCapture, NoFiles) as error:
            message = f"{visible(name)}: {error}"
            raise click.UsageError(message, ctx) from None
        finally:  # also if it was stopped, or the disk is full
            if not quiet:
                print_problems(name, counts.problems, counts.problem_count - len(counts.problems))
    if not quiet:
        if removed:
            click.echo(removed_line(len(removed)), err=True)
        problems = pluralize(counts.problem_count, "problem")
        click.echo(said.format(problems=problems), err=True)
    ctx.exit(int(parameters["strict"] and counts.problem_count > 0) if is_complete else 2)


def _check(ctx: click.Context, path: str, output: str) -> None:
    """Raise for wrong options."""
    parameters = ctx.params
    is_single = parameters["single_file"]
    if output == STDOUT and not is_single:
        message = f"{STDOUT_TAKES.format('no folder of files')}: give --output DIR"
        raise click.UsageError(message, ctx)
    if not is_single and os.path.lexists(output) and not Path(output).is_dir():
        message = f"{visible(output)} is a file, and unpack writes a folder of files: give another name"
        raise click.UsageError(message, ctx)
    if output_file(ctx) is not None and not is_single:
        message = (
            f"{visible(output)} names a file, and unpack writes a folder of files: give --output {visible(output)}/"
        )
        raise click.UsageError(message, ctx)
    is_folder = path != STDIN and Path(path).is_dir()
    mistakes = {
        "--raw extracts all captures with their links as they are: leave out --at and --links, or --raw": (
            parameters["raw"] and (parameters["at"] or is_typed(ctx, "links"))
        ),
        "--page, --scripts and --images are about a single file: give --single-file too": (
            not is_single and is_typed(ctx, "page", "scripts", "images")
        ),
        "--single-file writes one file, with absolute links: leave out --raw and --links": (
            is_single and (parameters["raw"] or is_typed(ctx, "links"))
        ),
        "--jobs is about links between files: leave out --jobs, or --raw and --single-file": (
            is_typed(ctx, "jobs") and (parameters["raw"] or is_single)
        ),
        f"File {visible(path)!r} is a directory: give a file in it.": is_folder and not is_single,
        "a folder can have many pages: give the name of one with --page": is_folder and not parameters["page"],
    }
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    Retrieval(url=parameters["url"])  # raises for an invalid URL


def _refuse(ctx: click.Context, found: Stream, name: str) -> None:
    """Raise for a file that is no container."""
    if found.unread:
        message = f"{visible(name)} is {found.unread}"
        raise click.UsageError(message, ctx)
    if found.container is None:
        titles = ", ".join(row.title for row in CONTAINERS.values())
        message = f"{visible(name)} is not an archive or message: unpack reads {titles}. "
        message += "With --single-file, it reads a saved page too."
        raise click.UsageError(message, ctx)


def _refuse_time(ctx: click.Context, found: Stream, name: str) -> None:
    """Raise for --at if the file has no captures to choose among."""
    if ctx.params["at"] and (found.container is None or not has_captures(found.container)):
        message = f"{visible(name)} is no web archive, and --at chooses among the captures of one: leave out --at"
        raise click.UsageError(message, ctx)


def _unpack(ctx: click.Context, found: Stream, name: str, note: Note, note_removed: Callable[[str], None]) -> str:
    """Write a folder. Returns the line to print, without the number of problems."""
    parameters = ctx.params
    container, output, envelope = cast("Container", found.container), parameters["output"], Envelope(parameters["url"])
    limits = _limits(parameters)
    if parameters["raw"]:
        rows = unpack(container, found.file, envelope, output, note, limits, note_removed=note_removed)
        return _summary(output, Unpacked(rows, ""))
    with Progress(drawn=sys.stderr.isatty() and not parameters["quiet"], measure=int) as progress:
        unpacker = Unpacker(
            container,
            found.file,
            envelope,
            limits,
            links=parameters["links"],
            at=parameters["at"] or "",
            name=name,
            processes=parameters["jobs"] or core_count(),
            advance=lambda size, links: progress.advance(size=size, links=links),
        )
        return _summary(output, unpacker.unpack(output, note, note_removed=note_removed))


def _limits(parameters: dict[str, Any]) -> Limits:
    part, ratio, total, path = (parameters[name] for name in ("max_size", "max_ratio", "max_total", "path"))
    beside = None
    if not is_stream(path):
        real = os.path.realpath(path)
        beside = opener_beside(FilePath(real, str(Path(real).parent)))
    return Limits(part=part, ratio=ratio, total=total, beside=beside)


def _summary(output: str, made: Unpacked) -> str:
    where = _braces(str(Path(output, MANIFEST)))
    page = f"; open {_braces(str(Path(output, made.index_page)))}" if made.index_page else ""
    return f"{pluralize(len(made.rows), 'file')}, {{problems}}; their URLs are in {where}{page}"


def _braces(path: str) -> str:
    """A path as a message shows it, in a format string."""
    return visible(path).replace("{", "{{").replace("}", "}}")


def _write_single_file(ctx: click.Context, found: Stream, note: Note) -> str:
    """Write a page with all that it shows. Returns the line to print, without the number of problems."""
    parameters = ctx.params
    output, size = parameters["output"], parameters["max_size"]
    with _resources(ctx, found, note) as resources:
        page = resources.page(parameters["page"] or _own_name(parameters["path"], found))
        made = SingleFile(
            resources.find, note, max_size=size, scripts=parameters["scripts"], images=parameters["images"]
        ).page(page)
    with open_output(None if output == STDOUT else output, quiet=parameters["quiet"]) as out:
        out.write(made)
    return f"{len(made):,} bytes, {{problems}}"


def _own_name(path: str, found: Stream) -> str:
    """The name of FILE in its folder if it is a page; "" for a container."""
    return "" if found.container is not None else Path(path).name


@contextmanager
def _resources(ctx: click.Context, found: Stream, note: Note) -> Iterator[Resources | ContainerResources]:
    parameters = ctx.params
    path, at = parameters["path"], parameters["at"] or ""
    if found.container is not None:
        envelope, limits = Envelope(parameters["url"]), _limits(parameters)
        with container_resources(found.container, found.file, envelope, note, limits, at) as resources:
            yield resources
        return
    if is_stream(path):
        _refuse(ctx, found, "(standard input)")
    root = Path(os.path.realpath(path))
    yield Resources(FileTree(str(root if root.is_dir() else root.parent)), parameters["max_size"])
