"""Findings from issues: places, fingerprints, passwords removed; their causes and families of causes; baselines.

The reader and the engine make findings here. The type `Finding` is in `linkfix.auditing.model`.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter
from os.path import commonprefix
from pathlib import Path
from posixpath import normpath, splitext
from typing import NamedTuple

from linkfix.auditing.model import Audit, Cause, Finding, FindingLevel, Folder, Hint, Refresh, RuleInfo
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rule import AuditedPage, Issue
from linkfix.display import pluralize
from linkfix.errors import InvalidOption
from linkfix.files.folder import is_repository_root
from linkfix.html.values import byte_offsets
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.urls import hide_passwords, may_have_passwords, password_spans

# The place of a finding: lines and columns, bytes of the file, and the source line.


#: The number of bytes of a line that are shown before and after a place.
_BEFORE, _AFTER = 100, 160


class Region(NamedTuple):
    """A place in a page; see `linkfix.auditing.model.Finding`."""

    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    excerpt: str


class Regions:
    """The places of spans in one document's working data. Fast for spans in ascending order."""

    def __init__(self, document: PageDocument) -> None:
        self._data = document.source.data
        self._encoding = document.source.working
        self._positions = document.positions
        self._unit = document.source.units()

    def of(self, start: int, end: int, at: tuple[int, int] | None = None) -> Region:
        """The place of data[start:end]. `at`: its line and column, if known."""
        data = self._data
        line, column = at or self._positions.of(start)
        text = self._encoding.decode(data[start:end])
        end_line, end_column = line, column + len(text)
        if "\n" in text or "\r" in text:
            lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            end_line, end_column = line + len(lines) - 1, len(lines[-1]) + 1
        unit = self._unit
        return Region(line, column, end_line, end_column, unit(start), unit(end), self._excerpt(start, end))

    def _excerpt(self, start: int, end: int) -> str:
        data = self._data
        end = min(end, start + _AFTER)
        low, high = max(start - _BEFORE, 0), min(end + _AFTER, len(data))
        first = max(low, data.rfind(b"\n", low, start) + 1, data.rfind(b"\r", low, start) + 1)
        for mark in (b"\n", b"\r"):
            at = data.find(mark, end, high)
            high = at if at >= 0 else high
        last = high
        text = self._shown(first, last)
        # The clipped text may begin or end within a character.
        if first > 0 and data[first - 1] not in b"\r\n":
            text = "…" + text.lstrip("\ufffd…")
        if last < len(data) and data[last] not in b"\r\n":
            text = text.rstrip("\ufffd…") + "…"
        return " ".join(text.split())

    def _shown(self, first: int, last: int) -> str:
        """The text of data[first:last], with "…" for each password, or part of a password, in it."""
        data, decode = self._data, self._encoding.decode
        starts, ends = self._passwords
        pieces: list[str] = []
        for number in range(bisect_right(ends, first), len(starts)):
            start, end = starts[number], ends[number]
            if start >= last:
                break
            pieces += (decode(data[first : max(first, start)]), "…")
            first = min(end, last)
        return "".join((*pieces, decode(data[first:last])))

    @cached_property
    def _passwords(self) -> tuple[list[int], list[int]]:
        """The beginnings and the ends of all passwords in the page, in bytes.

        The whole page is searched because an excerpt may contain only a part of a URL.
        """
        data, encoding = self._data, self._encoding
        if encoding.has_ascii_trails:
            text = encoding.decode(data)
            offset = byte_offsets(data, text, encoding)
        else:  # each ASCII byte is the character itself
            text, offset = data.decode("latin-1"), int
        spans = password_spans(text)
        return [offset(start) for start, _ in spans], [offset(end) for _, end in spans]


try:  # the implementation inside hashlib, without OpenSSL: loading OpenSSL takes longer than a small audit
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # Python 3.11
    except ImportError:  # a Python build without its own implementation
        from hashlib import sha256


