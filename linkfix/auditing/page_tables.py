"""The tables of the pages of a project, and their URLs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import dirname, splitext
from typing import NamedTuple

from linkfix.auditing.generators.eleventy import is_data_file, permalink_in, permalink_of
from linkfix.auditing.generators.front_matter import settings_in
from linkfix.auditing.generators.profiles import Profile
from linkfix.auditing.project_files import read_beginning
from linkfix.auditing.source_names import SOURCE_SUFFIXES
from linkfix.auditing.source_urls import (
    LANGUAGE,
    is_unbuilt,
    listed_pages,
    own_paths,
    path_form,
    paths_by_name,
    source_paths,
    usual_paths,
)
from linkfix.lazy import lazy_pattern

#: The suffix of a file that is no page; `1.0` is a version.
FILE = lazy_pattern(r"\.[A-Za-z]\w{1,4}\Z")

#: A part of a name that stands for any text: `[slug]`, `[...path]`, and a placeholder of a template.
VARIABLE = lazy_pattern(r"\[\[?\.{3}[^]]*\]\]?|\{\{.*?\}\}|\[[^]]*\]|:\w+")


#: The suffixes of templates, and of programs, which are pages in one folder. Their IDs are not known.
TEMPLATES = (".html", ".njk", ".liquid")
_PROGRAMS = (".astro", ".vue", ".tsx", ".jsx", ".ts", ".js", ".svelte")
_OF_PROGRAMS = "src/pages/"

#: The number of bytes of a file of sidebars that are read.
_LARGEST_INDEX = 1 << 20


class ProjectPages(NamedTuple):
    """The pages of a project."""

    files: dict[str, str]
    """The form of a URL's path -> its source."""
    urls: dict[str, list[str]]
    """A source -> its paths."""
    folders: frozenset[str]
    """The paths of folders with pages."""
    variable: dict[re.Pattern[str], None]
    """The forms of the paths that a program makes."""
    moved: dict[str, str]
    """A source whose page has another URL than that of its name, by front matter or settings -> the path of the page;
    "" if it may be one of several.
    """
    exact: dict[str, str]
    """A source of Jekyll -> the URL of its page, with the slash or the suffix at its end, if it is certain."""
    drafts: dict[str, str]
    """The form of the path that a page would have -> its source, which makes none, such as a draft."""
    unbuilt: set[str]
    """These sources."""
    words: set[str]
    """The parts of the names of sources, in lower case."""
    former: dict[str, str]
    """The form of the path that the name of such a source would give its page -> the source."""


class PagesBeside(NamedTuple):
    """The part of a project outside the tree."""

    pages: ProjectPages
    files: dict[str, list[str]]
    """The last name of each file -> its names in the folder of the project, with a slash before each."""
    served: frozenset[str]
    """The paths of the files that are served at the root of the site."""


def form_of_variable(parts: list[str]) -> re.Pattern[str]:
    """The pattern of a path, of the texts around its variable parts.

    The first place of a text after any other is as good as a later one, so that the time stays linear.
    """
    first, *others = map(re.escape, parts)
    return re.compile(first + "".join(f"(?>.+?{part})" for part in others[:-1]) + ".+" + others[-1])


def in_other_languages(pages: ProjectPages, key: str) -> Iterator[str]:
    """Yield the forms of the path of a page in other languages, if it begins with one."""
    match = LANGUAGE.match(key)
    if match is not None:
        rest = key[match.end() :]
        yield rest
        yield from (f"{one}/{rest}".rstrip("/") for one in pages.folders if LANGUAGE.fullmatch(one))


def page_url(profile: Profile, path: str) -> str:
    """The URL of a page from the root of the site, by the path that its front matter gives."""
    is_whole = not profile.ends_with_slash or path.endswith("/") or FILE.search(path)
    return f"/{path}" + "/" * (not is_whole)


def note_moved(pages: ProjectPages, profile: Profile, name: str, inner: str, own: set[str]) -> None:
    """Note that a source has only the possible paths `own`, if any."""
    keys = {path_form(path, profile) for path in own}
    usual = {path_form(path, profile) for path in usual_paths(profile, inner)} if own else set()
    url = page_url(profile, next(iter(own))) if len(own) == 1 else ""
    if profile.jekyll is not None and url and not VARIABLE.search(url):
        pages.exact[name] = url
    if usual != keys:
        pages.moved[name] = url
        pages.former.update(dict.fromkeys(usual - keys, name))


def pages_of(profile: Profile, names: Iterable[tuple[str, str, str]]) -> ProjectPages:
    """The pages of some files: each has its name, that in the project, and its folder."""
    pages = ProjectPages({}, {}, frozenset(), {}, {}, {}, {}, set(), set(), {})
    folders = set()
    files = list(names)
    permalinks = _folder_permalinks(files) if profile.has_folder_data else {}
    for name, inner, root in files:
        if profile.indexes.fullmatch(inner):
            for path in listed_pages(profile, inner, read_beginning(root, name, _LARGEST_INDEX)):
                _add(pages, profile, name, path)
            continue
        is_source = name.lower().endswith(SOURCE_SUFFIXES)
        is_program = inner.endswith(_PROGRAMS) and _OF_PROGRAMS in inner
        has_templates = name.endswith(TEMPLATES)
        suffix = splitext(name)[1]
        if suffix in profile.converted and read_beginning(root, name).startswith("---"):
            for path in paths_by_name(profile, inner):
                _add(pages, profile, name, splitext(path)[0] + profile.converted[suffix])
        if not (is_source or is_program or has_templates):
            continue
        start = read_beginning(root, name) if is_source or has_templates else ""
        for path in _add_source(pages, profile, (name, inner), start, permalinks):
            folder = path_form(path, profile).rpartition("/")[0]
            while folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
    return pages._replace(folders=frozenset(folders))


def _folder_permalinks(files: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The folders whose data files of Eleventy give the permalink of their sources."""
    found = {}
    for name, inner, root in files:
        if is_data_file(inner) and (permalink := permalink_in(name, read_beginning(root, name))) is not None:
            found[dirname(inner)] = permalink
    return found


def _add_source(
    pages: ProjectPages, profile: Profile, names: tuple[str, str], start: str, permalinks: Mapping[str, str]
) -> Iterable[str]:
    """Add the page of a source, and return the paths whose folders have pages.

    `start`: its beginning. `permalinks`: as in `permalink_of`.
    """
    name, inner = names
    pages.words.update(re.split("[/.]", inner.lower()))
    permalink = permalink_of(permalinks, inner) if permalinks and "permalink" not in settings_in(start)[0] else None
    if permalink is not None:
        path = permalink.lstrip("/")
        note_moved(pages, profile, name, inner, {path})
        _add(pages, profile, name, path)
        return [path]
    paths = list(source_paths(profile, inner, start))
    if is_unbuilt(profile, inner, start):
        pages.drafts.update((path_form(path, profile), name) for path in paths)
        pages.unbuilt.add(name)
        return ()
    note_moved(pages, profile, name, inner, set(own_paths(profile, inner, start)))
    for path in paths:
        _add(pages, profile, name, path)
    # Hugo lists the folders of the sources, also if their pages have other URLs.
    return paths_by_name(profile, inner) if profile.lists_folders else paths


def _add(pages: ProjectPages, profile: Profile, name: str, path: str) -> None:
    key = path_form(path, profile)
    if VARIABLE.search(path):
        pages.variable[form_of_variable(VARIABLE.split(key))] = None
    else:
        pages.files.setdefault(key, name)
    pages.urls.setdefault(name, []).append(key)
