"""Types for callers' type checkers: misspelt names fail, types follow the input, every type has a public name."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.documentation import EXAMPLES, PAGES, PRELUDE, blocks, examples_with
from support.extras import needed
from support.modules import OWN_MODULES

import linkfix

PACKAGE = Path(linkfix.__file__).parent
#: A caller's module. `# error` marks the lines that have to fail, `# type: T` the lines that have to reveal that type.
CALLER = """
import linkfix
import linkfix.schemes
from linkfix import Absolutise  # error
from linkfix import Document, Link, Options
from linkfix.schemes import look_up  # error
from linkfix.schemes.registry import REGISTRY_DATES  # error
from linkfix.text import TextReference

linkfix.absolutise(b"")  # error
linkfix.schemes.look_up("http")  # error
linkfix.text.search("x")  # error
linkfix.absolutize(1)  # error
linkfix.absolutize(b"", spec=1)  # error
linkfix.absolutize(b"", specification="rfc3986")  # error
linkfix.links(b"", "https://example.com/", fragments="remove")  # error
linkfix.resolve("http://a/", "b", excess_dots="all")  # error

reveal_type(linkfix.absolutize(b""))  # type: bytes
reveal_type(linkfix.absolutize(""))  # type: str
reveal_type(linkfix.rewrite(b"", lambda link: link.target))  # type: bytes
reveal_type(linkfix.rewrite("", lambda link: link.target))  # type: str
reveal_type(Document("").links[0].target)  # type: str | None
reveal_type(linkfix.urljoin(b"", b""))  # type: bytes
reveal_type(linkfix.urljoin("", ""))  # type: str
reveal_type(linkfix.COMPILED)  # type: bool
reveal_type(linkfix.schemes.REGISTRY_DATE)  # type: str


def external(html: bytes) -> list[Link]:
    return [link for link in linkfix.links(html, url="https://example.com/") if link.target]


def mentioned(text: str) -> list[TextReference]:
    return linkfix.text.find(text)


def status(name: str) -> linkfix.schemes.Status | None:
    scheme = linkfix.schemes.lookup(name)
    return scheme.status if scheme else None


def tree(root: object, **fields: object) -> list[Link]:
    return linkfix.hooks.absolutize_tree(root, "https://example.com/", lazy=True)


CHOICE: linkfix.ExcessDots = "error"
OPTIONS = Options(spec="rfc2396", excess_dots=CHOICE, rows=(linkfix.Row("a", "data-url", "url", "link"),))
"""
GENERIC = """
from linkfix import Document

