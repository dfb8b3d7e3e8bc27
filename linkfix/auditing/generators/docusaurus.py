"""The pages of Docusaurus: the folders of sources, by `docusaurus.config.*`, and the URL of each source.

Docusaurus resolves a link of Markdown to a source of the same plugin. All other references are URLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import join, normpath, splitext
from typing import NamedTuple

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.auditing.generators.model import ContentPlugin, Routes, UnknownPages
from linkfix.lazy import lazy_pattern


class _Kind(NamedTuple):
    """A kind of content: the name of its plugin, the folder and the path by default, and whether it has versions."""

    name: str
    folder: str
    route: str
    has_versions: bool = False


_DOCS = _Kind("docs", "docs", "docs", has_versions=True)
_KINDS = {kind.name: kind for kind in (_DOCS, _Kind("blog", "blog", "blog"), _Kind("pages", "src/pages", ""))}

_CONTENT_PLUGIN = lazy_pattern(r"(?:@docusaurus/)?(?:plugin-)?content-(docs|blog|pages)")
_CLASSIC = frozenset({"classic", "@docusaurus/preset-classic"})
_REDIRECTS = lazy_pattern(r"(?:@docusaurus/)?(?:plugin-)?client-redirects")

#: The plugins that add no pages but a search.
_WITHOUT_PAGES = lazy_pattern(
    r".*(?:sitemap|google|gtag|analytics|matomo|ideal-image|pwa|debug|svgr|search|sass|tailwind|image-zoom|zooming"
    r"|mermaid|live-codeblock|css-cascade|rsdoctor|webpack|llms).*"
)


def docusaurus_routes(values: Mapping[str, Value]) -> Routes | None:
    """The routes of a project; None if its settings say nothing of them."""
    if SPREAD in values:
        return Routes((), (), UnknownPages.ALL)
    if not any(key in values for key in ("presets", "plugins")):
        return None
    content: list[tuple[str, str]] = []
    plugins: list[ContentPlugin] = []
    pages: list[str] = []
    adds = rewrites = is_unread = False
    for key, name in _entries(values):
        options = f"{key}/1" if f"{key}/0" in values else f"{key}/-"
        inner = list(_contents(name, options))
        is_unread |= name in _CLASSIC and f"{options}/{SPREAD}" in values
        if _REDIRECTS.fullmatch(name):
            found, is_known = _redirects(values, options)
            pages += found
            rewrites |= not is_known
        elif not inner:
            adds |= not _WITHOUT_PAGES.fullmatch(name)
        for kind, place in inner:
            if values.get(place) is not False:
                rows = list(_instance(kind, values, place))
                content += rows
                plugins += [_plugin(kind, values, place, rows)] if rows else []
                is_unread |= not rows
                pages += [route for _, route in rows[:1] if kind.name == "blog"]
    unknown = UnknownPages.ALL if rewrites or is_unread else UnknownPages.FOLDERS if adds else UnknownPages.NONE
    if is_unread:
        return Routes((), tuple(pages), unknown)
    return Routes(tuple(dict.fromkeys(content)), tuple(pages), unknown, plugins=tuple(plugins))


def _entries(values: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Yield the presets and plugins: the key of each, and its name; the name is "" if it is not known."""
    for part in ("presets", "plugins", "themes"):
        number = 0
        while (key := f"{part}/{number}") in values:
            name = values[key] or values.get(f"{key}/0")
            if name is not False:
                yield key, name if isinstance(name, str) else ""
            number += 1
        if f"{part}/{SPREAD}" in values:
            yield f"{part}/{SPREAD}", ""


def _contents(name: str, options: str) -> Iterator[tuple[_Kind, str]]:
    """Yield the kinds of content of a preset or plugin, each with the key of its options."""
    match = _CONTENT_PLUGIN.fullmatch(name)
    if match is not None:
        yield _KINDS[match[1]], options
    elif name in _CLASSIC:
        yield from ((kind, f"{options}/{kind.name}") for kind in _KINDS.values())


def _instance(kind: _Kind, values: Mapping[str, Value], place: str) -> Iterator[tuple[str, str]]:
    """Yield the folders of an instance of a plugin, each with the path of its pages; nothing if these are not known."""
    is_unknown = f"{place}/{SPREAD}" in values
    folder = values.get(f"{place}/path", None if is_unknown else kind.folder)
    route = values.get(f"{place}/routeBasePath", None if is_unknown else kind.route)
    number = values.get(f"{place}/id", "default")
    if not isinstance(folder, str) or not isinstance(route, str):
        return
    folder, route = normpath(folder), f"{route.strip('/')}/".lstrip("/")
    suffix = "" if number == "default" else f"-{number}"
    translated = rf"i18n/([^/]+)/docusaurus-plugin-content-{kind.name}{re.escape(suffix)}/"
    if not folder.startswith("/"):
        yield f"{re.escape(folder)}/", route
        yield from [(f"{re.escape(folder)}/", f"{route}next/")] * kind.has_versions
    yield translated + r"(?:current/)?", route
    yield translated + r"(?:current/)?", rf"\1/{route}"
    if kind.has_versions:
        versioned = rf"{'' if number == 'default' else re.escape(f'{number}_')}versioned_docs/version-([^/]+)/"
        yield versioned, rf"{route}\1/"
        yield versioned, route
        names = (key.split("/")[-2:] for key in values if key.startswith(f"{place}/versions/"))
        for version in {name for name, last in names if last == "path"}:
            path = values[f"{place}/versions/{version}/path"]
            source = (
                f"{re.escape(folder)}/" if version == "current" else versioned.replace("([^/]+)", re.escape(version))
            )
            if isinstance(path, str):
                yield source, f"{route}{path.strip('/')}/".lstrip("/")


