"""lxml: a tree with absolute links.

Run it: `python examples/lxml_tree.py URL`.
"""

import sys
from urllib.request import urlopen

import lxml.html

from linkfix.hooks.lxml import absolutize

tree = lxml.html.parse(urlopen(sys.argv[1]))
absolutize(tree, tree.docinfo.URL, charset=tree.docinfo.encoding)
print(*tree.xpath("//a/@href"), sep="\n")
