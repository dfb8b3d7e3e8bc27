"""`_redirects`: the file at a site's root by which Netlify, Cloudflare Pages, GitLab Pages and others redirect and
rewrite paths.

A line is `from to [status[!]]`; "#" at its begin or after white space begins a comment. In `from`, `*` stands for any
rest (`:splat` in `to`), and `:name` for what is in one segment. A status of 200 serves another file in place of the
path, 3xx redirects, 4xx says that nothing is there, even where a later line would have it; "!" does so even where a
file is there. A slash at the end makes no difference.
"""

from __future__ import annotations

import re
import string
from typing import NamedTuple
from urllib.parse import quote

__all__ = ["Redirect", "Redirects"]

#: Lines with more words are rules of some requests only: queries (`id=:id`), countries, roles.
_RULE = re.compile(r"\s*(/\S*)\s+((?:/|https?://)\S*)(?:\s+(\d{3})(!?))?\s*(?:\s#.*)?", re.IGNORECASE)
_WILDCARD = re.compile(r":([A-Za-z]\w*)|\*", re.ASCII)
_NAME = re.compile(r":([A-Za-z]\w*)", re.ASCII)
#: GitLab Pages takes 1,000 rules, Cloudflare Pages 100 with wildcards, of 1,000 characters each.
_PATTERNS = 1000
_LINE = 4096
_REWRITE = "200"


class Redirect(NamedTuple):
    """Where a path leads: a path from the host's root, or an absolute URL. `force`: even where a file is there;
    `rewrites`: the path is served what stands there, and no other rule has a say.
    """

    target: str
    force: bool = False
    rewrites: bool = False


class Redirects:
    """The rules of one file, in their order: the first that matches counts. Lines that are none are left out.

    `forced`: whether any counts even where a file is there.
    """

    def __init__(self, text: str) -> None:
        self._exact: dict[str, tuple[int, Redirect | None]] = {}
        self._patterns: list[tuple[int, re.Pattern[str], Redirect | None]] = []
        self.forced: bool = False
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n")):
            rule = _RULE.fullmatch(line) if len(line) <= _LINE else None
            if rule is None:
                continue
            source, target, status, force = rule.groups("")
            redirect = None if status.startswith("4") else Redirect(target, bool(force), status == _REWRITE)
            # URLs have no other characters than those of ASCII, and no server is told a fragment.
            source = quote(source.partition("#")[0], safe=string.printable).rstrip("/")
            if not _WILDCARD.search(source):
                self._exact.setdefault(source, (number, redirect))
            elif len(self._patterns) < _PATTERNS and (pattern := _pattern(source)):
                self._patterns.append((number, pattern, redirect))
            self.forced = self.forced or (redirect is not None and redirect.force)

    def match(self, path: str) -> Redirect | None:
        """The first rule whose `from` is `path`, percent-encoded as in URLs, with what its wildcards stand for put in;
        None where there is none, or it says that nothing is there.
        """
        exact = self._exact.get(path.rstrip("/"))
        for number, pattern, redirect in self._patterns:
            if exact is not None and exact[0] < number:
                break
            match = pattern.fullmatch(path)
            if match is not None:
                return redirect and redirect._replace(target=_filled(redirect.target, match.groupdict("")))
        return exact[1] if exact is not None else None


def _filled(target: str, values: dict[str, str]) -> str:
    return _NAME.sub(lambda name: values.get(name[1], name[0]), target)


def _pattern(text: str) -> re.Pattern[str] | None:
    """What a path with wildcards matches, in linear time; None for more than one in a segment, or two of one name:
    hosts do not agree on what those take.
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
