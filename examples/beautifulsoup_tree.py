"""BeautifulSoup: a soup with absolute links.

Run it: `python examples/beautifulsoup_tree.py URL`.
"""

import sys
from urllib.request import urlopen

from bs4 import BeautifulSoup

from linkfix.hooks.bs4 import absolutize

page = urlopen(sys.argv[1])
soup = BeautifulSoup(page, "html.parser")
absolutize(soup, page.url, charset=soup.original_encoding)
print(*[a["href"] for a in soup.select("a[href]")], sep="\n")
