"""Markdown: the positions of its references and its raw HTML, and the IDs of its headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.markdown.page import read_markdown

__all__ = ["read_markdown"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.markdown.page": "read_markdown",
        },
    )
