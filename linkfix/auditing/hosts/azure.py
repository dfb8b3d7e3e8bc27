"""The rules of `staticwebapp.config.json`, of Azure Static Web Apps: routes before the files, a fallback after them."""

from __future__ import annotations

import re
from typing import Any

from linkfix.auditing.hosts.expressions import Expression, expression
from linkfix.auditing.hosts.rules import (
    CORRECT_RULE,
    PERMANENT,
    HostRule,
    HostRules,
    QueryUse,
    Read,
    Targets,
)
from linkfix.auditing.hosts.templates import RuleSource, with_source
from linkfix.auditing.hosts.values import ValuePlaces, entries, rule_entries, text_fault, text_of
from linkfix.lazy import lazy_pattern

_ERROR = 400

#: A wildcard at the end of a route, perhaps with the suffixes that it needs: `/images/*.{png,jpg}`.
_WILDCARD = lazy_pattern(r"\*(?:\.(?:\{([\w,. -]*)\}|([\w-]+)))?\Z")


def read_azure(settings: dict[str, Any], data: bytes, rules: HostRules, name: str) -> Read:
    """Append the rules of a file `staticwebapp.config.json`."""
    finder = ValuePlaces(data, name)
    targets: Targets = []
    for name_of_rule, route in rule_entries(settings, "routes", finder, rules):
        source = text_of(route.get("route"))
        place = finder.place("route", source, name_of_rule) if source else finder.place_of_key("routes")
        fault = text_fault(route, ["route"], "routes") or _fault(source)
        if fault:
            rules.reject(place, fault, CORRECT_RULE)
        status = route.get("statusCode")
        is_error = isinstance(status, int) and status >= _ERROR
        key = "redirect" if text_of(route.get("redirect")) else "rewrite"
        target = text_of(route.get(key))
        span = finder.value(key, target) if target else None
        if fault or not (target or is_error):  # header fields and roles: the path is served as without it
            continue
        condition = "methods" if route.get("methods") else ""
        rule = HostRule(
            place,
            target=(target,) if target and not is_error else (),
            force=True,
            rewrites=key == "rewrite",
            condition=condition,
            is_permanent=status in PERMANENT,
            query=QueryUse.UNKNOWN,
            status=status if isinstance(status, int) and is_error else 0,
        )
        rules.add(with_source(rule, _source(source)))
        if span:
            targets.append((target, *span))
    _add_fallback(settings.get("navigationFallback"), finder, rules, targets)
    overrides = settings.get("responseOverrides")
    shown: list[str] = []
    for one in entries(list(overrides.values())) if isinstance(overrides, dict) else ():
        for key in ("redirect", "rewrite"):
            target = text_of(one.get(key))
            span = finder.value(key, target) if target else None
            if span:
                targets.append((target, *span))
            shown += [target] * (key == "rewrite" and bool(target))
    return Read(targets, clean_urls=True, serves_slashed=True, error_pages=tuple(shown))


def _fault(route: str) -> str:
    """The mistake of a route; "" for none."""
    is_inside = "*" in route and not _WILDCARD.search(route)
    return "the route of the rule has a * that is not at its end" if is_inside else ""


def _add_fallback(fallback: object, finder: ValuePlaces, rules: HostRules, targets: Targets) -> None:
    """Append the rule for the paths without a file, after those for the paths that it leaves out."""
    target = text_of(fallback.get("rewrite")) if isinstance(fallback, dict) else ""
    if target and isinstance(fallback, dict):
        span = finder.value("rewrite", target)
        place = finder.place_at(span[0] if span else 0, "navigationFallback")
        if span:
            targets.append((target, *span))
        excluded = fallback.get("exclude")
        for one in excluded if isinstance(excluded, list) else ():
            rule = HostRule(place, keeps=True)
            rules.add(with_source(rule, _source(text_of(one))))
        rules.add(HostRule(place, expression=Expression(re.compile("/"), 0, 1), target=(target,), rewrites=True))


def _source(text: str) -> RuleSource:
    """A route or a pattern of excluded paths: a wildcard is at the end."""
    text = f"/{text.lstrip('/')}"
    found = _WILDCARD.search(text)
    if found is None:
        return RuleSource(prefix=text.partition("*")[0]) if "*" in text else RuleSource(path=text)
    before = re.escape(text[: found.start()])
    suffixes = [one.strip() for one in (found[1] or found[2] or "").split(",") if one.strip()]
    ending = rf"\.(?:{'|'.join(map(re.escape, suffixes))})$" if suffixes else ""
    slash = "(?:/|$)" if before.endswith("/") and not suffixes else "/" if before.endswith("/") else ""
    made = expression(f"^{before.removesuffix('/') if slash else before}{slash}{'.*' if suffixes else ''}{ending}")
    return RuleSource(expression=made, prefix="" if made else text[: found.start()])
