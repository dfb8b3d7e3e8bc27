"""Where things are: the checkout, its fixtures, and the published data beside it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CHECKOUT", "FIXTURES", "SHARED", "TESTS"]

TESTS = Path(__file__).resolve().parents[1]
CHECKOUT = TESTS.parent
FIXTURES = CHECKOUT / "fixtures"
SHARED = CHECKOUT.parent / "shared"
