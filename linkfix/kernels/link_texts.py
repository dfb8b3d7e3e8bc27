"""The texts of a table of links: in UTF-8, and `data:` URLs without their data, which would fill most of the table."""

from __future__ import annotations

from collections.abc import Sequence

from linkfix.lazy import lazy_pattern
from linkfix.model import Link

#: The possible columns of a table: the page's URL and the fields of `Link`; columns of numbers come last.
COLUMN_NAMES = (
    *("page", "element", "attribute", "syntax", "role", "reference", "target", "base", "problem"),
    *("start", "end", "line", "column", "tag_start"),
)
#: The possible first characters of a `data:` URL: from its scheme, or stripped by the URL standard's parser.
_BEGINNINGS = frozenset(["d", "D", *map(chr, range(0x21))])
#: The scheme and media type, without parameters. The two names of a media type have at most 127 characters each (RFC
#: 6838 §4.2).
_DATA = lazy_pattern(r"[\x00-\x20]*[Dd][Aa][Tt][Aa]:[^,;]{0,255}")


def cut_data_url(url: str) -> str:
    """Return the URL; a `data:` URL (RFC 2397) is cut before its parameters and its data.

    >>> cut_data_url("data:image/png;base64,AAAA"), cut_data_url("a.png")
    ('data:image/png', 'a.png')
    """
    cut = _DATA.match(url) if url[:1] in _BEGINNINGS else None
    return cut[0] if cut else url


def encoded(text: str) -> bytes:
    """The text in UTF-8. Lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def encoded_fields(links: Sequence[Link], field: int) -> list[bytes | None]:
    """One field of each link, by its index."""
    return [None if (text := link[field]) is None else encoded(cut_data_url(text)) for link in links]  # type: ignore[arg-type] # one of its texts
