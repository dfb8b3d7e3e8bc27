"""The original document, its working bytes, and the conversion back.

Edits are made in bytes of an ASCII-compatible encoding. A document in such an encoding is edited directly. A str, and a
document in UTF-16, ISO-2022-JP or a similar encoding, is edited in UTF-8 and converted back. A document that does not
survive this round trip is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Generic

from linkfix.encodings.encoding import STR, Encoding, decode_reversibly, lookup
from linkfix.html.sniffing import sniff
from linkfix.html.values import byte_offsets, code_points
from linkfix.model import DocumentKind, Html

#: Markup that shows that a file is HTML. A file with NUL bytes at its beginning and none of these is not HTML (MIME
#: Sniffing §7.1). The list includes elements with links, so that writing other URLs hardly ever turns a page into such
#: a file.
_LOOKS_LIKE_HTML = re.compile(
    rb"<(?:!doctype|!--|\?xml|html|head|body|title|meta|script|table|div|svg|br|a|p|applet|area|audio|base|button|embed"
    rb"|form|frame|frameset|iframe|image|img|input|link|object|source|style|template|track|video)\b",
    re.IGNORECASE,
)


#: Attributes of objects that have a document, or documents, each with the call that returns it.
_CALLS = {
    "read_bytes": "path.read_bytes()",
    "content": "response.content",
    "read": "file.read()",
    "tobytes": "bytes(view)",  # memoryview
    "translate": "bytes(array)",  # bytearray
    "index": "each document by itself",  # list, tuple
}

#: APPNOTE (zip) §4.3.16: the record that ends an archive; only a comment of 64 KiB can follow.
_ZIP_END, _RARE_BYTE = b"PK\x05\x06", 5
_ZIP_TAIL = (1 << 16) + 22


def _is_self_extracting(data: bytes) -> bool:
    """Whether a page ends with a zip archive, which a script in it unpacks (SingleFile's self-extracting format)."""
    tail = len(data) - _ZIP_TAIL
    # Searching for one rare byte is many times faster than for four; a call of `find` shows in small pages.
    if (_RARE_BYTE not in data) if tail <= 0 else (data.find(_RARE_BYTE, tail) < 0):
        return False
    return data.find(_ZIP_END, max(0, tail)) >= 0


def _is_binary(data: bytes, kind: DocumentKind) -> bool:
    """Whether data with NUL bytes at its beginning is binary. CSS replaces NUL bytes (CSS Syntax §3.3)."""
    return kind in {"text", "markdown", "robots"} or (kind == "html" and not _LOOKS_LIKE_HTML.search(data, 0, 1024))


class Source(Generic[Html]):
    """One document's data."""

    html: Html
    """The original document."""
    data: bytes
    """The working bytes; empty if there is a fault."""
    encoding: Encoding
    """The document's own encoding."""
    working: Encoding
    """The encoding of `data`."""
    output: Encoding
    """The encoding of the edited data."""
    fault: str = ""
    """A code of `linkfix.model.PROBLEMS` if the document must be left alone, or ""."""
    _text: str | None = None
    """The document as text, if `data` is an encoding of it."""

    def __init__(self, html: Html, kind: DocumentKind, charset: str | None, identified: str | None = None) -> None:
        self.html = html
        if isinstance(html, str):
            self.encoding = self.working = self.output = STR
            if charset is not None:
                self.encoding = replace(STR, name=lookup(charset), where="the text's charset")
            self._text = html
            self.data = html.encode("utf-8", "surrogatepass")
            return
        if not isinstance(html, bytes):
            advice = next((f": pass {call}" for name, call in _CALLS.items() if hasattr(html, name)), "")
            message = f"a document is bytes or str, not {type(html).__name__}{advice}"
            raise TypeError(message)
        self.encoding = self.working = self.output = sniff(html, transport=charset, kind=kind, identified=identified)
        self.data = html
        if not self.encoding.ascii_compatible or (kind == "xml" and self.encoding.name != "utf-8"):
            self._text = decode_reversibly(html, self.encoding)
            self.working = STR
            self.data = b"" if self._text is None else self._text.encode("utf-8", "surrogatepass")
            if self._text is None:
                self.fault = "encoding-round-trip"
        elif 0 in html[:1024] and _is_binary(html, kind):
            self.fault = "binary"
            self.data = b""
        elif kind == "html" and _is_self_extracting(html):
            self.fault = "self-extracting"
            self.data = b""

    @property
    def start(self) -> int:
        """The offset of the text in `data`: after a byte order mark."""
        return self.working.bom if self.data else 0

    def restore(self, data: bytes) -> Html:
        """Convert the working bytes back to the original type and encoding; the same object if nothing changed."""
        if data is self.data or self.fault:
            return self.html
        if isinstance(self.html, str):
            return data.decode("utf-8", "surrogatepass")
        if self._text is None:
            return data
        text = data.decode("utf-8", "surrogatepass")
        return self.html[: self.encoding.bom] + self.encoding.encode(text, "xmlcharrefreplace")

    def units(self) -> Callable[[int], int]:
        """A function that converts offsets of `data` to offsets of the original document: bytes, or code points of a
        str.

        Fast for increasing arguments.
        """
        if self._text is None:
            return lambda offset: offset
        points = code_points(self.data)
        if isinstance(self.html, str):
            return points
        body = byte_offsets(self.html[self.encoding.bom :], self._text, self.encoding)
        return lambda offset: self.encoding.bom + body(points(offset))
