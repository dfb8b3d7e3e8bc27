"""The encoding of one document: its name, what decided it, and the way to text and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from linkfix.encodings.codecs import codec, python_codec

__all__ = ["STR", "Encoding", "EncodingSource", "round_trips"]

EncodingSource = Literal["bom", "transport", "xml-declaration", "meta", "css-charset", "default", "str"]

_NOT_ASCII = frozenset({"utf-16le", "utf-16be", "iso-2022-jp", "replacement"})


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of one document.

    `name`: lower case, of the Encoding standard ("windows-1252", "utf-16le"). `source`: what decided. `where`: the same
    in words, with the place ("meta charset at byte 57"). `bom`: the length of the byte order mark in bytes, 0 to 3; the
    mark is no part of the text. `problems`: code of `linkfix.model.PROBLEMS`, message, byte offset.
    """

    name: str
    source: EncodingSource
    where: str
    bom: int = 0
    problems: tuple[tuple[str, str, int], ...] = ()

    @property
    def codec(self) -> str:
        """The nearest of Python's codecs, by name. It may differ from what `decode` and `encode` do."""
        return python_codec(self.name).name

    @property
    def ascii_compatible(self) -> bool:
        """Whether the bytes 00 to 7F always are the characters of ASCII where markup can stand."""
        return self.name not in _NOT_ASCII

    def decode(self, data: bytes) -> str:
        """The text of `data` as browsers decode it, U+FFFD for what they cannot. Never raises; strips no mark."""
        return codec(self.name).decode(data)

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """The bytes of `text`, as the standard's encoder writes them; UTF-16 as UTF-16, replacement as UTF-8.

        `errors`: a name known to `codecs.register_error`. Raises UnicodeEncodeError if that is "strict" and the
        encoding has not a character of the text.
        """
        return codec(self.name).encode(text, errors)


#: What a document that is a `str` has: its links are resolved as those of a UTF-8 document.
STR = Encoding("utf-8", "str", "the document is text")


def round_trips(data: bytes, encoding: Encoding) -> str | None:
    """The text of `data` without its byte order mark; None when it does not encode to the same bytes again.

    `data[:encoding.bom] + encoding.encode(text)` is the way back.
    """
    body = data[encoding.bom :]
    text = encoding.decode(body)
    return text if encoding.encode(text, "replace") == body else None
