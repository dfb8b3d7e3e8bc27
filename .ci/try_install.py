"""Tries an installed linkfix: is it compiled or plain, as it should be, and does README's first conversion work?

    python .ci/try_install.py compiled|plain FOLDER

FOLDER, which must not exist, gets the converted pages. Runs with the Python that linkfix is installed for, and needs
nothing else.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def first_conversion() -> list[str]:
    """The arguments of `linkfix` in README's first command."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (CHECKOUT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return shlex.split(blocks[0].rpartition("&&")[2])[1:]


def linkfix(*arguments: str) -> str:
    """The output of `linkfix`. Raises CalledProcessError if it fails."""
    command = [sys.executable, "-P", "-m", "linkfix", *arguments]  # -P: not the package of the working folder
    return subprocess.run(command, check=True, cwd=CHECKOUT, capture_output=True, encoding="utf-8").stdout


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their names."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    """Try it; the exit code is 0 or 1."""
    parser = argparse.ArgumentParser(description="Try an installed linkfix.")
    parser.add_argument("speed", choices=["compiled", "plain"], help="what `linkfix --version` has to say")
    parser.add_argument("folder", type=Path, help="where the converted pages go")
    given = parser.parse_args()
    version = linkfix("--version").strip()
    print(version)
    if not version.endswith(f"({given.speed})"):
        sys.exit(f"{given.speed} was expected")
    command, source, *options, _ = first_conversion()
    output = given.folder.resolve()
    once_more = output.with_name(f"{output.name}-again")
    linkfix(command, source, *options, str(output))
    linkfix(command, str(output), *options, str(once_more))
    old, new, again = files(CHECKOUT / source), files(output), files(once_more)
    changed = [name for name in old if old[name] != new.get(name)]
    print(f"{len(new)} files, {len(changed)} of them changed")
    if new.keys() != old.keys() or not changed:
        sys.exit("not all files were converted")
    if new != again:
        sys.exit("a second conversion changed them again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