def _hide_passwords(finding: Finding) -> Finding:
    """The finding without the passwords in its URLs. The excerpt has none already.

    Reports are kept, sent and published. If the reference of a hint contains a password, the hint loses the reference:
    nobody should write "…" into a page.
    """
    hint, target = finding.hint, finding.target
    texts = (finding.message, finding.reference, target, finding.cause, *((hint[:2]) if hint else ()))
    if not may_have_passwords("".join(filter(None, texts))):
        return finding
    reference = hide_passwords(finding.reference)
    # With a base of the same scheme, `https:me:secret@h` is a path. Other texts contain it without the scheme.
    hide = partial(hide_passwords, everywhere=reference != finding.reference)
    if hint is not None:
        is_shown = hint.reference is None or hide(hint.reference) == hint.reference
        hint = Hint(hide(hint.text), hint.reference if is_shown else None, hint.certain and is_shown)
    return finding._replace(
        message=hide(finding.message),
        reference=reference,
        target=target and hide(target),
        cause=hide(finding.cause),
        hint=hint,
    )


def _in_written(hint: Hint, page: AuditedPage, judged: str, written: str) -> Hint:
    """The hint for a reference as written, such as a tag, in place of the one that was judged. It is never certain.

    It has a reference if that is judged as the one of the hint.
    """
    replace, reference = page.document.replace, hint.reference
    if replace is None or not reference:
        return Hint(hint.text)
    pairs = (judged, reference), (re.split("[?#]", judged)[0], re.split("[?#]", reference)[0])
    news = (written.replace(old, new) for old, new in pairs if old and written.count(old) == 1)
    return Hint(hint.text, next((new for new in news if replace(new) == reference), None))


def new_finding(page: AuditedPage, regions: Regions, rule: RuleInfo, issue: Issue, link: Link | None) -> Finding:
    """The finding for an issue of a link or of the page, with its place. Its fingerprint is still empty."""
    if issue.span is not None or link is None:
        region = regions.of(*(issue.span or (0, 0)))
    else:
        region = regions.of(link.start, link.end, (link.line, link.column))
    written = page.document.written.get(link.start) if link else None
    if link and written is not None:
        issue = issue._replace(hint=issue.hint and _in_written(issue.hint, page, link.reference, written))
        link = link._replace(reference=written)
        if link.syntax == "wikilink" and link.target is not None:  # the name of a heading begins with another "#"
            link = link._replace(target=link.target.replace("##", "#", 1))
    finding = Finding(
        code=rule.code,
        name=rule.name,
        level=issue.level or rule.level,
        message=issue.message,
        path=page.name,
        line=region.line,
        column=region.column,
        end_line=region.end_line,
        end_column=region.end_column,
        start=region.start,
        end=region.end,
        element=link.element if link else "",
        attribute=link.attribute if link else "",
        reference=link.reference if link else "",
        target=link.target if link else None,
        cause=issue.cause or (link.reference if link else issue.message),
        hint=issue.hint,
        excerpt=region.excerpt if region.end else "",
        fingerprint="",
    )
    return _hide_passwords(finding)


def refresh_finding(rule: RuleInfo, refresh: Refresh, issue: Issue) -> Finding:
    """The finding for an issue of a page's refresh, at its place."""
    level, cause = issue.level or rule.level, issue.cause or issue.message
    return refresh.finding._replace(code=rule.code, name=rule.name, level=level, message=issue.message, cause=cause)


def name_in(folder: str, name: str) -> str:
    """The name of a file of a folder, from where the folder's own name begins. A settings file can be above the folder.

    >>> name_in("docs/", "a.md"), name_in("docs/", "../mkdocs.yml")
    ('docs/a.md', 'mkdocs.yml')
    """
    return normpath(folder + name) if name.startswith("../") else folder + name


def count_in_folder(folders: Mapping[str, Folder], finding: Finding, prefix: str = "") -> None:
    """Count a finding in the folder of its file, or in the tree's root. `prefix`: the name of the tree."""
    name = finding.path.removeprefix(prefix).rpartition("/")[0]
    folders.get(name, folders[""]).findings[finding.level.value] += 1


