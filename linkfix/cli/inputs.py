"""The PATHs of a command: checked against the options that say what they are, and opened where they are only read."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click
from click.core import ParameterSource

from linkfix import files
from linkfix.cli.options import model_options
from linkfix.containers.plan import Source, Task, plan
from linkfix.containers.tree import Kind, root_url, selector
from linkfix.walker import Document

__all__ = ["STDIN", "Input", "documents", "is_stream", "opened", "paths_argument", "sources"]

STDIN = "-"

paths_argument = click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, allow_dash=True, path_type=str),
)


class Input(NamedTuple):
    """A document that was read, or why it was not (`message`; `failed`: for an error). `shown` names it in messages."""

    shown: str
    document: Document | None
    message: str = ""
    failed: bool = False


def is_stream(path: str) -> bool:
    """Whether a PATH is read once, from beginning to end: standard input, a pipe, a device."""
    if path == STDIN:
        return True
    mode = Path(path).stat().st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def sources(ctx: click.Context, *, document: bool) -> list[Source]:
    """The sources that a command's PATHs, --url and --base-url state; raises `UsageError` where they contradict.

    `document`: a single file is a document, whatever its name. A setting of base-url gives way to --url.
    """
    paths, url, base_url = (ctx.params[name] for name in ("paths", "url", "base_url"))
    if url and base_url and ctx.get_parameter_source("base_url") is ParameterSource.DEFAULT_MAP:
        base_url = None
    single = len(paths) == 1 and not Path(paths[0]).is_dir()
    tree_url = root_url(base_url) if base_url else None
    media_type = "text/html" if document or url else ""
    found = [Source.of(path, tree_url=tree_url, url=url, media_type=media_type) for path in paths]
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
        found = [found[0]._replace(shown="(standard input)")]
    for message, broken in rules.items():
        if broken:
            raise click.UsageError(message, ctx)
    return found


def opened(path: str) -> BinaryIO:
    """The stream of a PATH for which `is_stream` is true."""
    return sys.stdin.buffer if path == STDIN else Path(path).open("rb")


def documents(ctx: click.Context) -> Iterator[Input]:
    """Each document of a command's PATHs, one after the other; raises `LinkfixError` for wrong options at once."""
    parameters = ctx.params
    known: dict[str, Any] = {
        "charset": parameters["charset"],
        "default_base": parameters["default_base"],
        "options": model_options(parameters),
    }
    found = sources(ctx, document=len(parameters["paths"]) == 1)
    Document(b"", url=parameters["url"], **known)
    limit = parameters["max_size"]
    path = parameters["paths"][0]
    if is_stream(path):
        with opened(path) as stream:
            data = stream.read(limit + 1)
        name = found[0].shown
        if len(data) > limit:
            yield Input(name, None, f"larger than {limit:,} bytes")
        else:
            yield Input(name, Document(data, url=parameters["url"], **known))
        return
    for job in plan(found, Task(), selector(parameters["include"], parameters["exclude"])):
        if job.entry.kind is not Kind.DOCUMENT:
            yield Input(job.shown, None, job.entry.text, job.entry.kind is Kind.FAILED)
            continue
        try:
            data = files.read(job.path, limit=limit).data
        except OSError as error:
            yield Input(job.shown, None, error.strerror or str(error), not isinstance(error, files.FileTooLarge))
            continue
        yield Input(job.shown, Document(data, url=job.url, media_type=job.entry.media_type, **known))
