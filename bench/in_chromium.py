"""`linkfix audit` beside Chromium: every reference of a sample of pages of real trees, followed by the browser.

    python bench/in_chromium.py [--pages N] [--seed N] FOLDER | NAME=TREE …

A tree is served by the standard library's web server at http://tree.test/. For each reference of a chosen page, it
tests whether the browser gets a file, and whether it finds the fragment's element; scripts of pages do not run. Each
disagreement is printed; the exit status is 1 if there is one. It needs Chromium, and the tests of a checkout.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from pathlib import Path

from trees import chosen

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.browser.chromium import Chromium
from support.browser.followed import Followed
from support.browser.verdicts import CODES, Verdict
from support.browser.web_server import Folder

__all__ = ["follow"]

ROOT = "http://tree.test/"
#: A symbolic link to nothing is not found in Chromium; the audit's rule for it says more.
CODES["LF107"] = Verdict.MISSING
SHOWN = 10


def follow(browser: Chromium, name: str, tree: Path, pages: list[str]) -> int:
    """Follow the references of some pages. Returns the number of disagreements."""
    followed = Followed(browser, Folder(str(tree), ROOT), pages, scripts=False)
    disagreements = followed.disagreements()
    broken = sum(verdict not in {Verdict.WORKS, Verdict.ELSEWHERE} for verdict in followed.verdicts.values())
    print(
        f"{name:12}{len(pages):5} pages,{len(followed.verdicts):8,} references followed,{broken:6,} broken,"
        f"{len(disagreements):5,} disagreements",
        flush=True,
    )
    for reference, (browsers, audits) in list(disagreements.items())[:SHOWN]:
        print(f"    {reference.page}: {reference.text!r}: Chromium: {browsers}; linkfix: {audits}")
    return len(disagreements)


def main() -> None:
    """Follow a sample of each tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        sys.exit("there is no Chromium in PATH")
    disagreements = 0
    with Chromium(executable) as browser:
        for name, tree in chosen(options.trees, more=True).items():
            names = sorted(str(page.relative_to(tree)) for page in tree.rglob("*.html") if page.is_file())
            sample = random.Random(options.seed).sample(names, min(options.pages, len(names)))  # noqa: S311
            disagreements += follow(browser, name, tree, sample)
    sys.exit(1 if disagreements else 0)


if __name__ == "__main__":
    main()
