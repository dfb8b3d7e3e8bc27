"""A folder of saved pages on disk: which of its files are documents or containers, and which URL each stands for.

Its files are recognized by their names and first bytes; nothing is written. Symbolic links are reported, and not
followed. This module also decides which file a relative reference names, and whether somebody else owns a file of
settings.
"""

from __future__ import annotations

import contextlib
import enum
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.files.atomic import is_temporary
from linkfix.files.descriptors import PATH_MAX, FilePath, OpenFolder, is_inside, join_inside, open_folder, open_parent
from linkfix.files.media_types import (
    HEADER,
    RESOURCE_HEADER,
    binary_type,
    is_archive_name,
    may_be_any,
    media_type,
    other_file,
    script_type,
    sniff,
    type_if_named,
)
from linkfix.lazy import lazy_pattern

if TYPE_CHECKING:
    from pathlib import Path

#: Names in the root of a repository: folders, or files in a worktree or submodule.
_REPOSITORY_MARKS = (".git", ".hg", ".jj")

#: File names that stand for their folder.
INDEX_NAMES = ("index.html", "index.htm", "index.xhtml")

#: The source of a file's URL, in words, if only its place in a folder with a URL states it.
URL_OF_TREE = "the URL of the folder, and the file name"

#: The number of bytes at a file's beginning that tell its container format.
HEAD_SIZE = 4096

#: RFC 3986 §3.3: what a path segment holds unescaped besides the unreserved characters.
_SEGMENT = "!$&'()*+,;=:@"

_WITHOUT_ESCAPES = lazy_pattern(rf"[A-Za-z0-9_.~/{re.escape(_SEGMENT)}-]*")


