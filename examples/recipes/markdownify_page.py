"""markdownify: a page as Markdown, with links resolved as in browsers.

Run it: `python examples/recipes/markdownify_page.py URL`.
"""

import sys

import requests
from markdownify import markdownify

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
text = markdownify(page.text)

print(text)
