"""selectolax: a tree with absolute links.

Run it: `python examples/selectolax_tree.py URL`.
"""

import sys
from urllib.request import urlopen

from selectolax.lexbor import LexborHTMLParser

from linkfix.hooks.selectolax import absolutize

page = urlopen(sys.argv[1])
tree = LexborHTMLParser(page.read())
absolutize(tree, page.url)
print(*[a.attrs["href"] for a in tree.css("a[href]")], sep="\n")
