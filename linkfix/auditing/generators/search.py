"""The settings of site generators, read as data and never run: the URL of a folder, its form of links, its sources.

A settings file counts if the folder is the one that the generator builds from it, and if it is the user's own. Only
literals count: a value that a program computes is unknown, and so is all of a file in a form that the readers do not
know. The nearest folder with such a file counts. If two generators there could have built the folder, no settings do.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.auditing.generators.mkdocs import mkdocs_sources
from linkfix.auditing.generators.model import (
    NO_INNER_SITES,
    NO_SETTINGS,
    NO_SOURCES,
    InnerSites,
    SiteRoots,
    SiteSettings,
    SourceSettings,
)
from linkfix.auditing.generators.settings_files import (
    GeneratorFile,
    aliases_of,
    asset_folder,
    built_folder,
    folder_of,
    in_words,
    key_of,
    projects,
    read_settings,
    source_folder,
)
from linkfix.auditing.generators.table import GENERATORS, MDBOOK, Generator
from linkfix.display import clip
from linkfix.errors import InvalidBase
from linkfix.files.folder import INDEX_NAMES
from linkfix.lazy import lazy_pattern
from linkfix.resolvers import root_url

#: The largest number of settings files in a tree that are read.
_MANY = 100


def find_settings(root: str) -> SiteSettings:
    """The settings of the generator that built the folder at the real path `root`, or that builds it into a site.

    Never raises.
    """
    for project in projects(root):
        found = [
            (generator, file)
            for generator in GENERATORS
            for file in read_settings(generator, project)
            if root in {built_folder(generator, file), source_folder(generator, file)}
        ]
        if found:
            return _site_settings(*found[0]) if len(found) == 1 else NO_SETTINGS
    return NO_SETTINGS


def find_sources(root: str) -> SourceSettings:
    """The settings of the generator that makes pages from the folder at the real path `root`. Never raises."""
    for project in itertools.chain([Path(root)], projects(root)):
        files = [
            (generator, file)
            for generator in GENERATORS
            for file in read_settings(generator, project)
            if not file.doubt and not Path(root).is_relative_to(built_folder(generator, file) or os.devnull)
        ]
        own = [file for generator, file in files if source_folder(generator, file) == root]
        if own:
            return mkdocs_sources(own[0]) if len(own) == 1 else NO_SOURCES
        assets = [
            (folder, in_words(generator, file))
            for generator, file in files
            if (folder := asset_folder(generator, file, root))
        ]
        aliases = [alias for generator, _ in files if generator.alias for alias in aliases_of(generator, project, root)]
        if files:
            folder, words = assets[0] if len(assets) == 1 else ("", "")
            is_mdbook = any(generator is MDBOOK for generator, _ in files)
            return SourceSettings(is_mdbook=is_mdbook, assets=folder, assets_file=words, aliases=tuple(aliases))
    return NO_SOURCES


def find_inner_sites(root: str, files: Collection[str], pages: Iterable[str]) -> InnerSites:
    """The sites in the tree at the real path `root`. Never raises.

    `files`, `pages`: the names of its files and of its pages. A tree that is itself one site has none.
    """
    projects = list(_inner_projects(root, files, pages))
    if not projects or find_settings(root).file or find_sources(root).file:
        return NO_INNER_SITES
    sources: dict[str, str] = {}
    built: dict[str, str] = {}
    roots = []
    for generator, project in projects:
        for file in read_settings(generator, project):
            if file.doubt:
                continue
            if inner := name_in_tree(root, source_folder(generator, file)):
                sources[inner] = in_words(generator, file)
            inner = name_in_tree(root, built_folder(generator, file))
            if inner and f"{inner}index.html" in files:
                built[inner] = in_words(generator, file)
            pages_at = [name_in_tree(root, str(project / one)) for one in generator.roots]
            found = tuple(one for one in pages_at if one is not None)
            assets = name_in_tree(root, folder_of(generator, file, generator.assets_key, generator.assets))
            assets = None if str(project) == root else assets  # these are mounted
            if found:
                roots.append(SiteRoots(found, (*found, assets) if assets else found))
    return InnerSites(sources, built, tuple(roots))


def _inner_projects(root: str, files: Iterable[str], pages: Iterable[str]) -> Iterator[tuple[Generator, Path]]:
    """Yield the projects above, at and in a tree: each has a settings file, and those in the tree have pages."""
    lasts = {file.rpartition("/")[2] for generator in GENERATORS for file in generator.files}
    names = [name for name in files if name.rpartition("/")[2] in lasts]
    folders = {""}
    for page in pages if names else ():
        while (page := page.rpartition("/")[0]) not in folders:
            folders.add(page)
    inner = {
        (generator, f"/{name}".removesuffix(f"/{file}").lstrip("/"))
        for name in names[:_MANY]
        for generator in GENERATORS
        for file in generator.files
        if f"/{name}".endswith(f"/{file}")
    }
    for generator, folder in sorted(inner):
        if folder in folders:
            yield generator, Path(root, folder)
    for project in projects(root):
        yield from ((generator, project) for generator in GENERATORS)


def name_in_tree(root: str, path: str) -> str | None:
    """The name of a folder in the tree, with a slash at the end; "" for the tree, and None outside."""
    if not path or not Path(path).is_relative_to(root):
        return None
    inner = Path(path).relative_to(root).as_posix()
    return "" if inner == os.curdir else f"{inner}/"


def _site_settings(generator: Generator, file: GeneratorFile) -> SiteSettings:
    name, values = in_words(generator, file), file.values
    if file.doubt:
        return SiteSettings(name, (f"not followed, since {file.doubt} (give --root-url)",))
    url, folder = _served(generator, values)
    keys = [key for key, is_used in ((generator.url_key, url), (generator.path_key, folder)) if key and is_used]
    settings = [(key, _literal(generator, values, key)) for key in keys]
    key, wanted = generator.clean_urls or ("", None)
    clean = wanted is not None and values.get(key) is wanted
    return SiteSettings(
        name,
        tuple(f"{key} = {clip(value)}" for key, value in settings if value),
        url,
        folder,
        (f"{key} = {str(wanted).lower()}",) if clean else (),
        clean,
    )


def _served(generator: Generator, values: Mapping[str, Value]) -> tuple[str | None, str | None]:
    """The URL and the path of the built folder; None for what is not certain."""
    path = _literal(generator, values, generator.path_key)
    if path is None or (path and not _PATH.fullmatch(path)):
        return None, None
    folder = f"/{path.strip('/')}/" if path.strip("/") else "/"
    url = _literal(generator, values, generator.url_key)
    if not url or not _URL.fullmatch(url):
        return None, folder if path.strip("/") else None
    try:
        root = root_url(url, INDEX_NAMES)
        origin = "/".join(root.split("/", 3)[:3])
        if folder == "/":
            return root, root[len(origin) :]
        return (root_url(origin + folder, INDEX_NAMES), folder) if root == f"{origin}/" else (None, None)
    except InvalidBase:
        return None, None


def _literal(generator: Generator, values: Mapping[str, Value], key: str) -> str | None:
    """The text of a setting; "" if it is not set, and None if it is not known."""
    if not key:
        return ""
    value = values.get(key_of(generator, key), None if SPREAD in values else "")
    return value if isinstance(value, str) else None


_PATH = lazy_pattern(r"(?!//)(?!(?:.*/)?\.{1,2}(?:/|\Z))/?[\w~%!$&'()*+,;=@.-][\w~%!$&'()*+,;=@./-]*|/", re.ASCII)
_URL = lazy_pattern(r"https?://[^\s\x00-\x20<>\"'`{}|\\^?#@]+", re.IGNORECASE)
