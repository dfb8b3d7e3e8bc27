"""httpx: all pages that a client gets have absolute links.

Run it: `python examples/httpx_client.py URL`.
"""

import sys

import httpx

from linkfix.hooks import outcome
from linkfix.hooks.httpx import install

with install(httpx.Client(follow_redirects=True)) as client:
    page = client.get(sys.argv[1])  # .text and .content have absolute links
if found := outcome(page):  # the links as they were, with their targets
    print(*(link.target for link in found.links), sep="\n")
