"""The settings of site generators, read as data and never run: the URL of a folder, its form of links, its sources.

A settings file counts if the folder is the one that the generator builds from it, and if it is the user's own. Only
literals count: a value that a program computes is unknown, and so is all of a file in a form that the readers do not
know. The nearest folder with such a file counts. If two generators there could have built the folder, no settings do.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from linkfix.auditing.generators.eleventy import copied_folders
from linkfix.auditing.generators.faults import invalid_settings as find_invalid
from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.auditing.generators.jekyll import adds_excluded, excluded_files
from linkfix.auditing.generators.mkdocs import mkdocs_sources
from linkfix.auditing.generators.model import (
    NO_INNER_SITES,
    NO_SETTINGS,
    NO_SOURCES,
    InnerSites,
    SiteRoots,
    SiteSettings,
    SourceProject,
    SourceSettings,
)
from linkfix.auditing.generators.profiles import KEYS, PROFILES
from linkfix.auditing.generators.routes import chapters, routes_of
from linkfix.auditing.generators.settings_files import (
    GeneratorFile,
    asset_folder,
    built_folder,
    folder_of,
    in_words,
    key_of,
    projects,
    read_settings,
    source_folder,
    text_of_settings,
    without_replaced,
)
from linkfix.auditing.generators.starlight import starlight_locales
from linkfix.auditing.generators.table import GENERATORS, MDBOOK, Generator
from linkfix.auditing.generators.vitepress import excluded_sources, rewritten_sources
from linkfix.auditing.hosts.rules import HostFault, HostFile
from linkfix.display import clip
from linkfix.errors import InvalidBase
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath, is_inside
from linkfix.files.folder import INDEX_NAMES, is_repository_root
from linkfix.lazy import lazy_pattern
from linkfix.resolvers import root_url

#: The largest number of settings files in a tree that are read.
_MANY = 100

#: The largest number of entries of a folder that may be one project.
_ENTRIES = 200

#: The number of sources in which a generator is recognized.
_SOURCES = 24

#: The number of bytes of a source in which a generator is recognized.
_SAMPLE = 1 << 16

#: Code in a source, which may be about any generator.
_CODE = lazy_pattern(rb"(?ms)^[ \t>]*+(`{3,}+|~{3,}+).*?(?:^[ \t>]*+\1|\Z)|`[^`\n]*+`")


def _rows(site: str | None) -> Sequence[Generator]:
    """The generators that may have made a site. `site`: as in `AuditOptions`."""
    return GENERATORS if site is None else [one for one in GENERATORS if KEYS[one.name] == site]


def find_settings(root: str, site: str | None = None) -> SiteSettings:
    """The settings of the generator that built the folder at the real path `root`, or that builds it into a site.

    `site`: as in `AuditOptions`; the nearest settings of the generator count. Never raises.
    """
    for project in itertools.chain([Path(root)], projects(root)):
        found = without_replaced(
            [
                (generator, file)
                for generator in _rows(site)
                for file in read_settings(generator, project)
                for one in [(generator, file)]
                if (site and str(project) != root) or root in {built_folder(*one), source_folder(*one)}
            ]
        ) or [one for one in _beside(root, project, site) if source_folder(*one) == root]
        if found:
            return _site_settings(*found[0]) if len(found) == 1 else NO_SETTINGS
    name = "" if site is None or site not in PROFILES else PROFILES[site].generator
    if name and not any(file for row in _rows(site) for file in read_settings(row, Path(root))):
        return SiteSettings(lack=f"{name} (--site): no settings file in this folder or above, so the usual ones count")
    return NO_SETTINGS


def find_sources(root: str, site: str | None = None) -> SourceSettings:
    """The settings of the generator that makes pages from the folder at the real path `root`. Never raises.

    `site`: as in `AuditOptions`.
    """
    for project in itertools.chain([Path(root)], projects(root)):
        files = [
            (generator, file)
            for generator in _rows(site)
            for file in read_settings(generator, project)
            if not file.doubt and not Path(root).is_relative_to(built_folder(generator, file) or os.devnull)
        ]
        files = files or without_replaced(list(_beside(root, project, site)))
        own = without_replaced([one for one in files if source_folder(*one) == root])
        if own:
            return mkdocs_sources(*own[0])._replace(templates=_templates(root, own)) if len(own) == 1 else NO_SOURCES
        if files:
            return _sources_at(root, files)
    return NO_SOURCES


def _beside(root: str, folder: Path, site: str | None) -> Iterator[tuple[Generator, GeneratorFile]]:
    """Yield the settings files in the folders of a folder that name the tree at `root`, or one around it.

    A folder with many entries holds several projects, and is passed over.
    """
    generators = [one for one in _rows(site) if one.has_sources_beside]
    try:
        with os.scandir(folder) as entries:
            some = list(itertools.islice(entries, _ENTRIES + 1))
    except OSError:
        return
    inner = sorted(Path(one.path) for one in some if os.path.isdir(one)) if len(some) <= _ENTRIES else []
    for generator, project in itertools.product(generators, inner):
        prefix = f"{os.path.relpath(root, project).replace(os.sep, '/')}/"
        for file in read_settings(generator, project) if prefix.startswith("../") else ():
            content = routes_of(KEYS[generator.name], file.values).content
            is_named = source_folder(generator, file) == root or any(re.match(folder, prefix) for folder, _ in content)
            if is_named and not file.doubt:
                yield generator, file


def _sources_at(root: str, files: list[tuple[Generator, GeneratorFile]]) -> SourceSettings:
    assets = [
        (folder, in_words(generator, file))
        for generator, file in files
        if (folder := asset_folder(generator, file, root))
    ]
    folder, words = assets[0] if len(assets) == 1 else ("", "")
    return SourceSettings(
        is_mdbook=any(generator is MDBOOK for generator, _ in files),
        assets=folder,
        assets_file=words,
        projects=tuple(_source_project(root, generator, file) for generator, file in files if generator.roots)[:1],
    )


def usual_sources(root: str, site: str | None, sources: Sequence[FilePath]) -> SourceSettings:
    """The usual settings of the generator that `site` names, or else of the one that some sources are recognized by."""
    why = "--site; no settings file, so the base is not known" if _rows(site) else "--site"
    if site is None:
        site, text = recognized(sources[:: max(1, len(sources) // _SOURCES)][:_SOURCES])
        why = f"inferred: {text} in a source"
    return without_settings(root, site, why) if site and site != "none" else NO_SOURCES


def invalid_settings(root: str, site: str | None = None) -> Iterator[tuple[HostFile, HostFault]]:
    """See `linkfix.auditing.generators.faults.invalid_settings`. `site`: as in `AuditOptions`."""
    return find_invalid(root, lambda generator: generator in _rows(site))


def without_settings(root: str, site: str, why: str) -> SourceSettings:
    """The usual settings of a generator whose settings file is not there. `why`: why it is taken for that one."""
    words = f"{PROFILES[site].generator or site.capitalize()} ({why})"
    for generator in _rows(site):
        inner = next((f"/{one}" for one in generator.roots if one and root.endswith(f"/{one}")), "")
        project = Path(root if is_repository_root(Path(root)) else root.removesuffix(inner))
        found = _sources_at(root, [(generator, GeneratorFile(project, project, {}, ""))])
        return found._replace(
            heading_ids="mkdocs" if site in {"mkdocs", "zensical"} else "any",
            assets_file=words,
            projects=tuple(
                one._replace(base=None, words=words, prefix=one.prefix or _usual(generator, root))
                for one in found.projects
            ),
        )
    return SourceSettings(projects=(SourceProject(site, "", words=words),))


def _usual(generator: Generator, root: str) -> str:
    """The folder of the sources in the folder of the project, with a slash at the end.

    "" if that may be any folder, or if the tree at `root` has such a folder.
    """
    is_any = "" in generator.roots or os.path.isdir(f"{root}/{generator.roots[0]}")
    return "" if is_any else f"{generator.roots[0]}/"


def recognized(sources: Iterable[FilePath]) -> tuple[str, str]:
    """The generator of sources by text that only one knows, and the text; "" if none or several are recognized."""
    found = {}
    for source in sources:
        try:
            with atomic.open_file(source) as file:
                data = _CODE.sub(b"", file.read(_SAMPLE))
        except OSError:
            continue
        for key, profile in PROFILES.items():
            if key not in found and (match := profile.mark.search(data)):
                found[key] = match[0].decode("ascii", "replace").strip("(\"'")
    return next(iter(found.items())) if len(found) == 1 else ("", "")


def _source_project(root: str, generator: Generator, file: GeneratorFile) -> SourceProject:
    """The project of a settings file in, at or above the tree at `root`."""
    at = os.path.realpath(file.project)
    inner = name_in_tree(root, at)
    site = KEYS[generator.name]
    routes = routes_of(site, file.values)
    inner_root = _source_root(generator, file)
    rewritten = rewritten_sources(file.values) if site == "vitepress" else ()
    rewrites = tuple((re.escape(inner_root) + pattern, path) for pattern, path in rewritten or ())
    sources = inner_root or PROFILES[site].folder
    listed = chapters(site, f"{at}/{sources}")
    copied = tuple(copied_folders(text_of_settings(file))) if site == "eleventy" else ()
    inside = (os.path.realpath(f"{at}/{folder}") for folder, place in copied if not place)
    at_root = [folder for folder in inside if is_inside(folder, at)]
    copies = generator is MDBOOK or PROFILES[site].copies_files
    return SourceProject(
        site,
        inner or "",
        "" if inner or root == at else f"{os.path.relpath(root, at).replace(os.sep, '/')}/",
        _base(generator, file),
        in_words(generator, file),
        rewritten is None,
        routes._replace(content=routes.content or _content(generator, inner_root), rewrites=rewrites),
        starlight_locales(file.values) if site == "starlight" else (),
        _excluded(generator, file, name_in_tree(str(file.project), root) or ""),
        None if listed is None else frozenset(sources + one for one in listed),
        at,
        sources,
        str(file.path) if file.values else "",
        built_folder(generator, file),
        tuple(filter(None, [asset_folder(generator, file, root), f"{at}/{sources}".rstrip("/") * copies, *at_root])),
        copied,
    )


def _excluded(generator: Generator, file: GeneratorFile, prefix: str) -> re.Pattern[str] | None:
    """See `SourceProject.excluded`. None if it would be all of the tree: the user has named it. `prefix`: see there."""
    inner = _source_root(generator, file)
    if KEYS[generator.name] == "vitepress":
        expression = excluded_sources(file.values)
    elif KEYS[generator.name] == "jekyll":
        source = os.path.realpath(file.project / inner)
        built = (name_in_tree(source, built_folder(generator, file)) or "").rstrip("/")
        expression = excluded_files(file.values, built, adds=adds_excluded(str(file.project)))
    else:
        return None
    found = re.compile(re.escape(inner) + f"(?:{expression})", re.DOTALL)
    return found if expression and not found.fullmatch(f"{prefix}a.md") else None


def _content(generator: Generator, inner: str) -> tuple[tuple[str, str], ...]:
    """The folders of sources in the folder `inner` that the settings name; () for the usual ones."""
    content = PROFILES[KEYS[generator.name]].content if inner else ()
    return tuple((re.escape(inner) + pattern, path) for pattern, path in content)


def _source_root(generator: Generator, file: GeneratorFile) -> str:
    """The folder that the settings name for the sources, in the folder of the project; "" if they name none in it."""
    folder = folder_of(generator, file, generator.content_key, "") if generator.content_key else ""
    return name_in_tree(os.path.realpath(file.project), folder) or ""


def _base(generator: Generator, file: GeneratorFile) -> str | None:
    """The path of a site on its host, without slashes at its ends; None if it is not known."""
    url, path = _served(generator, file.values)
    written = _literal(generator, file.values, generator.path_key)
    is_root = written in {"", "/"} and (url is not None or not _literal(generator, file.values, generator.url_key))
    return path.strip("/") if path else "" if is_root and SPREAD not in file.values else None


def find_inner_sites(root: str, files: Collection[str], pages: Iterable[str], site: str | None = None) -> InnerSites:
    """The sites in the tree at the real path `root`. Never raises.

    `files`, `pages`: the names of its files and of its pages. `site`: as in `AuditOptions`. A tree that is
    itself one site has none.
    """
    inner_projects = [one for one in _inner_projects(root, files, pages) if one[0] in _rows(site)]
    if not inner_projects or find_settings(root, site).file or find_sources(root, site).file:
        return NO_INNER_SITES
    sources: dict[str, str] = {}
    built: dict[str, str] = {}
    roots = []
    made = []
    at_project: dict[Path, list[tuple[Generator, GeneratorFile]]] = {}
    for generator, project in inner_projects:
        at_project.setdefault(project, []).extend((generator, file) for file in read_settings(generator, project))
    for generator, file in itertools.chain.from_iterable(map(without_replaced, at_project.values())):
        if file.doubt:
            continue
        if generator.roots:
            made.append(_source_project(root, generator, file))
        if inner := name_in_tree(root, source_folder(generator, file)):
            sources[inner] = in_words(generator, file)
        inner = name_in_tree(root, built_folder(generator, file))
        if inner and f"{inner}index.html" in files:
            built[inner] = in_words(generator, file)
        pages_at = [name_in_tree(root, str(file.project / one)) for one in generator.roots]
        found = tuple(one for one in pages_at if one is not None)
        assets = name_in_tree(root, folder_of(generator, file, generator.assets_key, generator.assets))
        assets = None if str(file.project) == root else assets  # these are mounted
        if found:
            roots.append(SiteRoots(found, (*found, assets) if assets else found))
    templates = itertools.chain.from_iterable(_templates(root, files) for files in at_project.values())
    return InnerSites(sources, built, tuple(roots), tuple(made), tuple(templates))


def _templates(root: str, files: list[tuple[Generator, GeneratorFile]]) -> tuple[str, ...]:
    """See `SourceSettings.templates`. `files`: settings files."""
    folders = (folder_of(*one, one[0].templates_key, "") for one in files if not one[1].doubt)
    return tuple(name for folder in folders if (name := name_in_tree(root, folder)))


def _inner_projects(root: str, files: Iterable[str], pages: Iterable[str]) -> Iterator[tuple[Generator, Path]]:
    """Yield the projects above, at and in a tree: each has a settings file, and those in the tree may have pages."""
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
        if folder in folders or generator.has_sources_beside:
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
    is_unread = _is_unread(generator, values) and not (url or folder)
    served = tuple(f"{key.rpartition('/')[2]} = {clip(value)}" for key, value in settings if value)
    return SiteSettings(
        name,
        (_UNREAD,) if is_unread else served,
        url,
        folder,
        (f"{key} = {str(wanted).lower()}",) if clean else (),
        clean,
        _source_project(os.path.realpath(file.project), generator, file),
        source_folder(generator, file) or os.path.realpath(file.project),
        is_unread,
    )


#: The line of the report about settings that are in a form that is not known.
_UNREAD = "the URL is in a form that is not read, so missing paths from the root do not count (give --root-url)"


def _is_unread(generator: Generator, values: Mapping[str, Value]) -> bool:
    """Whether the URL of the site or its path is set in a form that is not known, or no setting is known."""
    keys = {key_of(generator, key) for key in (generator.url_key, generator.path_key) if key}
    return values.keys() == {SPREAD} or any(values.get(key, "") is None for key in keys)


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
