"""The pages of projects by their settings: the table of the generators whose settings give pages other URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import normpath
from urllib.parse import unquote

from linkfix.auditing.generators.docusaurus import docusaurus_routes
from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.auditing.generators.jekyll_urls import jekyll_urls
from linkfix.auditing.generators.model import Routes, UnknownPages
from linkfix.auditing.generators.pelican import page_files
from linkfix.document.document import Document
from linkfix.files import atomic

#: The largest `SUMMARY.md` that is read, in bytes.
_LARGEST = 1 << 20


def routes_of(site: str, values: Mapping[str, Value]) -> Routes:
    """The pages of a project by its settings. `site`: the key of its generator in `PROFILES`."""
    read = _READERS.get(site)
    return (read(values) if read is not None else None) or Routes()


def _hugo(values: Mapping[str, Value]) -> Routes:
    """Hugo, content-management: `[permalinks]`, also for each kind of page, and languages."""
    templates = _inner(values, "permalinks")
    rows = [(re.sub(r"\A(?:page|section)/", "", key), value) for key, value in templates.items()]
    languages = _languages(values)
    is_unread = "permalinks" in values and not templates
    is_of_language = any("/permalinks" in name for name in _inner(values, "languages"))
    return Routes(
        _language_folders(values, languages),
        pages=tuple(f"{name}/" for name, _ in languages),
        unknown=_unknown(is_unread or is_of_language),
        permalinks=_permalinks(rows),
        languages=languages,
        unbuilt=(("draft", True),) if SPREAD not in values and values.get("builddrafts", False) is False else (),
        is_exact=SPREAD not in values and values.get("uglyurls", False) is False,
        lowers_names=SPREAD not in values and values.get("disablepathtolower", False) is False,
    )


def _languages(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """The languages of Hugo, each with the beginning of its paths; () if they are not known. See `Routes.languages`."""
    names = {key.partition("/")[0] for key in _inner(values, "languages")}
    default = values.get("defaultcontentlanguage", "en")
    has_folder = values.get("defaultcontentlanguageinsubdir", False)
    if default not in names or not isinstance(has_folder, bool) or SPREAD in names:
        return ()
    return tuple((name, "" if name == default and not has_folder else f"{name}/") for name in sorted(names))


def _language_folders(
    values: Mapping[str, Value], languages: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """The folders of the languages of Hugo, each with the beginning of its paths; () if they are not known.

    Those without a folder share one, where the name of a source may end with its language.
    """
    usual = values.get("contentdir", "content")
    default = values.get("defaultcontentlanguage", "en")
    rows = {}
    for name, beginning in languages:
        folder = values.get(f"languages/{name}/contentdir", usual)
        if not isinstance(folder, str) or folder.startswith(("..", "/")):
            return ()
        inner = f"{re.escape(normpath(folder))}/"
        if name == default or inner not in rows:
            rows[inner] = beginning
    return tuple(rows.items())


def _jekyll(values: Mapping[str, Value]) -> Routes:
    """Jekyll, docs/collections and docs/permalinks. A collection that cannot be read may have any pages."""
    keys = _inner(values, "collections")
    names = [key for key, value in keys.items() if "/" not in key and value is None]
    is_unread = any(not _inner(keys, name) or keys.get(f"{name}/permalink", "") is None for name in names)
    has_theme = not values or not {SPREAD, "theme", "remote_theme"}.isdisjoint(values)
    urls = jekyll_urls(values)
    unbuilt = (("published", False),) if SPREAD not in values and values.get("unpublished", False) is False else ()
    return Routes(
        unknown=_unknown(is_unread), has_theme=has_theme, jekyll=urls, unbuilt=unbuilt, is_exact=urls is not None
    )


#: The settings of VitePress that decide the IDs of headings.
_OF_IDS = ("markdown/anchor", "markdown/attrs", f"markdown/{SPREAD}")


def _vitepress(values: Mapping[str, Value]) -> Routes:
    """VitePress, reference/site-config. Any folder may be the one of the sources if settings are not known."""
    is_spread = SPREAD in values
    folder = values.get("srcDir", None if is_spread else "")
    has_own_ids = is_spread or any(key in values for key in _OF_IDS)
    return Routes(unknown=_unknown(not isinstance(folder, str)), has_own_ids=has_own_ids)


def _mdbook(values: Mapping[str, Value]) -> Routes:
    """mdBook, format/configuration: `[build]`; `[output.html.redirect]`, whose keys are the paths of files."""
    usual = SPREAD not in values
    return Routes(
        pages=tuple(_inner(values, "output/html/redirect")),
        moves_readme=values.get("build/use-default-preprocessors", usual) is True,
        writes_listed=values.get("build/create-missing", usual) is True,
    )


def chapters(site: str, folder: str) -> frozenset[str] | None:
    """The sources that `SUMMARY.md` of mdBook lists in the real path `folder`; None if they are not known."""
    try:
        data = atomic.read(f"{folder}/SUMMARY.md", limit=_LARGEST).data if site == "mdbook" else None
    except OSError:
        return None
    if data is None:
        return None
    links = Document(data, media_type="text/markdown").links
    return frozenset(
        normpath(unquote(one.reference)) for one in links if one.element == "a" and one.syntax == "markdown"
    )


#: The settings of Pelican that decide which files are sources, and whether it copies these.
_OF_SOURCES = frozenset(
    """
    ARTICLE_DIR ARTICLE_EXCLUDES ARTICLE_PATHS IGNORE_FILES PAGE_DIR PAGE_EXCLUDES PAGE_PATHS READERS
    STATIC_EXCLUDE_SOURCES
    """.split()
) | {SPREAD}


#: The settings of Pelican that can turn on the extension "toc" of Python-Markdown, which gives headings IDs. Without
#: them, headings have only those in attributes (`pelican.settings.DEFAULT_CONFIG`).
_OF_HEADINGS = frozenset({"MARKDOWN", "PLUGINS", "PLUGIN_PATHS", "READERS", SPREAD})


def _pelican(values: Mapping[str, Value]) -> Routes:
    """Pelican, `StaticGenerator.generate_context`: by default, it copies no file with the suffix of a source."""
    return Routes(
        copies_sources=not values or not _OF_SOURCES.isdisjoint(values),
        slugs=page_files(values),
        names_headings=not values or not _OF_HEADINGS.isdisjoint(values),
    )


def _permalinks(rows: list[tuple[str, Value]]) -> tuple[tuple[str, str], ...]:
    """The rows of `Routes.permalinks` for names of sections, each with the path of its pages."""
    return tuple((rf"(?i:{re.escape(name)}/)", value) for name, value in rows if isinstance(value, str))


def _unknown(is_unread: bool) -> UnknownPages:
    return UnknownPages.ALL if is_unread else UnknownPages.NONE


def _inner(values: Mapping[str, Value], key: str) -> dict[str, Value]:
    """The settings in a table of the settings."""
    return {name[len(key) + 1 :]: value for name, value in values.items() if name.startswith(f"{key}/")}


_READERS: dict[str, Callable[[Mapping[str, Value]], Routes | None]] = {
    "docusaurus": docusaurus_routes,
    "hugo": _hugo,
    "jekyll": _jekyll,
    "mdbook": _mdbook,
    "pelican": _pelican,
    "vitepress": _vitepress,
}
