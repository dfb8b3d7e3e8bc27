"""Classes of fields do what those of the standard library do; `dataclasses` is the oracle."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
from collections import Counter
from typing import ClassVar, Generic, TypeVar

import pytest
from support.modules import OWN_MODULES

import linkfix
from linkfix import dataclass as module
from linkfix.audit.options import AuditOptions
from linkfix.lazy import LazyPattern, LazyTable

T = TypeVar("T")


class Frozen:
    kind: ClassVar[str] = "a kind"
    name: str
    sizes: tuple[int, ...] = ()
    url: str | None = None

    def shout(self):
        return self.name.upper()


class Mutable:
    name: str
    counts: Counter[str] = module.field(default_factory=Counter)
    checked: bool = False

    def __post_init__(self):
        self.checked = True


class One:
    name: str = "x"


class Empty:
    kind: ClassVar[str] = "a kind"


class Typed(Generic[T]):
    value: T

    def __repr__(self):
        return "of its own"


def both(plain, **options):
    """The class as the standard library makes it, and as linkfix does."""
    given = {name: value for name, value in vars(plain).items() if name not in {"__dict__", "__weakref__"}}
    factories = {name: value for name, value in given.items() if isinstance(value, module._Factory)}
    theirs = given | {name: dataclasses.field(default_factory=value.make) for name, value in factories.items()}
    return [
        decorate(slots=True, **options)(type(plain.__name__, plain.__bases__, dict(contents)))
        for decorate, contents in ((dataclasses.dataclass, theirs), (module.dataclass, given))
    ]


def outcome(work):
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the exceptions are compared
        return type(error), str(error)


def described(one):
    """What can be seen of an object."""
    return (
        repr(one),
        {field.name: getattr(one, field.name) for field in dataclasses.fields(one)},
        outcome(lambda: hash(one) == hash(copy.copy(one))),
        copy.copy(one) == one,
        copy.deepcopy(one) == one,
        one == object(),
        type(one).__match_args__,
        type(one).__slots__,
        str(inspect.signature(type(one))).replace("<factory>", "").count("="),
        [(field.name, field.type, field.init, field.repr) for field in dataclasses.fields(one)],
        hasattr(one, "__dict__"),
    )


CASES = [
    (Frozen, {"frozen": True}, ("a",), {}),
    (Frozen, {"frozen": True}, ("a", (1, 2)), {"url": "http://h/"}),
    (Frozen, {"frozen": True, "kw_only": True}, (), {"name": "a"}),
    (Frozen, {"frozen": True, "eq": False}, ("a",), {}),
    (Frozen, {}, ("a",), {"url": ""}),
    (Mutable, {}, ("a",), {}),
    (Mutable, {}, ("a", Counter("aab")), {}),
    (One, {"frozen": True}, (), {}),
    (One, {}, (), {}),
    (Empty, {"frozen": True}, (), {}),
    (Typed, {"frozen": True}, (5,), {}),
]


@pytest.mark.parametrize(("plain", "options", "arguments", "named"), CASES)
def test_objects_are_as_those_of_the_standard_library(plain, options, arguments, named):
    theirs, ours = both(plain, **options)
    assert described(ours(*arguments, **named)) == described(theirs(*arguments, **named))
    if arguments:
        changed = {dataclasses.fields(ours)[0].name: "other"}
        a, b = ours(*arguments, **named), theirs(*arguments, **named)
        assert repr(module.replace(a, **changed)) == repr(dataclasses.replace(a, **changed))
        assert repr(dataclasses.replace(a, **changed)) == repr(dataclasses.replace(b, **changed))
        assert (module.replace(a) == a) == (dataclasses.replace(b) == b)
        for work in (lambda one: setattr(one, next(iter(changed)), 1), lambda one: delattr(one, next(iter(changed)))):
            found, expected = outcome(lambda w=work, a=a: w(a)), outcome(lambda w=work, b=b: w(b))
            assert found == expected
    for wrong in ((), (1, 2, 3, 4, 5)):
        found, expected = outcome(lambda w=wrong: ours(*w)), outcome(lambda w=wrong: theirs(*w))
        if isinstance(expected, tuple):
            assert found == expected


def test_two_objects_have_no_default_in_common():
    _, ours = both(Mutable)
    first, second = ours("a"), ours("a")
    first.counts["x"] += 1
    assert first.checked
    assert not second.counts
    assert first != second


def test_a_class_without_slots_is_refused():
    with pytest.raises(TypeError, match="slots"):
        module.dataclass(slots=False)(One)


@pytest.mark.parametrize("one", [linkfix.Envelope(url="http://h/"), linkfix.Options(lazy=True), AuditOptions()])
def test_the_objects_of_linkfix_are_pickled_and_copied(one):
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - its own
    assert copy.deepcopy(one) == dataclasses.replace(one) == one
    assert dataclasses.is_dataclass(one)
    assert dataclasses.asdict(one).keys() == {field.name for field in dataclasses.fields(one)}


def test_all_patterns_and_tables_that_wait_for_their_first_use_are_right():
    waiting = 0
    for name in OWN_MODULES:
        if name.startswith("linkfix.hooks."):
            continue  # other programs' modules
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, LazyPattern):
                assert value.pattern is not None
                waiting += 1
            elif isinstance(value, LazyTable):
                assert all(row is not None for row in value.values())
                waiting += 1
    assert waiting > 50