def is_repository_root(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is the root of a repository of git, Mercurial or Jujutsu."""
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in _REPOSITORY_MARKS)


#: The part of a file of git that is read, in bytes. Paths are not longer.
_LONGEST_TEXT = 4096

#: The path of the work tree in the configuration of a submodule's git directory, and an escape in it (git-config(1)).
_WORKTREE = lazy_pattern(r'^[ \t]*worktree[ \t]*=[ \t]*"?(.*?)"?[ \t]*$', re.MULTILINE)

_ESCAPE = lazy_pattern(r'\\(["\\])')


def git_directory(top: Path) -> Path | None:
    """The git directory of a work tree; None for one that does not name this work tree.

    A linked work tree and a submodule have a file `.git` with the path of their git directory
    (gitrepository-layout(5)). Whoever made the files of the work tree may have made that file too, or a symbolic link.
    It must not choose what is read or written elsewhere, so that the git directory has to point back.
    """
    mark = top / ".git"
    if mark.is_symlink():
        return None
    if mark.is_dir():
        return mark
    name, _, place = _text(mark).partition(": ")
    if name != "gitdir":
        return None
    git = top / place.rstrip("\n")
    back = _text(git / "gitdir").rstrip("\n")  # of a linked work tree: the path of its file
    submodule = _WORKTREE.search(_text(git / "config"))
    if back:
        named = (git / back).parent
    elif submodule:
        named = git / _ESCAPE.sub(r"\1", submodule[1])
    else:
        return None
    return git if os.path.realpath(named) == os.path.realpath(top) else None


def _text(path: Path) -> str:
    """The beginning of a regular file, which is long enough for git's own; "" if there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return os.fsdecode(file.read(_LONGEST_TEXT))


# Whether a settings file that was found above a folder is the user's own, or may be somebody else's.
#
# It is somebody else's if
#
# - another user owns it, or owns the symbolic link that it is. Root's files are trusted, since root can change
#   everything anyway; so are, for root under sudo, the files of the user who called sudo (as git does it:
#   safe.directory). Windows has no such owners, and nothing is checked there;
# - it lies above the root of the repository that the working folder is in: whoever made that repository, the file is no
#   part of it.
#
# A container of a CI service often runs as another user than the owner of the checkout, which looks no different from a
# stranger's folder: there the file has to be named, with --config.


def reason_to_doubt(path: Path, repository: Path | None, status: os.stat_result) -> str:
    """Why a settings file may be somebody else's; "" if it is the user's own.

    `repository`: the root that the search for the file has left, or None. `status`: that of the open file.
    """
    if repository is not None:
        return f"the file is above the repository {repository}"
    if not hasattr(os, "geteuid"):
        return ""
    user = os.geteuid()
    trusted = {user, 0}
    caller = os.environ.get("SUDO_UID", "")
    if user == 0 and caller.isdecimal():
        trusted.add(int(caller))
    for owner in (status.st_uid, path.lstat().st_uid):
        if owner not in trusted:
            return f"the file belongs to user {owner}, but linkfix runs as user {user}"
    return ""


class EntryKind(enum.Enum):
    """The kind of an entry of a tree."""

    DOCUMENT = "document"
    CONTAINER = "container"
    UNREAD = "unread"
    """An archive of pages, in a format that is not read; a binary file that has a document's name."""
    OTHER = "other"
    """Any other regular file."""
    FOLDER = "folder"
    LINK = "link"
    """A symbolic link to something inside the tree."""
    REFUSED = "refused"
    """Left out on purpose: a symbolic link out of the tree."""
    FAILED = "failed"
    """Cannot be read: also a pipe, socket or device."""


class Entry(NamedTuple):
    """One name in a tree, and what it stands for."""

    kind: EntryKind
    name: str
    """The path below the tree's root, with "/" between folders; "" for the root itself."""
    size: int = 0
    """In bytes."""
    media_type: str = ""
    """DOCUMENT: its type. OTHER: the type of a script, whose references can be listed."""
    text: str = ""
    """LINK: its target, as a copy must state it. UNREAD: its kind, and the next step. REFUSED or FAILED: the reason.
    OTHER that the caller named: its kind, if that is known, and the next step."""
    problem: str = ""
    """UNREAD, or an OTHER of a known kind: the code of the problem that says so."""
    format: str = ""
    """CONTAINER: its format, from `ContainerFormats.recognise`."""
    identity: tuple[int, int] | None = None
    """The device and inode of a regular file with several names (hard links); None for other files."""


class ContainerFormats(NamedTuple):
    """The functions that recognise container formats."""

    suffixes: Callable[[], tuple[str, ...]]
    """The suffixes of their file names, lower case, with dots: those that are read, and those that `explain` knows."""
    recognise: Callable[[bytes, str], str]
    """`recognise(head, name)`: the format of a file by its first `HEAD_SIZE` bytes and its name; "" for none."""
    explain: Callable[[bytes, str], str]
    """`explain(head, name)`: what a file is whose format is known and not read, and what to do; "" for others."""
    of_page: Callable[[bytes, Callable[[int], bytes]], str]
    """`of_page(head, tail)`: the format of a file that has the name of a page; "" for none. `tail(size)`: returns the
    file's last bytes."""


def _recognise_none(_head: bytes, _name: str) -> str:
    return ""


def _recognise_no_page(_head: bytes, _tail: Callable[[int], bytes]) -> str:
    return ""


#: Named functions, so that a tree can be pickled.
_NO_FORMATS = ContainerFormats(tuple, _recognise_none, _recognise_none, _recognise_no_page)


def selector(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> Callable[[str], bool]:
    """Make a function that says whether a name is chosen: it matches `include`, if given, and not `exclude`.

    The patterns are those of .gitignore: `*.html`, `docs/`, `/top.html`, `a/**/b`.
    """
    if not include and not exclude:
        return lambda _: True
    from linkfix.files.patterns import NamePatterns  # used by few runs

    wanted = NamePatterns(include or ["*"])
    unwanted = NamePatterns(exclude)
    return lambda name: wanted.match(name) and not unwanted.match(name)


class FileTree(NamedTuple):
    """A folder of saved pages."""

    root: str
    """Its real path."""
    url: str | None = None
    """The URL that the folder stands for, with a final slash."""
    formats: ContainerFormats = _NO_FORMATS
    """The container formats to recognise."""

    def path(self, name: str) -> str:
        """The path on disk of a name in the tree."""
        return join_inside(self.root, name)

    def file(self, name: str) -> FilePath:
        """The path of a name, for functions that follow no symbolic link on the way to it."""
        return FilePath(self.path(name), self.root)

    def open(self, name: str) -> BinaryIO:
        """Open a file of the tree to read it; no symbolic link is followed. Raises `OSError`."""
        with open_parent(self.file(name)) as (folder, last):
            return folder.file(last)

    def has_file(self, name: str) -> bool:
        """Whether the tree has a regular file of this name; no symbolic link is followed."""
        return self._is_file(self.path(name))

    def has_folder(self, name: str) -> bool:
        """Whether the tree has a folder of this name; no symbolic link is followed."""
        try:
            with open_folder(self.file(name)):
                return True
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return False

    def names_in(self, folder: str) -> list[str]:
        """The names in a folder of the tree, in no order; none where it cannot be listed."""
        try:
            with open_folder(self.file(folder)) as opened:
                return opened.names()
        except (OSError, ValueError):
            return []

    def url_of(self, name: str, indexes: Collection[str] = INDEX_NAMES) -> str | None:
        """The URL that a file was retrieved from: an index file has its folder's, and "?" begins a query.

        `indexes`: the names of index files, in lower case.
        """
        if self.url is None:
            return None
        folder, slash, last = name.rpartition("/")
        last, mark, query = last.partition("?")
        if last.lower() in indexes:
            last = ""
        if not mark and _WITHOUT_ESCAPES.fullmatch(name):
            return self.url + folder + slash + last
        path = quote_from_bytes(os.fsencode(folder + slash + last), "/" + _SEGMENT)
        return self.url + path + mark + quote_from_bytes(os.fsencode(query), "/%?" + _SEGMENT)

    def has_url(self, target: str) -> bool:
        """Whether an absolute URL is that of a file in the tree, or of a folder with an index file."""
        if self.url is None:
            return False
        path, mark, query = target.partition("#")[0].partition("?")
        if not path.startswith(self.url):
            return False
        name = os.fsdecode(unquote_to_bytes(path[len(self.url) :]))
        with_query = name + mark + os.fsdecode(unquote_to_bytes(query)).replace("/", "%2F")
        if len(with_query) > PATH_MAX or "\0" in with_query:
            return False
        return self._has_page(name) or self._has_page(with_query)

    def _has_page(self, name: str) -> bool:
        path = os.path.realpath(os.path.join(self.root, name))
        files = (path, *(os.path.join(path, index) for index in INDEX_NAMES))
        return is_inside(path, self.root) and any(map(self._is_file, files))

    def _is_file(self, path: str) -> bool:
        try:
            with open_parent(FilePath(path, self.root)) as (folder, last):
                return stat.S_ISREG(folder.status(last).st_mode)
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return False

    def entries(self, *, chosen: Callable[[str], bool] = lambda _: True) -> Iterator[Entry]:
        """Yield every entry, the root first and each folder before its contents, sorted by name.

        A folder that cannot be listed is a FAILED entry. Temporary files of an interrupted run are left out.
        """
        waiting = [""]
        with contextlib.closing(_HeldFolder(self)) as held:
            while waiting:
                entry = self._entry(waiting.pop(), held.open, chosen)
                yield entry
                if entry.kind is not EntryKind.FOLDER:
                    continue
                try:
                    names = sorted(held.open(entry.name).names(), reverse=True)
                except OSError as error:
                    yield Entry(EntryKind.FAILED, entry.name, text=error.strerror or str(error))
                    continue
                prefix = entry.name and entry.name + "/"
                waiting += [prefix + name for name in names if not is_temporary(name)]

    def entry(self, name: str, *, chosen: Callable[[str], bool] = lambda _: True, explicit: bool = False) -> Entry:
        """The entry of a name. A document or container that `chosen` rejects is OTHER. Never raises `OSError`.

        `explicit`: the caller named this file, so that it may be a container whatever its suffix, and plain text,
        Markdown and any XML are documents.
        """
        with contextlib.closing(_HeldFolder(self)) as held:
            return self._entry(name, held.open, chosen, explicit=explicit)

    def _entry(
        self, name: str, open_: Callable[[str], OpenFolder], chosen: Callable[[str], bool], *, explicit: bool = False
    ) -> Entry:
        """See `entry`. `open_`: opens a folder of the tree by its name there."""
        if not name:
            return Entry(EntryKind.FOLDER, name)
        parent, _, last = name.rpartition("/")
        try:
            folder = open_(parent)
            status = folder.status(last)
            if not stat.S_ISREG(status.st_mode):
                if stat.S_ISLNK(status.st_mode):
                    return self._link(name, folder.read_link(last))
                if stat.S_ISDIR(status.st_mode):
                    return Entry(EntryKind.FOLDER, name)
                return Entry(EntryKind.FAILED, name, text="not a regular file: skipped")
            if chosen(name):
                entry = self._file(name, status.st_size, last, folder, explicit=explicit)
            else:
                entry = Entry(EntryKind.OTHER, name, status.st_size)
        except OSError as error:
            return Entry(EntryKind.FAILED, name, text=error.strerror or str(error))
        return entry._replace(identity=(status.st_dev, status.st_ino)) if status.st_nlink > 1 else entry

    def _link(self, name: str, text: str) -> Entry:
        path = self.path(name)
        real = os.path.realpath(path)
        if not is_inside(real, self.root):
            return Entry(EntryKind.REFUSED, name, text=f"symbolic link out of the folder, to {text}: not followed")
        if os.path.islink(real):  # a circle: it leads nowhere, and so does a copy of it
            return Entry(EntryKind.LINK, name, text=text)
        return Entry(EntryKind.LINK, name, text=os.path.relpath(real, os.path.dirname(path)))

    def _file(self, name: str, size: int, last: str, folder: OpenFolder, *, explicit: bool) -> Entry:
        """The entry of a regular file, whose name in its folder is `last`.

        The first bytes of a binary format count, then the name where that is enough.
        """
        stated = media_type(last)
        if stated:
            return self._named_file(name, size, stated, last, folder)
        script = script_type(last) if stated is None else ""
        if script:
            return Entry(EntryKind.OTHER, name, size, script)
        may_be_container = explicit or name.lower().endswith(self.formats.suffixes())
        if stated is None and not may_be_container and not may_be_any(last):
            return Entry(EntryKind.OTHER, name, size)
        head = folder.head(last, HEAD_SIZE)
        if may_be_container:
            format_ = self.formats.recognise(head, name)
        else:
            format_ = self.formats.of_page(head, partial(folder.tail, last))
        sniffed = None if is_archive_name(last) else sniff(last, head[:HEADER])
        if stated == "" and sniffed:
            return Entry(EntryKind.DOCUMENT, name, size, sniffed)
        if format_:
            return Entry(EntryKind.CONTAINER, name, size, format=format_)
        if text := self.formats.explain(head, name if may_be_container else ""):
            return Entry(EntryKind.UNREAD, name, size, text=text, problem="archive-unread")
        if explicit and (type_ := type_if_named(last, is_html=bool(sniffed))):
            return Entry(EntryKind.DOCUMENT, name, size, type_)
        other = other_file(last, head) if explicit and not sniffed else None
        text, problem = ("", "") if other is None else (other.text, other.problem)
        return Entry(EntryKind.OTHER, name, size, text=text, problem=problem)

    def _named_file(self, name: str, size: int, stated: str, last: str, folder: OpenFolder) -> Entry:
        """The entry of a file whose name states a media type."""
        head = folder.head(last, RESOURCE_HEADER)
        if type_ := binary_type(head):
            return Entry(EntryKind.UNREAD, name, size, stated, type_, "binary")
        if format_ := self.formats.of_page(head, partial(folder.tail, last)):
            return Entry(EntryKind.CONTAINER, name, size, format=format_)
        return Entry(EntryKind.DOCUMENT, name, size, stated)


class _HeldFolder:
    """The folder of a tree that was opened last, which stays open for the names that are looked at in it."""

    __slots__ = ("_folder", "_name", "_opening", "_tree")

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._name = ""
        self._folder: OpenFolder | None = None
        self._opening: AbstractContextManager[OpenFolder] | None = None

    def open(self, name: str) -> OpenFolder:
        """The folder of this name in the tree; "" is the tree's own. Raises `OSError`."""
        if self._folder is None or name != self._name:
            self.close()
            opening = open_folder(self._tree.file(name))
            self._folder = opening.__enter__()
            self._opening, self._name = opening, name
        return self._folder

    def close(self) -> None:
        """Leave it."""
        opening, self._opening, self._folder = self._opening, None, None
        if opening is not None:
            opening.__exit__(None, None, None)


# References that name files by a relative path, in a tree or in an archive.


class FileReference(NamedTuple):
    """A reference to a file."""

    name: str
    """The file's path below the root, with "/" between folders."""
    query: str | None
    """Without its "?"; None where there is none."""
    fragment: str
    """With its "#"; "" where there is none."""


def resolve_reference(reference: str, folder: str) -> FileReference | None:
    """Resolve a path-relative reference, without white space around it, in a folder below the root ("" for the root).

    None where it has another form, ends with a slash, or names the root or something above it.

    >>> resolve_reference("../img/a%20b.png?v=1#x", "docs")
    FileReference(name='img/a b.png', query='v=1', fragment='#x')
    >>> resolve_reference("/img/a.png", "docs"), resolve_reference("../../a", "docs")
    (None, None)
    """
    before, mark, fragment = reference.partition("#")
    path, question, query = before.partition("?")
    name = _resolve_path([os.fsdecode(unquote_to_bytes(segment)) for segment in _segments(path)], folder)
    return FileReference(name, query if question else None, mark + fragment) if name else None


def readings(reference: str, folder: str) -> list[str]:
    """The names that a path-relative reference can mean, as `resolve_reference` takes it, first as a URL.

    Savers also write file names as they are: then "%" and "#" are part of the name. None of them leaves "?" in a name.

    >>> readings("C%23_files/a.css", ""), readings("C#_files/a.css", "d"), readings("a b/c.png", "")
    (['C#_files/a.css', 'C%23_files/a.css'], ['d/C', 'd/C#_files/a.css'], ['a b/c.png'])
    """
    as_url = resolve_reference(reference, folder)
    names = [as_url.name] if as_url is not None else []
    if "?" not in reference and ("%" in reference or "#" in reference):
        names.append(_resolve_path(_segments(reference), folder))
    return list(dict.fromkeys(name for name in names if name))


def _segments(path: str) -> list[str]:
    """The segments of a relative path that names a file; none for any other path."""
    path = path.replace("\\", "/")
    if path.startswith("/") or path.endswith("/") or len(path) > PATH_MAX:
        return []
    return path.split("/") if path else []


def _resolve_path(segments: list[str], folder: str) -> str:
    """The path below the root of a path in a folder; "" for the root and what is above it."""
    names: list[str] = []
    for name in (*folder.split("/"), *segments) if segments else ():
        if name == "..":
            if not names:
                return ""
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    whole = "/".join(names)
    return "" if "\0" in whole else whole
