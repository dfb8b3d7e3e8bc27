"""The public name of `linkfix.trees.selectolax`."""

from __future__ import annotations

from linkfix.trees.selectolax import absolutize

__all__ = ["absolutize"]
