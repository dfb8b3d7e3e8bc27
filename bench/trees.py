"""Fetches the trees of pages of the benchmarks: the documentation of four Debian packages, each unpacked to a folder.

    python bench/trees.py FOLDER [--mirror https://…/debian]

`apt-get download` fetches them; where there is no apt, `--mirror` names a Debian mirror, and Debian's suite bookworm is
looked up there. Nothing is installed. What is there already is left alone. Links from a tree to files of packages that
it recommends (fonts, jQuery) lead nowhere, as nothing else is unpacked: that is part of the test.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import lzma
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["TREES", "chosen"]


class Source(NamedTuple):
    """A package, and the folder in it that is served."""

    package: str
    folder: str


TREES = {
    "postgresql": Source("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html"),
    "apache": Source("apache2-doc", "usr/share/doc/apache2-doc/manual"),
    "python": Source("python3.11-doc", "usr/share/doc/python3.11/html"),
    "rust": Source("rust-doc", "usr/share/doc/rust-doc/html"),
}
SUITE = "bookworm"
_AR_MAGIC = b"!<arch>\n"
_AR_HEADER = 60


def chosen(arguments: list[str]) -> dict[str, Path]:
    """The trees that a command line means: `NAME=FOLDER` is one, `FOLDER` holds all that were fetched into it."""
    trees: dict[str, Path] = {}
    for argument in arguments:
        name, mark, folder = argument.partition("=")
        if mark:
            trees[name] = Path(folder)
        else:
            trees |= {name: Path(argument, source.package, source.folder) for name, source in TREES.items()}
    absent = [str(folder) for folder in trees.values() if not folder.is_dir()]
    if absent or not trees:
        sys.exit(f"no tree at {', '.join(absent) or 'all'}: python bench/trees.py FOLDER fetches them")
    return trees


def members(deb: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of a package's ar archive (deb(5))."""
    at = len(_AR_MAGIC)
    while at + _AR_HEADER <= len(deb):
        name, size = deb[at : at + 16].decode().rstrip(" /"), int(deb[at + 48 : at + 58])
        at += _AR_HEADER
        yield name, deb[at : at + size]
        at += size + size % 2


def unpack(deb: bytes, folder: Path) -> None:
    """The package's files below `folder`, which appears when it is complete."""
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    data = next(content for name, content in members(deb) if name.startswith("data.tar"))
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(partial, filter="tar")
    partial.rename(folder)


def by_apt(package: str, folder: Path) -> bytes:
    """The package, by apt."""
    subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
    path = next(folder.glob(f"{package}_*.deb"))
    data = path.read_bytes()
    path.unlink()
    return data


def by_mirror(package: str, mirror: str) -> bytes:
    """The package, from the pool of a mirror; its checksum is that of the suite's index."""
    if not mirror.startswith("https://"):
        sys.exit("--mirror: an https URL, please: the index is not verified otherwise")
    with urllib.request.urlopen(f"{mirror}/dists/{SUITE}/main/binary-amd64/Packages.xz") as answer:
        index = lzma.decompress(answer.read()).decode()
    start = f"\n{index}".index(f"\nPackage: {package}\n")
    fields = dict(line.split(": ", 1) for line in index[start:].split("\n\n", 1)[0].splitlines() if ": " in line)
    with urllib.request.urlopen(f"{mirror}/{fields['Filename']}") as answer:
        data: bytes = answer.read()
    if hashlib.sha256(data).hexdigest() != fields["SHA256"]:
        sys.exit(f"{package}: the file is not the one of the index")
    return data


def main() -> None:
    """Fetch what is not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mirror", help="a Debian mirror, where there is no apt")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.mirror and shutil.which("apt-get") is None:
        sys.exit("there is no apt-get: name a mirror by --mirror")
    for name, (package, inner) in TREES.items():
        folder = options.folder / package
        if not folder.exists():
            fetched = by_mirror(package, options.mirror) if options.mirror else by_apt(package, options.folder)
            unpack(fetched, folder)
        print(f"{name:12}{folder / inner}")


if __name__ == "__main__":
    main()
