"""Paths: the checkout, its fixtures and tables, and the published files beside it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CHECKOUT", "FIXTURES", "SHARED", "TESTS", "VECTORS"]

TESTS = Path(__file__).resolve().parents[1]
CHECKOUT = TESTS.parent
FIXTURES = CHECKOUT / "fixtures"
VECTORS = TESTS / "vectors"
#: On some machines only: the sources of the tables, and files that the project may not copy.
SHARED = CHECKOUT.parent / "shared"
