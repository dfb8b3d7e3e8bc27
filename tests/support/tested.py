"""Which linkfix the tests run: the one that was meant, or another that Python found first."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

from support.paths import CHECKOUT

import linkfix
from linkfix.kernels.compiled import SPEED, compiled_modules, describe

__all__ = ["what_is_wrong"]

PACKAGE = Path(linkfix.__file__).resolve().parent


def _compiled_elsewhere() -> Path | None:
    """An installed and compiled linkfix that is not the one that runs."""
    for distribution in metadata.distributions(name="linkfix"):
        package = Path(os.fspath(distribution.locate_file("linkfix"))).resolve()
        if package != PACKAGE and describe(compiled_modules(package.parent)) == "compiled":
            return package
    return None


def what_is_wrong(expected: str | None) -> str:
    """The reason why these tests would test another linkfix than intended, and a remedy; "" if they would not.

    `expected`: "plain", "compiled", or None for the installed linkfix, or the one here if none is installed.
    """
    found = f"the linkfix in {os.path.relpath(PACKAGE)} is {SPEED}"
    if expected is not None:
        return "" if expected == SPEED else f"LINKFIX_EXPECT={expected}, but {found}"
    if PACKAGE.parent == CHECKOUT and SPEED != "compiled" and (other := _compiled_elsewhere()):
        return (
            f"{found}, and the installed one in {other} is compiled: `pytest` tests that, `LINKFIX_EXPECT=plain python "
            "-m pytest` this, and `python setup.py -q build_ext --inplace` compiles this"
        )
    return ""
