"""Names, table rows, patterns, modules, attributes and values that are made at first use; unused ones cost nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, AnyStr, Generic, Self, TypeVar, cast, overload

T = TypeVar("T")


class cached_value(Generic[T]):  # noqa: N801  a decorator, named as functools.cached_property
    """A property that is computed at first use and kept in the instance, where it can also be set.

    It is `functools.cached_property` without the lock that this has before Python 3.12, and in a third of its time: a
    small document has more such properties than links. Threads that ask at once may each compute the value.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value = self._compute(instance)
        setattr(instance, self._name, value)  # without the dictionary that `instance.__dict__` makes
        return value


class LazyTable(Mapping[str, T]):
    """A table whose rows come from modules that are imported at first use.

    `places`: row name -> module and the name in it, separated by a colon. `made`: the name is a class, and the row is
    an instance of it, made without arguments. Otherwise the named object is the row.
    """

    def __init__(self, places: Mapping[str, str], *, made: bool = True) -> None:
        self._places = places
        self._made = made
        self._rows: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        row = self._rows.get(name)
        if row is None:
            module, _, named = self._places[name].partition(":")
            found = getattr(import_module(module), named)
            row = self._rows[name] = found() if self._made else found
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LazyPattern:
    """The object that `lazy_pattern` returns."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # copying and pickling ask for these; the source and the flags suffice
            raise AttributeError(name)
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)  # found directly at the next use
        return value


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled at its first use. Compiling takes a third of a millisecond on
    average, and a run uses only a few patterns.

    The result has the methods of a pattern; functions of `re` do not accept it.
    """
    return cast("re.Pattern[AnyStr]", LazyPattern(source, flags))


def lazy_attributes(
    package: str, names: Mapping[str, str], submodules: Iterable[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make the `__getattr__` and `__dir__` of a package (PEP 562).

    `names`: module -> the names to export from it, separated by spaces. `submodules`: modules of the package to export
    as attributes. Assign the pair under `if not TYPE_CHECKING:` and import the same names under `if TYPE_CHECKING:`. A
    type checker that sees `__getattr__` accepts any misspelt name. `dir` lists the package's `__all__`.
    """
    homes = {name: module for module, exported in names.items() for name in exported.split()}
    modules = {name: f"{package}.{name}" for name in submodules}
    namespace = vars(sys.modules[package])

    def get_attribute(name: str) -> object:
        if name in homes:
            value = getattr(import_module(homes[name]), name)
        elif name in modules:
            value = import_module(modules[name])
        else:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        namespace[name] = value
        return value

    def list_attributes() -> list[str]:
        return sorted({*namespace["__all__"], *(name for name in namespace if name.startswith("__"))})

    return get_attribute, list_attributes
