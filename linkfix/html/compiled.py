"""The list of modules that Cython compiles, and whether they are compiled: all or none (`docs/compiled.md`)."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

#: The modules of the whole package that Cython compiles; `setup.py` reads this list.
HOT_MODULES = (
    "linkfix.audit.reference_index",
    "linkfix.document.columns",
    "linkfix.document.edits",
    "linkfix.document.link_table",
    "linkfix.document.plain",
    "linkfix.document.positions",
    "linkfix.document.splicer",
    "linkfix.document.text_cells",
    "linkfix.html.names",
    "linkfix.html.needles",
    "linkfix.html.outline",
    "linkfix.html.prescan",
    "linkfix.html.syntaxes.byte_spans",
    "linkfix.html.syntaxes.css_skip",
    "linkfix.html.tokenizer",
    "linkfix.html.tree_context",
    "linkfix.trees.context",
    "linkfix.trees.element",
    "linkfix.trees.url_attributes",
    "linkfix.trees.walk",
)
#: The compiler options of the modules that gain from optimization. The other modules mostly call functions and are as
#: fast with `-O1`. The search for needles compares blocks of bytes; GCC before 12 vectorizes it only with an option.
OPTIMIZED: dict[str, tuple[str, ...]] = {
    "linkfix.html.needles": ("-O2", "-ftree-vectorize"),
    "linkfix.html.outline": ("-O2",),
    "linkfix.html.tokenizer": ("-O2",),
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
