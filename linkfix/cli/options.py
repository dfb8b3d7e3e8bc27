"""Options that several commands share, and their conversion to `linkfix.model.Options` and `RunSettings`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from linkfix.cli.settings import Size
from linkfix.model import Options
from linkfix.resolvers import RESOLVERS
from linkfix.resolvers.interface import CHOICES
from linkfix.runs.plan import RunSettings
from linkfix.saved.retrieval import LAYOUTS
from linkfix.saved.url_map import UrlMap
from linkfix.text import strip_delimiters

__all__ = [
    "DECODING",
    "DOCUMENT",
    "FOUND",
    "ORIGIN",
    "RESOLVER",
    "STRICT",
    "PastedReference",
    "former_root_url",
    "model_options",
    "options",
    "resolver_choices",
    "root_url_option",
    "run_settings",
    "spec_option",
]

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


class PastedReference(click.ParamType[str]):
    """A reference that a person typed or pasted: `<URL:http://a/>` is `http://a/` (RFC 2396 Appendix E)."""

    name = "reference"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Remove delimiters and embedded white space."""
        return strip_delimiters(str(value))


def options(*groups: tuple[Decorator, ...]) -> Callable[[F], F]:
    """A decorator that adds options to a command, in this order."""

    def decorate(command: F) -> F:
        for group in reversed(groups):
            for option in reversed(group):
                command = option(command)
        return command

    return decorate


def spec_option(*more: str) -> Decorator:
    """The option --spec. Its values are the names of the resolvers, and `more`."""
    return click.option(
        "--spec",
        type=click.Choice([*RESOLVERS, *more]),
        default="whatwg",
        show_default=True,
        help="The specification that defines how references are resolved.",
    )


#: What the specifications leave open.
resolver_choices: tuple[Decorator, ...] = (
    click.option(
        "--excess-dots",
        type=click.Choice(CHOICES["excess_dots"]),
        help="What to do with '..' above the root (RFC 2396 §5.2).  [default: the specification's own]",
    ),
    click.option(
        "--same-scheme",
        type=click.Choice(CHOICES["same_scheme"]),
        help="How to resolve 'http:g' against an http base.  [default: the specification's own]",
    ),
)

#: How references are resolved.
RESOLVER: tuple[Decorator, ...] = (spec_option(), *resolver_choices)


#: The key in `Context.meta` under which the value of --base-url waits for --root-url.
_FORMER = f"{__name__}.base_url"


def _root_url(ctx: click.Context, _parameter: click.Parameter, url: str | None) -> str | None:
    """The value of --root-url, or that of its former name."""
    former: str | None = ctx.meta.get(_FORMER)
    if former is None:
        return url
    if ctx.get_parameter_source("root_url") is ParameterSource.COMMANDLINE:
        message = "--base-url is the former name of --root-url: give only --root-url"
        raise click.UsageError(message, ctx)
    ctx.set_parameter_source("root_url", ParameterSource.COMMANDLINE)
    return former


def _keep_former(ctx: click.Context, _parameter: click.Parameter, url: str | None) -> None:
    ctx.meta[_FORMER] = url


def root_url_option(help_text: str) -> Decorator:
    """The option --root-url: the URL of a folder. Use it with `former_root_url`."""
    return click.option("--root-url", metavar="URL", type=PastedReference(), callback=_root_url, help=help_text)


#: The former name of --root-url.
former_root_url: Decorator = click.option(
    "--base-url",
    metavar="URL",
    type=PastedReference(),
    is_eager=True,
    hidden=True,
    expose_value=False,
    callback=_keep_former,
    help="The former name of --root-url.",
)

#: How much of a container is decoded.
DECODING: tuple[Decorator, ...] = (
    click.option(
        "--max-ratio",
        type=click.IntRange(1),
        metavar="N",
        default=200,
        show_default=True,
        help="Leave a part of a container alone if it decodes to more than N times its size, and the rest if all parts "
        "do. The first 16M of a part, and of all parts, are decoded in any case.",
    ),
    click.option(
        "--max-total",
        type=Size(),
        metavar="SIZE",
        default="64G",
        show_default=True,
        help="Leave the rest of a container alone if its parts, decoded, have more bytes.",
    ),
)

#: What is known about the documents, and which files of a folder are documents.
DOCUMENT: tuple[Decorator, ...] = (
    click.option("--url", metavar="URL", type=PastedReference(), help="The URL that the document was retrieved from."),
    root_url_option("The URL of the folder PATH, or of the folder that contains the files."),
    former_root_url,
    click.option(
        "--default-base", metavar="URL", type=PastedReference(), help="The base URL to use if nothing else gives one."
    ),
    click.option("--charset", metavar="LABEL", help="The character encoding, as in a Content-Type header."),
    click.option("--include", metavar="GLOB", multiple=True, help="Process only files that match (as in .gitignore)."),
    click.option(
        "--exclude", metavar="GLOB", multiple=True, help="Do not process files that match (as in .gitignore)."
    ),
    click.option(
        "--max-size", type=Size(), metavar="SIZE", default="1G", show_default=True, help="Do not process larger files."
    ),
    *DECODING,
)

#: Which URLs saved pages came from.
ORIGIN: tuple[Decorator, ...] = (
    click.option(
        "--url-map",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="A table of the URLs that files came from: CSV with the columns path and url, or JSON Lines.",
    ),
    click.option(
        "--layout",
        type=click.Choice(LAYOUTS),
        help="Derive URLs from the file and folder names that this program writes; auto: detect the program.",
    ),
    click.option(
        "--trust-canonical/--no-trust-canonical",
        help="If nothing better is known, use a page's canonical URL as its URL (no specification allows this), or the"
        " host's root where an archive's mark in the page states the host alone.",
    ),
)

#: Further places of links, beyond those of the HTML standard.
FOUND: tuple[Decorator, ...] = (
    click.option("--lazy/--no-lazy", help="Include data-src, data-srcset and data-href, which lazy loaders use."),
    click.option("--social/--no-social", help="Include the URLs in Open Graph and Twitter meta elements."),
    click.option("--json-ld/--no-json-ld", help="Include the URLs in JSON-LD scripts."),
)

STRICT: tuple[Decorator, ...] = (click.option("--strict/--no-strict", help="Exit with 1 if there are problems."),)

#: The parameters that are fields of `linkfix.runs.plan.RunSettings` by the same name.
_TASK = frozenset(RunSettings.__dataclass_fields__) - {"options", "url_map"}
#: The parameters that are fields of `linkfix.model.Options` by the same name.
_FIELDS = frozenset(Options.__dataclass_fields__)


def model_options(parameters: dict[str, Any]) -> Options:
    """The `Options` of a command's parameters."""
    return Options(**{name: value for name, value in parameters.items() if name in _FIELDS})


def run_settings(parameters: dict[str, Any], **fields: Any) -> RunSettings:  # noqa: ANN401  # fields of RunSettings
    """The `RunSettings` of a command's parameters; `fields` override them. Raises `InvalidOption`."""
    url_map = UrlMap.load(parameters["url_map"]) if parameters["url_map"] else None
    given = {name: value for name, value in parameters.items() if name in _TASK}
    return RunSettings(**(given | fields), options=model_options(parameters), url_map=url_map)
