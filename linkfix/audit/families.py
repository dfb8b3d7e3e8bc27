"""Families of causes: groups that one change in a generator or template probably fixes.

Nobody reads a report of thousands of causes. Causes that name fragments are grouped by the page that lacks them. Pages
that lack the same fragments form one group: a page and the page of all pages, or translations. Causes that name files
are grouped by the pattern of their names, by folder and suffix, or by the same name in different folders. All other
causes are grouped by their message.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from os.path import commonprefix
from typing import NamedTuple

from linkfix.audit.model import Audit, Cause, Level
from linkfix.lazy import lazy_pattern

#: The least number of causes in a family: with one pattern of names, and in a folder with all of its inner folders.
_FEW, _MANY = 3, 10
#: A number, or several numbers with separators, as in a version or a date.
_NUMBERS = lazy_pattern(r"\d+(?:[-._]\d+)*")


class Family(NamedTuple):
    """A group of causes of one rule and level that probably have one reason. It contains at least one cause."""

    text: str
    """The common part of the causes; for a single cause, its text."""
    causes: tuple[Cause, ...]
    """The causes, sorted by the number of findings, largest first."""
    findings: tuple[int, ...]
    """Indices into `Audit.findings`: one finding of each cause, then the rest."""
    pages: int
    """The number of pages with these findings."""

    @property
    def level(self) -> Level:
        """The level that all of its causes share."""
        return self.causes[0].level

    @property
    def rule(self) -> str:
        """The code and name of their rule."""
        return f"{self.causes[0].code} {self.causes[0].name}"


def families(audit: Audit) -> list[Family]:
    """The families of all causes, sorted by level (worst first), number of findings (largest first) and place."""
    kinds = {rule.code: rule.cause_kind for rule in audit.rules}
    key = attrgetter("code", "level")
    result: list[Family] = []
    for (code, _), causes in groupby(sorted(audit.causes, key=key), key):
        split = _SPLITS.get(kinds.get(code, ""), _by_message)
        result += (_family(audit, text, members) for text, members in split(audit, list(causes)))
    return sorted(result, key=lambda one: (one.level.rank, -len(one.findings), one.findings[0]))


def _family(audit: Audit, text: str, causes: Iterable[Cause]) -> Family:
    members = tuple(sorted(causes, key=lambda cause: -len(cause.findings)))
    firsts = [cause.findings[0] for cause in members]
    findings = (*firsts, *(number for cause in members for number in cause.findings[1:]))
    return Family(text, members, findings, len({audit.findings[number].path for number in findings}))


Split = Iterator[tuple[str, Sequence[Cause]]]


# Causes that name a fragment: "page.html#id"


class _Page(NamedTuple):
    """A page that lacks fragments."""

    name: str
    causes: list[Cause]
    fragments: frozenset[str]
    refers_to_itself: bool
    """Whether the page itself contains a reference to each of the fragments."""

    @property
    def kind(self) -> str:
        """The kind of the page: pages of one kind that lack the same fragments probably have the same text.

        Translations have the same name. A page that refers to itself has the same kind as all such pages, because a
        page of all pages repeats their text.
        """
        return "" if self.refers_to_itself else self.name.rpartition("/")[2]


def _by_target_page(audit: Audit, causes: list[Cause]) -> Split:
    """Group fragments by the page that lacks them. Pages that lack the same fragments form one group."""
    by_name: defaultdict[str, list[Cause]] = defaultdict(list)
    for cause in causes:
        by_name[cause.text.partition("#")[0]].append(cause)
    by_fragments: defaultdict[frozenset[str], list[_Page]] = defaultdict(list)
    for name, members in by_name.items():
        page = _page(audit, name, members)
        by_fragments[page.fragments].append(page)
    for pages in _with_parts(list(by_fragments.values())):
        yield _text(pages), [cause for page in pages for cause in page.causes]


def _page(audit: Audit, name: str, causes: list[Cause]) -> _Page:
    fragments = frozenset(cause.text.partition("#")[2] for cause in causes)
    own = all(any(audit.findings[number].path == name for number in cause.findings) for cause in causes)
    return _Page(name, causes, fragments, own)


def _with_parts(groups: list[list[_Page]]) -> Iterable[list[_Page]]:
    """Merge groups of pages: a group that lacks only a part of another group's fragments is appended to that group."""
    whole: list[list[_Page]] = []
    lacking: defaultdict[tuple[str, str], list[list[_Page]]] = defaultdict(list)
    for group in sorted(groups, key=lambda pages: -len(pages[0].fragments)):
        first = group[0]
        rarest = min((lacking[fragment, first.kind] for fragment in first.fragments), key=len)
        larger = next((one for one in rarest if first.fragments < one[0].fragments), None)
        if larger is not None:
            larger += group
            continue
        whole.append(group)
        for fragment in first.fragments:
            lacking[fragment, first.kind].append(group)
    return whole


