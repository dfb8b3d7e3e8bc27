"""The rules of hosts in one model: an ordered list of sources and effects. The first rule that matches a path counts.

Each kind of host file is translated to it. A rule under a condition that the tree cannot show, or with an expression
that is not understood, decides nothing: what it would do is kept beside the decision.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from linkfix.auditing.hosts.expressions import TOTAL_STEPS, Expression, alternation
from linkfix.lazy import lazy_pattern

#: The statuses of redirects that say that a path has moved for good.
PERMANENT = frozenset({301, 308})

#: The largest number of rules with patterns of one list. GitLab Pages allows 1,000 rules, Vercel 2,048 of all kinds.
MOST_PATTERNS = 10_000

#: The part of a target that a match fills in: the name or the number of a group.
Group: TypeAlias = str | int

#: A target: its text and its groups, in order.
Template: TypeAlias = tuple[str | tuple[Group], ...]

#: The keys that a rule needs in the query, each with the group for its value: `:name`.
Keys: TypeAlias = tuple[tuple[str, str], ...]

#: The names of the groups for the whole path and for the query; for the path up to its file, without what follows the
#: first name that is no folder; for the path and the query that the browser asked for, before any rewrite.
PATH = "*path"

QUERY = "*query"

FILE = "*file"

ASKED = "*asked"

#: The number of steps that a search counts at least.
_SEARCH = 20

#: The number of expressions that are tried as one before each is tried by itself.
_TRIED_TOGETHER = 64

#: The end of a path that no rule names.
_OTHER_PATH = "linkfix/other/path"

_PRINTABLE = "".join(map(chr, range(ord("!"), ord("~") + 1)))

_ABSOLUTE = lazy_pattern("[a-z]+:", re.IGNORECASE)

#: "file", "folder", "link" or "": what the tree has at a path from the host's root. A link is one that is not followed.
Lookup: TypeAlias = Callable[[str], str]


class RulePlace(NamedTuple):
    """The place of a rule in a host file."""

    file: str
    """The name of the file, from the tree's root."""
    line: int
    """The number of the line, from 1."""
    at: int = -1
    """The place in the file's data, in bytes; -1 for the beginning of the line."""
    entry: str = ""
    """The rule or the key, as `redirects[3]`, if the line has others, too; "" for none."""

    def words(self) -> str:
        """The place in words, for messages."""
        return f"{self.entry or f'line {self.line:,}'} of {self.file}"


NO_PLACE = RulePlace("", 0)

CORRECT_RULE = "correct the rule: it does not count"


class HostFault(NamedTuple):
    """A part of a host file that does not count, because it is not valid."""

    place: RulePlace
    message: str
    """The mistake, as one clause."""
    hint: str
    """The next step, in words."""


class QueryUse(enum.Enum):
    """The query of the URL that a redirect leads to."""

    DEFAULT = "the target's query; if it has none, that of the URL"
    OWN = "the target's query, even if it has none"
    BOTH = "the target's query, then that of the URL"
    MERGED = "both queries, in an order that is not known"
    UNKNOWN = "not known if the URL has a query"


def with_query(target: str, query: str, use: QueryUse) -> tuple[str, bool]:
    """The target of a redirect with the query that the URL gets, and whether that query is certain.

    >>> with_query("/a?x#f", "y", QueryUse.BOTH), with_query("/a?", "y", QueryUse.DEFAULT)
    (('/a?x&y#f', True), ('/a', True))
    """
    bare, mark, fragment = target.partition("#")
    path, has_own, own = bare.partition("?")
    is_certain = not query or (use is not QueryUse.UNKNOWN and not (own and use is QueryUse.MERGED))
    if use is QueryUse.OWN or (use is QueryUse.DEFAULT and has_own):
        query = ""
    joined = "&".join(filter(None, (own, query)))
    return path + "?" * bool(joined) + joined + mark + fragment, is_certain


