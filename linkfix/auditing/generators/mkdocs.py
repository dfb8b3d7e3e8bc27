"""The sources of MkDocs and Zensical: what their settings say about the pages that are made from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.auditing.generators.model import SourceSettings, UnknownPages
from linkfix.auditing.generators.settings_files import GeneratorFile, in_words, text_of_settings
from linkfix.auditing.generators.table import Generator
from linkfix.lazy import lazy_pattern
from linkfix.model import ANY_DIALECT

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

#: Those and the plugins that only read `nav` in another way, or change pages.
_ADDING_NONE = _WITHOUT_PAGES | frozenset(
    """
    awesome-nav awesome-pages badges charts exclude exclude-search include-markdown literate-nav markdownextradata
    mermaid2 mike open-in-new-tab panzoom swagger-ui-tag termynal typeset
    """.split()
)

#: The plugin that makes a blog, in the theme Material, which has one name for its plugins; those that make any page.
_BLOGS = frozenset({"blog", "material"})
_MAKING_ANY = frozenset({"gen-files", "multirepo", "monorepo", "i18n", "static-i18n", "jupyter", "mkdocs-jupyter"})

#: The redirects of the plugin mkdocs-redirects, in lines or in braces; one of them: a source, and its target.
_REDIRECTS = "redirects"
_REDIRECT_MAPS = lazy_pattern(
    rb"(?m)^([ \t]*)(?:-[ \t]+)?(?:redirects[ \t]*:[ \t]*\{[ \t]*)?redirect_maps[ \t]*:[ \t]*"
    rb"(?:\{([^{}]*+)\}|(?:#.*)?\r?\n((?:\1[ \t]+\S.*(?:\n|\Z)|[ \t]*(?:#.*)?\r?\n)*+))"
)
_REDIRECT = lazy_pattern(
    rb"(?m)(?:^|(?<=[,{])|\A)[ \t]*(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"'#{},:][^\"'#{},:\n]*))[ \t]*:[ \t]+"
    rb"(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"'#{},][^\s{},]*))"
)

_EXTENSIONS = "markdown.extensions."
_EXTENSION_LIST = "markdown_extensions"


#: The extensions of Zensical that count here, if the settings list none (`zensical.config`), and the table of a group.
_OF_ZENSICAL = "admonition attr_list footnotes md_in_html pymdownx.details pymdownx.tabbed".split()
_GROUP = f"{_EXTENSION_LIST}/pymdownx/"


def _of_zensical(values: Mapping[str, Value]) -> dict[str, Value]:
    """The settings of Zensical in the form of MkDocs', which has no tables of extensions."""
    found = {key.replace(_GROUP, f"{_EXTENSION_LIST}/pymdownx.", 1): value for key, value in values.items()}
    is_usual = _EXTENSION_LIST not in values and SPREAD not in values
    return found | {f"{_EXTENSION_LIST}/{name}": True for name in _OF_ZENSICAL * is_usual}


def mkdocs_sources(generator: Generator, file: GeneratorFile) -> SourceSettings:
    """The settings of the sources of MkDocs or Zensical."""
    is_zensical = bool(generator.table)
    values = _of_zensical(file.values) if is_zensical else file.values
    absent = None if SPREAD in values else ""
    extensions, plugins = _names_in(values, _EXTENSION_LIST), _names_in(values, "plugins")
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
    redirected = _redirected(file) if plugins is not None and _REDIRECTS in plugins else ()
    # `nav` is read as YAML.
    has_nav = not is_zensical and plugins is not None and plugins <= _WITHOUT_PAGES | {""} and "hooks" not in values
    return SourceSettings(
        "any" if other_ids or extensions is None else "mkdocs",
        in_words(generator, file),
        tuple(used),
        directory_urls,
        None if links is None else links == _FROM_ROOT,
        attributes,
        footnotes,
        is_zensical,
        in_html,
        blocks,
        not plugins or not _SEARCH.isdisjoint(plugins),
        _excluded(values),
        str(file.path) if has_nav else "",
        next((values[key] for key in _ABSOLUTE_IN_NAV if key in values), None) == _FROM_ROOT,
        _blogs(values, plugins),
        _unknown_pages(values, plugins),
        str(file.path) if redirected else "",
        redirected,
    )


def mkdocs_redirects(data: bytes) -> Iterator[tuple[str, int, int]]:
    r"""The sources in the redirects of a settings file, each with the span of its target.

    >>> data = b"plugins:\n  - redirects:\n      redirect_maps:\n        'a/old.md': new.md#x\n"
    >>> [(name, data[start:end]) for name, start, end in mkdocs_redirects(data)]
    [('a/old.md', b'new.md#x')]
    """
    for table in _REDIRECT_MAPS.finditer(data):
        for match in _REDIRECT.finditer(data, *table.span(2 if table[3] is None else 3)):
            number = match.lastindex or 0
            yield (match[1] or match[2] or match[3]).decode("utf-8", "replace").strip(), *match.span(number)


def _redirected(file: GeneratorFile) -> tuple[str, ...]:
    """The sources that a settings file has redirects from."""
    data = text_of_settings(file).encode("utf-8", "replace")
    return tuple(dict.fromkeys(name for name, _, _ in mkdocs_redirects(data)))


def _blogs(values: Mapping[str, Value], plugins: set[str] | None) -> tuple[str, ...]:
    """The folders of blogs: their plugin makes the URLs of posts, and pages for archives, categories and authors."""
    if plugins is None or _BLOGS.isdisjoint(plugins):
        return ()
    folder = values.get("plugins/blog/blog_dir", "blog")
    return (f"{folder.strip('/')}/".removeprefix("./"),) if isinstance(folder, str) else ("",)


def _unknown_pages(values: Mapping[str, Value], plugins: set[str] | None) -> UnknownPages:
    if plugins is not None and not _MAKING_ANY.isdisjoint(plugins):
        return UnknownPages.ALL
    is_known = plugins is not None and plugins <= _ADDING_NONE | _BLOGS | {""} and "hooks" not in values
    return UnknownPages.NONE if is_known else UnknownPages.FOLDERS


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
        value = values.get(key, None if SPREAD in values else "")
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
    is_unknown = SPREAD in values or SPREAD in names or (not names and values.get(key, "") != "")
    return None if is_unknown else names - {"pymdownx"}
