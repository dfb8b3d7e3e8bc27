"""The rules of `firebase.json`: redirects before the files, rewrites after them.

As in superstatic, which Firebase's emulator uses: sources are globs, or expressions (`regex`); `:name` in a source
stands for a segment, `:name*` for the rest. A slash at the end of a path makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from linkfix.auditing.hosts.expressions import Expression, expression, fault_of, literal_prefix
from linkfix.auditing.hosts.rules import (
    CORRECT_RULE,
    PATH,
    PERMANENT,
    HostRule,
    HostRules,
    QueryUse,
    Read,
    Targets,
)
from linkfix.auditing.hosts.templates import RuleSource, glob, has_groups, negated, parametric, template, with_source
from linkfix.auditing.hosts.values import ValuePlaces, rule_entries, text_fault, text_of
from linkfix.display import visible
from linkfix.lazy import lazy_pattern

#: A parameter of a source, and the signs of a glob.
_PARAMETER = lazy_pattern(r"/:\w+\*?")

_GLOB_SIGNS = lazy_pattern(r"[*?\[{@!+(]")

#: The number of sites that count. Firebase allows 36.
_MOST_SITES = 100

#: The number of globs of `ignore` that count.
_MOST_IGNORED = 100

#: The number of folders of languages that count.
_MOST_LANGUAGES = 100

#: The sources of a rule, by the key.
_KEYS = ("source", "glob", "regex")


def firebase_sites(settings: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the sites of a file, each with the beginning of the names of its rules: `hosting` is one, or a list."""
    hosting = settings.get("hosting")
    if isinstance(hosting, dict):
        yield "", hosting
    for number, one in enumerate(hosting[:_MOST_SITES] if isinstance(hosting, list) else ()):
        if isinstance(one, dict):
            yield f"hosting[{number}].", one


def read_firebase(site: dict[str, Any], finder: ValuePlaces, rules: HostRules) -> Read:
    """Append the rules of a site in a file `firebase.json`. Sites are read in order, with one `finder`."""
    targets: Targets = []
    for key, is_redirect in (("redirects", True), ("rewrites", False)):
        for name_of_rule, entry in rule_entries(site, key, finder, rules):
            kind = next((one for one in _KEYS if text_of(entry.get(one))), "")
            target = text_of(entry.get("destination"))
            place = finder.place(kind, text_of(entry[kind]), name_of_rule) if kind else finder.place_of_key(key)
            span = finder.value("destination", target)
            if not kind:
                rules.reject(place, text_fault(entry, _KEYS, key), CORRECT_RULE)
            elif not isinstance(entry.get("destination", ""), str):
                rules.reject(place, "the destination of the rule is not a string", CORRECT_RULE)
            elif kind != "regex" or not rules.rejects(place, fault_of(entry[kind])):
                parts = template(target)
                source = _source(kind, text_of(entry[kind]))
                is_program = not target
                rule = HostRule(
                    place,
                    target=parts,
                    force=is_redirect,
                    rewrites=not is_redirect,
                    is_program=is_program,
                    is_permanent=entry.get("type", 301) in PERMANENT,
                    query=QueryUse.MERGED,
                )
                rules.add(with_source(rule, source))
                if span and not has_groups(parts):
                    targets.append((target, *span))
    for key in ("cleanUrls", "trailingSlash"):
        if key in site and not isinstance(site[key], bool):
            hint = f"write true or false: {key} does not count"
            rules.reject(finder.place_of_key(key), f"{key} is not true or false", hint)
    _check_ignored(site, finder, rules)
    slash = site.get("trailingSlash")
    trailing_slash = slash if isinstance(slash, bool) else None
    is_clean = site.get("cleanUrls") is True
    return Read(targets, is_clean, trailing_slash, serves_slashed=is_clean and trailing_slash is not None)


def _check_ignored(site: dict[str, Any], finder: ValuePlaces, rules: HostRules) -> None:
    for number, one in _ignored(site):
        if one.startswith("!") and not one.startswith("!("):
            message = f"the pattern {visible(one)} of ignore takes nothing back: ! has no meaning there"
            place = finder.place_of_entry("ignore", number, one)
            rules.reject(place, message, "list what is not to be deployed, without !")


def add_languages(site: dict[str, Any], finder: ValuePlaces, rules: HostRules, files: Collection[str]) -> None:
    """Append the rules for the folders of languages and countries in the folder `i18n.root`, if a site has one.

    A visitor gets the file of a folder at the URL without the folder.
    """
    i18n = site.get("i18n")
    root = text_of(i18n.get("root")).strip("/") if isinstance(i18n, dict) else ""
    folders = {file.split("/")[root.count("/") + 1] for file in files if root and file.startswith(f"{root}/")}
    place = finder.place_of_key("i18n")
    for folder in sorted(folders)[:_MOST_LANGUAGES]:
        target = (f"/{root}/{folder}", (PATH,))
        other_path = Expression(re.compile(rf"\A(?!/{re.escape(root)}/)"), 0, 1)
        rules.add(HostRule(place, expression=other_path, target=target, rewrites=True, condition="language"))


def left_out(site: dict[str, Any], finder: ValuePlaces, files: Collection[str]) -> dict[str, str]:
    """The files that `ignore` leaves out, each with the place that says so. `files`: the names of all files.

    A pattern with `!` is one for a name that begins so: `ignore` of node-glob 10, which firebase-tools uses, is without
    negation.
    """
    found = [
        (glob(f"/{one.lstrip('/')}", has_dots=True), finder.place_of_entry("ignore", number, one).words())
        for number, one in _ignored(site)
    ]
    matches = ((file, next((place for one, place in found if _is_match(one, f"/{file}")), "")) for file in files)
    return {file: place for file, place in matches if place}


def _ignored(site: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the patterns of `ignore`, with their numbers."""
    ignored = site.get("ignore")
    for number, one in enumerate(ignored[:_MOST_IGNORED] if isinstance(ignored, list) else ()):
        if one and isinstance(one, str):
            yield number, one


def _is_match(source: RuleSource, path: str) -> bool:
    if source.expression is None:
        return source.path == path
    return source.expression.is_quick(len(path)) and source.expression.pattern.search(path) is not None


def _slashed(text: str) -> str:
    """A glob as superstatic reads it, without the `!` before it: it begins with a slash, and none is repeated."""
    return re.sub("/{2,}", "/", f"/{text}")


def _source(kind: str, text: str) -> RuleSource:
    if kind == "regex":
        found = expression(text)
        return RuleSource(expression=found, prefix="" if found else literal_prefix(text))
    if text.startswith("!") and not text.startswith("!("):
        # Without a slash, superstatic differs between redirects and rewrites. Names with dots: see `glob`.
        is_known = text.startswith(("!/", "!**")) and not _PARAMETER.search(text) and "/." not in text
        return negated(glob(_slashed(text[1:])) if is_known else RuleSource())
    text = _slashed(text)
    if not _PARAMETER.search(text):
        return glob(text)
    if _GLOB_SIGNS.search(_PARAMETER.sub("", text)):
        return RuleSource(prefix=text[: _PARAMETER.search(text).start() + 1])  # type: ignore[union-attr]  # it was found
    return parametric(text, strict=False, ignore_case=True)
