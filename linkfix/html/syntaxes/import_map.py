"""Import maps, the text of a `script type=importmap`: syntax "importmap" (HTML §8.1.5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.lazy import lazy_pattern

from .found import Found
from .json_text import JsonObject, JsonString, JsonValue, find_strings

__all__ = ["URL_LIKE", "find"]

#: HTML, "resolve a URL-like module specifier"; any other specifier is bare, and not a URL. The URL parser removes
#: leading C0 controls and spaces before a scheme, and tabs and newlines in it.
URL_LIKE = lazy_pattern(r"\.{0,2}/|[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\-\t\n\r]*:")


def _members(value: JsonValue, name: str) -> JsonObject:
    """The object in the member `name` of `value`; empty where there is none."""
    member = value.get(name) if isinstance(value, dict) else None
    return member.value if member and isinstance(member.value, dict) else {}


def _addresses(module_map: JsonObject, *, of_folders: bool) -> Iterator[JsonString]:
    """The addresses of a module specifier map that are URL-like: those of folders, or those of modules."""
    for _, address in module_map.values():
        if not isinstance(address, JsonString) or address.value.endswith("/") != of_folders:
            continue
        if URL_LIKE.match(address.value):
            yield address


def _keys(module_map: JsonObject) -> Iterator[JsonString]:
    """The specifier keys of a module specifier map that are URL-like."""
    return (key for key, _ in module_map.values() if URL_LIKE.match(key.value))


def find(text: str) -> list[Found]:
    """Find the references of an import map (HTML, "parse an import map string").

    They are the prefixes of `scopes`, and the specifier keys and addresses that are URL-like: those with a scheme, and
    those that start with "/", "./" or "../". Members of the wrong type are ignored. Only the addresses of modules are
    fetched: the others are identifiers.
    """
    identifiers: set[int] = set()

    def references(import_map: JsonValue) -> Iterator[JsonString]:
        scopes = _members(import_map, "scopes")
        maps = [_members(import_map, "imports"), *(one for _, one in scopes.values() if isinstance(one, dict))]
        names = [*(prefix for prefix, _ in scopes.values()), *_keys(_members(import_map, "integrity"))]
        for module_map in maps:
            names += [*_keys(module_map), *_addresses(module_map, of_folders=True)]
            yield from _addresses(module_map, of_folders=False)
        identifiers.update(name.start for name in names)
        yield from names

    found = find_strings(text, references)
    return [one._replace(role="identifier") if one.start in identifiers else one for one in found]
