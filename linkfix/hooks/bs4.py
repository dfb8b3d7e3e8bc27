"""The public name of `linkfix.trees.bs4`."""

from __future__ import annotations

from linkfix.trees.bs4 import absolutize

__all__ = ["absolutize"]
