"""The rules of `_redirects` and `netlify.toml`: those of Netlify, Cloudflare Pages, GitLab Pages and others.

`_redirects` is at a site's root. A line is `from to [status[!]]`; "#" at its beginning or after white space begins a
comment. In `from`, `*` matches any rest (`:splat` in `to`), and `:name` matches one segment. Status 200 serves
another file instead of the path, 3xx redirects, and 4xx means that there is nothing, even if a later line matches.
"!" applies the rule even if a file exists. A slash at the end makes no difference. Words with "=" are conditions:
keys of the query before `to`; countries, languages, roles and cookies at the end, which the tree does not show. A
reference with exactly the keys of a rule is decided.

`netlify.toml` has the same rules as tables `[[redirects]]`. They come after those of `_redirects`.
"""

from __future__ import annotations

import re
from typing import Any

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
)
from linkfix.auditing.hosts.values import ValuePlaces, rule_entries, text_of
from linkfix.lazy import lazy_pattern

#: A rule: its source, the conditions on the query, its target, its status, and further conditions.
_RULE = lazy_pattern(
    r"\s*(/\S*)((?:\s+[\w.-]+=\S*)*)\s+((?:/|https?://)\S*)"
    r"(?:\s+(\d{3})(!?))?((?:\s+[\w.-]+=\S*)*)\s*(?:\s#.*)?",
    re.IGNORECASE,
)

#: Rules of Netlify that are not read: for one domain of the site, and without a target.
_OTHER = lazy_pattern(r"\s*(?:https?://\S+\s+(?:/|https?://)|/\S*\s+\d{3}!?(?:\s|\Z))", re.IGNORECASE)

_WILDCARD = lazy_pattern(r":([A-Za-z]\w*)|\*", re.ASCII)

_NAME = lazy_pattern(r":([A-Za-z]\w*)", re.ASCII)

#: The longest line in characters. Cloudflare Pages allows 1,000.
_LINE = 4096

_REWRITE = "200"

#: The statuses of rules without one: Cloudflare Pages has the first, Netlify the second.
TEMPORARY, MOVED = 302, 301

#: The beginning of addresses that Netlify itself answers, such as functions.
NETLIFY = "/.netlify/"


def read_redirects(text: str, rules: HostRules, name: str = "_redirects", *, default_status: int = MOVED) -> Targets:
    """Append the rules of a file `_redirects`. Invalid lines are left out, and noted.

    `default_status`: that of a line without one. It is 301 on Netlify, 302 on Cloudflare Pages.

    Returns the targets without wildcards, each with its start and end in the text, encoded in UTF-8.
    """
    targets: Targets = []
    start = 0
    for number, line in enumerate(text.split("\n")):
        size = len(line.encode("utf-8", "replace"))
        rule = _RULE.fullmatch(line.removeprefix("\ufeff") if number == 0 else line) if len(line) <= _LINE else None
        if rule is not None:
            source, keys, target, status, force, others = rule.groups("")
            names = tuple((key, value) for key, _, value in (word.partition("=") for word in keys.split()))
            place = RulePlace(name, number + 1)
            status = status or str(default_status)
            _add(rules, place, source, target, status, is_forced=bool(force), keys=names, condition=others.strip())
            if is_checked(target):
                raw = target.encode("utf-8", "replace")
                at = line.encode("utf-8", "replace").find(raw, 1)  # the rule begins with its source
                targets.append((target, start + at, start + at + len(raw)))
        elif (fault := _fault(line)) is not None:
            rules.reject(RulePlace(name, number + 1), fault, "write: /from /to 301")
        start += size + 1
    return targets


def _fault(line: str) -> str | None:
    """Why a line without a rule does not count; None if it is empty, a comment, or a rule for another purpose."""
    if len(line) > _LINE:
        return f"the line is longer than {_LINE:,} characters, so it does not count"
    is_other = not line.strip("\ufeff \t\r") or line.strip("\ufeff \t").startswith("#") or _OTHER.match(line)
    return None if is_other else "the line is not a rule, so it does not count"


def is_checked(target: str) -> bool:
    """Whether a target can be checked: it has no wildcards, and is not Netlify's own."""
    return not _WILDCARD.search(target.partition("://")[2] or target) and not target.startswith(NETLIFY)


def _add(
    rules: HostRules,
    place: RulePlace,
    source: str,
    target: str,
    status: str,
    *,
    is_forced: bool,
    keys: Keys,
    condition: str,
) -> None:
    """Append a rule; not one whose wildcards hosts treat differently."""
    # URLs are ASCII, and fragments are not sent to servers.
    path = encoded(source.partition("#")[0]).rstrip("/")
    expression = _expression(path) if _WILDCARD.search(path) else None
    if expression is None and _WILDCARD.search(path):
        return
    rules.add(
        HostRule(
            place,
            "" if expression else path or "/",
            expression,
            target=() if status.startswith("4") else _template(target),
            force=is_forced,
            rewrites=status == _REWRITE,
            condition=condition,
            keys=keys,
            query=QueryUse.UNKNOWN if keys else QueryUse.DEFAULT,
            is_permanent=int(status) in PERMANENT,
            status=int(status) if status.startswith("4") else 0,
        )
    )


def _template(target: str) -> Template:
    parts: list[str | tuple[str | int]] = []
    end = 0
    for name in _NAME.finditer(target):
        parts += [target[end : name.start()], (name[1],)]
        end = name.end()
    return (*parts, target[end:])


def _expression(text: str) -> Expression | None:
    """A linear-time expression for a path with wildcards.

    None for two wildcards in a segment, or two wildcards with one name: hosts treat these differently.
    """
    pieces: list[str] = []
    names: list[str] = []
    for segment in text.split("/")[1:]:
        before, *found = _WILDCARD.split(segment)
        if not found:
            pieces.append("/" + re.escape(segment))
            continue
        name, after, *more = found
        names.append(name or "splat")
        if more or names.count(names[-1]) > 1:
            return None
        wildcard = f"(?P<{names[-1]}>{'[^/]+' if name else '.*'})"
        pieces.append(f"/{re.escape(before)}{wildcard}{re.escape(after)}")
    if text.endswith("/*"):
        pieces[-1] = "(?:/(?P<splat>.*))?"
    return Expression(re.compile(rf"\A{''.join(pieces)}/?\Z"), 1, 1)


def read_netlify_toml(settings: dict[str, Any], data: bytes, rules: HostRules, name: str) -> Targets:
    """Append the rules of `netlify.toml`."""
    finder = ValuePlaces(data)
    targets: Targets = []
    for table in rule_entries(settings, "redirects", finder, rules, name):
        source, target = text_of(table.get("from")), text_of(table.get("to"))
        status = table.get("status", MOVED)
        place = RulePlace(name, finder.line("from", source) if source else finder.line_of_key("redirects"))
        if not source:
            rules.reject(place, "a rule of redirects has no from", CORRECT_RULE)
        start = finder.value("to", target)
        if not source or not (target or status not in {200, 301}):
            continue
        origin = re.match("https?://[^/]*", source)  # a rule for one domain of the site
        conditions = [*(["domain"] if origin else []), *(["conditions"] if table.get("conditions") else [])]
        query = table.get("query")
        keys = tuple((key, text_of(value)) for key, value in query.items()) if isinstance(query, dict) else ()
        path = source[origin.end() :] if origin else source
        if path.startswith("/"):
            is_forced = table.get("force") is True
            condition = " ".join(conditions)
            _add(rules, place, path, target, str(status), is_forced=is_forced, keys=keys, condition=condition)
        if target and is_checked(target) and start is not None:
            targets.append((target, *start))
    return targets
