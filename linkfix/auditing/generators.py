"""The settings of site generators, read as data and never run: the URL of a folder, its form of links, its sources.

A settings file counts if the folder is the one that the generator builds from it, and if it is the user's own. Only
literals count: a value that a program computes is unknown, and so is all of a file in a form that the readers do not
know. The nearest folder with such a file counts. If two generators there could have built the folder, no settings do.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from linkfix.display import clip
from linkfix.errors import InvalidBase
from linkfix.files import atomic
from linkfix.files.folder import INDEX_NAMES, is_repository_root, reason_to_doubt
from linkfix.lazy import lazy_pattern
from linkfix.model import ANY_DIALECT
from linkfix.resolvers import root_url

#: The largest settings file that is read, in bytes, and the number of folders above DIR that are searched.
_LARGEST = 1 << 18
_LEVELS = 3

#: The largest number of characters of a value.
_LONGEST = 1000

#: The largest number of characters of a value of several lines.
_LONGEST_BLOCK = 10_000

#: The largest number of settings files in a tree that are read.
_MANY = 100

#: A literal value; None for a value that is not a literal.
Value = str | bool | None

#: The key that stands for values from elsewhere, which may set or replace any other key.
_SPREAD = "..."
_UNKNOWN: Mapping[str, Value] = {_SPREAD: None}


class Generator(NamedTuple):
    """A site generator."""

    name: str
    files: tuple[str, ...]
    """Its settings files, in the folder of the project."""
    built: str
    """The folder that it builds by default, in the folder of the project."""
    built_key: str = ""
    """The key for another such folder."""
    url_key: str = ""
    """The key for the URL of the site."""
    path_key: str = ""
    """The key for the path of the site on its host."""
    clean_urls: tuple[str, bool] | None = None
    """The key and the value for links without `.html`."""
    sources: str = ""
    """The folder of its Markdown files by default, in the folder of the project; "" if the audit does not infer it."""
    sources_key: str = ""
    """The key for another such folder."""
    assets: str = ""
    """The folder whose files are served at the root of the site, beside the pages that are made from sources."""
    assets_key: str = ""
    """The key for another such folder."""
    roots: tuple[str, ...] = ()
    """The folders, in the folder of the project, whose sources become pages at the root of the site."""
    alias: str = ""
    """The beginning of references in sources that stands for the folder of the project."""
    parent_key: str = ""
    """The key for another settings file, whose settings count if this file does not set them."""
    ignores_case: bool = False
    """Whether upper and lower case in keys are the same."""
    variants: str = ""
    """The folder with settings for environments, each in a folder, which replace those of its folder `_default`."""


def _named(stems: str, suffixes: str) -> tuple[str, ...]:
    return tuple(f"{stem}.{suffix}" for stem in stems.split() for suffix in suffixes.split())


GENERATORS = (
    Generator(
        "MkDocs",
        ("mkdocs.yml", "mkdocs.yaml"),
        "site",
        "site_dir",
        url_key="site_url",
        sources="docs",
        sources_key="docs_dir",
        parent_key="INHERIT",
    ),
    Generator(
        "VitePress",
        _named(".vitepress/config", "js ts mjs mts cjs cts"),
        ".vitepress/dist",
        "outDir",
        path_key="base",
        clean_urls=("cleanUrls", True),
        assets="public",
        roots=("",),
    ),
    Generator(
        "Docusaurus",
        _named("docusaurus.config", "js ts mjs mts cjs cts"),
        "build",
        url_key="url",
        path_key="baseUrl",
        clean_urls=("trailingSlash", False),
        assets="static",
        assets_key="staticDirectories",
        roots=("", "docs"),
        alias="@site/",
    ),
    Generator(
        "Astro",
        _named("astro.config", "js ts mjs mts cjs cts"),
        "dist",
        "outDir",
        url_key="site",
        path_key="base",
        assets="public",
        assets_key="publicDir",
        roots=("src/pages", "src/content/docs"),
    ),
    Generator(
        "Hugo",
        _named("hugo config config/_default/hugo config/_default/config", "toml yaml yml json"),
        "public",
        "publishDir",
        url_key="baseURL",
        ignores_case=True,
        variants="config",
        assets="static",
        assets_key="staticDir",
        roots=("content",),
    ),
    Generator(
        "Jekyll",
        ("_config.yml", "_config.yaml"),
        "_site",
        "destination",
        url_key="url",
        path_key="baseurl",
        roots=("",),
    ),
    Generator("mdBook", ("book.toml",), "book", roots=("src",)),
)

#: The generator whose own name for a folder's page counts: https://rust-lang.github.io/mdBook
_MDBOOK = GENERATORS[-1]


class SiteSettings(NamedTuple):
    """The settings that say how a built folder is served."""

    file: str = ""
    """The generator and its settings file, in words."""
    served: tuple[str, ...] = ()
    """The settings that `url` and `path` come from, in words, or why the file does not count."""
    url: str | None = None
    """The URL of the folder; None if it is not known."""
    path: str | None = None
    """The path of the folder on its host; None if it is not known."""
    links: tuple[str, ...] = ()
    """The settings that `clean_urls` comes from, in words."""
    clean_urls: bool = False
    """Whether links leave `.html` out."""


NO_SETTINGS = SiteSettings()


def find_settings(root: str) -> SiteSettings:
    """The settings of the generator that built the folder at the real path `root`, or that builds it into a site.

    Never raises.
    """
    for project in _projects(root):
        found = [
            (generator, file)
            for generator in GENERATORS
            for file in _read_settings(generator, project)
            if root in {_built(generator, file), _sources(generator, file)}
        ]
        if found:
            return _site_settings(*found[0]) if len(found) == 1 else NO_SETTINGS
    return NO_SETTINGS


class SiteRoots(NamedTuple):
    """The folders of a tree whose files a generator puts at the root of a site. Names end with a slash."""

    pages: tuple[str, ...]
    """The folders of the sources."""
    folders: tuple[str, ...]
    """The same folders, and that of the assets."""


class SourceSettings(NamedTuple):
    """The settings that say how pages are made from a folder of Markdown files. None stands for what is not known."""

    heading_ids: str = "any"
    """The scheme for the IDs of headings."""
    file: str = ""
    """The generator and its settings file, in words; "" if the generator is not known."""
    used: tuple[str, ...] = ()
    """The settings that the next three fields come from, in words."""
    directory_urls: bool | None = None
    """Whether MkDocs makes `a/index.html` from `a.md`, and not `a.html`."""
    links_from_root: bool | None = None
    """Whether MkDocs reads a link that begins with "/" as the path of a source file."""
    attributes: bool | None = None
    """Whether MkDocs reads attributes in braces, such as `{#name}`."""
    footnotes: str | None = None
    """The text that MkDocs writes between `fn` and the label in the ID of a footnote; "" if it reads no footnotes."""
    markdown_in_html: bool = True
    """Whether MkDocs may read Markdown in elements with the attribute `markdown`."""
    blocks: tuple[str, ...] = ANY_DIALECT.blocks
    """The marks of the blocks that Python-Markdown may read: see `linkfix.model.MarkdownDialect`."""
    has_search: bool = True
    """Whether MkDocs may write the files of a search."""
    excluded: tuple[tuple[str, ...], ...] = ()
    """Lists of patterns. MkDocs leaves a file out that one of the lists selects."""
    nav: str = ""
    """The settings file of MkDocs, if it is certain which files the entries of its `nav` name; else ""."""
    nav_from_root: bool = False
    """Whether MkDocs reads an entry of `nav` that begins with "/" as the path of a source file."""
    is_mdbook: bool = False
    """Whether mdBook makes `index.html` from `README.md`."""
    assets: str = ""
    """The folder whose files are served at the root beside the pages; "" for none."""
    assets_file: str = ""
    """The generator and the settings file that `assets` is inferred from, in words."""
    aliases: tuple[tuple[str, str | None], ...] = ()
    """The beginnings of references, and the folder of the tree for each; None for a folder outside."""
    roots: tuple[SiteRoots, ...] = ()
    """The folders of the tree that references beginning with "/" may mean, besides the root of the tree."""


NO_SOURCES = SourceSettings()


def find_sources(root: str) -> SourceSettings:
    """The settings of the generator that makes pages from the folder at the real path `root`. Never raises."""
    for project in itertools.chain([Path(root)], _projects(root)):
        files = [
            (generator, file)
            for generator in GENERATORS
            for file in _read_settings(generator, project)
            if not file.doubt and not Path(root).is_relative_to(_built(generator, file) or os.devnull)
        ]
        own = [file for generator, file in files if _sources(generator, file) == root]
        if own:
            return _mkdocs_sources(own[0]) if len(own) == 1 else NO_SOURCES
        assets = [
            (folder, _words(generator, file)) for generator, file in files if (folder := _assets(generator, file, root))
        ]
        aliases = [alias for generator, _ in files if generator.alias for alias in _aliases(generator, project, root)]
        if files:
            folder, words = assets[0] if len(assets) == 1 else ("", "")
            is_mdbook = any(generator is _MDBOOK for generator, _ in files)
            return SourceSettings(is_mdbook=is_mdbook, assets=folder, assets_file=words, aliases=tuple(aliases))
    return NO_SOURCES


class InnerSites(NamedTuple):
    """The sites in a tree: name of the folder, with a slash at the end -> the generator and its settings file."""

    sources: Mapping[str, str]
    """The folders of sources whose links do not go by the files of the tree."""
    built: Mapping[str, str]
    """The folders that were built."""
    roots: tuple[SiteRoots, ...]
    """As in `SourceSettings`."""


NO_INNER_SITES = InnerSites({}, {}, ())


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
        for file in _read_settings(generator, project):
            if file.doubt:
                continue
            if inner := _name_in(root, _sources(generator, file)):
                sources[inner] = _words(generator, file)
            inner = _name_in(root, _built(generator, file))
            if inner and f"{inner}index.html" in files:
                built[inner] = _words(generator, file)
            pages_at = [_name_in(root, str(project / one)) for one in generator.roots]
            found = tuple(one for one in pages_at if one is not None)
            assets = _name_in(root, _folder(generator, file, generator.assets_key, generator.assets))
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
    for project in _projects(root):
        yield from ((generator, project) for generator in GENERATORS)


def _name_in(root: str, path: str) -> str | None:
    """The name of a folder in the tree, with a slash at the end; "" for the tree, and None outside."""
    if not path or not Path(path).is_relative_to(root):
        return None
    inner = Path(path).relative_to(root).as_posix()
    return "" if inner == os.curdir else f"{inner}/"


def _projects(root: str) -> Iterator[Path]:
    """Yield the folders above `root` that may be the project's, as far as the root of the repository."""
    folder = Path(root)
    for _ in range(_LEVELS):
        if is_repository_root(folder) or folder.parent == folder:
            return
        folder = folder.parent
        yield folder


