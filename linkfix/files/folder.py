"""A tree of saved pages on disk: which of its files are documents, and which URL each one stands for.

Nothing is read here but folders and the first bytes of files whose name does not say what they are; nothing is
written. Symbolic links are reported, never followed.
"""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.files.atomic import inside, is_temporary
from linkfix.files.media_types import RESOURCE_HEADER, media_type, sniff_html

__all__ = ["HEAD", "INDEX_NAMES", "Entry", "EntryKind", "Formats", "Tree", "selector"]

#: File names that stand for their folder.
INDEX_NAMES = ("index.html", "index.htm", "index.xhtml")

#: Suffixes of plain texts (RFC 2046 §4.1): documents where they are named outright, and hold no HTML.
_TEXT = (".txt", ".text")

#: How many bytes of a file tell which container it is.
HEAD = 4096

#: Linux's PATH_MAX, the largest of any system: no longer name of a file is looked for.
_LONGEST = 4096

#: RFC 3986 §3.3: what a path segment holds unescaped besides the unreserved characters.
_SEGMENT = "!$&'()*+,;=:@"


class EntryKind(enum.Enum):
    """What stands at a name of a tree."""

    DOCUMENT = "document"
    CONTAINER = "container"
    OTHER = "other"
    FOLDER = "folder"
    LINK = "link"
    REFUSED = "refused"
    FAILED = "failed"


class Formats(NamedTuple):
    """The container formats that files can have.

    `suffixes()`: those of their names, lower case, with their dots. `recognise(head, name)`: the format of a file with
    these first bytes (`HEAD`) and this name, "" for none.
    """

    suffixes: Callable[[], tuple[str, ...]]
    recognise: Callable[[bytes, str], str]


def _no_format(_head: bytes, _name: str) -> str:
    return ""


_NO_FORMATS = Formats(tuple, _no_format)


class Entry(NamedTuple):
    """A name of a tree.

    `name` is relative to the root, with "/" between folders, "" for the root itself. `size` is in bytes.
    `media_type`: of a document. `format`: of a container, what `Formats.recognise` calls it. `text`: where a LINK leads, as its copy must say it; why an entry is REFUSED (a link
    out of the tree, a device) or FAILED (the system's message).
    """

    kind: EntryKind
    name: str
    size: int = 0
    media_type: str = ""
    text: str = ""
    format: str = ""


def selector(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> Callable[[str], bool]:
    """Whether a name of a tree is chosen: it matches `include` (if there is any) and not `exclude`.

    The patterns are those of .gitignore: `*.html`, `docs/`, `/top.html`, `a/**/b`.
    """
    if not include and not exclude:
        return lambda _: True
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  # used by few runs

    wanted = GitIgnoreSpec.from_lines(include or ["*"])
    unwanted = GitIgnoreSpec.from_lines(exclude)
    return lambda name: wanted.match_file(name) and not unwanted.match_file(name)


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of saved pages.

    `root`: its real path. `url`: the URL that the folder stands for, with a final slash. `formats`: the containers that
    are looked for in it.
    """

    root: str
    url: str | None = None
    formats: Formats = _NO_FORMATS

    def path(self, name: str) -> str:
        """Where a name of the tree is on disk."""
        return os.path.join(self.root, *name.split("/")) if name else self.root

    def url_of(self, name: str) -> str | None:
        """The URL that a file of the tree was retrieved from: an index file names its folder, a `?` starts a query."""
        if self.url is None:
            return None
        folder, slash, last = name.rpartition("/")
        last, mark, query = last.partition("?")
        if last.lower() in INDEX_NAMES:
            last = ""
        path = quote_from_bytes(os.fsencode(folder + slash + last), "/" + _SEGMENT)
        return self.url + path + mark + quote_from_bytes(os.fsencode(query), "/%?" + _SEGMENT)

    def holds(self, target: str) -> bool:
        """Whether an absolute URL is that of a file of the tree, or of a folder that has an index file."""
        if self.url is None:
            return False
        path, mark, query = target.partition("#")[0].partition("?")
        if not path.startswith(self.url):
            return False
        name = os.fsdecode(unquote_to_bytes(path[len(self.url) :]))
        saved = name + mark + os.fsdecode(unquote_to_bytes(query)).replace("/", "%2F")
        return len(saved) <= _LONGEST and "\0" not in saved and (self._present(name) or self._present(saved))

    def _present(self, name: str) -> bool:
        path = os.path.realpath(os.path.join(self.root, name))
        files = (path, *(os.path.join(path, index) for index in INDEX_NAMES))
        return inside(path, self.root) and any(map(os.path.isfile, files))

    def entry(self, name: str, *, chosen: Callable[[str], bool] = lambda _: True, outright: bool = False) -> Entry:
        """What stands at `name`. A document or container that is not `chosen` is an OTHER. Never raises `OSError`.

        `outright`: a file whose name does not say that it is a container may be one too, and plain text is a document.
        """
        try:
            status = os.lstat(self.path(name))
            if stat.S_ISLNK(status.st_mode):
                return self._link(name)
            if stat.S_ISDIR(status.st_mode):
                return Entry(EntryKind.FOLDER, name)
            if not stat.S_ISREG(status.st_mode):
                return Entry(EntryKind.REFUSED, name, text="not a regular file: left out")
            entry = self._file(name, outright=outright) if chosen(name) else Entry(EntryKind.OTHER, name)
        except OSError as error:
            return Entry(EntryKind.FAILED, name, text=error.strerror or str(error))
        return entry._replace(size=status.st_size)

    def _file(self, name: str, *, outright: bool) -> Entry:
        """What a regular file is; its size is left out."""
        found = media_type(os.path.basename(name))
        text = outright and name.lower().endswith(_TEXT)
        packed = outright or name.lower().endswith(self.formats.suffixes())
        if not found and (packed or found == ""):
            with open(self.path(name), "rb") as file:
                head = file.read(HEAD)
            found = sniff_html(head[:RESOURCE_HEADER]) if found == "" else None
            if not found and packed and (format_ := self.formats.recognise(head, name)):
                return Entry(EntryKind.CONTAINER, name, format=format_)
            if text and sniff_html(head[:RESOURCE_HEADER]) is None:
                found = "text/plain"
        return Entry(EntryKind.DOCUMENT, name, media_type=found) if found else Entry(EntryKind.OTHER, name)

    def entries(self, *, chosen: Callable[[str], bool] = lambda _: True) -> Iterator[Entry]:
        """Every name of the tree, the root first and each folder before what is in it, in the order of the names.

        A folder that cannot be read is a FAILED entry. What a stopped run left behind is left out.
        """
        waiting = [""]
        while waiting:
            entry = self.entry(waiting.pop(), chosen=chosen)
            yield entry
            if entry.kind is not EntryKind.FOLDER:
                continue
            try:
                names = sorted(os.listdir(self.path(entry.name)), reverse=True)
            except OSError as error:
                yield Entry(EntryKind.FAILED, entry.name, text=error.strerror or str(error))
                continue
            prefix = entry.name and entry.name + "/"
            waiting += [prefix + name for name in names if not is_temporary(name)]

    def _link(self, name: str) -> Entry:
        real = os.path.realpath(self.path(name))
        if not inside(real, self.root):
            text = f"symbolic link out of the tree, to {os.readlink(self.path(name))}: not followed"
            return Entry(EntryKind.REFUSED, name, text=text)
        return Entry(EntryKind.LINK, name, text=os.path.relpath(real, os.path.dirname(self.path(name))))
