"""The edits of `linkfix audit --fix` on real trees: each is listed, checked and undone.

    python bench/fixes.py FOLDER | NAME=TREE …

Each tree is copied. An edit is right if it changes nothing but case, separators and encoding (or adds the scheme of
an address, or makes slashes of backslashes), and if the independent checker finds no fault in the new reference; if an
edit only percent-encodes, the old reference may have had the fault too. `linkfix undo` has to restore every byte. The
exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import filecmp
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from independent import check
from trees import chosen

__all__ = ["Edit", "is_proof"]

_LINE = re.compile(r"(?P<path>.*):(?P<line>\d+):\d+: (?P<old>.*) -> (?P<new>.*) \[(?P<code>LF\d+)\]")
_SEPARATORS = re.compile(r"[\s_-]+")
SHOWN = 20


class Edit(NamedTuple):
    """A written edit."""

    page: str
    code: str
    old: str
    new: str


def is_proof(old: str, new: str) -> bool:
    """Whether two references differ in nothing but case, separators, encoding, slashes and the scheme of an address."""
    plain, other = (
        _SEPARATORS.sub("", unquote(text).replace("\\", "/")).casefold().removeprefix("mailto:") for text in (old, new)
    )
    return plain == other


def is_worse(edit: Edit, before: set[tuple[str, str]], after: set[tuple[str, str]]) -> bool:
    """Whether the written reference is broken, although another encoding of it was not."""
    if (edit.page, edit.new) not in after:
        return False
    return unquote(edit.new) != unquote(edit.old) or (edit.page, edit.old) not in before


def edits(copy: Path, journal: Path) -> list[Edit]:
    """Correct a tree."""
    command = [sys.executable, "-m", "linkfix", "audit", str(copy), "--fix", "--journal", str(journal)]
    run = subprocess.run([*command, "--format", "json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    found = (_LINE.fullmatch(line) for line in run.stderr.decode().splitlines())
    return [Edit(str(Path(one["path"]).relative_to(copy)), one["code"], one["old"], one["new"]) for one in found if one]


def broken(tree: Path) -> set[tuple[str, str]]:
    """The references that the independent checker finds broken, with their pages."""
    return {(one.page, one.reference) for one in check(str(tree))[0]}


def same(one: Path, other: Path) -> bool:
    """Whether two folders have the same files with the same bytes."""
    names = [{file.relative_to(folder) for file in folder.rglob("*") if file.is_file()} for folder in (one, other)]
    return names[0] == names[1] and not any(filecmp.cmpfiles(one, other, map(str, names[0]), shallow=False)[1:])


def examine(name: str, tree: Path, scratch: Path) -> int:
    """Correct a copy of a tree, and undo that. Returns the number of faults."""
    copy, journal = scratch / "copy", scratch / "fixes.journal"
    shutil.copytree(tree, copy, symlinks=True)
    before = broken(copy)
    written = edits(copy, journal)
    after = broken(copy) if written else before
    wrong = [one for one in written if not is_proof(one.old, one.new) or is_worse(one, before, after)]
    restored = True
    if journal.exists():
        subprocess.run([sys.executable, "-m", "linkfix", "undo", str(journal), "--quiet"], check=True)
        restored = same(tree, copy)
    shutil.rmtree(copy)
    journal.unlink(missing_ok=True)
    print(f"{name:12}{len(written):6,} edits,{len(wrong):4} wrong; {'all' if restored else 'NOT ALL'} bytes given back")
    for (code, old, new), number in Counter((one.code, one.old, one.new) for one in written).most_common(SHOWN):
        print(f"    {number:5} x {code} {old} -> {new}")
    for one in wrong:
        print(f"    WRONG {one}")
    return len(wrong) + (not restored)


def main() -> None:
    """Examine each tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wrong = [examine(name, tree, Path(scratch)) for name, tree in chosen(options.trees, more=True).items()]
    sys.exit(1 if any(wrong) else 0)


if __name__ == "__main__":
    main()
