"""`data:` URLs without their data (RFC 2397), which is most of what a table of links would hold."""

from __future__ import annotations

from linkfix.lazy import lazy_pattern

__all__ = ["cut_data_url"]

#: The media type, without parameters; its two names have at most 127 characters each (RFC 6838 §4.2).
_DATA = lazy_pattern(r"[\x00-\x20]*[Dd][Aa][Tt][Aa]:[^,;]{0,255}")


def cut_data_url(url: str | None) -> str | None:
    """The URL; of a `data:` URL only what comes before its parameters and its data.

    >>> cut_data_url("data:image/png;base64,AAAA"), cut_data_url("a.png")
    ('data:image/png', 'a.png')
    """
    cut = _DATA.match(url) if url else None
    return cut[0] if cut else url
