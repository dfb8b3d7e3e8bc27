"""The names of source files and of the pages that site generators make of them.

Site generators give `guide.md` the URL `guide`, `guide/` or `guide.html`, depending on their settings. All three forms
count: references are written for the built site, and the tree does not contain those settings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from posixpath import join, normpath, relpath, splitext
from urllib.parse import quote

from linkfix.files.media_types import media_type_of_suffix

#: The suffixes of source files, in the order of the search.
SOURCE_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")

#: The names, without suffixes, of the source file for a folder's own page.
_INDEXES = ("index", "README", "readme", "Readme")

#: The suffixes of the pages that generators make.
MADE = (".html", ".htm")

#: The settings file of Sphinx, and the suffixes of the files that Sphinx reads.
_SPHINX_SETTINGS = "conf.py"

OF_SPHINX = (".rst", ".md", ".txt")


def source_names(name: str, *, have_indexes: bool = True, is_mdbook: bool = False) -> Iterator[str]:
    """The possible source files of a page.

    `name`: the name of the page in the tree; the name of a folder may end with a slash. `have_indexes`: whether a
    folder's URL leads to a file in the folder. `is_mdbook`: whether `a/index.md` may stand for `a/README.md`.

    >>> list(source_names("a/guide.html"))[:2]
    ['a/guide.md', 'a/guide.markdown']
    """
    if is_mdbook and name.rpartition("/")[2] == "index.md":
        yield f"{name.removesuffix('index.md')}README.md"
    stem = next((name.removesuffix(suffix) for suffix in MADE if name.endswith(suffix)), name)
    stem = stem.removesuffix("/")
    is_made = stem != name.removesuffix("/")
    folder, _, last = stem.rpartition("/")
    if is_made and last == "index":
        stem = folder
    if stem:
        yield from (stem + suffix for suffix in SOURCE_SUFFIXES)
    if last == "index" if is_made else have_indexes:
        inside = f"{stem}/" if stem else ""
        yield from (f"{inside}{index}{suffix}" for index in _INDEXES for suffix in SOURCE_SUFFIXES)


#: The suffixes of the files that MkDocs makes pages from (`mkdocs.utils.markdown_extensions`).
MKDOCS_SUFFIXES = (".markdown", ".mdown", ".mkdn", ".mkd", ".md")


def mkdocs_page(name: str, *, directory_urls: bool) -> str:
    """The file that MkDocs makes from a file of its sources. `directory_urls`: its setting `use_directory_urls`.

    >>> mkdocs_page("a/guide.md", directory_urls=True), mkdocs_page("a/README.md", directory_urls=True)
    ('a/guide/index.html', 'a/index.html')
    """
    stem, suffix = splitext(name)
    if suffix not in MKDOCS_SUFFIXES:
        return name
    folder, slash, last = stem.rpartition("/")
    last = "index" if last == "README" else last
    return f"{stem}/index.html" if directory_urls and last != "index" else f"{folder}{slash}{last}.html"


def mkdocs_order(name: str) -> tuple[str, bool, str]:
    """The key that sorts sources: of two sources of one page, the last counts (`mkdocs.structure.files.get_files`)."""
    folder, _, last = name.rpartition("/")
    return folder, splitext(last)[0] not in {"index", "README"}, last


def path_in_site(folder: str, path: str) -> str:
    """A relative path in a folder of the site, from the root, without slashes at its ends.

    As in browsers, the segments ".." above the root are dropped.

    >>> path_in_site("b/one", "../../../a/")
    'a'
    """
    return normpath(join("/", folder, path)).strip("/")


def reference_in_site(folder: str, url: str) -> str:
    """The relative reference to a URL from a folder of the site; both begin with a slash.

    >>> reference_in_site("/2024", "/b/one/"), reference_in_site("/2024", "/2024/two.html")
    ('../b/one/', 'two.html')
    """
    return quote(relpath(url, folder)) + "/" * url.endswith("/")


def is_form_of(url: str, path: str) -> bool:
    """Whether the end of a path may lead to the page of a URL; "" for a URL that is not known.

    Hosts show `a.html` for `a`, and `a/` after it, but no other page.

    >>> is_form_of("/a.html", "a"), is_form_of("/a.html", "a/"), is_form_of("/a/", "a.html"), is_form_of("/a/", "a")
    (True, False, False, True)
    """
    if path.endswith(MADE):
        return not url.endswith("/") or path.rpartition("/")[2] == "index.html"
    return not (url and path.endswith("/")) or url.endswith(("/", "/index.html"))


#: The names, without suffixes and languages, of the sources of Hugo's page bundles.
_OF_BUNDLES = frozenset({"index", "_index"})


def is_of_bundle(page: str, name: str) -> bool:
    """Whether Hugo publishes a file beside the page of a source, since both are of one page bundle.

    >>> is_of_bundle("posts/a/index.fr.md", "posts/a/b.png"), is_of_bundle("posts/a.md", "posts/b.png")
    (True, False)
    """
    folder, slash, last = page.rpartition("/")
    is_inside = name.startswith(folder + slash) and not name.lower().endswith(SOURCE_SUFFIXES)
    return is_inside and last.partition(".")[0] in _OF_BUNDLES


def sphinx_folders(names: Collection[str]) -> Iterator[str]:
    """The prefix of each folder that Sphinx builds a site from: the folder contains Sphinx's settings and an index."""
    for name in names:
        if name.endswith(_SPHINX_SETTINGS):
            folder, slash, last = name.rpartition("/")
            if last == _SPHINX_SETTINGS and any(f"{folder}{slash}index{suffix}" in names for suffix in OF_SPHINX):
                yield folder + slash


def is_file_name(name: str) -> bool:
    """Whether a name has the suffix of a file type. Names of program objects contain dots, too.

    >>> is_file_name("docs/guide.md"), is_file_name("package.module"), is_file_name("label")
    (True, False, False)
    """
    return bool(media_type_of_suffix(name)) or name.endswith(OF_SPHINX)