def _read(path: Path) -> tuple[bytes | None, str]:
    """The content of a settings file, and why it may be somebody else's; None if there is no such file."""
    try:
        file = atomic.read(str(path), limit=_LARGEST)
        return file.data, reason_to_doubt(path, None, file.status)
    except OSError:
        return None, ""


class _GeneratorFile(NamedTuple):
    """A settings file that was read."""

    project: Path
    path: Path
    values: Mapping[str, Value]
    doubt: str
    """Why the file may be somebody else's; "" if it is the user's own."""


def _read_settings(generator: Generator, project: Path) -> Iterator[_GeneratorFile]:
    """Yield each settings file of a generator."""
    for name in generator.files:
        data, doubt = _read(project / name)
        if data is None:
            continue
        read = _READERS.get(name.rpartition(".")[2], _read_javascript)
        is_sure = not doubt and not _has_variants(generator, project)
        values = read(data.decode("utf-8-sig", "replace")) if is_sure else _UNKNOWN
        values = {key: value if _is_plain(value) else None for key, value in values.items()}
        if generator.parent_key in values:
            values[_SPREAD] = None
        if generator.ignores_case:
            folded = {key.lower(): value for key, value in values.items()}
            values = folded if len(folded) == len(values) else _UNKNOWN
        yield _GeneratorFile(project, project / name, values, doubt)


