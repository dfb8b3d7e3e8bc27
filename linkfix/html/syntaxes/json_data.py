"""JSON: a tree with the spans of strings, and the syntaxes that are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, Union

from linkfix.lazy import lazy_pattern

from .json_reader import InvalidJson, JsonReader, token_pattern
from .url import Found, verbatim

# The tree of a JSON text, with the spans of its strings.
#
# If several members have the same name, the last one counts, as in browsers (ECMA-262, JSON.parse).


class JsonString(NamedTuple):
    """A string in a JSON text."""

    start: int
    """The start of the string in the text, without its quotation mark."""
    end: int
    """The end of the string in the text, without its quotation mark."""
    value: str
    """The string, with its escapes decoded."""


class JsonMember(NamedTuple):
    """A member of an object."""

    name: JsonString
    """The member's name, with its span."""
    value: JsonValue
    """The member's value."""


#: Numbers, true, false and null are None: they have no references.
JsonValue: TypeAlias = Union["JsonObject", "list[JsonValue]", JsonString, None]


class JsonObject(dict[str, JsonMember]):
    """An object: its members by name, in the order of ECMA-262's JSON.parse."""

    overridden: Sequence[JsonMember] = ()
    """The members that a later member with the same name overrides."""

    def add(self, member: JsonMember) -> None:
        """Add a member. It overrides an earlier member with the same name and takes its place."""
        earlier = self.get(member.name.value)
        if earlier is not None:
            if not isinstance(self.overridden, list):
                self.overridden = []
            self.overridden.append(earlier)
        self[member.name.value] = member

    def in_text_order(self) -> list[JsonMember]:
        """All members in the order of the text, including overridden members."""
        return sorted((*self.values(), *self.overridden), key=lambda member: member.name.start)


_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\"}

_UNSAFE = lazy_pattern(r'["\\\x00-\x1f<>\u2028\u2029\ud800-\udfff]')


#: The tokens of a text. The escapes of its strings are checked where they are decoded.
_TOKENS = lazy_pattern(token_pattern(r'(?:[^"\\\x00-\x1f]++|\\[\s\S]?)*+'))


class _TreeReader(JsonReader[str]):
    """Makes the tree of a text's value. `root`: an array whose only element is the value."""

    def __init__(self, text: str) -> None:
        super().__init__(_TOKENS, text)
        self.root: list[JsonValue] = []
        self._path: list[JsonObject | list[JsonValue]] = [self.root]
        self._name = JsonString(0, 0, "")

    def on_name(self, start: int, end: int) -> None:
        self._name = self._string(start + 1, end - 1)

    def on_value(self, kind: str, start: int, end: int) -> None:
        self._place(self._string(start + 1, end - 1) if kind == "string" else None)

    def on_begin(self, kind: str, _start: int) -> int:
        container: JsonObject | list[JsonValue] = JsonObject() if kind == "object" else []
        self._place(container)
        self._path.append(container)
        return -1

    def on_end(self, _end: int) -> None:
        self._path.pop()

    def _place(self, value: JsonValue) -> None:
        container = self._path[-1]
        if isinstance(container, JsonObject):
            container.add(JsonMember(self._name, value))
        else:
            container.append(value)

    def _string(self, start: int, end: int) -> JsonString:
        raw: str = self._text[start:end]
        if "\\" not in raw:
            return JsonString(start, end, raw)
        try:
            return JsonString(start, end, json.loads(f'"{raw}"'))
        except json.JSONDecodeError as error:
            raise InvalidJson(start - 1 + error.pos) from None


def parse(text: str) -> JsonValue:
    """Parse a JSON text (RFC 8259 §2). Raises `InvalidJson` exactly for texts that are not JSON."""
    reader = _TreeReader(text)
    reader.read_over(reader.read_value(0))
    return reader.root[0]


def strings_in(value: JsonValue) -> Iterator[JsonString]:
    """Yield `value` if it is a string, or its elements that are strings."""
    for element in value if isinstance(value, list) else [value]:
        if isinstance(element, JsonString):
            yield element


def escape(url: str) -> str:
    """The text as the contents of a JSON string (RFC 8259 §7).

    Characters that could end the script or CDATA section around the JSON text are escaped too.
    """
    return _UNSAFE.sub(lambda character: _SHORT_ESCAPES.get(character[0]) or f"\\u{ord(character[0]):04x}", url)


def find_strings(text: str, references: Callable[[JsonValue], Iterable[JsonString]]) -> list[Found]:
    """Find the strings that `references` picks from a JSON text.

    In a text that is not JSON, find a "fault" at the position of the error.
    """
    try:
        strings = references(parse(text))
    except InvalidJson as error:
        return [Found(error.position, error.position, "", verbatim, "fault", "json-syntax")]
    return [Found(start, end, value, escape) for start, end, value in sorted(strings)]


# JSON-LD, the text of a `script type="application/ld+json"`: syntax "json-ld" (JSON-LD 1.1 §7).


