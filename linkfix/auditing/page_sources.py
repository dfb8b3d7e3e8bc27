"""The sources of built pages, and the lines of findings in them.

A source is told by its name, with the conventions of the generator and its front matter, or else by the link of the
page for editing it. Only files of the repository count, and for a project without one, the files of the project.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from posixpath import dirname, join, normpath, splitext
from urllib.parse import unquote

from linkfix.auditing.generators.model import SourceProject
from linkfix.auditing.generators.pelican import slug_in, slug_of
from linkfix.auditing.generators.profiles import profile_of
from linkfix.auditing.model import Finding, SourcePlace
from linkfix.auditing.project_files import project_files, read_beginning
from linkfix.auditing.source_urls import path_form, source_paths
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import is_repository_root
from linkfix.lazy import lazy_pattern
from linkfix.urls import scheme_of

#: A function from a source and a finding in the page that is made from it to the lines of the source that may have the
#: reference, from 1, in the order of the source.
LinesOf = Callable[[str, Finding], Sequence[int]]

#: The largest size of a source and of a page, in bytes.
_LARGEST = 1 << 24
_LARGEST_PAGE = 1 << 22

#: The number of folders above DIR that are searched for the repository.
_LEVELS = 12

#: The suffixes of sources.
_SUFFIXES = (
    *(".md", ".mdx", ".markdown", ".mdoc", ".rst", ".txt", ".ipynb", ".adoc"),
    *(".html", ".njk", ".liquid", ".astro"),
)

#: The suffixes of built pages.
_PAGES = (".html", ".htm", ".xhtml")

#: The characters of a URL that show that a text goes on before or after a reference. A full stop may end a sentence. A
#: tag before it, as in `{filename}a.md`, is a part of it.
_BEFORE, _AFTER = r"(?<![\w/.%#?&}|-])", r"(?![\w/%#?&=-]|\.\w)"

#: The same for the last name of a reference, which folders may stand before, and a suffix after.
_BEFORE_NAME, _AFTER_NAME = r"(?<![\w%#?&.-])", r"(?:/(?:index|README))?(?P<suffix>\.\w{1,8})?/?"

#: The characters that end the folders of a reference before its last name; and the largest length of the folders.
_END_OF_FOLDERS = lazy_pattern(r"[\s\"'()<>\[\]`|{}=]")
_FOLDERS = 1000

#: The end of a path to a page that its URL may lack; and the suffixes in sources that generators replace in links.
_OF_PAGE = lazy_pattern(r"(?:(?:\A|/)(?:index|README))?(?:\.(?:html?|mdx?|markdown|rst|ipynb))?/?\Z")
_NAMES_OF_SOURCES = frozenset({".md", ".mdx", ".markdown", ".mdown", ".mkd", ".mdoc", ".rst", ".ipynb", ".adoc"})

#: The link of a page for editing or showing its source: the kind, and what follows it, with the branch, the path in the
#: repository and the query. On Azure, and by `edit_uri` of MkDocs, the query can have the path. And that of Sphinx.
_EDIT = lazy_pattern(
    rb"href\s*=\s*[\"']?https?://[^\"'\s<>]{1,400}?/(edit|_edit|blob|tree|raw|src|view)/([^\"'\s<>]{1,1000})",
    re.IGNORECASE,
)
_QUERY = lazy_pattern(
    rb"href\s*=\s*[\"']?https?://[^\"'\s<>?]{1,400}\?[^\"'\s<>]{0,200}?\b(?:path|query|file)=([^\"'\s<>&]{1,1000})",
    re.IGNORECASE,
)
_SHOWN = lazy_pattern(rb"href\s*=\s*[\"']?[^\"'\s<>]{0,400}?\b_sources/([^\"'\s<>]{1,1000}?)(?:\.txt)?[\"'\s>]")
_EDITING = frozenset({b"edit", b"_edit"})
_EDITING_QUERY = b"mode=edit"  # Bitbucket

#: The largest number of names in a branch: `branch/release/1.0` on Gitea.
_BRANCH = 3

#: The names of a folder's source, and of its page.
_INDEXES = frozenset({"index", "readme", "_index"})


#: The beginning of the form of a page by its slug.
_SLUG = "slug:"


def with_sources(findings: Sequence[Finding], root: str, project: SourceProject | None, at: str) -> list[Finding]:
    """The findings, each with its place in a source if that can be told.

    `root`: the real path of the built folder. `project`: the project that built it, whose folder has the real path
    `at`; None if it is not known. A fault that many pages share, and none of their sources, has no place.
    """
    within = _repository(root) or at
    if not within or not findings:
        return list(findings)
    sources = _Sources(root, project, at, within)
    pages = {one.path for one in findings if one.path.lower().endswith(_PAGES)}
    named = {path: sources.of(path) for path in pages}
    base = project.base or "" if project is not None else ""
    text_of = lru_cache(maxsize=64)(lambda source: read_source(source, within))

    def lines_of(source: str, finding: Finding) -> Sequence[int]:
        return lines_of_reference(text_of(source), finding.reference, base, (finding.path, source))

    lines = lines_in_sources(findings, named, lines_of)
    shared = shared_causes(findings, lines)
    return [
        one._replace(source=SourcePlace(source, line or 0))
        if (source := named.get(one.path, "")) and (line or (one.code, one.cause) not in shared)
        else one
        for one, line in zip(findings, lines, strict=True)
    ]


def lines_in_sources(findings: Sequence[Finding], sources: Mapping[str, str], lines_of: LinesOf) -> list[int | None]:
    """The line of each finding in its source. Findings with one target have the lines in order.

    `sources`: the name of a page -> its source.
    """
    numbers: Counter[tuple[str, str, str]] = Counter()
    lines: list[int | None] = []
    for finding in findings:
        source = sources.get(finding.path, "")
        places = lines_of(source, finding) if source else ()
        key = source, finding.code, finding.target or finding.reference
        lines.append(places[min(numbers[key], len(places) - 1)] if places else None)
        numbers[key] += 1
    return lines


def shared_causes(findings: Sequence[Finding], lines: Sequence[int | None]) -> dict[tuple[str, str], int]:
    """The faults of a theme or a navigation: code and cause -> the number of pages, none of whose sources has it."""
    pages: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for finding, line in zip(findings, lines, strict=True):
        if line is None and finding.reference:
            pages[finding.code, finding.cause].add(finding.path)
    return {cause: len(names) for cause, names in pages.items() if len(names) > 1}


def lines_with(text: str, reference: str) -> list[int]:
    r"""The lines of a text that contain a reference, from 1, once for each place.

    >>> lines_with("a [b](c)\nand\nc, cc, c.", "c")
    [1, 3, 3]
    """
    return _lines(text, _BEFORE + re.escape(reference) + _AFTER) if reference else []


def lines_of_reference(text: str, reference: str, base: str = "", at: tuple[str, str] | None = None) -> list[int]:
    r"""The lines of a source that contain a reference of its page, as written or as a generator changes it.

    `base`: the path of the site on its host, without slashes at its ends. `at`: the names of the page in the built
    folder and of the source; None if they are not known.

    >>> lines_of_reference("[a](../gone.md#part)\n", "/lamp/docs/gone#part", "lamp")
    [1]
    """
    path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", reference, re.DOTALL).groups()  # type: ignore[union-attr]
    is_source = splitext(path)[1] in _NAMES_OF_SOURCES
    for one in dict.fromkeys((reference, unquote(reference))):
        # Generators make links to pages of Markdown's links to sources, and leave attributes of HTML as they are.
        attribute = _lines(text, r"(?<==)[\"']?" + re.escape(one) + _AFTER) if one and is_source else []
        if found := attribute or lines_with(text, one):
            return found
    if base and path.startswith(f"/{base}/"):
        path = path[len(base) + 1 :]
        if found := lines_with(text, path + mark + rest):
            return found
    return [] if is_source or not path else _changed(text, path, mark + rest, at)


def _changed(text: str, path: str, rest: str, at: tuple[str, str] | None) -> list[int]:
    """The lines with a reference that a generator makes another one of, with a path in the site. See above."""
    is_absolute = path.startswith("/") or scheme_of(path) is not None
    page = at[0] if at is not None and not is_absolute else ""
    wanted = _names(join(dirname(page), unquote(path)))
    name = _OF_PAGE.sub("", path).rpartition("/")[2]
    index = "README" if path.endswith("/README.html") else ""  # which is not the page of its folder
    lines: list[int] = []
    for one in dict.fromkeys((name, unquote(name))) if wanted and name.strip(".") else ():
        pattern = _BEFORE_NAME + re.escape(one) + _AFTER_NAME + re.escape(rest) + _AFTER
        for number, match in _matches(text, pattern):
            start = max(0, match.start() - _FOLDERS)
            before = text[start : match.start()]
            folders = _END_OF_FOLDERS.split(before)[-1]
            written = unquote(folders + match[0].removesuffix(rest))
            is_filled = _is_in_tag(before[: len(before) - len(folders)])
            is_link = is_filled or not is_absolute or written.startswith("/") or match["suffix"] in _NAMES_OF_SOURCES
            if is_link and index in match[0] and _is_meant(written, wanted, at, is_filled=is_filled):
                lines.append(number)
        if lines:
            break
    return lines


def _is_in_tag(before: str) -> bool:
    """Whether a text ends in a tag of a template, directly after one, or in a wikilink."""
    line = before.rpartition("\n")[2]
    return line.endswith(("}", "[[")) or max(line.rfind("{{"), line.rfind("{%")) > line.rfind("}")


def _is_meant(written: str, wanted: list[str], at: tuple[str, str] | None, *, is_filled: bool) -> bool:
    """Whether the path in a source leads to the page with the names `wanted` from the root of the site."""
    names = _names(written)
    if written.startswith("/") and not is_filled:
        return names == wanted
    if is_filled or at is None:
        return wanted[-len(names) :] == names if names else False
    page, source = at
    folder = dirname(page)
    is_inside = page.endswith("/index.html") and splitext(source)[0].rpartition("/")[2].lower() not in _INDEXES
    folder = dirname(folder) if is_inside else folder
    if f"/{dirname(source)}/".endswith(f"/{folder}/" if folder else "/"):  # the page is at the place of its source
        return _names(join(folder, written)) == wanted
    return _names(join(dirname(source), written))[-len(wanted) :] == wanted


def _names(path: str) -> list[str]:
    """The names of a path, without those that lead upwards, a host, an index and a suffix of pages."""
    whole = normpath(_OF_PAGE.sub("", re.sub(r"\A[\w+.-]+:/*[^/]*", "", path)))
    return [name for name in whole.split("/") if name.strip(".")]


def _lines(text: str, pattern: str) -> list[int]:
    return [line for line, _ in _matches(text, pattern)]


def _matches(text: str, pattern: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches of a pattern, each with its line, from 1."""
    at, line = 0, 1
    for match in re.finditer(pattern, text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield line, match


def read_source(path: str, within: str = "") -> str:
    """The text of a source; "" if it cannot be read, or is very large. `within`: the folder that it has to be in."""
    try:
        file = FilePath(path, within or str(Path(path).parent))
        return atomic.read(file, limit=_LARGEST).data.decode("utf-8", "replace")
    except OSError:
        return ""


def _repository(root: str) -> str:
    """The root of the repository that holds a folder; "" if there is none."""
    folders = islice((Path(root), *Path(root).parents), _LEVELS)
    return next((str(folder) for folder in folders if is_repository_root(folder)), "")


class _Sources:
    """The sources of the pages of a built folder. The arguments: as in `with_sources`; `within`: the repository."""

    def __init__(self, root: str, project: SourceProject | None, at: str, within: str) -> None:
        self._root = root
        self._within = within
        is_beside = not Path(at).is_relative_to(root)
        self._profile = profile_of(project) if project is not None and is_beside else None
        self._excluded = project.excluded if project is not None else None
        self._slugs = project.routes.slugs if project is not None else ()
        self._at = at
        self._names: dict[str, set[str]] | None = None

    def of(self, page: str) -> str:
        """The path of the source of a page; "" if it cannot be told."""
        if self._profile is not None:
            if self._names is None:
                self._names = self._by_form()
            slug = slug_in(page, self._slugs)
            found = self._names.get(_SLUG + slug if slug else path_form(page, self._profile), set())
            if len(found) > 1:  # beside an index, a README is no page
                found = {name for name in found if Path(name).stem.lower() != "readme"}
            if len(found) == 1:
                return str(Path(self._at, next(iter(found))))
        return self._by_link(page)

    def _by_form(self) -> dict[str, set[str]]:
        """The sources of the project by the form of the paths of their pages."""
        names: dict[str, set[str]] = {}
        if self._profile is None:
            return names
        for name in project_files(self._at, {self._root}):
            is_excluded = self._excluded is not None and self._excluded.fullmatch(name) is not None
            if not name.endswith(_SUFFIXES) or is_excluded:
                continue
            beginning = read_beginning(self._at, name)
            forms = {path_form(path, self._profile) for path in source_paths(self._profile, name, beginning)}
            slug = slug_of(beginning) if forms and self._slugs else ""
            for form in {_SLUG + slug} if slug else forms:
                names.setdefault(form, set()).add(name)
        return names

    def _by_link(self, page: str) -> str:
        """The source that a page names itself, in a link for editing it."""
        try:
            data = atomic.read(FilePath(f"{self._root}/{page}", self._root), limit=_LARGEST_PAGE).data
        except OSError:
            return ""
        editing: set[str] = set()
        showing: set[str] = set()
        for kind, rest in _EDIT.findall(data):
            path, _, query = rest.partition(b"?")
            is_editing = kind.lower() in _EDITING or _EDITING_QUERY in query
            found, has_branch = self._file_at(_decoded(path).partition("#")[0].split("/"))
            if found and is_editing and has_branch:
                editing.add(found)
            elif found and _is_alike(page, found):
                showing.add(found)
        named = (self._file_at(_decoded(path).split("/"))[0] for path in _QUERY.findall(data))
        showing |= {found for found in named if found and _is_alike(page, found)}
        for name in {match[1] for match in _SHOWN.finditer(data)}:
            showing |= {found for found in (self._file_of_sphinx(_decoded(name)),) if found}
        found_one = editing or showing
        return next(iter(found_one)) if len(found_one) == 1 else ""

    def _file_at(self, names: list[str]) -> tuple[str, bool]:
        """The file of the repository at the end of a path, and whether no more than a branch is before it."""
        for start in range(len(names)):
            found = self._existing(self._within, ["/".join(names[start:])])
            if found:
                return found, start <= _BRANCH
        return "", False

    def _file_of_sphinx(self, name: str) -> str:
        """The source of the name below `_sources/`: in the nearest folder above the built one that has it."""
        folder = Path(self._root)
        for above in islice(folder.parents, _LEVELS):
            if not above.is_relative_to(self._within):
                return ""
            found = self._existing(str(above), (name, f"source/{name}", f"docs/{name}", f"doc/{name}"))
            if found:
                return found
        return ""

    def _existing(self, folder: str, names: Iterable[str]) -> str:
        """The first regular file of some names in a folder of the repository that is a source."""
        for name in names:
            path = os.path.normpath(f"{folder}/{name}")
            is_inside = path.startswith(f"{self._within}{os.sep}") and not path.startswith(f"{self._root}{os.sep}")
            if is_inside and path.endswith(_SUFFIXES) and os.path.isfile(path) and os.path.realpath(path) == path:
                return path
        return ""


def _is_alike(page: str, source: str) -> bool:
    """Whether a page and a source have the same name, or are those of folders with the same name."""
    one, other = Path(page), Path(source)
    is_index = one.stem in _INDEXES
    name = one.parent.name if is_index else one.stem
    if other.stem.lower() in _INDEXES:
        return other.parent.name == name or (is_index and not name)
    return other.stem == name


def _decoded(url: bytes) -> str:
    return unquote(url.decode("utf-8", "replace")).replace("&amp;", "&").replace("\0", "")
