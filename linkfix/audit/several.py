"""Several trees of one site, or of several sites that refer to each other, in one audit.

Each is audited by itself while the others are mounted; the results are put together below the folder that has them all.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from linkfix.audit.engine import audit
from linkfix.audit.findings import with_fingerprints
from linkfix.audit.model import Audit, Cause, Coverage, Finding
from linkfix.audit.mounts import Tree
from linkfix.audit.options import AuditOptions
from linkfix.errors import InvalidOption

__all__ = ["audit_trees"]


def audit_trees(
    trees: Sequence[Tree], options: AuditOptions, *, progress: Callable[[int, int], None] | None = None
) -> Audit:
    """Check the references of the pages in several folders, also those from one to the other.

    The paths of findings begin at the folder that has all trees, which is `Audit.root`; the URL is the first tree's.
    Raises as `audit` does.
    """
    first = trees[0].url
    alone = replace(options, known=frozenset())
    results = []
    for tree in trees:
        others = tuple((other.url, other.folder) for other in trees if other is not tree)
        url = tree.url if "://" in tree.url else f"{'/'.join(first.split('/')[:3])}{tree.url.rstrip('/')}/"
        mine = replace(alone, base_url=url, mounts=(*options.mounts, *others))
        results.append(audit(tree.folder, mine, progress=progress))
    return _joined(results, [tree.folder for tree in trees], options)


def _joined(results: list[Audit], folders: list[str], options: AuditOptions) -> Audit:
    real = [os.path.realpath(folder) for folder in folders]
    if len(set(real)) < len(real):
        message = "two trees are the same folder"
        raise InvalidOption(message)
    root = os.path.commonpath(real)
    prefixes = ["" if path == root else os.path.relpath(path, root).replace(os.sep, "/") + "/" for path in real]
    findings: list[Finding] = []
    causes: list[Cause] = []
    hidden: Counter[str] = Counter()
    known: set[str] = set()
    for result, prefix in zip(results, prefixes, strict=True):
        moved = with_fingerprints([one._replace(path=(prefix + one.path).rstrip("/")) for one in result.findings])
        numbers: dict[int, int] = {}
        for number, one in enumerate(moved):
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
        base_where=f"--root-url, and {len(results) - 1} more by --tree",
        findings=tuple(findings),
        causes=tuple(sorted(causes, key=lambda one: (one.level.rank, -len(one.findings), one.code, one.text))),
        coverage=_sum([result.coverage for result in results], prefixes),
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
        files=sorted(prefix + name for result, prefix in zip(results, prefixes, strict=True) for name in result.files),
    )


def _sum(parts: list[Coverage], prefixes: list[str]) -> Coverage:
    total = Coverage()
    for part, prefix in zip(parts, prefixes, strict=True):
        total.files += part.files
        total.pages += part.pages
        total.bytes += part.bytes
        total.links += part.links
        total.checked += part.checked
        total.unchecked += part.unchecked
        total.unread |= {prefix + name: why for name, why in part.unread.items()}
        total.fragments += part.fragments
        total.left_out += part.left_out
    return total
