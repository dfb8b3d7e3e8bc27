"""The check of fragments after all pages are read: IDs, redirect pages, and scripts that may handle a fragment.

`linkfix.auditing.engine` calls it. It reads from disk only the pages that lack a wanted fragment, and their scripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from linkfix.auditing.listing import Listing, PageFile
from linkfix.auditing.model import PageFacts
from linkfix.auditing.mounts import MountedFolder
from linkfix.auditing.page_document import PageDocument, tags
from linkfix.auditing.repository import Host
from linkfix.auditing.rule import FragmentResult, FragmentStatus
from linkfix.auditing.site import DestinationKind, Site
from linkfix.auditing.source_ids import HeadingFacts
from linkfix.auditing.suggestions import IdSuggestions
from linkfix.display import pluralize
from linkfix.document.document import Document
from linkfix.encodings.character_references import decode
from linkfix.encodings.encoding import codec
from linkfix.files import atomic
from linkfix.files.data_formats import DATA_TYPES
from linkfix.files.descriptors import FilePath
from linkfix.lazy import lazy_pattern
from linkfix.model import DOCUMENT_KINDS, PAGE_TYPES, SOURCE_TYPES
from linkfix.urls import DIRECTIVES

# The scripts of a page: they may create IDs, or handle fragments, when they run.
#
# A script's effect is known only after running it. Instead, its strings count as signs, and whether it reads the
# fragment: then a fragment that looks like a route counts as a route.


#: The size of the cache of scripts that pages share.
_SCRIPTS_CACHED = 16

#: The number of bytes in which a NUL shows that a file is not text, as for git.
_BINARY = 8000

#: The code of a script that navigates.
_MOVES = lazy_pattern(r"\blocation(?:\.href)?\s*=(?![=>])|\blocation\.(?:replace|assign)\s*\(")

#: The code of a script that reads the fragment, or watches it for changes.
_FOLLOWS = lazy_pattern(r"\b(?:hashchange|location\s*\.\s*hash|popstate)\b")

#: The code of a script that sets the ID of an element: `e.id = "x"`, `setAttribute("id", "x")`, `{id: "x"}`, `"<p
#: id='x'>"`.
_SET_ID = lazy_pattern(r"""(?:\.id\s*=\s*|["'`]id["'`]\s*,\s*|\bid\s*[:=]\s*\\?)["'`]([^"'`\\<>\s]++)""")


class Script:
    """A script of a page.

    `name`: the name of its file in the tree; "" for a script in the page itself. `text`: its code.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._text = text

    @cached_property
    def follows_fragment(self) -> bool:
        """Whether the script reads the fragment."""
        return _FOLLOWS.search(self._text) is not None

    @cached_property
    def sends_on(self) -> bool:
        """Whether the script reads the fragment and navigates."""
        return "location.hash" in self._text and _MOVES.search(self._text) is not None

    def knows(self, fragment: str) -> bool:
        """Whether a string of the script is the fragment, or an ID that the script sets."""
        return fragment in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        """The fragments that the script may handle.

        In a script file, only IDs that it sets count: libraries contain all kinds of words. In a script of the page
        itself, strings that begin with "#" count, and all strings if the script reads the fragment.
        """
        text = self._text
        if self.name:
            return frozenset(_SET_ID.findall(text))
        strings = {string for quote in "\"'`" for string in text.split(quote)[1:-1]}
        fragments = frozenset(string[1:] for string in strings if string.startswith("#"))
        return fragments | strings if "hash" in text else fragments