class Effect(NamedTuple):
    """The effect of a rule on a path."""

    target: str = ""
    """A path from the host's root, or an absolute URL; "" for a rule that leads nowhere, and see `keeps`."""
    force: bool = False
    """Whether the rule applies even if a file exists."""
    rewrites: bool = False
    """Whether the target is served under the path itself."""
    place: RulePlace = NO_PLACE
    keeps: bool = False
    """Whether the path is served as if there were no rule."""
    is_unknown: bool = False
    """Whether the tree does not decide the match or the effect of the rule."""
    is_permanent: bool = True
    """Whether a redirect says that the path has moved for good (301, 308)."""
    query: QueryUse = QueryUse.DEFAULT
    is_exact: bool = True
    """Whether the characters of the target are certain, with its query."""
    status: int = 0
    """The status of an error that the rule answers with; 0 for none."""
    catches_all: bool = False
    """Whether the target is served for any other path in the path's folder, too."""
    ends: bool = False
    """Whether no rewrite follows this one, in no folder."""


class Asked(NamedTuple):
    """The request of a browser, which rewrites leave as it is."""

    path: str = ""
    """The path and the query, as the browser sent them."""
    has_ended: bool = False
    """Whether a rewrite has ended all rewriting."""


class Test(NamedTuple):
    """A test on which a rule depends (`RewriteCond`): that a file or folder exists, or that a text matches."""

    text: Template
    """A path, or the text to match."""
    kinds: tuple[str, ...] = ()
    """The results of a lookup with which a test of a path succeeds."""
    expression: Expression | None = None
    """The expression for a text; None for a test of a path."""
    is_wanted: bool = True
    """Whether the test has to succeed."""
    unclear: tuple[str, ...] = ()
    """The results of a lookup that do not decide a test of a path."""


_NOTHING_ASKED = Asked()


class Request(NamedTuple):
    """The source of the values for the groups of a template."""

    path: str
    """The whole path: the group `PATH`."""
    query: str = ""
    """The group `QUERY`."""
    rule: re.Match[str] | None = None
    """The match of the rule's source."""
    test: re.Match[str] | None = None
    """The match of the last test that matched: the groups `%0` to `%9`."""
    values: Mapping[str, str] | None = {}  # a NamedTuple's default, which nothing changes
    """The values that the rule takes from the query, by the names of groups; None if they are not known."""
    asked: str = ""
    """The group `ASKED`."""
    root: str = ""
    """The beginning of the path that is certainly a folder."""
    lookup: Lookup = lambda _path: ""
    """The kind of the entry at a path."""


@dataclass(frozen=True, slots=True)
class HostRule:
    """A rule. Its source is a path, or an expression for paths."""

    place: RulePlace
    source: str = ""
    """The path, percent-encoded, if there is no expression."""
    expression: Expression | None = None
    prefix: str = ""
    """Without an expression: if the source is "", all paths that begin with this may match."""
    target: Template = ()
    base: str = ""
    """The beginning of a target that is neither a path from the host's root nor an absolute URL."""
    force: bool = False
    rewrites: bool = False
    keeps: bool = False
    condition: str = ""
    """The condition that the tree cannot show; "" for none."""
    is_program: bool = False
    """Whether the tree does not show what answers: a program does, or a condition gives a part of the target."""
    keys: Keys = ()
    """The keys that the query needs. If it has others, too, they are a condition."""
    tests: tuple[tuple[Test, ...], ...] = ()
    """Groups of tests: one test of each has to succeed."""
    ends: bool = False
    """Whether no rewrite follows this one."""
    is_permanent: bool = True
    """Whether a redirect says that the path has moved for good (301, 308)."""
    query: QueryUse = QueryUse.DEFAULT
    is_exact: bool = True
    """Whether the groups of the target are put in as they are."""
    status: int = 0
    """The status of an error that the rule answers with; 0 for none."""

    def effect(self, request: Request) -> Effect:
        """The effect on a path that the source matches."""
        target = fill(self.target, request)
        is_whole = not self.target or target.startswith("/") or is_absolute(target)
        return Effect(
            target if is_whole else self.base + target,
            self.force,
            self.rewrites,
            self.place,
            self.keeps,
            self.is_program or request.values is None,
            self.is_permanent,
            self.query,
            status=self.status,
            ends=self.ends,
            is_exact=self.is_exact,
        )

    def catches_all(self, path: str) -> bool:
        """Whether the rule serves the same target for any other path in the folder of a path that it matches."""
        first, *more = self.target or ((PATH,),)
        is_fixed = self.rewrites and isinstance(first, str) and (not more or "?" in first)
        other = path[: path.rfind("/") + 1] + _OTHER_PATH
        return bool(is_fixed and self.expression and self.expression.pattern.search(other))


