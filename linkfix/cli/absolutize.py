"""`linkfix absolutize`: makes the links of documents and folders absolute."""

from __future__ import annotations

from functools import partial

import click

from linkfix.cli import COMMANDS
from linkfix.cli.conversion import WRITING, start
from linkfix.cli.help import ARCHIVES, REWRITING, Command, group, options
from linkfix.cli.inputs import optional_paths_argument
from linkfix.cli.options import (
    DOCUMENT,
    NONSTANDARD_LINKS,
    RESOLVER,
    SCRIPTING,
    STRICT,
    Placeholder,
    field_options,
    is_typed,
)
from linkfix.cli.run_options import ORIGIN, run_settings
from linkfix.cli.settings import configurable
from linkfix.model import Options
from linkfix.runs.plan import InputPath, RunSettings

_REWRITING = group(
    REWRITING,
    *field_options(
        Options,
        fragments="keep: leave links within the page ('#top') as they are. absolutize: make them absolute too.",
        normalize="Also rewrite absolute links, in normalized form.",
        base_element="keep: keep <base>, with an absolute href. drop-href: delete its href. empty: <base href=''>. "
        "remove: delete <base>. "
        "insert: add a <base> and leave the links as they are. ignore: <base> does not count, and stays as it is.",
        escape_ampersands="Write & as &amp; in every rewritten link in HTML, for programs that read '&region' as "
        "'®ion'.",
        plain_text="Also rewrite URLs in plain text (a PATH ending in .txt, a part of an archive or message): "
        "<URL:../x>, www.example.com.",
    ),
    click.option(
        "--placeholder",
        "placeholders",
        metavar="PATTERN",
        type=Placeholder(),
        multiple=True,
        help="Leave a relative link that contains this placeholder, in which * is any text, as it is: '*|*|*' of "
        "Mailchimp, '%%*%%'. Those of common template languages are left anyway.",
    ),
    click.option(
        "header_fields",
        "--headers/--no-headers",
        help="Also rewrite URLs in the header fields of messages and archived responses: Content-Location, Link, "
        "List-Archive, Location, ...",
    ),
    *field_options(
        RunSettings,
        keep_existing="Do not rewrite links to files that exist in the folder. Needs --root-url.",
    ),
)

_ARCHIVES = group(
    ARCHIVES,
    *field_options(
        RunSettings,
        keep_parts="Do not rewrite links to what the same archive or message has, which work offline.",
        revisits="For a page that a WARC revisit record reuses at a URL where its links have other targets. keep: "
        "leave the page as it is. expand: make the revisit a full record with its own links.",
        break_signatures="Also rewrite signed content (mail: DKIM, ARC, S/MIME, OpenPGP; EPUB). Its signatures stay, "
        "and become invalid.",
    ),
)


@click.command(
    "absolutize",
    cls=Command,
    short_help=COMMANDS["absolutize"].summary,
    examples={
        "Convert a page": "linkfix absolutize page.html --url https://example.com/dir/page.html -o absolute.html",
        "Convert a page from the web": "curl URL | linkfix absolutize - --url URL > page.html",
        "Convert a saved site into a new folder": "linkfix absolutize saved/ --root-url https://example.com/ -o new/",
        "Show what would change": "linkfix absolutize saved/ --layout auto --diff",
        "Change the files themselves": "linkfix absolutize saved/ --layout auto --in-place",
        "Convert an archive": "linkfix absolutize page.mhtml -o absolute.mhtml",
    },
)
@optional_paths_argument
@options(DOCUMENT, ORIGIN, RESOLVER, SCRIPTING, _REWRITING, NONSTANDARD_LINKS, _ARCHIVES, WRITING, STRICT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Make the links of documents and saved pages absolute.

    PATH is a document, an archive or message that contains documents (MHTML, WARC, EPUB, ...), a folder, or '-' for
    standard input. The result of a single file goes to standard output, unless --output or --in-place is given. Only
    the bytes of the links change. An existing output file is replaced; no PATH is, without --in-place.

    --in-place writes a journal beside PATH. 'linkfix undo' restores every file from it; --resume continues a stopped
    run.
    """
    start(ctx, partial(_settings, ctx))


def _settings(ctx: click.Context, inputs: list[InputPath], **fields: bool) -> RunSettings:
    """The settings of a run."""
    if is_typed(ctx, "keep_existing") and not inputs[0].tree.url:
        message = "--keep-existing needs --root-url, the URL of the folder"
        raise click.UsageError(message, ctx)
    return run_settings(ctx.params, **fields)
