"""requests: all pages that a session gets have absolute links.

Run it: `python examples/requests_session.py URL`.
"""

import sys

import requests

from linkfix.hooks.requests import absolutize

session = requests.Session()
session.hooks["response"].append(absolutize)
page = session.get(sys.argv[1], timeout=60)  # .text and .content have absolute links; .linkfix knows each of them

print(page.linkfix.base)
for link in page.linkfix.links:
    print(link.reference, "->", link.target)
