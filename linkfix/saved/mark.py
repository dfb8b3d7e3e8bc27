"""What a saver's mark is: a row of the table of marks, what one states, and how its text is read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Literal, NamedTuple
from urllib.parse import quote_from_bytes

from linkfix.html.charrefs import decode

__all__ = ["Links", "Mark", "MarkValue", "attribute_text", "script_string", "url_text"]

#: What the saver did to relative references. "folder": those into NAME_files/ name the page's own files; "dotted":
#: those of them that begin with "./"; "beside": those to existing files do; "mirror": they name files of a mirror;
#: "attribute": an attribute states the original.
Links = Literal["", "folder", "dotted", "beside", "mirror", "attribute"]


class MarkValue(NamedTuple):
    """What a mark states."""

    url: str
    """As it is written; "" for none."""
    fault: str = ""
    """Why it cannot be trusted; "" for none."""
    assumes_scheme: bool = False
    """Whether the mark states no scheme, and one is assumed."""
    guess: str = ""
    """Why the URL is no more than a guess, as words that follow the mark's name; "" where it is none."""


class Mark(NamedTuple):
    """A row of the table."""

    saver: str
    """The program, as messages name it."""
    place: Literal["comment", "root", "top", "head", "page"]
    """Where it is: in a comment before the content, all of which matches; in the html tag; in the first `TOP_SIZE`
    bytes; in the first `HEAD_SIZE` bytes; anywhere."""
    needle: bytes
    """Bytes that occur within its first 32; a longer needle makes for a faster search."""
    expression: re.Pattern[bytes]
    read: Callable[[re.Match[bytes]], MarkValue | None]
    """Gives the value of a match; None where it is no mark after all."""
    meaning: str
    """What follows for a page that has it; the documentation has the same words."""
    own_bases: frozenset[str] = frozenset()
    """See `linkfix.model.Saver`."""
    links: Links = ""
    is_archive: bool = False
    """Whether an archive wrote it into a page that it served. See `find_marks` on several by one."""
    inside: Literal["", "script", "tag"] = ""
    """Where it has to be for it to count. "script": in the code of a script, no string or comment of it; the match then
    has that script as its bounds. "tag": where a tag or an attribute begins. "": where `place` says."""
    evidence: str = ""
    """How the documentation names what an archive wrote."""
    strength: str = ""
    """What it states for certain, and what is a guess; in the documentation too."""


def url_text(raw: bytes) -> str:
    """A URL as a saver wrote it. Bytes that are not ASCII are percent-encoded, in whatever encoding they are."""
    raw = raw.strip()
    return raw.decode("ascii") if raw.isascii() else quote_from_bytes(raw, "".join(map(chr, range(0x21, 0x7F))))


def attribute_text(raw: bytes) -> str:
    """An attribute's value, decoded and without white space around it."""
    return decode(raw.decode("utf-8", "replace")).text.strip()


def script_string(raw: bytes) -> str:
    """A string of a script, which archives escape for HTML too."""
    import json  # noqa: PLC0415 - few pages have one

    text = raw.decode("utf-8", "replace")
    with contextlib.suppress(ValueError):  # it has escapes that are not JSON's: take it literally
        text = str(json.loads(f'"{text}"'))
    return decode(text).text
