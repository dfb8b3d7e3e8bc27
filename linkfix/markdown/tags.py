"""Tags of templates in the destinations of links: `[a]({% link a.md %})`.

Site generators fill them in before the Markdown is read. CommonMark does not read such a destination, with its spaces,
so letters are read in place of the tag, and every byte keeps its place.
"""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

_TAG = r"(?:\{\{[^{}\n]*+\}\}|\{%(?:[^{}%\n]|\{\{[^{}\n]*+\}\})*+%\})"
_IN_TEXT = lazy_pattern(_TAG)
_IN_DATA = lazy_pattern(_TAG.encode())

#: Text that Liquid leaves as it is; the beginning of a link or of a definition of one, with its destination, which has
#: no spaces but in tags.
_PIECE = lazy_pattern(
    r"(?ms)(?P<raw>\{%-?\s*raw\s*-?%\}(?:(?!\{%-?\s*endraw\b).)*+)"
    rf"|(?:\]\([ \t]*+|^ {{0,3}}\[[^\]\n]++\]:[ \t]*+)(?:[^\s(){{<]|{_TAG})++"
)


def filled_text(text: str) -> str:
    """A text with letters in place of the tags in destinations.

    >>> filled_text("[a]({% link b.md %}#c) {{ d }}")
    '[a](xxxxxxxxxxxxxxx#c) {{ d }}'
    """
    return _PIECE.sub(_filled, text) if "{{" in text or "{%" in text else text


def _filled(piece: re.Match[str]) -> str:
    if piece["raw"] is not None:
        return piece[0]
    return _IN_TEXT.sub(lambda tag: "x" * len(tag[0].encode()), piece[0])


def without_tags(value: bytes) -> bytes:
    """A value of an attribute without the tags in it."""
    return _IN_DATA.sub(b"", value)
