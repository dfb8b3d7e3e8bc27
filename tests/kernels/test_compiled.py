"""The hot modules: everything in them is declared, and all of them are compiled or none (`docs/compiled.md`)."""

from __future__ import annotations

import ast
import importlib
import os
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from support.declarations import read_declarations, undeclared
from support.documentation import blocks
from support.each import for_each
from support.extras import needed
from support.paths import CHECKOUT

import linkfix
from linkfix.kernels import compiled, constants

PACKAGE = Path(linkfix.__file__).parent
SOURCES = CHECKOUT / "linkfix"  # a wheel has no .pxd
#: Modules that compiled modules only cimport: constants and inline functions.
HEADERS = {
    "linkfix.kernels.memory",
    "linkfix.kernels.bytesearch",
    "linkfix.kernels.constants",
    "linkfix.kernels.python_api",
}


def source(module, suffix):
    return CHECKOUT.joinpath(*module.split(".")).with_suffix(suffix)


# Declarations

HOT = {module: (source(module, ".py").read_text("utf-8"), source(module, ".pxd")) for module in compiled.HOT_MODULES}


@for_each(HOT)
def test_everything_in_a_hot_module_is_declared(module):
    text, pxd = HOT[module]
    others = {text: pxd.read_text("utf-8") for other, (text, pxd) in HOT.items() if other != module}
    assert undeclared(text, pxd.read_text("utf-8"), others) == []


@for_each(HOT)
def test_a_hot_module_has_no_generator(module):
    """One brings thousands of lines of C, outside of functions too."""
    found = [
        node
        for node in ast.walk(ast.parse(HOT[module][0]))
        if isinstance(node, (ast.GeneratorExp, ast.Yield, ast.YieldFrom))
    ]
    assert [f"line {node.lineno}" for node in found] == []


@for_each(HOT)
def test_bytes_have_names(module):
    """`byte == HYPHEN`, not `byte == 45`."""
    comparisons = [node for node in ast.walk(ast.parse(HOT[module][0])) if isinstance(node, ast.Compare)]
    operands = [operand for node in comparisons for operand in (node.left, *node.comparators)]
    numbers = [one for one in operands if isinstance(one, ast.Constant) and type(one.value) is int]
    assert [f"line {one.lineno}: {one.value}" for one in numbers if 0x20 <= one.value < 0x80] == []


@for_each(sorted(HEADERS))
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


@pytest.mark.parametrize("module", [constants], ids=lambda module: module.__name__)
def test_the_constants_equal_the_constants_in_c(module):
    lines = [line.split(" = ") for line in source(module.__name__, ".pxd").read_text("utf-8").splitlines()[2:]]
    values = {name.strip(): int(value, 0) for name, value in lines}
    assert values == {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}


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
        ("LIMIT = 3", "LIMIT = 3\n\nclass Span(NamedTuple):\n    start: int", None),
        ("LIMIT = 3", "LIMIT = 3\n\nclass Span(NamedTuple):\n    def length(self): return 1", "Span: the class"),
        (
            "return data.find(byte)",
            "return slow(byte)\n\ndef slow(byte):\n    return byte",
            "search: the function slow",
        ),
    ],
)
def test_undeclared_names_are_found(old, new, fault):
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
def test_names_missing_from_a_pxd_are_found(old, new, faults):
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


@for_each(compiled.HOT_MODULES)
def test_compiled_states_whether_modules_are_compiled(module):
    file = importlib.import_module(module).__file__
    assert file.endswith(tuple(EXTENSION_SUFFIXES)) is linkfix.COMPILED


@pytest.mark.skipif(not linkfix.COMPILED or PACKAGE != SOURCES, reason="no module is compiled in place")
@for_each(compiled.HOT_MODULES)
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

def cythonize(modules, *, force, **_):
    print("anew:", force)
    for module in modules:
        fails = os.environ["FAILS"] if module.name == "linkfix.kernels.prescan" else ""
        if fails == "cython":
            raise ValueError("prescan.py: unexpected")
        [path] = module.sources
        module.sources = [path.removesuffix(".py") + ".c"]
        with open(module.sources[0], "w") as file:
            file.write("#error wrong" if fails == "c" else "int empty;")
    return list(modules)
