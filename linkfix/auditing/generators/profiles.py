"""The table of what generators do with sources: the URLs of pages, and the paths that they make at build time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from linkfix.auditing.generators.jekyll_urls import JekyllUrls
from linkfix.auditing.generators.model import ContentPlugin, SourceProject
from linkfix.lazy import lazy_pattern

#: The names, in lower case, of sources that a generator may make the page of a folder from.
FOLDER_PAGES = frozenset({"index", "readme", "_index"})


class Profile(NamedTuple):
    """The conventions of a generator."""

    generator: str
    """The name of its row in `GENERATORS`; "" for none."""
    content: tuple[tuple[str, str], ...] = (("", ""),)
    """Folders of sources in the folder of the project, as patterns, each with the path that its pages begin with, as in
    `re.Match.expand`. A folder may have several such paths.
    """
    made: re.Pattern[str] = lazy_pattern(r"(?!)")
    """The paths, from the root of the site, of what it makes at build time without a source."""
    of_theme: re.Pattern[str] = lazy_pattern(r"(?!)")
    """The same, of what only a theme may have a source of."""
    strips_numbers: bool = False
    """Whether a number at the beginning of a name is not part of the URL: `01-intro.md`."""
    makes_slugs: bool = False
    """Whether URLs are in lower case, with hyphens for spaces."""
    ends_with_slash: bool = False
    """Whether the URLs of pages end with a slash."""
    folder_pages: frozenset[str] = FOLDER_PAGES
    """The names of the sources with the page of their folder."""
    adds_base: bool = False
    """Whether links of Markdown that begin with a slash get the base of the site, also after the base itself."""
    slash_is_folder: bool = False
    """Whether a path that ends with a slash leads only to the page of a folder."""
    lists_folders: bool = False
    """Whether a folder without a page of its own gets a page that lists its pages."""
    ids: frozenset[bytes] = frozenset()
    """The IDs that each page has, besides those of its source."""
    has_folder_data: bool = False
    """Whether files of data may give the URLs of all sources in their folder."""
    copies_files: bool = False
    """Whether its settings name files that are copied, in a form that is not known."""
    served: re.Pattern[str] = lazy_pattern(r"(?!)")
    """The folders of the project whose files are served at the root of the site."""
    templates: re.Pattern[str] = lazy_pattern(r"(?!)")
    """The folders of the project with templates, which are no pages."""
    aliases: re.Pattern[str] = lazy_pattern(r"(?!)")
    """The beginnings of references that only the project's program resolves."""
    marked: re.Pattern[str] = lazy_pattern(r"(?!)")
    """References to a source by a mark. The group with the rest says where its path begins: `project`, at the folder of
    the project; `content`, at that of the sources; `beside`, at that of the source with the reference. Or the generator
    makes the target: `made`. Before the path, `copied` is a mark that leads to files which are copied, and to no page.
    """
    marks: str = ""
    """The mark without which no link leads to a source; "" if links do."""
    moves_pages: bool = False
    """Whether titles and dates decide the URLs of pages, so that they are not known."""
    mark: re.Pattern[bytes] = lazy_pattern(rb"(?!)")
    """Text of sources that only this generator knows."""
    rewrites: tuple[tuple[str, str], ...] = ()
    """Names of sources, as patterns, each with the path of its page, as in `re.Match.expand`. The first that fits the
    whole name counts, and not the folder.
    """
    permalinks: tuple[tuple[str, str], ...] = ()
    """As in `linkfix.auditing.generators.model.Routes`."""
    languages: tuple[tuple[str, str], ...] = ()
    """The same."""
    jekyll: JekyllUrls | None = None
    """The same."""
    plugins: tuple[ContentPlugin, ...] = ()
    """The same."""
    unbuilt: tuple[tuple[str, bool], ...] = ()
    """The same."""
    indexes: re.Pattern[str] = lazy_pattern(r"(?!)")
    """The files whose settings make pages that list others, by their slugs."""
    converted: Mapping[str, str] = {}  # a NamedTuple's default, which nothing changes
    """The suffix of a file with front matter -> that of the file which is made of it."""
    has_languages: bool = False
    """Whether the name of a source may end with its language, which is the first folder of the page."""
    url_keys: tuple[str, ...] = ()
    """The keys of front matter for the URL of a page, the strongest first. Then no page is at the name of the file."""
    url_folder: str = "/"
    """A part of the names of the sources that they count in, with a slash before these names."""
    name_key: str = ""
    """The key of them for the last name of the URL."""
    heading_ids: str = ""
    """The scheme for the IDs of headings, unless the settings choose their form; "" if it is not known."""
    folder: str = ""
    """The folder of the project that `content` is in, unless the settings name another (`Generator.content_key`)."""


