"""The hot modules: everything in them is declared, and all of them are compiled or none (`docs/compiled.md`)."""

from __future__ import annotations

import ast
import importlib
import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from support.declarations import read_declarations, undeclared
from support.paths import CHECKOUT

import linkfix
from linkfix.html import compiled, constants

PACKAGE = Path(linkfix.__file__).parent
SOURCES = CHECKOUT / "linkfix"  # a wheel has no .pxd
#: What compiled modules only cimport: constants and inline functions.
HEADERS = {
    "linkfix.document.appending",
    "linkfix.document.joining",
    "linkfix.document.new_link",
    "linkfix.html.bytesearch",
    "linkfix.html.cells",
    "linkfix.html.constants",
    "linkfix.html.syntaxes.byte_runs",
}


def source(module, suffix):
    return CHECKOUT.joinpath(*module.split(".")).with_suffix(suffix)


# Declarations

HOT = {module: (source(module, ".py").read_text("utf-8"), source(module, ".pxd")) for module in compiled.HOT_MODULES}


@pytest.mark.parametrize("module", HOT)
def test_everything_in_a_hot_module_is_declared(module):
    text, pxd = HOT[module]
    others = {text: pxd.read_text("utf-8") for other, (text, pxd) in HOT.items() if other != module}
    assert undeclared(text, pxd.read_text("utf-8"), others) == []


@pytest.mark.parametrize("module", HOT)
def test_bytes_have_names(module):
    """`byte == HYPHEN`, not `byte == 45`."""
    comparisons = [node for node in ast.walk(ast.parse(HOT[module][0])) if isinstance(node, ast.Compare)]
    operands = [operand for node in comparisons for operand in (node.left, *node.comparators)]
    numbers = [one for one in operands if isinstance(one, ast.Constant) and type(one.value) is int]
    assert [f"line {one.lineno}: {one.value}" for one in numbers if 0x20 <= one.value < 0x80] == []


@pytest.mark.parametrize("module", sorted(HEADERS))
def test_a_header_needs_no_module(module):
    text = source(module, ".pxd").read_text("utf-8")
    declarations = read_declarations(text)
    assert undeclared("", text) == []
    assert not declarations.classes
    assert not declarations.variables
    assert all(function.is_inline for function in declarations.functions.values())


def test_every_pxd_is_of_a_hot_module_or_a_header():
    found = {".".join(path.relative_to(CHECKOUT).with_suffix("").parts) for path in SOURCES.rglob("*.pxd")}
    assert found == {*compiled.HOT_MODULES, *HEADERS}


def test_the_constants_are_those_of_c():
    lines = [line.split(" = ") for line in source("linkfix.html.constants", ".pxd").read_text("utf-8").splitlines()[2:]]
    values = {name.strip(): int(value, 0) for name, value in lines}
    assert values == {name: getattr(constants, name) for name in constants.__all__}


SOURCE = """
from elsewhere import helper
from elsewhere import CONSTANT

LIMIT = 3
TABLE = b"abc"

class Scanner:
    def __init__(self):
        self.data = b""

    def scan(self, start):
        at = start
        for byte in self.data[at:]:
            if byte == 3:
                self.skip(at)
        return at

    def skip(self, at):
        return at

def search(data, byte):
    return data.find(byte)
"""
PXD = """
cimport cython
cdef bytes TABLE
cdef int LIMIT
cdef class Scanner:
    cdef bytes data
    @cython.locals(at=Py_ssize_t, byte=int)
    cpdef Py_ssize_t scan(self, Py_ssize_t start) except -1
    cdef Py_ssize_t skip(self, Py_ssize_t at) except -1
cdef Py_ssize_t search(bytes data, int byte) except -1
"""


def test_a_declared_module_passes():
    assert undeclared(SOURCE, PXD) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("at = start", "at = start; up = at", "Scanner.scan: up"),
        ("at = start", "at = length = start", "Scanner.scan: length"),
        ("at = start", "at, up = start, 0", "Scanner.scan: up"),
        ("at = start", "at = start; at += (step := 1)", "Scanner.scan: step"),
        ("for byte in", "for number, byte in", "Scanner.scan: number"),
        ("at = start", "at = sum([i for i in (1, 2)])", "Scanner.scan: a closure, listcomp"),
        ("at = start", "at = max(start, 0, key=lambda i: i)", "Scanner.scan: a closure, lambda"),
        ("self.skip(at)", "self.skip(LIMIT)", None),
        ("LIMIT = 3", "LIMIT = WIDTH = 3", None),
        ("byte == 3", "byte == CONSTANT", "Scanner.scan: the global CONSTANT"),
        ("self.skip(at)", "helper(at)", "Scanner.scan: the global helper"),
        ("self.skip(at)", "self.other(at)", None),
        ("def skip", "def slow(self): return 1\n    def skip", None),
        (
            "return data.find(byte)",
            "return slow(byte)\n\ndef slow(byte):\n    return byte",
            "search: the function slow",
        ),
    ],
)
def test_what_is_not_declared_is_found(old, new, fault):
    assert old in SOURCE
    assert undeclared(SOURCE.replace(old, new), PXD) == ([] if fault is None else [fault])


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("at=Py_ssize_t, byte=int", "at=Py_ssize_t", ["Scanner.scan: byte"]),
        ("    @cython.locals(at=Py_ssize_t, byte=int)\n", "", ["Scanner.scan: at", "Scanner.scan: byte"]),
        (
            "cpdef Py_ssize_t scan(self, Py_ssize_t start)",
            "cpdef Py_ssize_t scan(self, start)",
            ["Scanner.scan: its argument start"],
        ),
        (
            "cpdef Py_ssize_t scan(self, Py_ssize_t start) except -1",
            "cpdef scan(self, int start)",
            ["Scanner.scan: its return type"],
        ),
        ("    cdef Py_ssize_t skip(self, Py_ssize_t at) except -1\n", "", ["Scanner.scan: the method skip"]),
        ("int byte) except -1", "object byte) except -1", []),
        ("cdef Py_ssize_t search(bytes data, int byte) except -1", "", []),
        (
            "cdef Py_ssize_t search(bytes data, int byte) except -1",
            "cdef inline int twice(int a) noexcept:\n    cdef int b = a\n    b, c = a, b\n    return c",
            ["twice: c"],
        ),
    ],
)
def test_what_a_pxd_leaves_out_is_found(old, new, faults):
    assert old in PXD
    assert undeclared(SOURCE, PXD.replace(old, new)) == faults


