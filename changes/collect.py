"""Makes one part of CHANGELOG.md of the files in this folder.

python changes/collect.py                            # prints what the next release has
python changes/collect.py 0.2.0 --date 2027-01-15    # writes it into CHANGELOG.md, and removes the files
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

__all__ = ["collected", "fragments", "main", "released"]

HERE = Path(__file__).resolve().parent
CHANGELOG = HERE.parent / "CHANGELOG.md"
_UNRELEASED = "## Unreleased\n\n"
_ITEM = re.compile(r"- \S.*(?:\n  \S.*)*(?<=\.)\n")
_LONGEST = 120


def fragments(folder: Path) -> list[Path]:
    """The files, by name."""
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md")


def collected(paths: list[Path]) -> str:
    """The items of all files. Raises ValueError for a file that has something else."""
    texts = []
    for path in paths:
        text = path.read_text("utf-8")
        if not re.fullmatch(f"(?:{_ITEM.pattern})+", text):
            message = f"{path.name}: items begin with '- ', go on with two spaces, and end with a full stop"
            raise ValueError(message)
        if max(map(len, text.splitlines())) > _LONGEST:
            message = f"{path.name}: a line has more than {_LONGEST} characters"
            raise ValueError(message)
        texts.append(text)
    return "".join(texts)


def released(changelog: str, items: str, heading: str) -> str:
    """The changelog, with the items and what its part "Unreleased" has under the heading of a version."""
    if _UNRELEASED in changelog:
        return changelog.replace(_UNRELEASED, f"{heading}\n\n{items}", 1)
    before, mark, after = changelog.partition("\n## ")
    return f"{before}\n{heading}\n\n{items}{mark}{after}"


def main(arguments: list[str]) -> None:
    """Print, or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="?")
    parser.add_argument("--date", help="of the release, YYYY-MM-DD")
    options = parser.parse_args(arguments)
    paths = fragments(HERE)
    items = collected(paths)
    if options.version is None:
        print(items, end="")
        return
    heading = f"## {options.version}" + (f" ({options.date})" if options.date else "")
    CHANGELOG.write_text(released(CHANGELOG.read_text("utf-8"), items, heading), "utf-8")
    for path in paths:
        path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