class TreeFiles:
    """The files of one tree, read to look up fragments that are no IDs.

    Scripts count: inline scripts, and the script files of the tree that a page loads. So do line numbers.
    """

    def __init__(
        self, site: Site, pages: Mapping[str, PageFile], mounts: Sequence[MountedFolder], listing: Listing, limit: int
    ) -> None:
        self._site = site
        self._pages = pages
        self._mounts = mounts
        self._listing = listing
        self._limit = limit
        self._script = lru_cache(maxsize=_SCRIPTS_CACHED)(self._read_script)
        self._lines: dict[str, int | None] = {}

    def scripts(self, name: str) -> list[Script]:
        """The scripts of a page. An unreadable file counts as empty."""
        page = self._pages[name]
        if page.media_type in SOURCE_TYPES:
            return []
        data = self._read(page.file)
        scripts = [Script("", _inline_text(data))]
        if b"src" in data:
            document = Document(data, envelope=self._site.envelope(page))
            targets = (decision.target for _, decision in document.references("script"))
            for target in dict.fromkeys(filter(None, targets)):
                place = self._site.destination(target)
                if place.kind is DestinationKind.FILE:
                    scripts.append(self._script(place.name))
        return scripts

    def count_lines(self, name: str) -> int | None:
        """The number of lines of a file; None for a file that is not text, or cannot be read."""
        if name not in self._lines:
            data = self._read(self._file(name))
            is_text = data and b"\0" not in data[:_BINARY]
            self._lines[name] = data.count(b"\n") + (data[-1:] != b"\n") if is_text else None
        return self._lines[name]

    def _read_script(self, name: str) -> Script:
        return Script(name, self._read(self._file(name)).decode("utf-8", "replace"))

    def _file(self, name: str) -> FilePath:
        if name in self._pages:
            return self._pages[name].file
        mount = next((one for one in self._mounts if one.holds(name)), None)
        return self._listing.file(name) if mount is None else mount.path(name)

    def _read(self, file: FilePath) -> bytes:
        try:
            return atomic.read(file, limit=self._limit).data
        except OSError:
            return b""


def _inline_text(data: bytes) -> str:
    """The text of all inline scripts in a page."""
    lower = data.lower()
    pieces = []
    end = 0
    while (start := lower.find(b"<script", end)) >= 0 and (start := lower.find(b">", start)) >= 0:
        end = lower.find(b"</script", start)
        if end < 0:
            end = len(data)
        pieces.append(data[start + 1 : end])
    return b"\n".join(pieces).decode("utf-8", "replace")


#: The kinds of documents in which fragments refer to IDs.
_WITH_IDS = frozenset({"html", "xml", "markdown"})

#: The number of redirect pages that are followed.
_HOPS = 20

#: `#12-34`, `#L12-L34`: ranges of lines in code viewers.
_LINES = lazy_pattern(r"([A-Za-z]*)(\d+)-(\1\d+|\d+)")

#: The fragments of images that are no IDs: SVG 2 §16.3, Media Fragments, and the themes with which GitHub and Material
#: for MkDocs show an image.
_MEDIA_FRAGMENT = lazy_pattern(r"svgView\(|xywh=|t=|track=|id=|(?:only-(?:light|dark)|gh-(?:light|dark)-mode-only)\Z")

_DELIMITER = DIRECTIVES.encode()

#: The result of a search for texts -> its status.
_TEXT_STATUS = {
    True: FragmentStatus.FOUND,
    False: FragmentStatus.TEXT_NOT_FOUND,
    None: FragmentStatus.TEXT_UNKNOWN,
}

#: The size of the cache of pages with their IDs: redirect pages often share their target.
_PAGES_CACHED = 64

#: The beginnings of routes, which scripts that read fragments handle. IDs do not look like this: `#/guide`, `#!guide`.
_ROUTE = ("/", "!")


class HostedSources(NamedTuple):
    """The means to look up fragments in references of source files that a host may show."""

    host: Host
    count_lines: Callable[[str], int | None]
    """A function from the name of a file to the number of its lines; None for a file that is not text."""
    others: Callable[[str], Iterable[str]]
    """A function from the name of a source to the other sources that its page may be made from."""


def _forms_of(fragment: bytes) -> tuple[str, ...]:
    """The fragment as written and, if it contains "%", percent-decoded (HTML §7.4.6.3, steps 1-9)."""
    raw = fragment.decode("utf-8", "surrogatepass")
    if "%" not in raw:
        return (raw,)
    return raw, unquote_to_bytes(raw).decode("utf-8", "replace")


