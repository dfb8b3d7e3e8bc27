"""The container formats, by the names and first bytes of their files; and the archives that linkfix does not read.

No module of a format is imported to tell whether a file is one.
"""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

from linkfix.containers.http_body import EMPTY_LINE
from linkfix.containers.part import container_problem
from linkfix.lazy import lazy_pattern
from linkfix.model import Problem


class ContainerFormat(NamedTuple):
    """A row of `CONTAINERS`."""

    module: str
    """The module that reads and writes it."""
    suffixes: tuple[str, ...]
    """Of its files' names, lower case, with dots."""
    is_one: Callable[[bytes, str], bool]
    """As `recognise`, for a name in lower case."""
    title: str
    """The name of its files in messages, in the plural."""
    keeps_names: bool = False
    """Whether its links use the names that `unpack` gives to its parts, so that they work in the unpacked folder."""

    is_page: bool = False
    """Whether the file is one page, whose URL follows from the path of the file."""

    def recognise(self, head: bytes, name: str) -> bool:
        """Whether a file with these first bytes (4,096) and this name has the format."""
        return self.is_one(head, name.lower())


#: The beginning of a local header (APPNOTE §4.3.7), and of an archive that has members.
ZIP = b"PK\3\4"

#: The record that ends an archive (§4.3.16).
ZIP_END = b"PK\5\6"

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


#: The beginning of SingleFile's self-extracting page. A page that it unpacked has an attribute with a value.
_SELF_EXTRACTING = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*+(?:<!doctype[^>]*+>\s*+)?<html data-sfz>", re.IGNORECASE)


def _is_self_extracting(head: bytes, _name: str) -> bool:
    return _SELF_EXTRACTING.match(head) is not None


#: A local header of a HAR, or of a file that Playwright named by the SHA-1 of its content.
_HAR_MEMBER = lazy_pattern(rb"PK\x03\x04.{26}(?:har\.har|[0-9a-f]{40}\.[0-9a-z]{1,10})(?![0-9A-Za-z._/-])", re.DOTALL)


def _is_har_zip(head: bytes, name: str) -> bool:
    """A zip archive with the suffix .har.zip, or a .zip that begins as Playwright's do."""
    archive = _archive(head, name, "har-zip") if _is_named(name, "har-zip") else b""
    return bool(archive) and (name.endswith(".har.zip") or bool(_HAR_MEMBER.match(archive)))


#: A version line. Blank lines and a byte order mark before it belong to no record.
_WARC = lazy_pattern(rb"(?:\xef\xbb\xbf)?[\r\n]*+WARC/")


#: http://archive.org/web/researcher/ArcFileFormat.php: the version block, which names its fields, or a record's line:
#: URL, IP address, date, media type, perhaps other fields, length. Damaged files lack the version block.
_ARC = lazy_pattern(
    rb"\s*+(?:filedesc:|(?:[^\n]*\n){1,3}?URL IP-address Archive-date Content-type "
    rb"|[A-Za-z][A-Za-z0-9+.-]*:[^\n]* (?:[0-9A-Fa-f.:]{2,45}|-) \d{8,17} [^\n]*\b\d+[ \t]*\r?\n)"
)


def _is_arc(head: bytes, name: str) -> bool:
    """Records, whatever the name: a message may begin as they do. Frames of other compressions in a file named so."""
    is_compressed = head.startswith(_COMPRESSED) and _is_named(name, "arc")
    return is_compressed or any(map(_ARC.match, _heads(head)))


#: The magic numbers of LZ4 and Zstandard frames.
_COMPRESSED = (b"\x04\x22\x4d\x18", b"\x28\xb5\x2f\xfd")


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


def _is_webarchive(head: bytes, name: str) -> bool:
    """A property list in a file that is named so, or that begins as one with a main resource."""
    return bool(_PROPERTY_LIST.match(head)) and (_is_named(name, "webarchive") or b"WebMainResource" in head)


#: A property list, binary or XML.
_PROPERTY_LIST = lazy_pattern(rb"bplist00|(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE plist|plist)")

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


#: A status line and a field, or the end of the header.
_RESPONSE = lazy_pattern(rb"HTTP/\d(?:\.\d)? +\d{3}\b[^\n]*+\n(?:\r?\n|[!#$%&'*+.^_`|~0-9A-Za-z-]++:)")


