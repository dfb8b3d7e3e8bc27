"""The front matter of sources: the URLs that it gives a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from posixpath import splitext

from linkfix.auditing.generators.formats import Value, read_text
from linkfix.lazy import lazy_pattern

#: The number of bytes at the beginning of a source that are read: front matter that goes on after them is not known.
LARGEST = 1 << 13

#: The front matter between its marks, by its form.
_FORMS = (
    ("yaml", lazy_pattern(r"\ufeff?---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)),
    ("json", lazy_pattern(r"\ufeff?---json[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)),
    ("js", lazy_pattern(r"\ufeff?---(?:js|javascript)[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)),
    ("toml", lazy_pattern(r"\ufeff?\+\+\+[ \t]*\r?\n(.*?\n)?\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)),
)

#: The keys for the URL of a page, for its last segment, and for further URLs.
_URLS = ("permalink", "slug", "url", "eleventyComputed/permalink")
_NAMES = ("id",)
_OTHERS = ("aliases", "redirect_from", "redirects", "redirect")

#: A list of texts in one line of TOML.
_LIST = lazy_pattern(r"(?m)^\s*(?:aliases|redirect_from)\s*=\s*\[([^\]\n]*)\]")
_TEXT = lazy_pattern(r"[\"']([^\"'\n]+)[\"']")


def urls_in(text: str) -> tuple[list[str], list[str], list[str]]:
    r"""The URLs that front matter gives a page, further URLs, and the names that replace the last segment of its URL.

    A URL that begins without a slash is relative. A value with marks of a template is kept as it is.

    >>> urls_in("---\nid: b\nslug: /start\naliases:\n  - /old/\n---\n# Title\n")
    (['/start'], ['/old/'], ['b'])
    """
    values, inner = settings_in(text)
    names = [value for key in _NAMES if isinstance(value := values.get(key), str)]
    urls = [value for key in _URLS if isinstance(value := values.get(key), str)]
    return urls, list(_others(values, inner)), names


#: A URL that a generator takes as it is: without placeholders, and no number, date or style of Jekyll.
_LITERAL = lazy_pattern(
    r"(?!(?:pretty|date|none|ordinal|weekdate)\Z)(?:/|/?(?:(?<=/)[0-9]|[A-Za-z])[\w.-]*(?:/[\w.-]+)*/?)", re.ASCII
)


#: The title as Eleventy's own filters write it into a URL, and the titles that both write the same way.
_SLUG_OF_TITLE = lazy_pattern(r"\{\{-?\s*title\s*\|\s*slug(?:ify)?\s*-?\}\}")
_WORDS = lazy_pattern(r"(?=.*[A-Za-z])[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*")


def own_url(keys: Iterable[str], text: str) -> tuple[str, str]:
    r"""The URL that front matter gives a page in place of that of its file, with its key; "" for both if there is none.

    `keys`: those of the generator, the strongest first. A value that is not certain counts as none.

    >>> own_url(("url", "slug"), "---\nslug: second\n---\n"), own_url(("permalink",), "---\npermalink: /:title/\n---\n")
    (('slug', 'second'), ('', ''))
    """
    values, _ = settings_in(text)
    key = next((one for one in keys if one in values), "")
    value = values.get(key)
    title = values.get("title")
    if isinstance(value, str) and isinstance(title, str) and _WORDS.fullmatch(title):
        value = _SLUG_OF_TITLE.sub(title.lower().replace(" ", "-"), value)
    is_certain = isinstance(value, str) and _LITERAL.fullmatch(value) and "eleventyComputed" not in values
    return (key, value) if is_certain and isinstance(value, str) else ("", "")


@lru_cache(maxsize=1)  # each function here asks for that of one source in turn
def settings_in(text: str) -> tuple[Mapping[str, Value], str]:
    """The settings of front matter, and its text."""
    for form, pattern in _FORMS:
        match = pattern.match(text)
        if match is not None:
            inner = match[1] or ""
            # Eleventy reads an object of JavaScript.
            return read_text(f"front.{form}", f"export default {inner}" if form == "js" else inner), inner
    return {}, ""


#: A name that generators put into a URL as it is; a title of such names; and a date.
_PLAIN = lazy_pattern(r"(?!\d{4}-\d)[a-z0-9]+(?:[-/][a-z0-9]+)*")
_TITLE = lazy_pattern(r"(?m)^title[ \t]*[:=][ \t]*([\"']?)([A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*)\1[ \t]*\r?$")
_DAY = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)")


def filled(template: str, path: str, text: str, *, has_titles: bool) -> str:
    r"""The path of a page by a template of settings. A placeholder whose text is not certain stays as it is.

    `path`: the source, from the folder of sources. `text`: its beginning. `has_titles`: whether a page without a
    `slug` has its title there.

    >>> filled("/:year/:slug/", "posts/one.md", "---\ndate: 2024-01-02\n---\n", has_titles=True)
    '/2024/:slug/'
    """
    values, inner = settings_in(text)
    title = _TITLE.search(inner) if has_titles else None
    titled = title[2].replace(" ", "-") if title is not None else None
    name = splitext(path)[0].rpartition("/")[2]
    slug = values.get("slug")
    date = _DAY.fullmatch(written) if isinstance(written := values.get("date"), str) else None
    texts = {
        **(dict(zip(("year", "month", "day"), date.groups(), strict=True)) if date is not None else {}),
        **dict.fromkeys(("name", "filename", "contentbasename"), name),
        **dict.fromkeys(("slugorfilename", "slugorcontentbasename"), slug or name),
        **dict.fromkeys(("section", "collection"), path.partition("/")[0]),
        "path": splitext(path)[0].partition("/")[2],
        "slug": slug or titled,
        "title": titled,
    }

    def text_of(match: re.Match[str]) -> str:
        found = texts.get(match[1])
        if not isinstance(found, str) or found in _INDEXES:
            return match[0]
        plain = found.lower() if has_titles else found
        return plain if _PLAIN.fullmatch(plain) else match[0]

    return re.sub(r":(\w+)", text_of, template)


#: The names of a folder's source, whose page has the name of the folder.
_INDEXES = frozenset({"index", "_index"})


def _others(values: Mapping[str, Value], text: str) -> Iterator[str]:
    for key in _OTHERS:
        value = values.get(key)
        if isinstance(value, str):
            yield value
        yield from (name[len(key) + 1 :] for name in values if name.startswith(f"{key}/"))
    for match in _LIST.finditer(text):
        yield from _TEXT.findall(match[1])
