"""Names that a package imports at first use, so that an import pays only for what it needs (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module

__all__ = ["lazy_attributes"]


def lazy_attributes(
    package: str, names: Mapping[str, str], submodules: Iterable[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make the `__getattr__` and `__dir__` of a package.

    `names`: module -> the names that the package takes from it, separated by spaces. `submodules`: modules of the
    package that are its attributes too. Assign the pair under `if not TYPE_CHECKING:` and import the same names under
    `if TYPE_CHECKING:`; a type checker that sees `__getattr__` accepts any misspelt name.
    """
    homes = {name: module for module, exported in names.items() for name in exported.split()}
    modules = {name: f"{package}.{name}" for name in submodules}
    namespace = vars(sys.modules[package])

    def get_attribute(name: str) -> object:
        if name in homes:
            value = getattr(import_module(homes[name]), name)
        elif name in modules:
            value = import_module(modules[name])
        else:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        namespace[name] = value
        return value

    def list_attributes() -> list[str]:
        return sorted({*namespace, *homes, *modules})

    return get_attribute, list_attributes
