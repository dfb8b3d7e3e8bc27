"""Names that a hot module does not declare in its `.pxd`: Cython compiles them silently, as Python objects.

`undeclared` reads the source by the standard library and the `.pxd` by Cython's own parser. It looks at the functions
that the `.pxd` declares, and names in them:

- an argument or a local variable without a type, comprehension variables and closures included,
- a return value or an argument of the `.pxd` itself without a type,
- a variable of the module, or a name that it imports, that the `.pxd` neither declares nor cimports: each use of it
  is a lookup in a dictionary,
- a function or method of a hot module that no `.pxd` declares: a call of it is a call through Python.

A class with methods has to be declared: functions in C do not become methods of any other (`binding` in `setup.py`).

An intended object is declared `object`.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from Cython.Compiler.TreeFragment import parse_from_strings

__all__ = ["Declarations", "methods", "read_declarations", "undeclared"]

Node = Any  # Cython's nodes have no types


@dataclass
class Function:
    """A function that a .pxd declares or defines."""

    #: Names with a type: arguments, and names in `@cython.locals`; in a body also those of `cdef`.
    typed: set[str] = field(default_factory=set)
    #: Names that the declaration itself leaves without a type.
    faults: list[str] = field(default_factory=list)
    body: Node = None
    is_inline: bool = False


@dataclass
class Declarations:
    """The declarations of a .pxd."""

    #: Variables and constants of the module, and its cimports.
    names: set[str] = field(default_factory=set)
    #: Variables that need a compiled module, constants excepted.
    variables: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    #: "function" or "Class.method" -> its declaration.
    functions: dict[str, Function] = field(default_factory=dict)


@cache
def read_declarations(text: str) -> Declarations:
    """The declarations of a .pxd."""
    found = Declarations()
    _read(parse_from_strings("declarations", text, level="module_pxd").body, "", found)
    return found


def _read(node: Node, prefix: str, found: Declarations) -> None:
    match type(node).__name__:
        case "StatListNode":
            for statement in node.stats:
                _read(statement, prefix, found)
        case "CompilerDirectivesNode":
            _read(node.body, prefix, found)
        case "FromCImportStatNode":
            found.names |= {imported[2] or imported[1] for imported in node.imported_names}
        case "CEnumDefNode":
            found.names |= {item.name for item in node.items}
        case "CClassDefNode":
            found.names.add(node.class_name)
            found.classes.add(node.class_name)
            _read(node.body, f"{node.class_name}.", found)
        case "CFuncDefNode":
            name, function = _function(node.base_type, node.declarator, node.decorators or ())
            function.body, function.is_inline = node.body, "inline" in node.modifiers
            function.typed |= set(_declared_names(node.body))
            found.functions[prefix + name] = function
        case "CVarDefNode":
            _read_variables(node, prefix, found)


def _read_variables(node: Node, prefix: str, found: Declarations) -> None:
    for declarator in node.declarators:
        if type(declarator).__name__ == "CFuncDeclaratorNode":
            name, function = _function(node.base_type, declarator, node.decorators or ())
            found.functions[prefix + name] = function
        elif not prefix:
            found.names.add(_name(declarator))
            found.variables.add(_name(declarator))


def _name(declarator: Node) -> str:
    while not hasattr(declarator, "name"):
        declarator = declarator.base
    return str(declarator.name)


def _function(base_type: Node, declarator: Node, decorators: tuple[Node, ...]) -> tuple[str, Function]:
    while type(declarator).__name__ != "CFuncDeclaratorNode":
        declarator = declarator.base
    name, function = _name(declarator.base), Function()
    if getattr(base_type, "name", "") is None:
        function.faults.append("its return type")
    for argument in declarator.args:
        label = _name(argument.declarator)
        if not label:  # `f(x)`: Cython's parser takes the one word for a type
            label = str(argument.base_type.name)
            if label != "self":
                function.faults.append(f"its argument {label}")
        function.typed.add(label)
    for decorator in decorators:
        for pair in decorator.decorator.keyword_args.key_value_pairs:
            function.typed.add(str(pair.key.value))
    return name, function


def _declared_names(body: Node) -> Iterator[str]:
    for node in _walk(body):
        if type(node).__name__ == "CVarDefNode":
            yield from map(_name, node.declarators)


def _assigned_names(body: Node) -> Iterator[str]:
    for node in _walk(body):
        targets = [getattr(node, "lhs", None), getattr(node, "target", None), *(getattr(node, "lhs_list", None) or ())]
        for target in targets:
            for part in _walk(target) if type(target).__name__ in {"NameNode", "TupleNode"} else ():
                if type(part).__name__ == "NameNode":
                    yield str(part.name)


def _walk(node: Node) -> Iterator[Node]:
    if node is None:
        return
    yield node
    for name in node.child_attrs or ():
        children = getattr(node, name)
        for child in children if isinstance(children, list) else [children]:
            yield from _walk(child)


@cache
def methods(source: str) -> frozenset[str]:
    """The functions and methods of a module, as `Declarations.functions` names them; special methods excepted."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{one.name}"
                for one in node.body
                if isinstance(one, ast.FunctionDef) and not one.name.startswith("__")
            }
    return frozenset(found)


