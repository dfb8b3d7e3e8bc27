"""Compiles the hot modules, all or none (`docs/compiled.md`).

Where Cython or a C compiler is missing or fails, the package is installed as plain Python, with a warning that says
why. Environment: LINKFIX_PLAIN=1 compiles nothing; LINKFIX_COMPILED=1 fails where not everything compiles.
"""

from __future__ import annotations

import os
import runpy
import textwrap
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

HOT_MODULES: tuple[str, ...] = runpy.run_path("linkfix/html/compiled.py")["HOT_MODULES"]
IS_PLAIN = os.environ.get("LINKFIX_PLAIN") == "1"
MUST_COMPILE = os.environ.get("LINKFIX_COMPILED") == "1"
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # types are in the .pxd
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
}


class BuildAllOrNone(build_ext):
    """Compiles all modules; where one fails, removes what was built of the others."""

    command_name = "build_ext"  # in messages

    def run(self) -> None:
        """Compile, or warn and leave the package plain."""
        if not self.extensions:
            return
        inplace = self.inplace  # setuptools changes it while it builds
        try:
            self._cythonize()
            self.parallel = self.parallel or os.cpu_count()
            super().run()
        except Exception as error:  # Cython, a compiler and the lack of either fail in many ways
            if MUST_COMPILE:
                raise
            self.inplace = inplace
            self._remove_built()
            self.extensions = []
            reason = textwrap.shorten(str(error), 200, placeholder=" …")
            self.warn(f"linkfix is installed as plain Python, which is slow: no module was compiled, because {reason}")

    def build_extension(self, ext: Extension) -> None:
        """Compile one module; the error names it."""
        if self.compiler.compiler_type == "unix" and not self.debug:
            ext.extra_compile_args = ["-g0"]  # a fifth of the time, four fifths of the size
        try:
            super().build_extension(ext)
        except Exception as error:
            message = f"{ext.name} failed: {error}"
            raise CompileError(message) from error

    def _cythonize(self) -> None:
        """Translate the modules to C."""
        try:
            from Cython.Build import cythonize  # noqa: PLC0415 - may be absent
        except ImportError:
            message = "Cython is not installed"
            raise CompileError(message) from None
        modules = [Extension(extension.name, extension.sources) for extension in self.extensions]
        try:
            translated = cythonize(
                modules,
                compiler_directives=DIRECTIVES,
                build_dir="build/cython-debug" if self.debug else "build/cython",
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


setup(
    cmdclass={"build_ext": BuildAllOrNone},
    ext_modules=[] if IS_PLAIN else [Extension(name, [name.replace(".", "/") + ".py"]) for name in HOT_MODULES],
)