def _has_variants(generator: Generator, project: Path) -> bool:
    """Whether other settings may replace those of the files: which ones, the command of the build says."""
    if not generator.variants:
        return False
    try:
        return any(path.name != "_default" and path.is_dir() for path in (project / generator.variants).iterdir())
    except OSError:
        return False


def _is_plain(value: Value) -> bool:
    """Whether a value can be a URL, a path or a list of patterns: only then does its text go any further."""
    if not isinstance(value, str):
        return True
    lines = value.split("\n")
    return len(value) <= (_LONGEST if len(lines) == 1 else _LONGEST_BLOCK) and all(map(str.isprintable, lines))


def _key(generator: Generator, key: str) -> str:
    return key.lower() if generator.ignores_case else key


def _folder(generator: Generator, file: _GeneratorFile, key: str, default: str) -> str:
    """The real path of the folder that a setting names; "" if it is not known."""
    name = file.values.get(_key(generator, key), default)
    try:
        return os.path.realpath(file.project / name) if isinstance(name, str) and name else ""
    except ValueError:  # text that file names cannot have here
        return ""


def _built(generator: Generator, file: _GeneratorFile) -> str:
    return _folder(generator, file, generator.built_key, generator.built)


def _sources(generator: Generator, file: _GeneratorFile) -> str:
    return _folder(generator, file, generator.sources_key, generator.sources)


