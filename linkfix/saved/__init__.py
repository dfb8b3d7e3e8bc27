"""The retrieval URLs of saved pages, and the original URLs of the links that savers rewrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.saved.markers import MARKS, find_marks
    from linkfix.saved.retrieval import LAYOUTS, Retrieval
    from linkfix.saved.url_map import UrlMap

__all__ = ["LAYOUTS", "MARKS", "Retrieval", "UrlMap", "find_marks"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.saved.markers": "MARKS find_marks",
            "linkfix.saved.retrieval": "LAYOUTS Retrieval",
            "linkfix.saved.url_map": "UrlMap",
        },
    )