class RuleOutcome(NamedTuple):
    """The decision of a list of rules on a path."""

    effect: Effect | None
    """The effect of the first rule that certainly matches; None if no rule does."""
    possible: tuple[Effect, ...] = ()
    """The effects of the rules before it that may match, in order."""


NO_OUTCOME = RuleOutcome(None)


#: Rules with their numbers, ascending.
_Numbered: TypeAlias = list[tuple[int, HostRule]]


class _Patterns:
    """The rules with patterns for paths of one beginning, in order.

    Few rules of a long list match a path, so that expressions are tried together first: those with the same flags whose
    time grows with the length of the text, not faster.
    """

    def __init__(self) -> None:
        self._rules: _Numbered = []
        #: The rules that are tried by themselves.
        self._alone: _Numbered = []
        self._groups: list[tuple[re.Pattern[str], _Numbered]] = []
        self._grouped = 0

    def add(self, number: int, rule: HostRule) -> None:
        """Append a rule."""
        self._rules.append((number, rule))

    def candidates(self, text: str) -> tuple[list[_Numbered], int]:
        """The rules that may match a text, in lists, and the number of searches for them."""
        if len(self._rules) <= _TRIED_TOGETHER:
            return [self._rules], 0
        if self._grouped < len(self._rules):
            self._group()
        found = [rules for pattern, rules in self._groups if pattern.search(text)]
        return [self._alone, *found], len(self._groups)

    def _group(self) -> None:
        self._alone, self._groups, self._grouped = [], [], len(self._rules)
        by_flags: dict[int, _Numbered] = {}
        for number, rule in self._rules:
            expression = rule.expression
            if expression is not None and expression.repeats <= 1:
                by_flags.setdefault(expression.pattern.flags, []).append((number, rule))
            else:
                self._alone.append((number, rule))
        for rules in by_flags.values():
            for start in range(0, len(rules), _TRIED_TOGETHER):
                group = rules[start : start + _TRIED_TOGETHER]
                self._groups.append((alternation(rule.expression for _, rule in group if rule.expression), group))