def _assets(generator: Generator, file: _GeneratorFile, root: str) -> str:
    """The folder of assets beside or in the sources at `root`; "" if there is none in the project."""
    folder = _folder(generator, file, generator.assets_key, generator.assets)
    is_inside = folder and Path(folder).is_relative_to(os.path.realpath(file.project))
    return folder if is_inside and not Path(root).is_relative_to(folder) and Path(folder).is_dir() else ""


def _aliases(generator: Generator, project: Path, root: str) -> Iterator[tuple[str, str | None]]:
    inner = Path(root).relative_to(project).as_posix()
    if inner == ".":
        yield generator.alias, ""
    else:
        yield f"{generator.alias}{inner}/", ""
        yield generator.alias, None


#: The extensions of Python-Markdown that read attributes in braces, and the plugins of MkDocs that add no extension.
_READING_ATTRIBUTES = frozenset({"attr_list", "extra", "pymdownx.extra"})

#: The extensions that read footnotes, and the keys of the options of one.
_READING_FOOTNOTES = frozenset({"footnotes", "extra", "pymdownx.extra"})
_FOOTNOTES = (["footnotes"], ["markdown.extensions.footnotes"])

#: The extensions that read Markdown in HTML; those that read blocks, each with the mark of its blocks.
_READING_IN_HTML = frozenset({"md_in_html", "extra", "pymdownx.extra"})
_READING_BLOCKS = {"admonition": "!!!", "pymdownx.details": "???", "pymdownx.tabbed": "==="}
_PLAIN_PLUGINS = frozenset({"", "search", "linkfix"})

#: The plugins that write the files of a search: `search`, `material/search`. MkDocs has it if the settings list none.
_SEARCH = frozenset({"search", "material"})

#: The plugins that add no pages, so that an entry of `nav` without a file is wrong.
_WITHOUT_PAGES = frozenset(
    """
    autorefs git-authors git-committers git-revision-date git-revision-date-localized glightbox linkfix macros meta
    minify mkdocstrings offline optimize privacy redirects search section-index social table-reader tags
    """.split()
)

_EXTENSIONS = "markdown.extensions."


