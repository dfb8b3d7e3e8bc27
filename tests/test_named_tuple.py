"""Named tuples do what those of the standard library do; `typing` is the oracle."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import typing
from typing import Generic, TypeVar

import pytest
from support.modules import OWN_MODULES

import linkfix
from linkfix import named_tuple as module

T = TypeVar("T")
Standard = typing.NamedTuple


def both(name):
    """The class as the standard library makes it, and as linkfix does: the same source."""
    return [CLASSES[name](base) for base in (Standard, module.NamedTuple)]


def plain(base):
    class Point(base):
        """A point."""

        x: int
        """To the right."""
        y: float = 0.5
        name: str | None = None

        @property
        def doubled(self):
            return self.x * 2

        def moved(self):
            return self._replace(x=self.x + 1)

        def __bool__(self):
            return self.x > 0

    return Point


def one_field(base):
    class Single(base):
        value: int

    return Single


def of_its_own(base):
    class Shown(base):
        value: int

        def __repr__(self):
            return "of its own"

        def __eq__(self, other):
            return isinstance(other, tuple) and self[0] == other[0]

        def __hash__(self):
            return 7

    return Shown


def generic(base):
    class Numbered(base, Generic[T]):
        number: int
        value: T

    return Numbered


CLASSES = {"plain": plain, "one field": one_field, "methods of its own": of_its_own, "generic": generic}


def outcome(work):
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the exceptions are compared
        return type(error), str(error)


def described(made, arguments, named):
    """What can be seen of a class and of an object of it."""
    one = outcome(lambda: made(*arguments, **named))
    about = (
        made.__name__,
        made.__qualname__.rpartition(".")[2],
        made.__module__,
        made._fields,
        made._field_defaults,
        made.__match_args__,
        made.__slots__,
        re.sub(r"ForwardRef\((.*?)\)", r"\1", str(inspect.signature(made))),
        typing.get_type_hints(made, localns={"T": T}),
        hasattr(one, "__dict__"),
    )
    if type(one) is tuple:
        return about, one
    return (
        *about,
        repr(one),
        tuple(one),
        len(one),
        isinstance(one, tuple),
        one == tuple(one),
        outcome(lambda: hash(one)),
        one._asdict(),
        repr(one._replace()),
        repr(one._replace(**{made._fields[0]: 9})),
        outcome(lambda: one._replace(nothing=1)),
        repr(made._make(tuple(one))),
        outcome(lambda: made._make([1] * 7)),
        outcome(lambda: setattr(one, made._fields[0], 1)),
        outcome(lambda: one.nothing)[0],
        repr(copy.copy(one)),
        repr(copy.deepcopy(one)),
        sorted([made(*tuple(one)), made(*tuple(one))]) == [one, one],
        bool(one),
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((1,), {}),
        ((1, 2.5), {}),
        ((1, 2.5, "a"), {}),
        ((), {"x": 1}),
        ((), {"value": 1}),
        ((1,), {"name": "a"}),
        ((), {}),
        ((1, 2, 3, 4, 5), {}),
        ((1,), {"x": 1}),
        ((1,), {"nothing": 1}),
        ((), {"number": 2, "value": "v"}),
    ],
)
@pytest.mark.parametrize("name", CLASSES)
def test_objects_are_as_those_of_the_standard_library(name, arguments, named):
    theirs, ours = both(name)
    expected = described(theirs, arguments, named)
    assert described(ours, arguments, named) == expected
    assert described(ours, arguments, named) == expected  # and when `__new__` has been compiled


def test_methods_and_properties_are_those_that_were_written():
    theirs, ours = both("plain")
    for made in (theirs, ours):
        point = made(3)
        assert (point.doubled, point.moved(), bool(made(0))) == (6, (4, 0.5, None), False)
        assert inspect.getdoc(made) == "A point."
        match point:
            case made(x=3, y=height):
                assert height == 0.5
            case _:
                pytest.fail("the pattern does not match")


def test_a_generic_class_takes_a_type():
    theirs, ours = both("generic")
    assert str(ours[int]).rpartition(".")[2] == str(theirs[int]).rpartition(".")[2]
    assert ours[int](1, 2) == (1, 2)


def own_classes():
    for name in OWN_MODULES:
        if name.startswith("linkfix.hooks."):
            continue  # other programs' modules
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, type) and issubclass(value, module._NamedValues) and value.__module__ == name:
                yield value


def test_the_classes_of_linkfix_are_valid_for_the_standard_library_too():
    classes = [one for one in own_classes() if one is not module._NamedValues]
    assert len(classes) > 100
    for one in classes:
        rows = [(name, object) for name in one._fields]
        theirs = Standard(one.__name__, rows)  # refuses names that a field cannot have
        values = tuple(f"v{number}" for number in range(len(rows)))
        assert one(*values) == theirs(*values)
        with_defaults = list(one._field_defaults)
        assert with_defaults == list(one._fields[len(one._fields) - len(with_defaults) :])
        assert not set(one._fields) & set(dir(tuple))


def test_links_are_pickled():
    links = linkfix.links("<a href=x>", url="https://example.com/")
    assert pickle.loads(pickle.dumps(links)) == links  # noqa: S301 - its own


def test_a_class_costs_less_to_make():
    """Nothing is compiled for a class that is only made."""
    program = (
        "import builtins; compiled = []; own = builtins.eval\n"
        "builtins.eval = lambda *args: compiled.append(args[0]) or own(*args)\n"
        "from linkfix.named_tuple import NamedTuple; before = len(compiled)\n"
        "class A(NamedTuple):\n    x: int\n    y: int = 2\n"
        "a = A(1, 2); made = len(compiled) - before\n"
        "A(x=1); A(5); print(made, len(compiled) - before)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["0", "1"]
