"""Any other client, here the standard library's: its URL, headers and body become a page with absolute links.

Run it: `python examples/any_client.py URL`.
"""

import sys
from urllib.request import urlopen

from linkfix.hooks.generic import from_headers

answer = urlopen(sys.argv[1])
page = from_headers(answer.url, answer.headers, answer.read())  # .body and .headers; .links .base .problems

print(page.base)
for link in page.links:
    print(link.reference, "->", link.target)
