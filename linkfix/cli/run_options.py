"""The options for the original URLs of saved pages, and the conversion of parameters to `RunSettings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from linkfix.cli.help import COMMON, ORIGINS, REWRITING, Decorator, group
from linkfix.cli.options import OutputPath, field_options, fields_of
from linkfix.cli.settings import ExistingPath
from linkfix.model import Options
from linkfix.runs.plan import RunSettings

if TYPE_CHECKING:
    from linkfix.saved.url_map import UrlMap


#: The options for the original URLs of saved pages.
ORIGIN: tuple[Decorator, ...] = (
    *group(
        COMMON,
        *field_options(
            RunSettings,
            layout="Derive URLs from file and folder names, as this program writes them. auto: detect the program.",
        ),
    ),
    *group(
        ORIGINS,
        click.option(
            "--url-map",
            metavar="FILE",
            type=ExistingPath(dir_okay=False, advice="linkfix absolutize with --write-url-map makes one"),
            help="A table with the original URL of each file: CSV with the columns path and url, or JSON Lines.",
        ),
        *field_options(
            RunSettings,
            trust_canonical="If the URL of a page is not known, use its canonical link. This is a guess: no "
            "specification allows it. If the page was saved from a web archive and only the host is known, use the "
            "root of that host.",
        ),
    ),
    *group(
        REWRITING,
        *field_options(
            RunSettings,
            archived_links="For pages saved from a web archive, such as the Wayback Machine. archive: their links lead "
            "to the copies in that archive. original: their links lead to the original sites.",
        ),
    ),
)

#: The option for a table of the pages without a URL.
WRITE_URL_MAP = click.option(
    "--write-url-map",
    metavar="FILE",
    type=OutputPath(dir_okay=False, path_type=str),
    help="Write a table (CSV) of the files whose URL is not known to this new file, to be filled in and given to "
    "--url-map. Without --output and --in-place, nothing else is written.",
)


def _url_map(path: str) -> UrlMap:
    from linkfix.saved.url_map import UrlMap  # few runs have a URL map

    return UrlMap.load(path)


def run_settings(parameters: dict[str, Any], **fields: Any) -> RunSettings:
    """The `RunSettings` for a command's parameters. `fields` override parameters. Raises `InvalidOption`."""
    fields["url_map"] = _url_map(parameters["url_map"]) if parameters["url_map"] else None
    fields["options"] = Options(**fields_of(Options, parameters))
    return RunSettings(**(fields_of(RunSettings, parameters) | fields))
