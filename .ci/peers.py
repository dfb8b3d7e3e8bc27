"""Downloads the tests of other projects, and runs them on linkfix in place of what they test. Nothing is kept.

    python .ci/peers.py               # all
    python .ci/peers.py scrapy        # these

The sources are those of the version that is installed, from the package index. Only tests that are listed may fail, for
the reason given; one that is listed and passes is an error too.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple


class Peer(NamedTuple):
    """A project, and what of its tests is run."""

    package: str
    files: tuple[str, ...]
    """The files and folders that are taken from its source distribution; a folder ends with "/"."""
    tests: str
    """The file of tests."""
    swapped: dict[str, str]
    """Old text -> new text, in that file."""
    differences: dict[str, str]
    """Tests that fail, and why."""


_LINK_EXTRACTOR = """
from scrapy.link import Link
from linkfix.hooks.scrapy import LinkExtractor as LxmlLinkExtractor
"""
PEERS = (
    Peer(
        "scrapy",
        ("tests/__init__.py", "tests/test_linkextractors.py", "tests/sample_data/link_extractor/"),
        "tests/test_linkextractors.py",
        {"lxmlhtml import LxmlLinkExtractor, ": "lxmlhtml import ", "from scrapy.link import Link\n": _LINK_EXTRACTOR},
        {"test_tags_attrs_wildcard_and_deny": 'attrs="*" means every attribute that can have a link'},
    ),
)


def unpack(peer: Peer, folder: Path) -> None:
    """Download a project's source distribution, and put its tests into a folder."""
    wanted = f"{peer.package}=={version(peer.package)}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", peer.package]
    subprocess.run([*pip, "--dest", folder / "download", wanted], check=True)
    [archive] = (folder / "download").glob("*.tar.gz")
    with tarfile.open(archive) as source:
        for member in source:
            _, _, name = member.name.partition("/")
            if member.isfile() and any(name == one or (one[-1] == "/" and name.startswith(one)) for one in peer.files):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                content = source.extractfile(member)
                path.write_bytes(content.read() if content else b"")
    path = folder / peer.tests
    text = path.read_text("utf-8")
    for old, new in peer.swapped.items():
        if old not in text:
            sys.exit(f"{peer.tests} of {wanted} does not have {old!r}")
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def run(peer: Peer) -> bool:
    """Run a project's tests; whether all went as it should."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(peer, folder)
        pytest = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--tb=short",
            "-rf",
            "-p",
            "no:cacheprovider",
            "-c",
            "/dev/null",
        ]
        done = subprocess.run(
            [*pytest, "--rootdir", folder, peer.tests], cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
    failed = set(re.findall(r"^FAILED \S*::(\w+)", done.stdout, re.MULTILINE))
    wrong = failed ^ peer.differences.keys()
    if wrong or done.returncode not in {0, 1} or not re.search(r"\d+ passed", done.stdout):
        print(done.stdout, done.stderr)
    for test in sorted(wrong):
        print(f"{peer.package}: {test} {'fails' if test in failed else 'passes, and is listed as a difference'}")
    print(f"{peer.package}: {done.stdout.strip().rpartition(chr(10))[2]}, {len(peer.differences)} as documented")
    return not wrong and done.returncode in {0, 1} and re.search(r"\d+ passed", done.stdout) is not None


def main() -> int:
    """Run the tests of the projects that are named, or of all."""
    names = [peer.package for peer in PEERS]
    parser = argparse.ArgumentParser(description="Run other projects' tests on linkfix.")
    parser.add_argument("package", nargs="*", help=f"one of {', '.join(names)}; default: all")
    chosen = parser.parse_args().package
    if unknown := set(chosen) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    results = [run(peer) for peer in PEERS if not chosen or peer.package in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
