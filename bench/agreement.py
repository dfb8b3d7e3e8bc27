"""Agreement of `linkfix audit` and the independent checker on real trees: precision, recall, each disagreement.

    python bench/agreement.py FOLDER | NAME=TREE …

It compares places (page, reference, kind of fault), as often as they occur. Precision: the share of linkfix's findings
that the other checker has. Recall: the share of the other's findings that linkfix has. Explained disagreements are
counted with the reason. The exit status is 1 if there are others, or if a text report is too long.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from independent import WHITE, check
from trees import chosen

__all__ = ["EXPLAINED", "KINDS", "compare"]

#: linkfix's rule -> the independent checker's name for it. Other rules check facts that it ignores.
KINDS = {
    "missing-target": "target",
    "case-mismatch": "target",
    "folder-without-index": "target",
    "link-out-of-tree": "target",
    "mail-without-scheme": "target",
    "abbreviated-reference": "target",
    "missing-fragment": "fragment",
    "dropped-fragment": "fragment",
    "above-root": "climbs",
}
#: A rule of linkfix that reports many missing targets once; without it each is reported.
SUMS = "root-relative"
EXAMPLES = 3


class Place(NamedTuple):
    """A unit of the comparison."""

    page: str
    reference: str
    kind: str


class Explained(NamedTuple):
    """A class of explained disagreements: whose findings they are, which ones, and who is right."""

    finder: str
    matches: Callable[[Place], bool]
    why: str


EXPLAINED = (
    Explained(
        "other",
        lambda place: "{%" in place.reference or "{{" in place.reference,
        "it looks like a template's placeholder, which linkfix tells by a rule of its own",
    ),
    Explained(
        "other",
        lambda place: place.reference.startswith("(http"),
        "a bracket before the scheme, which linkfix tells by a rule of its own",
    ),
    Explained(
        "linkfix",
        lambda place: place.kind == "fragment" and (".svg#" in place.reference or place.page.endswith(".svg")),
        "a drawing: the other reads pages alone",
    ),
    Explained(
        "linkfix",
        lambda place: place.page.endswith((".md", ".js", ".mjs", ".xml", ".webmanifest", "robots.txt")),
        "Markdown, a script, a feed or the like: the other reads pages and style sheets alone",
    ),
)
#: No report for people is longer.
MOST_LINES = 200


def by_linkfix(tree: Path) -> tuple[Counter[Place], dict[str, int]]:
    """The findings of linkfix, and its coverage."""
    command = [sys.executable, "-m", "linkfix", "audit", str(tree), "--format", "jsonl", "--ignore", SUMS]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    if not records or records[-1]["type"] != "summary":
        sys.exit(f"linkfix exits with {run.returncode} and no whole report: {' '.join(command)}")
    root = records[0]["base"]["url"] or "\0"
    found = Counter(
        _place(record["path"], record["reference"], KINDS[record["name"]])
        for record in records
        if record["type"] == "finding"
        and record["name"] in KINDS
        and "://" not in (record["target"] or "").removeprefix(root)
    )
    for place in [place for place in found if place.kind == "climbs" and place._replace(kind="target") in found]:
        del found[place]  # the other asks for files first
    return found, records[-1]["coverage"]


def lines_for_people(tree: Path) -> int:
    """The number of lines of the text report."""
    command = [sys.executable, "-m", "linkfix", "audit", str(tree)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.count(b"\n")


def by_independent(tree: Path) -> tuple[Counter[Place], int, int]:
    """The independent checker's findings, and the numbers of pages and references that it read."""
    found, pages, references = check(str(tree))
    places = Counter(_place(one.page, one.reference, one.kind) for one in found if one.kind)
    return places, pages, references


def _place(page: str, reference: str, kind: str) -> Place:
    """A place; white space that browsers take out of a URL is nothing to disagree about."""
    return Place(page, reference.strip(WHITE).translate({9: None, 10: None, 13: None}), kind)


def compare(name: str, ours: Counter[Place], theirs: Counter[Place]) -> int:
    """Print the agreement of two checkers on a tree. Returns the number of unexplained disagreements."""
    print(f"{name:12}{'linkfix':>10}{'other':>10}{'both':>10}{'precision':>11}{'recall':>9}")
    for kind in sorted(set(KINDS.values())):
        a, b = (Counter({place: n for place, n in side.items() if place.kind == kind}) for side in (ours, theirs))
        both = (a & b).total()
        rates = (f"{both / side.total():.2%}" if side else "-" for side in (a, b))
        print(f"  {kind:10}{a.total():10,}{b.total():10,}{both:10,}{next(rates):>11}{next(rates):>9}")
    unexplained = 0
    for finder, only in (("linkfix", ours - theirs), ("other", theirs - ours)):
        classes: dict[str, Counter[Place]] = defaultdict(Counter)
        for place, number in only.items():
            reasons = (one.why for one in EXPLAINED if one.finder == finder and one.matches(place))
            classes[next(reasons, "")][place] += number
        unexplained += classes[""].total()
        for why, places in sorted(classes.items()):
            if places:
                print(
                    f"  only {finder}: {places.total():,} on {len({place.page for place in places}):,} pages"
                    f" - {why or 'NOT EXPLAINED'}"
                )
                for place, number in places.most_common(EXAMPLES):
                    print(f"    {number} x {place.kind}: {place.page}: {place.reference!r}")
    return unexplained


def main() -> None:
    """Compare on each tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    options = parser.parse_args()
    unexplained = 0
    for name, tree in chosen(options.trees, more=True).items():
        ours, coverage = by_linkfix(tree)
        theirs, pages, references = by_independent(tree)
        unexplained += compare(name, ours, theirs)
        print(
            f"  read: linkfix {coverage['pages']:,} pages, {coverage['links']:,} references, {coverage['judged']:,}"
            f" checked; the other {pages:,} pages and style sheets, {references:,} references",
            flush=True,
        )
        lines = lines_for_people(tree)
        unexplained += lines > MOST_LINES
        print(f"  the text report has {lines} lines", flush=True)
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