def _mkdocs_sources(file: _GeneratorFile) -> SourceSettings:
    values = file.values
    absent = None if _SPREAD in values else ""
    extensions, plugins = _names_in(values, "markdown_extensions"), _names_in(values, "plugins")
    bare = {name.removeprefix(_EXTENSIONS) for name in extensions or ()}
    other_ids = any(key.split("/")[-2:] in _OTHER_IDS for key in map(str.lower, values))
    attributes: bool | None = not _READING_ATTRIBUTES.isdisjoint(bare)
    in_html = not _READING_IN_HTML.isdisjoint(bare)
    footnotes = _mark_of_footnotes(values) if not _READING_FOOTNOTES.isdisjoint(bare) else ""
    blocks = tuple(mark for name, mark in _READING_BLOCKS.items() if name in bare)
    if extensions is None or plugins is None or plugins - _PLAIN_PLUGINS or "hooks" in values:
        # There may be more extensions than are listed.
        attributes, footnotes, in_html, blocks = attributes or None, footnotes or None, True, ANY_DIALECT.blocks
    directory_urls = values.get(_DIRECTORY_URLS, None if absent is None else True)
    directory_urls = directory_urls if isinstance(directory_urls, bool) else None
    links = next((values[key] for key in _ABSOLUTE_LINKS if key in values), absent)
    if links == "" and _names_in(values, "validation") is None:
        links = None
    is_stated = _DIRECTORY_URLS in values and directory_urls is not None
    used = [f"{_DIRECTORY_URLS} = {str(directory_urls).lower()}"] * is_stated
    used += [f"absolute_links = {_FROM_ROOT}"] * (links == _FROM_ROOT)
    return SourceSettings(
        "any" if other_ids or extensions is None else "mkdocs",
        _words(GENERATORS[0], file),
        tuple(used),
        directory_urls,
        None if links is None else links == _FROM_ROOT,
        attributes,
        footnotes,
        in_html,
        blocks,
        not plugins or not _SEARCH.isdisjoint(plugins),
        _excluded(values),
        str(file.path) if plugins is not None and plugins <= _WITHOUT_PAGES | {""} and "hooks" not in values else "",
        next((values[key] for key in _ABSOLUTE_IN_NAV if key in values), None) == _FROM_ROOT,
    )


def _mark_of_footnotes(values: Mapping[str, Value]) -> str | None:
    """The text between `fn` and the label in the ID of a footnote; None if it is not known."""
    options = {key.rpartition("/")[2]: value for key, value in values.items() if key.split("/")[-2:-1] in _FOOTNOTES}
    mark = options.get("SEPARATOR", ":")
    is_unique = options.get("UNIQUE_IDS", False)
    return mark + "2-" * is_unique if isinstance(mark, str) and isinstance(is_unique, bool) else None


#: The files that MkDocs always leaves out: `mkdocs.structure.files._default_exclude`.
_HIDDEN = (".*", "/templates/")


def _excluded(values: Mapping[str, Value]) -> tuple[tuple[str, ...], ...]:
    """The lists of patterns for files that are not part of the built site; none if `exclude_docs` is not known.

    `not_in_nav` is not one of them: such pages are built.
    """
    from linkfix.files.patterns import NamePatterns  # used by few runs

    lists = []
    for key, first in (("exclude_docs", _HIDDEN), ("draft_docs", ())):
        value = values.get(key, None if _SPREAD in values else "")
        lines = (*first, *value.splitlines()) if isinstance(value, str) else ()
        try:
            NamePatterns(lines)
        except ValueError:
            lines = ()
        lists += [lines] if lines else []
    return tuple(lists)


#: The settings of the extension `toc` that mean other IDs of headings.
_OTHER_IDS = [[toc, key] for toc in ("toc", f"{_EXTENSIONS}toc") for key in ("slugify", "separator")]
_DIRECTORY_URLS = "use_directory_urls"
_ABSOLUTE_LINKS = ("validation/links/absolute_links", "validation/absolute_links")
_ABSOLUTE_IN_NAV = ("validation/nav/absolute_links", "validation/absolute_links")
_FROM_ROOT = "relative_to_docs"


def _names_in(values: Mapping[str, Value], key: str) -> set[str] | None:
    """The names in a list or table of settings; None if they are not all known."""
    names = {name.split("/")[1] for name in values if name.startswith(f"{key}/")}  # "" for an empty list in brackets
    is_unknown = _SPREAD in values or _SPREAD in names or (not names and values.get(key, "") != "")
    return None if is_unknown else names


def _words(generator: Generator, file: _GeneratorFile) -> str:
    return f"{generator.name}, {_short(file.path)}"


def _site_settings(generator: Generator, file: _GeneratorFile) -> SiteSettings:
    name, values = _words(generator, file), file.values
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
    value = values.get(_key(generator, key), None if _SPREAD in values else "")
    return value if isinstance(value, str) else None


_PATH = lazy_pattern(r"(?!//)(?!(?:.*/)?\.{1,2}(?:/|\Z))/?[\w~%!$&'()*+,;=@.-][\w~%!$&'()*+,;=@./-]*|/", re.ASCII)
_URL = lazy_pattern(r"https?://[^\s\x00-\x20<>\"'`{}|\\^?#@]+", re.IGNORECASE)


def _short(path: Path) -> str:
    """A real path as a person would type it here."""
    here = Path(os.path.realpath(os.curdir))
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


