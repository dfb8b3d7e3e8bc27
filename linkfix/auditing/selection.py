"""The patterns and marks of users: findings that are not wanted, and references that are judged as others.

Findings are left out by rule and file, comment in a page, target, or unchanged file in git.
"""

from __future__ import annotations

import math
import os
import pickle
import re
import signal
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from operator import attrgetter
from pathlib import Path
from time import thread_time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from linkfix.auditing.findings import count_in_folder, group_by_cause
from linkfix.auditing.model import Audit, AuditOptions, Finding, Folder, Hint
from linkfix.auditing.page_document import IGNORE, PageDocument, tags
from linkfix.auditing.rule import Rule
from linkfix.auditing.rules import results_rule, rules
from linkfix.auditing.site import percent_decode
from linkfix.auditing.suggestions import closest
from linkfix.errors import InvalidOption, UnknownRule
from linkfix.html.places import RAW_TEXT_ELEMENTS
from linkfix.kernels.tokenizer import attributes
from linkfix.lazy import lazy_pattern

if TYPE_CHECKING:
    from linkfix.processes import Isolated


# Searches with untrusted regular expressions in untrusted text, limited in time so that they cannot hang a run.
#
# Only processor time counts: other work on the machine must not refuse a good expression.
#
# Python's `re` backtracks, and `(a+)+$` can do so practically for ever. The length of the text and the number of
# repetitions and choices in the expression bound the number of attempts. If the bound is small, as for nearly all
# expressions, the search runs in this process. Otherwise it runs in a child process that is ended at the time limit.


#: The processor time that all searches together may take, and that each search adds to it, in seconds. `--replace`
#: searches every reference of a tree.
_SECONDS, _EACH = 5.0, 0.0001

#: The time until a search in a child process is ended in any case, in seconds: not every system limits processor time.
_WAIT = 60.0

#: The binary logarithm of the number of ways to match that may be tried in this process: a fraction of a second.
_WAYS = 24

#: The longest result of a replacement, in characters.
_LONGEST_RESULT = 1 << 16

#: The constructs without a bound: a repeated group, verbose mode, a backreference, a conditional.
_NO_BOUND = lazy_pattern(r"\)[*+{]|\(\?[a-zA-Z-]*x|\\[1-9]|\(\?P=|\(\?\(")


#: A text, an expression with its flags, and the replacement of each match; None to search only.
_Job: TypeAlias = tuple[str, str, int, str | None]


class LimitedSearches:
    """The searches for one option, and their common time limit."""

    def __init__(self) -> None:
        self._left = _SECONDS
        self._child: Isolated[_Job, tuple[str | None, float]] | None = None

    def search(self, name: str, expression: re.Pattern[str], text: str) -> bool:
        """Whether an expression is found in a text. Raises `InvalidOption` if the searches take too long.

        `name`: the option and its value, for the error message.
        """
        return self._run(name, (text, expression.pattern, expression.flags, None)) is not None

    def replace(self, name: str, expression: re.Pattern[str], replacement: str, text: str) -> str:
        """The text with each match replaced. Raises `InvalidOption` as `search` does, and if the result is too long.

        `replacement`: as in `re.sub`.
        """
        found = self._run(name, (text, expression.pattern, expression.flags, replacement))
        if found is not None and len(found) > _LONGEST_RESULT:
            message = f"{name}: a result has more than {_LONGEST_RESULT:,} characters: write a shorter replacement"
            raise InvalidOption(message)
        return text if found is None else found

    def _run(self, name: str, job: _Job) -> str | None:
        text, source, *_ = job
        is_here = _log_ways(source, len(text)) <= _WAYS
        found, seconds = _timed_search(job) if is_here else self._search_apart(job)
        self._left -= seconds - _EACH
        if self._left < 0:
            message = f"{name}: the regular expression takes too long: write it without nested repetitions"
            raise InvalidOption(message)
        return found

    def _search_apart(self, job: _Job) -> tuple[str | None, float]:
        """Do a job in a child process. Returns its result and its processor time, infinite if it had to be ended."""
        from linkfix.processes import Isolated, LostJob  # few runs have such an expression

        if self._child is None:
            self._child = Isolated(pickle.dumps(partial(_timed_search, limit=_SECONDS)), _WAIT)
            weakref.finalize(self, self._child.__exit__)
        try:
            return self._child(job)
        except LostJob:
            return None, math.inf


