"""`NamedTuple` as `typing` has it, of which a class costs a quarter when it is imported.

The standard library makes two classes of each and compiles a function for it, a quarter of a millisecond; a run of
linkfix imports seventy. Here a class is made once, what all have in common is inherited, and `__new__` is compiled when
it is first called by other than all values in their order. `tests/test_named_tuple.py` holds that these classes do what
those of the standard library do.

Internal: it can change in any release.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]  # what `namedtuple` uses
from typing import TYPE_CHECKING, Any, cast

from linkfix.lazy import LazySignature

__all__ = ["NamedTuple"]

_new = tuple.__new__


class _NamedValues(tuple[Any, ...]):
    """What named tuples have in common."""

    __slots__ = ()
    __signature__ = LazySignature(lambda made: _standard_new(made))  # noqa: PLW0108 - it is defined below
    _fields = cast("tuple[str, ...]", ())  # no annotation: those of a class are its fields
    _field_defaults = cast("dict[str, object]", {})

    @classmethod
    def _make(cls, values: Any) -> Any:  # noqa: ANN401
        result = _new(cls, values)
        if len(result) != len(cls._fields):
            message = f"Expected {len(cls._fields)} arguments, got {len(result)}"
            raise TypeError(message)
        return result

    def _replace(self, /, **changes: object) -> Any:  # noqa: ANN401
        result = _new(self.__class__, map(changes.pop, self._fields, self))
        if changes:
            message = f"Got unexpected field names: {list(changes)!r}"
            raise ValueError(message)
        return result

    __replace__ = _replace

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        fields = zip(self._fields, self, strict=True)
        return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in fields])})"

    def __getnewargs__(self) -> tuple[object, ...]:
        return tuple(self)


class _Maker(type):
    """Makes a class of `_NamedValues` of what is written as a class of `NamedTuple`."""

    def __new__(cls, name: str, bases: tuple[type, ...], contents: dict[str, Any]) -> Any:  # noqa: ANN401
        if not bases:
            return super().__new__(cls, name, bases, contents)
        types: dict[str, str] = contents["__annotations__"]
        names = tuple(types)
        defaults = {name: contents[name] for name in names if name in contents}
        for number, field in enumerate(names):
            contents[field] = _tuplegetter(number, "")
        contents |= {"__slots__": (), "_fields": names, "_field_defaults": defaults, "__match_args__": names}
        count = len(names)

        def __new__(type_: Any, /, *values: object, **named: object) -> Any:  # noqa: ANN401, N807
            if len(values) == count and not named:
                return _new(type_, values)
            compiled = _standard_new(made)
            made.__new__ = compiled
            return compiled(type_, *values, **named)

        contents["__new__"] = __new__
        made: Any = type(name, (_NamedValues, *bases[1:]), contents)
        return made


def _standard_new(made: Any) -> Any:  # noqa: ANN401
    """`__new__` as the standard library makes it, for a class."""
    names = ", ".join(made._fields)
    source = f"lambda _cls, {names}: _new(_cls, ({names},))"
    compiled = eval(source, {"_new": _new, "__name__": f"namedtuple_{made.__name__}"})  # noqa: S307 - names of fields
    compiled.__name__ = "__new__"
    compiled.__qualname__ = f"{made.__name__}.__new__"
    compiled.__defaults__ = tuple(made._field_defaults.values())
    compiled.__annotations__ = made.__annotations__
    return compiled


if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class NamedTuple(metaclass=_Maker):
        """A tuple with names for its values."""
