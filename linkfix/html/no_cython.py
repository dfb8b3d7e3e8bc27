"""Replaces Cython's `cython` module where Cython is not installed: modules that ask `cython.compiled` get False."""

from __future__ import annotations

compiled = False
