"""The import maps of a document (HTML §8.1.6.2, §8.1.6.3): resolving specifiers, and keeping keys in rewritten maps.

`ImportMaps` resolves the specifiers of imports. `with_keys_that_stay` drops the new URLs of keys that would match other
specifiers after rewriting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from linkfix.document.decide import Decision
from linkfix.document.references import Reference
from linkfix.html.syntaxes.json_data import URL_LIKE, JsonMember, JsonObject, JsonString, parse
from linkfix.html.syntaxes.json_reader import InvalidJson
from linkfix.html.syntaxes.url import Found
from linkfix.resolvers import Resolver
from linkfix.schemes.uses import SPECIAL
from linkfix.urls import scheme_of, specifier_takes_base

#: The members of an import map.
_MAPS = ("imports", "scopes", "integrity")


class _ModuleMap:
    """A *module specifier map*: specifier -> URL, or None if the module must not be loaded."""

    def __init__(self) -> None:
        self.addresses: dict[str, str | None] = {}
        self._lengths: list[int] | None = None

    def add(self, specifier: str, address: str | None) -> None:
        """Add a specifier, unless an earlier map has it ("merge existing and new import maps")."""
        self.addresses.setdefault(specifier, address)
        self._lengths = None

    def prefixes(self, specifier: str) -> Iterator[str]:
        """Yield the prefixes of a specifier in this map that end with a slash, the longest first."""
        if self._lengths is None:
            self._lengths = sorted({len(one) for one in self.addresses if one.endswith("/")}, reverse=True)
        for length in self._lengths:
            if length < len(specifier) and specifier[:length] in self.addresses and specifier[length - 1] == "/":
                yield specifier[:length]


class _Match(NamedTuple):
    """The entry for a specifier in a module specifier map: a URL, or None if the module must not be loaded."""

    url: str | None


class ImportMaps:
    """The import maps of one document, merged. `resolver`: parses URLs."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._imports = _ModuleMap()
        self._scopes: dict[str, _ModuleMap] = {}
        self._found: tuple[str, list[_ModuleMap]] = ("", [])
        self._texts: list[tuple[str, str]] = []

    def __bool__(self) -> bool:
        return bool(self._imports.addresses or self._scopes)

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The texts of all maps, with their base URLs."""
        return tuple(self._texts)

    @property
    def key(self) -> frozenset[tuple[str, str, str | None]]:
        """The content of the maps, as a key: equal for maps with equal content."""
        maps = (("", self._imports), *self._scopes.items())
        return frozenset((scope, *entry) for scope, one in maps for entry in one.addresses.items())

    @property
    def urls(self) -> frozenset[str]:
        """The URLs of modules that the maps redirect. A URL with a final slash stands for all URLs with that prefix."""
        names = (name for module_map in (self._imports, *self._scopes.values()) for name in module_map.addresses)
        return frozenset(name for name in names if URL_LIKE.match(name))

    def add(self, text: str, base: str) -> None:
        """Add an import map, whose URLs are relative to `base`. Ignore it if browsers would drop it for a fault."""
        self._texts.append((text, base))
        try:
            root = parse(text)
        except InvalidJson:
            return
        members = root if isinstance(root, dict) else {}
        imports, scopes, integrity = (members[name].value if name in members else JsonObject() for name in _MAPS)
        if not isinstance(imports, dict) or not isinstance(scopes, dict) or not isinstance(integrity, dict):
            return
        if not all(isinstance(module_map, dict) for _, module_map in scopes.values()):
            return
        self._add(self._imports, imports, base)
        normalized: dict[str, JsonObject] = {}
        for prefix, module_map in scopes.values():
            url = self._resolver.resolve(base, prefix.value).target
            if url is not None and isinstance(module_map, dict):
                normalized[url] = module_map
        for url, module_map in normalized.items():
            self._add(self._scopes.setdefault(url, _ModuleMap()), module_map, base)
        self._found = ("", [])

    def _add(self, known: _ModuleMap, module_map: JsonObject, base: str) -> None:
        """Add a module specifier map. Of several keys for one URL, the last counts ("sort and normalize a module
        specifier map").
        """
        normalized: dict[str, str | None] = {}
        for key, value in module_map.values():
            if not key.value:
                continue
            address = self._url(value.value, base) if isinstance(value, JsonString) else None
            if address is not None and key.value.endswith("/") and not address.endswith("/"):
                address = None
            normalized[self._url(key.value, base) or key.value] = address
        for specifier, address in normalized.items():
            known.add(specifier, address)

    def _url(self, specifier: str, base: str) -> str | None:
        """HTML, "resolve a URL-like module specifier"; None for a bare specifier."""
        if not URL_LIKE.match(specifier):
            return None
        return self._resolver.resolve(base if specifier_takes_base(specifier) else None, specifier).target

    def resolve(self, specifier: str, base: str) -> str | None:
        """The URL of a module that a script with the base URL `base` imports, or None if there is none."""
        url = self._url(specifier, base)
        normalized = url or specifier
        by_prefix = url is None or scheme_of(url) in SPECIAL
        for module_map in (*self._scopes_of(base), self._imports):
            match = self._match(module_map, normalized, by_prefix=by_prefix)
            if match is not None:
                return match.url
        return url

    def _scopes_of(self, base: str) -> list[_ModuleMap]:
        """The maps of the scopes that contain a script, the longest prefix first."""
        if self._found[0] != base:
            fitting = [one for one in self._scopes if one == base or (one.endswith("/") and base.startswith(one))]
            self._found = (base, [self._scopes[one] for one in sorted(fitting, reverse=True)])
        return self._found[1]

    def _match(self, module_map: _ModuleMap, specifier: str, *, by_prefix: bool) -> _Match | None:
        """HTML, "resolve an imports match"; None if the map has no entry for the specifier."""
        if specifier in module_map.addresses:
            return _Match(module_map.addresses[specifier])
        for prefix in module_map.prefixes(specifier) if by_prefix else ():
            address = module_map.addresses[prefix]
            url = self._resolver.resolve(address, specifier[len(prefix) :]).target if address is not None else None
            return _Match(url if url is not None and address is not None and url.startswith(address) else None)
        return None


def with_keys_that_stay(text: str, decided: Iterable[tuple[Found, Decision]]) -> list[tuple[Found, Decision]]:
    """The decisions about the references of the import map `text`, corrected so that each key keeps its meaning.

    Of the keys in one object that mean the same URL, the last counts; JSON.parse keeps a repeated name in its first
    place. A key that ends in "/" needs an address that ends in "/" (HTML, "sort and normalize a module specifier map").
    If the absolute URLs would break either rule, the keys stay, with the problem "import-map-key".
    """
    pairs = list(decided)
    decisions = {found.start: decision for found, decision in pairs}
    staying: set[int] = set()
    for members, has_addresses in _objects(text):
        groups: dict[str, list[JsonMember]] = {}
        last: dict[str, JsonMember] = {}
        for member in members.in_text_order():
            groups.setdefault(_meaning(member.name, decisions), []).append(member)
        for member in members.values():
            last[_meaning(member.name, decisions)] = member
        for meaning, group in groups.items():
            if _would_change(group, last[meaning], decisions, has_addresses=has_addresses):
                staying.update(name.start for name, _ in group)
    for number, (found, decision) in enumerate(pairs):
        if found.start in staying and decision.new is not None:
            pairs[number] = found, decision._replace(new=None, problem="import-map-key")
    return pairs


def with_keys_in_values(decided: Iterable[tuple[Reference, Decision]]) -> Iterator[tuple[Reference, Decision]]:
    """Apply `with_keys_that_stay` to the references of a place in a document whose values are import maps."""
    for value, pairs in groupby(decided, key=lambda pair: pair[0].value):
        references, decisions = zip(*pairs, strict=True)
        founds = (reference.found for reference in references)
        settled = with_keys_that_stay(value.text, zip(founds, decisions, strict=True))
        yield from zip(references, (decision for _, decision in settled), strict=True)


def _objects(text: str) -> Iterator[tuple[JsonObject, bool]]:
    """The objects of an import map whose names are references, and whether their values are addresses."""
    try:
        root = parse(text)
    except InvalidJson:
        return
    members = root if isinstance(root, dict) else {}
    for name in _MAPS:
        value = members[name].value if name in members else None
        if isinstance(value, dict):
            yield value, name == "imports"
            for _, inner in value.in_text_order() if name == "scopes" else ():
                if isinstance(inner, dict):
                    yield inner, True


def _meaning(key: JsonString, decisions: Mapping[int, Decision]) -> str:
    """The URL of a key, or the key itself if it is bare."""
    decision = decisions.get(key.start)
    return (decision.target if decision is not None else None) or key.value


def _would_change(
    group: Sequence[JsonMember], last: JsonMember, decisions: Mapping[int, Decision], *, has_addresses: bool
) -> bool:
    """Whether the keys of a group, which mean the same URL, would change their meaning if they were made absolute.

    `last`: the member that counts. `has_addresses`: whether the values are addresses of modules.
    """
    written: dict[str, JsonMember] = {}
    for member in group:
        decision = decisions.get(member.name.start)
        written[decision.new if decision and decision.new is not None else member.name.value] = member
    if list(written.values())[-1] is not last:  # a repeated name stays in its first place, with its last value
        return True
    new = decisions[last.name.start].new if last.name.start in decisions else None
    if not has_addresses or new is None or not new.endswith("/") or last.name.value.endswith("/"):
        return False
    address = decisions.get(last.value.start) if isinstance(last.value, JsonString) else None
    return address is not None and address.target is not None and not address.target.endswith("/")
