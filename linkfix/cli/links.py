"""`linkfix links`: lists the links of documents, each with its target."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import chain
from typing import Any

import click

from linkfix.auditing.site import origin_of
from linkfix.cli import COMMANDS
from linkfix.cli.help import ADVANCED, COMMON, Command, group, options
from linkfix.cli.inputs import documents, paths_argument
from linkfix.cli.options import (
    DOCUMENT,
    NONSTANDARD_LINKS,
    RESOLVER,
    SCRIPTING,
    STDOUT,
    STRICT,
    is_typed,
    jobs_option,
    output_file,
    output_option,
)
from linkfix.cli.report import format_message, print_problems
from linkfix.cli.run_options import ORIGIN
from linkfix.cli.settings import configurable
from linkfix.display import display_name, json_text, visible, visible_path, write_rows
from linkfix.document.document import Document
from linkfix.kernels.tokenizer import attributes
from linkfix.model import Link

Found = tuple[str, Link]


def _text(found: Iterable[Found]) -> None:
    for path, link in found:
        place = f"{link.element}[{link.attribute}]" if link.attribute else link.element or link.syntax
        problem = f" [{link.problem}]" if link.problem else ""
        # Only an empty reference under rfc2396 has an empty target (RFC 2396 §4.2).
        target = "(none)" if link.target is None else link.target or "(same document)"
        line = f"{link.line}:{link.column} {place} {link.reference} -> {target}{problem}"
        click.echo(f"{visible_path(path)}:{visible(line)}")


def _rows(found: Iterable[Found]) -> Iterator[dict[str, Any]]:
    return ({"path": display_name(path)} | link._asdict() for path, link in found)


def _json(found: Iterable[Found]) -> None:
    first = True
    for row in _rows(found):
        sys.stdout.write(("[\n" if first else ",\n") + json_text(row))
        first = False
    sys.stdout.write("[]\n" if first else "\n]\n")


def _jsonl(found: Iterable[Found]) -> None:
    for row in _rows(found):
        sys.stdout.write(json_text(row) + "\n")


def _csv(found: Iterable[Found]) -> None:
    write_rows(sys.stdout, chain([("path", *Link._fields)], (row.values() for row in _rows(found))))


def _html(found: Iterable[Found]) -> None:
    seen: set[str] = set()
    sys.stdout.write('<!doctype html><meta charset="utf-8"><title>Links</title>\n')
    for _, link in found:
        if link.target and link.target not in seen:
            seen.add(link.target)
            url = html.escape(visible(link.target))
            sys.stdout.write(f'<a href="{url}">{url}</a>\n')


#: The function for each format, which prints the links of all documents.
FORMATS: dict[str, Callable[[Iterable[Found]], None]] = {
    "text": _text,
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
    "html": _html,
}

#: The suffixes of tables: those of `linkfix.arrow.tables.SINKS`, which needs pyarrow.
TABLE_SUFFIXES = (".parquet", ".arrow", ".csv", ".jsonl")


def _writes_table(ctx: click.Context) -> bool:
    """Whether the links go to a file or folder. Raises `UsageError` for conflicting options or a missing package."""
    parameters = ctx.params
    if parameters["output"] in {None, "", STDOUT}:
        for name in ("columns", "jobs"):
            if is_typed(ctx, name):
                message = f"--{name} is for tables: add --output FILE or DIR"
                raise click.UsageError(message, ctx)
        return False
    if parameters["only"]:
        message = "--only is for standard output: leave out --output, or select rows of the table"
        raise click.UsageError(message, ctx)
    if is_typed(ctx, "form"):
        message = "--format is for standard output: with --output, the suffix decides"
        raise click.UsageError(message, ctx)
    output_file(ctx, suffixes=TABLE_SUFFIXES)
    if find_spec("pyarrow") is None:
        message = "--output needs pyarrow: pip install 'linkfix[arrow]' (--format csv and jsonl need nothing)"
        raise click.UsageError(message, ctx)
    return True


#: The roles of URLs that name something, or that others are relative to: nobody follows them.
_NOT_FOLLOWED = frozenset({"base", "codebase", "document", "identifier"})

#: The link types by which browsers only prepare a connection to a host (HTML §4.6.7).
_PREPARED = frozenset({b"dns-prefetch", b"preconnect"})


def is_external(document: Document[bytes], link: Link) -> bool:
    """Whether a link leads to another site than the document's own, by http: or https:."""
    target = link.target or ""
    if link.role in _NOT_FOLLOWED or not target.startswith(("http://", "https://")):
        return False
    if target.startswith(f"{origin_of(document.envelope.url or '')}/") and document.envelope.url:
        return False
    if link.element != "link" or link.tag_start < 0 or not isinstance(document.source.html, bytes):
        return True
    found = attributes(document.source.html, link.tag_start)
    rels = (document.source.html[one.start : one.end].lower().split() for one in found if one.name == "rel")
    return _PREPARED.isdisjoint(next(rels, []))


