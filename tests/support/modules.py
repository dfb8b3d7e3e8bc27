"""The modules of linkfix that can be imported here."""

from __future__ import annotations

import importlib.util
import pkgutil

import linkfix

__all__ = ["OWN_MODULES"]

#: Modules of linkfix -> their requirements outside the extra `test`. README's second command runs without it.
_OF_OTHERS = {
    "linkfix.hooks.playwright": "playwright",
    "linkfix.plugins.mkdocs": "mkdocs",
    "linkfix.plugins.pelican": "pelican",
    "linkfix.plugins.sphinx": "sphinx",
    "linkfix.spark": "pyspark",
}


def _can_be_imported(name: str) -> bool:
    needed = [library for module, library in _OF_OTHERS.items() if f"{name}.".startswith(f"{module}.")]
    return all(importlib.util.find_spec(library) is not None for library in needed)


#: Their names; without `__main__`, which is a program.
OWN_MODULES = [
    "linkfix",
    *(
        found.name
        for found in pkgutil.walk_packages(linkfix.__path__, "linkfix.")
        if not found.name.endswith("__main__") and _can_be_imported(found.name)
    ),
]
