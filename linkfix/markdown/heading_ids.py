"""The IDs that programs generate for the headings of a Markdown page, with one scheme for each family of programs.

`github`: GitHub, and the many tools that follow it. `gitlab`: GitLab. `bitbucket`: Bitbucket Cloud. `mkdocs`: the
extension "toc" of Python-Markdown, with "attr_list". `pandoc`: Pandoc's `auto_identifiers`. `vitepress`: VitePress and
VuePress. `any`: the IDs of all schemes, for a tree whose builder is not known. The same schemes have the IDs of
footnotes.

Programs also differ in wikilinks, such as `[[Page#Heading]]`: in the order of their parts, and in names that are alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

_SHORTCODE = lazy_pattern(r":[a-z0-9_+-]+:")
_NOT_WORD = lazy_pattern(r"[^\w -]", re.ASCII)
_HYPHENS = lazy_pattern(r"--+")
_ICON = lazy_pattern(r":(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:")
_NOT_MKDOCS = lazy_pattern(r"[^\w\s-]")
_MKDOCS_GAP = lazy_pattern(r"[-\s]+")
_MKDOCS_COUNT = lazy_pattern(r"([^\n]*)_([0-9]{1,18})")
_NOT_PANDOC = lazy_pattern(r"[^\w.\s-]")
_PANDOC_SMART = lazy_pattern(r"---?|\.\.\.")
_VITEPRESS_LEFT_OUT = lazy_pattern(r"[\u0300-\u036f\x00-\x1f]+")
_VITEPRESS_GAP = lazy_pattern(
    r"[ \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    r"~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'\u201c\u201d\u2018\u2019<>,.?/]+"
)


#: The symbols that Unicode counts as alphabetic: letters in circles and squares.
_LETTERS_IN_FRAMES = (
    range(0x24B6, 0x24EA),
    range(0x1F130, 0x1F14A),
    range(0x1F150, 0x1F16A),
    range(0x1F170, 0x1F18A),
)


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


class PageIds(NamedTuple):
    """The IDs of a page's headings under a scheme."""

    ids: set[str]
    disputed: set[str]
    """The IDs that not every program of the scheme makes. An explicit ID is not disputed."""
    not_at_github: set[str]
    """The IDs that GitHub does not make, if it is one of these programs."""
    explicit: dict[str, str]
    """The ID that a heading would have without its explicit one -> the explicit ID."""


def heading_ids(
    headings: Iterable[Heading],
    scheme: str,
    used: Iterable[str] = (),
    footnotes: Mapping[str, int] = {},
    mark: str = ":",
) -> PageIds:
    """The IDs of a page's headings and footnotes under a scheme. `headings`: in document order.

    `used`: IDs in the page's attributes. `footnotes`: as in `linkfix.markdown.page.MarkdownPage`. `mark`: the text that
    Python-Markdown has between `fn` and the label. The IDs of footnotes are disputed, since they need an extension.

    >>> sorted(heading_ids([Heading("What's new?", "What's new?", "What's new?")] * 2, "github").ids)
    ['whats-new', 'whats-new-1']
    """
    listed = list(headings)
    taken = set(used)
    makers = _SCHEMES[scheme]
    found = {maker: set(maker(_known_to(maker, listed), taken)) for maker in makers}
    ids: set[str] = set().union(*found.values())
    judges = [made for maker, made in found.items() if maker not in _NO_JUDGES or len(makers) == 1]
    named = [heading for heading in listed if heading.explicit_id and reads_attributes(scheme)]
    disputed = ids.difference(ids.intersection(*judges), (heading.explicit_id for heading in named))
    explicit: dict[str, str] = {}
    for heading in named:
        bare = heading._replace(raw_text=heading.text, explicit_id="")
        for one in {one for maker in makers for one in maker([bare], set())} - ids:
            explicit.setdefault(one, heading.explicit_id)
    github = ids if _github not in found else found[_github] | found[_github_pictures]
    notes = {maker: set(maker(footnotes, mark)) for maker in _FOOTNOTES.get(scheme, ()) if footnotes}
    added = {one for some in notes.values() for one in some} - ids
    return PageIds(ids | added, disputed | added, (ids | added) - github - notes.get(_github_notes, set()), explicit)


