"""`dataclass`, `field` and `replace` as `dataclasses` has them, of which a class costs a sixth when it is imported.

The standard library compiles up to eight methods for each class, a millisecond and more; a run of linkfix imports
twenty such classes. Here one method is compiled, when the first object is made, and the others are shared. There is
only what linkfix uses: classes with slots, without inherited fields; `field` has `default_factory` alone. Functions of
`dataclasses` take these classes, and `tests/test_dataclass.py` holds that they do what its own do.

Internal: it can change in any release.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from linkfix.lazy import LazySignature

__all__ = ["dataclass", "field", "replace"]

T = TypeVar("T")


class _Factory:
    """The default of a field that is made anew for each object."""

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


def _field(*, default_factory: Callable[[], Any]) -> Any:  # noqa: ANN401 - it stands for a value of any type
    return _Factory(default_factory)


class _Fields:
    """`__dataclass_fields__`: made by `dataclasses` when one of its functions asks for it."""

    def __init__(self, types: dict[str, str], defaults: dict[str, object]) -> None:
        self._types = types
        self._defaults = defaults
        self._fields: dict[str, Any] | None = None

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        if self._fields is None:
            import dataclasses  # noqa: PLC0415 - it is not needed before

            rows: list[Any] = []
            for name, type_ in self._types.items():
                default = self._defaults.get(name, dataclasses.MISSING)
                if isinstance(default, _Factory):
                    rows.append((name, type_, dataclasses.field(default_factory=default.make)))
                else:
                    rows.append((name, type_, dataclasses.field(default=default)))
            self._fields = vars(dataclasses.make_dataclass(owner.__name__, rows))["__dataclass_fields__"]
        return self._fields


def _dataclass(
    *, slots: bool, frozen: bool = False, kw_only: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    if not slots:
        message = "classes with slots only"
        raise TypeError(message)

    def decorate(plain: type[T]) -> type[T]:
        types = {name: text for name, text in plain.__annotations__.items() if not text.startswith("ClassVar[")}
        contents = {name: value for name, value in vars(plain).items() if name not in {"__dict__", "__weakref__"}}
        defaults = {name: contents.pop(name) for name in types if name in contents}
        names = tuple(types)
        contents |= {"__slots__": names, "__match_args__": () if kw_only else names}
        contents["__dataclass_fields__"] = _Fields(types, defaults)
        contents.setdefault("__repr__", _repr)
        if eq:
            contents |= _comparison(names, hashed=frozen)
        if frozen:
            contents |= {"__getstate__": _values, "__setstate__": _set_values}
            contents |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        made: Any = type(plain)  # or a metaclass
        made = made(plain.__name__, plain.__bases__, contents)
        made.__qualname__ = plain.__qualname__

        def compiled() -> Callable[..., None]:
            made.__init__ = init = _init(made, types, defaults, frozen=frozen, kw_only=kw_only)
            return init

        def __init__(self: object, *values: object, **named: object) -> None:  # noqa: N807
            compiled()(self, *values, **named)

        made.__init__ = __init__
        made.__signature__ = LazySignature(lambda _: compiled())
        return cast("type[T]", made)

    return decorate


def _init(
    made: type, types: dict[str, str], defaults: dict[str, object], *, frozen: bool, kw_only: bool
) -> Callable[..., None]:
    """The method `__init__`."""
    known = {f"_default_{name}": value for name, value in defaults.items()}
    parameters = [f"{name}=_default_{name}" if name in defaults else name for name in types]
    lines = [f"def __init__(self{', *' if kw_only else ''}{''.join(', ' + one for one in parameters)}):"]
    for name in types:
        factory = defaults.get(name)
        value = name
        if isinstance(factory, _Factory):
            known[f"_make_{name}"] = factory.make
            value = f"_make_{name}() if {name} is _default_{name} else {name}"
        if frozen:  # the slot's own setter is quicker than `object.__setattr__`, which looks for it
            known[f"_set_{name}"] = vars(made)[name].__set__
        lines.append(f" _set_{name}(self, {value})" if frozen else f" self.{name} = {value}")
    lines.append(" self.__post_init__()" if hasattr(made, "__post_init__") else " return")
    compiled: dict[str, Any] = {}
    exec("\n".join(lines), known | {"__name__": made.__module__}, compiled)  # noqa: S102 - names of fields, in linkfix
    init: Callable[..., None] = compiled["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__annotations__ = types | {"return": "None"}
    return init


def _comparison(names: tuple[str, ...], *, hashed: bool) -> dict[str, object]:
    """The methods `__eq__` and `__hash__`."""
    values: Callable[[object], object] = attrgetter(*names) if names else lambda _: ()

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if hashed else None}


def _fields_of(one: object) -> tuple[str, ...]:
    names: tuple[str, ...] = type(one).__slots__  # type: ignore[attr-defined]
    return names


def _repr(self: object) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in _fields_of(self))})"


def _values(self: object) -> list[object]:
    return [getattr(self, name) for name in _fields_of(self)]


def _set_values(self: object, values: list[object]) -> None:
    for name, value in zip(_fields_of(self), values, strict=True):
        object.__setattr__(self, name, value)


def _refuse_to_set(self: object, name: str, value: object) -> None:  # noqa: ARG001 - the method's signature
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - for mistakes alone

    message = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(message)


def _refuse_to_delete(self: object, name: str) -> None:  # noqa: ARG001
    from dataclasses import FrozenInstanceError  # noqa: PLC0415

    message = f"cannot delete field {name!r}"
    raise FrozenInstanceError(message)


def _replace(one: T, /, **changes: object) -> T:
    return type(one)(**{name: getattr(one, name) for name in _fields_of(one)} | changes)


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _field, _replace
