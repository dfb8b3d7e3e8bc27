"""Targets whose findings are not wanted: `--ignore-target`.

A pattern is written as in .gitignore and compared with the target's path in the tree (`libs/**`, `/build/`); if it
has a colon and slashes, with the target's URL, where `*` stands for all but a slash and `**` for all
(`https://*.example/**`); behind `re:`, it is a regular expression that is searched in the reference as it is written,
the URL and the path. Codes or a name of rules and a colon may stand before it (`missing-fragment:api/**`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from linkfix.audit.limited_search import LimitedSearches
from linkfix.audit.model import Finding
from linkfix.audit.selection import codes_matching
from linkfix.audit.site import percent_decode
from linkfix.errors import InvalidOption, UnknownRule
from linkfix.lazy import lazy_pattern

__all__ = ["IgnoredTargets"]

_RULES = lazy_pattern(r"((?:LF\d+|[a-z]+(?:-[a-z]+)+)(?:,(?:LF\d+|[a-z]+(?:-[a-z]+)+))*):(?!//)(.*)", re.DOTALL)
_STARS = {"**": ".*", "*": "[^/]*"}
_REGULAR_EXPRESSION = "re:"


class _IgnoredTarget(NamedTuple):
    """One pattern."""

    codes: frozenset[str]
    """Of the rules that it is for; empty for all."""
    matches: Callable[[str, str, str], bool]
    """Whether a reference, the URL of its target and its path in the tree are meant."""


class IgnoredTargets:
    """The patterns of one audit. Raises InvalidOption for what is no pattern, and UnknownRule."""

    def __init__(self, patterns: Iterable[str] = (), base_url: str = "") -> None:
        self._base_url = base_url
        searches = LimitedSearches()
        self._patterns = [_read(pattern, searches) for pattern in patterns]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is about an ignored target."""
        if not self._patterns or not (finding.reference or finding.target):
            return False
        url = finding.target or ""
        return self._covers({finding.code}, finding.reference, url, self._path(url))

    def covers_path(self, codes: Collection[str], path: str) -> bool:
        """Whether rules ignore the target with a path on the tree's host."""
        if not self._patterns:
            return False
        origin = "/".join(self._base_url.split("/")[:3])
        return self._covers(codes, path, origin + path, self._path(origin + path))

    def _covers(self, codes: Collection[str], reference: str, url: str, path: str) -> bool:
        return any(
            (not pattern.codes or not pattern.codes.isdisjoint(codes)) and pattern.matches(reference, url, path)
            for pattern in self._patterns
        )

    def _path(self, url: str) -> str:
        """The target's path in the tree; outside the tree, its path on its host; "" where it has none."""
        plain = url.partition("#")[0].partition("?")[0]
        if self._base_url and plain.startswith(self._base_url):
            return percent_decode(plain[len(self._base_url) :])
        _, mark, rest = plain.partition("://")
        return percent_decode(rest.partition("/")[2]) if mark else ""


def _read(text: str, searches: LimitedSearches) -> _IgnoredTarget:
    rules = _RULES.fullmatch(text)
    codes: set[str] = set()
    pattern = text
    if rules is not None:
        try:
            codes, pattern = codes_matching(rules[1].split(",")), rules[2]
        except UnknownRule as error:
            message = f"ignore-target {text!r}: {error}"
            raise UnknownRule(message) from None
    if not pattern.removeprefix(_REGULAR_EXPRESSION).strip():
        message = f"ignore-target {text!r}: there is no pattern"
        raise InvalidOption(message)
    return _IgnoredTarget(frozenset(codes), _matcher(text, pattern, searches))


def _matcher(text: str, pattern: str, searches: LimitedSearches) -> Callable[[str, str, str], bool]:
    name = f"ignore-target {text!r}"
    if pattern.startswith(_REGULAR_EXPRESSION):
        try:
            expression = re.compile(pattern.removeprefix(_REGULAR_EXPRESSION))
        except (re.error, OverflowError, RecursionError) as error:
            message = f"{name}: not a regular expression: {error}"
            raise InvalidOption(message) from None
        return lambda *texts: any(searches.search(name, expression, one) for one in texts)
    if "://" in pattern:
        parts = re.split(r"(\*\*|\*)", pattern)
        source = "".join(_STARS.get(part) or re.escape(part) for part in parts)
        url_pattern = re.compile(rf"\A{source}\Z", re.DOTALL)
        return lambda _reference, url, _path: searches.search(name, url_pattern, url)
    from linkfix.files.patterns import NamePatterns  # noqa: PLC0415 - used by few runs

    try:
        spec = NamePatterns([pattern])
    except ValueError as error:
        message = f"{name}: not a pattern: {error}"
        raise InvalidOption(message) from None
    return lambda _reference, _url, path: bool(path) and spec.match(path)
