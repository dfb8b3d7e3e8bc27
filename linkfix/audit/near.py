"""What was probably meant: names that differ by a slip, files that are there under another name or place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache
from posixpath import dirname, relpath

from linkfix.audit.model import Hint
from linkfix.audit.rule import Seen
from linkfix.audit.site import Site, decoded
from linkfix.edit_distance import distance
from linkfix.files.folder import INDEX_NAMES

__all__ = ["NearIds", "Slips", "closest", "near_file", "reference_to", "same_but_case"]

#: Among more names than these, and in longer ones, no slips are looked for.
_MANY = 5000
_LONGEST = 64
#: No slip is looked for in a word of fewer characters.
_SHORTEST = 4
#: How many names that are the same but for one character are told apart.
_ALIKE = 4
_COMPRESSED = (".gz", ".br", ".zst", ".xz", ".bz2", ".Z")
#: In a name of so many characters one slip leaves no doubt.
_LONG = 8
_DIGITS = re.compile(r"\d+")
_SEPARATORS = re.compile(r"[\s_.:%+-]+")
_PARTS = re.compile(r"[\s_.:/-]+")
_PATH = re.compile(r"[^?#]*")


def closest(word: str, candidates: Iterable[str], limit: int = 2) -> list[str]:
    """The candidates that are nearest to `word`, at most `limit` slips away, fewer than a third of what differs.

    Numbers are no slips: `chapter-2` is not near `chapter-3`.
    """
    limit = min(limit, (len(word) - 1) // 3)
    numbers = _DIGITS.findall(word)
    found: list[str] = []
    for candidate in candidates:
        if abs(len(candidate) - len(word)) > limit or candidate == word or not candidate:
            continue
        if (candidate[0] != word[0] and candidate[-1] != word[-1]) or _DIGITS.findall(candidate) != numbers:
            continue
        slips = distance(word, candidate, limit)
        if slips > limit or slips >= _differing(word, candidate) / 3:
            continue
        if slips < limit:
            limit, found = slips, []
        found.append(candidate)
    return found


def _differing(word: str, candidate: str) -> int:
    """How many characters the parts of a name have that differ: of `method.join` and `method.min`, `join` does."""
    parts, others = _PARTS.split(word), _PARTS.split(candidate)
    if len(parts) != len(others):
        return len(word)
    return sum(len(part) for part, other in zip(parts, others, strict=True) if part != other)


class Slips:
    """Names, to look for those that are one slip away from a word, in a time that does not depend on their number.

    Where two words are one slip apart, they are the same without one character of either, or of one of them.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._by_rest: dict[str, list[str]] = {}
        for name in names if len(names) <= _MANY else ():
            for rest in _rests(name):
                alike = self._by_rest.setdefault(rest, [])
                if len(alike) < _ALIKE:
                    alike.append(name)

    def near(self, word: str) -> list[str]:
        """The names that are one slip away, sorted. Numbers are no slips, see `closest`."""
        found = {name for rest in _rests(word) for name in self._by_rest.get(rest, ())}
        return closest(word, sorted(found), 1)


def _rests(name: str) -> set[str]:
    if not _SHORTEST <= len(name) <= _LONGEST:
        return set()
    return {name, *(name[:index] + name[index + 1 :] for index in range(len(name)))}


