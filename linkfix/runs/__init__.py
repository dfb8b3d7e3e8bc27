"""Runs over many files: plan, workers, conversion, unpacking, diffs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.runs.convert import REPORTED, Converter
    from linkfix.runs.journal import Journal, create_journal
    from linkfix.runs.plan import InputPath, RunSettings
    from linkfix.runs.reader import DocumentReader
    from linkfix.runs.workers import core_count, map_in_order

__all__ = [
    "REPORTED",
    "Converter",
    "DocumentReader",
    "InputPath",
    "Journal",
    "RunSettings",
    "core_count",
    "create_journal",
    "map_in_order",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.runs.convert": "Converter REPORTED",
            "linkfix.runs.journal": "Journal create_journal",
            "linkfix.runs.plan": "InputPath RunSettings",
            "linkfix.runs.reader": "DocumentReader",
            "linkfix.runs.workers": "core_count map_in_order",
        },
    )