def _timed_search(job: _Job, limit: float = 0) -> tuple[str | None, float]:
    """The result of `_search`, and its processor time in seconds.

    `limit`: the processor time after which the system ends this process; 0 for no limit. `re` sees no signal handler.
    """
    if limit and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limit)
    start = thread_time()
    found = _search(job)
    seconds = thread_time() - start
    if limit and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found, seconds


def _search(job: _Job) -> str | None:
    """The text, with each match replaced if the job has a replacement; None for no match.

    It may run in the child process. The rest of a result that is too long is left out.
    """
    text, source, flags, replacement = job
    expression = re.compile(source, flags)
    if replacement is None:
        return None if expression.search(text) is None else text
    parts: list[str] = []
    end = size = 0
    for match in expression.finditer(text):
        parts += text[end : match.start()], match.expand(replacement)
        end = match.end()
        size += len(parts[-1])
        if size > _LONGEST_RESULT:
            break
    return "".join((*parts, text[end:])) if parts else None


def _log_ways(source: str, length: int) -> float:
    """The binary logarithm of the largest number of ways that a search tries; infinity for no bound.

    From each place in the text, each repetition of a character can end at each place, and each choice has two outcomes.
    """
    if _NO_BOUND.search(source):
        return math.inf
    repetitions = sum(map(source.count, "*+{"))
    choices = sum(map(source.count, "?|"))
    return (repetitions + 1) * math.log2(length + 2) + choices


ALL = "all"


def codes_matching(words: Iterable[str]) -> set[str]:
    """The codes of the rules that words select. A word is a code, the beginning of a code, a name, or "all".

    Raises `UnknownRule`, with the closest name, for a word that selects no rule.
    """
    found: set[str] = set()
    for word in words:
        codes = {rule.info.code for rule in rules() if _selects(word, rule)}
        if not codes:
            near = _similar_names(word)
            hint = f"did you mean {near}? See --list-rules" if near else "see --list-rules"
            message = f"unknown rule {word!r}; {hint}"
            raise UnknownRule(message)
        found |= codes
    return found


#: Everyday words -> the words that the names of rules have in their place.
_SYNONYMS = {
    "link": "target",
    "file": "target",
    "page": "target",
    "image": "target",
    "broken": "missing",
    "dead": "missing",
    "lost": "missing",
    "anchor": "fragment",
    "id": "fragment",
    "hash": "fragment",
}

#: The longest word whose parts are looked up, in characters.
_LONGEST = 60

#: The largest number of names that are suggested.
_SUGGESTED = 3

_PARTS = lazy_pattern(r"[a-z]+")


@lru_cache(maxsize=1024)  # a page repeats its comments
def _similar_names(word: str) -> str:
    """The codes or names of rules that an unknown word probably means, in words; "" for none.

    A misspelt name has one suggestion. Otherwise, up to three names share the most words with it.
    """
    word = word.lower()
    names = {name.lower(): name for rule in rules() for name in (rule.info.code, rule.info.name)}
    near = closest(word, names)
    if near:
        return names[near[0]]
    parts = set(_PARTS.findall(word)) if len(word) <= _LONGEST else set()
    parts |= {part.removesuffix("s") for part in parts}
    parts |= {_SYNONYMS[part] for part in parts if part in _SYNONYMS}
    shared = {rule.info.name: len(parts.intersection(rule.info.name.split("-"))) for rule in rules()}
    most = max(shared.values())
    return " or ".join([name for name, number in shared.items() if number == most][:_SUGGESTED]) if most else ""


