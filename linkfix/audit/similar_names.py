"""The file of a tree that was probably meant by the name of one that is missing: everyday slips.

A page and the folder of its name are taken for each other, as are suffixes of one kind of file, and separators between
words. A name that only one file of the tree has is meant wherever that is, unless it is a usual one: an index is in
every folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from posixpath import splitext

from linkfix.audit.site import Site
from linkfix.files.folder import INDEX_NAMES
from linkfix.lazy import lazy_pattern

__all__ = ["only_file_named", "similar_file"]

_PAGES = (".html", ".htm", ".xhtml", ".xht", ".shtml")
#: Suffixes that take each other's place: when a site is built or moved, a picture is stored otherwise, by habit.
_KINDS = (
    (*_PAGES, ".md", ".markdown", ".rst", ".php", ".asp", ".aspx", ".jsp"),
    (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg"),
    (".js", ".mjs", ".cjs"),
    (".yaml", ".yml"),
    (".tar.gz", ".tgz"),
)
_KIND_OF = {suffix: kind for kind in _KINDS for suffix in kind}
_SEPARATORS = lazy_pattern(r"[\s_-]+")
#: Shorter names of files, without their suffixes, are too usual; so are those without a suffix.
_SHORTEST = 4


@lru_cache(maxsize=1024)  # references to one missing file often differ in their fragments alone
def similar_file(site: Site, name: str) -> str | None:
    """The file in the same place that was probably meant: the only one that the first of these slips explains."""
    for slip in (_page_or_folder, _other_suffix, _other_separators):
        found = {other for other in slip(site, name) if other != name}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _page_or_folder(site: Site, name: str) -> Iterator[str]:
    """The page for a folder's name, and the index for a page's."""
    bare = name.rstrip("/")
    if not bare:
        return
    stem, suffix = splitext(bare)
    if suffix.lower() in _PAGES:
        number = site.number(f"{stem}/")
        if number is not None:
            yield site.files[number]
    else:
        yield from (bare + page for page in _PAGES if bare + page in site.numbers)


def _other_suffix(site: Site, name: str) -> Iterator[str]:
    """Files in the same place with another suffix of the same kind."""
    stem, suffix = splitext(name)
    if stem.endswith(".tar"):
        stem, suffix = splitext(stem)[0], ".tar" + suffix
    for other in _KIND_OF.get(suffix.lower(), ()):
        if stem + other in site.numbers:
            yield stem + other


def _other_separators(site: Site, name: str) -> Iterator[str]:
    """Files in the same folder whose names differ in case, and in what stands between words."""
    folder, slash, last = name.rpartition("/")
    form = _form(last)
    if form:
        yield from (folder + slash + other for other in _names_by_form(site, folder).get(form, ()))


@lru_cache(maxsize=4)
def _names_by_form(site: Site, folder: str) -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for name in site.names_in(folder):
        forms.setdefault(_form(name), []).append(name)
    return forms


def _form(name: str) -> str:
    return _SEPARATORS.sub("-", name.casefold()).strip("-")


def only_file_named(site: Site, name: str) -> str | None:
    """The only file of the tree with that very name, in another folder."""
    last = name.rpartition("/")[2]
    stem, suffix = splitext(last)
    if not suffix or len(stem) < _SHORTEST or last.casefold() in INDEX_NAMES:
        return None
    found = site.files_named(last)
    return found[0] if len(found) == 1 else None
