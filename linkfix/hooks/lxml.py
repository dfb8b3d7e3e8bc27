"""Hook for lxml: makes the links of a tree, or of an element in it, absolute in place.

    tree = lxml.html.parse(file)
    linkfix.hooks.lxml.absolutize(tree, url, charset=tree.docinfo.encoding)

`url` is the URL of the page after redirects, `charset` the encoding that it was parsed from. The other keywords are the
fields of `linkfix.Options`. The result has `.links` (before the change), `.problems`, `.base` and `.rewritten`.
"""

from __future__ import annotations

from linkfix.trees.lxml import absolutize

__all__ = ["absolutize"]