def _selects(word: str, rule: Rule[Any]) -> bool:
    if word == ALL or word.lower() == rule.info.name:
        return True
    code = word.upper()
    is_prefix = code.startswith("LF") and rule.info.code.startswith(code)
    return rule.info.code == code or (is_prefix and not rule.info.opt_in)


def chosen_codes(options: AuditOptions) -> frozenset[str]:
    """The codes of the rules that run: the selected rules, by default all but the opt-in rules.

    Raises `InvalidOption` if the rule for the results of a link checker is selected by itself, and there are none.
    """
    external = results_rule().info.code
    if options.external_results is None and any(codes_matching([word]) == {external} for word in options.select):
        message = f"{external} needs --external-results FILE, the report of a link checker"
        raise InvalidOption(message)
    wanted = codes_matching(options.select) or {rule.info.code for rule in rules() if not rule.info.opt_in}
    return frozenset(wanted - codes_matching(options.ignore))


def selected_codes(options: AuditOptions) -> frozenset[str]:
    """The codes of the rules that run because an option names them, not because of "all"."""
    return frozenset(codes_matching(word for word in options.select if word != ALL)) & chosen_codes(options)


def ignored_codes_by_file(options: AuditOptions) -> Callable[[str], frozenset[str]]:
    """A function from the name of a file to the codes of the rules that `per_file_ignores` turns off in it."""
    if not options.per_file_ignores:
        return lambda _: frozenset()
    from linkfix.files.patterns import NamePatterns  # used by few runs

    rows = [(NamePatterns([pattern]), frozenset(codes_matching(words))) for pattern, words in options.per_file_ignores]

    def ignored_codes(name: str) -> frozenset[str]:
        return frozenset().union(*(codes for spec, codes in rows if spec.match(name)))

    return ignored_codes


# Comments of a page that suppress findings.
#
#     <!-- linkfix-ignore -->              on this line; if the comment is alone on it, also on the next one
#     <!-- linkfix-ignore-start --> … <!-- linkfix-ignore-end -->
#     <!-- linkfix-ignore-file -->         in the whole page
#
# Codes or names of rules may follow the word; then only their findings are suppressed. A reason may follow after two
# hyphens. In style sheets and scripts, comments are `/* … */`; in MDX, `{/* … */}`.


_COMMENT = lazy_pattern(
    rb"(?:<!--|/\*)[\t\n\f\r ]*+" + IGNORE + rb"(-[a-z](?:-?[a-z]){0,40}+)?+(?=[\t\n\f\r :]|-->|\*/)"
    rb"((?:[A-Za-z0-9,:\t\n\f\r ]|-(?!->|-[\t\n\f\r ]))*+)"
    rb"(?:--(?=[\t\n\f\r ])(?:[^-*/<]|-(?!->)|\*(?!/)|/(?!\*)|<(?!!--))*+)?+(?:-->|\*/)"
)

#: The endings of the word in a comment: of a line, of two comments around a part, and of a page.
_KINDS = (None, b"-start", b"-end", b"-file")

#: The openings of comments between tags, in the texts of scripts and styles, and in other places, which have none.
_BETWEEN_TAGS, _IN_CODE, _NONE = (b"<!--", b"{/*"), (b"/*",), ()

_LINE_END = lazy_pattern(rb"\r\n?|\n")

#: The rest of a line after a comment that is alone on it. The brace is MDX's.
_BLANK = lazy_pattern(rb"\}?+[\t\f ]*+(?=[\r\n])")

#: The bytes that may be before such a comment: white space, marks of lists and quotations, MDX's brace.
#: And the greatest number of them.
_MARGIN, _WIDEST = b" \t\f>*+-{", 100

_BETWEEN_WORDS = lazy_pattern(r"[\s,:]+")


