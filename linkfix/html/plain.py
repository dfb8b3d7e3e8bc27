"""Stands in for Cython's `cython` module where Cython is not installed and the hot modules run as plain Python."""

from __future__ import annotations

__all__ = ["compiled"]

compiled = False
