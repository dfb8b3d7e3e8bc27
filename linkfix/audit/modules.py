"""Modules that scripts import: those that cannot be judged by their specifier, and those that import maps move.

A module is loaded by pages, and a page's import map says what its specifiers mean. Modules in a page go by the maps of
that page. Those in files are judged by their own URL; where a map of any page gives a URL another address, nothing is
said of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from linkfix.audit.model import Finding
from linkfix.audit.page_document import PageDocument
from linkfix.audit.site import Destination, DestinationKind, Site
from linkfix.model import Link

__all__ = ["MOVED", "is_moved", "why_unjudged"]

#: Why findings are left out.
MOVED = "import map"
_BARE = "a module's name, without an import map"
_BUNDLED = "a module that a bundler looks up under another name"
#: What bundlers add to the name of a module, or to that of a folder, and what they find in place of ".js".
_SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".vue", ".svelte", ".json")
_ADDED = (*_SUFFIXES, *(f"/index{suffix}" for suffix in _SUFFIXES))
_REPLACED = {".js": (".ts", ".tsx", ".jsx", ".vue"), ".mjs": (".mts",), ".jsx": (".tsx",)}
_MISSING = frozenset({DestinationKind.MISSING, DestinationKind.NO_INDEX})


def why_unjudged(document: PageDocument, link: Link, place: Destination, site: Site) -> str:
    """Why the import of a module says nothing of the tree; "" where it is judged."""
    if link.target is None and link.problem is None:
        return "" if document.import_maps else _BARE
    if place.kind not in _MISSING or place.mount:
        return ""
    name = place.name.rstrip("/")
    stem, dot, suffix = name.rpartition(".")
    others = [name + added for added in _ADDED] + [stem + other for other in _REPLACED.get(dot + suffix, ())]
    return _BUNDLED if any(other in site.numbers for other in others) else ""


def is_moved(finding: Finding, moved: Iterable[str]) -> bool:
    """Whether a finding of a script in a file is about a module that is among the moved ones."""
    target = finding.target
    if target is None or finding.element:
        return False
    return any(target == url or (url.endswith("/") and target.startswith(url)) for url in moved)
