from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from support.each import for_each
from support.modules import OWN_MODULES
from support.running import ENVIRONMENT

import linkfix
from linkfix.errors import Needs

ROOT = Path(__file__).parents[1]
PACKAGE = Path(linkfix.__file__).parent
MODULES = sorted(
    info.name for info in pkgutil.walk_packages([str(PACKAGE)], "linkfix.") if not info.name.endswith(".__main__")
)


@cache
def source(module):
    """The syntax tree of a module, compiled or not."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text("utf-8"))


def is_all(node):
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


#: The modules that docs/reference describes.
PUBLIC = ast.literal_eval(
    next(
        node.value
        for node in ast.parse((ROOT / "docs" / "site_extension" / "public.py").read_text("utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC_MODULES"
    )
)
#: Packages whose names are imported at first use.
LAZY = ["linkfix", "linkfix.schemes"]
#: Modules that README uses without an import of their own.
SUBMODULES = {"hooks", "schemes", "text"}


@pytest.mark.parametrize("package", LAZY)
def test_all_lists_the_public_names(package):
    """The names for a type checker, the lazily imported names and the documented names are the same."""
    module = importlib.import_module(package)
    for_types = next(node for node in source(package).body if isinstance(node, ast.If))
    assert ast.unparse(for_types.test) == "TYPE_CHECKING"
    homes = {name.name: node.module for node in for_types.body for name in node.names}
    assert {name for name, home in homes.items() if home == package} == (SUBMODULES if package == "linkfix" else set())
    assert {*module.__all__} - {"__version__"} == {*homes}
    assert len(module.__all__) == len(set(module.__all__))
    assert [name for name in dir(module) if not name.startswith("__")] == sorted({*module.__all__} - {"__version__"})
    for name, home in homes.items():
        expected = importlib.import_module(f"{package}.{name}" if home == package else home)
        found = getattr(module, name)
        if isinstance(found, str):  # made at each look
            assert found == getattr(expected, name)
        else:
            assert found is (expected if home == package else getattr(expected, name))


@for_each(["linkfix", *MODULES])
def test_type_checkers_see_no_lazy_attributes(module):
    """A type checker that sees `__getattr__` accepts every misspelt name."""
    for node in source(module).body:
        names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} | {getattr(node, "name", "")}
        assert "__getattr__" not in names or ast.unparse(node).startswith("if not TYPE_CHECKING:")


def test_submodules_need_no_import():
    program = "import linkfix; print(linkfix.text.find, linkfix.schemes.lookup('mailto').status, linkfix.hooks.TREES)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    assert " permanent {" in done.stdout


def test_no_module_has_the_name_of_something_public():
    """To import it would put it in that name's place."""
    assert {module.split(".")[1] for module in MODULES} & set(linkfix.__all__) == SUBMODULES


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'linkfix' has no attribute 'absolutise'"):
        linkfix.absolutise  # noqa: B018


ALIASES = {
    *(
        "BaseElementMode",
        "CauseKind",
        "DocumentKind",
        "EncodingSource",
        "ExcessDots",
        "FeedBase",
        "FragmentMode",
        "HeadingIds",
    ),
    *("Html", "SameScheme", "Scripting", "SiteGenerator", "SiteHost", "Wikilinks"),
}


@for_each(linkfix.__all__)
def test_every_public_name_is_documented(name):
    """A constant's documentation is at its definition."""
    value = getattr(linkfix, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)
        members = vars(value).items() if inspect.isclass(value) else ()
        undocumented = [
            key for key, member in members if inspect.isfunction(member) and key[0] != "_" and not member.__doc__
        ]
        assert not undocumented
    elif inspect.ismodule(value):
        assert value.__doc__
    else:
        assert isinstance(value, str | bool | dict) or name in ALIASES


def test_types_are_published():
    assert (PACKAGE / "py.typed").is_file()


#: The modules and packages with an `__all__`: for public names, or as a package's face.
FACES = [module for module in ["linkfix", *MODULES] if any(map(is_all, source(module).body))]


