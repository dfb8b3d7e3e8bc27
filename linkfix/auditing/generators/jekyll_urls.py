"""The URLs of Jekyll's pages, posts and other documents: by `_config.yml`, by front matter, and by the names of files.

As in Jekyll 4.3: `Document`, `Page`, `FrontmatterDefaults`, `Drops::UrlDrop`, `URL`. A placeholder whose text is not
certain stays in the path, where it stands for any text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta
from posixpath import normpath, splitext
from typing import NamedTuple
from unicodedata import category

from linkfix.auditing.generators.formats import SPREAD, Value
from linkfix.files.patterns import name_expression
from linkfix.lazy import lazy_pattern

#: The styles of `permalink` (`STYLE_TO_PERMALINK`).
_STYLES = {
    "none": "/:categories/:title:output_ext",
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
}

#: The keys of front matter, and of its defaults, that count here.
_KEYS = frozenset({"permalink", "slug", "date", "category", "categories"})

#: Keys of plugins that build the site once for each language.
_LANGUAGES = frozenset({"languages", "default_lang"})

#: The largest number of sets of defaults that count: each source is compared with them.
_MOST = 100

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class Defaults(NamedTuple):
    """A set of `defaults`."""

    path: re.Pattern[str]
    """An expression for the beginning of the names of its sources."""
    kind: str
    """`pages`, `posts` or another collection; "" for all."""
    values: tuple[tuple[str, Value], ...]


class JekyllUrls(NamedTuple):
    """The settings of `_config.yml` for URLs."""

    root: str = ""
    """The folder of the sources in that of the project, with a slash at the end."""
    collections: tuple[tuple[str, str | None], ...] = ()
    """The name of each collection, with `posts`, and the form of its URLs; None if it is not known."""
    folder: str = ""
    """The folder of the collections in that of the sources, with a slash at the end."""
    defaults: tuple[Defaults, ...] | None = ()
    """The weakest first; None if they are not known."""
    pages: str | None = None
    """The form of the URLs of pages in Markdown; None if it is not known."""


def jekyll_urls(values: Mapping[str, Value]) -> JekyllUrls | None:
    """The settings for URLs; None if they are not known."""
    root, folder = _folder(values, "source"), _folder(values, "collections_dir")
    if not values or SPREAD in values or root is None or folder is None or not _LANGUAGES.isdisjoint(values):
        return None
    style = values.get("permalink", "date")
    style = style if isinstance(style, str) else None
    names = {key.split("/")[1] for key in values if key.startswith("collections/")}
    posts = None if style is None else _STYLES.get(style, style)
    suffix = "" if posts is None else _suffix(posts)
    usual = None if posts is None else f"/:collection/:path{suffix}"
    found = {name: _collection(values, name, usual) for name in sorted(names)}
    found["posts"] = _collection(values, "posts", posts)
    is_known = "collections" not in values or (names and SPREAD not in names)
    pages = None if posts is None else f"/:path/:basename{suffix}"
    return JekyllUrls(root, tuple(found.items()), folder, _defaults(values), pages) if is_known else None


def _suffix(form: str) -> str:
    """The end of the URLs of pages and collections, by the form of those of posts (`Utils.add_permalink_suffix`)."""
    return next((end for end in ("/", ":output_ext") if form.endswith(end)), "")


def _folder(values: Mapping[str, Value], key: str) -> str | None:
    """The folder that a setting names, with a slash at the end; "" for the one around it, and None if not known."""
    value = values.get(key, "")
    path = normpath(value) if isinstance(value, str) else ".."
    return None if path.startswith(("..", "/")) else f"{path}/".removeprefix("./")


def _collection(values: Mapping[str, Value], name: str, usual: str | None) -> str | None:
    """The form of the URLs of a collection. `usual`: that without a setting."""
    key = f"collections/{name}"
    value = values.get(f"{key}/permalink", None if f"{key}/{SPREAD}" in values else usual)
    return value if isinstance(value, str) else None


def _defaults(values: Mapping[str, Value]) -> tuple[Defaults, ...] | None:
    """The sets of `defaults` with keys that count here; None if they are not known.

    A longer path is stronger, and then a set with a type (`has_precedence?`).
    """
    sets: dict[str, dict[str, Value]] = {}
    for key, value in values.items():
        _, number, inner = (*key.split("/", 2), "", "")[:3]
        if key.startswith("defaults/"):
            sets.setdefault(number, {})[inner] = value
    if ("defaults" in values and not sets) or len(sets) > _MOST:
        return None
    found: list[tuple[tuple[int, bool], Defaults]] = []
    for one in sets.values():
        given = {key.removeprefix("values/"): value for key, value in one.items() if key.startswith("values/")}
        kept = tuple((key, value) for key, value in given.items() if key.partition("/")[0] in _KEYS)
        path, kind = one.get("scope/path", ""), one.get("scope/type", "")
        is_read = given and _UNREAD.isdisjoint(one) and (len(one.keys() & _SCOPE) != 1)
        if not is_read or not isinstance(path, str) or not isinstance(kind, str):
            return None
        path = path.lstrip("/")
        if "*" in path and not _GLOB.fullmatch(path):
            return None
        pattern = name_expression(path.rstrip("/")) if "*" in path else re.escape(path)
        kind = f"{kind}s" if kind in {"page", "post", "draft"} else kind
        found += [((len(path), bool(kind)), Defaults(re.compile(pattern), kind, kept))] if kept else []
    return tuple(one for _, one in sorted(found, key=lambda item: item[0]))


#: A pattern of paths with stars alone.
_GLOB = lazy_pattern(r"[^\\\[\]{}?]*")

#: The keys of a set that cannot be read, and those of the scope: one of them alone means that it has others.
_UNREAD = frozenset({SPREAD, f"scope/{SPREAD}", f"values/{SPREAD}"})
_SCOPE = frozenset({"scope", "scope/path", "scope/type"})


#: A file in a folder of posts, and one of a collection, from the folder of the collections.
_POST = lazy_pattern(r"(?:(?P<around>.*?)/)?_posts/(?P<inner>.+)")
_ITEM = lazy_pattern(r"_(?P<name>[^/]+)/(?P<inner>.+)")

#: The name of a file with a date (`DATE_FILENAME_MATCHER`).
_DATED = lazy_pattern(r"(\d{4}-\d{1,2}-\d{1,2})-(.*)")

#: A date. With a time, the time zone of the computer decides whether it is the day before or after.
_DAY = lazy_pattern(r"(\d{4})-(\d{1,2})-(\d{1,2})(?P<time>[T\s].*)?")

#: The placeholders for categories: as they are, and as slugs.
_OF_CATEGORIES = ("categories", "slugified_categories")

#: The categories of characters that `Utils.slugify` keeps, and the characters that it keeps besides in a title.
_KEPT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd"})
_IN_TITLES = frozenset("._~!$&'()+,;=@")


class _JekyllSource(NamedTuple):
    """A source as Jekyll sees it."""

    kind: str
    """`pages`, `posts` or another collection."""
    name: str
    """Its name for the paths of `defaults`."""
    path: str
    """Its path in the collection, without its suffix; for a page, the folder."""
    form: str | None = None
    """The form of its URL by settings; None if its name decides, or if it is not known."""
    around: tuple[str, ...] = ()
    """The folders around `_posts`, which are categories."""

    @property
    def stem(self) -> str:
        """Its file name without the suffix."""
        return splitext(self.name.rpartition("/")[2])[0]


def jekyll_paths(urls: JekyllUrls, inner: str, front: Mapping[str, Value]) -> tuple[str, ...]:
    """The possible paths of the page of a source; () if its name decides, or if they are not known.

    `inner`: the name of the source in the project. `front`: its front matter.
    """
    document = _document(urls, inner.removeprefix(urls.root)) if inner.startswith(urls.root) else None
    if document is None or SPREAD in front:
        return ()
    fitting = (one for one in urls.defaults or () if one.kind in {"", document.kind} and one.path.match(document.name))
    sets = [*(dict(one.values) for one in fitting), front]
    values = {key: value for one in sets for key, value in one.items()}
    template = values.get("permalink", document.form)
    is_own = "permalink" in front and isinstance(template, str) and ":" not in template
    if not isinstance(template, str) or not template or (urls.defaults is None and not is_own):
        return ()
    if document.kind == "pages":
        if not front:  # it may be a file that is copied
            return ()
        texts = {"path": document.path, "basename": document.stem, "output_ext": ".html"}
        return (_filled(template, texts),)
    texts = _texts(document, values, sets)
    some = [texts, {**dict.fromkeys(_OF_CATEGORIES, ""), **texts}]  # there may be no category
    days = [_parts(day) for day in _days(document, values)] or [{}]
    return tuple(dict.fromkeys(_filled(template, one | day) for one in some for day in days))


def _document(urls: JekyllUrls, name: str) -> _JekyllSource | None:
    """A source; None for one that makes no page."""
    inner = name.removeprefix(urls.folder)
    post, item = _POST.fullmatch(inner), _ITEM.fullmatch(inner)
    forms = dict(urls.collections)
    if post is not None:
        around = post["around"] or ""
        form, path = forms["posts"], splitext(post["inner"])[0]
        found = _JekyllSource("posts", inner, f"{around}/{path}", form, tuple(filter(None, around.split("/"))))
        return found if _DATED.fullmatch(found.stem) else None
    if item is not None and item["name"] in forms:
        return _JekyllSource(item["name"], inner, splitext(item["inner"])[0], forms[item["name"]])
    form = "/:path/" if splitext(name)[0].rpartition("/")[2] == "index" else urls.pages
    return _JekyllSource("pages", name, name.rpartition("/")[0], form)


def _days(document: _JekyllSource, values: Mapping[str, Value]) -> Iterator[date]:
    """Yield the possible days of a document; none if they are not known."""
    dated = _DATED.fullmatch(document.stem)
    text = values.get("date", dated[1] if dated is not None else None)
    match = _DAY.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return
    try:
        day = date(*map(int, match.groups()[:3]))
        yield day
        if match["time"]:
            yield from (day - timedelta(1), day + timedelta(1))
    except (ValueError, OverflowError):  # no such day, or the first or last of all
        return


def _parts(day: date) -> dict[str, str]:
    """The placeholders for a day, with their texts."""
    year, week, number = day.isocalendar()
    month, name = _MONTHS[day.month - 1], _DAYS[number - 1]
    return {
        "year": f"{day.year:04}",
        "month": f"{day.month:02}",
        "day": f"{day.day:02}",
        "week": f"{week:02}",
        "i_month": f"{day.month}",
        "i_day": f"{day.day}",
        "y_day": f"{day.timetuple().tm_yday:03}",
        "short_year": f"{day.year % 100:02}",
        "w_year": f"{year:04}",
        "w_day": f"{number}",
        "long_month": month,
        "short_month": month[:3],
        "long_day": name,
        "short_day": name[:3],
    }


def _texts(document: _JekyllSource, values: Mapping[str, Value], sets: list[Mapping[str, Value]]) -> dict[str, str]:
    """The other placeholders for a document whose texts are certain, with these. `sets`: as in `_categories`."""
    dated = _DATED.fullmatch(document.stem)
    slug = values.get("slug", (dated[2] if dated is not None else document.stem).rstrip("."))
    categories = _categories(document, sets)
    found = {
        "collection": document.kind,
        "path": document.path,
        "output_ext": ".html",
        "name": _slug(document.stem).lower(),
    }
    if isinstance(slug, str):
        found |= {"title": _slug(slug, _IN_TITLES), "slug": _slug(slug).lower()}
    if categories is not None:
        slugs = [_slug(one).lower() for one in categories]
        names = ([one.lower() for one in categories], slugs)
        found |= {key: "/".join(dict.fromkeys(some)) for key, some in zip(_OF_CATEGORIES, names, strict=True)}
    return found


def _slug(text: str, kept: Collection[str] = ()) -> str:
    """A text as a part of a URL (`Utils.slugify`). `kept`: characters that stay besides letters and numbers."""
    marked = "".join(one if one in kept or category(one) in _KEPT else "\0" for one in text)
    return re.sub("\0+", "-", marked).removeprefix("-").removesuffix("-")


def _categories(document: _JekyllSource, sets: list[Mapping[str, Value]]) -> list[str] | None:
    """The categories of a document; None if they are not known. `sets`: those of `defaults`, and the front matter."""
    single = next((one for one in reversed(sets) if "category" in one), {})
    found = [*(_listed(one, "categories", None) for one in sets), _listed(single, "category", "\n")]
    known = [one for one in found if one is not None]
    return [*document.around, *(name for one in known for name in one)] if len(known) == len(found) else None


def _listed(values: Mapping[str, Value], key: str, separator: str | None) -> list[str] | None:
    """The texts of a list, or of a text with a separator, as in `str.split`; None if they are not known."""
    items = [name[len(key) + 1 :] for name in values if name.startswith(f"{key}/")]
    value = values.get(key, "")
    if items:
        return None if SPREAD in items else list(filter(None, items))
    return list(filter(None, value.split(separator))) if isinstance(value, str) else None


def _filled(template: str, texts: Mapping[str, str]) -> str:
    """The path of a form of URLs. A placeholder without a text stays, and stands for any text."""

    def text_of(match: re.Match[str]) -> str:
        name, end = match[1], ""
        if name not in texts and name.endswith("_"):
            name, end = name[:-1], "_"
        return texts[name] + end if name in texts else match[0]

    path = f"/{re.sub(':([a-z_]+)', text_of, template)}".replace("..", "/").replace("./", "")  # `URL.sanitize_url`
    return re.sub("//+", "/", path)
