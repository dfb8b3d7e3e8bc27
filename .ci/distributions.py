"""Builds the published files: the sdist, the compiled wheel of this platform and the plain one, and tries each.

    python -m pip install --require-hashes -r .ci/locked/release.txt
    python .ci/distributions.py dist     # with that, and a C compiler

Build tools and other requirements are locked (`.ci/lock.py`). Wheels are built from the sdist alone, which shows files
that it lacks, and have an SBOM. Each distribution is installed in an empty environment without a working compiler, and
converts the page of README's first command: all give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

from try_install import CHECKOUT, files

sys.path.insert(0, str(CHECKOUT / "linkfix" / "kernels"))
from compiled import HOT_MODULES

LOCKED = CHECKOUT / ".ci" / "locked"
#: Tracked, and no part of the sdist: only git and its hosts read it.
NOT_IN_SDIST = {".gitignore"}


def run(*command: str | Path, **environment: str) -> None:
    """Run a command. Raises CalledProcessError if it fails."""
    print("+", *command, flush=True)
    subprocess.run(command, check=True, env=os.environ | environment)


def only(folder: Path, pattern: str) -> Path:
    """The one file of that pattern. Exits if there are others."""
    found = list(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} files named {pattern}, and not one: give an empty folder")
    return found[0]


def build(dist: Path, work: Path) -> tuple[Path, Path, Path]:
    """The sdist, and the compiled and the plain wheel that are made of it."""
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", dist, CHECKOUT)
    sdist = only(dist, "*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(work, filter="data")
    source = only(work, "linkfix-*")
    wheels = []
    for variable, pattern in (("LINKFIX_COMPILED", "*-cp*.whl"), ("LINKFIX_PLAIN", "*-none-any.whl")):
        run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", dist, source, **{variable: "1"})
        wheels.append(only(dist, pattern))
    return sdist, wheels[0], wheels[1]


def missing_files(sdist: Path) -> list[str]:
    """Files that git tracks and the sdist lacks."""
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, cwd=CHECKOUT, capture_output=True, encoding="utf-8")
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    return sorted(set(listed.stdout.split("\0")) - {""} - packed - NOT_IN_SDIST)


def binaries(wheel: Path) -> set[str]:
    """The compiled modules in a wheel. Exits for sources in C, which nobody needs there."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    if sources := [name for name in names if name.endswith((".c", ".h"))]:
        sys.exit(f"{wheel.name} has {', '.join(sources)}")
    return {name.partition(".")[0].replace("/", ".") for name in names if name.endswith((".so", ".pyd"))}


def require_sbom(wheel: Path) -> None:
    """Exit if a wheel has no SBOM of its own version, at the place of PEP 770."""
    _, version, *_ = wheel.name.split("-")
    with zipfile.ZipFile(wheel) as archive:
        made = json.loads(archive.read(f"linkfix-{version}.dist-info/sboms/linkfix.cdx.json"))
    if (made["bomFormat"], made["metadata"]["component"]["version"]) != ("CycloneDX", version):
        sys.exit(f"{wheel.name} has the SBOM of something else")


def show_platform(wheel: Path) -> None:
    """Have auditwheel name the systems for a wheel. Exits if it finds only those like this one."""
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    print(shown)
    # Its advice names manylinux too, whatever the wheel is for.
    if not re.search(r'consistent with\s+the\s+following\s+platform\s+tag:\s+"(many|musl)linux', shown):
        sys.exit(f"{wheel.name} is for no platform of manylinux or musllinux")


def try_in_empty_environment(distribution: Path, speed: str, work: Path) -> dict[str, bytes]:
    """Install a distribution in an empty environment, and return the page that it converted."""
    name = f"{speed}-{distribution.suffix[1:]}"
    environment, output = work / f"environment-{name}", work / name
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    is_source = distribution.suffix == ".gz"
    install = (python, "-m", "pip", "install", "--quiet")
    for name in ("runtime.txt", *(("build.txt",) if is_source else ())):
        run(*install, "--require-hashes", "--only-binary", ":all:", "-r", LOCKED / name)
    run(*install, "--no-index", *(["--no-build-isolation"] if is_source else []), distribution, CC="/bin/false")
    run(python, CHECKOUT / ".ci" / "try_install.py", speed, output)
    return files(output)


def same(results: Iterable[dict[str, bytes]]) -> bool:
    """Whether all are equal."""
    first, *others = results
    return all(other == first for other in others)


def main() -> int:
    """Build and try; the exit code is 0 or 1."""
    parser = argparse.ArgumentParser(description="Build the sdist and the wheels, and try each.")
    parser.add_argument("dist", type=Path, help="the folder for them, which must not have any yet")
    dist = parser.parse_args().dist.resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sdist, compiled, plain = build(dist, work)
        if missing := missing_files(sdist):
            sys.exit(f"the sdist lacks {', '.join(missing)}: MANIFEST.in says what it has")
        if binaries(compiled) != set(HOT_MODULES):
            sys.exit(f"compiled in {compiled.name}: {binaries(compiled)}, and not {set(HOT_MODULES)}")
        if binaries(plain):
            sys.exit(f"{plain.name} has {binaries(plain)}")
        for wheel in (compiled, plain):
            require_sbom(wheel)
        run(sys.executable, "-m", "twine", "check", "--strict", sdist, compiled, plain)
        if sys.platform == "linux":
            show_platform(compiled)
        tried = [(compiled, "compiled"), (plain, "plain"), (sdist, "plain")]
        if not same(try_in_empty_environment(one, speed, work) for one, speed in tried):
            sys.exit("they convert to different bytes")
    for one in (sdist, compiled, plain):
        print(f"{one.stat().st_size / 1e6:.1f} MB  {one.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
