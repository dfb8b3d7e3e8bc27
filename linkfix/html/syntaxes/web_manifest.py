"""Web application manifests: syntax "webmanifest" (W3C Web Application Manifest; https://www.w3.org/TR/appmanifest/).

Every URL in a manifest is parsed with the manifest's own URL as the base. `id` is left out: it names the application,
and is parsed against the origin of `start_url`; browsers do not fetch it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .found import Found
from .json_text import JsonObject, JsonString, JsonValue, find_strings


class _Member(NamedTuple):
    """A member whose strings are references."""

    path: tuple[str, ...]
    """The names of the members on the path to it. The elements of an array count as if they were in its place."""
    role: str


#: A path of names -> the role of the reference. The sections are sections of the specification; the last rows are from
#: Manifest Incubations, Web Share Target and File Handling.
_MEMBERS = tuple(
    _Member(tuple(path.split()), role)
    for path, role in (
        ("start_url", "hyperlink"),  # §1.7
        ("scope", "identifier"),  # §1.6
        ("icons src", "resource"),  # §1.10
        ("screenshots src", "resource"),  # Manifest Application Information §2.4
        ("shortcuts url", "hyperlink"),  # §1.12
        ("shortcuts icons src", "resource"),
        ("related_applications url", "hyperlink"),  # §1.13
        ("share_target action", "form"),
        ("file_handlers action", "hyperlink"),
        ("file_handlers icons src", "resource"),
        ("protocol_handlers url", "identifier"),
        ("note_taking new_note_url", "hyperlink"),
    )
)


def _strings(value: JsonValue, path: tuple[str, ...]) -> Iterator[JsonString]:
    """The strings at a path of names below `value`."""
    for name in path:
        objects = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]
        value = [found for one in objects for found in _values(one, name)]
    yield from (one for one in (value if isinstance(value, list) else []) if isinstance(one, JsonString))


def _values(one: JsonObject, name: str) -> list[JsonValue]:
    """The value of a member, or its elements if it is an array."""
    if name not in one:
        return []
    value = one[name].value
    return value if isinstance(value, list) else [value]


def find(text: str) -> list[Found]:
    """Find the references of a web application manifest. Members of the wrong type are ignored.

    Two references are identifiers: the scope, which is compared with URLs, and the URL of a protocol handler, with `%s`
    in place of the URL to open.
    """
    roles: dict[int, str] = {}

    def references(manifest: JsonValue) -> Iterator[JsonString]:
        for member in _MEMBERS:
            for string in _strings(manifest, member.path):
                roles[string.start] = member.role
                yield string

    found = find_strings(text, references)
    return [one._replace(role=roles.get(one.start, "")) for one in found]
