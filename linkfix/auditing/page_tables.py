"""The tables of the pages of a project, and their URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from linkfix.auditing.generators.profiles import Profile
from linkfix.auditing.source_urls import LANGUAGE, path_form, usual_paths
from linkfix.lazy import lazy_pattern

#: The suffix of a file that is no page; `1.0` is a version.
FILE = lazy_pattern(r"\.[A-Za-z]\w{1,4}\Z")

#: A part of a name that stands for any text: `[slug]`, `[...path]`, and a placeholder of a template.
VARIABLE = lazy_pattern(r"\[\[?\.{3}[^]]*\]\]?|\{\{.*?\}\}|\[[^]]*\]|:\w+")


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
