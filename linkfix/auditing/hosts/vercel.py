"""The rules of `vercel.json`: redirects before the file system, rewrites after it, and the older `routes`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from linkfix.auditing.hosts.expressions import expression, fault_of, literal_prefix
from linkfix.auditing.hosts.rules import (
    CORRECT_RULE,
    PERMANENT,
    HostRule,
    HostRules,
    Keys,
    QueryUse,
    Read,
)
from linkfix.auditing.hosts.templates import fault_of_source, has_groups, parametric, template, with_source
from linkfix.auditing.hosts.values import ValuePlaces, entries, rule_entries, text_fault, text_of
from linkfix.lazy import lazy_pattern

#: A group in an expression for a value, and an expression that is one, or plain text.
_GROUP = lazy_pattern(r"\(\?P?<(\w+)>")

_WHOLE = lazy_pattern(r"\(\?P?<(?P<name>\w+)>\.[*+]\)|(?P<plain>[\w-]+)", re.ASCII)

_REDIRECT = range(300, 400)

_ERROR = 400


def read_vercel(settings: dict[str, Any], data: bytes, rules: HostRules, name: str) -> Read:
    """Append the rules of a file `vercel.json`."""
    finder = ValuePlaces(data, name)
    targets: list[tuple[str, int, int]] = []
    slash = settings.get("trailingSlash")
    trailing_slash = slash if isinstance(slash, bool) else None
    for key, is_redirect in (("redirects", True), ("rewrites", False)):
        for name_of_rule, entry in rule_entries(settings, key, finder, rules):
            source, target = text_of(entry.get("source")), text_of(entry.get("destination"))
            place = finder.place("source", source, name_of_rule) if source else finder.place_of_key(key)
            span = finder.value("destination", target)
            if fault := text_fault(entry, ["source"], key) or text_fault(entry, ["destination"], key):
                rules.reject(place, fault, CORRECT_RULE)
                continue
            if rules.rejects(place, fault_of_source(source)):
                continue
            found = parametric(source, strict=trailing_slash is None)
            parts = template(target)
            keys, others = _keys(entry)
            is_filled = any(not isinstance(part, str) and part[0] in _names(others) for part in parts)
            is_permanent = entry.get("permanent", True) is True and entry.get("statusCode", 308) in PERMANENT
            rule = HostRule(
                place,
                target=parts,
                force=is_redirect,
                rewrites=not is_redirect,
                condition="has" if others else "missing" if entry.get("missing") else "",
                is_program=is_filled,
                keys=keys,
                is_permanent=is_permanent,
                query=QueryUse.UNKNOWN if keys else QueryUse.MERGED,
            )
            rules.add(with_source(rule, found))
            if span and not has_groups(parts):
                targets.append((target, *span))
    _add_routes(rules, rule_entries(settings, "routes", finder, rules), finder)
    return Read(targets, settings.get("cleanUrls") is True, trailing_slash)


def _keys(entry: dict[str, Any]) -> tuple[Keys, list[dict[str, Any]]]:
    """The keys of the query that a rule needs, and its other conditions `has`.

    The value of a key without one has the name of the key. A value is an expression for the whole value.
    """
    keys, others = [], []
    for one in entries(entry.get("has")):
        key, value = text_of(one.get("key")), one.get("value")
        whole = _WHOLE.fullmatch(value) if value and isinstance(value, str) else None
        if one.get("type") != "query" or not key or (value and whole is None):
            others.append(one)
        else:
            keys.append((key, (whole["plain"] or f":{whole['name']}") if whole else f":{key}"))
    return tuple(keys), others


def _names(conditions: list[dict[str, Any]]) -> set[str]:
    """The names of the groups whose values conditions `has` give."""
    found: set[str] = set()
    for one in conditions:
        value = one.get("value")
        found.update(_GROUP.findall(value) if value and isinstance(value, str) else [text_of(one.get("key"))])
    return found


def _add_routes(rules: HostRules, routes: Iterator[tuple[str, dict[str, Any]]], finder: ValuePlaces) -> None:
    """Append the older rules. Those that continue only set header fields."""
    is_before = True
    for name_of_rule, route in routes:
        if "handle" in route:
            is_before = False
            continue
        source = text_of(route.get("src"))
        place = finder.place("src", source, name_of_rule)
        if not source or route.get("continue") is True:
            continue
        anchored = ("" if source.startswith("^") else "^") + source + ("" if source.endswith("$") else "$")
        if rules.rejects(place, fault_of(source)):
            continue
        found = expression(anchored)
        headers = route.get("headers")
        location = text_of(headers.get("Location") or headers.get("location")) if isinstance(headers, dict) else ""
        number = route.get("status")
        status = number if isinstance(number, int) else 0
        is_redirect = status in _REDIRECT and bool(location)
        target = location if is_redirect else text_of(route.get("dest"))
        if target and not target.startswith("/") and "://" not in target:
            target = f"/{target}"
        conditions = [word for word in ("has", "missing", "methods") if route.get(word)]
        is_error = status >= _ERROR
        if not target and not is_error:
            continue
        rules.add(
            HostRule(
                place,
                "",
                found,
                "" if found else literal_prefix(anchored),
                target=() if is_error else template(target, has_colons=False),
                force=is_before,
                rewrites=not is_redirect,
                condition=" ".join(conditions),
                is_permanent=status in PERMANENT,
                query=QueryUse.UNKNOWN,
                status=status if is_error else 0,
            )
        )