class HostRules:
    """The rules of a host, in order: the first rule that matches counts.

    `ignores_slash`: whether a slash at the end of a path makes no difference. `is_decoded`: whether expressions match
    decoded paths. `root`: the path before the part that expressions match. `repeats`: whether the rules apply again to
    the target of a rewrite. `ignores_own`: whether a redirect to the URL itself does not count, nor one that only adds
    or removes a slash at its end.
    """

    def __init__(
        self,
        *,
        ignores_slash: bool = False,
        is_decoded: bool = False,
        root: str = "",
        repeats: bool = False,
        ignores_own: bool = False,
    ) -> None:
        self.ignores_slash = ignores_slash
        self.is_decoded = is_decoded
        self.root = root
        self.repeats = repeats
        self.ignores_own = ignores_own
        self._exact: dict[str, _Numbered] = {}
        #: The literal beginning of paths -> the rules for them.
        self._patterns: dict[str, _Patterns] = {}
        self._lengths: set[int] = set()
        self._many = 0
        self._number = 0
        self._steps = 0
        self.forced: bool = False
        self.faults: list[HostFault] = []

    def reject(self, place: RulePlace, message: str, hint: str) -> None:
        """Note a part of a file that is not valid."""
        self.faults.append(HostFault(place, message, hint))

    def rejects(self, place: RulePlace, fault: str) -> bool:
        """Whether the expression of a rule has a fault, which is noted: the host rejects such a rule."""
        if fault:
            self.reject(place, f"the expression of the rule is invalid: {fault}", CORRECT_RULE)
        return bool(fault)

    def __len__(self) -> int:
        return self._number

    def add(self, rule: HostRule) -> None:
        """Append a rule. In place of the rules with expressions beyond the limit, any path may match."""
        self._number += 1
        if rule.expression is None and rule.source:
            known = self._exact.setdefault(self._key(rule.source), [])
            if not known or _is_conditional(known[-1][1]):  # later ones are never reached
                known.append((self._number, rule))
        elif self._many < MOST_PATTERNS:
            self._many += 1
            listed = rule if self._many < MOST_PATTERNS else HostRule(rule.place)
            beginning = listed.prefix if listed.expression is None else listed.expression.beginning
            self._patterns.setdefault(beginning, _Patterns()).add(self._number, listed)
            self._lengths.add(len(beginning))
        self.forced = self.forced or rule.force

    def _key(self, path: str) -> str:
        return path.rstrip("/") if self.ignores_slash else path

    def ignores(self, url: str, target: str, effect: Effect) -> bool:
        """Whether an effect does not count because its target is the URL itself."""
        if effect.rewrites and self.repeats:
            return target == url
        return (effect.rewrites or self.ignores_own) and target.rstrip("/") == url.rstrip("/")

    def outcome(self, path: str, query: str, lookup: Lookup, asked: Asked = _NOTHING_ASKED) -> RuleOutcome:
        """The decision on a percent-encoded path."""
        possible: list[Effect] = []
        whole = decoded(path) if self.is_decoded else path
        text = whole.removeprefix(self.root)
        given = [(key, value) for key, _, value in (part.partition("=") for part in query.split("&"))]
        for rule in self._candidates(path, text):
            if self._steps > TOTAL_STEPS:
                possible.append(Effect(force=rule.force, place=rule.place, is_unknown=True))
                break
            match, is_unknown = None, rule.expression is None and not rule.source
            if rule.expression is not None:
                is_unknown = not self._may_take(rule.expression, len(text))
                if not is_unknown and (match := rule.expression.pattern.search(text)) is None:
                    continue
            if not _has_keys(rule.keys, given):
                continue
            values = _values(rule.keys, given) if rule.keys else {}
            request = Request(whole, query, match, None, values, asked.path, self.root, lookup)
            tested = self._tested(rule, request)
            if is_unknown or tested is None:
                possible.append(Effect(force=rule.force, place=rule.place, is_unknown=True))
            elif tested:
                effect = rule.effect(tested[0])._replace(catches_all=rule.catches_all(text))
                if self.is_decoded:
                    effect = effect._replace(target=encoded(effect.target))
                if not (rule.condition or rule.is_program or request.values is None):
                    return RuleOutcome(effect, tuple(possible))
                possible.append(effect)
        return RuleOutcome(None, tuple(possible)) if possible else NO_OUTCOME

    def _tested(self, rule: HostRule, request: Request) -> tuple[Request, ...] | None:
        """The request with the match of the last test, if each group succeeds; empty if one fails, None if unknown."""
        is_known = True
        for group in rule.tests:
            tested: tuple[Request, ...] | None = ()
            for test in group:
                one = self._test(test, request)
                tested = one if one or tested == () else tested
                if tested or (one is None and test.expression is not None):  # its match might give the groups
                    break
            if tested == ():
                return ()
            is_known = is_known and tested is not None
            request = tested[0] if tested else request
        return (request,) if is_known else None

    def _test(self, test: Test, request: Request) -> tuple[Request, ...] | None:
        """The request with the match of a test that succeeds; empty if it fails, None if unknown."""
        text = fill(test.text, request)
        if test.expression is None:
            kind = request.lookup(text)
            if kind in test.unclear and kind not in test.kinds:
                return None
            return (request,) if (kind in test.kinds) is test.is_wanted else ()
        if not self._may_take(test.expression, len(text)):
            return None
        found = test.expression.pattern.search(text)
        if (found is not None) is not test.is_wanted:
            return ()
        return (request._replace(test=found or request.test),)

    def _candidates(self, path: str, text: str) -> Iterable[HostRule]:
        """The rules that may match a path, in order. `text`: the part of it that expressions match."""
        lists = [self._exact.get(self._key(path), [])]
        for length in self._lengths:
            patterns = self._patterns.get(text[:length]) if length <= len(text) else None
            if patterns is not None:
                found, searches = patterns.candidates(text)
                lists += found
                self._steps += searches * _SEARCH
        return (rule for _, rule in merge(*lists, key=itemgetter(0)))

    def _may_take(self, expression: Expression, length: int) -> bool:
        """Whether a match of a text of a length takes a bounded time, for itself and with all others."""
        steps = expression.steps(length) if expression.repeats > 1 else 0
        self._steps += max(steps, _SEARCH)
        return expression.is_quick(length) and self._steps <= TOTAL_STEPS


