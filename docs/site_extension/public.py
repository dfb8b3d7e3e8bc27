"""The directive `public`: the public names of a module, each with its documentation.

    :::{public} linkfix.hooks.requests
    :::

shows all names of the module's `__all__`; if the directive has content, the names in it. autodoc shows functions and
classes, but not types and constants, since it does not search their defining module for their documentation.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, TypeVar, get_origin

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

__all__ = ["PUBLIC_MODULES", "add_to", "is_type", "public_names"]

#: The public modules, in the order of the pages.
PUBLIC_MODULES = (
    "linkfix",
    "linkfix.text",
    "linkfix.schemes",
    "linkfix.schemes.iana",
    "linkfix.hooks",
    "linkfix.hooks.response",
    "linkfix.hooks.generic",
    "linkfix.hooks.requests",
    "linkfix.hooks.httpx",
    "linkfix.hooks.httpx2",
    "linkfix.hooks.aiohttp",
    "linkfix.hooks.asgi",
    "linkfix.hooks.wsgi",
    "linkfix.hooks.feedparser",
    "linkfix.hooks.scrapy",
    "linkfix.hooks.playwright",
    "linkfix.hooks.lxml",
    "linkfix.hooks.bs4",
    "linkfix.hooks.parsel",
    "linkfix.hooks.selectolax",
    "linkfix.arrow",
    "linkfix.spark",
)
#: The longest value that is shown, in characters.
_LONG = 100
_logger = logging.getLogger(__name__)


def add_to(app: Sphinx) -> None:
    """Add the directive."""
    app.add_directive("public", _PublicNames)


class _PublicNames(SphinxDirective):
    """The directive."""

    required_arguments: ClassVar[int] = 1
    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Show the names."""
        module = self.arguments[0]
        names = " ".join(self.content).split() or public_names(module)
        lines = [line for name in names for line in (*_shown(module, name), "")]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def public_names(module: str) -> list[str]:
    """The public names of a module, without modules and the version: functions, then classes, then all others."""
    found = import_module(module)
    values = {name: getattr(found, name) for name in found.__all__ if name != "__version__"}
    names = [name for name, value in values.items() if not inspect.ismodule(value)]
    return sorted(names, key=lambda name: 0 if _is_function(values[name]) else 1 + (not inspect.isclass(values[name])))


def _shown(module: str, name: str) -> Iterator[str]:
    """The lines that show a name."""
    value, path = getattr(import_module(module), name), f"{module}.{name}"
    if _is_function(value):
        yield f".. autofunction:: {path}"
    elif inspect.isclass(value):
        is_error = issubclass(value, BaseException)
        yield f".. auto{'exception' if is_error else 'class'}:: {path}"
        yield from ["   :members:", "   :undoc-members:", *(["   :show-inheritance:"] if is_error else [])]
    else:
        yield f".. py:{'type' if is_type(value) else 'data'}:: {path}"
        yield from [f"   {line}" for line in _facts(value)]
        yield ""
        lines = _documentation(module, name)
        if not lines:
            _logger.warning("%s: nothing says what it is, where it is defined", path)
        yield from (f"   {line}" for line in lines)


def _facts(value: Any) -> Iterator[str]:
    if isinstance(value, TypeVar):
        yield f":canonical: {' | '.join(one.__name__ for one in value.__constraints__)}"
    elif is_type(value):
        yield f":canonical: {str(value).replace('typing.', '')}"
    elif len(repr(value)) <= _LONG and " object at " not in repr(value):
        yield f":value: {value!r}"
    else:
        yield f":type: {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def is_type(value: Any) -> bool:
    """Whether a value that is no class is a type all the same: an alias, a variable."""
    return isinstance(value, TypeVar) or get_origin(value) is not None


def _is_function(value: object) -> bool:
    return inspect.isroutine(inspect.unwrap(value)) if callable(value) and not inspect.isclass(value) else False


def _documentation(module: str, name: str) -> list[str]:
    """The documentation of a constant in the module that defines it."""
    documented = ModuleAnalyzer.for_module(_home(module, name)).find_attr_docs()
    return documented.get(("", name), [])


def _home(module: str, name: str) -> str:
    """The module that defines a name of a module."""
    for node in ast.walk(_source(module)):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and any((one.asname or one.name) == name for one in node.names)
        ):
            return _home(node.module, name)
    return module


@cache
def _source(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(import_module(module)))