def _is_http(head: bytes, _name: str) -> bool:
    return _RESPONSE.match(head) is not None


_PACKAGE = "linkfix.containers"

#: The first format that recognises a file has it: those that a file's first bytes tell come before those that only its
#: name tells, and mail, which can begin with any word, is the last.
CONTAINERS: dict[str, ContainerFormat] = {
    "arc": ContainerFormat(f"{_PACKAGE}.arc", (".arc", ".arc.gz", ".arc.lz4", ".arc.zst"), _is_arc, "ARC files"),
    "epub": ContainerFormat(f"{_PACKAGE}.epub", (".epub",), _is_epub, "EPUB books", keeps_names=True),
    "wacz": ContainerFormat(f"{_PACKAGE}.wacz", (".wacz",), _is_wacz, "WACZ packages"),
    "maff": ContainerFormat(f"{_PACKAGE}.maff", (".maff",), _is_maff, "MAFF archives", keeps_names=True),
    "htz": ContainerFormat(
        f"{_PACKAGE}.htz", (".htz", ".zip"), _is_htz, "zip archives of a page (.htz)", keeps_names=True
    ),
    "self-extracting": ContainerFormat(
        f"{_PACKAGE}.self_extracting",
        (".zip.html",),
        _is_self_extracting,
        "SingleFile's pages that unpack themselves",
        keeps_names=True,
    ),
    "http": ContainerFormat(
        f"{_PACKAGE}.http_file", (".http",), _is_http, "pages after their HTTP header", is_page=True
    ),
    "har-zip": ContainerFormat(f"{_PACKAGE}.har_zip", (".har.zip", ".zip"), _is_har_zip, "zipped HAR files"),
    "warc": ContainerFormat(
        f"{_PACKAGE}.warc", (".warc", ".warc.gz", ".warc.zst", ".warc.lz4"), _is_warc, "WARC files"
    ),
    "webarchive": ContainerFormat(f"{_PACKAGE}.webarchive", (".webarchive",), _is_webarchive, "Safari's web archives"),
    "har": ContainerFormat(f"{_PACKAGE}.har", (".har",), _is_har, "HAR files"),
    "mime": ContainerFormat(f"{_PACKAGE}.mime", (".mht", ".mhtml", ".eml"), _is_mime, "MHTML files and email messages"),
}


# Archives of web pages in formats that are not read here, and what to do with each.
#
# A format is here if a person would expect its pages to be converted: its name or its first bytes say that it holds
# saved pages. What may hold anything (.zip, .tar, .7z, programs) is not.


class _Format(NamedTuple):
    """A row of `_FORMATS`."""

    suffixes: tuple[str, ...]
    """Of its files' names, lower case, with dots."""
    head: re.Pattern[bytes]
    """Matches its first bytes. The first bytes of a gzip file are matched compressed and decompressed."""
    name: str
    """Its name in messages."""
    advice: str
    """The advice to the user."""
    is_certain: bool = False
    """Whether the first bytes alone tell it, whatever the name."""
    others: re.Pattern[bytes] | None = None
    """Matches the first bytes of other formats with the same suffixes."""


_GZIP = lazy_pattern(rb"\x1f\x8b\x08")

_BZIP2_OR_XZ = lazy_pattern(rb"BZh[1-9]|\xfd7zXZ\x00")

