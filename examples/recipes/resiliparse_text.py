"""Resiliparse: the text of a page, with links resolved as in browsers.

Run it: `python examples/recipes/resiliparse_text.py URL`.
"""

import sys

import requests
from resiliparse.extract.html2text import extract_plain_text

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
text = extract_plain_text(page.text, main_content=True, links=True)

print(text)
