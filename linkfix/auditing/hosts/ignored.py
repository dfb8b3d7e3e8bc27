"""The files that are not deployed because an ignore file names them: `.vercelignore`, `.assetsignore`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

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


def ignored_files(text: str, name: str, folder: str, files: Iterable[str]) -> dict[str, RulePlace]:
    """The files that an ignore file leaves out, each with its line there.

    `name`: the name of the ignore file, for places. `folder`: the folder of `files`, from the ignore file; "." for its
    own.
    """
    before = "" if folder == "." else f"{folder}/"
    found = ignored_names(text.split("\n"), (before + file for file in files))
    return {file.removeprefix(before): RulePlace(name, line) for file, line in found.items()}
