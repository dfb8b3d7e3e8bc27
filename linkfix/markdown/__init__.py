"""Markdown: the positions of its references and its raw HTML, and the IDs of its headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.markdown.heading_ids import WIKIS
    from linkfix.markdown.page import read_markdown

__all__ = ["WIKIS", "read_markdown"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.markdown.heading_ids": "WIKIS",
            "linkfix.markdown.page": "read_markdown",
        },
    )