class Exemption(NamedTuple):
    """A range of a page, data[start:end]. Findings that begin in it are suppressed."""

    start: int
    end: int
    codes: frozenset[str] | None
    """The codes of the rules; None for all rules."""


class Exemptions:
    """The exemptions that the comments of a page make. Lookups are fast for any number of comments."""

    def __init__(self, found: Iterable[Exemption] = ()) -> None:
        self._spans: dict[str | None, list[tuple[int, int]]] = {}
        for start, end, codes in sorted(found, key=lambda one: one.start):
            for code in codes if codes is not None else (None,):
                spans = self._spans.setdefault(code, [])
                if spans and start <= spans[-1][1]:
                    start_before, end_before = spans.pop()
                    spans.append((start_before, max(end, end_before)))
                else:
                    spans.append((start, end))

    def covers(self, start: int, code: str) -> bool:
        """Whether a finding of the rule `code` that begins at byte `start` is suppressed."""
        if not self._spans:
            return False
        for key in (None, code):
            spans = self._spans.get(key, [])
            before = bisect_right(spans, start, key=lambda span: span[0])
            if before and start < spans[before - 1][1]:
                return True
        return False


#: The exemptions of a page without such comments.
NO_EXEMPTIONS = Exemptions()


def exemptions(document: PageDocument) -> Exemptions:
    """The exemptions that the comments of a page make. `comment_faults` yields comments without effect."""
    return Exemptions(_found(document)) if document.may_have_exemptions else NO_EXEMPTIONS


def _comments(document: PageDocument) -> Iterator[re.Match[bytes]]:
    """Yield the comments of a page that suppress findings, without text that only looks like a comment."""
    found = _COMMENT.finditer(document.markup)
    if document.kind not in {"html", "markdown"}:
        yield from found
        return
    places = list(_places(document.markup, document.source.start))
    starts = [start for start, _ in places]
    for match in found:
        openings = places[bisect_right(starts, match.start()) - 1][1]
        # The brace of MDX is before the match.
        if match[0].startswith(openings) or document.markup.startswith(openings, max(match.start() - 1, 0)):
            yield match


