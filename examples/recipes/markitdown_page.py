"""markitdown: a page as Markdown, with links resolved as in browsers.

Run it: `python examples/recipes/markitdown_page.py URL`.
"""

import sys

import requests
from markitdown import MarkItDown

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
text = MarkItDown().convert_response(page).markdown

print(text)
