"""`linkfix relativize`: makes the links among the files of a folder relative."""

from __future__ import annotations

from functools import partial

import click

from linkfix.cli import COMMANDS
from linkfix.cli.conversion import WRITING, start
from linkfix.cli.help import REWRITING, Command, group, options
from linkfix.cli.inputs import optional_paths_argument
from linkfix.cli.options import CONDITIONAL_COMMENTS, DOCUMENT, RESOLVER, SCRIPTING, STRICT, field_options
from linkfix.cli.run_options import ORIGIN, run_settings
from linkfix.cli.settings import configurable
from linkfix.model import Options
from linkfix.runs.plan import InputPath, RunSettings
from linkfix.runs.reader import DocumentReader

_REWRITING = group(
    REWRITING,
    *field_options(
        RunSettings,
        others="The other links. absolute: make them absolute. keep: leave them as they are, unless the page loses its "
        "<base>.",
    ),
    click.option(
        "--index-names/--no-index-names",
        default=True,
        show_default=True,
        help="Write index.html in links to folders, as pages need it that a browser opens from files.",
    ),
    *field_options(
        Options,
        lazy="Include data-src, data-srcset and data-href, which lazy loaders use.",
        conditional_comments=CONDITIONAL_COMMENTS,
    ),
)


@click.command(
    "relativize",
    cls=Command,
    short_help=COMMANDS["relativize"].summary,
    examples={
        "Make a site readable without a server": "linkfix relativize site/ --root-url https://example.com/ -o offline/",
        "Make a mirror of wget relative": "linkfix relativize mirror/ --layout auto --in-place",
        "Undo 'linkfix absolutize'": "linkfix relativize saved/ --url-map urls.csv --no-index-names --in-place",
        "Show what would change": "linkfix relativize site/ --root-url https://example.com/ --diff",
        "Make the links of one page relative URLs": "linkfix relativize page.html --url https://example.com/dir/page",
    },
)
@optional_paths_argument
@options(DOCUMENT, ORIGIN, RESOLVER, SCRIPTING, _REWRITING, WRITING, STRICT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Make the links among the files of a folder relative.

    A link to a URL whose file is in the folder becomes the path to that file. All other links become absolute. A file's
    URL follows from --root-url, --url-map, --layout, or the mark of the program that saved it. <base> loses its href.
    Canonical links, feeds and sitemaps stay absolute. Archives and messages in a folder stay as they are.

    A single page with --url, or standard input, has no folder: its links to the same host become relative URLs.
    """
    start(ctx, partial(_settings, ctx))


def _settings(ctx: click.Context, inputs: list[InputPath], **fields: bool) -> RunSettings:
    """The settings of a run, with the map of its files."""
    parameters = ctx.params | {"base_element": "drop-href"}
    if parameters["url"]:
        return run_settings(parameters, on_host=True, **fields)
    settings = run_settings(parameters, **fields)
    files = DocumentReader(settings).map_files(inputs, index_names=parameters["index_names"])
    if not files:
        message = "the URLs of the files are not known: give --root-url URL, --url-map FILE or --layout"
        raise click.UsageError(message, ctx)
    return run_settings(parameters, files=files, **fields)
