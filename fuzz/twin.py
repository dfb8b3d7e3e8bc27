"""The plain twin: if linkfix is compiled, a second one in this process, from its sources alone."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import ParamSpec, TypeVar

import linkfix

__all__ = ["Twin", "plain_twin"]

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(linkfix.__file__).parent


class _SourceFinder(MetaPathFinder):
    """Finds the modules of linkfix as Python, whatever is compiled beside them."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's `.py`."""
        if not _is_ours(fullname):
            return None
        place = _PACKAGE.parent.joinpath(*fullname.split("."))
        if place.is_dir():
            file = place / "__init__.py"
            loader = SourceFileLoader(fullname, str(file))
            return spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=[str(place)])
        file = place.with_suffix(".py")
        return spec_from_file_location(fullname, file, loader=SourceFileLoader(fullname, str(file)))


def _is_ours(module: str) -> bool:
    return module == "linkfix" or module.startswith("linkfix.")


def _take_modules() -> dict[str, ModuleType]:
    """Remove linkfix's modules from the imported ones, and return them."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if _is_ours(name)}


class Twin:
    """A second linkfix. Its classes differ from the first one's: compare their contents."""

    def __init__(self) -> None:
        self._finder = _SourceFinder()
        self._modules: dict[str, ModuleType] = {}
        self.linkfix: ModuleType = self.call(importlib.import_module, "linkfix")
        if self.call(getattr, self.linkfix, "Document") is linkfix.Document:
            message = "the plain twin is not another package"
            raise RuntimeError(message)

    def call(self, function: Callable[P, R], *arguments: P.args, **keywords: P.kwargs) -> R:
        """Call a function while `import linkfix` means the twin."""
        others = _take_modules()
        sys.modules.update(self._modules)
        sys.meta_path.insert(0, self._finder)
        try:
            return function(*arguments, **keywords)
        finally:
            sys.meta_path.remove(self._finder)
            self._modules = _take_modules()
            sys.modules.update(others)


@cache
def plain_twin() -> Twin | None:
    """The plain twin, made at first use; None if no module is compiled, so that both are the same."""
    return Twin() if linkfix.COMPILED else None
