"""The PATHs of a command: checked against its options, and read by the commands that do not write."""

from __future__ import annotations

import contextlib
import glob
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

import click
from click.core import ParameterSource

from linkfix.cli.options import TypedPatterns, is_typed
from linkfix.cli.run_options import run_settings
from linkfix.cli.settings import ExistingPath
from linkfix.containers import CONTAINERS, FORMATS, container, recognise
from linkfix.containers.formats import explain_unread, unread_problem
from linkfix.containers.part import Container, Limits, Part
from linkfix.display import clip, pluralize, visible, visible_path
from linkfix.document.document import Document
from linkfix.document.source import Source
from linkfix.files import atomic
from linkfix.files.data_formats import sniff_data
from linkfix.files.folder import HEAD_SIZE, INDEX_NAMES, EntryKind, FileTree, selector
from linkfix.files.media_types import binary_type, other_file, source_type
from linkfix.html.vocabulary import MODULES
from linkfix.model import DOCUMENT_KINDS, Envelope, Problem
from linkfix.resolvers import root_url
from linkfix.runs.plan import FileFields, InputPath, Job, RunSettings, plan
from linkfix.runs.reader import DocumentReader, part_problem

STDIN = "-"

FC = TypeVar("FC", bound=Callable[..., Any] | click.Command)


_PATH = ExistingPath(allow_dash=True)


