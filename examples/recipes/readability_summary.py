"""readability-lxml: the article of a page, with links and images resolved as in browsers.

Run it: `python examples/recipes/readability_summary.py URL`.
"""

import sys

import readability
import requests

from linkfix.hooks.requests import absolutize

session = requests.Session()
session.hooks["response"].append(absolutize)
page = session.get(sys.argv[1], timeout=60)
article = readability.Document(page.text)  # no url=…: nothing is left to resolve

print(article.title(), article.summary(), sep="\n")
