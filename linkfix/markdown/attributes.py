"""The IDs that authors state in Markdown: in attributes, in targets of MyST, in blocks of PyMdown Extensions."""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.lazy import lazy_pattern

#: Attributes after a heading or another element: `{#name}`, `{: #name .class }`.
_ATTRIBUTES = lazy_pattern(rb"\{([^{}\r\n]*+)\}")

_ID = lazy_pattern(r"(?:^:?|\s)#([^\s\"'=<>]++)")

#: An escaped mark in an ID (`markdown.util` of Python-Markdown).
_ESCAPED = lazy_pattern(r"\\([\\`*_{}\[\]()>#+\-.!])")

#: A list of nothing but attributes. Beside others, a word is an attribute without a value (Python-Markdown).
_ONLY_ATTRIBUTES = lazy_pattern(
    r":?\s*+(?:(?:[#.]\S++|[\w:@-]++=(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']\S*+)|[\w-]++)(?:\s++|$))++"
)
_SIGNS = frozenset(":#.=")

_MYST_TARGET = lazy_pattern(rb"(?m)^[ \t>]*+\(([^()\s]++)\)=[ \t]*+\r?$")

#: The beginning of a block with an ID, `/// html | div#name`, and its option with attributes.
_BLOCK = lazy_pattern(rb"(?m)^[ \t>]*+/{3,}+[ \t]*+[\w-]++[ \t]*+\|[^#\r\n]*+#([^\s.#\[\]]++)")
_BLOCK_ATTRIBUTES = lazy_pattern(rb"(?m)^[ \t>]++attrs:[^{}\r\n]*+\{([^{}\r\n]*+)\}")
_ID_OF_BLOCK = lazy_pattern(r"(?:^|,)\s*+id:\s*+[\"']?([^\s\"',]++)")


def ids_in(attributes: str) -> Iterator[str]:
    r"""Yield the IDs in a list of attributes, without braces.

    >>> list(ids_in(r": #\_a .b"))
    ['_a']
    """
    return (_ESCAPED.sub(r"\1", name) for name in _ID.findall(attributes))


def attributes_at_end(text: str) -> str | None:
    """The contents of the braces at the end of a heading, if they are attributes; else None.

    >>> attributes_at_end("A {: #b env-var title='c d' }"), attributes_at_end("A {b}")
    (": #b env-var title='c d' ", None)
    """
    start, end = text.rfind("{"), len(text.rstrip())
    if start < 0 or text.find("}", start) != end - 1:
        return None
    attributes = text[start + 1 : end - 1]
    bare = attributes.strip()
    is_list = bare == "-" or not _SIGNS.isdisjoint(bare)
    return attributes if is_list and _ONLY_ATTRIBUTES.fullmatch(bare + " ") else None


def stated_ids(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the IDs in a page, with their places."""
    for mark, pattern, ids in (
        (b"}", _ATTRIBUTES, ids_in),
        (b")=", _MYST_TARGET, lambda name: [name]),
        (b"///", _BLOCK, lambda name: [name]),
        (b"///", _BLOCK_ATTRIBUTES, _ID_OF_BLOCK.findall),
    ):
        for match in pattern.finditer(data) if mark in data else ():
            yield from ((match.start(1), one) for one in ids(match[1].decode()))
