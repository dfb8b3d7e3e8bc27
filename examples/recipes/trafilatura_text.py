"""trafilatura: the text of a page, with links and images resolved as in browsers.

Run it: `python examples/recipes/trafilatura_text.py URL`.
"""

import sys

import requests
import trafilatura

from linkfix.hooks.requests import absolutize

session = requests.Session()
session.hooks["response"].append(absolutize)
page = session.get(sys.argv[1], timeout=60)
text = trafilatura.extract(page.text, include_links=True, include_images=True)  # no url=…: nothing is left to resolve

print(text)
