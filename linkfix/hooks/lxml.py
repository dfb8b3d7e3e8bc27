"""The public name of `linkfix.trees.lxml`."""

from __future__ import annotations

from linkfix.trees.lxml import absolutize

__all__ = ["absolutize"]
