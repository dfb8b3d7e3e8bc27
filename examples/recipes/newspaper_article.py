"""newspaper4k: the article of a page, with links resolved as in browsers.

Run it: `python examples/recipes/newspaper_article.py URL`.
"""

import sys

import newspaper
import requests

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
article = newspaper.article(page.url, input_html=page.text)  # it does not fetch the page again

print(article.title, article.article_html, sep="\n")
