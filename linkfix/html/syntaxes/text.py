"""Plain text: syntax "text" (RFC 2396 Appendices E and F)."""

from __future__ import annotations

from functools import partial

from .found import Found


def find(text: str) -> list[Found]:
    """Find the references in a text, including abbreviated references: see `linkfix.text.find`.

    A reference with an ambiguous hyphen at the end of a line has problem "hyphen-at-line-end".
    """
    from linkfix import text as plain_text  # its regular expressions are slow to compile

    return [
        Found(
            one.start,
            one.end,
            one.reference,
            partial(plain_text.escape, delimiter=one.delimiter),
            "url" if one.completed is None else "abbreviated",
            "hyphen-at-line-end" if one.hyphen else None,
        )
        for one in plain_text.find(text, abbreviated=True)
    ]
