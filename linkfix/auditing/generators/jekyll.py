"""The files that Jekyll leaves out of a site: `exclude` and `include` of `_config.yml`, and names that are special.

Jekyll passes over folders and files whose names begin with `.`, `_`, `#` or `~`, or end with `~`, unless `include`
names them. It reads `_posts` in any folder, and the folders of collections. A pattern of `exclude` or `include` is a
path or its beginning, or a glob in which `*` matches slashes, too (`EntryFilter`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.files import atomic
from linkfix.lazy import lazy_pattern

#: The files that are left out unless settings say otherwise (`DEFAULT_EXCLUDES`). In Jekyll 3, `exclude` replaces them;
#: from Jekyll 4 on, it adds to them.
_EXCLUDED = ("Gemfile", "gemfiles", "node_modules", "vendor/bundle/", "vendor/cache/", "vendor/gems/", "vendor/ruby/")

_INCLUDED = (".htaccess",)

#: The folders of templates, which are parts of pages.
_TEMPLATES = ("_layouts", "_includes")

_ADDING = 4

#: The files of Bundler that name the version of Jekyll, each with the place of its first number.
_VERSIONS = (
    ("Gemfile.lock", lazy_pattern(r"(?m)^    jekyll \((\d+)\.")),
    ("Gemfile", lazy_pattern(r"(?m)^[ \t]*gem[ \t]*\(?[\"']jekyll[\"'],[ \t]*[\"'](?:~>|=)?[ \t]*(\d+)\.")),
)
_LARGEST = 1 << 20

#: The largest number of patterns that count.
_MOST = 100


def adds_excluded(project: str) -> bool:
    """Whether the project in a folder certainly has a version of Jekyll in which `exclude` adds to the usual files."""
    for name, version in _VERSIONS:
        try:
            text = atomic.read(f"{project}/{name}", limit=_LARGEST).data.decode("utf-8", "replace")
        except OSError:
            continue
        if (found := version.search(text)) is not None:
            return int(found[1][:3]) >= _ADDING
    return False


def excluded_files(values: Mapping[str, Value], built: str, *, adds: bool = False) -> str:
    """An expression for the names of files that are not part of the site; "" if settings do not tell.

    `built`: the folder that is built, from that of the sources. Its files are no sources. `adds`: see `adds_excluded`.
    """
    included, excluded = _listed(values, "include", _INCLUDED), _listed(values, "exclude", _EXCLUDED)
    excluded = (*(excluded or ()), *(_EXCLUDED * adds))
    collections = _collections(values)
    is_known = SPREAD not in values and "collections_dir" not in values
    if not is_known or included is None or collections is None or any("[" in one for one in included):
        return ""
    kept = "|".join([r"_posts/", *map(_pattern, included)])
    read = "|".join(f"{re.escape(one)}/" for one in (*_TEMPLATES, *collections, built) if one)
    special = rf"(?!{read})(?:.*/)?(?!{kept})(?:[._#~]|[^/]*~(?:/|\Z)).*"
    patterns = [_pattern(one) for one in excluded if one not in included and "[" not in one]
    return f"{special}|(?!(?:.*/)?(?:{kept}))(?:{'|'.join(patterns)}).*" if patterns else special


def _listed(values: Mapping[str, Value], key: str, usual: Iterable[str]) -> tuple[str, ...] | None:
    """The patterns of a setting; None if it is not known."""
    if key not in values:
        return tuple(usual)
    found = [name[len(key) + 1 :].lstrip("/") for name in values if name.startswith(f"{key}/")]
    is_known = found and SPREAD not in found and len(found) <= _MOST
    return tuple(filter(None, found)) if is_known else None


def _collections(values: Mapping[str, Value]) -> list[str] | None:
    """The folders of the collections that may have pages, by `output`; None if they are not known."""
    names = {key.split("/")[1] for key in values if key.startswith("collections/")}
    is_known = "collections" not in values or (names and SPREAD not in names)
    return sorted(f"_{name}" for name in names if _has_pages(values, name)) if is_known else None


def _has_pages(values: Mapping[str, Value], name: str) -> bool:
    """Whether a collection may have pages: it needs `output: true`. An item of a list has no settings."""
    key = f"collections/{name}"
    inner = [one for one in values if one.startswith(f"{key}/")]
    is_read = values.get(key) is True or (inner and f"{key}/{SPREAD}" not in inner)
    return values.get(f"{key}/output", not is_read) is not False


def _pattern(text: str) -> str:
    """A path, whose beginning counts, or a glob, as an expression for the beginning of a name.

    The text between two stars has a fixed length, so its first match is as good as any other: the time is linear.
    """
    if "*" not in text and "?" not in text:
        return re.escape(text)
    first, *others = (re.escape(part).replace(r"\?", ".") for part in re.split(r"\*+", text))
    last = [f".*{one}" for one in others[-1:]]
    return "".join([first, *(f"(?>.*?{one})" for one in others[:-1]), *last]) + r"(?:/|\Z)"
