"""The files that are not deployed because an ignore file names them: `.vercelignore`, `.assetsignore`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from linkfix.auditing.hosts.rules import RulePlace
from linkfix.auditing.hosts.values import decoded_text
from linkfix.files.patterns import ignored_names

#: The number of lines that count.
_MOST_LINES = 300


def _read_vercelignore(data: bytes) -> str:
    """The lines without `./` at their beginnings, as Vercel's client reads them (`clearRelative`)."""
    return re.sub(r"^\./", "", decoded_text(data), flags=re.MULTILINE)


#: The name of an ignore file -> its reader, which raises `InvalidHostFile`.
IGNORE_FILES: Mapping[str, Callable[[bytes], str]] = {
    ".vercelignore": _read_vercelignore,
    ".assetsignore": decoded_text,
}


def ignored_files(text: str, name: str, folder: str, files: Iterable[str]) -> dict[str, RulePlace]:
    """The files that an ignore file leaves out, each with its line there.

    `name`: the name of the ignore file, for places. `folder`: the folder of `files`, from the ignore file; "." for its
    own.
    """
    before = "" if folder == "." else f"{folder}/"
    found = ignored_names(islice(text.split("\n"), _MOST_LINES), (before + file for file in files))
    return {file.removeprefix(before): RulePlace(name, line) for file, line in found.items()}
