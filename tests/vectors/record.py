"""Records `engines.jsonl`: the installed engines' results for the pages in `tests/support/browser/pages.py`.

    python tests/vectors/record.py [--output tests/vectors]

`tests/browser/test_engines.py` tests that they still hold; record again if a new version of an engine differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.browser.engines import ENGINES, Running  # noqa: E402 - it is found now
from support.browser.framed import Outcome, outcomes  # noqa: E402
from support.browser.pages import PAGES  # noqa: E402

TITLE = (
    "# Engines' results for BASE and refresh. An outcome: the engines' names, the document's final URL, its base URL,"
    " the targets of its hyperlinks, and the URLs that its frames have loaded."
)
COLUMNS = "group, html, headers, scripts, outcomes"


def row(group: str, case: Any, found: dict[str, Outcome]) -> list[object]:
    """Return a row; engines that make the same of a page share an outcome."""
    same: dict[Outcome, list[str]] = {}
    for name, outcome in found.items():
        same.setdefault(outcome, []).append(name)
    outcomes_ = [[names, *outcome] for outcome, names in same.items()]
    return [group, case.html, case.headers, case.scripts, outcomes_]


def main(arguments: list[str]) -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to (default: this one)")
    output: Path = parser.parse_args(arguments).output
    running = Running()
    try:
        versions = [running[name].version() for name in ENGINES]
        found = {name: outcomes(running[name], [case for _, case in PAGES]) for name in ENGINES}
    finally:
        running.close()
    lines = [
        TITLE,
        f"# source: {', '.join(versions)}, by tests/vectors/record.py",
        "# licence: facts",
        f"# columns: {COLUMNS}",
    ]
    lines += (
        json.dumps(row(group, case, {name: found[name][number] for name in ENGINES}))
        for number, (group, case) in enumerate(PAGES)
    )
    (output / "engines.jsonl").write_text("\n".join(lines) + "\n", "ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