def undeclared(source: str, pxd: str, others: Mapping[str, str] | None = None) -> list[str]:
    """The faults of the module `source` whose declarations are `pxd`.

    `others`: the sources of the other hot modules -> their .pxd, whose methods it may call.
    """
    declarations = read_declarations(pxd)
    table = symtable.symtable(source, "source", "exec")
    variables = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    functions = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_namespace()}
    slow = methods(source) - set(declarations.functions)
    slow_methods = {name.partition(".")[2] for name in slow} - {""}
    for other, other_pxd in (others or {}).items():
        missing = methods(other) - set(read_declarations(other_pxd).functions)
        slow_methods |= {name.partition(".")[2] for name in missing} - {""}
    bodies = dict(_bodies(ast.parse(source)))
    with_methods = dict.fromkeys(name.partition(".")[0] for name in bodies if "." in name)
    found = [f"{name}: the class" for name in with_methods if name not in declarations.classes]
    for name, function in declarations.functions.items():
        found += [f"{name}: {fault}" for fault in function.faults]
        if function.body is not None:
            found += [f"{name}: {one}" for one in sorted(set(_assigned_names(function.body)) - function.typed)]
            continue
        scope = _scope(table, name)
        closures, theirs = _closures(bodies[name])
        found += [f"{name}: {one}" for one in sorted(set(scope.get_locals()) - function.typed - theirs)]
        found += [f"{name}: a closure, {one}" for one in closures]
        reads = set(scope.get_globals())
        found += [f"{name}: the global {one}" for one in sorted(reads & variables - functions - declarations.names)]
        found += [f"{name}: the function {one}" for one in sorted(reads & slow)]
        found += [f"{name}: the method {one}" for one in sorted(set(_called_methods(bodies[name])) & slow_methods)]
    return found


def _scope(table: symtable.SymbolTable, name: str) -> Any:
    for part in name.split("."):
        [table] = [child for child in table.get_children() if child.get_name() == part]
    return table


def _bodies(module: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))


_COMPREHENSIONS = {
    ast.ListComp: "listcomp",
    ast.SetComp: "setcomp",
    ast.DictComp: "dictcomp",
    ast.GeneratorExp: "genexpr",
}


def _closures(function: ast.FunctionDef) -> tuple[list[str], set[str]]:
    """The functions and comprehensions in a function, and the variables of comprehensions.

    Up to Python 3.11 symtable has comprehensions as scopes of their own, and later as part of the function's.
    """
    closures, variables = [], set()
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef) and node is not function:
            closures.append(node.name)
        elif isinstance(node, ast.Lambda):
            closures.append("lambda")
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            closures.append(_COMPREHENSIONS[type(node)])
            targets = (one for generator in node.generators for one in ast.walk(generator.target))
            variables |= {one.id for one in targets if isinstance(one, ast.Name)}
    return closures, variables


def _called_methods(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr
