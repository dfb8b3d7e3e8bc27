"""Compiles the hot modules, all or none (`docs/compiled.md`); wheels have a bill of materials.

If Cython or a C compiler is missing or fails, the package is installed as plain Python, with a warning that names the
reason, and a wheel gets the name of a wheel for any platform. Environment: LINKFIX_PLAIN=1 compiles nothing;
LINKFIX_COMPILED=1 fails if a module does not compile; CFLAGS replaces the flags here for optimization and debug
symbols.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import runpy
import textwrap
from collections.abc import Collection
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError, OptionError

_COMPILED = runpy.run_path("linkfix/kernels/compiled.py")
OPTIMIZED: dict[str, tuple[str, ...]] = _COMPILED["OPTIMIZED"]
HOT_MODULES: tuple[str, ...] = _COMPILED["HOT_MODULES"]
#: 3.2.0 fails on prescan.py. pyproject.toml says it too.
OLDEST_CYTHON = "3.2.4"
IS_PLAIN = os.environ.get("LINKFIX_PLAIN") == "1"
MUST_COMPILE = os.environ.get("LINKFIX_COMPILED") == "1"
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # types are in the .pxd
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "binding": False,  # builtin functions, not Cython's own type of them, which is a tenth of the C
    "auto_pickle": False,  # no object of these classes leaves its process
    "emit_code_comments": False,  # a fifth of the C
    "freethreading_compatible": True,  # tests/test_threads.py
}


class BuildFresh(build_py):
    """Removes compiled modules that only an earlier build had: they would go into the wheel."""

    command_name = "build_py"

    def run(self) -> None:
        """Copy the modules."""
        super().run()
        _remove_compiled(Path(self.build_lib), {extension.name for extension in self.distribution.ext_modules or ()})


class BuildAllOrNone(build_ext):
    """Compiles all modules; if one fails, removes the built files of the others."""

    command_name = "build_ext"  # in messages

    def run(self) -> None:
        """Compile, or warn and leave the package plain."""
        if not self.extensions:
            return
        inplace = self.inplace  # setuptools changes it while it builds
        if inplace:
            _remove_compiled(Path.cwd(), {extension.name for extension in self.extensions})
        self.parallel = self.parallel or os.cpu_count()
        try:
            self._cythonize()
            super().run()
        except Exception as error:  # Cython, a compiler and the lack of either fail in many ways
            if MUST_COMPILE:
                raise
            self.inplace = inplace
            self._remove_built()
            self.extensions = []
            self._be_pure()
            reason = textwrap.shorten(str(error), 200, placeholder=" …")
            self.warn(f"linkfix is installed as plain Python, which is slow: no module was compiled, because {reason}")

    def build_extension(self, ext: Extension) -> None:
        """Compile one module; the error names it."""
        if self.compiler.compiler_type == "unix" and not self.debug and "CFLAGS" not in os.environ:
            ext.extra_compile_args = ["-g0", *OPTIMIZED.get(ext.name, ["-O1"])]  # docs/compiled.md
        try:
            super().build_extension(ext)
        except Exception as error:
            message = f"{ext.name} failed: {error}"
            raise CompileError(message) from error

    def _cythonize(self) -> None:
        """Translate the modules to C."""
        try:
            from Cython import __version__ as version  # may be absent
            from Cython.Build import cythonize
        except ImportError:
            message = "Cython is not installed"
            raise CompileError(message) from None
        if _numbers(version) < _numbers(OLDEST_CYTHON):
            message = f"Cython {version} is too old: {OLDEST_CYTHON} or newer is needed"
            raise CompileError(message)
        modules = [Extension(extension.name, extension.sources) for extension in self.extensions]
        folder = Path("build", "cython-debug" if self.debug else "cython")
        changed = Path(__file__).stat().st_mtime  # Cython does not check setup.py, which has its directives
        try:
            translated = cythonize(
                modules,
                compiler_directives=DIRECTIVES,
                nthreads=self.parallel if _can_share_work() else 0,
                force=bool(self.force) or any(path.stat().st_mtime < changed for path in folder.rglob("*.c")),
                build_dir=str(folder),
                emit_linenums=bool(self.debug),
                quiet=True,
            )
        except Exception as error:
            message = f"Cython failed: {error}"
            raise CompileError(message) from error
        sources = {extension.name: extension.sources for extension in translated}
        for extension in self.extensions:
            extension.sources = sources[extension.name]

    def _remove_built(self) -> None:
        """Remove the compiled modules, of an earlier build too, from where this one puts them."""
        package = Path.cwd() if self.inplace else Path(self.build_lib)
        for extension in self.extensions:
            (package / self.get_ext_filename(extension.name)).unlink(missing_ok=True)
            Path(self.build_lib, self.get_ext_filename(extension.name)).unlink(missing_ok=True)

    def _be_pure(self) -> None:
        """Let a wheel that has no compiled module be named so: py3-none-any, which any platform takes."""
        self.distribution.ext_modules = []
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if wheel is not None:
            wheel.root_is_pure = True


class WheelWithSbom(bdist_wheel):
    """Puts a bill of materials into the wheel, where PEP 770 has it."""

    command_name = "bdist_wheel"

    def write_wheelfile(self, wheelfile_base: str, *arguments: Any, **fields: Any) -> None:
        """Write the wheel's metadata."""
        super().write_wheelfile(wheelfile_base, *arguments, **fields)
        folder = Path(wheelfile_base, "sboms")
        folder.mkdir(exist_ok=True)
        project = self.distribution.metadata
        made = bill_of_materials(
            project.get_version(), self.distribution.install_requires or [], is_compiled=not self.root_is_pure
        )
        (folder / "linkfix.cdx.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")


