"""Finds the places that change with the first release, and names that do not exist before it.

    python .ci/first_release.py

Prints each place with its change. The exit code is 1 if a file names the package on PyPI, or a site, as if it were
there. RELEASING.md says when to run it; after the first release, this script and its test go.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["PLACES", "Found", "found", "texts"]

CHECKOUT = Path(__file__).resolve().parents[1]
_MARK = re.compile(r"first release", re.IGNORECASE)
#: Lines of these files that match -> the change.
PLACES = (
    (r"", _MARK.pattern, "do what the line says"),
    (r"README\.md|docs/.*\.md", r"(?:^|[`(]|\$ )(?:pip|pipx) install '?\.(?=[\s'`\[]|$)", "name the package: linkfix"),
    (r"README\.md|docs/.*\.md", r"uvx --from \. ", "name the package: uvx linkfix"),
    (r"README\.md|docs/.*\.md", r"repo: https?://[\w.]*example\b", "name the repository"),
)
#: Names that nothing answers to before the release. A message names an extra of the linkfix that is installed already.
_TOO_EARLY = re.compile(
    r"pypi\.org/project/linkfix|img\.shields\.io|linkfix\.readthedocs|readthedocs\.org/projects/linkfix"
    r"|(?:pipx? install|uvx|uv (?:add|tool \w+)) linkfix\b|(?<!: )pip install '?linkfix\["
)
#: Files with such names that are right -> the reason.
_RIGHT = {
    ".ci/first_release.py": "it looks for them",
    ".github/workflows/wheels.yml": "the job publishes the package at this address",
    "RELEASING.md": "it lists the steps of a release",
    "tests/test_release.py": "it tests this script",
}
#: The history of changes, and this list itself.
_SKIPPED = re.compile(r"CHANGELOG\.md|changes/.*|\.ci/locked/.*|tests/vectors/.*|fixtures/.*")


class Found(NamedTuple):
    """A line, and what to do there."""

    path: str
    line: int
    text: str
    change: str
    is_too_early: bool


def found(path: str, text: str) -> Iterator[Found]:
    """The places and the names in a file."""
    for number, line in enumerate(text.splitlines(), 1):
        if path in _RIGHT:
            continue
        changes = [change for files, place, change in PLACES if re.match(files, path) and re.search(place, line)]
        if re.search(_MARK, line):
            changes = [PLACES[0][2]]
        elif _TOO_EARLY.search(line):
            yield Found(path, number, line, "there is no release yet", is_too_early=True)
        for change in changes:
            yield Found(path, number, line, change, is_too_early=False)


def texts() -> Iterator[tuple[str, str]]:
    """The name and the text of each tracked file. Raises CalledProcessError outside a clone."""
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, cwd=CHECKOUT, capture_output=True, encoding="utf-8")
    for name in filter(None, listed.stdout.split("\0")):
        path = CHECKOUT / name
        if path.is_file() and not _SKIPPED.fullmatch(name):
            yield name, path.read_text("utf-8", errors="replace")


def main() -> int:
    """Print them; the exit code is 0 or 1."""
    places = [one for name, text in texts() for one in found(name, text)]
    for one in places:
        print(f"{one.path}:{one.line}: {one.change}: {one.text.strip()}")
    return int(any(one.is_too_early for one in places))


if __name__ == "__main__":
    sys.exit(main())
