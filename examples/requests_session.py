"""requests: all pages that a session gets have absolute links.

Run it: `python examples/requests_session.py URL`.
"""

import sys

import requests

from linkfix.hooks.requests import install

session = install(requests.Session())
page = session.get(sys.argv[1], timeout=60)  # .text and .content have absolute links; .linkfix knows each of them
print(*(link.target for link in page.linkfix.links), sep="\n")
