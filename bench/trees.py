"""Fetches the trees of pages of the benchmarks: the documentation of Debian packages, each unpacked to a folder.

    python bench/trees.py FOLDER [--all] [--mirror https://…/debian]

Four of them are timed; `--all` adds trees of other generators, for their findings.

`apt-get download` fetches them; without apt, `--mirror` names a Debian mirror with the suite bookworm. Nothing is
installed. Existing trees are left alone. Links from a tree to files of packages that it recommends (fonts, jQuery) lead
nowhere, as nothing else is unpacked: that is part of the test.
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

__all__ = ["MORE_TREES", "TREES", "chosen"]


class Source(NamedTuple):
    """A package, and the folder in it that is served."""

    package: str
    folder: str
    generator: str


TREES = {
    "postgresql": Source("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", "DocBook"),
    "apache": Source("apache2-doc", "usr/share/doc/apache2-doc/manual", "XSLT of its own, in 14 languages"),
    "python": Source("python3.11-doc", "usr/share/doc/python3.11/html", "Sphinx"),
    "rust": Source("rust-doc", "usr/share/doc/rust-doc/html", "rustdoc"),
}
MORE_TREES = {
    "cmake": Source("cmake-doc", "usr/share/doc/cmake-data/html", "Sphinx"),
    "django": Source("python-django-doc", "usr/share/doc/python-django-doc/html", "Sphinx"),
    "mkdocs": Source("mkdocs-doc", "usr/share/doc/mkdocs/html", "MkDocs"),
    "eigen": Source("libeigen3-doc", "usr/share/doc/libeigen3-dev/html", "Doxygen"),
    "doxygen": Source("doxygen-doc", "usr/share/doc/doxygen/html", "Doxygen"),
    "jdk": Source("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless/api", "Javadoc"),
    "gtk4": Source("libgtk-4-doc", "usr/share/doc/libgtk-4-doc", "gi-docgen"),
    "adwaita": Source("libadwaita-1-doc", "usr/share/doc/libadwaita-1", "gi-docgen"),
    "glib": Source("libglib2.0-doc", "usr/share/gtk-doc/html", "gtk-doc (DocBook)"),
    "debian": Source("debian-reference-en", "usr/share/debian-reference", "DocBook"),
    "boost": Source("libboost1.74-doc", "usr/share/doc/libboost1.74-doc", "BoostBook (DocBook) and by hand"),
    "git": Source("git-doc", "usr/share/doc/git-doc", "AsciiDoc (DocBook)"),
    "nodejs": Source("nodejs-doc", "usr/share/doc/nodejs", "one of its own"),
    "sqlite": Source("sqlite3-doc", "usr/share/doc/sqlite3", "one of its own"),
}
SUITE = "bookworm"
_AR_MAGIC = b"!<arch>\n"
_AR_HEADER = 60


def chosen(arguments: list[str], *, more: bool = False) -> dict[str, Path]:
    """The trees of a command line: `NAME=FOLDER` is one, `FOLDER` holds all trees fetched into it.

    `more`: also the existing trees of `MORE_TREES`.
    """
    trees: dict[str, Path] = {}
    for argument in arguments:
        name, mark, folder = argument.partition("=")
        if mark:
            trees[name] = Path(folder)
        else:
            trees |= {name: Path(argument, source.package, source.folder) for name, source in TREES.items()}
            others = {name: Path(argument, source.package, source.folder) for name, source in MORE_TREES.items()}
            trees |= {name: folder for name, folder in others.items() if more and folder.is_dir()}
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
    """Fetch the missing trees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="the trees of other generators too")
    parser.add_argument("--mirror", help="a Debian mirror, where there is no apt")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.mirror and shutil.which("apt-get") is None:
        sys.exit("there is no apt-get: name a mirror by --mirror")
    for name, (package, inner, generator) in (TREES | MORE_TREES if options.all else TREES).items():
        folder = options.folder / package
        if not folder.exists():
            fetched = by_mirror(package, options.mirror) if options.mirror else by_apt(package, options.folder)
            unpack(fetched, folder)
        print(f"{name:12}{generator:36}{folder / inner}")


if __name__ == "__main__":
    main()
