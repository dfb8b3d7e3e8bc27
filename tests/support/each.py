"""One test over many inputs, which names all that it fails for; `pytest.mark.parametrize` makes a test of each.

Parametrization is for cases that somebody wrote: the id of one is its message. `for_each` is for all modules, names or
rows that there are: they are many, and one idea holds of them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["for_each"]


def _explained(name: str, error: BaseException) -> str:
    said = str(error) if isinstance(error, AssertionError | pytest.fail.Exception) else ""
    return f"{name}: {said or repr(error)}".replace("\n", "\n    ")


def for_each(inputs: Iterable[Any], *, label: Callable[[Any], str] = str) -> Callable[[Callable[..., None]], Any]:
    """Make one test of a function that takes an input: as several parameters, if it has several.

    The test fails if the function raises anything for some of the inputs, and if there are none. It is skipped, and
    says why, if the function skips some and holds for the others. `label`: gives the name of an input.
    """
    every = list(inputs)

    def decorate(check: Callable[..., None]) -> Any:
        parameters = list(inspect.signature(check).parameters.values())
        own = [one for one in parameters if one.name == "self"]
        takes_several = len(parameters) - len(own) > 1

        @functools.wraps(check)
        def run(*this: Any) -> None:
            __tracebackhide__ = True
            faults: list[tuple[str, BaseException]] = []
            skipped: list[str] = []
            for one in every:
                try:
                    check(*this, *(one if takes_several else (one,)))
                except pytest.skip.Exception as reason:
                    skipped.append(f"{label(one)}: {reason}")
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- the others are tried all the same
                    faults.append((label(one), error))
            if not every:
                pytest.fail("there is no input")
            if faults:
                names = ", ".join(name for name, _ in faults)
                lines = [f"{len(faults)} of {len(every)} fail: {names}", *(_explained(*fault) for fault in faults)]
                # With the traceback of the first: a message alone does not show the origin of an error.
                raise AssertionError("\n".join(lines)) from faults[0][1]
            if skipped:
                pytest.skip("; ".join(skipped))

        # pytest takes the parameters of a test for fixtures.
        vars(run)["__signature__"] = inspect.Signature(own)
        return run

    return decorate
