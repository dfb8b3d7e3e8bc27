"""The bytes of a document in an ASCII-compatible encoding, for reading marks, with positions for messages."""

from __future__ import annotations

from linkfix.model import PROBLEMS, Problem

_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class SavedPage:
    """A document that may have a saver's mark."""

    def __init__(self, original: bytes) -> None:
        #: The document's bytes.
        self.original = original
        #: The document's bytes. UTF-16 is converted to UTF-8, without the byte order mark.
        self.data: bytes = original
        self._utf16 = _UTF16.get(original[:2])
        if self._utf16:
            self.data = original[2:].decode(self._utf16, "replace").encode("utf-8")

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset in `data`, both from 1. The column counts characters of UTF-8."""
        start = self.data.rfind(b"\n", 0, offset) + 1
        return self.data.count(b"\n", 0, offset) + 1, len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def position_text(self, offset: int) -> str:
        """Return the line and column of an offset in `data`, in words."""
        return "line {}, column {}".format(*self.position(offset))

    def problem(self, code: str, detail: str, offset: int) -> Problem:
        """Return a problem at an offset in `data`. The problem's own offset refers to `original`.

        `code`: a key of `PROBLEMS`.
        """
        start = offset
        if self._utf16:
            start = 2 + len(self.data[:offset].decode("utf-8", "replace").encode(self._utf16))
        return Problem(code, f"{PROBLEMS[code]}: {detail}", start, *self.position(offset))