_ZSTANDARD = lazy_pattern(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")

_READ = ("har", "mht", "mhtml", "eml", "html", "htm", "xhtml", "svg")

"""The suffixes, without dots, of documents and containers that are not read when they are compressed."""

_DECOMPRESS = "decompress it first"

_ANY = lazy_pattern(rb"")


#: The first row that fits a file counts.
_FORMATS = [
    _Format((".warc.bz2", ".warc.xz"), _BZIP2_OR_XZ, "a compressed WARC file", _DECOMPRESS),
    # No ARC file is unread. Other files that are named so are, unless they are archives of FreeArc and ARC.
    _Format((".arc", ".arc.gz"), lazy_pattern(rb"(?!)"), "", "", others=lazy_pattern(rb"ArC\x01|\x1a[\x01-\x14]")),
    _Format(tuple(f".{read}.gz" for read in _READ), _GZIP, "a gzip-compressed file", _DECOMPRESS),
    _Format((".svgz",), _GZIP, "a gzip-compressed SVG", _DECOMPRESS),
    _Format(
        tuple(f".{read}.{packed}" for read in _READ for packed in ("bz2", "xz")),
        _BZIP2_OR_XZ,
        "a compressed file",
        _DECOMPRESS,
    ),
    _Format(tuple(f".{read}.zst" for read in _READ), _ZSTANDARD, "a compressed file", _DECOMPRESS),
    _Format(
        (".wbn",),
        lazy_pattern(rb"[\x84-\x86]\x48\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6"),
        "a web bundle",
        "unpack it",
        is_certain=True,
    ),
    _Format(
        (".war",), lazy_pattern(rb"\x1f\x8b|BZh"), "a web archive of Konqueror", "unpack it with tar", others=_ANY
    ),  # Java's
    _Format((".chm",), lazy_pattern(rb"ITSF"), "a compiled help file", "unpack it with 7-Zip", is_certain=True),
    _Format(
        (".zim",),
        lazy_pattern(rb"ZIM\x04"),
        "a ZIM file",
        "unpack it: zimdump dump --dir=FOLDER FILE.zim",
        is_certain=True,
    ),
    _Format((".mbox", ".mbx"), lazy_pattern(rb"From "), "a mailbox", "save its messages as .eml files"),
    _Format(
        (".msg",),
        lazy_pattern(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "a message of Outlook",
        "save it as .eml",
        others=_ANY,
    ),
]

#: The suffixes of their names, lower case, with dots.
UNREAD_SUFFIXES: tuple[str, ...] = tuple(suffix for row in _FORMATS for suffix in row.suffixes)

#: The suffixes of formats that are read, of which a file may begin as none -> what to do. Any .zip may.
_MISNAMED = {
    "mime": "it does not begin with a header: if it is a page, rename it",
    "webarchive": "save the page again as a web archive",
    "har": "write it as a JSON object in UTF-8 without comments",
} | dict.fromkeys(
    ("epub", "wacz", "maff", "har-zip", "htz"),
    "remove the bytes before the archive, or rename the file if it is not an archive",
)

_RENAME = "it is damaged, or another kind of file: then rename it"


def explain_unread(head: bytes, name: str) -> str:
    """Return the format of a file, by its first bytes and its name, and the advice; "" if neither tells an archive.

    For a file in which `linkfix.containers.recognise` finds no format that is read.

    >>> explain_unread(b"From a@example.com Sat", "a.mbox")
    'a mailbox; save its messages as .eml files'
    """
    name = name.lower()
    heads = _heads(head)
    for row in _FORMATS:
        if (row.is_certain or name.endswith(row.suffixes)) and any(map(row.head.match, heads)):
            return f"{row.name}; {row.advice}"
    suffix, advice = _named_as(head, name)
    return f"a file with the suffix {suffix} and other content; {advice}" if suffix else ""


def _named_as(head: bytes, name: str) -> tuple[str, str]:
    """The suffix in a name (lower case) that only archives of pages have, and what to do where a file is none; "" for
    other names.
    """
    for format_, advice in _MISNAMED.items():
        for suffix in CONTAINERS[format_].suffixes:
            if suffix != ".zip" and name.endswith(suffix):
                return suffix, advice
    for row in _FORMATS:
        if name.endswith(row.suffixes) and not (row.others and row.others.match(head)):
            return max((suffix for suffix in row.suffixes if name.endswith(suffix)), key=len), _RENAME
    return "", ""


def is_certainly_unread(head: bytes) -> bool:
    r"""Whether the first bytes of a file tell that it is one of these, whatever its name.

    >>> is_certainly_unread(b"ITSF\3\0\0\0")
    True
    >>> is_certainly_unread(b"From: a@b\n")
    False
    """
    heads = _heads(head)
    return any(row.head.match(one) for row in _FORMATS if row.is_certain for one in heads)


def _heads(head: bytes) -> list[bytes]:
    """The first bytes of a file, and of what it decompresses to."""
    heads = [head]
    if head.startswith(b"\x1f\x8b"):
        with contextlib.suppress(zlib.error):
            heads.append(zlib.decompressobj(31).decompress(head, len(head)))
    return heads


def unread_problem(text: str, code: str = "archive-unread") -> Problem:
    """The problem of an archive in a format that is not read, or of a file that is no page. `text`: what it is and what
    to do.
    """
    return container_problem(code, 0, text)
