"""Options that several commands have, and the `linkfix.model.Options` that they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from linkfix.cli.settings import Size
from linkfix.model import Options
from linkfix.resolvers import RESOLVERS
from linkfix.resolvers.interface import CHOICES
from linkfix.runs.plan import RunSettings
from linkfix.saved.retrieval import LAYOUTS
from linkfix.saved.url_map import UrlMap
from linkfix.text import strip_delimiters

__all__ = [
    "DOCUMENT",
    "FOUND",
    "ORIGIN",
    "RESOLVER",
    "STRICT",
    "Typed",
    "choices",
    "model_options",
    "options",
    "spec",
    "task",
]

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


class Typed(click.ParamType[str]):
    """A reference as a person types or pastes it: `<URL:http://a/>` is `http://a/` (RFC 2396 Appendix E)."""

    name = "reference"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Take off delimiters and embedded white space."""
        return strip_delimiters(str(value))


def options(*groups: tuple[Decorator, ...]) -> Callable[[F], F]:
    """A decorator that gives a command these options, in this order."""

    def decorate(command: F) -> F:
        for group in reversed(groups):
            for option in reversed(group):
                command = option(command)
        return command

    return decorate


def spec(*more: str) -> Decorator:
    """The option --spec, whose values are the resolvers' names and these."""
    return click.option(
        "--spec",
        type=click.Choice([*RESOLVERS, *more]),
        default="whatwg",
        show_default=True,
        help="The specification that references are resolved by.",
    )


#: The choices that the specifications leave open.
choices: tuple[Decorator, ...] = (
    click.option(
        "--excess-dots",
        type=click.Choice(CHOICES["excess_dots"]),
        help="What becomes of '..' above the root (RFC 2396 §5.2).  [default: the specification's own]",
    ),
    click.option(
        "--same-scheme",
        type=click.Choice(CHOICES["same_scheme"]),
        help="How 'http:g' is read where the base is http too.  [default: the specification's own]",
    ),
)

#: How references are resolved.
RESOLVER: tuple[Decorator, ...] = (spec(), *choices)

#: What is known of the documents, and which of a tree's files are documents.
DOCUMENT: tuple[Decorator, ...] = (
    click.option("--url", metavar="URL", type=Typed(), help="The URL that the one document was retrieved from."),
    click.option(
        "--base-url",
        metavar="URL",
        type=Typed(),
        help="The URL of the folder PATH, or of the folder that holds the files.",
    ),
    click.option("--default-base", metavar="URL", type=Typed(), help="The base URL where nothing else gives one."),
    click.option("--charset", metavar="LABEL", help="The character encoding, as a Content-Type header would state it."),
    click.option("--include", metavar="GLOB", multiple=True, help="Take only files that match, as in .gitignore."),
    click.option("--exclude", metavar="GLOB", multiple=True, help="Leave files that match as they are."),
    click.option(
        "--max-size", type=Size(), metavar="SIZE", default="1G", show_default=True, help="Leave larger files alone."
    ),
)

#: Where saved pages came from.
ORIGIN: tuple[Decorator, ...] = (
    click.option(
        "--url-map",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="A table of which file came from which URL: CSV with path and url, or JSON lines.",
    ),
    click.option(
        "--layout",
        type=click.Choice(LAYOUTS),
        help="Read URLs from the names of folders and files as this program gives them.",
    ),
    click.option(
        "--trust-canonical/--no-trust-canonical",
        help="Where nothing better is known, believe a page's canonical URL; no specification does.",
    ),
)

#: Where links are looked for besides the standard's places.
FOUND: tuple[Decorator, ...] = (
    click.option("--lazy/--no-lazy", help="Also data-src, data-srcset, data-href of lazy loaders."),
    click.option("--social/--no-social", help="Also the URLs of Open Graph and Twitter metas."),
    click.option("--json-ld/--no-json-ld", help="Also the URLs in JSON-LD scripts."),
)

STRICT: tuple[Decorator, ...] = (click.option("--strict/--no-strict", help="Exit with 1 where there are problems."),)

#: The parameters that are fields of `linkfix.runs.plan.RunSettings` by the same name.
_TASK = frozenset(RunSettings.__dataclass_fields__) - {"options", "url_map"}
#: The parameters that are fields of `linkfix.model.Options` by the same name.
_FIELDS = frozenset(Options.__dataclass_fields__)


def model_options(parameters: dict[str, Any]) -> Options:
    """The `Options` that a command's parameters state."""
    return Options(**{name: value for name, value in parameters.items() if name in _FIELDS})


def task(parameters: dict[str, Any], **fields: Any) -> RunSettings:  # noqa: ANN401  # fields of RunSettings
    """The `RunSettings` that a command's parameters state. `fields`: instead of these. Raises `InvalidOption`."""
    url_map = UrlMap.load(parameters["url_map"]) if parameters["url_map"] else None
    stated = {name: value for name, value in parameters.items() if name in _TASK}
    return RunSettings(**(stated | fields), options=model_options(parameters), url_map=url_map)
