"""The results of reading the settings of generators: how a folder is served, and how pages are made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from linkfix.auditing.generators.jekyll_urls import JekyllUrls
from linkfix.model import ANY_DIALECT


class UnknownPages(Enum):
    """The paths that may have pages which are not known: plugins and settings that a program computes make them."""

    NONE = "none"
    FOLDERS = "those in a folder without a known page"
    ALL = "all"


class ContentPlugin(NamedTuple):
    """A plugin of Docusaurus that makes pages from sources. Its links to sources lead only to its own."""

    kind: str
    """`docs`, `blog` or `pages`."""
    folders: str
    """The folders of its sources, with all versions and translations, as a pattern."""
    has_numbers: bool | None = False
    """Whether URLs have the numbers of names, such as `01-intro`; None if it is not known."""
    makes_all: bool = False
    """Whether it may make pages of all sources: settings, and no convention, say which ones it leaves out."""


class Routes(NamedTuple):
    """The pages of a project, as far as its settings say."""

    content: tuple[tuple[str, str], ...] = ()
    """The folders of its sources, as in `linkfix.auditing.generators.profiles.Profile`; () for the usual ones."""
    pages: tuple[str, ...] = ()
    """The paths of single pages, from the root of the site: indexes of blogs, and redirects."""
    unknown: UnknownPages = UnknownPages.NONE
    """The paths from the root that may have pages which are not known."""
    rewrites: tuple[tuple[str, str], ...] = ()
    """As in `linkfix.auditing.generators.profiles.Profile`."""
    languages: tuple[tuple[str, str], ...] = ()
    """The languages of Hugo, each with the beginning of its paths; () if they are not known. A name may end with one.
    """
    permalinks: tuple[tuple[str, str], ...] = ()
    """Folders of sources, as patterns, each with the path of its pages, in which `:slug` stands for a text."""
    moves_readme: bool = False
    """Whether mdBook makes `index.html` from `README.md`: it leads links to `README.md` to `README.html`."""
    has_theme: bool = True
    """Whether there may be a theme with files of its own."""
    jekyll: JekyllUrls | None = None
    """The URLs of Jekyll; None if they are not known, or for another generator."""
    names_headings: bool = True
    """Whether headings may have IDs that are made of their text."""
    unbuilt: tuple[tuple[str, bool], ...] = ()
    """The settings of front matter that keep a source out of the site, such as `draft: true`."""
    is_exact: bool = False
    """Whether relative references certainly count from the URLs that settings and front matter give to pages."""
    lowers_names: bool = False
    """Whether Hugo certainly makes the URLs of pages in lower case."""
    writes_listed: bool = False
    """Whether mdBook writes the sources that `SUMMARY.md` lists and that are missing."""
    copies_sources: bool = True
    """Whether Pelican may copy sources as they are, so that `{static}` may lead to one."""
    slugs: tuple[str, ...] = ()
    """The patterns of the names of Pelican's files, each with the group `slug`."""
    has_own_ids: bool = False
    """Whether settings of VitePress may give headings other IDs than the usual ones."""
    plugins: tuple[ContentPlugin, ...] = ()
    """The plugins of Docusaurus; () if they are not known, or for another generator."""


class SourceProject(NamedTuple):
    """A project whose generator makes pages from sources of a tree."""

    site: str
    """The key of `linkfix.auditing.generators.profiles.PROFILES`."""
    folder: str
    """The folder of the project in the tree, with a slash at the end; "" if it is the tree, or above it."""
    prefix: str = ""
    """The folder of the tree in the project, with a slash at the end; "" if the project is the tree, or in it."""
    base: str | None = ""
    """The path of the site on its host, without slashes at its ends; None if it is not known."""
    words: str = ""
    """The generator and its settings file, or why it is taken for the generator, in words."""
    rewrites: bool = False
    """Whether its settings give pages other URLs, by rules that are not known."""
    routes: Routes = Routes()
    """The pages by its settings."""
    locales: tuple[str, ...] | None = ()
    """The folders of languages of Starlight, that of the default first: the others have its pages, too. None if they
    are not known."""
    excluded: re.Pattern[str] | None = None
    """An expression for the names of files, in the folder of the project, that are not part of its site."""
    listed: frozenset[str] | None = None
    """The sources, in the folder of the project, that it makes pages from; None for all that are not excluded."""
    at: str = ""
    """The real path of the folder of the project."""
    sources: str = ""
    """The folder of the sources in that of the project, with a slash at the end; "" if it is the same."""
    file: str = ""
    """The real path of the settings file; "" if there is none."""
    built: str = ""
    """The real path of the folder that it builds; "" if it is not known."""
    served: tuple[str, ...] = ()
    """The real paths of the folders whose files it copies to the root of the site."""
    copied: tuple[tuple[str, str], ...] = ()
    """The folders and files of the project that Eleventy copies, each with its path in the site."""


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
    project: SourceProject | None = None
    """The project; None if the file does not count."""
    folder: str = ""
    """The real path of the folder of the sources, or of the project."""
    is_unread: bool = False
    """Whether the settings of `url` and `path` are in a form that is not known."""
    lack: str = ""
    """That there are no settings of the generator that the user names, in words."""


NO_SETTINGS = SiteSettings()


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
    links_from_source: bool = False
    """Whether relative references count from the folder of the source, also in raw HTML: so in Zensical, not MkDocs."""
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
    made: tuple[str, ...] = ()
    """The folders whose pages plugins of MkDocs make. The URLs of their sources are not known."""
    unknown: UnknownPages = UnknownPages.NONE
    """The paths that may have pages of plugins of MkDocs."""
    redirects: str = ""
    """The settings file of MkDocs, if its plugin `redirects` makes pages; else ""."""
    redirected: tuple[str, ...] = ()
    """The sources that these redirects lead from."""
    is_mdbook: bool = False
    """Whether mdBook makes `index.html` from `README.md`."""
    assets: str = ""
    """The folder whose files are served at the root beside the pages; "" for none."""
    assets_file: str = ""
    """The generator and the settings file that `assets` is inferred from, in words."""
    templates: tuple[str, ...] = ()
    """The folders of the tree with templates of a theme, which are no pages. Names end with a slash."""
    roots: tuple[SiteRoots, ...] = ()
    """The folders of the tree that references beginning with "/" may mean, besides the root of the tree."""
    projects: tuple[SourceProject, ...] = ()
    """The projects that make pages from the tree or from folders in it."""
    root: str = ""
    """The real path of the tree; "" if its files must not be read."""


NO_SOURCES = SourceSettings()


class InnerSites(NamedTuple):
    """The sites in a tree: name of the folder, with a slash at the end -> the generator and its settings file."""

    sources: Mapping[str, str]
    """The folders of sources whose links do not go by the files of the tree."""
    built: Mapping[str, str]
    """The folders that were built."""
    roots: tuple[SiteRoots, ...]
    """As in `SourceSettings`."""
    projects: tuple[SourceProject, ...] = ()
    """As in `SourceSettings`."""
    templates: tuple[str, ...] = ()
    """As in `SourceSettings`."""


NO_INNER_SITES = InnerSites({}, {}, ())
