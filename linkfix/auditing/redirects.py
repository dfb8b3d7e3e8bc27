"""The rules of `_redirects`: the redirects and rewrites that Netlify, Cloudflare Pages, GitLab Pages and others read.

The file is at a site's root. A line is `from to [status[!]]`; "#" at its beginning or after white space begins a
comment. In `from`, `*` matches any rest (`:splat` in `to`), and `:name` matches one segment. Status 200 serves
another file instead of the path, 3xx redirects, and 4xx means that there is nothing, even if a later line matches.
"!" applies the rule even if a file exists. A slash at the end makes no difference. Words with "=" are conditions:
keys of the query before `to`; countries, languages, roles and cookies at the end. The tree does not show them.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

from linkfix.lazy import lazy_pattern

#: A rule: its source, the conditions on the query, its target, its status, and further conditions.
_RULE = lazy_pattern(
    r"\s*(/\S*)((?:\s+[\w.-]+=\S*)*)\s+((?:/|https?://)\S*)"
    r"(?:\s+(\d{3})(!?))?((?:\s+[\w.-]+=\S*)*)\s*(?:\s#.*)?",
    re.IGNORECASE,
)

_WILDCARD = lazy_pattern(r":([A-Za-z]\w*)|\*", re.ASCII)

_NAME = lazy_pattern(r":([A-Za-z]\w*)", re.ASCII)

#: The largest number of rules with wildcards, and the longest line in characters. GitLab Pages allows 1,000 rules,
#: Cloudflare Pages 100 with wildcards, of 1,000 characters each.
_PATTERNS = 1000

_LINE = 4096

_REWRITE = "200"

_PRINTABLE = "".join(map(chr, range(ord("!"), ord("~") + 1)))


class Redirect(NamedTuple):
    """The effect of a rule on a path."""

    target: str
    """A path from the host's root, or an absolute URL."""
    force: bool = False
    """Whether the rule applies even if a file exists."""
    rewrites: bool = False
    """Whether the target is served under the path itself. If so, no other rule applies."""
    line: int = 0
    """The number of the rule's line, from 1."""


class Redirects:
    """The rules of one file, in order: the first rule that matches counts. Invalid lines are left out.

    `forced`: whether any rule applies even if a file exists.

    `targets`: the targets without wildcards, each with the number of its line, from 0.
    """

    def __init__(self, text: str) -> None:
        self._exact: dict[str, tuple[int, Redirect | None]] = {}
        self._patterns: list[tuple[int, re.Pattern[str], Redirect | None]] = []
        #: The rules with conditions: the sources, and the keys that the query needs.
        self._conditional: list[tuple[re.Pattern[str], frozenset[str]]] = []
        self.targets: list[tuple[str, int]] = []
        self.forced: bool = False
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n")):
            rule = _RULE.fullmatch(line) if len(line) <= _LINE else None
            if rule is None:
                continue
            source, keys, target, status, force, others = rule.groups("")
            redirect = None if status.startswith("4") else Redirect(target, bool(force), status == _REWRITE, number + 1)
            if not _WILDCARD.search(target.partition("://")[2] or target):
                self.targets.append((target, number))
            # URLs are ASCII, and fragments are not sent to servers.
            source = quote(source.partition("#")[0], safe=_PRINTABLE).rstrip("/")
            if keys or others:
                if len(self._conditional) < _PATTERNS and (pattern := _pattern(source)):
                    names = frozenset(word.partition("=")[0] for word in keys.split())
                    self._conditional.append((pattern, names))
                continue
            if not _WILDCARD.search(source):
                self._exact.setdefault(source, (number, redirect))
            elif len(self._patterns) < _PATTERNS and (pattern := _pattern(source)):
                self._patterns.append((number, pattern, redirect))
            self.forced = self.forced or (redirect is not None and redirect.force)

    def match(self, path: str) -> Redirect | None:
        """The first rule that matches a percent-encoded path, with the wildcards in its target filled in.

        None if no rule matches, or if the matching rule means that there is nothing.
        """
        exact = self._exact.get(path.rstrip("/"))
        for number, pattern, redirect in self._patterns:
            if exact is not None and exact[0] < number:
                break
            match = pattern.fullmatch(path)
            if match is not None:
                return redirect and redirect._replace(target=_fill(redirect.target, match.groupdict("")))
        return exact[1] if exact is not None else None

    def may_match(self, path: str, query: str) -> bool:
        """Whether a rule applies to a percent-encoded path under a condition that the tree cannot show."""
        keys = {part.partition("=")[0] for part in query.split("&")}
        return any(names <= keys and pattern.fullmatch(path) for pattern, names in self._conditional)


def _fill(target: str, values: dict[str, str]) -> str:
    return _NAME.sub(lambda name: values.get(name[1], name[0]), target)


def _pattern(text: str) -> re.Pattern[str] | None:
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
    return re.compile("".join(pieces) + "/?")
