"""The texts of a table of links: UTF-8, and `data:` URLs without their data, which would be most of the table."""

from __future__ import annotations

from collections.abc import Sequence

from linkfix.lazy import lazy_pattern
from linkfix.model import Link

#: The columns that a table can have: the page's URL and the fields of `Link`, those of numbers last.
COLUMN_NAMES = (
    *("page", "element", "attribute", "syntax", "role", "reference", "target", "base", "problem"),
    *("start", "end", "line", "column", "tag_start"),
)
#: The first characters that a `data:` URL can have: of its scheme, or what the URL standard's parser strips.
_BEGINNINGS = frozenset(["d", "D", *map(chr, range(0x21))])
#: The media type, without parameters; its two names have at most 127 characters each (RFC 6838 §4.2).
_DATA = lazy_pattern(r"[\x00-\x20]*[Dd][Aa][Tt][Aa]:[^,;]{0,255}")


def cut_data_url(url: str) -> str:
    """The URL; of a `data:` URL (RFC 2397) only what comes before its parameters and its data.

    >>> cut_data_url("data:image/png;base64,AAAA"), cut_data_url("a.png")
    ('data:image/png', 'a.png')
    """
    cut = _DATA.match(url) if url[:1] in _BEGINNINGS else None
    return cut[0] if cut else url


def encoded(text: str) -> bytes:
    """The text in UTF-8, which has no lone surrogates: U+FFFD stands for them."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def encoded_fields(links: Sequence[Link], field: int) -> list[bytes | None]:
    """The field of that number of each link."""
    return [None if (text := link[field]) is None else encoded(cut_data_url(text)) for link in links]  # type: ignore[arg-type] # one of its texts