def _expand_patterns(ctx: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Expand patterns (`*.mhtml`, `**/*.html`), since not every shell does. One without a match is a file name."""
    found: list[str] = []
    for path in paths:
        is_name = path == STDIN or os.path.lexists(path)
        matches = [] if is_name else sorted(glob.glob(path, recursive=True))
        found += matches or [os.fspath(cast("str", _PATH.convert(path, parameter, ctx)))]
    return tuple(found)


def paths_argument(command: FC) -> FC:
    """Add the argument PATH... to a command."""
    add = click.argument("paths", metavar="PATH...", nargs=-1, required=True, callback=_expand_patterns)
    return add(command)


def optional_paths_argument(command: FC) -> FC:
    """Add the argument PATH... to a command that has an option in its place."""
    add = click.argument("paths", metavar="[PATH...]", nargs=-1, callback=_expand_patterns)
    return add(command)


class Input(NamedTuple):
    """A document that was read, or the reason why it was not."""

    display_name: str
    """Its name in messages."""
    document: Document[bytes] | None
    """The document; None if it was not read."""
    message: str = ""
    """Why it was not read, or ""."""
    failed: bool = False
    """Whether that was an error."""
    problems: tuple[Problem, ...] = ()
    """Problems of the file, in addition to the document's own."""


class Stream(NamedTuple):
    """The content of a stream."""

    container: Container | None
    """The format of a container; None for a document."""
    file: BinaryIO
    """A seekable copy of a container; what follows `data` of a document."""
    data: bytes = b""
    """The first bytes of a document."""
    unread: str = ""
    """Of an archive in a format that is not read, which is otherwise as a document: what it is and what to do."""
    head: bytes = b""
    """The first bytes."""
    media_type: str = ""
    """Of a document."""
    problem: Problem | None = None
    """Why it is not read, though it is no container: an archive in another format, or no page."""


def is_stream(path: str) -> bool:
    """Whether a PATH can be read only once: standard input, a pipe, a device."""
    if path == STDIN:
        return True
    mode = Path(path).stat().st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def sources(ctx: click.Context, *, document: bool) -> list[InputPath]:
    """The sources of a command's PATHs, --url and --root-url. Raises `UsageError` if they cannot be combined.

    `document`: a single file is a document, whatever its name. --url overrides root-url in a settings file.
    """
    paths, url, tree_url = (ctx.params[name] for name in ("paths", "url", "root_url"))
    if url and tree_url and ctx.get_parameter_source("root_url") is ParameterSource.DEFAULT_MAP:
        tree_url = None
    single = len(paths) == 1 and (paths[0] == STDIN or not Path(paths[0]).is_dir())
    tree_url = root_url(tree_url, INDEX_NAMES) if tree_url else None
    forced = ctx.params["media_type"]
    of_file = FileFields(media_type="text/html" if document or url else "", forced_type=forced or "")
    found = [InputPath.of(path, tree_url=tree_url, url=url, **of_file) for path in paths]
    mistakes = {
        "'-' (standard input) cannot be combined with another PATH": STDIN in paths and len(paths) > 1,
        "--url is the URL of a single document: for a folder or several files, give --root-url": url and not single,
        "--url and --root-url cannot be combined: give --url for a single document, --root-url for a folder": (
            url and tree_url
        ),
        "--root-url cannot be used for standard input, which is in no folder: give --url": (
            tree_url and paths[0] == STDIN
        ),
        "--root-url is the URL of a single folder: give that folder, or files in it": (
            tree_url and len({source.tree.root for source in found}) > 1
        ),
        "--include and --exclude choose files of a folder, not the files that PATH names: leave them out, or give the "
        "folder": is_typed(ctx, "include", "exclude")
        and not any(path != STDIN and Path(path).is_dir() for path in paths),
        "--media-type applies to files: instead of a folder, give the files in it": forced
        and any(not source.name for source in found),
    }
    if paths[0] == STDIN:  # whatever has that name in the current folder
        here = FileTree(os.path.realpath(os.curdir), None, FORMATS)
        found = [InputPath(here, STDIN, "(standard input)", STDIN, url, **of_file)]
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    if single and not is_stream(paths[0]):
        with contextlib.suppress(OSError):  # reported where it is read
            _refuse_binary_file(found[0], paths[0], ctx.params["charset"], forced)
    return found


def _refuse_binary_file(source: InputPath, path: str, charset: str | None, forced: str | None) -> None:
    """Raise `UsageError` if the only file of a command is binary, whatever its name."""
    entry = next(source.entries(lambda _: True))
    if forced or entry.kind not in {EntryKind.UNREAD, EntryKind.DOCUMENT}:
        return
    with Path(path).open("rb") as file:
        head = file.read(HEAD_SIZE)
    if entry.kind is EntryKind.UNREAD:
        _refuse_binary(source.display_name, head, entry.text, entry.problem)
    else:
        fault = Source(head, DOCUMENT_KINDS[entry.media_type], charset).fault
        _refuse_binary(source.display_name, head, "application/octet-stream", fault)


@contextmanager
def chosen_files(ctx: click.Context, *, sources: bool = False) -> Iterator[Callable[[str], bool]]:
    """Yield the function that chooses files by --include and --exclude. Print a line at the end if it chose none.

    Otherwise, the line names the patterns that match no file. Another line counts the Markdown files in folders, which
    are not read without `sources`.
    """
    patterns = {f"--{name}": ctx.params[name] for name in ("include", "exclude") if ctx.params[name]}
    is_chosen = selector(ctx.params["include"], ctx.params["exclude"])
    typed = TypedPatterns(ctx)
    answers = set()
    sources_of_pages = set()

    def chosen(name: str) -> bool:
        answer = is_chosen(name)
        answers.add(answer)
        typed.see(name)
        if answer and not sources and source_type(name):
            sources_of_pages.add(name)
        return answer

    yield chosen
    if ctx.params.get("quiet"):
        return
    if sources_of_pages:
        number = len(sources_of_pages)
        stay = "stays as it is" if number == 1 else "stay as they are"
        said = f"{pluralize(number, 'Markdown file')} in folders {stay}"
        click.echo(f"{said}: to read Markdown, give the files themselves as PATH", err=True)
    if patterns and answers == {False}:
        given = " ".join(f"{option} {shlex.quote(one)}" for option, several in patterns.items() for one in several)
        click.echo(f"no file is chosen by {visible(given)}{typed.hint()}", err=True)
    elif answers and (line := typed.line()):
        click.echo(line, err=True)


#: The maximum number of files that are looked at to find an example of a path for a URL map.
_EXAMPLES = 10_000


def warn_of_unmatched_rows(ctx: click.Context, settings: RunSettings, found: list[InputPath]) -> None:
    """Print a line if rows of the URL map match no file. It has an example of a path that would match."""
    url_map = settings.url_map
    unmatched = url_map.unmatched({source.tree for source in found}) if url_map and not ctx.params.get("quiet") else []
    if url_map is None or not unmatched:
        return
    (path, line), *others = unmatched
    wanted = {os.path.basename(other) for other, _ in unmatched}
    jobs = islice(plan(found, settings, selector(ctx.params["include"], ctx.params["exclude"])), _EXAMPLES)
    found_names: dict[EntryKind, list[str]] = {EntryKind.DOCUMENT: [], EntryKind.CONTAINER: []}
    for job in jobs:
        found_names.get(job.entry.kind, []).append(job.entry.name)
    names = list(chain(*found_names.values()))  # archives come last, since their pages have URLs
    example = next((name for name in names if os.path.basename(name) in wanted), names[0] if names else "")
    more = f", and of {pluralize(len(others), 'more row')}, the last in line {others[-1][1]}" if others else ""
    advice = f": write a path such as {clip(example)}" if example else ""
    text = f"no file has the path of this row, {clip(path)}{more}{advice}"
    click.echo(f"{visible_path(url_map.display_name)}:{line}: {text}", err=True)


def _refuse_binary(name: str, head: bytes, media_type: str, problem: str) -> None:
    """Raise `UsageError` for the only file of a command if it is no text. Among several files, it is copied."""
    signed = binary_type(head) if problem == "media-type" else ""  # the head of a PDF file can be text
    if signed or problem == "binary":
        media_type = signed or media_type
        advice = "give an HTML file or another text, an archive or a message"
        if media_type == "application/zip":
            advice = "an archive of a page begins with its index.html: unzip the file, and give the folder"
        message = f"{visible(name)} looks like {media_type}: {advice}"
        raise click.UsageError(message, click.get_current_context(silent=True))


@contextmanager
def open_stream(path: str, limit: int, forced: str | None = None) -> Iterator[Stream]:
    """Open a PATH for which `is_stream` is true. Of a document, at most `limit` + 1 bytes are read.

    `forced`: its media type, whatever its content says.
    """
    with sys.stdin.buffer if path == STDIN else Path(path).open("rb") as stream:
        head = b""
        while len(head) < HEAD_SIZE and (more := stream.read(HEAD_SIZE - len(head))):
            head += more
        format_ = "" if forced else recognise(head, "")
        if not format_:
            data = head + stream.read(max(limit + 1 - len(head), 0))
            unread = "" if forced else explain_unread(head, "")
            media_type = forced or sniff_data(head) or "text/html"
            problem = None if forced else _problem(head, unread, media_type)
            yield Stream(None, stream, data, unread, head, media_type, problem)
            return
        import shutil  # few runs read an archive from standard input
        import tempfile

        with tempfile.TemporaryFile() as copy:
            copy.write(head)
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield Stream(container(format_), cast("BinaryIO", copy), head=head)


def _problem(head: bytes, unread: str, media_type: str) -> Problem | None:
    """See `Stream`. `media_type`: what it would be read as."""
    if unread:
        return unread_problem(unread)
    other = other_file("", head) if media_type == "text/html" else None
    if other is None:
        return None
    _refuse_binary("(standard input)", head, other.text, other.problem)
    return unread_problem(other.text, other.problem)


def documents(ctx: click.Context, *, listed: bool = False) -> Iterator[Input]:
    """The documents of a command's PATHs, in order. Raises `LinkfixError` for wrong options before reading anything.

    `listed`: for a list of their links: include plain text parts and headers of containers, scripts, and the modules in
    pages.
    """
    parameters = ctx.params
    settings = run_settings(parameters | {"plain_text": listed, "header_fields": listed})
    if listed:
        settings = replace(settings, options=replace(settings.options, rows=(*MODULES, *settings.options.rows)))
    reader = DocumentReader(settings)
    found = sources(ctx, document=len(parameters["paths"]) == 1)
    reader.validate(parameters["url"])
    limit = parameters["max_size"]
    path = parameters["paths"][0]
    if is_stream(path):
        name, url = found[0].display_name, parameters["url"]
        with open_stream(path, limit, parameters["media_type"]) as stream:
            if stream.container is not None:
                envelope = reader.container_envelope(None, path, url)
                yield from _read_container(reader, stream.container.parts, stream.file, envelope, name, reader.limits)
            elif stream.problem is not None:
                yield Input(name, None, problems=(stream.problem,))
            elif len(stream.data) > limit:
                yield Input(name, None, f"larger than {limit:,} bytes")
            else:
                document, problems = reader.document(stream.data, stream.media_type, name=path, url=url)
                yield Input(name, document, problems=problems)
        return
    warn_of_unmatched_rows(ctx, settings, found)
    with chosen_files(ctx) as chosen:
        for job in plan(found, settings, chosen, scripts=listed):
            try:
                yield from read_job(reader, job, limit)
            except OSError as error:
                yield Input(
                    job.display_name, None, error.strerror or str(error), not isinstance(error, atomic.FileTooLarge)
                )


def read_job(reader: DocumentReader, job: Job, limit: int, within: tuple[int, int] | None = None) -> Iterator[Input]:
    """The documents of a file of at most so many bytes, or of a container. Raises `OSError`.

    `within`: a slice of a WARC file; see `linkfix.containers.warc.parts`.
    """
    entry = job.entry
    if entry.kind is EntryKind.DOCUMENT:
        data = atomic.read(job.source, limit=limit).data
        document, problems = reader.document(data, entry.media_type, tree=job.tree, name=entry.name, url=job.url)
        yield Input(job.display_name, document, problems=problems)
    elif entry.kind is EntryKind.CONTAINER:
        with atomic.open_file(job.source) as file:
            is_page = CONTAINERS[entry.format].is_page
            envelope = reader.container_envelope(job.tree, entry.name, job.url, is_page=is_page)
            parts: Callable[..., Iterator[Part]] = container(entry.format).parts
            if within is not None:
                parts = partial(parts, within=within)
            limits = reader.limits_of(job.source)
            yield from _read_container(reader, parts, file, envelope, job.display_name, limits)
    elif entry.kind is EntryKind.UNREAD:
        yield Input(job.display_name, None, problems=(unread_problem(entry.text, entry.problem),))
    else:
        yield Input(job.display_name, None, entry.text, entry.kind is EntryKind.FAILED)


def _read_container(
    reader: DocumentReader,
    parts: Callable[..., Iterator[Part]],
    file: BinaryIO,
    envelope: Envelope,
    name: str,
    limits: Limits,
) -> Iterator[Input]:
    """The documents of a container, named `file!part`, and its problems as they are found."""
    noted: list[Problem] = []
    for part in parts(file, envelope, noted.append, limits):
        read = reader.part(part, name)
        if read is not None and read.document is not None:
            yield Input(f"{name}!{part.name}", read.document, problems=read.problems)
        elif read is not None:
            noted += [part_problem(problem, part) for problem in read.problems]
        if noted:
            yield Input(name, None, problems=tuple(noted))
            noted.clear()
    if noted:
        yield Input(name, None, problems=tuple(noted))
