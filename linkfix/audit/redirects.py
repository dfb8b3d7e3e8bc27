"""`_redirects`: the file at a site's root by which Netlify, Cloudflare Pages and others redirect and rewrite paths.

A line is `from to [status]`; "#" begins a comment. In `from`, `*` at the end stands for any rest (`:splat` in `to`),
and `:name` for one segment. A status of 200 serves another file, 3xx redirects; both lead to `to`. 404 does not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Redirect", "Redirects"]

_PLACEHOLDER = re.compile(r":([A-Za-z]\w*)|\*")
_STATUS = re.compile(r"(\d{3})(!?)")


class Redirect(NamedTuple):
    """Where a path leads: a path from the host's root, or an absolute URL. `force`: even where a file is there."""

    target: str
    force: bool


class Redirects:
    """The rules of one file, in their order: the first that matches counts. Lines that are none are left out."""

    def __init__(self, text: str) -> None:
        self._exact: dict[str, tuple[int, Redirect]] = {}
        self._patterns: list[tuple[int, re.Pattern[str], Redirect]] = []
        for number, line in enumerate(text.splitlines()):
            words = line.partition("#")[0].split() if line.lstrip().startswith("#") else line.split()
            status = next((match for word in words[2:] if (match := _STATUS.fullmatch(word))), None)
            # Conditions (`Country=de`) and query parameters make a rule of some requests only.
            if len(words) < 2 or any("=" in word for word in words[1:-1]) or not words[0].startswith("/"):  # noqa: PLR2004
                continue
            if status is not None and status[1] == "404":
                continue
            redirect = Redirect(words[1], status is not None and status[2] == "!")
            if _PLACEHOLDER.search(words[0]):
                self._patterns.append((number, _pattern(words[0]), redirect))
            else:
                self._exact.setdefault(words[0].rstrip("/") or "/", (number, redirect))

    def match(self, path: str) -> Redirect | None:
        """The first rule whose `from` is `path`, with what its placeholders stand for put in."""
        exact = self._exact.get(path.rstrip("/") or "/")
        for number, pattern, redirect in self._patterns:
            if exact is not None and exact[0] < number:
                break
            match = pattern.fullmatch(path)
            if match is not None:
                return Redirect(_filled(redirect.target, match.groupdict()), redirect.force)
        return exact[1] if exact is not None else None


def _filled(target: str, values: dict[str, str]) -> str:
    return re.sub(r":([A-Za-z]\w*)", lambda name: values.get(name[1]) or name[0], target)


def _pattern(text: str) -> re.Pattern[str]:
    pieces, end = [], 0
    names: set[str] = set()
    for match in _PLACEHOLDER.finditer(text):
        pieces.append(re.escape(text[end : match.start()]))
        name = match[1] or "splat"
        pieces.append(f"(?P={name})" if name in names else f"(?P<{name}>{'[^/]+' if match[1] else '.*'})")
        names.add(name)
        end = match.end()
    pieces.append(re.escape(text[end:]))
    return re.compile("".join(pieces))
