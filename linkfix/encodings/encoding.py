"""The encoding of a document: its name, where it comes from, and the conversion to text and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from linkfix.encodings.codecs import codec, is_single_byte, python_codec

__all__ = ["STR", "Encoding", "EncodingSource", "decode_reversibly"]

EncodingSource: TypeAlias = Literal[
    "bom", "transport", "xml-declaration", "meta", "css-charset", "identified", "default", "str"
]
"""What decides a document's encoding, in the order of HTML §13.2.3.2. "identified": what a crawler found
(WARC-Identified-Payload-Type); "str": the document was text already.
"""

#: Of these, a second byte can be one of 40 to 7E, a fourth one of 30 to 39 (Encoding §10 to §14).
_ASCII_TRAILS = frozenset({"gbk", "gb18030", "big5", "shift_jis", "euc-kr"})
_NOT_ASCII_COMPATIBLE = frozenset({"utf-16le", "utf-16be", "iso-2022-jp", "replacement"})


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a document."""

    name: str
    """The Encoding standard's name in lower case: "windows-1252", "utf-16le"."""
    source: EncodingSource
    """What decides."""
    where: str
    """The same for people, with the position: "meta charset at byte 57"."""
    bom: int = 0
    """The length of the byte order mark in bytes, 0 to 3. The mark is not part of the text."""
    problems: tuple[tuple[str, str, int], ...] = ()
    """What is wrong with the declaration: code of `linkfix.model.PROBLEMS`, message, byte offset."""

    @property
    def codec(self) -> str:
        """The name of Python's closest codec. `decode` and `encode` may differ from it."""
        return python_codec(self.name).name

    @property
    def ascii_compatible(self) -> bool:
        """Whether the bytes 00 to 7F always are ASCII characters in markup."""
        return self.name not in _NOT_ASCII_COMPATIBLE

    @property
    def has_ascii_trails(self) -> bool:
        """Whether a byte that looks like an ASCII character can be a later byte of another one."""
        return self.name in _ASCII_TRAILS or not self.ascii_compatible

    @property
    def single_byte(self) -> bool:
        """Whether each byte is one character."""
        return is_single_byte(self.name)

    def decode(self, data: bytes) -> str:
        """The text of `data` as browsers decode it, with U+FFFD for errors. Never raises; keeps a byte order mark.

        Of a document that is a str, a lone surrogate is one error, and a pair is its character.
        """
        text = codec(self.name).decode(data)
        if self.source == "str" and "\ufffd" in text:
            surrogates = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
            return surrogates.decode("utf-16-le", "replace")
        return text

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """The bytes of `text` by the standard's encoder; UTF-16 is encoded as UTF-16, replacement as UTF-8.

        `errors`: a name known to `codecs.register_error`. Raises UnicodeEncodeError if that is "strict" and the
        encoding lacks a character of the text.
        """
        return codec(self.name).encode(text, errors)


#: The encoding of a document that is a `str`: its links are resolved like those of a UTF-8 document.
STR = Encoding("utf-8", "str", "the document is text")


def decode_reversibly(data: bytes, encoding: Encoding) -> str | None:
    """The text of `data` without its byte order mark; None where encoding it would not give the same bytes.

    Otherwise `data[:encoding.bom] + encoding.encode(text) == data`.
    """
    body = data[encoding.bom :]
    text = encoding.decode(body)
    return text if encoding.encode(text, "replace") == body else None
