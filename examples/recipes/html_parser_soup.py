"""BeautifulSoup with html.parser: a soup whose queries are right, too (`?a=1&region=2`).

Run it: `python examples/recipes/html_parser_soup.py URL`.
"""

import sys
from urllib.request import urlopen

from bs4 import BeautifulSoup

from linkfix.hooks.generic import from_headers

answer = urlopen(sys.argv[1])
page = from_headers(answer.url, answer.headers, answer.read(), escape_ampersands=True)
soup = BeautifulSoup(page.body, "html.parser", from_encoding=page.encoding)

print(*[a["href"] for a in soup.select("a[href]")], sep="\n")
