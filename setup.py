"""Compiles the hot modules, all or none (`docs/compiled.md`).

Where Cython or a C compiler is missing or fails, the package is installed as plain Python, with a warning that says
why, and a wheel is named as one for any platform. Environment: LINKFIX_PLAIN=1 compiles nothing; LINKFIX_COMPILED=1
fails where not everything compiles; CFLAGS is used instead of what is said here of optimization and debug symbols.
"""

from __future__ import annotations

import os
import runpy
import textwrap
from collections.abc import Collection
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError, OptionError

_COMPILED = runpy.run_path("linkfix/html/compiled.py")
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
    """Compiles all modules; where one fails, removes what was built of the others."""

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
            from Cython import __version__ as version  # noqa: PLC0415 - may be absent
            from Cython.Build import cythonize  # noqa: PLC0415
        except ImportError:
            message = "Cython is not installed"
            raise CompileError(message) from None
        if _numbers(version) < _numbers(OLDEST_CYTHON):
            message = f"Cython {version} is too old: {OLDEST_CYTHON} or newer is needed"
            raise CompileError(message)
        modules = [Extension(extension.name, extension.sources) for extension in self.extensions]
        folder = Path("build", "cython-debug" if self.debug else "cython")
        changed = Path(__file__).stat().st_mtime  # what it says of Cython, Cython does not look at
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


def _numbers(version: str) -> tuple[int, ...]:
    """The version's numbers: (3, 2, 0) of "3.2.0b1"."""
    return tuple(int("".join(filter(str.isdigit, part[:2])) or 0) for part in version.split(".")[:3])


def _remove_compiled(folder: Path, kept: Collection[str]) -> None:
    """Remove the compiled modules that this Python would import from a folder, except those of the names `kept`."""
    for path in folder.glob("linkfix/**/*.*"):
        name, _, suffix = path.name.partition(".")
        module = ".".join((*path.parent.relative_to(folder).parts, name))
        if f".{suffix}" in EXTENSION_SUFFIXES and module not in kept:
            path.unlink()


def _can_share_work() -> bool:
    """Whether processes can share work here: some sandboxes have no semaphores."""
    try:
        import multiprocessing.synchronize  # noqa: F401, PLC0415 - fails without them
    except ImportError:
        return False
    return True


if __name__ == "__main__":  # processes that translate modules import this file too, under another name
    if IS_PLAIN and MUST_COMPILE:
        contradiction = "LINKFIX_PLAIN=1 and LINKFIX_COMPILED=1 contradict each other: set one of them"
        raise OptionError(contradiction)
    setup(
        cmdclass={"build_ext": BuildAllOrNone, "build_py": BuildFresh},
        ext_modules=[] if IS_PLAIN else [Extension(name, [name.replace(".", "/") + ".py"]) for name in HOT_MODULES],
    )
