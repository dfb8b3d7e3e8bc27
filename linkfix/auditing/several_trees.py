"""Several trees in one audit: trees of one site, or of sites that refer to each other.

Each tree is audited alone while the others are mounted. The results are merged below the folder that contains all
trees.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from linkfix.auditing.engine import at_url_of, audit, url_texts
from linkfix.auditing.findings import name_in, origin_of_paths, path_from, sort_causes, with_fingerprints
from linkfix.auditing.model import Audit, AuditOptions, Cause, Finding, sum_coverage
from linkfix.auditing.mounts import Tree
from linkfix.auditing.served import MADE_UP
from linkfix.errors import InvalidOption
from linkfix.model import Layer


def audit_trees(
    trees: Sequence[Tree], options: AuditOptions, *, progress: Callable[[int, int], None] | None = None
) -> Audit:
    """Check the references of the pages in several folders, including references from one folder to another.

    The paths of findings begin at the folder that contains all trees, which is `Audit.root`. The URL is the URL of the
    first tree. Raises the same errors as `audit`.
    """
    first = trees[0].url
    alone = replace(options, known=frozenset())
    results = []
    for tree in trees:
        others = tuple((other.url, other.folder) for other in trees if other is not tree)
        url = tree.url if "://" in tree.url else f"{'/'.join(first.split('/')[:3])}{tree.url.rstrip('/')}/"
        mine = replace(alone, base_url=url, mounts=(*options.mounts, *others))
        results.append(audit(tree.folder, mine, progress=progress))
    joined = _joined(results, [tree.folder for tree in trees], options)
    return replace(joined, base_source=f"--root-url, and {len(results) - 1} more from --tree")


def audit_sites(
    folders: Sequence[str], options: AuditOptions, *, progress: Callable[[int, int], None] | None = None
) -> Audit:
    """Check the references of the pages in several folders, each of which is a site of its own.

    The paths of findings begin at the folder that contains all folders, which is `Audit.root`. Raises the same errors
    as `audit`.
    """
    alone = replace(options, known=frozenset())
    results = [audit(folder, alone, progress=progress) for folder in folders]
    joined = _joined(results, list(folders), options)
    urls = url_texts(zip(folders, results, strict=True))
    unknown = replace(joined, base_url=MADE_UP)
    return replace(unknown, base_layer=Layer.NONE, base_source="several sites", urls=urls) if urls else unknown


def _joined(results: list[Audit], folders: list[str], options: AuditOptions) -> Audit:
    real = [os.path.realpath(folder) for folder in folders]
    if len(set(real)) < len(real):
        message = "DIR and --tree name the same folder twice: give it once"
        raise InvalidOption(message)
    root, origin = os.path.commonpath(real), origin_of_paths()
    prefixes = ["" if path == root else os.path.relpath(path, root).replace(os.sep, "/") + "/" for path in real]
    findings: list[Finding] = []
    causes: list[Cause] = []
    hidden: Counter[str] = Counter()
    known: set[str] = set()
    for result, prefix, folder in zip(results, prefixes, real, strict=True):
        place = path_from(origin, folder)
        marked = with_fingerprints([one._replace(path=f"{place}/{one.path}") for one in result.findings])
        numbers: dict[int, int] = {}
        for number, (finding, mark) in enumerate(zip(result.findings, marked, strict=True)):
            one = _moved(finding, prefix, result)._replace(fingerprint=mark.fingerprint)
            if one.fingerprint in options.known:
                hidden["baseline"] += 1
                known.add(one.fingerprint)
            else:
                numbers[number] = len(findings)
                findings.append(one)
        for cause in result.causes:
            kept = tuple(numbers[number] for number in cause.findings if number in numbers)
            if kept:
                causes.append(cause._replace(findings=kept, pages=len({findings[number].path for number in kept})))
    return replace(
        results[0],
        root=root if Path(folders[0]).is_absolute() else os.path.relpath(root),
        settings="; ".join(filter(None, (result.settings for result in results))),
        findings=tuple(findings),
        causes=sort_causes(causes),
        coverage=sum_coverage([result.coverage for result in results], prefixes),
        folders={
            (prefix + name).rstrip("/"): folder
            for result, prefix in zip(results, prefixes, strict=True)
            for name, folder in result.folders.items()
        },
        hidden=hidden + sum((result.hidden for result in results), Counter()),
        known=frozenset(known),
        pages=frozenset(
            prefix + name for result, prefix in zip(results, prefixes, strict=True) for name in result.pages
        ),
        seconds=sum(result.seconds for result in results),
        unchecked_folders=tuple(
            folder for folder, result in zip(folders, results, strict=True) if not result.coverage.checked
        ),
        files=sorted(prefix + name for result, prefix in zip(results, prefixes, strict=True) for name in result.files),
    )


def _moved(finding: Finding, prefix: str, result: Audit) -> Finding:
    """A finding with its path, and a target at a made-up URL, below the folder that contains all trees."""
    return at_url_of(finding, MADE_UP, prefix, result)._replace(path=name_in(prefix, finding.path).rstrip("/"))
