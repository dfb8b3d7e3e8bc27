"""The pipeline of a document: bytes -> encoding -> outline -> base -> links -> edits -> bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.document.base import LAYERS, fallback_base
    from linkfix.document.references import Finder

__all__ = ["LAYERS", "Finder", "fallback_base"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.document.base": "LAYERS fallback_base",
            "linkfix.document.references": "Finder",
        },
    )
