"""Downloads the tests of other projects, and runs them on linkfix in place of the projects. Nothing is kept.

    python .ci/peers                  # all
    python .ci/peers scrapy w3lib     # these

The sources come from the package index. `table.py` lists the projects, and the tests that fail, with a reason for each.
Any other failing test is an error, and so is a listed test that passes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree as ET

from table import HERE, PEERS, Peer

#: Exit codes of pytest: all tests passed, some failed.
_DONE = (0, 1)


def unpack(peer: Peer, wanted: str, folder: Path) -> None:
    """Download a project's source distribution, and put its required files into a folder."""
    requirement = f"{peer.package}=={wanted}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", peer.package]
    subprocess.run([*pip, "--dest", folder / "download", requirement], check=True)
    [archive] = (folder / "download").glob("*.tar.gz")
    with tarfile.open(archive) as source:
        for member in source:
            _, _, name = member.name.partition("/")
            if member.isfile() and any(name == one or (one[-1] == "/" and name.startswith(one)) for one in peer.files):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                content = source.extractfile(member)
                path.write_bytes(content.read() if content else b"")
    if not peer.swapped:
        return
    path = folder / peer.tests
    text = path.read_text("utf-8")
    for old, new in peer.swapped.items():
        if old not in text:
            sys.exit(f"{peer.tests} of {requirement} does not have {old!r}")
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def outcomes(report: Path) -> dict[str, bool]:
    """The tests of a report of pytest, without those skipped: name as in `Difference` -> whether it passed."""
    found = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
        class_ = case.get("classname", "").rpartition(".")[2]
        if case.find("skipped") is None:
            passed = case.find("failure") is None and case.find("error") is None
            found[f"{class_}.{case.get('name')}".removeprefix(".")] = passed
    return found


def complaints(peer: Peer, found: dict[str, bool]) -> list[str]:
    """Tests that fail and are not listed, that pass and are listed, and that are listed and do not exist."""
    made = []
    for test, passed in found.items():
        listed = any(one.covers(test) for one in peer.differences)
        if passed == listed:
            made.append(f"{test} passes, and is listed as a difference" if passed else f"{test} fails")
    made += [
        f"{one.tests} is listed as a difference, and there is no such test"
        for one in peer.differences
        if not any(map(one.covers, found))
    ]
    return made if found else ["no test ran"]


def run(peer: Peer) -> bool:
    """Run a project's tests; whether all went as it should."""
    wanted = peer.version or version(peer.package)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(peer, wanted, folder)
        report = folder / "report.xml"
        pytest = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-c", "/dev/null"]
        options = ["--rootdir", str(folder), "--junitxml", str(report), "-o", f"pythonpath={HERE}", "-k", peer.chosen]
        done = subprocess.run(
            [*pytest, *options, peer.tests], cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
        found = outcomes(report) if done.returncode in _DONE else {}
    wrong = complaints(peer, found)
    if wrong:
        print(done.stdout, done.stderr)
    for complaint in wrong:
        print(f"{peer.package}: {complaint}")
    agree = sum(found.values())
    print(f"{peer.package} {wanted}: {len(found)} cases, {agree} agree, {len(found) - agree} differ", end="")
    print(" as documented" if not wrong else "")
    return not wrong


def main() -> int:
    """Run the tests of the projects that are named, or of all."""
    names = [peer.package for peer in PEERS]
    parser = argparse.ArgumentParser(description="Run other projects' tests on linkfix.", prog="python .ci/peers")
    parser.add_argument("package", nargs="*", help=f"one of {', '.join(names)}; default: all")
    chosen = parser.parse_args().package
    if unknown := set(chosen) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    results = [run(peer) for peer in PEERS if not chosen or peer.package in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
