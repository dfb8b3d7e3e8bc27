"""No page of the tree links to this page.

Asked for by `--select orphan-page`. The index page of the tree's root needs no link; references of every kind count
(links, frames, redirects).

Fails::

    <p>Nothing in the example tree links to this page.</p>

Passes, as index.html::

    <p>The root's index page.</p>
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Level
from linkfix.audit.rule import Issue, TreeFacts

__all__ = ["CODE", "LEVEL", "OPT_IN", "check_tree"]

CODE = "LF110"
LEVEL = Level.NOTE
OPT_IN = True


def check_tree(tree: TreeFacts) -> Iterator[tuple[str, Issue]]:
    """Report the pages that nothing links to."""
    for name in tree.pages:
        if name not in tree.linked and name not in tree.entry:
            yield name, Issue("no page of the tree links to it", cause=name)