#: Members whose strings are references: JSON-LD's own, then schema.org's terms of type URL.
_URL_TERMS = frozenset(
    (
        "@context",
        "@id",
        "acquireLicensePage",
        "actionableFeedbackPolicy",
        "archivedAt",
        "codeRepository",
        "contentUrl",
        "correctionsPolicy",
        "discussionUrl",
        "diversityPolicy",
        "downloadUrl",
        "embedUrl",
        "ethicsPolicy",
        "hasMap",
        "image",
        "installUrl",
        "isBasedOn",
        "isPartOf",
        "item",
        "license",
        "logo",
        "mainEntityOfPage",
        "masthead",
        "missionCoveragePrioritiesPolicy",
        "noBylinesPolicy",
        "ownershipFundingInfo",
        "paymentUrl",
        "publishingPrinciples",
        "relatedLink",
        "replyToUrl",
        "sameAs",
        "screenshot",
        "serviceUrl",
        "significantLink",
        "target",
        "thumbnailUrl",
        "tourBookingPage",
        "trackingUrl",
        "unnamedSourcesPolicy",
        "url",
        "usageInfo",
        "verificationFactCheckingPolicy",
    )
)


def _sets_base(node: JsonObject) -> bool:
    """Whether the node's own context sets the base IRI (JSON-LD 1.1 §4.1.3) instead of the document."""
    context = node["@context"].value if "@context" in node else None
    definitions = context if isinstance(context, list) else [context]
    return any(isinstance(definition, dict) and "@base" in definition for definition in definitions)


def _is_reference(string: JsonString) -> bool:
    """Whether a string is a reference, not a blank node identifier (JSON-LD 1.1 §4.5.1) or URI template (RFC 6570)."""
    return not string.value.startswith("_:") and "{" not in string.value


def _json_ld_references(root: JsonValue) -> Iterator[JsonString]:
    pending = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict) and not _sets_base(value):
            for term, (_, nested) in value.items():
                if term in _URL_TERMS:
                    yield from filter(_is_reference, strings_in(nested))
                if term != "@context":
                    pending.append(nested)


def find_in_json_ld(text: str) -> list[Found]:
    """Find the references of a JSON-LD document: `@id`, `@context`, and schema.org's terms for URLs, at any depth.

    A node whose context sets `@base` is ignored with everything in it. Terms are recognized by name: an `@context` that
    redefines them is not evaluated.
    """
    return find_strings(text, _json_ld_references)


# Speculation rules, the text of a `script type=speculationrules`: syntax "speculationrules" (HTML §7.6.1).


_ACTIONS = ("prefetch", "prefetch_with_subresources", "prerender", "prerender_until_script")


def _urls(rule: JsonValue) -> Iterator[JsonString]:
    """The URLs of a list rule; none for a document rule, with a `where` or another `source`."""
    if not isinstance(rule, dict) or "urls" not in rule or "where" in rule:
        return
    source = rule["source"].value if "source" in rule else None
    if "source" not in rule or (isinstance(source, JsonString) and source.value == "list"):
        yield from strings_in(rule["urls"].value)


def _rule_references(rule_set: JsonValue) -> Iterator[JsonString]:
    if not isinstance(rule_set, dict):
        return
    for action in _ACTIONS:
        rules = rule_set[action].value if action in rule_set else None
        for rule in rules if isinstance(rules, list) else ():
            yield from _urls(rule)


def find_in_speculation_rules(text: str) -> list[Found]:
    """Find the `urls` of the list rules of a speculation rule set (HTML, "parse a speculation rule").

    The URL patterns of document rules (`href_matches`) are not references, although they are resolved against the base
    URL too.
    """
    return find_strings(text, _rule_references)


# Web application manifests: syntax "webmanifest" (W3C Web Application Manifest; https://www.w3.org/TR/appmanifest/).
#
# Every URL in a manifest is parsed with the manifest's own URL as the base. `id` is left out: it names the application,
# and is parsed against the origin of `start_url`; browsers do not fetch it.


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


def _strings_at(value: JsonValue, path: tuple[str, ...]) -> Iterator[JsonString]:
    """The strings at a path of names below `value`. The elements of an array count as if they were in its place."""
    for name in path[:-1]:
        value = [found for one in _objects(value) for found in _values(one, name)]
    for one in _objects(value):
        yield from (found for found in _values(one, path[-1]) if isinstance(found, JsonString))


def _objects(value: JsonValue) -> list[JsonObject]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


def _values(one: JsonObject, name: str) -> list[JsonValue]:
    """The value of a member, or its elements if it is an array."""
    if name not in one:
        return []
    value = one[name].value
    return value if isinstance(value, list) else [value]


def find_in_web_manifest(text: str) -> list[Found]:
    """Find the references of a web application manifest. Members of the wrong type are ignored.

    Two references are identifiers: the scope, which is compared with URLs, and the URL of a protocol handler, with `%s`
    in place of the URL to open.
    """
    roles: dict[int, str] = {}

    def references(manifest: JsonValue) -> Iterator[JsonString]:
        for member in _MEMBERS:
            for string in _strings_at(manifest, member.path):
                roles[string.start] = member.role
                yield string

    found = find_strings(text, references)
    return [one._replace(role=roles.get(one.start, "")) for one in found]


# Import maps, the text of a `script type=importmap`: syntax "importmap" (HTML §8.1.5.2).


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


def find_in_import_map(text: str) -> list[Found]:
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