def reads_attributes(scheme: str) -> bool:
    """Whether a program of a scheme reads IDs in attributes: `{#name}`. For others, attributes are text."""
    return not _WITH_ATTRIBUTES.isdisjoint(_SCHEMES[scheme])


def _known_to(maker: Callable[[list[Heading], set[str]], Iterator[str]], headings: list[Heading]) -> list[Heading]:
    """The headings that a maker of IDs knows as headings."""
    foreign = "commonmark" if maker in {_mkdocs, _bitbucket} else "mkdocs"
    return [heading for heading in headings if heading.dialect != foreign]


def _github(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield GitHub's IDs, as the package github-slugger has found them out."""
    return _numbered(_words(heading.raw_text) for heading in headings)


def _github_pictures(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield GitHub's IDs if it shows an emoji's shortcode as a picture. Other tools keep its name."""
    return _numbered(_words(_without_shortcodes(heading.raw_text)) for heading in headings)


def _without_shortcodes(text: str) -> str:
    return _SHORTCODE.sub("", text) if ":" in text else text


def _gitlab(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield the IDs of GitLab from 17.0 on: those of the parser comrak (`Anchorizer`)."""
    return _numbered(_words(_with_alternatives(heading).replace("\n", " "), digits="N") for heading in headings)


def _gitlab_16(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield the IDs of GitLab before 17.0: `Gitlab::Utils::Markdown.string_to_anchor`."""
    counts: Counter[str] = Counter()
    for heading in headings:
        plain = _words(_without_shortcodes(heading.raw_text).strip())
        plain = _HYPHENS.sub("-", plain) if "--" in plain else plain
        one = f"anchor-{plain}" if plain.isdecimal() and plain.isascii() else plain
        yield f"{one}-{counts[one]}" if counts[one] else one
        counts[one] += 1


def _with_alternatives(heading: Heading) -> str:
    """The text of a heading with the alternative text of images, and with its attributes, which are text on hosts."""
    return heading.with_images + heading.raw_text[len(heading.text) :]


def _bitbucket(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield the IDs of Bitbucket Cloud: those of Python-Markdown after a prefix, and attributes are text."""
    plain = [one._replace(text=one.raw_text, explicit_id="") if one.text != one.raw_text else one for one in headings]
    return (f"markdown-header-{one}" for one in _mkdocs(plain, set()))


def _numbered(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts, those that were there before with a number."""
    counts: dict[str, int] = {}
    for plain in texts:
        one = plain
        while one in counts:
            counts[plain] += 1
            one = f"{plain}-{counts[plain]}"
        counts[one] = 0
        yield one


@lru_cache(maxsize=1024)  # several programs make an ID of one text
def _words(text: str, *, digits: str = "") -> str:
    """A text in lower case without punctuation, with hyphens for spaces.

    `digits`: the Unicode category of numbers that count as letters, besides Nd and Nl.
    """
    lower = text.lower()
    if lower.isascii():
        return _NOT_WORD.sub("", lower).replace(" ", "-")
    return "".join(c for c in lower if c in " -" or _is_word(c, digits)).replace(" ", "-")


def _is_word(character: str, digits: str) -> bool:
    """Whether a character is a letter, mark, digit or connector (the Unicode property "Word")."""
    category = unicodedata.category(character)
    if category[0] in "LM" or category in {"Nd", "Nl", "Pc"} or category[0] == digits:
        return True
    return category == "So" and not digits and any(ord(character) in some for some in _LETTERS_IN_FRAMES)


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
    if not any(":" in heading.text for heading in headings):
        yield from _mkdocs_ids(headings, used)
        return
    bare = [heading._replace(text=_ICON.sub("", heading.text)) for heading in headings]
    yield from _mkdocs_ids(bare, used)
    if any(_SHORTCODE.search(heading.text) for heading in bare):
        yield from _mkdocs_ids([one._replace(text=_SHORTCODE.sub("", one.text)) for one in bare], used)


@lru_cache(maxsize=1024)  # two programs make an ID of one text
def _mkdocs_words(text: str) -> str:
    """A text in ASCII and lower case without punctuation, with hyphens for white space."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return _MKDOCS_GAP.sub("-", _NOT_MKDOCS.sub("", ascii_text).strip().lower())


def _mkdocs_ids(headings: list[Heading], used: set[str]) -> Iterator[str]:
    numbered = _NumberedIds(used, "_")
    taken = numbered.taken
    taken.update(heading.explicit_id for heading in headings if heading.explicit_id)
    for heading in headings:
        if heading.explicit_id:
            yield heading.explicit_id
            continue
        one = _mkdocs_words(heading.text)
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
            lower = _smart(heading).lower()
            kept = _NOT_PANDOC.sub("", lower) if lower.isascii() else "".join(filter(_is_kept, lower))
            one = "-".join(kept.split())
            one = (one if one[:1].isalpha() else one.lstrip(_not_letters(kept))) or "section"
            if one in numbered.taken:
                one = numbered.first(one, 1)
        numbered.taken.add(one)
        yield one


def _github_smart(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield the IDs of kramdown, which Jekyll has, and of mdBook: GitHub's after the replacement of hyphens."""
    smart = (_smart(heading._replace(with_images=heading.text)) for heading in headings)
    return (
        heading.explicit_id or one
        for heading, one in zip(headings, _numbered(_words(text) for text in smart), strict=True)
    )


def _vitepress(headings: list[Heading], _used: set[str]) -> Iterator[str]:
    """Yield the IDs of VitePress: `slugify` of @mdit-vue/shared and `uniqueSlug` of markdown-it-anchor.

    The shortcode of an emoji leaves nothing. Any other leaves its name.
    """
    yield from _vitepress_ids(headings)
    if any(_SHORTCODE.search(heading.text) for heading in headings if ":" in heading.text):
        yield from _vitepress_ids([one._replace(text=_SHORTCODE.sub("", one.text)) for one in headings])


def _vitepress_ids(headings: list[Heading]) -> Iterator[str]:
    numbered = _NumberedIds((), "-")
    for heading in headings:
        one = heading.explicit_id or _vitepress_words(heading.text)
        if one in numbered.taken and not heading.explicit_id:
            one = numbered.first(one, 1)
        numbered.taken.add(one)
        yield one


def _vitepress_words(text: str) -> str:
    """A text in lower case without accents, with hyphens for punctuation and spaces, and "_" before a first digit."""
    plain = _VITEPRESS_LEFT_OUT.sub("", unicodedata.normalize("NFKD", text))
    one = _VITEPRESS_GAP.sub("-", plain).strip("-")
    return ("_" + one if one[:1].isascii() and one[:1].isdigit() else one).lower()


def _smart(heading: Heading) -> str:
    """The text of a heading with "--", "---" and "..." replaced by one punctuation mark, except in code spans."""
    text = heading.with_images
    if "--" not in text and "..." not in text:
        return text
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


#: A function that yields the headings' IDs, given the IDs in the page's attributes.
_Maker = Callable[[list[Heading], set[str]], Iterator[str]]

#: The programs that read a heading's ID from the attributes at its end.
_WITH_ATTRIBUTES = frozenset({_mkdocs, _pandoc, _vitepress})

#: The programs of `any` without which the others may agree on an ID.
_NO_JUDGES = frozenset({_bitbucket, _github_smart, _vitepress})

#: The name of a scheme -> the programs, or versions of one, that may make the page.
_SCHEMES: Mapping[str, tuple[_Maker, ...]] = {
    "github": (_github, _github_pictures),
    "gitlab": (_gitlab, _gitlab_16),
    "bitbucket": (_bitbucket,),
    "mkdocs": (_mkdocs,),
    "pandoc": (_pandoc,),
    "vitepress": (_vitepress,),
    "any": (
        *(_github, _github_pictures, _github_smart, _gitlab, _gitlab_16),
        *(_bitbucket, _mkdocs, _pandoc, _vitepress),
    ),
}


def _github_notes(footnotes: Mapping[str, int], _mark: str) -> Iterator[str]:
    """Yield the IDs of cmark-gfm, and those of remark, which has labels in lower case."""
    for written, count in footnotes.items():
        for label in {written, written.lower()} if count else ():
            yield f"fn-{label}"
            yield f"fnref-{label}"
            yield from (f"fnref-{label}-{number}" for number in range(2, count + 1))


def _mkdocs_notes(footnotes: Mapping[str, int], mark: str) -> Iterator[str]:
    """Yield the IDs of Python-Markdown's extension "footnotes"."""
    for label, count in footnotes.items():
        yield f"fn{mark}{label}"
        yield from (f"fnref{number if number > 1 else ''}{mark}{label}" for number in range(1, count + 1))


def _pandoc_notes(footnotes: Mapping[str, int], _mark: str) -> Iterator[str]:
    """Yield Pandoc's IDs. Each reference has a footnote of its own."""
    for number in range(1, sum(footnotes.values()) + 1):
        yield f"fn{number}"
        yield f"fnref{number}"


def _other_notes(footnotes: Mapping[str, int], _mark: str) -> Iterator[str]:
    """Yield the IDs of kramdown, which Jekyll has, and of goldmark, which Hugo has."""
    for place, (label, count) in enumerate(footnotes.items(), 1):
        yield from (f"fnref:{label}:{number}" for number in range(1, count))
        yield f"fn:{place}"
        yield from (f"fnref{number or ''}:{place}" for number in range(count))


#: The name of a scheme -> the functions that yield the IDs of footnotes. On GitLab, they end in a random number.
_FOOTNOTES: Mapping[str, tuple[Callable[[Mapping[str, int], str], Iterator[str]], ...]] = {
    "github": (_github_notes,),
    "mkdocs": (_mkdocs_notes,),
    "pandoc": (_pandoc_notes,),
    "any": (_github_notes, _mkdocs_notes, _pandoc_notes, _other_notes),
}


# Wikilinks: `[[Page]]`, `[[Page|Label]]`, `[[Page#Heading]]`, `![[image.png]]`.


#: The punctuation that Obsidian does not compare in headings (`stripHeading` of its API).
_NOT_COMPARED = lazy_pattern(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")

#: The characters that Obsidian leaves out of a heading in a link (`stripHeadingForLink` of its API).
_NOT_LINKED = lazy_pattern(r"(?:[:#|^\\\s]|%%|\[\[|\]\])+")

_UNDERLINE = lazy_pattern(r"\n[ \t>]*+(?:-++|=++)\s*+\Z")

_MARKS = lazy_pattern(r"[ \t]*+#{1,6}[ \t]++")


def names_of_heading(heading: Heading, source: str) -> set[str]:
    """The fragments for a heading in a program that looks for its text. Those of wikilinks begin with "#".

    `source`: the heading in Markdown, in which Obsidian keeps the destinations of links.

    >>> sorted(names_of_heading(Heading("What's new?", "", ""), "## What's *new*?"))
    ["#what's new", "What's *new*?", "What's new?"]
    """
    bare = _MARKS.sub("", _UNDERLINE.sub("", source), count=1).strip()
    texts = {heading.text.strip(), bare}
    links = {heading.text.strip(), *(_NOT_LINKED.sub(" ", text).strip() for text in texts)}
    return {_compared(text) for text in texts} | links


def names_of_block(block: str) -> set[str]:
    """The fragments for a block with an ID, in wikilinks and in links of Markdown."""
    return {f"#^{block.lower()}", f"^{block}", f"^{block.lower()}"}


def _compared(text: str) -> str:
    return "#" + _NOT_COMPARED.sub(" ", text).strip().casefold()


def _text_fragment(text: str) -> str:
    """The fragment for the text of a heading, or for a block's ID after "^". Of several headings, the last counts."""
    last = text.rpartition("#")[2].strip()
    return f"#{last.lower()}" if last.startswith("^") else _compared(last)


def _quartz_fragment(text: str) -> str:
    last = text.rpartition("#")[2].strip()
    return f"#{last.lower()}" if last.startswith("^") else _words(last)


def _mkdocs_fragment(text: str) -> str:
    return _HYPHENS.sub("-", _words(text.strip()))


#: The suffixes of pages in wikis, and those of Gollum (`Gollum::Markup.formats`).
_NOTES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
_OF_GOLLUM = (".asciidoc", ".adoc", ".creole", ".mediawiki", ".mkdn", ".org", ".pod", ".rdoc", ".rest", ".rst")


class Wiki(NamedTuple):
    """The rules of a program for wikilinks."""

    fragment: Callable[[str], str]
    """A function from the text after "#" to the fragment."""
    alike: Mapping[int, str | None] = {}
    """The characters of names that stand for others, or that do not count, for `str.translate`."""
    label_first: bool = False
    """Whether the label is before the page: `[[Label|Page]]`."""
    suffixes: tuple[str, ...] | None = _NOTES
    """The suffixes that a link may leave out; None for all."""
    reads_links: bool = False
    """Whether Markdown links, too, find a file by its name, and a heading by its text."""
    has_comments: bool = False
    """Whether `%%` begins and ends a comment, and `$` or `$$` math."""
    shows_folders: bool = False
    """Whether a folder has a page, made of its files."""


#: The choices of the option `wikilinks` -> their rules.
WIKIS: Mapping[str, Wiki] = {
    "obsidian": Wiki(_text_fragment, reads_links=True, has_comments=True),
    "quartz": Wiki(_quartz_fragment, {ord(" "): "-"}, reads_links=True, has_comments=True, shows_folders=True),
    "github": Wiki(str.strip, {ord(" "): "-"}, label_first=True, suffixes=_NOTES + _OF_GOLLUM + (".textile", ".wiki")),
    "mkdocs": Wiki(_mkdocs_fragment, dict.fromkeys(map(ord, " -_")), suffixes=None),
}

#: The content of double brackets that is no link in Gollum and GitLab: a table of contents, and the end of a float.
_NO_LINK = frozenset({"_TOC_", "_"})

_PICTURE = lazy_pattern(r"(?i).+\.(?:avif|bmp|gif|ico|jpe?g|png|svg|webp)\s*")


def wikilink_target(text: str, wiki: Wiki) -> tuple[int, int] | None:
    r"""The span of the page in the text between the brackets; None if the text is no link.

    In a table, a backslash is before the bar. With the label first, options may follow a picture: `[[a.png|width=9]]`.

    >>> wikilink_target(r"Page\|Label", WIKIS["obsidian"]), wikilink_target("Label|Page", WIKIS["github"])
    ((0, 4), (6, 10))
    """
    start, end = 0, text.find("|")
    end = len(text) if end < 0 else end
    if wiki.label_first and end < len(text) and not _PICTURE.fullmatch(text[:end]):
        start = end + 1
        end = text.find("|", start)
        end = len(text) if end < 0 else end
    elif wiki.label_first and text.startswith("include:"):
        start = len("include:")
    if end < len(text):
        end -= text[start:end].endswith("\\")
    target = text[start:end]
    if not target.strip() or "\n" in target or "\r" in target or (wiki.label_first and text in _NO_LINK):
        return None
    return start + len(target) - len(target.lstrip()), start + len(target.rstrip())
