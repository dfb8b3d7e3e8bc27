"""Pages that are made of the tree's files: what a reference in Markdown leads to once its site is built.

Programs that build sites give `guide.md` the URLs `guide`, `guide/` or `guide.html`, by their settings. All of them
count, since references are written for the site, and the tree says nothing of those settings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from linkfix.files.media_types import media_type_of_suffix

__all__ = ["infer_heading_ids", "is_file_name", "source_names", "sphinx_folders"]

#: The suffixes of sources, in the order in which they are looked for.
_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
#: The sources of a folder's own page, without suffixes.
_INDEXES = ("index", "README", "readme", "Readme")
_MADE = (".html", ".htm")
#: The settings of Sphinx, and the suffixes of what it reads.
_SPHINX_SETTINGS = "conf.py"
_OF_SPHINX = (".rst", ".md", ".txt")
#: The settings of MkDocs, and how much of them is read, in bytes.
_MKDOCS = ("mkdocs.yml", "mkdocs.yaml")
_SETTINGS_SIZE = 1 << 20


def source_names(name: str) -> Iterator[str]:
    """The files that a page with a name can be made of. `name`: in the tree; a folder's may end with a slash.

    >>> list(source_names("a/guide.html"))[:2]
    ['a/guide.md', 'a/guide.markdown']
    """
    stem = next((name.removesuffix(suffix) for suffix in _MADE if name.endswith(suffix)), name)
    stem = stem.removesuffix("/")
    is_made = stem != name.removesuffix("/")
    folder, _, last = stem.rpartition("/")
    if is_made and last == "index":
        stem = folder
    if stem:
        yield from (stem + suffix for suffix in _SUFFIXES)
    if not is_made or last == "index":
        inside = f"{stem}/" if stem else ""
        yield from (f"{inside}{index}{suffix}" for index in _INDEXES for suffix in _SUFFIXES)


def sphinx_folders(names: Collection[str]) -> Iterator[str]:
    """How the names begin of the files in folders that Sphinx builds sites of: they have its settings, and an index."""
    for name in names:
        if name.endswith(_SPHINX_SETTINGS):
            folder, slash, last = name.rpartition("/")
            if last == _SPHINX_SETTINGS and any(f"{folder}{slash}index{suffix}" in names for suffix in _OF_SPHINX):
                yield folder + slash


def is_file_name(name: str) -> bool:
    """Whether a name has the suffix of some type of file; names of objects in programs have dots, too.

    >>> is_file_name("docs/guide.md"), is_file_name("package.module"), is_file_name("label")
    (True, False, False)
    """
    return bool(media_type_of_suffix(name)) or name.endswith(_OF_SPHINX)


def infer_heading_ids(root: str) -> str:
    """How headings get their IDs, by the settings beside a tree: those of MkDocs, if they leave that to it."""
    for name in _MKDOCS:
        try:
            with (Path(root).parent / name).open("rb") as file:
                return "any" if b"slugify" in file.read(_SETTINGS_SIZE) else "mkdocs"
        except OSError:
            continue
    return "any"