# Readers: each returns the literals at the top of a settings file, and None for each other value there.


def _read_yaml(text: str) -> Mapping[str, Value]:
    """The settings of a YAML file.

    The key of an inner setting, and of an item of a list, begins with the key of its parent: `validation/links`. Of the
    forms of YAML, only those count in which a line is certainly a setting. A text in quotes or a list that goes on in
    the next lines could have lines that look like one.
    """
    values: dict[str, Value] = {}
    #: The settings around a line, with twice their column: a hyphen may be below the first letter of its setting.
    around: list[tuple[int, str]] = []
    #: The lines of each text that keeps its line breaks; and those of the text at the current line.
    blocks: dict[str, list[str]] = {}
    block: list[str] = []
    for level, column, content in _yaml_lines(text):
        if level == _IN_BLOCK:
            block.append(content)
            continue
        block = []
        key, colon, value = content.partition(":")
        is_item = level % 2 == 1
        while around and around[-1][0] >= level:
            around.pop()
        parent = f"{around[-1][1]}/" if around else ""
        if parent:
            values[parent[:-1]] = None  # the text of the setting goes on, or it has settings of its own
        if (_YAML_INNER_KEY if parent else _YAML_KEY).fullmatch(key) and colon and not value[:1].strip(" \t"):
            path = parent + key.strip().strip("\"'")
            around.append((2 * column, path))
            if path in values:
                values[path] = None
                blocks.pop(path, None)
            else:
                values[path] = _scalar(value, plain=True)
                if _YAML_LITERAL.fullmatch(value):
                    blocks[path] = block
            values |= {f"{path}/{name}": True for name in _yaml_list(value)}
        elif parent:
            name = _scalar(content, plain=True) if is_item else None
            values[parent + name if isinstance(name, str) else parent + _SPREAD] = True
        elif not is_item:
            return _UNKNOWN
    return values | {path: "\n".join(lines) for path, lines in blocks.items()}


def _yaml_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the lines that may have settings: level, column of the content, and content.

    The level is twice the column of the line, and one more for an item of a list. A line that may belong to a text in
    quotes has no content. A line of a text without quotes has the level `_IN_BLOCK`.
    """
    lines = _lines(text)
    block = -1  # the column of a setting whose text is in the next lines
    indentation = 0  # that of the text
    is_first = True
    for line in ["?"] if lines is None else lines:
        content = line.lstrip(" ")
        column = len(line) - len(content)
        if content.strip() and column > block >= 0:
            indentation = indentation or column
            yield _IN_BLOCK, 0, line[indentation:]
            continue
        if not content.strip() or content.lstrip().startswith("#"):
            continue
        block, indentation = -1, 0
        if not _CLOSED.fullmatch(line):
            yield 0, 0, ""
        elif line.rstrip() != "---" or not is_first:
            item = _YAML_ITEM.match(content)
            start = item.end() if item else 0
            block = column + start if _YAML_BLOCK.search(content, start) else -1
            yield 2 * column + (item is not None), column + start, content[start:]
        is_first = False


def _yaml_list(text: str) -> list[str]:
    """The items of a list of names in brackets: `[a, b]`. An empty list has the item "", and other values have none."""
    match = _YAML_FLOW.fullmatch(text)
    return [name.strip() for name in match[1].split(",")] if match else []


def _read_toml(text: str) -> Mapping[str, Value]:
    """The settings before the first table of a TOML file."""
    lines = _lines(text)
    if lines is None or '"""' in text or "'''" in text:  # a line of a longer string may look like a setting
        return _UNKNOWN
    values: dict[str, Value] = {}
    for line in itertools.takewhile(lambda line: not line.lstrip().startswith("["), lines):
        written, _, rest = line.partition("=")
        if _TOML_KEY.fullmatch(written):
            key = written.strip().strip("\"'")
            values[key] = None if key in values else _scalar(rest, plain=False)
    return values


def _lines(text: str) -> list[str] | None:
    """The lines of a file; None if it has other line breaks, which not all readers know."""
    lines = text.splitlines()
    return lines if len(lines) <= text.count("\n") + 1 else None


