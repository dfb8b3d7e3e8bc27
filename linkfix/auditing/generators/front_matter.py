"""The front matter of sources: the URLs that it gives a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from linkfix.auditing.generators.formats import Value, read_text
from linkfix.lazy import lazy_pattern

#: The number of bytes at the beginning of a source that are read: front matter that goes on after them is not known.
LARGEST = 1 << 13

#: The front matter between its marks, for YAML and for TOML.
_FORMS = (
    ("yaml", lazy_pattern(r"\ufeff?---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)),
    ("toml", lazy_pattern(r"\ufeff?\+\+\+[ \t]*\r?\n(.*?\n)?\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)),
)

#: The keys for the URL of a page, for its last segment, and for further URLs.
_URLS = ("permalink", "slug", "url")
_NAMES = ("id",)
_OTHERS = ("aliases", "redirect_from", "redirects", "redirect")

#: A list of texts in one line of TOML.
_LIST = lazy_pattern(r"(?m)^\s*(?:aliases|redirect_from)\s*=\s*\[([^\]\n]*)\]")
_TEXT = lazy_pattern(r"[\"']([^\"'\n]+)[\"']")


def urls_in(text: str) -> tuple[list[str], list[str]]:
    r"""The URLs that front matter gives a page, and the names that replace the last segment of its URL.

    A URL that begins without a slash is relative. A value with marks of a template is kept as it is.

    >>> urls_in("---\nid: b\nslug: /start\naliases:\n  - /old/\n---\n# Title\n")
    (['/start', '/old/'], ['b'])
    """
    for form, pattern in _FORMS:
        match = pattern.match(text)
        if match is not None:
            inner = match[1] or ""
            values = read_text(f"front.{form}", inner)
            names = [value for key in _NAMES if isinstance(value := values.get(key), str)]
            urls = [value for key in _URLS if isinstance(value := values.get(key), str)]
            return urls + list(_others(values, inner)), names
    return [], []


def _others(values: Mapping[str, Value], text: str) -> Iterator[str]:
    for key in _OTHERS:
        value = values.get(key)
        if isinstance(value, str):
            yield value
        yield from (name[len(key) + 1 :] for name in values if name.startswith(f"{key}/"))
    for match in _LIST.finditer(text):
        yield from _TEXT.findall(match[1])
