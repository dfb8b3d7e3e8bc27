"""The rules of `_redirects` and `netlify.toml`: those of Netlify, Cloudflare Pages, GitLab Pages and others.

`_redirects` is at a site's root. A line is `from to [status]`; a word with "#" at its beginning begins a comment. In
`from`, `*` matches any rest (`:splat` in `to`), and `:name` matches a part of a segment. Status 200 serves another file
instead of the path, 3xx redirects. What else counts is in the table `DIALECTS`, as the programs of the hosts read the
file: `netlify-redirect-parser` and `netlify-redirector`, and Wrangler. On Netlify:

- 4xx means that there is nothing, even if a later line matches. "!" applies the rule even if a file exists.
- Words with "=" are conditions: keys of the query before `to`; countries, languages and roles after the status,
  which the tree does not show. A reference with exactly the keys of a rule is decided.
- A rule without `to` is `/from/* 200`: the paths are served as they are, and later rules do not apply.

`netlify.toml` has the same rules as tables `[[redirects]]`. They come after those of `_redirects`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from linkfix.auditing.hosts.expressions import Expression
from linkfix.auditing.hosts.rules import (
    CORRECT_RULE,
    PERMANENT,
    HostRule,
    HostRules,
    Keys,
    QueryUse,
    RulePlace,
    Targets,
    Template,
    encoded,
    is_absolute,
)
from linkfix.auditing.hosts.values import ValuePlaces, rule_entries, text_fault, text_of
from linkfix.lazy import lazy_pattern


class Dialect(NamedTuple):
    """The differences between the hosts that read `_redirects`."""

    host: str = ""
    """The host's name, for messages."""
    default_status: int = 302
    """The status of a line without one."""
    is_short: bool = False
    """Whether a line has two or three words: no conditions, no "!", only statuses of redirects and 200."""
    forces: bool = False
    """Whether rules apply even if a file exists."""
    ignores_slash: bool = True
    """Whether a slash at the end of a path makes no difference, also before a wildcard."""
    has_whole_names: bool = False
    """Whether `:name` stands for a whole segment, and a `*` within a segment for itself."""
    start_page: str = ""
    """The way to answer paths without a file with the start page, if a rule cannot do so: a clause."""
    error_page: str = ""
    """The file in the root without which they are answered so."""
    most: int = 0
    """The number of rules from the first with a wildcard on that count; 0 for no limit."""


_CLOUDFLARE = Dialect(
    "Cloudflare Pages",
    is_short=True,
    forces=True,
    ignores_slash=False,
    most=100,
    start_page="without a 404.html, Cloudflare Pages answers paths without a file with the start page",
    error_page="404.html",
)

#: The value of `--host` -> how it reads `_redirects`. "": a host that is not known.
DIALECTS: Mapping[str, Dialect] = {
    "": Dialect(),
    "netlify": Dialect("Netlify", 301, has_whole_names=True),
    "cloudflare": _CLOUDFLARE,
    "cloudflare-workers": _CLOUDFLARE._replace(
        host="Cloudflare Workers",
        error_page="",
        start_page='write not_found_handling = "single-page-application" in the settings of Wrangler',
    ),
}

_WORD = lazy_pattern(r"\S+")

_TARGET = lazy_pattern(r"/|https?://", re.IGNORECASE)

_STATUS = lazy_pattern(r"(\d{3})(!?)")

_CONDITION = lazy_pattern(r"[\w.-]+=.*")

#: A name or a rest in a source, where names need not be whole segments.
_WILDCARD = lazy_pattern(r":([A-Za-z]\w*)|\*", re.ASCII)

#: A target that leads back to a source with a wildcard: Cloudflare Pages redirects from it to the folder.
_INDEX = lazy_pattern(r"/index(?:\.html)?\Z")

#: The longest line in characters. Cloudflare Pages allows 2,000.
_LINE = 4096

_REWRITE = "200"

_SHORT_STATUSES = frozenset({"200", "301", "302", "303", "307", "308"})

#: The status of rules in `netlify.toml` without one.
MOVED = 301

#: The keys of the folder that is published.
_BUILD_KEYS = ("base", "publish")

#: The beginning of addresses that Netlify itself answers, such as functions.
NETLIFY = "/.netlify/"


class _WrittenRule(NamedTuple):
    """A rule as it is written."""

    source: str
    target: str
    """ "" for a rule without one, whose paths are served as they are."""
    status: str
    place: RulePlace
    is_forced: bool = False
    keys: Keys = ()
    condition: str = ""


class _InvalidLine(Exception):
    """A line that is not a rule: why, as a clause, and the next step."""

    def __init__(self, message: str, hint: str = "write: /from /to 301") -> None:
        super().__init__(message)
        self.hint = hint