def bill_of_materials(version: str, requirements: Collection[str], *, is_compiled: bool) -> dict[str, Any]:
    """The contents and requirements of a wheel, in CycloneDX 1.6: the same for the same sources and tools.

    `requirements`: `dependencies` in pyproject.toml. They are not in the wheel, and are named without versions.
    """
    name = f"pkg:pypi/linkfix@{version}"
    registry = Path("linkfix", "schemes", "uri-schemes.tsv").read_text("utf-8")
    [date] = re.findall(r"^# date: (.+)$", registry, re.MULTILINE)
    data = {
        "type": "data",
        "bom-ref": "iana-uri-schemes",
        "name": "Uniform Resource Identifier (URI) Schemes",
        "version": date,
        "publisher": "IANA",
        "externalReferences": [{"type": "website", "url": "https://www.iana.org/assignments/uri-schemes/"}],
    }
    needed = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{(normal := _normal_name(requirement))}",
            "name": normal,
            "purl": f"pkg:pypi/{normal}",
            "scope": "required",
            "properties": [{"name": "requirement", "value": requirement}],
        }
        for requirement in sorted(requirements)
    ]
    tools = ["setuptools", *(["Cython"] if is_compiled else [])]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "tools": {
                "components": [
                    {"type": "application", "name": tool, "version": importlib.metadata.version(tool)} for tool in tools
                ]
            },
            "component": {
                "type": "library",
                "bom-ref": name,
                "name": "linkfix",
                "version": version,
                "purl": name,
                "licenses": [{"license": {"id": "MIT"}}],
            },
        },
        "components": [data, *needed],
        "dependencies": [{"ref": name, "dependsOn": [one["bom-ref"] for one in (data, *needed)]}],
    }


def _normal_name(requirement: str) -> str:
    """The normalized name of a requirement: "ada-url" of "ada_url>=1"."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[._-]+", "-", found[0]).lower() if found else ""


def _numbers(version: str) -> tuple[int, ...]:
    """The version's numbers: (3, 2, 0) of "3.2.0b1"."""
    return tuple(int("".join(filter(str.isdigit, part[:2])) or 0) for part in version.split(".")[:3])


def _remove_compiled(folder: Path, kept: Collection[str]) -> None:
    """Remove the compiled modules that this Python would import from a folder, except the modules named in `kept`."""
    for path in folder.glob("linkfix/**/*.*"):
        name, _, suffix = path.name.partition(".")
        module = ".".join((*path.parent.relative_to(folder).parts, name))
        if f".{suffix}" in EXTENSION_SUFFIXES and module not in kept:
            path.unlink()


def _can_share_work() -> bool:
    """Whether processes can share work here: some sandboxes have no semaphores."""
    try:
        import multiprocessing.synchronize  # noqa: F401 - fails without them
    except ImportError:
        return False
    return True


if __name__ == "__main__":  # processes that translate modules import this file too, under another name
    if IS_PLAIN and MUST_COMPILE:
        contradiction = "LINKFIX_PLAIN=1 and LINKFIX_COMPILED=1 contradict each other: set one of them"
        raise OptionError(contradiction)
    setup(
        cmdclass={"bdist_wheel": WheelWithSbom, "build_ext": BuildAllOrNone, "build_py": BuildFresh},
        ext_modules=[] if IS_PLAIN else [Extension(name, [name.replace(".", "/") + ".py"]) for name in HOT_MODULES],
    )
