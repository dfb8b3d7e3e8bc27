"""The encoding of a document: its name, how it was determined, decoding and encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from linkfix.encodings.codecs import codec, python_codec

__all__ = ["STR", "Encoding", "EncodingSource", "round_trips"]

EncodingSource: TypeAlias = Literal["bom", "transport", "xml-declaration", "meta", "css-charset", "default", "str"]
"""What determined a document's encoding; "str": the document is a str."""

_NOT_ASCII = frozenset({"utf-16le", "utf-16be", "iso-2022-jp", "replacement"})


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a document."""

    name: str
    """The Encoding standard's name in lower case: windows-1252, utf-16le."""
    source: EncodingSource
    """What determined it."""
    where: str
    """The same in words, with the place: "meta charset at byte 57"."""
    bom: int = 0
    """The length of the byte order mark in bytes, 0 to 3. The mark is not part of the text."""
    problems: tuple[tuple[str, str, int], ...] = ()
    """A code of `linkfix.PROBLEMS`, the message and the byte offset of each problem."""

    @property
    def codec(self) -> str:
        """The name of Python's nearest codec. Its results can differ from those of `decode` and `encode`."""
        return python_codec(self.name).name

    @property
    def ascii_compatible(self) -> bool:
        """Whether the bytes 00 to 7F are ASCII characters wherever markup can occur."""
        return self.name not in _NOT_ASCII

    def decode(self, data: bytes) -> str:
        """Decode `data` as browsers do, errors as U+FFFD. Never raises; does not strip a byte order mark."""
        return codec(self.name).decode(data)

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """Encode `text` with the standard's encoder; to UTF-16 for UTF-16, to UTF-8 for replacement.

        `errors`: the name of an error handler (`codecs.register_error`). Raises UnicodeEncodeError for an unencodable
        character if that is "strict".
        """
        return codec(self.name).encode(text, errors)


#: The encoding of a document that is a `str`: its links are resolved as in a UTF-8 document.
STR = Encoding("utf-8", "str", "the document is text")


def round_trips(data: bytes, encoding: Encoding) -> str | None:
    """The text of `data` without its byte order mark; None if encoding it does not give the same bytes.

    `data[:encoding.bom] + encoding.encode(text)` is `data` again.
    """
    body = data[encoding.bom :]
    text = encoding.decode(body)
    return text if encoding.encode(text, "replace") == body else None