def read_redirects(text: str, rules: HostRules, dialect: Dialect, name: str = "_redirects") -> Targets:
    """Append the rules of a file `_redirects`. Invalid lines are left out, and noted.

    Returns the targets without wildcards, each with its start and end in the text, encoded in UTF-8.
    """
    targets: Targets = []
    start = counted = 0
    for number, written in enumerate(text.split("\n"), 1):
        line = " " + written[1:] if number == 1 and written.startswith("\ufeff") else written
        place = RulePlace(name, number)
        try:
            found = _line(line, place, dialect)
            if found is not None:
                counted += bool(counted or _WILDCARD.search(found.source))
                _check_number(counted, dialect)
                _add(rules, found, dialect)
        except _InvalidLine as error:
            rules.reject(place, f"{error}, so it does not count", error.hint)
        else:
            if found is not None and found.target and is_checked(found.target):
                words = islice(_WORD.finditer(line), 1, None)
                before = written[: next(word.start() for word in words if word[0] == found.target)]
                at = start + _size(before)
                targets.append((found.target, at, at + _size(found.target)))
        start += _size(written) + 1
    return targets


def _check_number(counted: int, dialect: Dialect) -> None:
    """Raise `_InvalidLine` for a rule beyond the limit. `counted`: its number from the first with a wildcard on."""
    if dialect.most and counted > dialect.most:
        msg = f"{dialect.host} reads {dialect.most} rules from the first with a wildcard on"
        raise _InvalidLine(msg, "put rules without wildcards first, or remove rules")


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _line(line: str, place: RulePlace, dialect: Dialect) -> _WrittenRule | None:
    """The rule of a line; None if it is empty, a comment, or a rule for one domain. Raises `_InvalidLine`."""
    if len(line) > _LINE:
        msg = f"the line is longer than {_LINE:,} characters"
        raise _InvalidLine(msg)
    words = [found[0] for found in _WORD.finditer(line)]
    words = words[: next((number for number, word in enumerate(words) if word.startswith("#")), len(words))]
    if not words:
        return None
    if dialect.is_short:
        return _short_line(words, place, dialect)
    source, *others = words
    if others and _STATUS.fullmatch(others[0]) and others[0][0] == "2" and source.endswith("/*"):
        others.insert(0, "")  # the paths are served as they are
    at = next((number for number, word in enumerate(others) if not word or _TARGET.match(word)), -1)
    if at < 0 or not _TARGET.match(source) or not all(map(_CONDITION.fullmatch, others[:at])):
        msg = "the line is not a rule"
        raise _InvalidLine(msg)
    keys = tuple((key, value) for key, _, value in (word.partition("=") for word in others[:at]))
    target, status, *conditions = [*others[at:], str(dialect.default_status)] if at == len(others) - 1 else others[at:]
    if _CONDITION.fullmatch(status):
        msg = "the line has no status before its conditions"
        raise _InvalidLine(msg)
    found = _STATUS.fullmatch(status)
    if found is None or not all(map(_CONDITION.fullmatch, conditions)):
        msg = "the line is not a rule"
        raise _InvalidLine(msg)
    if is_absolute(source):
        return None
    return _WrittenRule(source, target, found[1], place, bool(found[2]), keys, " ".join(conditions))


def _short_line(words: list[str], place: RulePlace, dialect: Dialect) -> _WrittenRule:
    """The rule of a line of two or three words. Raises `_InvalidLine`."""
    host = dialect.host
    if len(words) not in {2, 3}:
        msg = f"{host} reads lines of two or three words, not of {len(words)}: from, to, status"
        raise _InvalidLine(msg)
    source, target, status = [*words, str(dialect.default_status)][:3]
    if status not in _SHORT_STATUSES:
        msg = f"{host} knows the statuses 200, 301, 302, 303, 307 and 308"
        raise _InvalidLine(msg, "write one of these, or remove the line")
    if is_absolute(source) or not target.startswith(("/", "https://")):
        msg = "the line is not a rule"
        raise _InvalidLine(msg)
    if status == _REWRITE and is_absolute(target):
        msg = f"{host} does not answer with another site (200)"
        raise _InvalidLine(msg, "write a path of this site, or the status of a redirect")
    source = f"/{source.lstrip('/')}".partition("#")[0].partition("?")[0]
    if not is_absolute(target) and source.endswith(("/*", "/")) and _INDEX.search(target):
        msg = f"the rule would lead to itself: {host} redirects from {target} to its folder"
        what = " and ".join(filter(None, ["the line", dialect.error_page]))
        raise _InvalidLine(msg, f"remove {what}: {dialect.start_page}")
    return _WrittenRule(source, target, status, place)


def is_checked(target: str) -> bool:
    """Whether a target can be checked: it has no wildcards, and is not Netlify's own."""
    return not _WILDCARD.search(target.partition("://")[2] or target) and not target.startswith(NETLIFY)


