"""Names in prose and in annotations link to their entries in the reference.

Annotations use the defining module (`linkfix.model.Link`), and the reference the public module (`linkfix.Link`). In
prose, `linkfix.absolutize`, `Document` and `Options.rows` are code; a public name becomes a link, and a name that only
looks public fails the build.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from site_extension.public import PUBLIC_MODULES, is_type, public_names

__all__ = ["add_to"]

_NAME = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\.\w+)*)(?:\(.*\))?")


def add_to(app: Sphinx) -> None:
    """Add the links."""
    app.add_transform(_Links)
    app.connect("missing-reference", _resolve)


@cache
def _homes() -> dict[str, str]:
    """The defining path of a class, function or type variable -> its public path."""
    homes: dict[str, str] = {}
    for module in PUBLIC_MODULES:
        for name in public_names(module):
            value = getattr(import_module(module), name)
            if is_type(value) and not isinstance(value, TypeVar):  # an alias of a type: its module is typing
                continue
            defined = getattr(value, "__qualname__", getattr(value, "__name__", name))
            homes.setdefault(f"{getattr(value, '__module__', module)}.{defined}", f"{module}.{name}")
    return homes


@cache
def _written() -> dict[str, str]:
    """A name in prose for something public -> its path."""
    paths = {f"{module}.{name}": f"{module}.{name}" for module in PUBLIC_MODULES for name in public_names(module)}
    classes = {name: f"linkfix.{name}" for name in public_names("linkfix") if name[0].isupper()}
    return classes | paths


def _resolve(app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element) -> Any:
    """A reference of autodoc to where something is defined."""
    target = _homes().get(node["reftarget"])
    if node.get("refdomain") != "py" or target is None:
        return None
    python = env.domains.python_domain
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)


class _Links(SphinxTransform):
    """Makes links of code that names something public."""

    default_priority = 400

    def apply(self, **_: object) -> None:
        """Look at all code in prose."""
        for code in list(self.document.findall(nodes.literal)):
            if not isinstance(code.parent, nodes.reference | addnodes.pending_xref | nodes.title):
                for target in _targets(code.astext()):
                    reference = addnodes.pending_xref(
                        "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True, refwarn=True
                    )
                    reference["refdoc"] = self.env.docname
                    code.replace_self(reference)
                    reference += code


def _targets(text: str) -> Iterator[str]:
    """The path that a text names, if that is public or looks so."""
    found = _NAME.fullmatch(text)
    if not found:
        return
    name = found["name"]
    if name in _written():
        yield _written()[name]
        return
    owner, _, attribute = name.rpartition(".")
    if owner in _written() and inspect.isclass(_value(_written()[owner])):
        yield f"{_written()[owner]}.{attribute}"


def _value(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