def _places(data: bytes, start: int) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield the start of each part of a page, in order, with the openings of comments in that part."""
    yield 0, _BETWEEN_TAGS
    for tag in tags(data, start):
        yield tag.start, _NONE
        if tag.is_start and data.find(b"/*", tag.start, tag.end) >= 0:
            for one in attributes(data, tag.start):
                if one.name == "style" or one.name.startswith("on"):
                    yield from ((one.start, _IN_CODE), (one.end, _NONE))
        is_raw = tag.is_start and tag.name in RAW_TEXT_ELEMENTS
        is_code = tag.is_start and tag.name in {b"script", b"style"}
        yield tag.end, _IN_CODE if is_code else _NONE if is_raw else _BETWEEN_TAGS


def _found(document: PageDocument) -> Iterator[Exemption]:
    data = document.source.data
    lines = [0, *(end.end() for end in _LINE_END.finditer(data)), len(data) + 1]
    open_: list[tuple[int, frozenset[str] | None]] = []
    for match in _comments(document):
        codes = _codes(match[2])
        kind = match[1]
        if kind not in _KINDS:
            continue
        if kind == b"-file":
            yield Exemption(0, lines[-1], codes)
        elif kind == b"-start":
            open_.append((match.end(), codes))
        elif kind == b"-end":
            if open_:
                start, codes = open_.pop()
                yield Exemption(start, match.start(), codes)
        else:
            first = bisect_right(lines, match.start()) - 1
            margin = data[lines[first] : min(match.start(), lines[first] + _WIDEST)]
            is_alone = not margin.strip(_MARGIN) and match.start() <= lines[first] + _WIDEST
            after = bisect_right(lines, match.end()) + (is_alone and _BLANK.match(data, match.end()) is not None)
            yield Exemption(lines[first], lines[min(after, len(lines) - 1)], codes)
    yield from (Exemption(start, lines[-1], codes) for start, codes in open_)


_UNKNOWN = "--list-rules shows the codes and names; a reason follows two hyphens: <!-- linkfix-ignore CODE -- why -->"


_KNOWN_COMMENTS = (
    "write linkfix-ignore on the line or alone on the line before it, linkfix-ignore-start and -end around a part, "
    "or linkfix-ignore-file for the page"
)


class CommentFault(NamedTuple):
    """A mistake in a comment that suppresses findings, at data[start:end]."""

    message: str
    hint: str
    start: int
    end: int


def comment_faults(document: PageDocument) -> Iterator[CommentFault]:
    """The unknown comments and rules of a page, the first rule of each comment, and the starts that have no end."""
    if not document.may_have_exemptions:
        return
    open_: list[tuple[int, int]] = []
    for match in _comments(document):
        kind, place = match[1], match.span()
        if kind not in _KINDS:
            yield CommentFault(f"linkfix-ignore{kind.decode()} is not a comment of linkfix", _KNOWN_COMMENTS, *place)
            continue
        if kind == b"-end":
            if open_:
                open_.pop()
            continue
        if kind == b"-start":
            open_.append(place)
        for name in _names_in(match[2]):
            try:
                codes_matching([name])
            except UnknownRule:
                near = _similar_names(name)
                hint = f"did you mean {near}?" if near else _UNKNOWN
                yield CommentFault(f"the comment names the unknown rule {name!r}", hint, *place)
                break
    message = "linkfix-ignore-start has no end, so it hides findings to the end of the page"
    hint = "write <!-- linkfix-ignore-end -->, or linkfix-ignore-file for the whole page"
    yield from (CommentFault(message, hint, *place) for place in open_)


def _names_in(words: bytes) -> list[str]:
    """The codes and names of rules in a comment."""
    return [name for name in _BETWEEN_WORDS.split(words.decode("ascii")) if name.strip("-")]


def _codes(words: bytes) -> frozenset[str] | None:
    names = _names_in(words)
    if not names:
        return None
    known: set[str] = set()
    for name in names:
        try:
            known |= codes_matching([name])
        except UnknownRule:
            continue
    return frozenset(known)


# Targets whose findings are hidden: `--ignore-target`.
#
# There are three kinds of patterns. A pattern as in .gitignore is compared with the target's path in the tree
# (`libs/**`, `/build/`). A pattern with "://" is compared with the target's URL: `*` matches anything but a slash, and
# `**` matches anything (`https://*.example/**`). A regular expression after `re:` is searched in the reference as
# written, in the URL, and in the path. Codes or names of rules and a colon may precede a pattern
# (`missing-fragment:api/**`).


_RULES = lazy_pattern(r"((?:LF\d+|[a-z]+(?:-[a-z]+)+)(?:,(?:LF\d+|[a-z]+(?:-[a-z]+)+))*):(?!//)(.*)", re.DOTALL)

_STARS = {"**": ".*", "*": "[^/]*"}

_REGULAR_EXPRESSION = "re:"


class _IgnoredTarget(NamedTuple):
    """A pattern for ignored targets."""

    codes: frozenset[str]
    """The codes of the rules that it applies to; empty for all rules."""
    matches: Callable[[str, str, str], bool]
    """A test that takes a reference, the URL of its target, and the target's path in the tree."""


class IgnoredTargets:
    """The patterns of one audit. Raises InvalidOption for an invalid pattern, and UnknownRule.

    `base_url`: the URL of the tree. `folder`: the name of the tree in the one that the patterns are written for.
    """

    def __init__(self, patterns: Iterable[str] = (), base_url: str = "", folder: str = "") -> None:
        self._base_url = base_url
        self._folder = folder
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
        """Whether the patterns for some rules cover a path on the tree's host."""
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
        """The target's path in the tree; outside the tree, its path on its host; "" for none."""
        plain = url.partition("#")[0].partition("?")[0]
        if self._base_url and plain.startswith(self._base_url):
            return self._folder + percent_decode(plain[len(self._base_url) :])
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
        message = f"ignore-target {text!r}: the pattern is empty: write for example 'libs/**'"
        raise InvalidOption(message)
    return _IgnoredTarget(frozenset(codes), _matcher(text, pattern, searches))


