"""Which rules run, and which rules are ignored in which files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from linkfix.audit.options import AuditOptions
from linkfix.audit.rule import Rule
from linkfix.audit.rules import rules
from linkfix.audit.suggestions import closest
from linkfix.errors import UnknownRule

__all__ = ["chosen_codes", "codes_matching", "ignored_codes_by_file", "selected_codes"]

ALL = "all"


def codes_matching(words: Iterable[str]) -> set[str]:
    """The codes of the rules that words select: a code, the beginning of one, a name, "all".

    Raises `UnknownRule`, with the closest name, for a word that selects none.
    """
    found: set[str] = set()
    for word in words:
        codes = {rule.info.code for rule in rules() if _selects(word, rule)}
        if not codes:
            names = {name.lower(): name for rule in rules() for name in (rule.info.code, rule.info.name)}
            near = closest(word.lower(), names)
            hint = f"did you mean {names[near[0]]}? See --list-rules" if near else "see --list-rules"
            message = f"unknown rule {word!r}; {hint}"
            raise UnknownRule(message)
        found |= codes
    return found


def _selects(word: str, rule: Rule[Any]) -> bool:
    if word == ALL or word.lower() == rule.info.name:
        return True
    code = word.upper()
    is_prefix = code.startswith("LF") and rule.info.code.startswith(code)
    return rule.info.code == code or (is_prefix and not rule.info.opt_in)


def chosen_codes(options: AuditOptions) -> frozenset[str]:
    """The codes of the rules that run: those that are selected, by default all but the opt-in ones."""
    wanted = codes_matching(options.select) or {rule.info.code for rule in rules() if not rule.info.opt_in}
    return frozenset(wanted - codes_matching(options.ignore))


def selected_codes(options: AuditOptions) -> frozenset[str]:
    """The codes of the rules that run because they were named, not as one of all."""
    return frozenset(codes_matching(word for word in options.select if word != ALL)) & chosen_codes(options)


def ignored_codes_by_file(options: AuditOptions) -> Callable[[str], frozenset[str]]:
    """A function from the name of a file to the codes that `per_file_ignores` ignores in it."""
    if not options.per_file_ignores:
        return lambda _: frozenset()
    from linkfix.files.patterns import NamePatterns  # noqa: PLC0415 - used by few runs

    rows = [(NamePatterns([pattern]), frozenset(codes_matching(words))) for pattern, words in options.per_file_ignores]

    def ignored_codes(name: str) -> frozenset[str]:
        return frozenset().union(*(codes for spec, codes in rows if spec.match(name)))

    return ignored_codes
