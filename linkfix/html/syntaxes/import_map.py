"""Import maps, the text of a `script type=importmap`: syntax "importmap" (HTML §8.1.5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.lazy import lazy_pattern

from .found import Found
from .json_text import JsonObject, JsonString, JsonValue, find_strings

__all__ = ["find"]

#: HTML, "resolve a URL-like module specifier"; any other specifier is bare, and not a URL. The URL parser removes
#: leading C0 controls and spaces before a scheme, and tabs and newlines in it.
_URL_LIKE = lazy_pattern(r"\.{0,2}/|[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\-\t\n\r]*:")


def _members(value: JsonValue, name: str) -> JsonObject:
    """The object in the member `name` of `value`; empty where there is none."""
    member = value.get(name) if isinstance(value, dict) else None
    return member.value if member and isinstance(member.value, dict) else {}


def _specifiers(module_map: JsonObject) -> Iterator[JsonString]:
    """The specifier keys and the addresses of a module specifier map that are URL-like."""
    for key, address in module_map.values():
        if _URL_LIKE.match(key.value):
            yield key
        if isinstance(address, JsonString) and _URL_LIKE.match(address.value):
            yield address


def _references(import_map: JsonValue) -> Iterator[JsonString]:
    yield from _specifiers(_members(import_map, "imports"))
    for prefix, module_map in _members(import_map, "scopes").values():
        yield prefix
        if isinstance(module_map, dict):
            yield from _specifiers(module_map)
    for key, _ in _members(import_map, "integrity").values():
        if _URL_LIKE.match(key.value):
            yield key


def find(text: str) -> list[Found]:
    """Find the references of an import map (HTML, "parse an import map string").

    They are the prefixes of `scopes`, and the specifier keys and addresses that are URL-like: those with a scheme, and
    those that start with "/", "./" or "../". Members of the wrong type are ignored.
    """
    return find_strings(text, _references)