def _matcher(text: str, pattern: str, searches: LimitedSearches) -> Callable[[str, str, str], bool]:
    name = f"ignore-target {text!r}"
    if pattern.startswith(_REGULAR_EXPRESSION):
        advice = r"correct it (a backslash makes a character plain, as in \( or \.), or give a pattern without re:"
        expression = _compiled(name, pattern.removeprefix(_REGULAR_EXPRESSION), advice)
        return lambda *texts: any(searches.search(name, expression, one) for one in texts)
    if "://" in pattern:
        parts = re.split(r"(\*\*|\*)", pattern)
        source = "".join(_STARS.get(part) or re.escape(part) for part in parts)
        url_pattern = re.compile(rf"\A{source}\Z", re.DOTALL)
        return lambda _reference, url, _path: searches.search(name, url_pattern, url)
    from linkfix.files.patterns import NamePatterns  # used by few runs

    try:
        spec = NamePatterns([pattern])
    except ValueError as error:
        message = f"{name}: not a valid pattern: {error}"
        raise InvalidOption(message) from None
    return lambda _reference, _url, path: bool(path) and spec.match(path)


def _compiled(name: str, source: str, advice: str) -> re.Pattern[str]:
    """A user's regular expression. Raises InvalidOption with advice if it is not valid."""
    try:
        return re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"{name}: not a valid regular expression: {error}; {advice}"
        raise InvalidOption(message) from None


# References that are judged as others: `--replace`.
#
# A replacement is `PATTERN=REPLACEMENT`: a regular expression, and the text for each of its matches in the reference as
# written. All replacements apply, in order. So do `replacementPatterns` of markdown-link-check and `swap_urls` of
# html-proofer, which also see the reference as written. The remaps of lychee see URLs; an absolute reference is one.


#: PATTERN, up to the first "=" that is neither escaped nor part of a lookaround or backreference; REPLACEMENT.
_REPLACEMENT = lazy_pattern(r"((?:\(\?(?:<?|P)=|\\.|[^\\=])*+)=(.*)", re.DOTALL)

#: A group as other programs write it.
_DOLLAR_GROUP = lazy_pattern(r"\$(\d+|\{\w+\}|<\w+>)")

#: The longest reference that is replaced, in characters: longer ones are data: URLs.
_LONGEST_REPLACED = 4096

#: The size of the cache of replaced references.
_REPLACED_REMEMBERED = 1 << 16