def _text(pages: list[_Page]) -> str:
    first = pages[0]
    example = max(first.causes, key=lambda cause: len(cause.findings)).text
    what = f"{len(first.fragments):,} fragments of {first.name}, such as #{example.partition('#')[2]}"
    if len(first.fragments) == 1:
        what = example
    if len(pages) == 1:
        return what
    others = f"{len(pages) - 1:,} other pages, such as {pages[1].name}" if len(pages) > 2 else pages[1].name
    return f"{what}; also missing in {others}"


# Causes that name a file


def _by_name(_audit: Audit, causes: list[Cause]) -> Split:
    """Group files by the pattern of their names."""
    return _by_pattern(causes, (_numbered, _FEW), (_alike, _FEW), (_within, _MANY))


def _by_folder(_audit: Audit, causes: list[Cause]) -> Split:
    """Group URLs by folder: each URL by the folder that contains the most URLs."""
    return _by_pattern(causes, (_within, _FEW))


def _by_pattern(causes: list[Cause], *ways: tuple[Callable[[str], list[Hashable]], int]) -> Split:
    left = list(causes)
    for keys, least in ways:
        groups, left = _largest_groups(left, keys, least)
        yield from ((_pattern(members), members) for members in groups)
    yield from ((cause.text, [cause]) for cause in left)


def _numbered(name: str) -> list[Hashable]:
    """The name with "*" for numbers."""
    folder, slash, last = name.rpartition("/")
    return [folder + slash + _NUMBERS.sub("*", last)]


def _alike(name: str) -> list[Hashable]:
    """The keys of similar files: folder and suffix, and the last two parts of the name.

    The latter groups the same file in different folders.
    """
    folder, _, last = name.rpartition("/")
    suffix = last[last.rfind(".") :] if "." in last else ""
    in_folder = [("in", folder, suffix)] if folder or suffix else []
    return [*in_folder, ("named", *name.split("/")[-2:])]


def _within(name: str) -> list[Hashable]:
    """The folders that contain the file, the innermost first. The root is not included."""
    parts = name.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1) if any(parts[:depth])]


def _largest_groups(
    causes: list[Cause], keys: Callable[[str], list[Hashable]], least: int
) -> tuple[list[list[Cause]], list[Cause]]:
    """The groups of at least `least` causes, and the remaining causes.

    Each cause is in the largest group that it fits.
    """
    fitting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, cause in enumerate(causes):
        for key in keys(cause.text.rstrip("/")):
            fitting[key].append(number)
    groups, taken = [], set[int]()
    for numbers in sorted(fitting.values(), key=len, reverse=True):
        free = [number for number in numbers if number not in taken]
        if len(free) >= least:
            taken.update(free)
            groups.append([causes[number] for number in free])
    return groups, [cause for number, cause in enumerate(causes) if number not in taken]


def _pattern(causes: Sequence[Cause]) -> str:
    """The common beginning and end of the names, with "*" in between, after the number of files."""
    names = [cause.text.rstrip("/") for cause in causes]
    start = commonprefix(names)  # noqa: RUF071 - of the text, not of folders
    end = commonprefix(  # noqa: RUF071
        [name[len(start) :][::-1] for name in names]
    )[::-1]
    return f"{len(names):,} files {start}*{end}"


# All other causes


def _by_message(audit: Audit, causes: list[Cause]) -> Split:
    """Group causes by the message of their findings."""
    messages: defaultdict[str, list[Cause]] = defaultdict(list)
    for cause in causes:
        messages[audit.findings[cause.findings[0]].message].append(cause)
    for message, members in messages.items():
        if len(members) < _MANY:
            yield from ((cause.text, [cause]) for cause in members)
        else:
            yield f"{len(members):,} times: {message}", members


_SPLITS: dict[str, Callable[[Audit, list[Cause]], Split]] = {
    "fragment": _by_target_page,
    "file": _by_name,
    "url": _by_folder,
}
