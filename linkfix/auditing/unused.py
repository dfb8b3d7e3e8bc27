"""Files of a tree that nothing in it refers to: no reference, and no name in a script, in data or in other text.

A program may compose the name of a file. So a file counts as used if a part of its name that identifies it occurs in
any text file of the tree; only in documents whose references are read must a common name be in its folder. Each text
file is read once, in blocks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from posixpath import splitext
from typing import NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

from linkfix.auditing.listing import Listing
from linkfix.files.atomic import open_file
from linkfix.files.data_formats import DATA_TYPES
from linkfix.files.media_types import media_type, source_type
from linkfix.lazy import lazy_pattern
from linkfix.model import SOURCE_TYPES

#: The types of pages, which another rule is about.
_PAGES = frozenset({"text/html", "application/xhtml+xml"}) | SOURCE_TYPES

#: The types of documents whose references are all read.
_DOCUMENTS = _PAGES | DATA_TYPES | {"text/css", "image/svg+xml"}

#: Files at the root of a site that browsers, crawlers, hosts and app stores ask for by their names.
_AT_ROOT = lazy_pattern(
    r"""(?x)(?: robots\.txt | sitemap[^/]*\.(?:xml|txt)(?:\.gz)? | favicon\.(?:ico|png|svg) | apple-touch-icon[^/]*\.png
    | (?:app-)?ads\.txt | (?:humans|security|llms|llms-full)\.txt | browserconfig\.xml | crossdomain\.xml
    | clientaccesspolicy\.xml | [0-9a-f-]{8,128}\.txt | cname | _redirects | _headers | _routes\.json | _worker\.js
    | (?:netlify|wrangler)\.toml | \.(?:vercel|assets)ignore | web\.config
    | (?:vercel|now|firebase|serve|staticwebapp\.config)\.json
    | (?:sw|service-?worker)\.js | objects\.inv | functions/.* | _sources/.* )\Z""",
)

#: Names that people look for in any folder: licences of fonts and libraries stay beside them.
_ANYWHERE = lazy_pattern(r"(?:licen[cs]e|copying|notice|readme|changelog|authors|ofl)(?:[.-].*)?\Z")

#: Folders of names that are not published, or not asked for by references.
_HIDDEN = lazy_pattern(r"(?:.*/)?(?:\.|node_modules/)", re.DOTALL)

#: The ends of files that a server or a browser takes beside another file, by the name of that file.
_BESIDE = (".gz", ".br", ".zst", ".map")

#: The suffixes of files without text that names other files.
_WITHOUT_NAMES = frozenset(
    f".{suffix}"
    for suffix in """
    png jpg jpeg gif webp avif ico bmp woff woff2 ttf otf eot mp3 mp4 m4a ogg wav webm mov pdf zip gz br zst xz bz2 7z
    wasm map inv
    """.split()
)

#: The blocks in which text files are read, and the overlap of two blocks, in bytes. Longer names are not found.
_BLOCK, _OVERLAP = 1 << 20, 1 << 10

#: The bytes at the beginning of a file that show whether it is text.
_HEAD = 1 << 10

#: The bytes around names in texts.
_AROUND = rb"\s\"'`<>()\[\]{},;=:/\\|?#&*"

#: A name in a text; a name and the folder before it; and the string of a folder that a program adds a name to:
#: `"img/" + name`, `img/${name}`.
_NAME = lazy_pattern(rb"[^" + _AROUND + rb"]+")
_IN_FOLDER = lazy_pattern(rb"(?<![^" + _AROUND + rb"])([^" + _AROUND + rb"]++)/(?=([^" + _AROUND + rb"]++))")
_FOLDER = lazy_pattern(rb"(?<![^" + _AROUND + rb"])([^" + _AROUND + rb"]++)\\?/[\"'`$]")

#: A part of a name that identifies it, such as a hash, where it has a digit: programs keep such parts in tables.
_PART = lazy_pattern(rb"[0-9a-z]{6,}")
_DIGIT = lazy_pattern(rb"[0-9]")


_Key = TypeVar("_Key", bytes, tuple[bytes, bytes])


class UnusedFile(NamedTuple):
    """A file that nothing refers to."""

    size: int
    """Its size in bytes."""
    group: str
    """The highest folder that has only such files, else its own folder: with a slash at the end, or "" for the root."""


def find_unused(
    listing: Listing, used: Collection[str], is_index: Callable[[str], bool], is_chosen: Callable[[str], bool]
) -> dict[str, UnusedFile]:
    """The unused files of a tree, by their names.

    `used`: the names of files that references lead to. `is_index`: whether a file with a name (no folder) is the index
    of its folder. `is_chosen`: whether a file is asked about.
    """
    types = {page.name: page.media_type for page in listing.pages}
    files = set(listing.files)
    asked = [name for name in listing.files if name not in used and not _is_entry(name, types.get(name), is_index)]
    beside = {name: base for name in asked if (base := _base(name)) in files}
    search = _Search([name for name in asked if name not in beside], listing.files, types, is_index)
    for name in listing.files:
        if not search.wanted:
            break
        if splitext(name)[1].lower() not in _WITHOUT_NAMES:
            search.read(listing, name)
    unused = {name for name in asked if beside.get(name, name) in search.wanted}
    groups = _groups(listing.files, unused)
    found = {}
    for name in asked:
        if name in unused and is_chosen(name):
            try:
                with open_file(listing.file(name)) as file:
                    found[name] = UnusedFile(file.seek(0, 2), groups[name])
            except OSError:  # gone since, or not readable
                continue
    return found


def _is_entry(name: str, type_: str | None, is_index: Callable[[str], bool]) -> bool:
    """Whether a file needs no reference. `type_`: the media type of a document that is checked."""
    lower = name.lower()
    last = _last(lower)
    kind = type_ or media_type(last) or source_type(last)
    is_named = _AT_ROOT.match(lower) or _ANYWHERE.match(last) or _HIDDEN.match(lower)
    return kind in _PAGES or (type_ is not None and kind in DATA_TYPES) or is_named is not None or is_index(last)


def _base(name: str) -> str:
    """The name of the file beside which a file is asked for; "" for none."""
    stem, suffix = splitext(name)
    if suffix.lower() in _BESIDE:
        return stem
    return stem[: -len("@2x")] + suffix if stem.endswith(("@2x", "@3x")) else ""


class _Search:
    """A search for the names of files. `wanted`: the names that were not found yet."""

    def __init__(
        self, asked: list[str], files: Iterable[str], types: Mapping[str, str], is_index: Callable[[str], bool]
    ) -> None:
        self.wanted = set(asked)
        self._types = types
        number = Counter(_key(name) for name in files)
        listed = {_folder(name) for name in asked} - {_folder(name) for name in files if is_index(_last(name))}
        #: A part of a document -> the files that it names: a name that only one file has, and the string
        #: of a folder without an index, which lists its files. And a name with its folder, which may be the
        #: document's own.
        self._anywhere: dict[bytes, list[str]] = defaultdict(list)
        self._listed: dict[bytes, list[str]] = defaultdict(list)
        self._in_folder: dict[tuple[bytes, bytes], list[str]] = defaultdict(list)
        #: In texts that are no documents: any name, the string of any folder, and a part of a name.
        self._names: dict[bytes, list[str]] = defaultdict(list)
        self._folders: dict[bytes, list[str]] = defaultdict(list)
        self._parts: dict[bytes, list[str]] = defaultdict(list)
        for name in asked:
            key, folder = _key(name), _bytes(_last(_folder(name)))
            if number[key] == 1:
                self._anywhere[key].append(name)
            self._names[key].append(name)
            self._in_folder[folder, key].append(name)
            if folder:
                self._folders[folder].append(name)
                if _folder(name) in listed:
                    self._listed[folder].append(name)
            for part in _PART.findall(splitext(_bytes(_last(name)))[0]):
                if _DIGIT.search(part):
                    self._parts[part].append(name)

    def read(self, listing: Listing, name: str) -> None:
        """Search a file for names of others."""
        is_document = self._types.get(name) in _DOCUMENTS
        try:
            with open_file(listing.file(name)) as file:
                block = file.read(_BLOCK)
                if b"\0" in block[:_HEAD]:
                    return
                while block:
                    self._search(block.lower(), name, is_document=is_document)
                    more = file.read(_BLOCK)
                    block = block[-_OVERLAP:] + more if more else b""
        except OSError:  # it is reported as unread if it is a page
            return

    def _search(self, text: bytes, name: str, *, is_document: bool) -> None:
        """Search a part of a file with a name."""
        names, folders = set(_NAME.findall(text)), set(_FOLDER.findall(text))
        names |= {part for one in names if b"%" in one for part in _NAME.findall(unquote_to_bytes(one).lower())}
        names |= {one.rstrip(b".") for one in names if one.endswith(b".")}
        if is_document:
            self._find(self._anywhere, names, name)
            self._find(self._listed, folders, name)
            own = _bytes(_last(_folder(name)))
            self._find(self._in_folder, {*_IN_FOLDER.findall(text), *((own, one) for one in names)}, name)
        else:
            self._find(self._names, names, name)
            self._find(self._folders, folders, name)
        if not is_document or b"<script" in text:
            self._find(self._parts, set(_PART.findall(text)), name)

    def _find(self, table: dict[_Key, list[str]], found: set[_Key], name: str) -> None:
        """Take the files out of `wanted` that a table has for what was found in a file, except the file itself."""
        for key in table.keys() & found:
            self.wanted.difference_update(one for one in table[key] if one != name)
            table[key] = [one for one in table[key] if one == name]
            if not table[key]:
                del table[key]


def _key(name: str) -> bytes:
    """The longest part of a file's name (no folder) that is one name in a text."""
    last = _bytes(_last(name))
    return max(_NAME.findall(last), key=len, default=last)


def _bytes(name: str) -> bytes:
    return name.lower().encode("utf-8", "surrogateescape")


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _groups(files: Iterable[str], unused: Collection[str]) -> dict[str, str]:
    """The group of each unused file."""
    mixed = {folder for name in files if name not in unused for folder in _above(name)}
    return {name: next((one for one in _above(name) if one and one not in mixed), _above(name)[-1]) for name in unused}


def _above(name: str) -> list[str]:
    """The folders that contain a file, the highest first: "", "a/", "a/b/"."""
    parts = name.split("/")[:-1]
    return ["".join(f"{part}/" for part in parts[:number]) for number in range(len(parts) + 1)]
