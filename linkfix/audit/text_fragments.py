"""Text fragments: `#:~:text=…` names a text of the page to scroll to (URL Fragment Text Directives, WICG).

The comparison is more lenient than browsers: a text that browsers find is found here. Accents are ignored, and a word
has a boundary beside every character of a script without spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from linkfix.audit.page_document import PageDocument, tags
from linkfix.encodings.character_references import decode
from linkfix.lazy import lazy_pattern

#: The delimiter between a fragment and its directives (§3.1), and the beginning of a text directive.
DELIMITER = ":~:"

_TEXT = "text="

#: The longest text that is compared, in characters, and the most work for one page: directives times characters.
_LONGEST = 1000

_WORK = 10_000_000

#: The elements whose raw text is not shown.
_HIDDEN = frozenset(b"iframe noembed noframes script style title".split())

#: The elements that divide no word.
_INLINE = frozenset(
    b"a abbr acronym b bdi bdo big cite code data dfn del em font i ins kbd label mark nobr q rb rp rt s samp small"
    b" span strike strong sub sup time tt u var wbr".split()
)

#: Comments and other markup between two tags that is no text.
_NO_TEXT = lazy_pattern(rb"(?s)<!--.*?(?:--!?>|\Z)|<[!?/][^>]*>?")

_SPACES = lazy_pattern(r"\s+")


class TextDirective(NamedTuple):
    """The texts of a directive: `text=[prefix-,]start[,end][,-suffix]`. Each is normalized; "" if it is missing."""

    prefix: str
    start: str
    end: str
    suffix: str

    @classmethod
    def parse(cls, text: str) -> TextDirective | None:
        """The directive for the text after `text=`; None if browsers ignore it (§3.3, "parse a text directive")."""
        parts = text.split(",")
        prefix = parts.pop(0)[:-1] if parts[0].endswith("-") else None
        suffix = parts.pop()[1:] if parts and parts[-1].startswith("-") else None
        start, end, *more = [*parts, None, None] if parts else ["", None]
        if len(more) > 2 - (end is None) or "" in {prefix, start, end, suffix}:
            return None
        return cls(*(normalize(unquote(one or "")).strip() for one in (prefix, start, end, suffix)))

    def is_in(self, text: str) -> bool:
        """Whether a normalized text contains the texts in their order. Takes linear time."""
        starts = (at for at in _places(text, self.start) if self._follows_prefix(text, at))
        first = next((at for at in starts if self.end or self._precedes_suffix(text, at + len(self.start))), -1)
        if first < 0 or not self.end:
            return first >= 0
        ends = (at + len(self.end) for at in _places(text, self.end, first + len(self.start)))
        return any(self._precedes_suffix(text, at) for at in ends)

    def _follows_prefix(self, text: str, at: int) -> bool:
        if not self.prefix:
            return True
        end = at - text.startswith(" ", at - 1) if at else 0
        return text.endswith(self.prefix, 0, end) and _is_boundary(text, end - len(self.prefix))

    def _precedes_suffix(self, text: str, at: int) -> bool:
        if not self.suffix:
            return True
        start = at + text.startswith(" ", at)
        return text.startswith(self.suffix, start) and _is_boundary(text, start + len(self.suffix))


def text_directives(fragment: str) -> list[TextDirective]:
    """The text directives after the delimiter of a fragment, without those that browsers ignore."""
    values = (one[len(_TEXT) :] for one in fragment.split("&") if one.startswith(_TEXT))
    return [directive for value in values if (directive := TextDirective.parse(value)) is not None]


def _places(text: str, part: str, start: int = 0) -> Iterator[int]:
    """The places of a part of a text that begin and end at the boundaries of words."""
    at = text.find(part, start)
    while part and at >= 0:
        if _is_boundary(text, at) and _is_boundary(text, at + len(part)):
            yield at
        at = text.find(part, at + 1)


def _is_boundary(text: str, at: int) -> bool:
    """Whether a word can begin or end at a place: not between two letters or digits of a script with spaces."""
    return not 0 < at < len(text) or not (_is_of_word(text[at - 1]) and _is_of_word(text[at]))


def _is_of_word(character: str) -> bool:
    return character.isalnum() and unicodedata.category(character) != "Lo"


def normalize(text: str) -> str:
    """A text in lower case, without accents and soft hyphens, with one space for all white space in a row."""
    if not text.isascii():
        pieces = unicodedata.normalize("NFKD", text)
        text = "".join(one for one in pieces if one != "\xad" and not unicodedata.combining(one))
    return _SPACES.sub(" ", text.casefold())


def page_text(document: PageDocument) -> str:
    """The normalized text of an HTML page, without tags, comments, scripts, styles and the title."""
    data = document.source.data
    pieces: list[bytes] = []
    end = document.source.start
    is_hidden = False
    for tag in tags(data, end):
        if not is_hidden:
            pieces.append(_NO_TEXT.sub(b"", data[end : tag.start]))
        if tag.name not in _INLINE:
            pieces.append(b" ")
        end = tag.end
        is_hidden = tag.is_start and tag.name in _HIDDEN
    pieces.append(_NO_TEXT.sub(b"", data[end:]))
    return normalize(decode(document.source.working.decode(b"".join(pieces)), in_attribute=False).text)


class TextSearch:
    """The search for text fragments in one page. `text`: its text; None if it is not known. `number`: of directives."""

    def __init__(self, text: str | None, number: int) -> None:
        self._text = text if text is None or number * len(text) <= _WORK else None

    def finds(self, directives: str) -> bool | None:
        """Whether the page contains the texts of all directives; None if this is not known."""
        found = text_directives(directives)
        if self._text is None or any(len(text) > _LONGEST for one in found for text in one):
            return None
        return all(one.is_in(self._text) for one in found)
