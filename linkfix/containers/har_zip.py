"""A HAR in a zip archive (.har.zip), as Playwright records it: `har.har` and the files with its bodies.

`response.content._file` of an entry names the file with its body. A changed body replaces its file if no other entry
names it. Otherwise the body is written into the HAR: see `linkfix.containers.har`. All other files stay byte for byte.
Memory holds the HAR and one body.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from typing import BinaryIO

from linkfix.containers.har import Har
from linkfix.containers.har_files import Unreadable
from linkfix.containers.part import (
    Allowance,
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    container_problem,
    ignore_count,
)
from linkfix.containers.pieces import join_pieces
from linkfix.containers.zipped import Archive, Damage, ZipMember
from linkfix.files.window import Window
from linkfix.model import Envelope, Problem

_NAME = "har.har"

#: The media type of members with new content, for `Archive.copy`. It is the type of no document.
_CHANGED = "changed"


class _Members:
    """The files with bodies in an archive: see `linkfix.containers.har.AttachedFiles`."""

    def __init__(self, archive: Archive, new: _NewContents | None = None) -> None:
        self._archive = archive
        self._new = new

    def read(self, name: str, allowance: Allowance) -> bytes | Unreadable:
        """Return the content of a file."""
        found = self._archive.stored(name)
        if found is None:
            return Unreadable("part-missing", f"it is in the file {name!r}, which the archive does not have")
        packed, pieces = found
        try:
            data = join_pieces(pieces, allowance.limit(packed))
        except Damage as damage:
            return Unreadable(damage.code, damage.detail)
        return Unreadable(*allowance.reached(packed)) if data is None else data

    def replace(self, name: str, new: bytes) -> bool:
        """Take the new content of a file that one entry names."""
        return self._new is not None and self._new.put(name, new)


class _NewContents:
    """The new contents of members of an archive, in a temporary file."""

    def __init__(self, file: BinaryIO, replaceable: Callable[[str], bool]) -> None:
        self._file = file
        self._replaceable = replaceable
        self._spans: dict[str, tuple[int, int]] = {}

    def put(self, name: str, new: bytes) -> bool:
        """Take a content; return whether it is taken."""
        if not self._replaceable(name):
            return False
        self._spans[name] = self._file.tell(), len(new)
        self._file.write(new)
        return True

    def describe(self, member: ZipMember, head: bytes) -> tuple[str, Envelope] | None:
        """See `linkfix.containers.zipped.Describe`."""
        return (_CHANGED, Envelope()) if member.name in self._spans else None

    def of(self, part: Part) -> bytes:
        """Return the new content of a member."""
        start, length = self._spans[part.name]
        self._file.seek(start)
        return self._file.read(length)


class _Opened:
    """An archive with its HAR."""

    def __init__(self, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> None:
        self.archive = Archive(source, note, limits)
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._allowance = Allowance(limits, Window(source).size)
        #: The name of the HAR's member, and its text; "" if there is none that can be read.
        self.name, self.text = self._read()

    def _read(self) -> tuple[str, Window]:
        names = sorted(name for name in self.archive.files if name.endswith(".har") and "/" not in name)
        name = _NAME if _NAME in names else "".join(names[:1])
        found = _Members(self.archive).read(name, self._allowance) if name else None
        if isinstance(found, bytes):
            self._allowance.spend(len(found))
            return name, Window(found)
        if found is not None:
            self._note(container_problem(found.code, 0, f"{name!r}: {found.detail}"))
        elif self.archive.members:
            self._note(container_problem("container-damaged", 0, f"the archive has no {_NAME}"))
        return "", Window(b"")

    def har(self, note: Note, new: _NewContents | None = None) -> Har:
        """Return the HAR. `new`: takes new contents of members."""
        files = _Members(self.archive, new)
        return Har(self.text, self._envelope, note, self._limits, files, self._allowance)

    def note(self, problem: Problem) -> None:
        """Report a problem of the HAR, whose offset in the archive is that of its member. If there is none, that was
        reported.
        """
        if not self.name:
            return
        offset = next(member.offset for member in self.archive.members if member.name == self.name)
        self._note(problem._replace(start=offset, column=offset + 1))


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the bodies of a HAR; see `Container.parts`."""
    opened = _Opened(source, envelope, note, limits)
    return opened.har(opened.note).parts()


def har_text(source: BinaryIO, envelope: Envelope, limits: Limits) -> Window:
    """Return the text of the HAR in an archive; an empty one if it cannot be read."""
    return _Opened(source, envelope, lambda _: None, limits).text


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
    """Copy an archive, with the bodies that `change` changes; see `Container.rewrite`."""
    opened = _Opened(source, envelope, note, limits)
    archive = opened.archive
    uses = Counter(opened.har(lambda _: None).file_names())
    members = Counter(member.name for member in archive.members)
    with tempfile.TemporaryFile() as file:
        new = _NewContents(file, lambda name: members[name] == 1 and (uses[name] == 1 or name == opened.name))
        har = opened.har(opened.note, new)
        text = b"".join(opened.text.edited(har.edits(change)))
        if text != opened.text.read(0, opened.text.size):
            new.put(opened.name, text)
        # Members were reported when their entries were read. Only what cannot be written is new.
        archive.note = lambda problem: note(problem) if problem.code == "part-too-large" else None
        archive.copy(out, new.describe, _CHANGED.__eq__, new.of, leave_alone)