class NearIds:
    """The ids of one page, to look for the one that was probably meant."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = sorted(one for one in ids if one)

    @cached_property
    def _tables(self) -> tuple[dict[str, list[str]], ...]:
        """The ids by their forms, the nearest form first."""
        tables: tuple[dict[str, list[str]], ...] = ({}, {})
        for one in self._ids:
            for table, form in zip(tables, _forms(one), strict=True):
                table.setdefault(form, []).append(one)
        return tables

    @cached_property
    def _slips(self) -> Slips:
        return Slips(self._ids)

    def near(self, fragment: str) -> tuple[str, bool] | None:
        """The id that was probably meant, and whether there is no doubt: it is the only one that differs by case, or by
        how words are set apart, or by one slip in a longer name.
        """
        for table, form in zip(self._tables, _forms(fragment), strict=True):
            found = table.get(form) if form else None
            if found:
                return found[0], len(found) == 1
        found = self._slips.near(fragment)
        return (found[0], len(found) == 1 and len(fragment) >= _LONG) if found else None


def _forms(name: str) -> tuple[str, str]:
    folded = name.casefold()
    return folded, _SEPARATORS.sub("", folded)


def near_file(seen: Seen) -> Hint | None:
    """The file that was probably meant by a reference whose target is missing."""
    site, name = seen.page.site, seen.place.name
    for suffix in _COMPRESSED:
        if name + suffix in site.numbers:
            return Hint(f"{name}{suffix} is there: a server that sends it decompressed would do")
    if name.endswith("/") and name[:-1] in site.numbers:
        return Hint(f"{name[:-1]} is a file, and no folder", reference_to(seen, name[:-1]))
    plain = decoded(name)
    if plain != name and plain in site.numbers:
        return Hint(f"{plain} is there: the reference is percent-encoded twice", reference_to(seen, plain))
    other = _under_another_base(seen)
    if other is not None:
        return Hint(f"{other} is there: the reference seems to be meant from another folder", reference_to(seen, other))
    close = _close_names(site, name)
    if len(close) == 1:
        return Hint(f"did you mean {close[0]}?", reference_to(seen, close[0]))
    return None


def reference_to(seen: Seen, name: str) -> str:
    """A reference from the page to a file of the tree, with the query and fragment of the one that is there.

    It is written as that is: from the root, absolute, or relative to the page's folder.
    """
    reference = seen.link.reference
    site = seen.page.site
    rest = reference[len(_PATH.match(reference)[0]) :]  # type: ignore[index]  # it matches any text
    path = site.url_path(name)
    if reference.startswith("//"):
        return site.origin.partition(":")[2] + path + rest
    if reference.startswith("/"):
        return path + rest
    base = seen.link.base or seen.page.url
    if reference.startswith(site.origin) or not base.startswith(site.origin):
        return site.origin + path + rest
    folder = dirname(base[len(site.origin) :].partition("?")[0].partition("#")[0])
    relative = relpath(path, folder or "/")
    first = relative.partition("/")[0]
    return ("./" if ":" in first else "") + relative + rest


def same_but_case(seen: Seen) -> str | None:
    """The reference with its path in the case that the file has, all else as it is written; None where that is not a
    matter of its letters alone.
    """
    reference = seen.link.reference
    path = _PATH.match(reference)[0]  # type: ignore[index]  # it matches any text
    parts = path.split("/")
    wanted = seen.place.near.split("/")
    names = [index for index, part in enumerate(parts) if part not in {"", ".", ".."}]
    if len(names) > len(wanted) or "\\" in path or ":" in path:
        return None
    if wanted[-1] in INDEX_NAMES and parts[-1].casefold() != wanted[-1]:
        wanted.pop()
    for index, name in zip(reversed(names), reversed(wanted), strict=False):
        if "%" in parts[index] or decoded(parts[index]).casefold() != name.casefold():
            return None
        parts[index] = name
    return "/".join(parts) + reference[len(path) :]


def _under_another_base(seen: Seen) -> str | None:
    """The file that the same path leads to from the tree's root, or from a folder around the page."""
    path = _PATH.match(seen.link.reference)[0]  # type: ignore[index]  # it matches any text
    if seen.link.target is None or ":" in path or "\\" in path:
        return None
    site = seen.page.site
    parts = [part for part in decoded(path).split("/") if part not in {"", ".", ".."}]
    if not parts:
        return None
    rest = "/".join(parts)
    folder = dirname(seen.page.name)
    while True:
        name = f"{folder}/{rest}" if folder else rest
        if name in site.numbers and name != seen.place.name:
            return name
        if not folder:
            break
        folder = dirname(folder)
    # A tree that lies below a folder of its host, or that has one more on top.
    for shorter in range(1, min(len(parts), 3)):
        if path.startswith("/") and "/".join(parts[shorter:]) in site.numbers:
            return "/".join(parts[shorter:])
    return None


def _close_names(site: Site, name: str) -> list[str]:
    folder, slash, last = name.rpartition("/")
    return [folder + slash + one for one in _slips_in(site, folder).near(last)]


@lru_cache(maxsize=4)
def _slips_in(site: Site, folder: str) -> Slips:
    return Slips(site.names_in(folder))
