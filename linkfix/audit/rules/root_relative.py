"""Most references that begin with "/" lead nowhere, and for one reason.

The tree is not the whole of its host: it is served below a folder that `--base-url` has to name, or it is a part of a
site whose other parts are not here. This one finding stands for all of those references.

Fails::

    <a href="/app/docs/other.html">1</a> <a href="/app/docs/index.html">2</a> <a href="/app/docs/Upper.html">3</a>
    <a href="/app/docs/listing.html">4</a> <a href="/app/docs/moved.html">5</a> <a href="/app/">6</a>

Passes::

    <a href="/docs/other.html">there</a> <a href="/app/docs/other.html">one alone is a missing target</a>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import Issue, TreeFacts

__all__ = ["CODE", "LEVEL", "check_tree"]

CODE = "LF109"
LEVEL = Level.ERROR

#: So many references, and so large a part of all that begin with "/", have to fail.
_FEW = 5
_MOST = 0.5
#: How many folders above the tree are tried.
_DEEP = 3


def check_tree(tree: TreeFacts) -> Iterator[tuple[str, Issue]]:
    """Report, once, that root-relative references lead past the tree."""
    missing = tree.root_relative_missing
    count = sum(missing.values())
    if count < _FEW or count < _MOST * tree.root_relative:
        return
    below = _folder_above(tree)
    if below is not None:
        folder, explained = below
        hint = Hint(f"say --base-url with the path /{folder}/: {explained:,} of them are files of the tree then")
        yield "", Issue(f"{count:,} of {tree.root_relative:,} references that begin with / lead nowhere", hint, "/")
        return
    first, number = Counter({path.partition("/")[0]: 0 for path in missing} | _first_segments(missing)).most_common(1)[
        0
    ]
    where = f"most of them to /{first}/" if number > count * _MOST and first else "to many places"
    hint = Hint("say --base-url with the URL of the tree, if it is one folder of a host")
    yield (
        "",
        Issue(f"{count:,} of {tree.root_relative:,} references that begin with / lead nowhere, {where}", hint, "/"),
    )


def _first_segments(missing: dict[str, int]) -> Counter[str]:
    segments: Counter[str] = Counter()
    for path, number in missing.items():
        segments[path.lstrip("/").partition("/")[0]] += number
    return segments


def _folder_above(tree: TreeFacts) -> tuple[str, int] | None:
    """The path below which most of the missing targets would be files of the tree, and how many."""
    votes: Counter[str] = Counter()
    for path, number in tree.root_relative_missing.items():
        parts = path.lstrip("/").split("/")
        for depth in range(1, min(_DEEP + 1, len(parts))):
            if tree.site.has("/".join(parts[depth:])):
                votes["/".join(parts[:depth])] += number
                break
    if not votes:
        return None
    folder, number = votes.most_common(1)[0]
    return (folder, number) if number > _MOST * sum(tree.root_relative_missing.values()) else None
