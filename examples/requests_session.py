"""requests: all pages that a session gets have absolute links.

Run it: `python examples/requests_session.py URL`.
"""

import sys

import requests

import linkfix.hooks.requests

session = linkfix.hooks.requests.install(requests.Session())
page = session.get(sys.argv[1], timeout=60)  # .text and .content have absolute links
print(*linkfix.hyperlinks(page.content, page.url), sep="\n")
