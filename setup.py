"""Compiles the hot modules where Cython and a C compiler are there; installs them as plain Python where not.

LINKFIX_PLAIN=1 in the environment leaves them plain.
"""

from __future__ import annotations

import os
from pathlib import Path

from setuptools import Extension, setup

#: A module is compiled when a .pxd of declarations stands beside it; bytesearch.pxd is bodies for the others.
HOT = sorted(str(path.with_suffix(".py")) for path in Path("linkfix").rglob("*.pxd") if path.stem != "bytesearch")
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # types are in the .pxd
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
}


def extensions() -> list[Extension]:
    """What is to be compiled; nothing where Cython is not there or not wanted."""
    if os.environ.get("LINKFIX_PLAIN") == "1":
        return []
    try:
        from Cython.Build import cythonize  # noqa: PLC0415 - may be absent
    except ImportError:
        return []
    modules = [Extension(path[:-3].replace(os.sep, "."), [path]) for path in HOT]
    compiled: list[Extension] = cythonize(modules, compiler_directives=DIRECTIVES, build_dir="build/cython", quiet=True)
    for extension in compiled:
        extension.optional = True  # which cythonize does not hand on: what does not compile stays plain
    return compiled


setup(ext_modules=extensions())
