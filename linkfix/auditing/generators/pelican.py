"""The files of Pelican's pages: by the slugs of sources, and by the settings that put slugs into names of files."""

from __future__ import annotations

import re
from collections.abc import Mapping

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.lazy import lazy_pattern

#: The settings for the files of articles and pages, with their defaults (`pelican.settings`).
_SAVE_AS = {"ARTICLE_SAVE_AS": "{slug}.html", "PAGE_SAVE_AS": "pages/{slug}.html"}

#: The settings that give sources other slugs.
_OF_SLUGS = frozenset({"SLUGIFY_SOURCE", "SLUG_REGEX_SUBSTITUTIONS", "PATH_METADATA", "FILENAME_METADATA", SPREAD})

#: The folders of lists, by default.
_LISTS = ("tag/", "category/", "author/", "drafts/")

_FIELD = lazy_pattern(r"\{(\w+)[^{}]*\}")
_FIELDS = 2

#: The slug and the title of a source: in Markdown, in reStructuredText, in HTML.
_SLUG = lazy_pattern(
    r"(?im)^:?slug:[ \t]*([\w.-]+)[ \t]*$|<meta[ \t]+name=\"slug\"[ \t]+content=\"([^\"<>]*)\"", re.ASCII
)
_TITLE = lazy_pattern(r"(?im)^title:[ \t]*(.*\S)[ \t]*$|\A([^\s<:].*)\n([=#*~^\"'-])\3*[ \t]*$|<title>([^<]*)</title>")

_LEFT_OUT, _BREAK = lazy_pattern(r"[^\w\s-]"), lazy_pattern(r"[-\s]+")


def page_files(values: Mapping[str, Value]) -> tuple[str, ...]:
    """The patterns of the files of articles and pages, each with the group `slug`; () if they are not known."""
    if not _OF_SLUGS.isdisjoint(values):
        return ()
    templates = [values.get(key, usual) for key, usual in _SAVE_AS.items()]
    return tuple(_pattern(one) for one in templates if isinstance(one, str) and "{slug}" in one and _is_plain(one))


def _is_plain(template: str) -> bool:
    """Whether no segment of a template has more than two texts of any length, which its pattern would try in turn."""
    names = [[name for name in _FIELD.findall(segment) if name != "date"] for segment in template.split("/")]
    return max(map(len, names)) <= _FIELDS


def _pattern(template: str) -> str:
    """The pattern of a template, whose first slug is the group."""
    parts = _FIELD.split(template.removeprefix("./"))
    found = re.escape(parts[0])
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        slug = "(?P=slug)" if "?P<slug>" in found else "(?P<slug>[^/]+)"
        found += {"slug": slug, "date": "[A-Za-z0-9]++"}.get(name, "[^/]+") + re.escape(text)
    return found


def slug_in(page: str, patterns: tuple[str, ...]) -> str:
    """The slug in the name of a built file; "" for a file that is no article and no page.

    >>> slug_in("pages/about.html", page_files({})), slug_in("tag/lamp.html", page_files({}))
    ('about', '')
    """
    match = next((match for one in patterns if (match := re.fullmatch(one, page))), None)
    return match["slug"] if match is not None and not page.startswith(_LISTS) else ""


def slug_of(text: str) -> str:
    r"""The slug of a source. "" if it is not certain. `text`: its beginning.

    >>> slug_of("Title: A Lamp, lit\nDate: 2026-01-02\n"), slug_of("Title: Größe\n")
    ('a-lamp-lit', '')
    """
    stated = _SLUG.search(text)
    if stated is not None:
        return stated[1] or stated[2] or ""
    match = _TITLE.search(text)
    title = (match[1] or match[2] or match[4] or "") if match is not None else ""
    return _BREAK.sub("-", _LEFT_OUT.sub("", title).strip()).lower() if title.isascii() else ""
