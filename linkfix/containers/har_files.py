"""The files with bodies that a HAR names, and the reasons why one is not read."""

from __future__ import annotations

import io
from typing import NamedTuple, Protocol

from linkfix.containers.part import Allowance, OpenBeside

_GIVE_FILE = 'give that file and --url, or record bodies in the HAR (Playwright: content "embed")'


class AttachedFiles(Protocol):
    """The files with bodies beside a HAR."""

    def read(self, name: str, allowance: Allowance) -> bytes | Unreadable:
        """Return the content of a file. `name`: a plain name, without folders."""

    def replace(self, name: str, new: bytes) -> bool:
        """Take the new content of a file; return whether it is taken."""


class Unreadable(NamedTuple):
    """The reason why a file with a body cannot be read."""

    code: str
    """A code of `linkfix.model.PROBLEMS`."""
    detail: str


class FilesInFolder:
    """The files in the folder of a HAR. They are never changed here."""

    def __init__(self, beside: OpenBeside | None) -> None:
        self._beside = beside

    def read(self, name: str, allowance: Allowance) -> bytes | Unreadable:
        """See `AttachedFiles.read`."""
        if self._beside is None:
            return Unreadable("part-missing", f"it is in the file {name!r}: {_GIVE_FILE}")
        try:
            with self._beside(name) as file:
                size = file.seek(0, io.SEEK_END)
                allowance.add_file(name, size)
                limit = allowance.limit(size)
                file.seek(0)
                data = file.read(limit + 1)
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return Unreadable("part-missing", f"it is in the file {name!r}, which is not beside the HAR: {_GIVE_FILE}")
        return data if len(data) <= limit else Unreadable(*allowance.reached(size))

    def replace(self, name: str, new: bytes) -> bool:
        """See `AttachedFiles.replace`."""
        return False
