"""Tags in references that a site generator fills in: Jekyll's `link`, `post_url` and URL filters, Hugo's `ref`.

Known are those that name a source, or a path in the site. `{source}/` marks the name of a source in the reference that
is judged in place of such a tag.
"""

from __future__ import annotations

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