#: Aliases in settings of Vite, webpack and TypeScript.
_ALIASES = lazy_pattern(r"~/|~[\w-]+/|@/|@@/|@theme/|@theme-original/|@components/|@assets/|@images/|\$lib/|virtual:")

#: The key of `--site` -> the conventions.
PROFILES = {
    "vitepress": Profile(
        "VitePress",
        made=lazy_pattern(r"404|sitemap\.xml|hashmap\.json|assets/.*"),
        served=lazy_pattern(r"public/"),
        ids=frozenset({b"app", b"VPContent"}),
        aliases=_ALIASES,
        heading_ids="vitepress",
        folder_pages=frozenset({"index"}),
        adds_base=True,
        slash_is_folder=True,
    ),
    "docusaurus": Profile(
        "Docusaurus",
        (
            *((r"docs/", "docs/"), (r"docs/", ""), (r"docs/", "docs/next/"), (r"blog/", "blog/"), (r"src/pages/", "")),
            *((r"versioned_docs/version-([^/]+)/", r"docs/\1/"), (r"versioned_docs/version-[^/]+/", "docs/")),
            (r"i18n/([^/]+)/docusaurus-plugin-content-(docs|blog|pages)/(?:current/)?", r"\2/"),
            (r"(?!(?:docs|blog|i18n|src/pages)/)", ""),
        ),
        lazy_pattern(
            r"404|search|sitemap\.xml|(?:.*/)?(?:tags|category|authors|page)(?:/.*)?"
            r"|(?:.*/)?(?:archive|rss\.xml|atom\.xml|feed\.json|rss\.xsl|atom\.xsl)|blog"
        ),
        strips_numbers=True,
        indexes=lazy_pattern(
            r"(?:.*/)?_category_\.(?:json|ya?ml)|(?:[\w-]*versioned_sidebars/)?[\w.-]*sidebars?[\w-]*\.(?:[mc]?[jt]s|json)",
            re.IGNORECASE,
        ),
        served=lazy_pattern(r"static/"),
        ids=frozenset({b"__docusaurus", b"__docusaurus_skipToContent_fallback"}),
        aliases=_ALIASES,
        marked=lazy_pattern(r"@site/(?P<project>.*)", re.DOTALL),
        mark=lazy_pattern(rb"[(\"']@site/|\bpathname:///|from ['\"]@(?:docusaurus|theme)/"),
    ),
    "starlight": Profile(
        "Astro",
        ((r"src/content/docs/", ""), (r"src/pages/", ""), (r"src/content/(?!docs/)", "")),
        lazy_pattern(r"404|sitemap[\w-]*\.xml|rss\.xml|(?:pagefind|_astro)/.*"),
        makes_slugs=True,
        ends_with_slash=True,
        served=lazy_pattern(r"public/"),
        ids=frozenset({b"_top"}),
        aliases=_ALIASES,
        mark=lazy_pattern(rb"from ['\"]@astrojs/starlight/"),
        url_keys=("slug",),
        url_folder="/content/docs/",
    ),
    "mkdocs": Profile("MkDocs"),
    "zensical": Profile("Zensical"),
    "mdbook": Profile(
        "mdBook",
        made=lazy_pattern(r"404|print|toc|searchindex\.(?:js|json)|index"),
        folder="src/",
    ),
    "hugo": Profile(
        "Hugo",
        ((r"", ""), (r"[a-z]{2}(?:-[A-Za-z]{2,4})?/", "")),
        lazy_pattern(
            r"404|(?:.*/)?(?:tags|categories|page)(?:/.*)?|(?:.*/)?index\.(?:xml|json)|sitemap\.xml|robots\.txt"
        ),
        makes_slugs=True,
        ends_with_slash=True,
        lists_folders=True,
        served=lazy_pattern(r"(?:themes/[^/]+/)?static/"),
        templates=lazy_pattern(r"(?:themes/[^/]+/)?(?:layouts|archetypes)/"),
        has_languages=True,
        url_keys=("url", "slug"),
        name_key="slug",
        folder="content/",
    ),
    "jekyll": Profile(
        "Jekyll",
        ((r"(?!_)", ""), (r"_(\w+)/", r"\1/"), (r"_\w+/", "")),
        lazy_pattern(
            r"404|feed(?:/.*)?|feed\.xml|sitemap\.xml|robots\.txt|redirects\.json"
            r"|(?:.*/)?(?:tags?|categor(?:y|ies)|page\d*)(?:/.*)?|assets/css/style\.css"
        ),
        of_theme=lazy_pattern(r"assets/(?:(?:css|js)/)?[\w-]+\.(?:css|js)"),
        served=lazy_pattern(r"(?!_)"),
        templates=lazy_pattern(r"_(?:layouts|includes)/"),
        url_keys=("permalink",),
        converted={".scss": ".css", ".sass": ".css", ".coffee": ".js"},
    ),
    "eleventy": Profile(
        "Eleventy",
        ((r"(?:src|content)/", ""), (r"", "")),
        has_folder_data=True,
        copies_files=True,
        url_keys=("permalink",),
        templates=lazy_pattern(r"(?:[\w-]+/)?_(?:layouts|includes)/"),
    ),
    "pelican": Profile(
        "Pelican",
        copies_files=True,
        # `INTRASITE_LINK_REGEX`, and `pelican.contents.Content._link_replacer`.
        marked=lazy_pattern(
            r"[{|](?:(?P<made>(?:tag|category|author|index)[|}].*)"
            r"|(?:filename|(?P<copied>static|attach))[|}](?:/(?P<content>.*)|(?P<beside>.*)))",
            re.DOTALL,
        ),
        marks="{filename}",
        moves_pages=True,
        mark=lazy_pattern(rb"(?:\]\(|href=[\"'])[{|](?:filename|attach)[|}]"),
        folder="content/",
    ),
    "sphinx": Profile(
        "",
        made=lazy_pattern(
            r"(?:.*/)?(?:genindex(?:-\w+)?|search|(?:\w+-)?modindex)|(?:.*/)?(?:_modules|_static|_sources|_images|_downloads)/.*"
            r"|(?:.*/)?(?:objects\.inv|searchindex\.js)"
        ),
    ),
}

#: The name of a generator's row -> the key of its conventions.
KEYS = {profile.generator: key for key, profile in PROFILES.items() if profile.generator}


@cache
def profile_of(project: SourceProject) -> Profile:
    """The conventions for a project. Their folders of sources are those of its settings."""
    profile = PROFILES[project.site]
    usual = tuple((re.escape(profile.folder) + pattern, path) for pattern, path in profile.content)
    routes = project.routes
    around = "" if profile.folder else re.escape(project.sources)  # Jekyll has its templates in that of the sources
    return profile._replace(
        content=routes.content or usual,
        templates=re.compile(f"(?:{around})?(?:{profile.templates.pattern})"),
        rewrites=routes.rewrites,
        permalinks=routes.permalinks,
        languages=routes.languages,
        jekyll=routes.jekyll,
        plugins=routes.plugins,
        heading_ids="" if routes.has_own_ids else profile.heading_ids,
        unbuilt=routes.unbuilt,
    )
