"""Hook for selectolax: makes the links of a `LexborHTMLParser`, or of a node in it, absolute in place.

    tree = LexborHTMLParser(body)
    linkfix.hooks.selectolax.absolutize(tree, url)

`url` is the URL of the page after redirects, `charset` the encoding that it was parsed from. The other keywords are the
fields of `linkfix.Options`. The result has `.links` (before the change), `.problems`, `.base` and `.rewritten`.
"""

from __future__ import annotations

from linkfix.trees.selectolax import absolutize

__all__ = ["absolutize"]