class _TargetPage:
    """A page that fragments lead to."""

    def __init__(self, facts: PageFacts) -> None:
        self.facts = facts
        in_html = facts.ids.split(b"\0") if facts.ids else ()
        self.ids = frozenset(in_html)
        self.headings: HeadingFacts | None = None
        if facts.source_ids is not None:
            made, self.headings = facts.source_ids.make(in_html)
            self.ids |= made

    @cached_property
    def _suggestions(self) -> tuple[IdSuggestions, IdSuggestions]:
        """The IDs that are similar to a missing one; the names that are similar to the heading in a wikilink."""
        ids = [one.decode("utf-8", "replace") for one in self.ids]
        names = [one for one in ids if one.startswith("#")]
        return IdSuggestions(one for one in ids if one[:1] != "#"), IdSuggestions(names)

    def suggest(self, fragment: str) -> tuple[str, bool] | None:
        """The ID that was probably intended, and whether that is certain; None if no ID is similar.

        The ID of a heading is certain only if all programs make it that may build the page.
        """
        if self.headings is not None and fragment.lower() in self.headings.explicit:
            return self.headings.explicit[fragment.lower()], False
        found = self._suggestions[fragment.startswith("#")].suggest(fragment)
        if found is None or self.headings is None:
            return found
        return found[0], found[1] and found[0] not in self.headings.disputed

    def has(self, fragment: bytes) -> bool:
        """Whether a fragment refers to an element; "top" is the top of the document."""
        if fragment in self.ids or fragment.lower() == b"top":
            return True
        return any(
            text.encode("utf-8", "surrogatepass") in self.ids or text.lower() == "top" for text in _forms_of(fragment)
        )

    def has_at_github(self, name: str) -> bool:
        """Whether GitHub's page has an ID."""
        is_elsewhere = self.headings is not None and name in self.headings.not_at_github
        return name.encode("utf-8", "surrogatepass") in self.ids and not is_elsewhere

    def has_as_utf_8(self, fragment: bytes) -> bool:
        """Whether a fragment would refer to an element if the page, which declares no encoding, were read as UTF-8."""
        if not self.facts.encoding:
            return False
        decode = codec(self.facts.encoding).decode
        return any(decode(text.encode("utf-8", "replace")).encode() in self.ids for text in _forms_of(fragment))


def check_fragments(
    pages: Iterable[PageFacts],
    numbers: Mapping[str, int],
    scripts: Callable[[str], Sequence[Script]],
    *,
    text_of: Callable[[str], str | None] = lambda _: None,
    wanting: Iterable[PageFacts] | None = None,
    sources: HostedSources | None = None,
) -> dict[tuple[int, bytes], FragmentResult]:
    """The results for all fragments that were not found: number of the file and fragment -> result.

    `scripts(name)`: a function that returns the scripts of a page. It is called only for pages that lack a fragment.
    `text_of(name)`: a function that returns the text of a page. It is called only for pages with text fragments.
    `wanting`: the pages whose fragments are looked up; None for all pages. `sources`: given if they are source files.
    """
    facts = {numbers[page.name]: page for page in pages}
    wanted: dict[int, set[bytes]] = {}
    for page in facts.values() if wanting is None else wanting:
        if page.fragments is not None:
            for number, fragment in page.fragments.pairs():
                wanted.setdefault(number, set()).add(fragment)
    names = dict(zip(numbers.values(), numbers, strict=True)) if sources is not None else {}
    target_of = lru_cache(maxsize=_PAGES_CACHED)(lambda number: _TargetPage(facts[number]))
    found: dict[tuple[int, bytes], FragmentResult] = {}
    for number, fragments in wanted.items():
        unknown = fragments
        status = _why_unchecked(facts.get(number))
        if status is not None:
            check: Callable[[bytes], FragmentResult] = partial(
                _check_without_ids, names.get(number, ""), sources, FragmentResult(status)
            )
        else:
            unknown = fragments - target_of(number).ids
            if not unknown:
                continue
            checker = _FragmentChecker(number, facts, target_of, scripts, sources)
            check = partial(_check_with_texts, checker.check, _text_search(target_of(number), unknown, text_of))
        for fragment in sorted(unknown):
            result = check(fragment)
            if result.status is FragmentStatus.NOT_FOUND and sources is not None and number in names:
                read = (name for name in sources.others(names[number]) if not _why_unchecked(facts.get(numbers[name])))
                has_it = (name for name in read if target_of(numbers[name]).has(fragment))
                result = result._replace(source=next(has_it, ""))
            if result.status is not FragmentStatus.FOUND:
                found[number, fragment] = result
    return found


_FOUND = FragmentResult(FragmentStatus.FOUND)

_NO_README = FragmentResult(FragmentStatus.NOT_FOUND, reason="the folder has no README with this ID")


