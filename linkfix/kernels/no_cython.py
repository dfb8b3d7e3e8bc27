"""A replacement for Cython's `cython` module if Cython is not installed: `cython.compiled` is False."""

from __future__ import annotations

compiled = False
