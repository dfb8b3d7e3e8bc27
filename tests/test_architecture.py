"""Imports run by package, lazy ones and those for type checkers included, as `docs/architecture.md` has them."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

from support.each import for_each
from support.paths import CHECKOUT
from support.prose import OPENINGS, faults, messages

import linkfix

PACKAGE = Path(linkfix.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@cache
def syntax_tree(path):
    return ast.parse(path.read_text("utf-8"))


#: Package -> the packages that it may import. A package that is not named here fails.
ROOMS = {
    "errors": "model urls",
    "model": "urls",
    "lazy": "",
    "urls": "lazy",
    "display": "lazy",
    "constraints": "errors model",
    "comparison": "",
    "processes": "",
    "encodings": "errors lazy",
    "schemes": "errors comparison urls",
    "resolvers": "errors model lazy urls constraints encodings schemes",
    "kernels": "model lazy urls encodings",
    "html": "errors model lazy urls encodings text kernels",
    "text": "errors lazy urls schemes",
    "markdown": "model lazy encodings kernels html",
    "document": "errors model lazy urls constraints encodings schemes resolvers kernels html text markdown",
    "trees": "errors model encodings kernels html document",
    "files": "lazy",
    "containers": "errors model lazy comparison urls encodings resolvers html document files",
    "saved": "errors model lazy urls display constraints encodings resolvers kernels html document files",
    "runs": "errors model urls display constraints encodings resolvers kernels document files "
    "containers saved lazy comparison processes",
    "hooks": "errors model urls display constraints encodings resolvers kernels html document trees files containers",
    "auditing": "errors model lazy urls display constraints comparison "
    "encodings schemes resolvers kernels html markdown document files containers saved runs processes",
    "plugins": "api auditing display errors files model resolvers urls",
    "arrow": "errors model display constraints encodings kernels document files containers",
    "spark": "errors arrow containers processes",
    "cli": "*",
    "api": "errors model document",
    "__main__": "cli",
}
#: Modules that only export objects of other modules. No module of the package imports from them.
FACES = {
    "linkfix",
    "linkfix.schemes",
    *(f"linkfix.{name}" for name in "auditing document encodings files html markdown runs saved".split()),
}

#: Package from elsewhere -> the only modules that import it.
RESERVED = {
    "click": "linkfix.cli",
    "ada_url": "linkfix.resolvers.whatwg",
    "pyarrow": "linkfix.arrow linkfix.cli linkfix.spark",
    "pyspark": "linkfix.spark",
    "bs4": "linkfix.hooks.bs4",
    "xml": "linkfix.html.xml_outline linkfix.containers.xml_elements",
}


def is_in(module, *packages):
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def room(module):
    return module.split(".")[1] if "." in module else ""


def imports(module):
    """The modules that a module imports anywhere: at the top, in functions, for type checkers alone."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            origin = ".".join([*parts, *([node.module] if node.module else [])])
            yield from {
                f"{origin}.{name.name}" if f"{origin}.{name.name}" in MODULES else origin for name in node.names
            }


@cache
def graph():
    """Module -> the modules that it imports."""
    return {module: set(imports(module)) for module in MODULES}


@cache
def own():
    """The same, of linkfix's modules alone."""
    return {module: {name for name in names if name in MODULES} for module, names in graph().items()}


def test_the_graph_is_read():
    assert own()["linkfix.containers"] >= {"linkfix.containers.part", "linkfix.files.folder"}
    assert "linkfix.html.syntaxes.url" in own()["linkfix.html.syntaxes.css"]
    assert "linkfix.document.document" in own()["linkfix"]


@for_each(sorted(set(MODULES) - {"linkfix"}))
def test_every_module_has_a_room_and_imports_only_permitted_rooms(module):
    assert room(module) in ROOMS
    allowed = ROOMS[room(module)].split()
    others = {name for name in own()[module] if room(name) != room(module) and name != "linkfix"}
    if module in FACES or allowed == ["*"]:
        return
    assert {name for name in others if room(name) not in allowed} == set()


def test_every_permission_is_used():
    """A permission that nobody needs any more is taken back."""
    used = {(room(module), room(name)) for module in MODULES for name in own()[module] if module not in FACES}
    permitted = {(package, other) for package, others in ROOMS.items() for other in others.split() if other != "*"}
    assert permitted - used == set()


