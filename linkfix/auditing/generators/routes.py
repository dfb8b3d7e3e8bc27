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

#: A folder of a language, which URLs have before those of its sections.
_LANGUAGE = r"(?:[a-z]{2}(?:-[A-Za-z]{2,4})?/)?"


def routes_of(site: str, values: Mapping[str, Value]) -> Routes:
    """The pages of a project by its settings. `site`: the key of its generator in `PROFILES`."""
    read = _READERS.get(site)
    return (read(values) if read is not None else None) or Routes()


def _hugo(values: Mapping[str, Value]) -> Routes:
    """Hugo, content-management: `[permalinks]`, also for each kind of page, and `contentDir` of each language."""
    templates = _inner(values, "permalinks")
    rows = [(re.sub(r"\A(?:page|section)/", "", key), value) for key, value in templates.items()]
    is_unread = "permalinks" in values and not templates
    return Routes(_languages(values), unknown=_unknown(is_unread), permalinks=_permalinks(rows))


def _languages(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """The folders of the languages of Hugo, each with the beginning of its paths; () unless each has one."""
    keys = _inner(values, "languages")
    folders = {name: keys.get(f"{name}/contentdir") for name in {key.partition("/")[0] for key in keys}}
    default, has_folder = (
        values.get("defaultcontentlanguage", "en"),
        values.get("defaultcontentlanguageinsubdir", False),
    )
    if default not in folders or not isinstance(has_folder, bool):
        return ()
    found = []
    for name, folder in sorted(folders.items()):
        if not isinstance(folder, str) or folder.startswith(("..", "/")):
            return ()
        found.append((f"{re.escape(normpath(folder))}/", "" if name == default and not has_folder else f"{name}/"))
    return tuple(found)


def _jekyll(values: Mapping[str, Value]) -> Routes:
    """Jekyll, docs/collections and docs/permalinks. A collection that cannot be read may have any pages."""
    keys = _inner(values, "collections")
    names = [key for key, value in keys.items() if "/" not in key and value is None]
    is_unread = any(not _inner(keys, name) or keys.get(f"{name}/permalink", "") is None for name in names)
    has_theme = not values or not {SPREAD, "theme", "remote_theme"}.isdisjoint(values)
    return Routes(unknown=_unknown(is_unread), has_theme=has_theme, jekyll=jekyll_urls(values))


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
    return tuple((rf"(?i:{_LANGUAGE}{re.escape(name)}/)", value) for name, value in rows if isinstance(value, str))


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