reveal_type(Document(b"").absolutize())  # type: bytes
reveal_type(Document("").absolutize())  # type: str
reveal_type(Document(b"").rewrite(lambda link: None))  # type: bytes
reveal_type(Document("").rewrite(lambda link: None))  # type: str
reveal_type(Document(b"").convert().data)  # type: bytes
reveal_type(Document("").convert().data)  # type: str
"""
#: A type checker -> its options, and its messages' line, level and text.
CHECKERS = {
    "mypy": (["--strict", "--hide-error-context", "--cache-dir=cache"], r"caller\.py:(\d+): (\w+): (.*)"),
    "pyright": (["--pythonpath", sys.executable], r".*caller\.py:(\d+):\d+ - (\w+): (.*)"),
}


def run_checker(checker, arguments, folder, **environment):
    """The output of a type checker; skips if it is not installed or cannot run (pyright downloads a part of itself)."""
    needed(checker)

    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", checker, *words],
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, **environment},
            text=True,
            timeout=300,
        )

    trial = run("--version")
    if trial.returncode:
        pytest.skip(f"{checker} cannot run: {trial.stderr.strip().splitlines()[-1:]}")
    return run(*arguments).stdout


def check(checker, program, folder):
    """The lines that fail, and the lines that reveal a type with that type."""
    options, pattern = CHECKERS[checker]
    (folder / "caller.py").write_text(program, "utf-8")
    settings = {"extraPaths": [str(PACKAGE.parent)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    (folder / "mypy.ini").write_text("[mypy]\n", "utf-8")
    # mypy finds installed packages by itself, and refuses their folder.
    checkout = {} if "site-packages" in PACKAGE.parts else {"MYPYPATH": str(PACKAGE.parent)}
    out = run_checker(checker, [*options, *(["caller.py"] if checker == "mypy" else [])], folder, **checkout)
    errors, types = set(), {}
    for line, level, message in re.findall(pattern, out):
        if level == "error":
            errors.add(int(line))
        elif (revealed := re.search(r'(?:Revealed type|Type of .*) is "(.*)"', message)) is not None:
            types[int(line)] = revealed[1]
    return errors, types


def expected(program):
    lines = list(enumerate(program.splitlines(), 1))
    return (
        {number for number, line in lines if line.endswith("# error")},
        {number: line.partition("  # type: ")[2] for number, line in lines if "  # type: " in line},
    )


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_only_misspelt_names_and_wrong_types_fail(checker, tmp_path):
    assert check(checker, CALLER, tmp_path) == expected(CALLER)


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_documents_return_the_type_of_their_input(checker, tmp_path):
    assert check(checker, GENERIC, tmp_path) == expected(GENERIC)


@pytest.mark.slow
def test_every_exported_symbol_has_a_known_type(tmp_path):
    """`pyright --verifytypes` shows the types that a checker gets from a package without its sources."""
    arguments = ["--ignoreexternal", "--outputjson", "--verifytypes", "linkfix"]
    # With --pythonpath it does not find the imports of hooks.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    found = str(PACKAGE.parent)
    report = json.loads(run_checker("pyright", arguments, tmp_path, PATH=path, PYTHONPATH=found))["typeCompleteness"]
    symbols = [one for one in report["symbols"] if one["isExported"]]
    assert len(symbols) > 1000
    assert [one["name"] for one in symbols if not one["isTypeKnown"] or one["isTypeAmbiguous"]] == []


def documented():
    """File names and programs: the examples, and the other blocks of README and docs, each with the names it uses.

    The libraries of examples/scale are in another environment.
    """
    for path in EXAMPLES:
        if path.parent.name != "scale":
            yield path.name, path.read_text("utf-8")
    for page in PAGES:
        for block in blocks(page, "python"):
            if not examples_with(block):
                yield re.sub(r"\W", "_", str(block)) + ".py", PRELUDE + block.text


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_documented_programs_have_no_error(checker, tmp_path):
    for name, program in documented():
        (tmp_path / name).write_text(program, "utf-8")
    settings = {"extraPaths": [str(PACKAGE.parent)], "reportMissingImports": False, "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n", "utf-8")
    checkout = {} if "site-packages" in PACKAGE.parts else {"MYPYPATH": str(PACKAGE.parent)}
    out = run_checker(checker, [*CHECKERS[checker][0], *(["."] if checker == "mypy" else [])], tmp_path, **checkout)
    assert re.findall(r".*\berror: .*", out) == [], out
    assert re.search(r"no issues found in \d\d source files|^0 errors", out, re.MULTILINE), out


#: The modules that README and docs name.
PUBLIC = [
    "linkfix",
    "linkfix.hooks",
    "linkfix.hooks.aiohttp",
    "linkfix.hooks.bs4",
    "linkfix.hooks.generic",
    "linkfix.hooks.httpx",
    "linkfix.hooks.httpx2",
    "linkfix.hooks.lxml",
    "linkfix.hooks.parsel",
    "linkfix.hooks.playwright",
    "linkfix.hooks.requests",
    "linkfix.hooks.response",
    "linkfix.hooks.scrapy",
    "linkfix.hooks.selectolax",
    "linkfix.schemes",
    "linkfix.text",
]
#: Types that a document has for the package's own use.
INTERNAL = {
    *("Budget", "Decider", "Decision", "ImportMaps", "LinkColumns", "MarkdownDialect", "Positions", "Reference"),
    "Source",
}


@functools.cache
def source(module):
    path = PACKAGE.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text("utf-8"))


def origins(tree):
    """The names that a module takes from other modules of the package."""
    return {
        name.asname or name.name: (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and is_own(node.module)
        for name in node.names
    }


def is_own(module):
    return module is not None and module.partition(".")[0] == "linkfix"


def names_defined(node):
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def definition(module, name):
    """The definition of a name: the module, its syntax tree, and the statement; None for a module."""
    tree = source(module)
    for node in tree.body:
        if name in names_defined(node):
            return module, tree, node
    above = origins(tree).get(name)
    return None if above is None or above == (module, name) else definition(*above)


def annotations(node):
    """The annotations that are a part of a public name's interface."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        yield from (one.annotation for one in every if one is not None and one.annotation is not None)
        yield from filter(None, [node.returns])
    elif isinstance(node, ast.ClassDef):
        for part in node.body:
            public = any(name == "__init__" or not name.startswith("_") for name in names_defined(part))
            yield from annotations(part) if public else ()
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation


def types_named(module, name):
    """The package's types in a public name's interface, as (defining module, name)."""
    found = definition(module, name)
    if found is None:
        return
    home, tree, node = found
    above = origins(tree)
    local = set().union(*map(names_defined, tree.body))
    for annotation in annotations(node):
        for part in ast.walk(annotation):
            if isinstance(part, ast.Name) and part.id in local:
                yield home, part.id
            elif isinstance(part, ast.Name) and part.id in above:
                place = definition(*above[part.id])
                yield place[0], part.id


def test_every_type_that_callers_meet_has_a_public_name():
    public = set(PUBLIC) & set(OWN_MODULES)
    assert set(PUBLIC) - public <= {"linkfix.hooks.playwright"}  # not everywhere is Playwright
    exported, met = set(), {}
    for module in sorted(public):
        for name in importlib.import_module(module).__all__:
            found = definition(module, name)
            exported |= {(found[0], name)} if found else set()
            for one in types_named(module, name):
                met.setdefault(one, f"{module}.{name}")
    unnamed = {(home, name): by for (home, name), by in met.items() if (home, name) not in exported}
    assert {one: by for one, by in unnamed.items() if one[1] not in INTERNAL and not is_type_variable(*one)} == {}


def is_type_variable(module, name):
    return type(getattr(importlib.import_module(module), name)).__name__ == "TypeVar"
