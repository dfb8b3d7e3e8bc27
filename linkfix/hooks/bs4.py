"""Hook for BeautifulSoup: makes the links of a soup, or of a tag in it, absolute in place.

    soup = BeautifulSoup(body, "html.parser")
    linkfix.hooks.bs4.absolutize(soup, url, charset=soup.original_encoding)

`url` is the URL of the page after redirects, `charset` the encoding that it was parsed from. The other keywords are the
fields of `linkfix.Options`. The result has `.links` (before the change), `.problems`, `.base` and `.rewritten`.
"""

from __future__ import annotations

from linkfix.trees.bs4 import absolutize

__all__ = ["absolutize"]
