"""ARC files, versions 1 and 2, the format before WARC: http://archive.org/web/researcher/ArcFileFormat.php.

A record is a line with a URL, an IP address, a date, a media type, in version 2 other fields, and a length in bytes.
The response follows. A changed record is written as in a WARC file (`linkfix.containers.warc`), with a new length in
its line. The checksum of version 2 covers the response in no stated form, and stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import BinaryIO

from linkfix.containers import warc
from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.part import Change, LeaveAlone, Limits, Note, PartsFunction, ignore_count
from linkfix.files.window import Window
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope

#: The longest line that begins a record, in bytes.
_LONGEST_LINE = 1 << 14

_SCHEME = lazy_pattern(rb"[A-Za-z][A-Za-z0-9+.-]*+(?::|\Z)")

#: The fields after the URL: the IP address, the date, and the beginning of the media type.
_FIELDS = lazy_pattern(rb" (?:[0-9A-Fa-f.:]{2,45}|-) \d{8,17} ([^ \r\n]*+)")

_LENGTH = lazy_pattern(rb" (\d{1,18})[ \t]*\r?\n\Z")

#: A line that begins a record, in other text.
_RECORD = lazy_pattern(
    rb"(?<=\n)[A-Za-z][A-Za-z0-9+.-]{0,30}+:[^\s]{0,4096}+ (?:[0-9A-Fa-f.:]{2,45}|-) \d{8,17} [^\n]{1,400}+\n"
)


#: The time of a record, in UTC.
_DATE = lazy_pattern(rb" (\d{14}) ")


class _ArcHeader(HeaderBlock):
    """The line of a record, with its fields under their names in WARC."""

    def __init__(self, line: bytes, url: bytes, media_type: bytes, length: tuple[int, int]) -> None:
        super().__init__(line)
        self._length = length
        is_about_file = url.lower().startswith(b"filedesc:")
        self.raw = {
            "warc-type": [b"warcinfo" if is_about_file else b"response"],
            "warc-target-uri": [url],
            "warc-date": [date[1]] if (date := _DATE.search(line)) else [],
            "content-type": [media_type],
            "content-length": [line[slice(*length)]],
        }

    def edit(self, values: Mapping[str, str | None]) -> bytes:
        """See `HeaderBlock.edit`: the line with another length."""
        start, end = self._length
        return self.block[:start] + str(values["content-length"]).encode() + self.block[end:]


class _ArcSyntax:
    """See `linkfix.containers.warc_records.RecordSyntax`."""

    name = "ARC"
    url_field = "the URL of the ARC record"

    def begins(self, head: bytes) -> bool:
        """Whether a scheme begins these bytes: more of a line may not be there."""
        return _SCHEME.match(head) is not None

    def read_header(self, head: bytes) -> HeaderBlock | None:
        """Return the line that begins a record."""
        line = head[: head.find(b"\n", 0, _LONGEST_LINE) + 1]
        fields, length = _FIELDS.search(line), _LENGTH.search(line, max(0, len(line) - 64))
        if not fields or not length or fields.end() > length.end(1):
            return None
        return _ArcHeader(line, line[: fields.start()], fields[1], length.span(1))

    def after_bad_header(self, _length: int) -> int:
        """Return the distance to the next byte: a line has its end nearby, or is none."""
        return 1

    def find(self, text: Window, at: int) -> int:
        """Return the offset of a whole line."""
        found = text.search(_RECORD, max(at, 1), overlap=_LONGEST_LINE)
        return found if found >= 0 else text.size

    def find_torn(self, _header: HeaderBlock) -> int:
        """Return 0: a line has no other line in it."""
        return 0


SYNTAX = _ArcSyntax()

parts: PartsFunction = partial(warc.parts, syntax=SYNTAX)


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,
) -> None:
    """Copy an ARC file, with the documents that `change` changes; see `Container.rewrite`. Memory holds one record."""
    warc.rewrite(source, out, envelope, change, note, limits, leave_alone=leave_alone, syntax=SYNTAX)
