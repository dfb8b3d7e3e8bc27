"""httpx: all pages that a client gets have absolute links.

Run it: `python examples/httpx_client.py URL`.
"""

import sys

import httpx

from linkfix.hooks.httpx import install

with install(httpx.Client(follow_redirects=True)) as client:
    page = client.get(sys.argv[1])  # .text and .content have absolute links; .linkfix knows each of them
print(*(link.target for link in page.linkfix.links), sep="\n")
