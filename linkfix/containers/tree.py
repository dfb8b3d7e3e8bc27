"""A tree of saved pages on disk: which of its files are documents, and which URL each one stands for.

Nothing is read here but folders and the first bytes of files whose name does not say what they are; nothing is
written. Symbolic links are reported, never followed.
"""

from __future__ import annotations

import enum
import functools
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.containers import CONTAINERS, container, recognise
from linkfix.errors import InvalidBase
from linkfix.files import inside, is_temporary
from linkfix.resolvers import RESOLVERS

__all__ = [
    "HEAD",
    "INDEX_NAMES",
    "MEDIA_TYPES",
    "RESOURCE_HEADER",
    "SERVED",
    "Entry",
    "Kind",
    "Tree",
    "media_type",
    "root_url",
    "selector",
    "sniff",
]

#: File names that stand for their folder.
INDEX_NAMES = ("index.html", "index.htm", "index.xhtml")

#: A name's last suffix (lower case) -> the media type of a document.
MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".shtml": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
}

#: Suffixes of plain texts (RFC 2046 §4.1): documents where they are named outright, and hold no HTML.
_TEXT = (".txt", ".text")

#: Suffixes of programs whose output savers keep under the program's name, and no suffix: the content decides.
SERVED = frozenset({"", ".asp", ".aspx", ".cfm", ".cgi", ".do", ".jsp", ".jspx", ".php", ".php3", ".phtml", ".pl"})

#: MIME Sniffing §7.1 "rules for identifying an unknown MIME type": the rows whose result is text/html; any white space
#: ends a tag's name here, and the XML declaration of XHTML that was served as HTML may come first.
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<\?xml [^>]*>[\t\n\f\r ]*)?"
    rb"<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[\t\n\f\r >]",
    re.IGNORECASE,
)
#: The program itself, and not what it put out.
_PROGRAM = re.compile(rb"<\?(?!xml)|<%")
#: MIME Sniffing §5.2: how many bytes of a resource decide.
RESOURCE_HEADER = 1445

#: How many bytes of a file tell which container it is.
HEAD = 4096

#: Linux's PATH_MAX, the largest of any system: no longer name of a file is looked for.
_LONGEST = 4096

#: RFC 3986 §3.3: what a path segment holds unescaped besides the unreserved characters.
_SEGMENT = "!$&'()*+,;=:@"


class Kind(enum.Enum):
    """What stands at a name of a tree."""

    DOCUMENT = "document"
    CONTAINER = "container"
    OTHER = "other"
    FOLDER = "folder"
    LINK = "link"
    REFUSED = "refused"
    FAILED = "failed"


class Entry(NamedTuple):
    """A name of a tree.

    `name` is relative to the root, with "/" between folders, "" for the root itself. `size` is in bytes.
    `media_type`: of a document. `text`: where a LINK leads, as its copy must say it; why an entry is REFUSED (a link
    out of the tree, a device) or FAILED (the system's message).
    """

    kind: Kind
    name: str
    size: int = 0
    media_type: str = ""
    text: str = ""


@functools.cache
def _container_suffixes() -> tuple[str, ...]:
    return tuple(suffix for name in CONTAINERS for suffix in container(name).SUFFIXES)


def sniff(head: bytes) -> str | None:
    """`text/html` where the first bytes of a file are those of an HTML document (MIME Sniffing §7.1), else None."""
    return "text/html" if _HTML.match(head) and not _PROGRAM.search(head) else None


def media_type(name: str) -> str | None:
    """The media type that a file name (no folder) states: "" where only the content can tell, None for no document.

    Savers keep a query in the name: `page.html?q=1`, where that is no character of a name `page.html@q=1`, and either
    may have got a suffix more, `page.php?q=1.html`. Not case-sensitive.
    """
    whole = name.lower()
    path = whole.partition("?")[0]
    suffixes = [os.path.splitext(candidate)[1] for candidate in (path.partition("@")[0], path)]
    for suffix in suffixes:
        if suffix in MEDIA_TYPES:
            return MEDIA_TYPES[suffix]
    served = (suffixes[0] or suffixes[1]) in SERVED
    return "" if served or os.path.splitext(whole)[1] in MEDIA_TYPES else None


def root_url(url: str) -> str:
    """The URL of a tree's root, as a folder: with a final slash. Raises `InvalidBase` for what names no folder."""
    whatwg = RESOLVERS["whatwg"]
    folder = url if url.endswith("/") or url.rpartition("/")[2] in INDEX_NAMES else url + "/"
    target = whatwg.resolve(folder, "./").target if whatwg.is_absolute(url) else None
    if target is None or "?" in url or "#" in url:
        message = f"{url!r} is not the absolute URL of a folder: give one such as 'https://example.com/docs/'"
        raise InvalidBase(message)
    return target


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
    """A folder of saved pages. `root`: its real path; `url`: the URL that the folder stands for, see `root_url`."""

    root: str
    url: str | None = None

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
                return Entry(Kind.FOLDER, name)
            if not stat.S_ISREG(status.st_mode):
                return Entry(Kind.REFUSED, name, text="not a regular file: left out")
            kind, found = self._content(name, outright=outright) if chosen(name) else (Kind.OTHER, "")
        except OSError as error:
            return Entry(Kind.FAILED, name, text=error.strerror or str(error))
        return Entry(kind, name, status.st_size, found)

    def _content(self, name: str, *, outright: bool) -> tuple[Kind, str]:
        """What a regular file is, and the media type of a document."""
        found = media_type(os.path.basename(name))
        text = outright and name.lower().endswith(_TEXT)
        packed = outright or name.lower().endswith(_container_suffixes())
        if not found and (packed or found == ""):
            with open(self.path(name), "rb") as file:
                head = file.read(HEAD)
            found = sniff(head[:RESOURCE_HEADER]) if found == "" else None
            if not found and packed and recognise(head, name) is not None:
                return Kind.CONTAINER, ""
            if text and sniff(head[:RESOURCE_HEADER]) is None:
                found = "text/plain"
        return (Kind.DOCUMENT, found) if found else (Kind.OTHER, "")

    def entries(self, *, chosen: Callable[[str], bool] = lambda _: True) -> Iterator[Entry]:
        """Every name of the tree, the root first and each folder before what is in it, in the order of the names.

        A folder that cannot be read is a FAILED entry. What a stopped run left behind is left out.
        """
        waiting = [""]
        while waiting:
            entry = self.entry(waiting.pop(), chosen=chosen)
            yield entry
            if entry.kind is not Kind.FOLDER:
                continue
            try:
                names = sorted(os.listdir(self.path(entry.name)), reverse=True)
            except OSError as error:
                yield Entry(Kind.FAILED, entry.name, text=error.strerror or str(error))
                continue
            prefix = entry.name and entry.name + "/"
            waiting += [prefix + name for name in names if not is_temporary(name)]

    def _link(self, name: str) -> Entry:
        real = os.path.realpath(self.path(name))
        if not inside(real, self.root):
            text = f"symbolic link out of the tree, to {os.readlink(self.path(name))}: not followed"
            return Entry(Kind.REFUSED, name, text=text)
        return Entry(Kind.LINK, name, text=os.path.relpath(real, os.path.dirname(self.path(name))))
