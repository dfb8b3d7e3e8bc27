"""Sizes of documents in tests of time and of growth, and the number of examples in property tests."""

from __future__ import annotations

import linkfix

__all__ = ["examples", "sized"]

#: Set by conftest before tests are collected: without `--everything`, properties are tried on fewer examples.
few_examples = False


def sized(number: int) -> int:
    """`number` pieces if the scanner is compiled, a tenth if it is plain, which is ten times slower."""
    return number if linkfix.COMPILED else number // 10


def examples(number: int) -> int:
    """`number` examples if the scanner is compiled, a third if it is plain: the source is the same.

    A tenth of them, and 20 at least, where pytest runs without `--everything`.
    """
    number = number if linkfix.COMPILED else number // 3
    return min(number, max(number // 10, 20)) if few_examples else number