def _check_without_ids(
    name: str, sources: HostedSources | None, unchecked: FragmentResult, fragment: bytes
) -> FragmentResult:
    """Look up a fragment in a file that has no IDs, or in a folder that has no page.

    `name`: "" for a folder. `unchecked`: the result for a fragment that cannot be looked up.
    """
    if not name and sources is not None:
        return _FOUND if fragment.lower() == b"top" else _NO_README
    return _check_lines(name, sources, fragment) or unchecked


def _check_lines(name: str, sources: HostedSources | None, fragment: bytes) -> FragmentResult | None:
    """Look up line numbers, as a host shows them; None for another fragment, or for a file that is not text."""
    lines = sources.host.lines.fullmatch(fragment.decode("utf-8", "replace")) if sources is not None else None
    if sources is None or lines is None:
        return None
    count = sources.count_lines(name)
    if count is None:
        return None
    if all(1 <= int(line) <= count for line in lines.groups() if line is not None):
        return _FOUND
    return FragmentResult(FragmentStatus.NOT_FOUND, reason=f"{name} has only {pluralize(count, 'line')}")


def _text_search(target: _TargetPage, wanted: set[bytes], text_of: Callable[[str], str | None]) -> TextSearch:
    """The search for the text fragments among `wanted` in a page."""
    number = sum(fragment.count(b"text=") for fragment in wanted if _DELIMITER in fragment)
    facts = target.facts
    return TextSearch(text_of(facts.name) if number and facts.redirect is None else None, number)


def _check_with_texts(check: Callable[[bytes], FragmentResult], search: TextSearch, fragment: bytes) -> FragmentResult:
    """Look up a fragment by `check`, and the texts after it by `search`."""
    name, delimiter, directives = fragment.partition(_DELIMITER)
    result = check(name) if name or not delimiter else _FOUND
    if delimiter and result.status is FragmentStatus.FOUND:
        return FragmentResult(_TEXT_STATUS[search.finds(directives.decode())])
    return result


class _FragmentChecker:
    """A check for fragments that are not IDs of their target page."""

    def __init__(
        self,
        number: int,
        facts: Mapping[int, PageFacts],
        target_of: Callable[[int], _TargetPage],
        scripts: Callable[[str], Sequence[Script]],
        sources: HostedSources | None = None,
    ) -> None:
        self._target = target_of(number)
        self._scripts = scripts
        self._sources = sources
        end, self._carries, self._own = _follow(number, facts)
        self._final = end if isinstance(end, FragmentStatus) else target_of(end)

    def check(self, fragment: bytes) -> FragmentResult:
        """Look up one fragment."""
        target = self._target
        text = _forms_of(fragment)[-1]
        known = _FOUND if target.has(fragment) else self._check_at_host(fragment, text)
        if known is not None:
            return known
        if target.facts.media_type not in PAGE_TYPES and _MEDIA_FRAGMENT.match(text):
            return FragmentResult(FragmentStatus.PART_OF_MEDIA)
        # The scripts of code viewers read the raw fragment.
        lines = _LINES.fullmatch(fragment.decode("utf-8", "replace"))
        if lines is not None and self._has_lines(lines):
            return FragmentResult(FragmentStatus.FOUND_LINES)
        final = self._final
        if isinstance(final, FragmentStatus):
            return FragmentResult(final)
        redirected_to = final.facts.name if final is not target else ""
        if redirected_to and final.has(fragment):
            is_carried = self._carries or text == _forms_of(self._own.encode())[-1]
            return FragmentResult(
                FragmentStatus.FOUND_AFTER_REDIRECT if is_carried else FragmentStatus.LOST_IN_REDIRECT, redirected_to
            )
        script = self._script_that_knows(text, redirects=not redirected_to)
        if script is not None:
            return FragmentResult(FragmentStatus.ONLY_IN_SCRIPT, script=script.name)
        if final.facts.is_generated:
            return FragmentResult(FragmentStatus.GENERATED)
        misread_as = final.facts.encoding if final.has_as_utf_8(fragment) else ""
        suggestion = None if misread_as else final.suggest(text)
        return FragmentResult(FragmentStatus.NOT_FOUND, redirected_to, suggestion, misread_as=misread_as)

    def _check_at_host(self, fragment: bytes, text: str) -> FragmentResult | None:
        """The result for a fragment that the host of the sources knows besides the IDs; None for any other."""
        if self._sources is None:
            return None
        target, host = self._target, self._sources.host
        if target.facts.media_type in SOURCE_TYPES:
            bare = text.removeprefix(host.prefix)
            if target.has(bare.encode("utf-8", "surrogatepass")):
                return _FOUND
            name = target.facts.name.rpartition("/")[2]
            if host.has_readme and text.lower() == name.partition(".")[0].lower() == "readme":
                return _FOUND
            if host.ignores_case and target.has_at_github(bare.lower()):
                suggestion = target.suggest(bare)
                return FragmentResult(FragmentStatus.FOUND_IN_OTHER_CASE, suggestion=suggestion)
        return _check_lines(target.facts.name, self._sources, fragment)

    def _has_lines(self, lines: re.Match[str]) -> bool:
        prefix, first, last = lines.groups()
        last = last if last.startswith(prefix) else prefix + last
        return {(prefix + first).encode(), last.encode()} <= self._target.ids

    def _script_that_knows(self, fragment: str, *, redirects: bool) -> Script | None:
        """The first script of the page that may handle the fragment; None for none.

        `redirects`: whether a script that navigates also counts.
        """
        is_route = fragment.startswith(_ROUTE)
        for script in self._page_scripts:
            if script.knows(fragment) or (is_route and script.follows_fragment):
                return script
            if redirects and not script.name and script.sends_on:
                return script
        return None

    @cached_property
    def _page_scripts(self) -> Sequence[Script]:
        return self._scripts(self._target.facts.name)


