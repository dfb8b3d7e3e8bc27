"""Sizes of documents in tests of time and of growth, and the number of examples in property tests."""

from __future__ import annotations

import linkfix

__all__ = ["examples", "sized"]

#: Set by conftest before tests are collected: without `--everything`, properties are tried on fewer examples.
few_examples = False


def sized(number: int) -> int:
    """So many pieces where the scanner is compiled, a tenth where it is plain: it is as many times slower."""
    return number if linkfix.COMPILED else number // 10


def examples(number: int) -> int:
    """So many examples where the scanner is compiled, a third where it is plain: it is the same source.

    A tenth of them, and 20 at least, where pytest runs without `--everything`.
    """
    number = number if linkfix.COMPILED else number // 3
    return min(number, max(number // 10, 20)) if few_examples else number