def test_a_slow_method_of_another_module_is_found():
    other = "class Other:\n    def slow(self):\n        pass\n"
    text = SOURCE.replace("self.skip(at)", "self.other.slow()")
    assert undeclared(text, PXD) == []
    assert undeclared(text, PXD, {other: "cdef class Other:\n    pass\n"}) == ["Scanner.scan: the method slow"]


# All or none


def test_here_all_are_compiled_or_none():
    modules = compiled.compiled_modules(PACKAGE.parent)
    assert compiled.describe(modules) == compiled.SPEED
    assert compiled.SPEED in {"compiled", "plain"}
    assert linkfix.COMPILED is (compiled.SPEED == "compiled")


@pytest.mark.parametrize("module", compiled.HOT_MODULES)
def test_what_runs_is_what_is_said(module):
    file = importlib.import_module(module).__file__
    assert file.endswith(tuple(EXTENSION_SUFFIXES)) is linkfix.COMPILED


@pytest.mark.skipif(not linkfix.COMPILED or PACKAGE != SOURCES, reason="no module is compiled in place")
@pytest.mark.parametrize("module", compiled.HOT_MODULES)
def test_no_compiled_module_is_older_than_its_source(module):
    """Otherwise an edit seems to change nothing: python setup.py build_ext --inplace."""
    built = Path(importlib.import_module(module).__file__).stat().st_mtime
    assert built >= max(source(module, suffix).stat().st_mtime for suffix in (".py", ".pxd"))


def test_a_partly_compiled_package_is_not_called_compiled(tmp_path):
    total = len(compiled.HOT_MODULES)
    assert compiled.describe(compiled.compiled_modules(tmp_path)) == "plain"
    for number, module in enumerate(compiled.HOT_MODULES, 1):
        file = tmp_path.joinpath(*module.split(".")).with_suffix(EXTENSION_SUFFIXES[0])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        expected = f"partly compiled: {number} of {total} modules" if number < total else "compiled"
        assert compiled.describe(compiled.compiled_modules(tmp_path)) == expected


# setup.py, with a Cython that translates to nothing

CYTHON = """
import os

def cythonize(modules, **_):
    for module in modules:
        fails = os.environ["FAILS"] if module.name == "linkfix.html.prescan" else ""
        if fails == "cython":
            raise ValueError("prescan.py: unexpected")
        [path] = module.sources
        module.sources = [path[:-2] + "c"]
        with open(module.sources[0], "w") as file:
            file.write("#error wrong" if fails == "c" else "int empty;")
    return list(modules)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.partition(".")[0]) < 77:
        pytest.skip("setuptools is older than pyproject.toml asks for")
    folder = tmp_path_factory.mktemp("project")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, folder)
    for module in (*compiled.HOT_MODULES, *HEADERS, "linkfix.html.compiled"):
        for path in (source(module, ".py"), source(module, ".pxd")):
            if path.exists():
                target = folder / path.relative_to(CHECKOUT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
    (folder / "stub" / "Cython").mkdir(parents=True)
    (folder / "stub" / "Cython" / "__init__.py").touch()
    (folder / "stub" / "Cython" / "Build.py").write_text(CYTHON)
    return folder


def build(project, *, fails="", **environment):
    """Build in place; returns how many modules are compiled then, the exit code, and the output."""
    shutil.rmtree(project / "build", ignore_errors=True)
    for name in ("LINKFIX_PLAIN", "LINKFIX_COMPILED"):
        environment.setdefault(name, "")
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "stub"), "FAILS": fails, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return len(compiled.compiled_modules(project)), done.returncode, done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    ("fails", "environment", "reason"),
    [
        ("cython", {}, "because Cython failed: prescan.py: unexpected"),
        ("c", {}, "because linkfix.html.prescan failed: "),
        ("", {"CC": "/bin/false"}, "because linkfix.audit.reference_index failed: "),
    ],
)
def test_one_failure_leaves_none_compiled(project, fails, environment, reason):
    total = len(compiled.HOT_MODULES)
    assert build(project)[:2] == (total, 0)
    number, code, output = build(project, fails=fails, **environment)
    assert (number, code) == (0, 0)
    [warning] = [line for line in output.splitlines() if "plain Python" in line]
    assert reason in warning
    assert not list(project.glob("build/lib*/**/*.so"))
    number, code, output = build(project, fails=fails, LINKFIX_COMPILED="1", **environment)
    assert code != 0
    assert reason.removeprefix("because ") in output


@pytest.mark.slow
def test_plain_on_demand(project):
    for path in project.rglob("*.so"):
        path.unlink()
    assert build(project, LINKFIX_PLAIN="1") == (0, 0, "")