def _add(rules: HostRules, line: _WrittenRule, dialect: Dialect) -> None:
    """Append a rule. If hosts treat its wildcards differently, any path with its beginning may match."""
    # URLs are ASCII, and fragments are not sent to servers.
    source = line.source if dialect.has_whole_names else line.source.partition("#")[0]
    path = encoded(source)
    path = path.rstrip("/") if dialect.ignores_slash else path
    names: list[str] = []
    expression, is_known = None, True
    if _WILDCARD.search(path) or (dialect.has_whole_names and "/:" in path):
        pattern = _pattern(path, names, dialect)
        is_known = pattern is not None and len(set(names)) == len(names)
        if names and is_known:
            expression = Expression(re.compile(rf"\A{pattern}\Z"), 1, 1)
    is_error = line.status.startswith("4")
    rules.add(
        HostRule(
            line.place,
            path or "/" if expression is None and is_known else "",
            expression,
            "" if is_known else re.split(r"[:*]", path, maxsplit=1)[0],
            target=() if is_error else _template(line.target, names, line.keys),
            force=line.is_forced or dialect.forces,
            rewrites=line.status == _REWRITE and bool(line.target),
            keeps=not line.target,
            condition=line.condition,
            keys=line.keys,
            query=QueryUse.UNKNOWN if line.keys else QueryUse.DEFAULT,
            is_permanent=int(line.status) in PERMANENT,
            status=int(line.status) if is_error else 0,
        )
    )


def _template(target: str, names: Sequence[str], keys: Keys) -> Template:
    """A target with the numbers of the groups in the source, and with the names of values from the query."""
    groups: dict[str, str | int] = {value[1:]: value[1:] for _, value in keys if value[:1] == ":" and len(value) > 1}
    groups |= {name: number for number, name in enumerate(names, 1)}
    # Of two names, the first of the source counts: with `/:a/:ab`, `:ab` in the target is the first segment, then "b".
    found = re.compile(":(" + "|".join(map(re.escape, [*names, *(groups.keys() - set(names))])) + ")")
    parts: list[str | tuple[str | int]] = []
    end = 0
    for match in found.finditer(target) if groups else ():
        parts += [target[end : match.start()], (groups[match[1]],)]
        end = match.end()
    return (*parts, target[end:])


def _pattern(path: str, names: list[str], dialect: Dialect) -> str | None:
    """The expression for a path with wildcards, whose names are appended. None for two wildcards in a segment."""
    pieces: list[str] = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments, 1):
        if dialect.has_whole_names and not (segment == "*" or (segment.endswith("*") and number == len(segments))):
            before, *found = ["", segment[1:], ""] if len(segment) > 1 and segment[0] == ":" else [segment]
        elif dialect.has_whole_names:
            before, *found = segment[:-1], "", ""
        else:
            before, *found = _WILDCARD.split(segment)
        if not found:
            pieces.append("/" + re.escape(segment))
            continue
        name, after, *more = found
        if more:
            return None
        names.append(name or "splat")
        pieces.append(f"/{re.escape(before)}({'[^/]+' if name else '.*'}){re.escape(after or '')}")
    if not dialect.ignores_slash:
        return "".join(pieces)
    if path.endswith("/*"):
        pieces[-1] = "(?:/(.*))?"
    return "".join(pieces) + "/?"


def in_production(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of `netlify.toml` for production: what `[context.production]` sets replaces the rest.

    Source: `mergeContext` of @netlify/config. Its keys `base` and `publish` are also those of the table `build`.
    """
    contexts = settings.get("context")
    own = contexts.get("production") if isinstance(contexts, dict) else None
    if not isinstance(own, dict):
        return settings
    tables = [one for one in (settings.get("build"), own.get("build")) if isinstance(one, dict)]
    build = {key: value for table in [*tables, own] for key, value in table.items() if key in _BUILD_KEYS}
    redirects = {"redirects": own["redirects"]} if "redirects" in own else {}
    return {**settings, **redirects, "build": build}


def read_netlify_toml(settings: dict[str, Any], data: bytes, rules: HostRules, name: str) -> Targets:
    """Append the rules of `netlify.toml`."""
    finder = ValuePlaces(data, name)
    dialect = DIALECTS["netlify"]
    targets: Targets = []
    for name_of_rule, table in rule_entries(settings, "redirects", finder, rules):
        source, target = text_of(table.get("from")), text_of(table.get("to"))
        status = _STATUS.fullmatch(str(table.get("status", MOVED)))
        place = finder.place("from", source, name_of_rule) if source else finder.place_of_key("redirects")
        if not source:
            rules.reject(place, text_fault(table, ["from"], "redirects"), CORRECT_RULE)
        elif status is None:
            rules.reject(place, "the status of the rule is no status", CORRECT_RULE)
        elif not target and not (source.endswith("/*") and status[1].startswith("2")):
            rules.reject(place, text_fault(table, ["to"], "redirects"), CORRECT_RULE)
        start = finder.value("to", target)
        if not source or status is None or not (target or source.endswith("/*")):
            continue
        origin = re.match("https?://[^/]*", source)  # a rule for one domain of the site
        conditions = [*(["domain"] if origin else []), *(["conditions"] if table.get("conditions") else [])]
        query = table.get("query")
        keys = tuple((key, text_of(value)) for key, value in query.items()) if isinstance(query, dict) else ()
        path = source[origin.end() :] if origin else source
        if path.startswith("/"):
            is_forced = table.get("force") is True
            condition = " ".join(conditions)
            _add(rules, _WrittenRule(path, target, status[1], place, is_forced, keys, condition), dialect)
        if target and is_checked(target) and start is not None:
            targets.append((target, *start))
    return targets
