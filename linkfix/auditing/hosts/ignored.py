"""The files that are not deployed: the host never gets them, or an ignore file names them (`.vercelignore`, …)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from linkfix.auditing.hosts.rules import RulePlace
from linkfix.auditing.hosts.values import InvalidHostFile, decoded_text
from linkfix.files.patterns import ignored_names

#: The largest number of lines: each is compared with every file.
_MOST_LINES = 1000


def _read(data: bytes) -> str:
    text = decoded_text(data)
    if text.count("\n") > _MOST_LINES:
        msg = f"the file has more than {_MOST_LINES:,} lines, and is not read"
        raise InvalidHostFile(msg, _MOST_LINES + 1)
    return text


def _read_vercelignore(data: bytes) -> str:
    """The lines without `./` at their beginnings, as Vercel's client reads them (`clearRelative`)."""
    return re.sub(r"^\./", "", _read(data), flags=re.MULTILINE)


#: The name of an ignore file -> its reader, which raises `InvalidHostFile`.
IGNORE_FILES: Mapping[str, Callable[[bytes], str]] = {
    ".vercelignore": _read_vercelignore,
    ".assetsignore": _read,
}


class Never(NamedTuple):
    """The files that a host never gets, unless its ignore file includes them again."""

    host: str
    """Its name."""
    lines: Sequence[str]
    """As in an ignore file."""


def ignored_files(never: Never, text: str, name: str, folder: str, files: Iterable[str]) -> dict[str, str]:
    """The files that are not deployed, each with what leaves it out, in words: the host, or a line of its ignore file.

    `text`: the content of the ignore file. `name`: its name, for places. `folder`: the folder of `files`, from the
    ignore file; "." for its own.
    """
    before = "" if folder == "." else f"{folder}/"
    found = ignored_names([*never.lines, *text.split("\n")], (before + file for file in files))
    own = len(never.lines)
    return {
        file.removeprefix(before): RulePlace(name, line - own).words() if line > own else never.host
        for file, line in found.items()
    }
