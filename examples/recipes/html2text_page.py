"""html2text: a page as Markdown, with links resolved as in browsers.

Run it: `python examples/recipes/html2text_page.py URL`.
"""

import sys

import html2text
import requests

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
text = html2text.HTML2Text(bodywidth=0).handle(page.text)  # no baseurl=…: nothing is left to resolve

print(text)
