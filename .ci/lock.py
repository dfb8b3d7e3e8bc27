"""Locks the tools that build and try distributions: versions and hashes, for `pip install --require-hashes`.

    python .ci/lock.py               # needs uv: python -m pip install uv
    python .ci/lock.py --list        # prints the requirements of each file, and asks nobody

Makes `.ci/locked/*.txt` of pyproject.toml, each for all supported Pythons and platforms. The files name no registry:
pip uses its own settings, and the hashes still hold.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
LOCKED = CHECKOUT / ".ci" / "locked"
HEADER = "# python .ci/lock.py makes this file of pyproject.toml. pip install --require-hashes -r .ci/locked/{name}\n"
#: Nothing of this machine, and nothing that changes without the requirements.
OPTIONS = ["--generate-hashes", "--universal", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-config"]


def requirements() -> dict[str, list[str]]:
    """File name -> the requirements that it locks."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    project = settings["project"]
    build = settings["build-system"]["requires"]
    return {
        "build.txt": build,
        "release.txt": [*build, *project["optional-dependencies"]["release"]],
        "runtime.txt": project["dependencies"],
        "test.txt": settings["tool"]["cibuildwheel"]["test-requires"],
    }


def lock(wanted: list[str]) -> str:
    """The locked requirements. Exits where uv is missing or fails."""
    oldest = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    command = ["uv", "pip", "compile", "--quiet", *OPTIONS, "--python-version", oldest.removeprefix(">="), "-"]
    try:
        made = subprocess.run(command, check=True, input="\n".join(wanted), capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        sys.exit("uv is not installed: python -m pip install uv")
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
    return made.stdout


def main() -> int:
    """Write the files, or list the requirements that they lock."""
    parser = argparse.ArgumentParser(description="Lock what distributions are built and tried with.")
    parser.add_argument("--list", action="store_true", help="print the requirements, and write nothing")
    is_listing = parser.parse_args().list
    for name, wanted in requirements().items():
        if is_listing:
            print(f"{name}: {', '.join(wanted)}")
            continue
        LOCKED.mkdir(exist_ok=True)
        (LOCKED / name).write_text(HEADER.format(name=name) + lock(wanted), "utf-8")
        print(f"wrote .ci/locked/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
