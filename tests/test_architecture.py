"""Imports run one way, lazy ones included: errors <- model <- stages <- walker <- what calls it <- command line."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import linkfix

PACKAGE = Path(linkfix.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

#: How far out a module is: itself and all that is in it, the longest name counts. Whatever is not named is a stage.
STAGE = 2
RINGS = {
    "linkfix.errors": 0,
    "linkfix.model": 1,
    "linkfix.walker": 3,
    "linkfix.api": 4,
    "linkfix.trees": 4,
    "linkfix.containers": 4,
    "linkfix.saved": 4,
    "linkfix.hooks": 4,
    "linkfix.audit": 4,
    "linkfix.reporters": 5,
    "linkfix.cli": 6,
    "linkfix.bench": 6,
    "linkfix.__main__": 7,
}
PUBLIC = 5  # linkfix itself: what only it and the command line know

#: What only one part of the package may import.
RESERVED = {
    "click": "linkfix.cli",
    "rich": "linkfix.cli",
    "ada_url": "linkfix.resolvers.whatwg",
    "bs4": "linkfix.hooks.bs4 linkfix.bench",
    "xml": "linkfix.html.xml_outline linkfix.containers.xml_elements",
    "linkfix.splicer": "linkfix.walker linkfix.base_element",
}


def is_in(module, *packages):
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def ring(module):
    if module == "linkfix":
        return PUBLIC
    return max(((len(name), RINGS[name]) for name in RINGS if is_in(module, name)), default=(0, STAGE))[1]


def imports(module):
    """The modules that a module imports anywhere: at the top, in functions, for type checkers alone."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            origin = ".".join([*parts, *([node.module] if node.module else [])])
            yield from {
                f"{origin}.{name.name}" if f"{origin}.{name.name}" in MODULES else origin for name in node.names
            }


GRAPH = {module: set(imports(module)) for module in MODULES}
OWN = {module: {name for name in names if name in MODULES} for module, names in GRAPH.items()}


def test_the_graph_is_read():
    assert OWN["linkfix.model"] <= {"linkfix.errors"}
    assert {"linkfix.html.outline", "linkfix.base", "linkfix.linker", "linkfix.splicer"} <= OWN["linkfix.walker"]
    assert "linkfix.html.syntaxes.found" in OWN["linkfix.html.syntaxes.url"]
    assert "linkfix.walker" in OWN["linkfix"]


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_inwards(module):
    outward = {name for name in OWN[module] if ring(name) > ring(module)}
    assert not outward


def test_no_imports_run_in_a_circle():
    TopologicalSorter(OWN).prepare()


@pytest.mark.parametrize("name", RESERVED)
def test_what_only_one_part_imports(name):
    importers = {module for module, names in GRAPH.items() if any(is_in(one, name) for one in names)}
    assert importers
    assert {module for module in importers if not is_in(module, *RESERVED[name].split())} == set()


def test_resolvers_and_html_do_not_know_each_other():
    for one, other in (("linkfix.html", "linkfix.resolvers"), ("linkfix.resolvers", "linkfix.html")):
        assert not [
            (module, name) for module in OWN if is_in(module, one) for name in OWN[module] if is_in(name, other)
        ]


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_short(module):
    assert len(MODULES[module].read_text("utf-8").splitlines()) <= 400
