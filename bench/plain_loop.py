"""The yardstick of a folder's run: the shortest loop that reads, absolutizes, writes beside and renames.

    python bench/plain_loop.py FOLDER URL OUTPUT

It has none of a run's promises: it follows links, reads no marks of savers, keeps no permissions, and reports nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import linkfix

__all__ = ["copy"]


def copy(folder: str, url: str, output: str) -> None:
    """Write every file of a folder to `output`, pages with absolute links. `url`: the URL of the folder."""
    for place, _, names in os.walk(folder):
        below = os.path.relpath(place, folder)
        Path(output, below).mkdir(parents=True, exist_ok=True)
        for name in names:
            data = Path(place, name).read_bytes()
            if name.endswith(".html"):
                data = linkfix.absolutize(data, url + Path(below, name).as_posix())
            beside = Path(output, below, name + ".tmp")
            beside.write_bytes(data)
            beside.replace(Path(output, below, name))


if __name__ == "__main__":
    copy(*sys.argv[1:])