class Replacements:
    r"""The replacements of one audit. Raises InvalidOption for an invalid one.

    >>> Replacements([r"^/v\d+/=/", r"^https://(\w+)\.example/=/\1/"]).of("https://docs.example/a.html")
    '/docs/a.html'
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._searches = LimitedSearches()
        #: The option and its value, for error messages; the pattern; the text for each match, as in `re.sub`.
        self._rows = [_read_replacement(text) for text in texts]
        #: A function from a reference to the reference that is judged in its place.
        self.of: Callable[[str], str] = lru_cache(maxsize=_REPLACED_REMEMBERED)(self._of)

    def __bool__(self) -> bool:
        return bool(self._rows)

    def _of(self, reference: str) -> str:
        if len(reference) <= _LONGEST_REPLACED:
            for name, expression, text in self._rows:
                reference = self._searches.replace(name, expression, text, reference)
        return reference


def _read_replacement(text: str) -> tuple[str, re.Pattern[str], str]:
    name = f"replace {text!r}"
    parts = _REPLACEMENT.fullmatch(text)
    if parts is None or not parts[1]:
        message = f"{name}: not PATTERN=REPLACEMENT: write for example '^/docs/=/'"
        raise InvalidOption(message)
    source, replacement = parts.groups()
    expression = _compiled(name, source, r"correct it (a backslash makes a character plain, as in \( or \=)")
    group = _DOLLAR_GROUP.search(replacement)
    if group is not None:
        message = f"{name}: write \\g<{group[1].strip('{}<>')}> for the group {group[0]}"
        raise InvalidOption(message)
    try:
        expression.sub(replacement, "")
    except (re.error, IndexError) as error:
        message = f"{name}: not a valid replacement: {error}; write \\1 for the first group, and \\\\ for a backslash"
        raise InvalidOption(message) from None
    return name, expression, replacement


# The changes in a git checkout since a revision, and the findings that they may cause.


class Changes(NamedTuple):
    """The names of changed files in the tree.

    A renamed file is deleted under its old name and changed under its new name.
    """

    changed: frozenset[str]
    """The files that are new or have different content."""
    deleted: frozenset[str]
    renamed: Mapping[str, str] = MappingProxyType({})
    """The old name of a renamed file -> its new name."""

    def affect(self, audit: Audit, finding: Finding) -> bool:
        """Whether a finding is in a changed file, or about a reference to a changed or deleted file."""
        if finding.path in self.changed:
            return True
        return not self.deleted.union(self.changed).isdisjoint(_target_names(audit, finding))


def _target_names(audit: Audit, finding: Finding) -> tuple[str, ...]:
    """The possible names of a target in the tree; empty outside the tree."""
    target = finding.target or ""
    name: str | None = None
    if target.startswith(audit.base_url):
        name = percent_decode(target[len(audit.base_url) :].partition("#")[0].partition("?")[0])
    elif audit.repository is not None and (path := audit.repository.path_of(target)) is not None:
        name = audit.repository.inner(percent_decode(path))
    if name is None:
        return ()
    folder = name.removesuffix("/")
    return name, f"{folder}.html", f"{folder}.md", *(f"{folder}/{index}".lstrip("/") for index in audit.indexes)


def with_renames(audit: Audit, changed: Changes | None) -> Audit:
    """An audit whose findings about missing files name the files that git knows as their new names.

    `changed`: the changes since a revision; None for those between the last commit and the index.
    """
    files = frozenset(audit.files)
    missing = {
        number: names
        for number, finding in enumerate(audit.findings)
        if not (finding.hint and finding.hint.certain)
        and (names := _target_names(audit, finding))
        and files.isdisjoint(names)
    }
    renamed = (changed.renamed if changed else _staged_renames(audit.root)) if missing else {}
    findings = list(audit.findings)
    for number, names in missing.items() if renamed else ():
        new = next((renamed[name] for name in names if name in renamed), None)
        if new is not None:
            findings[number] = findings[number]._replace(hint=Hint(f"git renamed this file to {new}"))
    return replace(audit, findings=tuple(findings)) if renamed else audit


_RENAMES = ("-M", "--diff-filter=R", "--name-status", "--relative", "-z")


def _staged_renames(root: str) -> dict[str, str]:
    """The old and the new names of files that were renamed in the index since the last commit; empty without git.

    Outside work trees, git does not run. `diff-index --cached` reads no file of the work tree, so that no filter of the
    repository runs.
    """
    real = Path(os.path.realpath(root))
    if not any(os.path.exists(folder / ".git") for folder in (real, *real.parents)):
        return {}
    try:
        return _pairs(_git(root, "diff-index", "--cached", *_RENAMES, "HEAD", "--", seconds=_UNASKED))
    except InvalidOption:
        return {}


def _pairs(output: bytes) -> dict[str, str]:
    cells = _names(output)
    return dict(zip(cells[1::3], cells[2::3], strict=True))


def changes(root: str, revision: str) -> Changes:
    """The changes in the folder `root` since it branched off from a revision: committed, uncommitted or untracked.

    The comparison is with the merge base, so that later changes on the revision's branch do not count. Without a merge
    base (a shallow clone), the comparison is with the revision itself. Raises `InvalidOption` if git cannot tell.
    """
    if revision.startswith("-") or not revision:
        message = f"{revision!r} is not a revision: give a branch, a tag or a commit"
        raise InvalidOption(message)
    if not _git(root, "rev-parse", "--is-inside-work-tree").startswith(b"true"):
        message = f"{root} is not in a git checkout: --diff-base needs one; leave it out"
        raise InvalidOption(message)
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    if not commit:
        message = (
            f"{revision!r} is not a revision of this checkout: fetch it (a shallow clone lacks it), or give another one"
        )
        raise InvalidOption(message)
    if _git(root, "check-ignore", "."):
        message = f"git ignores {root} and cannot list its changes: leave out --diff-base"
        raise InvalidOption(message)
    since = _git(root, "merge-base", commit, "HEAD").decode().strip() or commit
    listed = _git(root, "diff", "--name-status", "--no-renames", "--no-ext-diff", "--relative", "-z", since, "--")
    cells = _names(listed)
    status = dict(zip(cells[1::2], cells[::2], strict=True))
    untracked = _names(_git(root, "ls-files", "-z", "--others", "--exclude-standard"))
    deleted = frozenset(name for name, letter in status.items() if letter == "D")
    renamed = _pairs(_git(root, "diff", *_RENAMES, "--no-ext-diff", since, "--"))
    return Changes(frozenset([*status, *untracked]) - deleted, deleted, renamed)


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0")[:-1]]


#: The environment in which git fetches nothing, also in a partial clone, and locks nothing.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0"}

#: The time limits, in seconds, of a run of git that the user asked for, and of one that nobody asked for. A pipe in the
#: place of one of git's own files would hold it for ever.
_ASKED, _UNASKED = 120, 5


def _git(root: str, *arguments: str, seconds: int = _ASKED) -> bytes:
    """The standard output of git; b"" if git fails.

    Raises `InvalidOption` if git is not installed, refuses to read the folder or does not end.
    """
    import subprocess  # few runs need it

    try:
        done = subprocess.run(  # noqa: S603 - a list of arguments, and no shell
            ["git", "-c", "core.fsmonitor=false", "-C", root, *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            env=os.environ | _OFFLINE,
            timeout=seconds,
        )
    except FileNotFoundError:
        message = "--diff-base needs git, which is not installed: install it, or leave out --diff-base"
        raise InvalidOption(message) from None
    except subprocess.TimeoutExpired:
        message = (
            f"git did not end in {root} within {seconds} seconds: leave out --diff-base, or try 'git status' there"
        )
        raise InvalidOption(message) from None
    if b"dubious ownership" in done.stderr:
        message = f"git refuses to read {root}, which belongs to another user: see 'git config safe.directory'"
        raise InvalidOption(message)
    return done.stdout if not done.returncode else b""


def narrow(audit: Audit, wanted: Callable[[Finding], bool]) -> Audit:
    """An audit with only the wanted findings. The other findings are counted in `hidden` as "unchanged".

    A finding about the whole tree is wanted if at least half of the findings that it replaces are. Otherwise the wanted
    ones of these take its place.
    """
    findings = []
    unchanged = 0
    for finding in audit.findings:
        replaced = audit.superseded.get(finding.code, ())
        single = [one for one in replaced if wanted(one)]
        if single and len(single) * 2 < len(replaced):
            findings += single
        elif single or wanted(finding):
            findings.append(finding)
        else:
            unchanged += 1
    findings.sort(key=attrgetter("path", "start", "end", "code"))
    folders = {name: Folder(folder.pages, folder.links) for name, folder in audit.folders.items()}
    for finding in findings:
        count_in_folder(folders, finding)
    return replace(
        audit,
        findings=tuple(findings),
        causes=group_by_cause(findings),
        folders=folders,
        hidden=audit.hidden + Counter(unchanged=unchanged),
    )