def _scalar(text: str, *, plain: bool) -> Value:
    """The literal that is the rest of a line. `plain`: whether text without quotes is one, too."""
    match = _SCALAR.fullmatch(text)
    if match is None:
        return None
    double, single, word = match.groups()
    if word is not None:
        return _YAML_BOOLEANS.get(word.lower(), word) if plain else _BOOLEANS.get(word)
    return double if double is not None else single


_BOOLEANS = {"true": True, "false": False}
_YAML_BOOLEANS = {**_BOOLEANS, "yes": True, "no": False, "on": True, "off": False}
_SCALAR = lazy_pattern(r"[ \t]*(?:\"([^\"\\]*)\"|'([^'\\]*)'|([\w./][^\s#'\"\[\]{},]*))[ \t]*(?:[ \t]#.*)?")
_YAML_INNER_KEY = lazy_pattern(r"[A-Za-z_][\w.-]*[ \t]*|\"[\w.-]+\"[ \t]*|'[\w.-]+'[ \t]*")
_YAML_ITEM = lazy_pattern(r"-(?:[ \t]+|$)")
#: A list of names in brackets, the mark of a text in the next lines, and that of one that keeps its line breaks.
_YAML_FLOW = lazy_pattern(r"[ \t]*\[[ \t]*((?:[\w./-]+(?:[ \t]*,[ \t]*[\w./-]+)*+)?)[ \t]*\][ \t]*(?:[ \t]#.*)?")
_YAML_BLOCK = lazy_pattern(r"(?:^|[ \t])[|>][-+0-9]{0,2}[ \t]*(?:[ \t]#.*)?\Z")
_YAML_LITERAL = lazy_pattern(r"[ \t]*\|[-+]?[ \t]*(?:[ \t]#.*)?")
_IN_BLOCK = -1
_YAML_KEY = lazy_pattern(r"[A-Za-z_][\w-]*[ \t]*|\"[\w-]+\"[ \t]*|'[\w-]+'[ \t]*")
_TOML_KEY = lazy_pattern(r"[ \t]*(?:[\w-]+|\"[\w-]+\"|'[\w-]+')[ \t]*")
#: A line of YAML in which each text in quotes ends. Other quotes are plain text, or in a comment.
_CLOSED = lazy_pattern(
    r"(?:(?<![^\s\[{,])(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+')|(?<!\S)#.*"
    r"|(?<=[^\s\[{,])[\"']|(?<=\S)#|[^\"'#]++)*+"
)


def _read_json(text: str) -> Mapping[str, Value]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return _UNKNOWN
    rows = table.items() if isinstance(table, dict) else ()
    return {key: value if isinstance(value, str | bool) else None for key, value in rows}


_READERS: dict[str, Callable[[str], Mapping[str, Value]]] = {
    "yml": _read_yaml,
    "yaml": _read_yaml,
    "toml": _read_toml,
    "json": _read_json,
}

#: The tokens of JavaScript and TypeScript, as far as an object of literals needs them (ECMA-262 §12).
_TOKEN = lazy_pattern(
    r"(?P<skip>[\s\ufeff]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)"
    r"|(?P<string>\"[^\"\\\n]*+\"|'[^'\\\n]*+'|`[^`\\$]*+`)"
    r"|(?P<other>\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'"
    r"|`(?:[^`\\$]++|\\.|\$(?!\{)|\$\{[^`{}]*+\})*+`)"
    r"|(?P<name>[\w$]++)|(?P<sign>(?!/\*)[^\"'`])",
    re.DOTALL,
)
_REGULAR_EXPRESSION = lazy_pattern(r"/(?:[^\\/\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\])++/\w*+")

_OPENING, _CLOSING = frozenset("{[("), frozenset("}])")
#: The largest number of lexemes of a script, and of those of a variable's type.
_LEXEMES, _TYPE = 50_000, 40
#: A function that returns its argument as it is, as far as the settings here go: `defineConfig`, `withMermaid`.
_WRAPPER = lazy_pattern(r"(?:define|with)\w*")


class _Lexeme(NamedTuple):
    kind: str
    text: str


def _read_javascript(text: str) -> Mapping[str, Value]:
    tokens = _tokens(text)
    start = _exported(tokens)
    return _UNKNOWN if start is None else _properties(tokens, start)


