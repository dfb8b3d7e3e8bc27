"""The container formats: how their files are named, and what their first bytes are.

No module of a format is imported to tell whether a file is one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

from linkfix.containers.http_body import EMPTY_LINE
from linkfix.lazy import lazy_pattern


class ContainerFormat(NamedTuple):
    """A row of `CONTAINERS`."""

    module: str
    """The module that reads and writes it."""
    suffixes: tuple[str, ...]
    """Of its files' names, lower case, with dots."""
    is_one: Callable[[bytes, str], bool]
    """As `recognise`, for a name in lower case."""

    def recognise(self, head: bytes, name: str) -> bool:
        """Whether a file with these first bytes (4,096) and this name has the format."""
        return self.is_one(head, name.lower())


#: The beginning of a local header (APPNOTE §4.3.7), and of an archive that has members.
ZIP = b"PK\3\4"
#: The offset of the first member's name in a zip archive. A member without compression has its data after the name.
_MEMBER_NAME = 30


def _archive(head: bytes, name: str, format_: str) -> bytes:
    """The beginning of a zip archive in `head`; b"" for none.

    A byte order mark before it does not count, nor do other bytes in a file that is named as its format is.
    """
    start = head.find(ZIP) if _is_named(name, format_) else 3 * head.startswith(b"\xef\xbb\xbf")
    return head[start:] if head.startswith(ZIP, max(start, 0)) else b""


def _is_named(name: str, format_: str) -> bool:
    return name.endswith(CONTAINERS[format_].suffixes)


def _is_epub(head: bytes, name: str) -> bool:
    """A zip archive whose first bytes (EPUB 3.3 §4.3.3) or whose name are those of an EPUB."""
    archive = _archive(head, name, "epub")
    return bool(archive) and (
        _is_named(name, "epub") or archive.startswith(b"mimetypeapplication/epub+zip", _MEMBER_NAME)
    )


def _is_wacz(head: bytes, name: str) -> bool:
    """A zip archive that is named so, or begins with a member that WACZ packages have."""
    archive = _archive(head, name, "wacz")
    return bool(archive) and (
        _is_named(name, "wacz") or archive[_MEMBER_NAME:].startswith((b"archive/", b"datapackage.json"))
    )


def _is_maff(head: bytes, name: str) -> bool:
    return _is_named(name, "maff") and bool(_archive(head, name, "maff"))


#: A local header whose member is a page or SingleFile's manifest, at the root or in a folder there.
_SINGLE_FILE = lazy_pattern(rb"PK\x03\x04.{26}(?:[^/\x00-\x1f]{1,100}/)?(?:index\.x?html?|manifest\.json)", re.DOTALL)


def _is_htz(head: bytes, name: str) -> bool:
    """A zip archive with the suffix .htz, or a .zip that begins with a page as SingleFile's do."""
    archive = _archive(head, name, "htz") if _is_named(name, "htz") else b""
    return bool(archive) and (name.endswith(".htz") or bool(_SINGLE_FILE.match(archive)))


#: A version line. Blank lines and a byte order mark before it belong to no record.
_WARC = lazy_pattern(rb"(?:\xef\xbb\xbf)?[\r\n]*+WARC/")


def _is_warc(head: bytes, name: str) -> bool:
    """Records, or whatever is in a file that is named so: what comes before the first record is a problem then."""
    if _is_named(name, "warc"):
        return True
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(31).decompress(head, len(head))
        except zlib.error:
            return False
    return _WARC.match(head) is not None


_HAR = lazy_pattern(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*+\{[ \t\r\n]*+"log"[ \t\r\n]*+:[ \t\r\n]*+\{')
_OBJECT = lazy_pattern(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+(?:\{|\Z)")


def _is_har(head: bytes, name: str) -> bool:
    """A JSON object that begins with "log", or any JSON object in a file with the suffix .har."""
    return bool(_HAR.match(head) or (_is_named(name, "har") and _OBJECT.match(head)))


#: A header begins with a field, or with a mailbox's "From " line before it. `http://` begins no field.
_HEADER = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*(?:From [^\n]*\n)?[!-9;-~]+[ \t]*:(?!//)")
#: Fields that tell a message from other text with colons.
_MESSAGE = lazy_pattern(
    rb"^(?:mime-version|content-type|snapshot-content-location)[ \t]*:", re.IGNORECASE | re.MULTILINE
)


def _is_mime(head: bytes, name: str) -> bool:
    if not _HEADER.match(head):
        return False
    return _is_named(name, "mime") or _MESSAGE.search(EMPTY_LINE.split(head.lstrip(), 1)[0]) is not None


_PACKAGE = "linkfix.containers"
#: The first format that recognises a file has it: those that a file's first bytes tell come before those that only its
#: name tells, and mail, which can begin with any word, is the last.
CONTAINERS: dict[str, ContainerFormat] = {
    "epub": ContainerFormat(f"{_PACKAGE}.epub", (".epub",), _is_epub),
    "wacz": ContainerFormat(f"{_PACKAGE}.wacz", (".wacz",), _is_wacz),
    "maff": ContainerFormat(f"{_PACKAGE}.maff", (".maff",), _is_maff),
    "htz": ContainerFormat(f"{_PACKAGE}.htz", (".htz", ".zip"), _is_htz),
    "warc": ContainerFormat(f"{_PACKAGE}.warc", (".warc", ".warc.gz", ".warc.zst"), _is_warc),
    "har": ContainerFormat(f"{_PACKAGE}.har", (".har",), _is_har),
    "mime": ContainerFormat(f"{_PACKAGE}.mime", (".mht", ".mhtml", ".eml"), _is_mime),
}
