"""The routes of Docusaurus: the folders of sources and the URLs of their pages, by `docusaurus.config.*`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import NamedTuple

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.auditing.generators.model import Routes, UnknownPages
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
    pages: list[str] = []
    adds = rewrites = is_unread = False
    for key, name in _entries(values):
        options = f"{key}/1" if f"{key}/0" in values else f"{key}/-"
        match = _CONTENT_PLUGIN.fullmatch(name)
        if name in _CLASSIC:
            is_unread |= f"{options}/{SPREAD}" in values
            inner = [(kind, f"{options}/{kind.name}") for kind in _KINDS.values()]
        elif match:
            inner = [(_KINDS[match[1]], options)]
        else:
            inner = []
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
                is_unread |= not rows
                pages += [route for _, route in rows[:1] if kind.name == "blog"]
    unknown = UnknownPages.ALL if rewrites or is_unread else UnknownPages.FOLDERS if adds else UnknownPages.NONE
    return Routes(() if is_unread else tuple(dict.fromkeys(content)), tuple(pages), unknown)


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
    if not folder.startswith(("..", "/")):
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


def _redirects(values: Mapping[str, Value], options: str) -> tuple[list[str], bool]:
    """The paths that redirects begin at, and whether these are all."""
    inner = {key.removeprefix(f"{options}/"): value for key, value in values.items() if key.startswith(f"{options}/")}
    places = [
        (key, value) for key, value in inner.items() if re.fullmatch(r"redirects/\d+/from(?:/\d+)?", key) and value
    ]
    is_known = "createRedirects" not in inner and not any(key.split("/")[-1] == SPREAD for key in inner)
    return [value for _, value in places if isinstance(value, str)], is_known