def _follow(number: int, facts: Mapping[int, PageFacts]) -> tuple[int | FragmentStatus, bool, str]:
    """Follow a chain of redirect pages.

    Returns the number of the last page, whether all pages pass the fragment on, and the fragment that the last redirect
    sets. The number is the page's own if it does not redirect. Instead of the number, a status says why fragments
    cannot be looked up at the end of the chain.
    """
    passes_fragment_on = True
    own = ""
    for _ in range(_HOPS + 1):
        status = _why_unchecked(facts.get(number)) if number >= 0 else FragmentStatus.LEFT_THE_SITE
        if status is not None:
            return status, passes_fragment_on, own
        redirect = facts[number].redirect
        if redirect is None:
            return number, passes_fragment_on, own
        number, own = redirect.number, redirect.fragment
        passes_fragment_on = passes_fragment_on and redirect.passes_fragment_on
    return FragmentStatus.IN_A_CIRCLE, passes_fragment_on, own


def _why_unchecked(page: PageFacts | None) -> FragmentStatus | None:
    """The reason that fragments in a file cannot be looked up; None if they refer to IDs of a page that was read.

    `page`: None for a file that is no page.
    """
    if page is not None and page.unread:
        return FragmentStatus.TOO_LARGE if page.is_too_large else FragmentStatus.UNREAD
    if page is None or page.media_type in DATA_TYPES or DOCUMENT_KINDS.get(page.media_type) not in _WITH_IDS:
        return FragmentStatus.NOT_A_PAGE
    return None


# Text fragments: `#:~:text=…` names a text of the page to scroll to (URL Fragment Text Directives, WICG).
#
# The comparison is more lenient than browsers: a text that browsers find is found here. Accents are ignored, and a word
# has a boundary beside every character of a script without spaces.


#: The beginning of a text directive.
_TEXT = "text="

#: The longest text that is compared, in characters, and the most work for one page: directives times characters.
_LONGEST = 1000

_WORK = 10_000_000

#: The elements whose raw text is not shown.
_HIDDEN = frozenset(b"iframe noembed noframes script style title".split())

#: The elements that divide no word.
_INLINE = frozenset(
    b"a abbr acronym b bdi bdo big cite code data dfn del em font i ins kbd label mark nobr q rb rp rt s samp small"
    b" span strike strong sub sup time tt u var wbr".split()
)

#: Comments and other markup between two tags that is no text.
_NO_TEXT = lazy_pattern(rb"(?s)<!--.*?(?:--!?>|\Z)|<[!?/][^>]*>?")

_SPACES = lazy_pattern(r"\s+")