def file_finding(rule: RuleInfo, path: str, issue: Issue) -> Finding:
    """The finding for an issue of a whole file. `path`: the file's name; "" for the tree."""
    finding = Finding(
        code=rule.code,
        name=rule.name,
        level=issue.level or rule.level,
        message=issue.message,
        path=path,
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        start=0,
        end=0,
        element="",
        attribute="",
        reference="",
        target=None,
        cause=issue.cause or issue.message,
        hint=issue.hint,
        excerpt="",
        fingerprint="",
    )
    return _hide_passwords(finding)


def with_fingerprints(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings by path, place and code, and add their fingerprints.

    A fingerprint depends on the rule, the page, the element and attribute, the reference, and the number of equal
    findings before it. It does not depend on lines, columns or messages. So it stays the same when other parts of the
    page change.
    """
    result = []
    before: dict[tuple[str, ...], int] = {}
    for finding in sorted(findings, key=lambda one: (one.path, one.start, one.end, one.code)):
        key = (finding.code, finding.path, finding.element, finding.attribute, finding.reference or finding.cause)
        number = before.get(key, 0)
        before[key] = number + 1
        text = "\0".join((*key, str(number)))
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        result.append(finding._replace(fingerprint=digest))
    return result


def origin_of_paths() -> str:
    """The folder that the paths in fingerprints begin at: the root of the repository here, else the working folder.

    It does not depend on the other folders of the audit, so that a baseline stays valid if folders are added.
    """
    here = Path.cwd()
    return str(next((folder for folder in (here, *here.parents) if is_repository_root(folder)), here))


def path_from(origin: str, folder: str) -> str:
    """The path of a folder from another one, with "/" between names."""
    try:
        return os.path.relpath(folder, origin).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return Path(folder).as_posix()


def group_by_cause(findings: Sequence[Finding]) -> tuple[Cause, ...]:
    """The causes of findings, sorted by level (worst first), then by the number of findings (largest first)."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, finding in enumerate(findings):
        groups.setdefault((finding.code, finding.cause), []).append(number)
    result = []
    for (code, text), numbers in groups.items():
        worst = min((findings[number] for number in numbers), key=lambda one: one.level.rank)
        pages = len({findings[number].path for number in numbers})
        result.append(Cause(code, worst.name, worst.level, text, tuple(numbers), pages))
    return sort_causes(result)


def sort_causes(causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Sort causes by level (worst first), then by the number of findings (largest first)."""
    return tuple(sorted(causes, key=lambda one: (one.level.rank, -len(one.findings), one.code, one.text)))


# Baselines: files of known findings, so that only new findings are reported.
#
# The files are made for version control: sorted JSON with one finding per line. Only the fingerprint counts; path, code
# and reference are for readers.


#: The version of the file format.
VERSION = 1

_KEY = "linkfix-baseline"


class KnownFinding(NamedTuple):
    """An entry of a baseline."""

    path: str
    code: str
    reference: str
    fingerprint: str


def dump_baseline(findings: Iterable[Finding | KnownFinding]) -> bytes:
    """The baseline of these findings, in UTF-8. Names that are not UTF-8 contain JSON's escapes for surrogates."""
    rows = sorted({KnownFinding(one.path, one.code, one.reference, one.fingerprint) for one in findings})
    lines = [json.dumps(row._asdict(), ensure_ascii=False) for row in rows]
    listed = "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"
    return f'{{\n"{_KEY}": {VERSION},\n"findings": {listed}\n}}\n'.encode("utf-8", "backslashreplace")


def read_baseline(path: str) -> tuple[KnownFinding, ...]:
    """The entries of a baseline. Raises `InvalidOption` for a file that is no baseline, and `OSError`."""
    try:
        document = json.loads(Path(path).read_bytes())
        version = int(document[_KEY])
        entries = [_entry(row) for row in document["findings"]] if version == VERSION else []
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        message = f"{path} is not a baseline of linkfix: make one with --write-baseline"
        raise InvalidOption(message) from None
    if version != VERSION:
        message = f"{path} is a baseline of version {version}, but this linkfix reads version {VERSION}: write it again"
        raise InvalidOption(message)
    return tuple(entries)


def _entry(row: dict[str, object]) -> KnownFinding:
    """An entry of a baseline. Only its fingerprint is required."""
    path, code, reference = (str(row.get(name, "")) for name in ("path", "code", "reference"))
    return KnownFinding(path, code, reference, str(row["fingerprint"]))


def outdated_entries(entries: Iterable[KnownFinding], audit: Audit) -> frozenset[KnownFinding]:
    """The entries whose findings no longer occur: their rule ran, and their page was checked or no longer exists."""
    codes = {rule.code for rule in audit.rules}
    found = {*audit.known, *(finding.fingerprint for finding in audit.findings)}
    files, pages = set(audit.files), set(audit.pages)
    return frozenset(
        entry
        for entry in entries
        if entry.fingerprint not in found and entry.code in codes and (entry.path in pages or entry.path not in files)
    )


# Families of causes: groups that one change in a generator or template probably fixes.
#
# Nobody reads a report of thousands of causes. Causes that name fragments are grouped by the page that lacks them.
# Pages that lack the same fragments form one group: a page and its single-page edition, or translations. Causes that
# name files are grouped by the pattern of their names, by folder and suffix, or by the same name in different folders.
# All other causes are grouped by their message.


#: The least number of causes in a family; the second one for broad groups, by folder or by message.
_FEW, _MANY = 3, 10

#: The least number of findings of a cause that stands alone beside similar ones, and the least multiple of theirs.
_MANY_FINDINGS, _TIMES = 5, 4

#: The first letters and digits of a common end: they are a part of a word.
_LETTERS = lazy_pattern(r"\A\w+")

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
    size: str
    """The number of findings, in words: of references, if each is about one."""

    @property
    def level(self) -> FindingLevel:
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
        split = _GROUPINGS.get(kinds.get(code, ""), _by_message)
        result += (_family(audit, text, members) for text, members in split(audit, list(causes)))
    return sorted(result, key=lambda one: (one.level.rank, -len(one.findings), one.findings[0]))


def _family(audit: Audit, text: str, causes: Iterable[Cause]) -> Family:
    members = tuple(sorted(causes, key=lambda cause: -len(cause.findings)))
    firsts = [cause.findings[0] for cause in members]
    findings = (*firsts, *(number for cause in members for number in cause.findings[1:]))
    noun = "reference" if all(audit.findings[number].reference for number in findings) else "finding"
    pages = len({audit.findings[number].path for number in findings})
    return Family(text, members, findings, pages, pluralize(len(findings), noun))


Groups = Iterator[tuple[str, Sequence[Cause]]]


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
        single-page edition repeats their text.
        """
        return "" if self.refers_to_itself else self.name.rpartition("/")[2]

    @property
    def pattern(self) -> tuple[str, frozenset[str]] | None:
        """The suffix of a page that refers to itself, and its fragments with "*" for numbers.

        None for other pages, and if a fragment has no number.
        A program that makes images often puts a number of the image into all IDs.
        """
        fragments = frozenset(_NUMBERS.sub("*", fragment) for fragment in self.fragments)
        is_made = self.refers_to_itself and all("*" in fragment for fragment in fragments)
        return (splitext(self.name)[1], fragments) if is_made else None


def _by_target_page(audit: Audit, causes: list[Cause]) -> Groups:
    """Group fragments by the page that lacks them. Pages that lack the same fragments form one group."""
    by_name: defaultdict[str, list[Cause]] = defaultdict(list)
    for cause in causes:
        by_name[cause.text.partition("#")[0]].append(cause)
    by_fragments: defaultdict[frozenset[str], list[_Page]] = defaultdict(list)
    for name, members in by_name.items():
        page = _page(audit, name, members)
        by_fragments[page.fragments].append(page)
    by_pattern: defaultdict[Hashable, list[list[_Page]]] = defaultdict(list)
    for pages in _merge_subsets(list(by_fragments.values())):
        by_pattern[pages[0].pattern or pages[0].name].append(pages)
    for groups in by_pattern.values():
        if len(groups) < _FEW:
            yield from ((_text(pages), _causes(pages)) for pages in groups)
        else:
            made = [page for pages in groups for page in pages]
            yield _text_of_pattern(made), _causes(made)


def _causes(pages: Iterable[_Page]) -> list[Cause]:
    return [cause for page in pages for cause in page.causes]


def _page(audit: Audit, name: str, causes: list[Cause]) -> _Page:
    fragments = frozenset(cause.text.partition("#")[2] for cause in causes)
    own = all(any(audit.findings[number].path == name for number in cause.findings) for cause in causes)
    return _Page(name, causes, fragments, own)


def _merge_subsets(groups: list[list[_Page]]) -> Iterable[list[_Page]]:
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


def _text_of_pattern(pages: list[_Page]) -> str:
    """The text about pages that lack fragments of their own, which differ by numbers only. The first lacks the most."""
    first = pages[0]
    causes = sum(len(page.causes) for page in pages)
    return f"{causes:,} fragments of {len(pages):,} files that only they refer to, such as {first.causes[0].text}"


# Causes that name a file


def _by_name(_audit: Audit, causes: list[Cause]) -> Groups:
    """Group files by the pattern of their names."""
    return _by_pattern(causes, (_number_keys, _FEW), (_similarity_keys, _FEW), (_folder_keys, _MANY))


def _by_folder(_audit: Audit, causes: list[Cause]) -> Groups:
    """Group URLs by folder: each URL by the folder that contains the most URLs."""
    return _by_pattern(causes, (_folder_keys, _FEW))


def _by_pattern(causes: list[Cause], *ways: tuple[Callable[[str], list[Hashable]], int]) -> Groups:
    left = list(causes)
    for keys, least in ways:
        groups, left = _largest_groups(left, keys, least)
        for members in groups:
            usual, frequent = _by_frequency(members)
            alone = frequent if len(usual) >= least else members
            if alone is frequent:
                yield _pattern(usual), usual
            yield from ((cause.text, [cause]) for cause in alone)
    yield from ((cause.text, [cause]) for cause in left)


def _by_frequency(causes: list[Cause]) -> tuple[list[Cause], list[Cause]]:
    """Causes of which each has about as many findings as the others, and those with many more.

    A file that all pages refer to has a reason of its own: a template.
    """
    numbers = sorted(len(cause.findings) for cause in causes)
    limit = max(_MANY_FINDINGS, _TIMES * numbers[len(numbers) // 2])
    return [one for one in causes if len(one.findings) < limit], [one for one in causes if len(one.findings) >= limit]


def _number_keys(name: str) -> list[Hashable]:
    """The name with "*" for numbers."""
    folder, slash, last = name.rpartition("/")
    return [folder + slash + _NUMBERS.sub("*", last)]


def _similarity_keys(name: str) -> list[Hashable]:
    """The keys of similar files: folder and suffix, and the last two parts of the name.

    The latter groups the same file in different folders.
    """
    folder, _, last = name.rpartition("/")
    suffix = last[last.rfind(".") :] if "." in last else ""
    in_folder = [("in", folder, suffix)] if folder or suffix else []
    return [*in_folder, ("named", *name.split("/")[-2:])]


def _folder_keys(name: str) -> list[Hashable]:
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
    """The common beginning and end of the names, with "*" in between, after the number of files.

    The end begins with no part of a word: `blog/*`, not `blog/*e`.
    """
    names = [cause.text.rstrip("/") for cause in causes]
    start = commonprefix(names)  # noqa: RUF071 - of the text, not of folders
    end = commonprefix(  # noqa: RUF071
        [name[len(start) :][::-1] for name in names]
    )[::-1]
    return f"{len(names):,} files {start}*{_LETTERS.sub('', end)}"


# All other causes


def _by_message(audit: Audit, causes: list[Cause]) -> Groups:
    """Group causes by the message of their findings."""
    messages: defaultdict[str, list[Cause]] = defaultdict(list)
    for cause in causes:
        messages[audit.findings[cause.findings[0]].message].append(cause)
    for message, members in messages.items():
        if len(members) < _MANY:
            yield from ((cause.text, [cause]) for cause in members)
        else:
            yield f"{len(members):,} times: {message}", members


_GROUPINGS: dict[str, Callable[[Audit, list[Cause]], Groups]] = {
    "fragment": _by_target_page,
    "file": _by_name,
    "url": _by_folder,
}
