"""The dependencies of linkfix: each package's size on disk, its dependents, and the actions that import it.

    python bench/dependencies.py

Run it in an environment with linkfix installed. Sizes are sums over the installed files, without byte code.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["USES", "imported", "requirements", "size"]

_RUN = "from linkfix.cli import cli; cli([{arguments}], standalone_mode=False)"
#: Action -> the program that does it; "{folder}" is a folder with a page, and folders of one file each.
USES = {
    "`import linkfix`": "import linkfix",
    "`linkfix.absolutize`": "import linkfix; linkfix.absolutize('<a href=x>', 'https://h/')",
    "`linkfix.text`": "import linkfix; linkfix.text.find('see http://h/')",
    "`linkfix.hooks.lxml`": "import linkfix.hooks.lxml",
    "`linkfix.hooks.bs4`": "import linkfix.hooks.bs4",
    "`linkfix absolutize`": _RUN.format(arguments="'absolutize', '{folder}/page.html', '--url', 'https://h/'"),
    "`linkfix audit`": _RUN.format(arguments="'audit', '{folder}/html'"),
    "`linkfix audit` of Markdown": _RUN.format(arguments="'audit', '{folder}/markdown'"),
    "`--exclude` and other patterns": _RUN.format(arguments="'audit', '{folder}/html', '--exclude', 'old/**'"),
}


def requirements(name: str) -> dict[str, set[str]]:
    """The packages that a package needs, themselves and by way of others -> which packages ask for each."""
    asked: dict[str, set[str]] = {}
    left = [canonicalize_name(name)]
    while left:
        asking = left.pop()
        for text in distribution(asking).requires or ():
            wanted = Requirement(text)
            if wanted.marker is not None and not wanted.marker.evaluate({**default_environment(), "extra": ""}):
                continue
            needed = canonicalize_name(wanted.name)
            if needed not in asked:
                left.append(needed)
            asked.setdefault(needed, set()).add(asking)
    return asked


def size(name: str) -> int:
    """The size in bytes of the files of an installed package."""
    files = [Path(str(file.locate())) for file in distribution(name).files or ()]
    return sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file())


def imported(program: str) -> set[str]:
    """The packages that a program imports."""
    with tempfile.TemporaryDirectory() as folder:
        for part, name in ((".", "page.html"), ("html", "page.html"), ("markdown", "page.md")):
            Path(folder, part).mkdir(exist_ok=True)
            Path(folder, part, name).write_text("<title>t</title><p>text")
        program = (
            f"import sys; before = set(sys.modules)\ntry:\n    {program.replace('{folder}', folder)}\n"
            "finally:\n    print('', *{name.partition('.')[0] for name in set(sys.modules) - before}, sep=chr(10))"
        )
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    homes = packages_distributions()
    return {canonicalize_name(home) for name in done.stdout.split() for home in homes.get(name, ())}


def main() -> None:
    """Print the table."""
    asked = requirements("linkfix")
    when = {use: imported(program) for use, program in USES.items()}
    print("| package | MB | asked for by | imported by |\n|---|---|---|---|")
    for name in ("linkfix", *sorted(asked, key=lambda one: (-size(one), one))):
        uses = [use for use, packages in when.items() if name in packages and name != "linkfix"]
        print(f"| {name} | {size(name) / 1e6:.1f} | {', '.join(sorted(asked.get(name, ())))} | {', '.join(uses)} |")
    print(f"\nAll: {sum(map(size, ('linkfix', *asked))) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
