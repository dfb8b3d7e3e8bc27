"""The directive `made`: a table, or a part of a page, that the code makes.

    :::{made} problems
    :::

The table `MADE`: a name -> the function that returns Markdown, given the directive's arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from site_extension import engines, registries, resolution

__all__ = ["MADE", "add_to"]

MADE: dict[str, Callable[..., Iterable[str]]] = {
    "browsers": engines.browsers,
    "cases": engines.cases,
    "formats": registries.formats,
    "problems": registries.problems,
    "resolution": resolution.examples,
    "rules": registries.rules,
    "scrapy_settings": registries.scrapy_settings,
    "verdicts": registries.verdicts,
    "vocabulary": registries.vocabulary,
}


class _Made(SphinxDirective):
    """The directive."""

    required_arguments: ClassVar[int] = 1
    optional_arguments: ClassVar[int] = 1
    final_argument_whitespace: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Make it."""
        name, *rest = self.arguments
        lines = MADE[name](*" ".join(rest).split())
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def add_to(app: Sphinx) -> None:
    """Add the directive."""
    app.add_directive("made", _Made)