def _plugin(kind: _Kind, values: Mapping[str, Value], place: str, rows: list[tuple[str, str]]) -> ContentPlugin:
    """An instance of a plugin, by its options and the folders of its sources."""
    keys = {key[len(place) + 1 :].partition("/")[0] for key in values if key.startswith(f"{place}/")}
    parser = values.get(f"{place}/numberPrefixParser", None if SPREAD in keys else True)
    has_numbers = kind is not _DOCS or (None if parser is None else not parser)
    folders = "|".join(dict.fromkeys(folder for folder, _ in rows))
    return ContentPlugin(kind.name, folders, has_numbers, not keys.isdisjoint({"exclude", SPREAD}))


#: The number at the beginning of a name (`numberPrefix.ts`). `2021-11-notes` and `7.0-news` have none.
NUMBER = lazy_pattern(r"(\A|/)(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s/])")

#: The name of a post (`blogUtils.ts`).
_POST = lazy_pattern(r"(.*?)(\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?(.*?)(?:/index)?")

#: The names of the sources that are parts of others, and no pages (`GlobExcludeDefault`).
_PARTIAL = lazy_pattern(r"(?:.*/)?(?:_[^/]*|__tests__/.*|[^/]*\.test\.\w+)(?:/.*)?")

#: A setting `slug` in a file of sidebars or of a category, in JavaScript, JSON or YAML.
_SLUG = lazy_pattern(r"(?:^|[\s{,])[\"']?slug[\"']?\s*:\s*[\"'`]?([^\s\"'`,{}#]+)")


def page_paths(plugin: ContentPlugin, path: str, values: Mapping[str, Value]) -> Iterator[str]:
    """Yield the possible paths of the page of a source, from the path of the plugin; nothing for a part of other pages.

    `path`: the source, from its folder of sources. `values`: its front matter.
    """
    if not plugin.makes_all and _PARTIAL.fullmatch(path):
        return
    slug = values.get("slug", "")
    stem = splitext(path)[0]
    if not isinstance(slug, str):
        yield ":slug"
    elif plugin.kind == "docs":
        has_numbers = True if values.get("parse_number_prefixes") is False else plugin.has_numbers
        for keeps in (False, True) if has_numbers is None else (has_numbers,):
            yield _path_of_doc(stem, stem if keeps else NUMBER.sub(r"\1", stem), slug, values.get("id"))
    elif slug:
        yield slug.strip("/")
    elif plugin.kind == "blog":
        post = _POST.fullmatch(stem)
        yield f"{post[2].replace('-', '/')}/{post[1]}{post[3]}" if post else re.sub(r"/index\Z", "", stem)
    else:
        yield re.sub(r"(?:\A|(?<=.)/)index\Z", "", stem)


def _path_of_doc(written: str, stem: str, slug: str, name: Value) -> str:
    """The path of a doc (`slug.ts`). `written`: its path without suffix. `stem`: the same without numbers."""
    folder, _, last = stem.rpartition("/")
    own_folder, _, own = written.rpartition("/")
    if slug.startswith("/"):
        return slug.strip("/")
    if not slug and own.lower() in {"index", "readme", own_folder.rpartition("/")[2].lower()}:
        return folder
    return normpath(join(folder, slug or (name if isinstance(name, str) else last))).strip("/")


def slugs_in(text: str) -> Iterator[str]:
    """Yield the paths of generated indexes, by the text of a file of sidebars or of a category.

    >>> list(slugs_in("link: {type: 'generated-index', slug: '/things'}"))
    ['things']
    """
    yield from (match[1].strip("/") for match in _SLUG.finditer(text))


def _redirects(values: Mapping[str, Value], options: str) -> tuple[list[str], bool]:
    """The paths that redirects begin at, and whether these are all."""
    inner = {key.removeprefix(f"{options}/"): value for key, value in values.items() if key.startswith(f"{options}/")}
    places = [
        (key, value) for key, value in inner.items() if re.fullmatch(r"redirects/\d+/from(?:/\d+)?", key) and value
    ]
    is_known = "createRedirects" not in inner and not any(key.split("/")[-1] == SPREAD for key in inner)
    return [value for _, value in places if isinstance(value, str)], is_known