"""


needs_compiler = pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    setuptools = needed("setuptools")
    if int(setuptools.__version__.partition(".")[0]) < 77:
        pytest.skip("setuptools is older than pyproject.toml asks for")
    folder = tmp_path_factory.mktemp("project")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, folder)
    for module in (*compiled.HOT_MODULES, *HEADERS, "linkfix.kernels.compiled"):
        for path in (source(module, ".py"), source(module, ".pxd")):
            if path.exists():
                target = folder / path.relative_to(CHECKOUT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
    (folder / "docs").mkdir()
    shutil.copy(CHECKOUT / "docs" / "linkfix.1", folder / "docs")
    (folder / "linkfix" / "schemes").mkdir(parents=True, exist_ok=True)
    shutil.copy(CHECKOUT / "linkfix" / "schemes" / "uri-schemes.tsv", folder / "linkfix" / "schemes")
    (folder / "stub" / "Cython").mkdir(parents=True)
    (folder / "stub" / "Cython" / "__init__.py").write_text("import os\n__version__ = os.environ['CYTHON']\n")
    (folder / "stub" / "Cython" / "Build.py").write_text(CYTHON)
    return folder


def setup(project, *command, fails="", cython="3.3.1", fresh=True, **environment):
    """Run setup.py. `fresh`: with nothing of an earlier run."""
    for name in ("build", "dist") if fresh else ():
        shutil.rmtree(project / name, ignore_errors=True)
    for name in ("LINKFIX_PLAIN", "LINKFIX_COMPILED"):
        environment.setdefault(name, "")
    return subprocess.run(
        [sys.executable, "setup.py", "-q", *command],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "stub"), "FAILS": fails, "CYTHON": cython, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def build(project, **environment):
    """Build in place; returns the number of compiled modules afterwards, the exit code, and the output."""
    done = setup(project, "build_ext", "--inplace", **environment)
    return len(compiled.compiled_modules(project)), done.returncode, done.stdout


def wheel(project, **environment):
    """Build a wheel; returns its tags, the number of compiled modules in it, the exit code, and the output."""
    done = setup(project, "bdist_wheel", **environment)
    names = [path.name for path in project.glob("dist/*.whl")]
    if not names:
        return None, 0, done
    with zipfile.ZipFile(project / "dist" / names[0]) as archive:
        members = archive.namelist()
        [about] = [archive.read(name).decode() for name in members if name.endswith(".dist-info/WHEEL")]
    tags = names[0].removesuffix(".whl").split("-", 2)[2]
    assert f"Root-Is-Purelib: {str(tags == PURE).lower()}\n" in about
    return tags, sum(name.endswith(tuple(EXTENSION_SUFFIXES)) for name in members), done


#: The tags of a wheel for any platform.
PURE = "py3-none-any"


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"fails": "cython"}, "because Cython failed: prescan.py: unexpected"),
        ({"fails": "c"}, "because linkfix.kernels.prescan failed: "),
        ({"CC": "/bin/false"}, "because linkfix.kernels.reference_index failed: "),
        ({"cython": "3.2.0"}, "because Cython 3.2.0 is too old: 3.2.4 or newer is needed"),
    ],
)
class TestFailures:
    def test_a_failure_leaves_no_module_compiled(self, project, environment, reason):
        assert build(project)[:2] == (len(compiled.HOT_MODULES), 0)
        number, code, output = build(project, **environment)
        assert (number, code) == (0, 0)
        [warning] = [line for line in output.splitlines() if "plain Python" in line]
        assert reason in warning
        assert not list(project.glob("build/lib*/**/*.so"))
        number, code, output = build(project, LINKFIX_COMPILED="1", **environment)
        assert code != 0
        assert reason.removeprefix("because ") in output

    def test_no_wheel_for_a_platform_is_plain(self, project, environment, reason):
        tags, number, done = wheel(project, **environment)
        assert (tags, number, done.returncode) == (PURE, 0, 0)
        assert reason in done.stdout
        tags, _, done = wheel(project, LINKFIX_COMPILED="1", **environment)
        assert tags is None
        assert done.returncode != 0
        assert reason.removeprefix("because ") in done.stdout


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("wanted", ["", "1"])
def test_a_compiled_wheel_is_for_one_python_and_platform(project, wanted):
    tags, number, _ = wheel(project, LINKFIX_COMPILED=wanted)
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert tags.startswith(f"{version}-{version}")
    assert not tags.endswith("-any")
    assert number == len(compiled.HOT_MODULES)


@pytest.mark.slow
def test_a_plain_wheel_on_demand(project):
    for path in project.rglob("*.so"):
        path.unlink()
    tags, number, done = wheel(project, LINKFIX_PLAIN="1")
    assert (tags, number, done.returncode) == (PURE, 0, 0)
    assert "plain Python" not in done.stdout


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(
    ("command", "environment", "folder", "number"),
    [
        (["build_ext", "--inplace"], {}, ".", len(compiled.HOT_MODULES)),
        (["bdist_wheel"], {}, "build/lib.*", len(compiled.HOT_MODULES)),
        (["bdist_wheel"], {"LINKFIX_PLAIN": "1"}, "build/lib", 0),
    ],
)
def test_no_module_of_an_earlier_build_is_left(project, command, environment, folder, number):
    """A checkout that was updated can have compiled modules that are now plain ones, or none."""
    assert setup(project, "build", **environment).returncode == 0
    [where] = [project] if folder == "." else project.glob(folder)
    gone = where / "linkfix" / "kernels" / f"gone{EXTENSION_SUFFIXES[0]}"
    gone.touch()
    shutil.rmtree(project / "dist", ignore_errors=True)
    assert setup(project, *command, fresh=False, **environment).returncode == 0
    assert not gone.exists()
    for built in project.glob("dist/*.whl"):
        with zipfile.ZipFile(built) as archive:
            assert sum(name.endswith(tuple(EXTENSION_SUFFIXES)) for name in archive.namelist()) == number
    if "--inplace" in command:
        assert len(compiled.compiled_modules(project)) == number


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("age", "expected"), [(1000, True), (-1000, False)])
def test_modules_are_translated_anew_when_setup_py_has_changed(project, age, expected):
    """Cython looks at no more than their sources."""
    shutil.rmtree(project / "build", ignore_errors=True)
    made = project / "build" / "cython" / "names.c"
    made.parent.mkdir(parents=True)
    made.touch()
    when = (project / "setup.py").stat().st_mtime - age
    os.utime(made, (when, when))
    assert f"anew: {expected}\n" in setup(project, "build_ext", fresh=False).stdout


@pytest.mark.slow
def test_plain_and_compiled_contradict_each_other(project):
    done = setup(project, "build_ext", LINKFIX_PLAIN="1", LINKFIX_COMPILED="1")
    assert done.returncode != 0
    assert "LINKFIX_PLAIN=1 and LINKFIX_COMPILED=1 contradict each other" in done.stdout


def test_the_oldest_cython_is_the_required_version():
    oldest = runpy.run_path(str(CHECKOUT / "setup.py"))["OLDEST_CYTHON"]
    asked = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    assert f"Cython>={oldest}" in asked["build-system"]["requires"]
    assert f"Cython>={oldest}" in asked["project"]["optional-dependencies"]["test"]


def test_compiled_modules_declare_that_they_need_no_lock(tmp_path):
    """Otherwise a free-threaded Python takes its global lock back as soon as it imports one (PEP 703, Py_mod_gil)."""
    main = needed("Cython.Compiler.Main")
    directives = runpy.run_path(str(CHECKOUT / "setup.py"))["DIRECTIVES"]
    options = main.CompilationOptions(
        main.default_options, compiler_directives=directives, output_file=str(tmp_path / "names.c")
    )
    main.compile(str(source("linkfix.kernels.names", ".py")), options)
    text = (tmp_path / "names.c").read_text("utf-8")
    assert "#define __Pyx_FREETHREADING_COMPATIBLE Py_MOD_GIL_NOT_USED\n" in text
    assert "{Py_mod_gil, __Pyx_FREETHREADING_COMPATIBLE}" in text


@pytest.mark.slow
def test_plain_on_demand(project):
    for path in project.rglob("*.so"):
        path.unlink()
    assert build(project, LINKFIX_PLAIN="1") == (0, 0, "")


def test_the_declarations_that_the_document_shows_are_there():
    [block] = blocks(CHECKOUT / "docs" / "compiled.md", "cython")
    declarations = "".join(path.read_text("utf-8") for path in CHECKOUT.joinpath("linkfix").rglob("*.pxd"))
    for line in block.text.splitlines():
        assert line.partition("  # ")[0].strip() in declarations, line
