"""The IDs that programs generate for the headings of a Markdown page, with one scheme for each family of programs.

`github`: GitHub, and the many tools that follow it. `mkdocs`: the extension "toc" of Python-Markdown, with "attr_list".
`pandoc`: Pandoc's `auto_identifiers`. `any`: the IDs of all schemes, for a tree whose builder is not known.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

_SHORTCODE = lazy_pattern(r":[a-z0-9_+-]+:")
_ICON = lazy_pattern(r":(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:")
_NOT_MKDOCS = lazy_pattern(r"[^\w\s-]")
_MKDOCS_GAP = lazy_pattern(r"[-\s]+")
_MKDOCS_COUNT = lazy_pattern(r"([^\n]*)_([0-9]{1,18})")
_PANDOC_SMART = lazy_pattern(r"---?|\.\.\.")


class Heading(NamedTuple):
    """The texts of a heading, from its inline tokens."""

    text: str
    """The heading's text without markup, without attributes at its end, and without the alternative text of images."""
    raw_text: str
    """`text` with the attributes at its end, which GitHub treats as text."""
    with_images: str
    """`text` with the alternative text of images."""
    explicit_id: str = ""
    """The ID in the attributes at the heading's end: `{#name}`, `{: #name }`."""
    literals: tuple[str, ...] = ()
    """The heading's code spans, in which no punctuation is replaced."""
    dialect: str = ""
    """"mkdocs" for a heading that only Python-Markdown knows, "commonmark" for one that it does not know."""


def heading_ids(headings: Iterable[Heading], scheme: str, used: Iterable[str] = ()) -> set[str]:
    """The IDs of a page's headings under a scheme. `headings`: in document order. `used`: IDs in the page's attributes.

    >>> sorted(heading_ids([Heading("What's new?", "What's new?", "What's new?")] * 2, "github"))
    ['whats-new', 'whats-new-1']
    """
    listed = list(headings)
    taken = set(used)
    found: set[str] = set()
    for name in _SCHEMES if scheme == "any" else (scheme,):
        foreign = "commonmark" if name == "mkdocs" else "mkdocs"
        found.update(_SCHEMES[name]([heading for heading in listed if heading.dialect != foreign], taken))
    return found


def _github(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield GitHub's IDs, as the package github-slugger has found them out.

    GitHub shows an emoji's shortcode as a picture, and other tools keep its name: both IDs count.
    """
    yield from _github_ids(heading.raw_text for heading in headings)
    if any(_SHORTCODE.search(heading.raw_text) for heading in headings):
        yield from _github_ids(_SHORTCODE.sub("", heading.raw_text) for heading in headings)


def _github_ids(texts: Iterable[str]) -> Iterator[str]:
    counts: dict[str, int] = {}
    for text in texts:
        plain = one = "".join(c for c in text.lower() if c in " -" or _is_word(c)).replace(" ", "-")
        while one in counts:
            counts[plain] += 1
            one = f"{plain}-{counts[plain]}"
        counts[one] = 0
        yield one


def _is_word(character: str) -> bool:
    """Whether a character is a letter, mark, digit or connector (the Unicode property "Word")."""
    category = unicodedata.category(character)
    return category[0] in "LM" or category in {"Nd", "Nl", "Pc"} or (category == "So" and character.isalpha())


class _NumberedIds:
    """Unique IDs with a number. The search for the next free ID stays fast if many IDs are taken."""

    def __init__(self, taken: Iterable[str], separator: str) -> None:
        self.taken = set(taken)
        self._separator = separator
        #: A base and a taken number -> a greater number; all numbers between them are taken.
        self._next: dict[tuple[str, int], int] = {}

    def first(self, base: str, number: int) -> str:
        """The first free ID with `base` and a number of at least `number`."""
        passed = []
        while (one := f"{base}{self._separator}{number}") in self.taken:
            passed.append((base, number))
            number = self._next.get((base, number), number + 1)
        for key in passed:
            self._next[key] = number
        return one


def _mkdocs(headings: list[Heading], used: set[str]) -> Iterator[str]:
    """Yield Python-Markdown's IDs: `markdown.extensions.toc.slugify` and `unique`.

    The shortcode of an icon leaves nothing. That of an emoji leaves its name, unless an extension shows emoji.
    """
    bare = [heading._replace(text=_ICON.sub("", heading.text)) for heading in headings]
    yield from _mkdocs_ids(bare, used)
    if any(_SHORTCODE.search(heading.text) for heading in bare):
        yield from _mkdocs_ids([one._replace(text=_SHORTCODE.sub("", one.text)) for one in bare], used)


def _mkdocs_ids(headings: list[Heading], used: set[str]) -> Iterator[str]:
    numbered = _NumberedIds(used, "_")
    taken = numbered.taken
    taken.update(heading.explicit_id for heading in headings if heading.explicit_id)
    for heading in headings:
        if heading.explicit_id:
            yield heading.explicit_id
            continue
        ascii_text = unicodedata.normalize("NFKD", heading.text).encode("ascii", "ignore").decode("ascii")
        one = _MKDOCS_GAP.sub("-", _NOT_MKDOCS.sub("", ascii_text).strip().lower())
        if one in taken or not one:
            count = _MKDOCS_COUNT.fullmatch(one)
            one = numbered.first(count[1], int(count[2]) + 1) if count else numbered.first(one, 1)
        taken.add(one)
        yield one


def _pandoc(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield Pandoc's IDs, by "Extension: auto_identifiers" of its manual, after its extension "smart"."""
    numbered = _NumberedIds((), "-")
    for heading in headings:
        one = heading.explicit_id
        if not one:
            kept = "".join(filter(_is_kept, _smart(heading).lower()))
            one = "-".join(kept.split()).lstrip(_not_letters(kept)) or "section"
            if one in numbered.taken:
                one = numbered.first(one, 1)
        numbered.taken.add(one)
        yield one


def _smart(heading: Heading) -> str:
    """The text of a heading with "--", "---" and "..." replaced by one punctuation mark, except in code spans."""
    text = heading.with_images
    pieces = []
    end = 0
    for literal in heading.literals:
        start = text.find(literal, end)
        if start >= 0:
            pieces += [_PANDOC_SMART.sub("\u2014", text[end:start]), literal]
            end = start + len(literal)
    return "".join(pieces) + _PANDOC_SMART.sub("\u2014", text[end:])


def _is_kept(character: str) -> bool:
    return character.isalnum() or character in "_-." or character.isspace()


def _not_letters(text: str) -> str:
    """The hyphen and the characters of a text that are not letters, for `str.lstrip`."""
    return "-" + "".join({c for c in text if not c.isalpha()})


#: The name of a scheme -> the function that yields the headings' IDs.
_SCHEMES: Mapping[str, Callable[[list[Heading], set[str]], Iterator[str]]] = {
    "github": _github,
    "mkdocs": _mkdocs,
    "pandoc": _pandoc,
}
