"""Hook for parsel: makes the links of a selector absolute in place.

    selector = parsel.Selector(body=body)
    linkfix.hooks.parsel.absolutize(selector, url)

`url` is the URL of the page after redirects, `charset` the encoding that it was parsed from. The other keywords are the
fields of `linkfix.Options`. The result has `.links` (before the change), `.problems`, `.base` and `.rewritten`.
"""

from __future__ import annotations

from linkfix.trees.parsel import absolutize

__all__ = ["absolutize"]
