"""trafilatura: the text of a page, with links resolved as in browsers.

Run it: `python examples/recipes/trafilatura_text.py URL`.
"""

import sys

import requests
import trafilatura

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
markup = page.text.replace("&amp;", "&amp;amp;")  # trafilatura decodes character references twice
text = trafilatura.extract(markup, include_links=True, include_images=True)  # no url=…: nothing is left to resolve

print(text)
