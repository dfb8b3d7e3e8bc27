"""Names that a package imports when they are first used, so that who needs few of them does not pay for all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazily"]


def lazily(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` (PEP 562) of a package. `modules`: a module -> the names it is the home of."""
    homes = {name: module for module, names in modules.items() for name in names.split()}
    own = vars(sys.modules[package])

    def get(name: str) -> object:
        if name not in homes:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        own[name] = value = getattr(import_module(homes[name]), name)
        return value

    def names() -> list[str]:
        return sorted({*own, *homes})

    return get, names