_OUTPUT = (
    *group(
        COMMON,
        click.option(
            "--format",
            "form",
            type=click.Choice(list(FORMATS)),
            default="text",
            show_default=True,
            help="text: 'path:line:column element[attribute] reference -> target [problem]'. json: one array. jsonl: "
            "one object per line. html: a page with each target once, for a link checker.",
        ),
        click.option(
            "--only",
            type=click.Choice(["external"]),
            help="external: only links to http: and https: URLs on other sites than the document's own, and none that "
            "only prepare a connection.",
        ),
        output_option(
            "FILE|DIR",
            "FILE: write a table to this .parquet, .arrow, .csv or .jsonl file. DIR: write one .parquet file for each "
            "archive or message, and one for the documents of PATH. Files in DIR that are newer than their sources are "
            "kept: run the command again to resume. '-': standard output, the default. FILE and DIR need pyarrow, in "
            "the extra 'arrow'.",
        ),
        click.option(
            "--columns",
            metavar="NAME,...",
            help="The columns of the table, in this order: path, page, element, target, ...",
        ),
    ),
    *group(ADVANCED, jobs_option("The number of processes for --output.")),
)


@click.command(
    "links",
    short_help=COMMANDS["links"].summary,
    cls=Command,
    examples={
        "List the links of a page": "linkfix links page.html --url https://example.com/dir/page.html",
        "List the links of a page from the web": "curl URL | linkfix links - --url URL",
        "Print the links of a folder as CSV": "linkfix links saved/ --root-url https://example.com/ --format csv",
        "Write a table for each archive in a folder (needs pyarrow)": "linkfix links saved/ -o tables/",
    },
)
@paths_argument
@options(DOCUMENT, ORIGIN, RESOLVER, SCRIPTING, NONSTANDARD_LINKS)
@options(_OUTPUT, STRICT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, form: str, only: str | None, strict: bool, **_: object) -> None:
    """List the links of documents and their targets.

    PATH is a document, an archive or message that contains documents (MHTML, WARC, EPUB, ...), a folder, or '-' for
    standard input. The list also contains URLs in plain text (a PATH ending in .txt, a part of an archive or message)
    and in the header fields of messages and archived responses. For scripts (.js, .mjs, modules in pages), it contains
    imported modules and source maps.
    """
    if _writes_table(ctx):
        # pyarrow imports numpy, which would start a thread for each core. Each thread would use its core for some time.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from linkfix.cli.links_output import write_tables  # it needs pyarrow, an optional dependency

        ctx.exit(write_tables(ctx))
    failed = problems = False

    def found() -> Iterator[Found]:
        nonlocal failed, problems
        for name, document, message, error, noted in documents(ctx, listed=True):
            problems = problems or bool(noted)
            print_problems(name, noted)
            if document is None:
                failed = failed or error
                problems = True
                if message:
                    click.echo(format_message(name, message), err=True)
                continue
            places = set()
            for link in document.links:
                if only is None or is_external(document, link):
                    yield name, link
                places.add((link.start, link.problem))
                problems = problems or link.problem is not None
            problems = problems or bool(document.problems)
            others = (problem for problem in document.problems if (problem.start, problem.code) not in places)
            print_problems(name, others)

    FORMATS[form](found())
    ctx.exit(2 if failed else int(strict and problems))