def _tokens(text: str) -> list[_Lexeme]:
    """The lexemes of a script; none if it is too long, or has a text that is not understood."""
    found: list[_Lexeme] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or len(found) > _LEXEMES:
            return []
        kind = match.lastgroup or ""
        if match[0] == "/" and not (found and (found[-1].kind != "sign" or found[-1].text in _CLOSING)):
            match = _REGULAR_EXPRESSION.match(text, position)
            if match is None:
                return []
            kind = "other"
        if kind != "skip":
            found.append(_Lexeme(kind, match[0]))
        position = match.end()
    return found


def _texts(tokens: list[_Lexeme], start: int, number: int) -> list[str]:
    return [token.text for token in tokens[start : start + number]]


def _exported(tokens: list[_Lexeme]) -> int | None:
    """The index of the brace that begins the exported object; None if it is not certain which object that is.

    If the object is that of a constant, nothing but the export may name the constant: other code could change it.
    """
    names = [at for at, token in enumerate(tokens) if token.kind == "name"]
    places = [at for at in names if tokens[at].text == "exports" or _texts(tokens, at, 2) == ["export", "default"]]
    if len(places) != 1:
        return None
    before = places[0] - 2 * (tokens[places[0]].text == "exports")
    words = ["export", "default"] if before == places[0] else ["module", ".", "exports", "="]
    if before < 0 or _texts(tokens, before, len(words)) != words:
        return None
    at = _operand(tokens, before + len(words))
    if at is None or tokens[at].text == "{":
        return at
    declared, *others = [number for number in names if tokens[number].text == tokens[at].text and number != at] or [0]
    if others or declared == 0 or tokens[declared - 1].text != "const":
        return None
    for number in range(declared + 1, min(declared + _TYPE, len(tokens))):
        if tokens[number].text == "=":
            start = _operand(tokens, number + 1)
            return start if start is not None and tokens[start].text == "{" else None
    return None


def _operand(tokens: list[_Lexeme], at: int) -> int | None:
    """The index of the object or name that is a whole expression, without the calls of wrappers around it."""
    calls = 0
    while _WRAPPER.fullmatch("".join(_texts(tokens, at, 1))) and _texts(tokens, at + 1, 1) == ["("]:
        at += 2
        calls += 1
    end = _end(tokens, at)
    for _ in range(calls):
        end += _texts(tokens, end, 1) == [","]
        if _texts(tokens, end, 1) != [")"]:
            return None
        end += 1
    is_whole = end >= len(tokens) or tokens[end].text == ";" or tokens[end].kind == "name"
    return at if is_whole and at < len(tokens) and (tokens[at].kind == "name" or tokens[at].text == "{") else None


def _end(tokens: list[_Lexeme], start: int) -> int:
    """The index after a lexeme, or after the bracket that closes it."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += _nesting(tokens[at])
        if not depth:
            return at + 1
    return len(tokens)


def _nesting(token: _Lexeme) -> int:
    return (token.kind == "sign") * ((token.text in _OPENING) - (token.text in _CLOSING))


def _properties(tokens: list[_Lexeme], start: int) -> Mapping[str, Value]:
    """The properties of the object that begins at `start`."""
    values: dict[str, Value] = {}
    depth = 0
    for at in range(start, len(tokens)):
        is_first = depth == 1 and (at == start + 1 or tokens[at - 1] == _Lexeme("sign", ","))
        depth += _nesting(tokens[at])
        if not depth:
            return values
        if is_first and tokens[at].kind in {"name", "string"} and _texts(tokens, at + 1, 1) in _AFTER_KEY:
            values[tokens[at].text.strip("\"'`")] = _value(tokens, at + 1)
        elif is_first:
            values = dict(_UNKNOWN)
    return _UNKNOWN


#: The lexemes after the name of a property. After another one, as in `get url() {}`, it is not the name.
_AFTER_KEY = ([":"], [","], ["}"], ["("])


def _value(tokens: list[_Lexeme], at: int) -> Value:
    """The literal of a property, between its colon and the next property."""
    colon, value, end = (tokens[at : at + 3] + [_Lexeme("", "")] * 3)[:3]
    if colon.text != ":" or end.kind != "sign" or end.text not in {",", "}"}:
        return None
    return value.text[1:-1] if value.kind == "string" else _BOOLEANS.get(value.text)