@for_each(["linkfix", *MODULES])
def test_every_module_is_documented(module):
    body = source(module).body
    assert ast.get_docstring(source(module))
    rest = [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if rest:  # no empty __init__
        future = rest[0]
        assert isinstance(future, ast.ImportFrom)
        assert (future.module, [name.name for name in future.names]) == ("__future__", ["annotations"])


def test_all_public_members_are_documented():
    assert {module for module in PUBLIC if module not in FACES} == set()


@for_each(FACES)
def test_all_is_sorted_and_there(module):
    tree = source(module)
    [names] = [ast.literal_eval(node.value) for node in tree.body if is_all(node)]
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name)), (
        "not in ruff's order"
    )
    defined = {
        name.id
        for node in ast.walk(tree)
        for target in (node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)])
        for name in (ast.walk(target) if target else ())
        if isinstance(name, ast.Name)
    }
    defined |= {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    }
    defined |= {
        name.asname or name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names
    }
    assert set(names) <= defined


@for_each(OWN_MODULES)
def test_every_module_can_be_imported(module):
    assert importlib.import_module(module).__name__ == module


#: Modules that are slow to import and that only some callers need.
HEAVY = [
    "ada_url",
    "bs4",
    "click",
    "email",
    "html5lib",
    "linkfix.document.document",
    "lxml",
    "tinycss2",
    "tomllib",
]
ENGINE = {"linkfix.document.document"}


@pytest.mark.parametrize(
    ("work", "needed"),
    [
        ("", set()),
        ("linkfix.Options(); linkfix.InvalidOption", set()),
        ("linkfix.links('<p>')", ENGINE),
        ("linkfix.absolutize('<a href=x>', 'https://h/')", ENGINE | {"ada_url"}),
    ],
)
def test_imports_are_lazy(work, needed):
    program = (
        f"import json, sys, linkfix\n{work}\nprint(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys\nsys.path[:0] = {sys.path!r}\n{program}"],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    assert set(json.loads(done.stdout)) == needed


def imported_by(work):
    """The packages that are neither Python's nor linkfix's that Python has imported after some work."""
    program = (
        "import sys\nbefore = set(sys.modules)\n"
        f"{work}\n"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(tops - sys.stdlib_module_names - {'linkfix', 'cython_runtime'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=ENVIRONMENT, text=True, timeout=60
    )
    return {name for name in done.stdout.split() if not name.startswith("_cython_")}


@pytest.mark.parametrize(
    "html",
    [
        "\"<a href=x srcset='a 2x'><style>a{b:url(x)}</style><meta http-equiv=refresh content='1;url=x'>\"",
        "b'<meta charset=shift_jis><base href=y><a href=x>\\xb1<script type=importmap>{}</script>'",
    ],
)
def test_the_engine_needs_two_packages(html):
    """ada-url with its dependencies, and webencodings; plain modules import Cython if it is installed."""
    shadow = set() if linkfix.COMPILED else {"cython", "Cython"}
    assert imported_by(f"import linkfix; linkfix.absolutize({html}, 'https://h/')") <= shadow | {
        "ada_url",
        "webencodings",
        "cffi",
        "_cffi_backend",
    }


#: Module -> its requirements.
OF_EXTRAS = {
    "linkfix.arrow": "pyarrow",
    "linkfix.spark": "pyspark",
    **{
        f"linkfix.hooks.{name}": name
        for name in ("aiohttp", "httpx", "httpx2", "parsel", "playwright", "requests", "scrapy", "selectolax")
    },
}


@pytest.mark.parametrize(("module", "library"), OF_EXTRAS.items())
def test_an_import_error_names_the_extra_to_install(module, library):
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name.partition('.')[0] == {library!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        f"import {module}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, env=ENVIRONMENT, text=True, timeout=60
    )
    extra = module.rpartition(".")[2]
    message = f"ModuleNotFoundError: {module} needs {library}: pip install 'linkfix[{extra}]'"
    assert done.stderr.splitlines()[-1] == message
    if library == "scrapy":
        assert message in (ROOT / "docs/install.md").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert re.match(r"\w+", extras[extra][0])[0] == library


def test_another_fault_of_an_import_is_not_hidden():
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"), Needs("linkfix.hooks.requests", "requests"):
        importlib.import_module("nothing_of_this_name")
