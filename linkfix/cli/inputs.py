"""The PATHs of a command: checked against the options that say what they are, and opened where they are only read."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import click
from click.core import ParameterSource

from linkfix.cli.options import task
from linkfix.containers import container, recognise
from linkfix.containers.part import Container
from linkfix.document.document import Document
from linkfix.files import atomic
from linkfix.files.folder import HEAD_SIZE, EntryKind, selector
from linkfix.model import Envelope, Problem
from linkfix.runs.plan import InputPath, Job, plan
from linkfix.runs.reader import DocumentReader, part_problem
from linkfix.saved.root_url import root_url

__all__ = ["STDIN", "Input", "Stream", "documents", "is_stream", "opened", "paths_argument", "sources"]

STDIN = "-"

_PATH = click.Path(exists=True, allow_dash=True, path_type=str)


def _expanded(ctx: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The PATHs, with patterns (`*.mhtml`, `**/*.html`) expanded as shells do it: not every shell does.

    A pattern that matches nothing is a name like any other.
    """
    found: list[str] = []
    for path in paths:
        is_name = path == STDIN or os.path.lexists(path)
        matches = [] if is_name else sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - names as they are given
        found += matches or [_PATH.convert(path, parameter, ctx)]
    return tuple(found)


paths_argument = click.argument("paths", metavar="PATH...", nargs=-1, required=True, callback=_expanded)


class Input(NamedTuple):
    """A document that was read, or why it was not (`message`; `failed`: for an error). `shown` names it in messages.

    `problems`: of the file, beside the document's own.
    """

    shown: str
    document: Document | None
    message: str = ""
    failed: bool = False
    problems: tuple[Problem, ...] = ()


class Stream(NamedTuple):
    """What came by a stream: the container that it is, and a seekable copy; or else its first bytes, and the rest."""

    container: Container | None
    file: BinaryIO
    data: bytes = b""


def is_stream(path: str) -> bool:
    """Whether a PATH is read once, from beginning to end: standard input, a pipe, a device."""
    if path == STDIN:
        return True
    mode = Path(path).stat().st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def sources(ctx: click.Context, *, document: bool) -> list[InputPath]:
    """The sources that a command's PATHs, --url and --base-url state; raises `UsageError` where they contradict.

    `document`: a single file is a document, whatever its name. A setting of base-url gives way to --url.
    """
    paths, url, base_url = (ctx.params[name] for name in ("paths", "url", "base_url"))
    if url and base_url and ctx.get_parameter_source("base_url") is ParameterSource.DEFAULT_MAP:
        base_url = None
    single = len(paths) == 1 and not Path(paths[0]).is_dir()
    tree_url = root_url(base_url) if base_url else None
    media_type = "text/html" if document or url else ""
    found = [InputPath.of(path, tree_url=tree_url, url=url, media_type=media_type) for path in paths]
    rules = {
        "'-', standard input, is one document: give no other PATH": STDIN in paths and not single,
        "--url is the URL of one document: for a tree, or several files, give --base-url": url and not single,
        "--url and --base-url contradict each other: give --url for one document, --base-url for a tree": (
            url and base_url
        ),
        "standard input has no place in a tree: give its --url": base_url and paths[0] == STDIN,
        "--base-url is the URL of one folder: give that folder, or files that are in it": (
            base_url and len({source.tree.root for source in found}) > 1
        ),
    }
    if paths[0] == STDIN:
        found = [found[0]._replace(display_name="(standard input)")]
    for message, broken in rules.items():
        if broken:
            raise click.UsageError(message, ctx)
    return found


@contextmanager
def opened(path: str, limit: int) -> Iterator[Stream]:
    """The stream of a PATH for which `is_stream` is true; of a document, `limit` + 1 bytes are read."""
    with sys.stdin.buffer if path == STDIN else Path(path).open("rb") as stream:
        head = b""
        while len(head) < HEAD_SIZE and (more := stream.read(HEAD_SIZE - len(head))):
            head += more
        format_ = recognise(head, "")
        if not format_:
            yield Stream(None, stream, head + stream.read(max(limit + 1 - len(head), 0)))
            return
        with tempfile.TemporaryFile() as copy:
            copy.write(head)
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield Stream(container(format_), cast("BinaryIO", copy))


def documents(ctx: click.Context, *, plain_text: bool = False) -> Iterator[Input]:
    """Each document of a command's PATHs, one after the other; raises `LinkfixError` for wrong options at once.

    `plain_text`: texts among the parts of containers too.
    """
    parameters = ctx.params
    done = task(parameters | {"plain_text": plain_text})
    reader = DocumentReader(done)
    found = sources(ctx, document=len(parameters["paths"]) == 1)
    reader.document(b"", "text/html", url=parameters["url"])
    limit = parameters["max_size"]
    path = parameters["paths"][0]
    if is_stream(path):
        shown, url = found[0].display_name, parameters["url"]
        with opened(path, limit) as stream:
            if stream.container is not None:
                envelope = reader.container_envelope(None, path, url)
                yield from _contained(reader, stream.container, stream.file, envelope, shown)
            elif len(stream.data) > limit:
                yield Input(shown, None, f"larger than {limit:,} bytes")
            else:
                document, problems = reader.document(stream.data, "text/html", name=path, url=url)
                yield Input(shown, document, problems=problems)
        return
    for job in plan(found, done, selector(parameters["include"], parameters["exclude"])):
        try:
            yield from _of_job(reader, job, limit)
        except OSError as error:
            yield Input(
                job.display_name, None, error.strerror or str(error), not isinstance(error, atomic.FileTooLarge)
            )


def _of_job(reader: DocumentReader, job: Job, limit: int) -> Iterator[Input]:
    entry = job.entry
    if entry.kind is EntryKind.DOCUMENT:
        data = atomic.read(job.path, limit=limit).data
        document, problems = reader.document(data, entry.media_type, tree=job.tree, name=entry.name, url=job.url)
        yield Input(job.display_name, document, problems=problems)
    elif entry.kind is EntryKind.CONTAINER:
        with Path(job.path).open("rb") as file:
            envelope = reader.container_envelope(job.tree, entry.name, job.url)
            yield from _contained(reader, container(entry.format), file, envelope, job.display_name)
    else:
        yield Input(job.display_name, None, entry.text, entry.kind is EntryKind.FAILED)


def _contained(
    reader: DocumentReader, container: Container, file: BinaryIO, envelope: Envelope, shown: str
) -> Iterator[Input]:
    """The documents of a container, as `file!part`; what is wrong with it, when it is noticed."""
    noted: list[Problem] = []
    for part in container.parts(file, envelope, noted.append, reader.limits):
        read = reader.part(part, shown)
        if read is not None and read.document is not None:
            yield Input(f"{shown}!{part.name}", read.document, problems=read.problems)
        elif read is not None:
            noted += [part_problem(problem, part) for problem in read.problems]
        if noted:
            yield Input(shown, None, problems=tuple(noted))
            noted.clear()
    if noted:
        yield Input(shown, None, problems=tuple(noted))
