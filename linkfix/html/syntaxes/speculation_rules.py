"""Speculation rules, the text of a `script type=speculationrules`: syntax "speculationrules" (HTML §7.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from .found import Found
from .json_text import JsonString, JsonValue, find_strings, strings_in

_ACTIONS = ("prefetch", "prefetch_with_subresources", "prerender", "prerender_until_script")


def _urls(rule: JsonValue) -> Iterator[JsonString]:
    """The URLs of a list rule; none for a document rule, with a `where` or another `source`."""
    if not isinstance(rule, dict) or "urls" not in rule or "where" in rule:
        return
    source = rule["source"].value if "source" in rule else None
    if "source" not in rule or (isinstance(source, JsonString) and source.value == "list"):
        yield from strings_in(rule["urls"].value)


def _references(rule_set: JsonValue) -> Iterator[JsonString]:
    if not isinstance(rule_set, dict):
        return
    for action in _ACTIONS:
        rules = rule_set[action].value if action in rule_set else None
        for rule in rules if isinstance(rules, list) else ():
            yield from _urls(rule)


def find(text: str) -> list[Found]:
    """Find the `urls` of the list rules of a speculation rule set (HTML, "parse a speculation rule").

    The URL patterns of document rules (`href_matches`) are not references, although they are resolved against the base
    URL too.
    """
    return find_strings(text, _references)
