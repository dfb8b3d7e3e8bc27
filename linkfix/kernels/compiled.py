"""The modules that Cython compiles, their compiler options, and whether they are compiled (`docs/compiled.md`)."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

#: The modules of the whole package that Cython compiles; `setup.py` reads this list.
HOT_MODULES = (
    "linkfix.kernels.reference_index",
    "linkfix.kernels.columns",
    "linkfix.kernels.edits",
    "linkfix.kernels.link_table",
    "linkfix.kernels.plain",
    "linkfix.kernels.positions",
    "linkfix.kernels.splicer",
    "linkfix.kernels.visitor",
    "linkfix.kernels.names",
    "linkfix.kernels.needles",
    "linkfix.kernels.outline",
    "linkfix.kernels.prescan",
    "linkfix.kernels.byte_spans",
    "linkfix.kernels.css_skip",
    "linkfix.kernels.tokenizer",
    "linkfix.kernels.tree_context",
    "linkfix.trees.context",
    "linkfix.trees.element",
    "linkfix.trees.url_attributes",
    "linkfix.trees.walk",
)
#: The compiler options of the modules that gain from optimization. The other modules mostly call functions and are as
#: fast with `-O1`. The search for needles compares blocks of bytes; GCC before 12 vectorizes it only with an option.
OPTIMIZED: dict[str, tuple[str, ...]] = {
    "linkfix.kernels.needles": ("-O2", "-ftree-vectorize"),
    "linkfix.kernels.names": ("-O2",),
    "linkfix.kernels.outline": ("-O2",),
    "linkfix.kernels.tokenizer": ("-O2",),
}


def compiled_modules(root: Path) -> list[str]:
    """The modules of `HOT_MODULES` that Python loads compiled. `root`: the folder with the package."""

    def is_compiled(module: str) -> bool:
        path = str(root.joinpath(*module.split(".")))
        return any(Path(path + suffix).exists() for suffix in EXTENSION_SUFFIXES)  # they come before a .py

    return [module for module in HOT_MODULES if is_compiled(module)]


def describe(modules: list[str]) -> str:
    """The description that `linkfix --version` prints if these modules are compiled."""
    if len(modules) == len(HOT_MODULES):
        return "compiled"
    return f"partly compiled: {len(modules)} of {len(HOT_MODULES)} modules" if modules else "plain"


#: "compiled", "plain", or, for a broken build, the number of modules that are compiled.
SPEED = describe(compiled_modules(Path(__file__).parents[2]))
#: Whether the hot modules run compiled.
COMPILED = SPEED == "compiled"
