"""Tags in references that a site generator fills in: Jekyll's `link`, `post_url` and URL filters, Hugo's `ref`.

Known are those that name a source, or a path in the site. `{source}/` marks the name of a source in the reference that
is judged in place of such a tag.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from linkfix.lazy import lazy_pattern

#: The reason that a reference with another tag is not checked.
UNKNOWN_TAG = "with a tag of the site generator whose value is not known"

#: The mark of a reference that names a source.
SOURCE = "{source}/"

#: The longest reference in which a tag is read, in characters.
_LONGEST = 1000


class TemplateTag(NamedTuple):
    """A tag that is a whole reference but for its end."""

    kind: str
    """`source`: the name of a source; `post`: that of a post, without its suffix; `ref`: that of a page of Hugo;
    `path`: a path in the site.
    """
    text: str
    rest: str
    """The end of the reference: a query, a fragment, or more of a path."""


_SITE = r"(?:\{\{-?\s*site\.(?:url|baseurl)\s*-?\}\})"
_QUOTED = r"(?:'(?P<single>[^'{}]*)'|\"(?P<double>[^\"{}]*)\")"
_REST = r"(?P<rest>[^{}]*)"
_FILTERS = r"(?:relative_url|absolute_url|prepend:\s*site\.baseurl(?:\s*\|\s*prepend:\s*site\.url)?)"

#: The key of a generator -> the kinds of its tags, each with its form. https://jekyllrb.com/docs/liquid/,
#: https://gohugo.io/shortcodes/ref/, https://www.11ty.dev/docs/filters/url/
_TAGS = {
    "jekyll": (
        ("source", lazy_pattern(rf"{_SITE}*\{{%-?\s*link\s+(?P<bare>[^\s{{}}%]+)\s*-?%\}}{_REST}")),
        ("post", lazy_pattern(rf"{_SITE}*\{{%-?\s*post_url\s+/?(?P<bare>[^\s{{}}%]+)\s*-?%\}}{_REST}")),
        ("path", lazy_pattern(rf"\{{\{{-?\s*{_QUOTED}\s*\|\s*{_FILTERS}\s*-?\}}\}}{_REST}")),
        ("path", lazy_pattern(rf"{_SITE}+(?P<bare>)(?P<rest>(?:[/?#][^{{}}]*)?)")),
    ),
    "hugo": (("ref", lazy_pattern(rf"\{{\{{[<%]\s*(?:rel)?ref\s+{_QUOTED}\s*[>%]\}}\}}{_REST}")),),
    "eleventy": (("path", lazy_pattern(rf"\{{\{{-?\s*{_QUOTED}\s*\|\s*url\s*-?\}}\}}{_REST}")),),
}

#: The generators that fill tags in.
FILLING = frozenset(_TAGS)


def tag_of(site: str, reference: str) -> TemplateTag | None:
    """The tag that a reference begins with; None for another reference. `site`: the key of the generator.

    >>> tag_of("jekyll", "{% link _docs/a.md %}#part")
    TemplateTag(kind='source', text='_docs/a.md', rest='#part')
    """
    text = reference.strip()
    for kind, pattern in _TAGS.get(site, ()) if "{" in text and len(text) <= _LONGEST else ():
        if (match := pattern.fullmatch(text)) is not None:
            values = match.groupdict()
            rest = values.pop("rest")
            path, mark, fragment = next((one for one in values.values() if one is not None), "").partition("#")
            return TemplateTag(kind, path, mark + fragment + rest)
    return None


#: A tag in quotation marks in the value of an attribute that has the same marks.
_IN_VALUE = lazy_pattern(rb"""(?<==)("[^"<>{}]*+)(\{\{[^{}\n]*+\}\}|\{%[^{}%\n]*+%\})""")


def with_other_quotes(data: bytes) -> bytes:
    r"""The data of a page with other quotation marks in tags that are in a value: they are no end of the value.

    >>> with_other_quotes(b'<a href="{{ "/a/" | relative_url }}">')
    b'<a href="{{ \'/a/\' | relative_url }}">'
    """
    return _IN_VALUE.sub(lambda match: match[1] + match[2].replace(b'"', b"'"), data)


#: The key of a generator -> the blocks whose text is in no page, or is code there: the tags that begin one, with its
#: name, and the form of its end. The text of `raw` stays, but has no tags. https://jekyllrb.com/docs/liquid/tags/,
#: https://gohugo.io/shortcodes/highlight/
_BLOCKS = {
    "jekyll": (lazy_pattern(rb"\{%-?\s*(comment|highlight|raw)\b[^%]*%\}"), rb"\{%%-?\s*end%s\s*-?%%\}"),
    "eleventy": (lazy_pattern(rb"\{%-?\s*(comment|raw|verbatim)\b[^%]*%\}"), rb"\{%%-?\s*end%s\s*-?%%\}"),
    "hugo": (lazy_pattern(rb"\{\{[<%]\s*(comment|highlight)\b[^{}]*\}\}"), rb"\{\{[<%%]\s*/\s*%s\s*[>%%]\}\}"),
}
_KEPT = frozenset({b"raw", b"verbatim"})
_TEXT = lazy_pattern(rb"[^\r\n]+")


def without_blocks(site: str, data: bytes) -> bytes:
    r"""The data of a source with spaces for the blocks that are comments or code: their links are in no page.

    `site`: the key of the generator. A block without an end stays.

    >>> without_blocks("jekyll", b"{% comment %}[a](/b/){% endcomment %}c").lstrip(b"x")
    b'c'
    """
    begins, end_of = _BLOCKS[site]
    parts: list[bytes] = []
    at, unclosed = 0, set()
    while (begin := begins.search(data, at)) is not None:
        end = re.compile(end_of % begin[1]).search(data, begin.end()) if begin[1] not in unclosed else None
        if end is None:
            unclosed.add(begin[1])
        stop = begin.end() if end is None else end.end()
        is_kept = end is None or begin[1] in _KEPT
        parts.append(data[at:stop] if is_kept else data[at : begin.start()] + _blank(data, begin.start(), stop))
        at = stop
    return b"".join((*parts, data[at:])) if parts else data


def _blank(data: bytes, start: int, end: int) -> bytes:
    """Spaces for a part of the data, and letters before other text on its last line: there, spaces would mark code."""
    spaces = _TEXT.sub(lambda match: b" " * len(match[0]), data[start:end])
    last = max(spaces.rfind(b"\n"), spaces.rfind(b"\r")) + 1
    is_indent = last or _AT_LINE.search(data, max(0, start - _INDENT), start)
    return spaces[:last] + spaces[last:].replace(b" ", b"x") if is_indent and _BEFORE_TEXT.match(data, end) else spaces


#: The beginning of a line, and text on the rest of one.
_AT_LINE = lazy_pattern(rb"(?:\A|[\r\n])[ \t]*\Z")
_BEFORE_TEXT = lazy_pattern(rb"[ \t]*+[^\s]")
_INDENT = 8
