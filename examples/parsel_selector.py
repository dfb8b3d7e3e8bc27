"""parsel: a selector with absolute links.

Run it: `python examples/parsel_selector.py URL`.
"""

import sys
from urllib.request import urlopen

from parsel import Selector

from linkfix.hooks.parsel import absolutize

page = urlopen(sys.argv[1])
selector = Selector(body=page.read())
absolutize(selector, page.url)
print(*selector.css("a::attr(href)").getall(), sep="\n")
