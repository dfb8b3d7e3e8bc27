"""readability-lxml: the article of a page, with links resolved as in browsers.

Run it: `python examples/recipes/readability_summary.py URL`.
"""

import sys

import readability
import requests

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
article = readability.Document(page.text)  # no url=…: nothing is left to resolve

print(article.title(), article.summary(), sep="\n")