class TextDirective(NamedTuple):
    """The texts of a directive: `text=[prefix-,]start[,end][,-suffix]`. Each is normalized; "" if it is missing."""

    prefix: str
    start: str
    end: str
    suffix: str

    @classmethod
    def parse(cls, text: str) -> TextDirective | None:
        """The directive for the text after `text=`; None if browsers ignore it (§3.3, "parse a text directive")."""
        parts = text.split(",")
        prefix = parts.pop(0)[:-1] if parts[0].endswith("-") else None
        suffix = parts.pop()[1:] if parts and parts[-1].startswith("-") else None
        start, end, *more = [*parts, None, None] if parts else ["", None]
        if len(more) > 2 - (end is None) or "" in {prefix, start, end, suffix}:
            return None
        return cls(*(normalize(unquote(one or "")).strip() for one in (prefix, start, end, suffix)))

    def is_in(self, text: str) -> bool:
        """Whether a normalized text contains the texts in their order. Takes linear time."""
        starts = (at for at in _places(text, self.start) if self._follows_prefix(text, at))
        first = next((at for at in starts if self.end or self._precedes_suffix(text, at + len(self.start))), -1)
        if first < 0 or not self.end:
            return first >= 0
        ends = (at + len(self.end) for at in _places(text, self.end, first + len(self.start)))
        return any(self._precedes_suffix(text, at) for at in ends)

    def _follows_prefix(self, text: str, at: int) -> bool:
        if not self.prefix:
            return True
        end = at - text.startswith(" ", at - 1) if at else 0
        return text.endswith(self.prefix, 0, end) and _is_boundary(text, end - len(self.prefix))

    def _precedes_suffix(self, text: str, at: int) -> bool:
        if not self.suffix:
            return True
        start = at + text.startswith(" ", at)
        return text.startswith(self.suffix, start) and _is_boundary(text, start + len(self.suffix))


def text_directives(fragment: str) -> list[TextDirective]:
    """The text directives after the delimiter of a fragment, without those that browsers ignore."""
    values = (one[len(_TEXT) :] for one in fragment.split("&") if one.startswith(_TEXT))
    return [directive for value in values if (directive := TextDirective.parse(value)) is not None]


def _places(text: str, part: str, start: int = 0) -> Iterator[int]:
    """The places of a part of a text that begin and end at the boundaries of words."""
    at = text.find(part, start)
    while part and at >= 0:
        if _is_boundary(text, at) and _is_boundary(text, at + len(part)):
            yield at
        at = text.find(part, at + 1)


def _is_boundary(text: str, at: int) -> bool:
    """Whether a word can begin or end at a place: not between two letters or digits of a script with spaces."""
    return not 0 < at < len(text) or not (_is_of_word(text[at - 1]) and _is_of_word(text[at]))


def _is_of_word(character: str) -> bool:
    return character.isalnum() and unicodedata.category(character) != "Lo"


def normalize(text: str) -> str:
    """A text in lower case, without accents and soft hyphens, with one space for all white space in a row."""
    if not text.isascii():
        pieces = unicodedata.normalize("NFKD", text)
        text = "".join(one for one in pieces if one != "\xad" and not unicodedata.combining(one))
    return _SPACES.sub(" ", text.casefold())


def page_text(document: PageDocument) -> str:
    """The normalized text of an HTML page, without tags, comments, scripts, styles and the title."""
    data = document.source.data
    pieces: list[bytes] = []
    end = document.source.start
    is_hidden = False
    for tag in tags(data, end):
        if not is_hidden:
            pieces.append(_NO_TEXT.sub(b"", data[end : tag.start]))
        if tag.name not in _INLINE:
            pieces.append(b" ")
        end = tag.end
        is_hidden = tag.is_start and tag.name in _HIDDEN
    pieces.append(_NO_TEXT.sub(b"", data[end:]))
    return normalize(decode(document.source.working.decode(b"".join(pieces)), in_attribute=False).text)


class TextSearch:
    """The search for text fragments in one page. `text`: its text; None if it is not known. `number`: of directives."""

    def __init__(self, text: str | None, number: int) -> None:
        self._text = text if text is None or number * len(text) <= _WORK else None

    def finds(self, directives: str) -> bool | None:
        """Whether the page contains the texts of all directives; None if this is not known."""
        found = text_directives(directives)
        if self._text is None or any(len(text) > _LONGEST for one in found for text in one):
            return None
        return all(one.is_in(self._text) for one in found)
