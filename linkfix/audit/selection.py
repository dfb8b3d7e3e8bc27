"""Which rules run, and which findings a file's own rules let pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linkfix.audit.near import closest
from linkfix.audit.options import AuditOptions
from linkfix.audit.rules import Rule, rules
from linkfix.errors import UnknownRule

__all__ = ["chosen_codes", "exempt", "matching"]

ALL = "all"


def matching(words: Iterable[str]) -> set[str]:
    """The codes of the rules that some words mean: a code, a code's beginning, a name, "all".

    Raises `UnknownRule`, with the nearest name, for a word that means none.
    """
    found: set[str] = set()
    for word in words:
        codes = {rule.info.code for rule in rules() if _means(word, rule)}
        if not codes:
            names = [name for rule in rules() for name in (rule.info.code, rule.info.name)]
            near = closest(word.lower(), (name.lower() for name in names))
            hint = f"; did you mean {_spelt(near[0], names)}?" if near else ""
            message = f"{word!r} is no rule{hint} --list-rules shows them" if hint else f"{word!r} is no rule"
            raise UnknownRule(message)
        found |= codes
    return found


def _spelt(lower: str, names: Iterable[str]) -> str:
    return next(name for name in names if name.lower() == lower)


def _means(word: str, rule: Rule) -> bool:
    if word == ALL or word.lower() == rule.info.name:
        return True
    code = word.upper()
    prefix = code.startswith("LF") and rule.info.code.startswith(code)
    return rule.info.code == code or (prefix and not rule.info.opt_in)


def chosen_codes(options: AuditOptions) -> frozenset[str]:
    """The codes of the rules that run: all but those that are opted into, or those that are selected."""
    wanted = matching(options.select) or {rule.info.code for rule in rules() if not rule.info.opt_in}
    return frozenset(wanted - matching(options.ignore))


def exempt(options: AuditOptions) -> Callable[[str], frozenset[str]]:
    """The codes that `per_file_ignores` lets pass in a file of the tree."""
    if not options.per_file_ignores:
        return lambda _: frozenset()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - used by few runs

    rows = [
        (GitIgnoreSpec.from_lines([pattern]), frozenset(matching(words))) for pattern, words in options.per_file_ignores
    ]

    def of(name: str) -> frozenset[str]:
        return frozenset().union(*(codes for spec, codes in rows if spec.match_file(name)))

    return of