def _is_conditional(rule: HostRule) -> bool:
    return bool(rule.condition or rule.keys or rule.is_program)


def _has_keys(keys: Keys, given: list[tuple[str, str]]) -> bool:
    """Whether a query may have the keys of a rule, and the values that the rule names. Escaped values may be equal."""
    for key, wanted in keys:
        values = [value for name, value in given if name == key]
        is_free = wanted.startswith(":") or any("%" in value or "+" in value for value in values)
        if not values or not (is_free or wanted in values):
            return False
    return True


def _values(keys: Keys, given: list[tuple[str, str]]) -> dict[str, str] | None:
    """The values that a rule takes from a query. None if it is not certain that the rule matches.

    It does with exactly the keys of the rule, once each, and with the values that the rule names.
    """
    if sorted(key for key, _ in keys) != sorted(key for key, _ in given):
        return None
    found = dict(given)
    taken = {value[1:]: found[key] for key, value in keys if value.startswith(":")}
    if not all(value and "+" not in value for value in taken.values()):
        return None
    return taken if all(value.startswith(":") or found[key] == value for key, value in keys) else None


def fill(template: Template, request: Request) -> str:
    """A template with its groups filled in. A group without a value is empty."""
    return "".join(part if isinstance(part, str) else _group(request, part[0]) for part in template)


def _group(request: Request, group: Group) -> str:
    if group == PATH:
        return request.path
    if group == QUERY:
        return request.query
    if group == ASKED:
        return request.asked
    if group == FILE:
        return file_path(request.path, request.root, request.lookup)
    if isinstance(group, str) and request.values and group in request.values:
        return request.values[group]
    found = request.rule
    if isinstance(group, str) and group.startswith("%"):
        found, group = request.test, int(group[1:])
    try:
        return (found and found[group]) or ""
    except IndexError:
        return "" if isinstance(group, int) else f":{group}"  # a placeholder that is not in the source stays


def file_path(path: str, root: str, lookup: Lookup) -> str:
    """A decoded path up to its first name that is no folder, as Apache splits it from `PATH_INFO`.

    `root`: the beginning of the path that is certainly a folder.
    """
    end = len(root)
    while (end := path.find("/", end)) >= 0:
        if path[end - 1 : end] != "/" and end and lookup(path[:end]) != "folder":
            return path[:end]
        end += 1
    return path


def decoded(path: str) -> str:
    """A path without percent-encoding, as the host's file system has it."""
    return unquote(path, errors="surrogateescape") if "%" in path else path


def encoded(path: str) -> str:
    """A path that was written by hand, as it is in URLs: they are ASCII."""
    return quote(path, safe=_PRINTABLE, errors="surrogateescape")


def is_absolute(target: str) -> bool:
    """Whether a target is a URL with a scheme, or with a host."""
    return target.startswith("//") or _ABSOLUTE.match(target) is not None


#: The targets of a file that are checked, each with its start and end in the data: those without wildcards.
Targets: TypeAlias = list[tuple[str, int, int]]


class Read(NamedTuple):
    """The facts in a host file besides its rules."""

    targets: Targets
    clean_urls: bool | None = None
    """Whether `/a` is answered with `a.html`; None if the file does not say so."""
    trailing_slash: bool | None = None
    """Whether the URLs of pages end with a slash; None if both forms are served."""
    serves_slashed: bool = False
    """Whether `/a/` is answered with `a.html`, too."""
    indexes: tuple[str, ...] | None = None
    """The names of index files; None for those of the host."""
    lists_folders: bool | None = None
    """Whether a folder without an index shows its files; None if the file does not say so."""
    ignores_case: bool = False
    """Whether a name in another case is answered with the file."""
    error_pages: tuple[str, ...] = ()
    """The paths of the pages that are shown with errors, at the address of the request."""
    inner: Mapping[str, Read] = {}  # a NamedTuple's default, which nothing changes
    """The facts of files in inner folders: the name of the folder, with a slash at the end -> its facts."""
    left_out: Mapping[str, str] = {}
    """The name of a file that is not deployed -> what leaves it out, in words."""


class HostFile(NamedTuple):
    """A host file that was read."""

    name: str
    """Its name from the tree's root; it begins with "../" for a file above the tree."""
    data: bytes
    targets: Targets
