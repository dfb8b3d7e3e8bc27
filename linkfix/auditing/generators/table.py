"""The table of site generators: the names of their settings files, and the keys of the settings that count."""

from __future__ import annotations

from typing import NamedTuple


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
    has_assets_in_content: bool = False
    """Whether that folder is in the one of the sources."""
    assets_key: str = ""
    """The key for another such folder."""
    content_key: str = ""
    """The key for the folder of the sources, or of the whole site, in place of `Profile.folder`."""
    roots: tuple[str, ...] = ()
    """The folders, in the folder of the project, whose sources become pages at the root of the site."""
    templates_key: str = ""
    """The key for a folder with templates that replace those of the theme."""
    has_sources_beside: bool = False
    """Whether settings may name a folder of sources beside that of the project."""
    table: str = ""
    """The table of its settings file with the settings, if the file has it, with a slash at the end."""
    parent_key: str = ""
    """The key for another settings file, whose settings count if this file does not set them."""
    ignores_case: bool = False
    """Whether upper and lower case in keys are the same."""
    shared_files: frozenset[str] = frozenset()
    """Its settings files whose names other programs use, too: they count beside a folder or a key of its own."""
    own_keys: frozenset[str] = frozenset()
    """Keys that only its settings have."""
    own_folders: tuple[str, ...] = ()
    """Folders of its projects, in the folder of the project."""
    replaced_by: str = ""
    """The generator whose settings file counts in place of this one's, if both are in a folder."""
    variants: str = ""
    """The folder with settings for environments, each in a folder, which replace those of its folder `_default`."""


def _named(stems: str, suffixes: str) -> tuple[str, ...]:
    return tuple(f"{stem}.{suffix}" for stem in stems.split() for suffix in suffixes.split())


GENERATORS = (
    Generator(
        "MkDocs",
        _named("properdocs mkdocs", "yml yaml"),  # ProperDocs continues MkDocs
        "site",
        "site_dir",
        url_key="site_url",
        sources="docs",
        sources_key="docs_dir",
        has_sources_beside=True,
        templates_key="theme/custom_dir",
        parent_key="INHERIT",
        replaced_by="Zensical",  # `zensical build` takes its own file first, and MkDocs' file without it
    ),
    Generator(
        "Zensical",
        ("zensical.toml", "zensical.yml"),
        "site",
        "site_dir",
        url_key="site_url",
        sources="docs",
        sources_key="docs_dir",
        has_sources_beside=True,
        templates_key="theme/custom_dir",
        table="project/",
    ),
    Generator(
        "VitePress",
        _named(".vitepress/config", "js ts mjs mts cjs cts"),
        ".vitepress/dist",
        "outDir",
        path_key="base",
        clean_urls=("cleanUrls", True),
        assets="public",
        has_assets_in_content=True,
        content_key="srcDir",
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
        has_sources_beside=True,
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
        shared_files=frozenset(_named("config", "toml yaml yml json")),
        own_keys=frozenset(
            """
            archetypedir baseurl builddrafts canonifyurls contentdir copyright defaultcontentlanguage enablegitinfo
            enablerobotstxt frontmatter languagecode languages layoutdir markup mediatypes menu menus minify module
            outputformats outputs pagination permalinks publishdir relativeurls staticdir summarylength taxonomies theme
            """.split()
        ),
        own_folders=("archetypes", "content", "layouts", "themes"),
        variants="config",
        assets="static",
        assets_key="staticDir",
        content_key="contentDir",
        roots=("content",),
    ),
    Generator(
        "Jekyll",
        ("_config.yml", "_config.yaml"),
        "_site",
        "destination",
        url_key="url",
        path_key="baseurl",
        content_key="source",
        roots=("",),
    ),
    Generator(
        "Eleventy",
        (*_named("eleventy.config", "js mjs cjs ts"), ".eleventy.js"),
        "_site",
        "dir/output",
        path_key="pathPrefix",
        content_key="dir/input",
        roots=("src", "content", ""),
    ),
    Generator(
        "Pelican",
        ("pelicanconf.py",),
        "output",
        "OUTPUT_PATH",
        url_key="SITEURL",
        content_key="PATH",
        roots=("content",),
    ),
    Generator(
        "mdBook",
        ("book.toml",),
        "book",
        "build/build-dir",
        path_key="output/html/site-url",
        content_key="book/src",
        roots=("src",),
    ),
)

#: The generator whose own name for a folder's page counts: https://rust-lang.github.io/mdBook
MDBOOK = GENERATORS[-1]