def test_no_packages_import_each_other():
    graph = {}
    for module in set(MODULES) - FACES:
        names = {room(name) for name in own()[module] if name != "linkfix" and room(name) != room(module)}
        graph.setdefault(room(module), set()).update(names)
    TopologicalSorter(graph).prepare()


def test_no_modules_import_each_other():
    TopologicalSorter({module: own()[module] for module in set(MODULES) - FACES}).prepare()


@for_each(sorted(FACES))
def test_a_face_only_names_objects_of_other_modules(module):
    for node in syntax_tree(MODULES[module]).body:
        text = ast.unparse(node)
        assert (
            isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)
            or (
                isinstance(node, ast.Assign)
                and text.startswith(("__all__", "__version__", "_MODULES", "__getattr__", "(__getattr__"))
            )
            or (
                isinstance(node, ast.If)
                and text.startswith(("if TYPE_CHECKING", "if __name__", "if not TYPE_CHECKING"))
            )
        ), text


def test_tests_and_benchmarks_use_the_faces():
    """A name that a package exports is imported from the package, so that its module can be moved."""
    for folder in ("tests", "bench", "fuzz"):
        for path in sorted((CHECKOUT / folder).rglob("*.py")):
            for node in ast.walk(syntax_tree(path)):
                package = ".".join((getattr(node, "module", "") or "").split(".")[:2])
                if isinstance(node, ast.ImportFrom) and package in FACES | {"linkfix.containers"}:
                    face = import_module(package)
                    names = {name.name for name in node.names} & set(getattr(face, "__all__", ()))
                    other = [name for name in names if getattr(import_module(node.module), name) is getattr(face, name)]
                    assert node.module == package or not other, f"{path}:{node.lineno}: import {other} from {package}"


def test_the_document_has_this_table():
    text = (CHECKOUT / "docs" / "architecture.md").read_text("utf-8")
    table = dict(re.findall(r"^\| `(\w+)` \| .* \| ([^|]*) \|$", text, re.MULTILINE))
    assert {name: others.replace("`", "").replace(",", "") for name, others in table.items()} == {
        name: {"": "–", "*": "everything"}.get(others, others) for name, others in ROOMS.items()
    }


def test_the_document_names_modules_that_there_are():
    """In its pictures too: `docs/architecture.md`."""
    text = (CHECKOUT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"(?<![\w./])((?:[a-z_]+/)+[a-z_]+)(?![\w/])", text))
    assert len(named) > 20
    folders = [CHECKOUT, PACKAGE]
    assert {
        name for name in named if not any((one / name).is_dir() or (one / f"{name}.py").is_file() for one in folders)
    } == set()


@for_each(RESERVED)
def test_reserved_packages_are_imported_in_one_place(name):
    importers = {module for module, names in graph().items() if any(is_in(one, name) for one in names)}
    assert importers
    assert {module for module in importers if not is_in(module, *RESERVED[name].split())} == set()


#: Names that several classes share because they mean the same: each library's version of a protocol, and public names
#: of hooks for clients.
SAME_EVERYWHERE = {"Absolutize", "AbsolutizedResponse", "AsyncTransport", "Element", "Transport", "Tree"}


def test_one_word_names_one_class():
    places = {}
    for module, path in MODULES.items():
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name.lstrip("_"), []).append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1 and name not in SAME_EVERYWHERE} == {}


#: A reader has to unfold a text that begins so: a noun says it, or an imperative.
CLAUSE = re.compile(rf"(?:#:? *|(?:\"\"\"))({OPENINGS}) ")


#: The checkout's other Python files: tests and tools.
TOOLS = [
    CHECKOUT / "setup.py",
    *(
        path
        for folder in ("tests", "fuzz", "bench", "examples", ".ci", "docs")
        for path in sorted((CHECKOUT / folder).rglob("*.py"))
    ),
]


@for_each([*MODULES.values(), *TOOLS])
def test_comments_and_docstrings_name_the_thing(path):
    lines = path.read_text("utf-8").splitlines()
    assert [line for line in lines if CLAUSE.match(line.strip())] == []


def test_messages_are_plain():
    """Meanings of codes, errors, findings with their advice, help: all English texts in the modules."""
    every = [(module, *message) for module, path in MODULES.items() for message in messages(syntax_tree(path))]
    assert len(every) > 1000
    found = [f"{module}:{line}: {fault}" for module, line, text in every for fault in faults(text)]
    assert not found, "\n".join(found)


@for_each(MODULES)
def test_modules_are_short(module):
    assert len(MODULES[module].read_text("utf-8").splitlines()) <= 900
