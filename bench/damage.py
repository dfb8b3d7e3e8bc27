"""Copies a tree and breaks it at random, so that there is much to find: `agreement.py NAME=COPY` compares on it.

    python bench/damage.py TREE COPY [--seed N]

Files vanish or change their names' case, elements lose their id, pages get a BASE, and references are written in other
ways that mean the same, or nothing. The same seed makes the same copy.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

__all__ = ["damage"]

REFERENCE = re.compile(rb"""((?:href|src|action)=)(["'])([^"'<>]*)\2""")
ID = re.compile(rb"""( id=["'])([^"']{2,})""")
BASES = (b"../", b"/", b"sub/", b"x.html", b"", b"?x", b"#y", b"data:x", b"http://other.invalid/", b"javascript:x")
BYTES = b"\xc3\xa9\x80~!$()*,;=@[]|^{}\\"
#: Percentages: removed files, renamed files, pages that get a BASE; changed IDs and changed references.
GONE, RENAMED, BASED, IDS, REFERENCES = 4, 1, 3, 2, 20

Change = Callable[[bytes, int, random.Random], bytes]


def _relative(reference: bytes, changed: bytes) -> bytes:
    return changed if reference[:1] not in {b"/", b"#", b"?", b""} else reference


CHANGES: tuple[Change, ...] = (
    lambda text, at, _: text if text[at] in b"/#?%.&;" else text[:at] + b"%%%02x" % text[at] + text[at + 1 :],
    lambda text, at, _: text if b"&" in text else text[:at] + b"&#%d;" % text[at] + text[at + 1 :],
    lambda text, at, random_: text[:at] + bytes([random_.choice(BYTES)]) + text[at:],
    lambda text, at, _: text[:at] + text[at + 1 :],
    lambda text, at, _: text[:at] + b"\n" + text[at:],
    lambda text, *_: b" " + text + b" ",
    lambda text, *_: text.swapcase(),
    lambda text, *_: _relative(text, b"./" + text),
    lambda text, *_: _relative(text, b"../" + text),
    lambda text, *_: text.replace(b"/", b"\\"),
    lambda text, *_: text.replace(b"/", b"/%2e%2E/x/../", 1),
    lambda text, *_: text.replace(b"#", b"?q#") if b"#" in text else text + b"?q",
    lambda text, *_: text + (b":~:text=a" if b"#" in text else b"#"),
    lambda text, *_: text.replace(b"index.html", b""),
)


def _page(data: bytes, random_: random.Random) -> bytes:
    def reference(match: re.Match[bytes]) -> bytes:
        text = match[3]
        if not text or b":" in text or random_.randrange(100) >= REFERENCES:
            return match[0]
        changed = random_.choice(CHANGES)(text, random_.randrange(len(text)), random_)
        return match[1] + match[2] + changed + match[2]

    def name(match: re.Match[bytes]) -> bytes:
        return match[1] + (match[2].swapcase() if random_.randrange(100) < IDS else match[2])

    data = ID.sub(name, REFERENCE.sub(reference, data))
    if random_.randrange(100) < BASED:
        data = data.replace(b"<head>", b'<head><base href="%s">' % random_.choice(BASES), 1)
    return data


def damage(tree: Path, copy: Path, seed: int) -> None:
    """Make a broken copy of a tree."""
    random_ = random.Random(seed)  # noqa: S311 - a seed is wanted
    shutil.copytree(tree, copy, symlinks=True)
    for folder, folders, names in os.walk(copy):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            fate = random_.randrange(100)
            if fate < GONE:
                path.unlink()
            elif fate < GONE + RENAMED:
                path.rename(path.with_name(name.swapcase()))
            elif path.suffix == ".html" and not path.is_symlink():
                path.write_bytes(_page(path.read_bytes(), random_))
            elif path.suffix == ".css" and not path.is_symlink():
                path.write_bytes(path.read_bytes().replace(b"url(", b"url(x", 1))


def main() -> None:
    """Make the copy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("copy", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    damage(options.tree, options.copy, options.seed)


if __name__ == "__main__":
    main()
