"""inscriptis: the text of a page, with links resolved as in browsers.

Run it: `python examples/recipes/inscriptis_text.py URL`.
"""

import sys

import requests
from inscriptis import get_text
from inscriptis.model.config import ParserConfig

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
markup = page.text.replace("&amp;", "&amp;amp;")  # inscriptis decodes character references twice
text = get_text(markup, ParserConfig(display_links=True))

print(text)
