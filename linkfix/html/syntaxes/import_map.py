"""Import maps, the text of a `script type=importmap`: syntax "importmap" (HTML §8.1.5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.lazy import lazy_pattern

from .found import Found
from .json_text import JsonMember, JsonObject, JsonString, JsonValue, find_strings

#: HTML, "resolve a URL-like module specifier"; any other specifier is bare, not a URL. The URL parser removes leading
#: C0 controls and spaces before a scheme, and tabs and newlines in the scheme.
URL_LIKE = lazy_pattern(r"\.{0,2}/|[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\-\t\n\r]*:")


def _members(value: JsonValue, name: str) -> list[JsonMember]:
    """The members of the object in the member `name` of `value`; empty if there is no such object.

    They include members that a later member with the same name overrides: if the later name is made absolute, the names
    differ.
    """
    member = value.get(name) if isinstance(value, JsonObject) else None
    return member.value.in_text_order() if member and isinstance(member.value, JsonObject) else []


def _addresses(module_map: list[JsonMember], *, of_folders: bool) -> Iterator[JsonString]:
    """The URL-like addresses of a module specifier map. `of_folders`: the addresses of folders, not of modules."""
    for _, address in module_map:
        if not isinstance(address, JsonString) or address.value.endswith("/") != of_folders:
            continue
        if URL_LIKE.match(address.value):
            yield address


def _keys(module_map: list[JsonMember]) -> Iterator[JsonString]:
    """The URL-like specifier keys of a module specifier map."""
    return (key for key, _ in module_map if URL_LIKE.match(key.value))


def find(text: str) -> list[Found]:
    """Find the references of an import map (HTML, "parse an import map string").

    They are the prefixes of `scopes`, and the URL-like specifier keys and addresses. A specifier is URL-like if it has
    a scheme or starts with "/", "./" or "../". Members of the wrong type are ignored. Only the addresses of modules are
    fetched; the other references are identifiers.
    """
    identifiers: set[int] = set()
    prefixes: set[int] = set()

    def references(import_map: JsonValue) -> Iterator[JsonString]:
        scopes = _members(import_map, "scopes")
        maps = [
            _members(import_map, "imports"),
            *(one.in_text_order() for _, one in scopes if isinstance(one, JsonObject)),
        ]
        prefixes.update(prefix.start for prefix, _ in scopes)
        names = [*(prefix for prefix, _ in scopes), *_keys(_members(import_map, "integrity"))]
        for module_map in maps:
            names += [*_keys(module_map), *_addresses(module_map, of_folders=True)]
            yield from _addresses(module_map, of_folders=False)
        identifiers.update(name.start for name in names)
        yield from names

    def placed(one: Found) -> Found:
        if one.kind == "fault":
            return one
        role = "identifier" if one.start in identifiers else ""
        return one._replace(kind="scope" if one.start in prefixes else "specifier", role=role)

    return list(map(placed, find_strings(text, references)))
