"""The public name of `linkfix.trees.parsel`."""

from __future__ import annotations

from linkfix.trees.parsel import absolutize

__all__ = ["absolutize"]
