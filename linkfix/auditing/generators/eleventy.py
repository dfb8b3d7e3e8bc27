"""The settings of Eleventy that calls and data files have: copied folders, and the URLs of the pages of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname, splitext

from linkfix.auditing.generators.formats import read_text
from linkfix.lazy import lazy_pattern

#: A comment, or a call that copies files to other places; a pair of its object: a folder or a file, and its place.
_COPY = lazy_pattern(r"(?<!:)//.*|\baddPassthroughCopy\(\s*\{([^{}]*)\}")
_PAIR = lazy_pattern(r"([\"'`]?)([^\"'`\n:,{}*]+)\1\s*:\s*([\"'`])([^\"'`\n*$]*)\3")

#: The names of the data files of a folder, after its own name.
_DATA = (".json", ".11tydata.json", ".11tydata.js", ".11tydata.cjs", ".11tydata.mjs")

#: The name of a source without its date, in a permalink.
_SLUG = lazy_pattern(r"\{\{-?\s*page\.fileSlug\s*-?\}\}")
_STEM = lazy_pattern(r"\{\{-?\s*page\.filePathStem\s*-?\}\}")
_DATE = lazy_pattern(r"\A\d{4}-\d{1,2}-\d{1,2}-")

#: A permalink whose text is not known.
UNKNOWN = "{{ permalink }}"


def copied_folders(text: str) -> Iterator[tuple[str, str]]:
    """Yield the folders and files that settings copy to other places, without slashes at their ends, and the places.

    >>> list(copied_folders('c.addPassthroughCopy({"src/static": "/", "img": "pics/"});'))
    [('src/static', ''), ('img', 'pics')]
    """
    for call in _COPY.finditer(text):
        for pair in _PAIR.finditer(call[1] or ""):
            yield pair[2].strip().strip("/").removeprefix("./"), pair[4].strip("/").removeprefix("./")


def is_data_file(inner: str) -> bool:
    """Whether a file has the data of all sources in its folder: `posts/posts.json`."""
    folder, _, last = inner.rpartition("/")
    return last in {folder.rpartition("/")[2] + end for end in _DATA} if folder else False


def permalink_in(name: str, text: str) -> str | None:
    """The permalink that a data file gives the sources in its folder: None for none, `UNKNOWN` for an unknown one."""
    values = read_text(f"data{splitext(name)[1]}", text)
    value = values.get("permalink")
    if isinstance(value, str):
        return value
    return UNKNOWN if "permalink" in text and value is not False else None


def permalink_of(permalinks: Mapping[str, str], inner: str) -> str | None:
    """The permalink that data files give a source, with its name filled in; None for none.

    `permalinks`: the name of a folder -> its permalink. The innermost counts.

    >>> permalink_of({"posts": "/blog/{{ page.fileSlug }}/"}, "posts/2024/2024-01-02-one.md")
    '/blog/one/'
    """
    folder = dirname(inner)
    while folder and folder not in permalinks:
        folder = dirname(folder)
    if not folder:
        return None
    stem = splitext(inner)[0]
    above, _, last = stem.rpartition("/")
    slug = _DATE.sub("", above.rpartition("/")[2] if last == "index" else last)
    return _STEM.sub(lambda _: f"/{stem}", _SLUG.sub(lambda _: slug, permalinks[folder]))
